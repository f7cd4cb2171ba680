"""The tasks of consultancy and of debate in the same frame (Rahman et al., 2025): judges read only what is said."""

from system.speech import Argument, Speaker
from system.tasks.ask_question import QuestionReply
from system.tasks.base import EvidenceTask, Task
from system.tasks.debate import ArgumentReply
from system.tasks.judge_claim import VerdictReply


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
