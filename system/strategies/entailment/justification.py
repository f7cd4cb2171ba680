"""Justifications of an entailment verdict: the sentence that decides, and where it stands."""

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from knowledge_store.pages.page import document
from system.graph.records import NOTHING_FOUND, Label
from system.text.words import quotation

if TYPE_CHECKING:
    from system.reader.reading import PageVerdict

SPEAKS = 0.7  # nearness (cosine plus share of words) from which a passage is about the statement
_LANGUAGES = {
    "ar": "Arabic", "cs": "Czech", "da": "Danish", "de": "German", "es": "Spanish", "fr": "French", "it": "Italian",
    "ja": "Japanese", "nl": "Dutch", "no": "Norwegian", "pl": "Polish", "pt": "Portuguese", "ru": "Russian",
    "sv": "Swedish", "tr": "Turkish", "uk": "Ukrainian", "zh": "Chinese",
}  # fmt: skip


def by_strength(label: Label, pages: Sequence["PageVerdict"]) -> list["PageVerdict"]:
    """Return pages by how much they carry a label, the strongest first."""
    carried: dict[Label, Callable[[PageVerdict], float]] = {
        Label.SUPPORTED: lambda page: page.supporting.supported,
        Label.REFUTED: lambda page: page.refuting.refuted,
        Label.CONFLICTING: lambda page: page.decided,
        Label.NOT_ENOUGH_EVIDENCE: lambda page: page.nearest.nearness,
    }
    return sorted(pages, key=carried[label], reverse=True)


def justify(label: Label, pages: Sequence["PageVerdict"]) -> str:
    """Return why a statement has a label: decided, found but not decided, or nothing found."""

    def said(side: Label, words: str = "") -> str:
        window = by_strength(side, pages)[0].deciding(side)
        quoted = quotation(window.sentence)
        return f"{document(window.passage.url)}{words}: {quoted}{'' if quoted.endswith(('.”', '!”', '?”')) else '.'}"

    if not pages:
        return f"{NOTHING_FOUND}."
    match label:
        case Label.SUPPORTED:
            return said(label, " says so")
        case Label.REFUTED:
            return said(label, " contradicts it")
        case Label.CONFLICTING:
            return f"The sources disagree. {said(Label.SUPPORTED)} {said(Label.REFUTED)}"
    on_it = max(page.nearest.nearness for page in pages) >= SPEAKS
    return f"{'Could not decide' if on_it else NOTHING_FOUND}; nearest is {said(label)}"


def justify_language(subject: str, codes: Collection[str]) -> str:
    """Return why nothing was read: it is in languages that the reader does not read."""
    names = " and ".join(sorted(_LANGUAGES.get(code, f"the language {code!r}") for code in codes))
    return (
        f"{subject} in {names}, which the reader does not read. "
        "Choose one that does (--verifier), or a profile with a language model."
    )
