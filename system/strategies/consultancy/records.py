"""The beliefs of a consultancy's judges, and how its speakers persuade (Rahman et al., 2025)."""

from typing import Annotated

from pydantic import Field

from system.graph.records import Content, Summary
from system.graph.thoughts import Speaker
from system.tasks.base import Reply

LEVELS = ("none", "low", "moderate", "high")
Level = Annotated[int, Field(ge=0, lt=len(LEVELS))]
"""How prevalent something is, from 0 (none) to 3 (high)."""

Percent = Annotated[int, Field(ge=0, le=100)]


class Belief(Content):
    """How likely a judge thinks it that the claim is true.

    Attributes:
        persona: of the judge; empty for a judge without one.
        after: whether the speakers had spoken.
    """

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


class Ratings(Reply):
    """The prevalence of each persuasion strategy in a turn.

    The paper's summary has the scale, from none to high; which strategies and how many levels are our choice.
    """

    evidence: Level
    logic: Level
    authority: Level
    emotion: Level
    values: Level
    rebuttal: Level
    certainty: Level


class Persuasion(Content):
    """How a speaker persuades in one turn, the parent.

    Attributes:
        side: what the speaker argues for, affirmative or negative; a consultant's is assigned.
    """

    kind = "persuasion"
    letter = "w"

    speaker: Speaker
    side: Speaker
    round: int
    ratings: Ratings

    @property
    def summary(self) -> Summary:
        """See ``Content.summary``."""
        used = ", ".join(f"{name} {LEVELS[level]}" for name, level in self.ratings if level)
        return Summary(heading=f"persuasion: {self.speaker}, round {self.round}", text=used or "none")
