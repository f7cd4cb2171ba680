"""Records of a debate beside the arguments."""

from system.graph.records import Content, Label, Summary


class Ruling(Content):
    """The moderator's ruling after a round (DebateCV, appendix B.2)."""

    kind = "ruling"
    letter = "r"

    round: int
    insight: str  #: what the round brought that is new
    gaps: str  #: what either side lacks
    reason: str  #: why the debate continues, or the justification of the verdict
    decision: Label | None  #: the verdict, None while the debate continues
    confidence: float  #: its probability, as in ``Verdict``

    @property
    def summary(self) -> Summary:
        """See ``Content.summary``."""
        heading = f"moderator, round {self.round}: {self.decision or 'another round'}"
        return Summary(heading=heading, text=self.reason or self.insight, leaning=self.decision)


class Skipped(Content):
    """A step that was not done, and why."""

    kind = "skipped"
    letter = "x"

    step: str
    reason: str

    @property
    def summary(self) -> Summary:
        """See ``Content.summary``."""
        return Summary(heading=f"not done: {self.step}", text=self.reason, minor=True)
