"""Provenance: each quotation of a justification stands in the evidence that the result lists, and names its document.

What a question's answer was read from counts as listed evidence: the passages, the answers, and the claim with its
metadata. Quotations are compared without regard to case, whitespace, and what stands at their ends.
"""

import re
from collections.abc import Iterator, Sequence

from knowledge_store.pages.page import document
from system.graph.records import Claim, ClaimResult, QuestionAnswer, Source

QUOTATION = re.compile(r"“([^“”]+)”|\"([^\"]+)\"")
WORDS = 3
"""The shortest quotation; fewer words between quotation marks are a term."""
METADATA = "metadata"
"""Names the claim's own metadata, where an answer was read from it."""
NEAR = 200
"""Characters before and after a quotation within which its document may be named."""
_ENDS = " .,;:!?…"

NamedText = tuple[str, str]  # its name, and a text that stands in it


def faults(result: ClaimResult) -> list[str]:
    """Faults in the provenance of a result's justification; none in a sound one."""
    return [
        f"quotes {quotation!r}, which is not in the listed evidence"
        if not names
        else f"quotes {quotation!r} without naming its document ({', '.join(names)})"
        for quotation, names, named in _quotations(result.verdict.justification, result.claim, result.pairs)
        if not named
    ]


def name_documents(justification: str, claim: Claim, pairs: Sequence[QuestionAnswer]) -> str:
    """A justification in which each quotation from the listed evidence is followed by its document's name."""
    documents = list(_documents(pairs))

    def with_name(match: re.Match[str]) -> str:
        names = _names(match, documents)
        if not (names and _is_quotation(match)) or _own_words(match, claim) or _named(justification, match, names):
            return match[0]
        return f"{match[0]} ({names[0]})"

    return QUOTATION.sub(with_name, justification)


def _quotations(
    text: str, claim: Claim, pairs: Sequence[QuestionAnswer]
) -> Iterator[tuple[str, tuple[str, ...], bool]]:
    """Each quotation with the documents that hold it, and whether one of them is named; the claim needs no name."""
    documents = list(_documents(pairs))
    for match in filter(_is_quotation, QUOTATION.finditer(text)):
        names = _names(match, documents)
        yield match[1] or match[2], names, _own_words(match, claim) or _named(text, match, names)


def _is_quotation(match: re.Match[str]) -> bool:
    return len((match[1] or match[2]).split()) >= WORDS


def _names(match: re.Match[str], documents: Sequence[NamedText]) -> tuple[str, ...]:
    wanted = _plain(match[1] or match[2])
    return tuple(dict.fromkeys(name for name, text in documents if wanted in _plain(text)))


def _own_words(match: re.Match[str], claim: Claim) -> bool:
    return _plain(match[1] or match[2]) in _plain(claim.text)


def _named(text: str, match: re.Match[str], names: Sequence[str]) -> bool:
    around = text[max(0, match.start() - NEAR) : match.start()] + text[match.end() : match.end() + NEAR]
    return any(name.lower() in around.lower() for name in names)


def _documents(pairs: Sequence[QuestionAnswer]) -> Iterator[NamedText]:
    for answer in (answer for pair in pairs for answer in pair.answers):
        if answer.source is Source.METADATA:
            yield METADATA, answer.text
        else:
            yield document(answer.passage.url), answer.passage.text
            yield document(answer.passage.url), answer.text


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold().strip(_ENDS)
