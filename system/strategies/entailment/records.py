"""The records of an entailment graph."""

from typing import TYPE_CHECKING, Self

from knowledge_store.pages.page import Passage
from system.graph.records import Content, Label, Summary

if TYPE_CHECKING:
    from system.reader.reading import Window


class ReadSentence(Content):
    """A window of a passage beside a statement, with what the reader makes of the two.

    Attributes:
        sentence: the one that decides, or the nearest.
        window: all that was read, with the heading above it.
        supported, refuted: probabilities in [0, 1]; the rest to 1 is *not enough*.
    """

    kind = "reading"
    letter = "k"

    statement: str
    sentence: str
    window: str
    passage: Passage
    supported: float
    refuted: float

    @classmethod
    def of(cls, statement: str, read: "Window") -> Self:
        """Return the record of a window that was read."""
        return cls(
            statement=statement,
            sentence=read.sentence,
            window=read.text,
            passage=read.passage,
            supported=round(read.supported, 4),
            refuted=round(read.refuted, 4),
        )

    @property
    def summary(self) -> Summary:
        """See ``Content.summary``."""
        silent = 1 - self.supported - self.refuted
        if silent >= max(self.supported, self.refuted):
            return Summary(heading=f"does not decide it, {silent:.0%}", text=self.sentence, minor=True)
        if self.supported > self.refuted:
            return Summary(heading=f"supports it, {self.supported:.0%}", text=self.sentence, leaning=Label.SUPPORTED)
        return Summary(heading=f"contradicts it, {self.refuted:.0%}", text=self.sentence, leaning=Label.REFUTED)
