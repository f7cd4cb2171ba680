"""Provenance: a quotation of a justification is followed by the document that it stands in.

What a question's answer was read from counts as listed evidence: the passages, the answers, and the claim's metadata.
Quotations are compared without regard to case, whitespace, and what stands at their ends.
"""

import re
from collections.abc import Iterator, Sequence

from knowledge_store.pages.page import document
from system.graph.records import Claim, QuestionAnswer, Source

QUOTATION = re.compile(r"“([^“”]+)”|\"([^\"]+)\"")
WORDS = 3  # the shortest quotation; fewer words between quotation marks are a term
METADATA = "metadata"  # names the claim's own metadata, if an answer was read from it
NEAR = 200  # characters before and after a quotation within which its document may be named


def name_documents(justification: str, claim: Claim, pairs: Sequence[QuestionAnswer]) -> str:
    """Return a justification in which each quotation from the listed evidence is followed by its document's name.

    A quotation of the claim itself needs no name, nor does one near which its document is named.
    """
    documents = list(_documents(pairs))

    def with_name(match: re.Match[str]) -> str:
        quoted = _plain(match[1] or match[2])
        names = [name for name, text in documents if quoted in _plain(text)]
        if not names or len(quoted.split()) < WORDS or quoted in _plain(claim.text):
            return match[0]
        around = justification[max(0, match.start() - NEAR) : match.start()]
        around += justification[match.end() : match.end() + NEAR]
        named = any(name.lower() in around.lower() for name in names)
        return match[0] if named else f"{match[0]} ({names[0]})"

    return QUOTATION.sub(with_name, justification)


def _documents(pairs: Sequence[QuestionAnswer]) -> Iterator[tuple[str, str]]:
    """Names, and texts that stand in what they name."""
    for answer in (answer for pair in pairs for answer in pair.answers):
        if answer.source is Source.METADATA:
            yield METADATA, answer.text
        else:
            yield document(answer.passage.url), answer.passage.text
            yield document(answer.passage.url), answer.text


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold().strip(" .,;:!?…")
