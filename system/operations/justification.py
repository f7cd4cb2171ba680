"""The reason for a verdict that came as a label alone: which answers decide, quoted, in a sentence."""

from collections.abc import Sequence

from system.records import Label, QuestionAnswer

LONGEST = 240  # characters of a quotation


def explain(label: Label, pairs: Sequence[QuestionAnswer]) -> str:
    """Say in a sentence which answers decide.

    Args:
        pairs: what the label was given for, the most important first.

    Never says more than the label and the answers do; ``provenance.name_documents`` adds where a quotation stands.
    """
    answered = [pair for pair in pairs if pair.answered]
    if not answered:
        return "Nothing was found that answers the questions about the claim."
    first, *others = answered
    match label:
        case Label.SUPPORTED:
            return f"The evidence agrees with the claim: {_cite(first)}."
        case Label.REFUTED:
            return f"The evidence contradicts the claim: {_cite(first)}."
        case Label.CONFLICTING if others:
            return f"The evidence points both ways: {_cite(first)}, but also {_cite(others[0])}."
        case Label.CONFLICTING:
            return f"The evidence supports the claim only in part: {_cite(first)}."
        case Label.NOT_ENOUGH_EVIDENCE:
            return f"The evidence does not settle the claim. The nearest that was found: {_cite(first)}."


def _cite(pair: QuestionAnswer) -> str:
    """A quotation of the answer that counts most: a merged answer may stand in no document."""
    text = " ".join(pair.answers[0].text.split())
    return f"“{text}”" if len(text) <= LONGEST else f"“{text[:LONGEST].rsplit(' ', 1)[0]} …”"
