"""The tasks of consultancy (Rahman et al., 2025), where the judges read only what is said."""

from system.graph.thoughts import Argument, Speaker
from system.strategies.steps.tasks.argument import ArgumentReply
from system.strategies.steps.tasks.ask_question import QuestionReply
from system.strategies.steps.tasks.judge_claim import VerdictReply
from system.tasks.base import EvidenceTask, Task


class Advise(EvidenceTask[ArgumentReply]):
    """Argue for the side that the consultant was assigned: open, answer the judge's questions, or close.

    Attributes:
        transcript: the session so far; empty for the opening.
    """

    name = "advise"
    reply_type = ArgumentReply
    max_tokens = 512

    side: Speaker
    transcript: tuple[Argument, ...]

    @property
    def variant(self) -> int:
        """The likeliest reply, whichever model the consultant is on."""
        return 0


class QuestionSpeakers(Task[QuestionReply]):
    """Ask, as the judge, what the speakers have left open.

    Attributes:
        persona: who the judge is, in the second person; empty for a judge without a persona.
    """

    name = "question_speakers"
    reply_type = QuestionReply
    max_tokens = 128

    persona: str
    transcript: tuple[Argument, ...]


class JudgeSpeakers(Task[VerdictReply]):
    """Judge the claim, as the judge, by what the speakers said and cited."""

    name = "judge_speakers"
    reply_type = VerdictReply
    max_tokens = 512

    persona: str
    transcript: tuple[Argument, ...]
