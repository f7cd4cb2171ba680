"""The records of an entailment graph."""

from typing import TYPE_CHECKING, Self

from knowledge_store.pages.page import Passage
from system.graph.records import Content, Label, Summary

if TYPE_CHECKING:
    from system.verifier.reading import ReadUnit


class ReadSentence(Content):
    """A sentence beside a statement, with what the verifier makes of the two.

    Attributes:
        topic: the sentence that was read before it, since it names what this one speaks of; may be empty.
        supported, refuted: probabilities in [0, 1]; what they lack to 1 is silence.
    """

    kind = "reading"
    letter = "k"

    statement: str
    sentence: str
    topic: str
    passage: Passage
    supported: float
    refuted: float

    @classmethod
    def of(cls, reading: "ReadUnit") -> Self:
        """The record of a reading."""
        unit = reading.unit
        return cls(
            statement=reading.statement,
            sentence=unit.sentence,
            topic=unit.topic,
            passage=unit.passage,
            supported=round(reading.supported, 4),
            refuted=round(reading.refuted, 4),
        )

    @property
    def summary(self) -> Summary:
        """See ``Content.summary``."""
        silent = 1 - self.supported - self.refuted
        if silent >= max(self.supported, self.refuted):
            return Summary(heading=f"says nothing of it, {silent:.0%}", text=self.sentence, minor=True)
        if self.supported > self.refuted:
            return Summary(heading=f"supports it, {self.supported:.0%}", text=self.sentence, leaning=Label.SUPPORTED)
        return Summary(heading=f"contradicts it, {self.refuted:.0%}", text=self.sentence, leaning=Label.REFUTED)
