"""Justifications of an entailment verdict: the sentence that decides, where it stands, and what differs."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from knowledge_store.pages.page import document
from system.graph.records import Label, Verdict
from system.text.words import quotation

if TYPE_CHECKING:
    from system.verifier.reading import PageVerdict, ReadUnit

SPEAKS = 0.5  # share of a statement's words from which a sentence speaks of it


def justify(label: Label, statement: str, pages: Sequence["PageVerdict"]) -> str:
    """Why a statement has a label.

    What differs is named only where one thing stands in another's place; a page is said to be silent only where none
    of its sentences speaks of the statement.
    """
    if not pages:
        return "No document speaks of it."
    first = pages[0].deciding
    match label:
        case Label.SUPPORTED:
            return f"{_source(first)} says so: {_quoted(first)}"
        case Label.REFUTED:
            if first.differing:
                claimed, said = first.differing
                return f"The claim says {claimed}; {_source(first)} says {said}: {_quoted(first)}"
            return f"{_source(first)} contradicts it: {_quoted(first)}"
        case Label.CONFLICTING:
            other = next(page for page in pages[1:] if page.label is not pages[0].label).deciding
            return f"Documents disagree. {_source(first)}: {_quoted(first)} {_source(other)}: {_quoted(other)}"
    nearest = max((one for page in pages for one in page.readings), key=lambda one: (one.covered, one.nearness))
    if nearest.covered < SPEAKS:
        return f"No document speaks of it; nearest is {_source(nearest)}: {_quoted(nearest)}"
    return f"No document says whether it is so; nearest is {_source(nearest)}: {_quoted(nearest)}"


def justify_language(subject: str, codes: Collection[str]) -> str:
    """Why nothing was read: it is in a language that the verifier does not read."""
    return (
        f"{subject} in a language that the verifier does not read ({' and '.join(sorted(codes))}). "
        "Choose one that does (--verifier), or a profile with a language model."
    )


def justify_all(label: Label, findings: Sequence[tuple[str, Verdict]]) -> str:
    """Why a claim of several statements has a label: each statement with its own verdict."""
    return " ".join(
        f"{number}. {quotation(statement)} {verdict.label}: {verdict.justification}"
        for number, (statement, verdict) in enumerate(findings, start=1)
    )


def _source(reading: "ReadUnit") -> str:
    return document(reading.unit.passage.url)


def _quoted(reading: "ReadUnit") -> str:
    said = quotation(reading.unit.sentence)
    return said if said.endswith((".”", "!”", "?”")) else f"{said}."
