"""Scores of labels, as a report shows them and ``submission.score`` computes them."""

from system.graph.records import Label, Record

INVALID = "(invalid)"
"""Stands for every predicted label that is none of the four; the official scorer counts it as wrong."""

SHORT = {
    str(Label.SUPPORTED): "Sup",
    str(Label.REFUTED): "Ref",
    str(Label.NOT_ENOUGH_EVIDENCE): "NEE",
    str(Label.CONFLICTING): "Conf",
}
"""Labels as columns name them."""


class LabelScore(Record):
    """Scores of one label; 0 if the division has no meaning."""

    precision: float
    recall: float
    f1: float
    support: int  #: gold claims with the label


class LabelScores(Record):
    """Scores of all labels."""

    claims: int
    accuracy: float
    macro_f1: float  #: mean F1 of the labels, four or two, including those that do not occur
    labels: dict[Label, LabelScore]
    confusion: dict[Label, dict[str, int]]  #: claims by gold label, then by predicted label

    @property
    def invalid(self) -> bool:
        """Whether any predicted label is none of the four."""
        return any(row[INVALID] for row in self.confusion.values())
