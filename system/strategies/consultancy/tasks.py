"""The tasks of consultancy (Rahman et al., 2025), where the judges read only what is said."""

from typing import Generic

from system.graph.thoughts import Argument
from system.strategies.consultancy.records import Percent
from system.strategies.steps.tasks import QuestionReply, Speech, VerdictReply
from system.tasks.base import R, Reply, Task


class Advise(Speech):
    """Argue for the side that the consultant was assigned: open, answer the judge's questions, or close."""

    name = "advise"


class JudgeTask(Task[R], Generic[R]):
    """Base of the tasks of a judge.

    Attributes:
        persona: who the judge is; empty for a judge without a persona.
    """

    persona: str
    transcript: tuple[Argument, ...]


class QuestionSpeakers(JudgeTask[QuestionReply]):
    """Ask, as the judge, what the speakers have left open."""

    name = "question_speakers"
    reply_type = QuestionReply
    max_tokens = 128


class JudgeSpeakers(JudgeTask[VerdictReply]):
    """Judge the claim, as the judge, by what the speakers said and cited."""

    name = "judge_speakers"
    reply_type = VerdictReply
    max_tokens = 512


class BeliefReply(Reply):
    """How likely the claim is true."""

    belief: Percent


class StateBelief(JudgeTask[BeliefReply]):
    """Say, as the judge, how likely the claim is true: before anybody has spoken, and after all have."""

    name = "state_belief"
    reply_type = BeliefReply
    max_tokens = 32
