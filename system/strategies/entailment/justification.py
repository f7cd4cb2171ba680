"""Justifications of an entailment verdict: the sentence that decides, and where it stands."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from knowledge_store.pages.page import document
from system.graph.records import NOTHING_FOUND, Label, Verdict
from system.text.words import quotation

if TYPE_CHECKING:
    from system.reader.reading import PageVerdict, Window

SPEAKS = 0.7  # nearness (cosine plus share of words) from which a passage is about the statement


def justify(label: Label, pages: Sequence["PageVerdict"]) -> str:
    """Return why a statement has a label: decided, found but not decided, or nothing found."""
    if not pages:
        return f"{NOTHING_FOUND}."
    match label:
        case Label.SUPPORTED:
            first = max((page.supporting for page in pages), key=lambda one: one.supported)
            return f"{_source(first)} says so: {_quoted(first)}"
        case Label.REFUTED:
            first = max((page.refuting for page in pages), key=lambda one: one.refuted)
            return f"{_source(first)} contradicts it: {_quoted(first)}"
        case Label.CONFLICTING:
            first = max((page.supporting for page in pages), key=lambda one: one.supported)
            other = max((page.refuting for page in pages), key=lambda one: one.refuted)
            return f"The sources disagree. {_source(first)}: {_quoted(first)} {_source(other)}: {_quoted(other)}"
    nearest = max((page.nearest for page in pages), key=lambda one: one.nearness)
    if nearest.nearness < SPEAKS:
        return f"{NOTHING_FOUND}; nearest is {_source(nearest)}: {_quoted(nearest)}"
    return f"Could not decide; nearest is {_source(nearest)}: {_quoted(nearest)}"


_LANGUAGES = {
    "ar": "Arabic", "cs": "Czech", "da": "Danish", "de": "German", "es": "Spanish", "fr": "French", "it": "Italian",
    "ja": "Japanese", "nl": "Dutch", "no": "Norwegian", "pl": "Polish", "pt": "Portuguese", "ru": "Russian",
    "sv": "Swedish", "tr": "Turkish", "uk": "Ukrainian", "zh": "Chinese",
}  # fmt: skip


def justify_language(subject: str, codes: Collection[str]) -> str:
    """Return why nothing was read: it is in languages that the reader does not read."""
    names = " and ".join(sorted(_LANGUAGES.get(code, f"the language {code!r}") for code in codes))
    return (
        f"{subject} in {names}, which the reader does not read. "
        "Choose one that does (--verifier), or a profile with a language model."
    )


def justify_all(label: Label, findings: Sequence[tuple[str, Verdict]]) -> str:
    """Return why a claim of several statements has a label: each statement with its own verdict."""
    return " ".join(
        f"{number}. {quotation(statement)} {verdict.label}: {verdict.justification}"
        for number, (statement, verdict) in enumerate(findings, start=1)
    )


def _source(read: "Window") -> str:
    return document(read.passage.url)


def _quoted(read: "Window") -> str:
    said = quotation(read.sentence)
    return said if said.endswith((".”", "!”", "?”")) else f"{said}."
