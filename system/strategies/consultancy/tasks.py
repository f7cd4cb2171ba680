"""The tasks of consultancy (Rahman et al., 2025), where the judges read only what is said."""

from system.graph.thoughts import Argument
from system.strategies.consultancy.records import Percent
from system.strategies.steps.tasks import QuestionReply, Speech, VerdictReply
from system.tasks.base import Reply, Task


class Advise(Speech):
    """Argue for the side that the consultant was assigned: open, answer the judge's questions, or close."""

    name = "advise"


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


class BeliefReply(Reply):
    """How likely the claim is true."""

    belief: Percent


class StateBelief(Task[BeliefReply]):
    """Say, as the judge, how likely the claim is true: before anybody has spoken, and after all have."""

    name = "state_belief"
    reply_type = BeliefReply
    max_tokens = 32

    persona: str
    transcript: tuple[Argument, ...]
