"""The tasks of a consultancy (Rahman et al., 2025), where the judges read only what is said, and what they believe."""

from typing import Annotated, Generic

from pydantic import Field

from system.graph.records import Content, Summary
from system.graph.thoughts import Argument
from system.strategies.steps.tasks import QuestionReply, Speech, VerdictReply
from system.tasks.base import R, Reply, Task

Percent = Annotated[int, Field(ge=0, le=100)]


class Advise(Speech):
    """Argue for the side that the consultant was assigned: open, answer the judge's questions, or close."""

    name = "advise"


class JudgeTask(Task[R], Generic[R]):
    """Base of the tasks of a judge, whose persona may be empty."""

    persona: str
    transcript: tuple[Argument, ...]


class QuestionSpeakers(JudgeTask[QuestionReply]):
    """Ask, as the judge, what the speakers have left open."""

    name = "question_speakers"
    max_tokens = 128


class JudgeSpeakers(JudgeTask[VerdictReply]):
    """Judge the claim, as the judge, by what the speakers said and cited."""

    name = "judge_speakers"
    max_tokens = 512


class BeliefReply(Reply):
    """How likely the claim is true."""

    belief: Percent


class StateBelief(JudgeTask[BeliefReply]):
    """Say, as the judge, how likely the claim is true: before anybody has spoken, and after all have."""

    name = "state_belief"
    max_tokens = 32


class Belief(Content):
    """How likely a judge, whose persona may be empty, thinks that the claim is true: before the speakers or after."""

    kind = "belief"
    letter = "b"

    persona: str
    after: bool
    percent: Percent

    @property
    def summary(self) -> Summary:
        """See ``Content.summary``."""
        heading = f"belief {'after' if self.after else 'before'} the speakers: {self.percent}%"
        return Summary(heading=heading, text=self.persona or "a judge without a persona")
