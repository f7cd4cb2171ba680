"""The records of an entailment graph."""

from knowledge_store.pages.page import Passage
from system.graph.records import Content, Label, Summary


class ReadSentence(Content):
    """A window of a passage beside a statement, and the sentence in it that decides or is nearest.

    Supported and refuted are the reader's probabilities in [0, 1]; the rest to 1 is *not enough*.
    """

    kind = "reading"
    letter = "k"

    statement: str
    sentence: str
    window: str
    passage: Passage
    supported: float
    refuted: float

    @property
    def summary(self) -> Summary:
        """See ``Content.summary``."""
        silent = 1 - self.supported - self.refuted
        if silent >= max(self.supported, self.refuted):
            return Summary(heading=f"does not decide it, {silent:.0%}", text=self.sentence, minor=True)
        if self.supported > self.refuted:
            return Summary(heading=f"supports it, {self.supported:.0%}", text=self.sentence, leaning=Label.SUPPORTED)
        return Summary(heading=f"contradicts it, {self.refuted:.0%}", text=self.sentence, leaning=Label.REFUTED)
