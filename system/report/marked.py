"""The page of a text whose sentences are marked by their findings, with the reasons beside them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from knowledge_store.pages.page import Passage, source_name
from system.article.records import Article, Kind
from system.graph.records import ClaimResult, Correction, Label
from system.report.page import filled

STYLES = ("page.css", "claims.css", "marked.css", "print.css")
PASSAGES = 2  # of a reason, at most
AROUND = 320  # characters of a passage before and after the quotation
SIGNS = {"supported": "✓", "refuted": "✗", "not-enough": "?", "conflicting": "≠", "unread": "!"}
"""Signs by CSS class, which tell verdicts apart without colors."""
_QUOTATION = re.compile(r"“([^“”]{12,})”")
_ENDS = " .,;:!?…"


@dataclass(frozen=True)
class Excerpt:
    """A passage in three pieces; ``quoted`` is empty if nothing of it is quoted."""

    address: str
    before: str
    quoted: str
    after: str

    @property
    def name(self) -> str:
        """The address in readable form."""
        return source_name(self.address)


@dataclass(frozen=True)
class Reason:
    """The finding on a sentence."""

    style: str  #: the class that colors it; one of ``SIGNS``
    label: str
    text: str
    heading: str = ""  #: the source that it is about, if a sentence has several; otherwise empty
    sure: float | None = None  #: confidence of a decision in [0, 1]; None if nothing was decided
    #: the corrected claim in four pieces (before, the wrong words, their replacement, after)
    corrected: tuple[str, str, str, str] | None = None
    excerpts: tuple[Excerpt, ...] = ()


@dataclass(frozen=True)
class Mark:
    """A sentence that is marked; the first of its reasons colors it."""

    number: int
    text: str
    context: str  #: the sentences before it that it was read with; empty if it stands alone
    reasons: tuple[Reason, ...]

    @property
    def style(self) -> str:
        """The class that colors the sentence."""
        return self.reasons[0].style

    @property
    def label(self) -> str:
        """The verdict in words."""
        return self.reasons[0].label


def marked_page(
    article: Article,
    marks: Sequence[Mark],
    counts: Sequence[tuple[str, str, int]],
    *,
    kicker: str,
    headline: str,
    summary: str,
    unmarked: str,
) -> str:
    """Write a text with marks as an HTML page that opens from disk and fetches nothing.

    Args:
        counts: how often each verdict occurs: its style, its words, and the number.
        kicker: kind of the page.
        headline: the figure that comes first.
        summary: the words after the figure.
        unmarked: why a sentence is not marked.
    """
    by_number = {one.number: one for one in marks}
    name = Path(article.name).name
    return filled(
        "marked.html",
        ("marked.js",),
        STYLES,
        title=f"{kicker}: {name}",
        kicker=kicker,
        name=name,
        language=article.language,
        headline=headline,
        summary=summary,
        unmarked=unmarked,
        counts=counts,
        blocks=[_block(article, span, by_number) for span in article.blocks],
        marks=marks,
        signs=SIGNS,
    )


def excerpts(result: ClaimResult) -> tuple[Excerpt, ...]:
    """Return the passages that a result's verdict or correction quotes; the nearest ones if it quotes none."""
    quotations = [result.correction.quotation] if result.correction else []
    quotations += [match[1] for match in _QUOTATION.finditer(result.verdict.justification)]
    passages = {one.key: one for pair in result.pairs for one in pair.passages}
    found = [_excerpt(passage, quotations) for passage in passages.values()]
    return tuple([one for one in found if one.quoted] or found)[:PASSAGES]


def reason(result: ClaimResult, style: str, label: str, heading: str = "") -> Reason:
    """Return the findings of a check; only decisions have a confidence."""
    verdict = result.verdict
    decided = verdict.label is not Label.NOT_ENOUGH_EVIDENCE and not result.failed
    why = [failure.message for failure in result.failures if failure.unanswered]
    return Reason(
        style=style,
        label=label,
        text=" ".join([verdict.justification, *why]),
        heading=heading,
        sure=verdict.confidence if decided else None,
        corrected=_corrected(result.claim.text, result.correction) if result.correction else None,
        excerpts=excerpts(result),
    )


def _corrected(claim: str, correction: Correction) -> tuple[str, str, str, str]:
    plain = " ".join(claim.split())
    begin = plain.index(correction.said)
    end = begin + len(correction.said)
    instead = correction.text[begin : len(correction.text) - len(plain) + end]
    return plain[:begin], correction.said, instead, plain[end:]


def _block(
    article: Article, span: tuple[int, int], marks: Mapping[int, Mark]
) -> tuple[bool, list[tuple[str, Mark | None]]]:
    """Return whether a block is a heading, and its pieces: marked sentences, and what stands between two of them."""
    sentences = [one for one in article.sentences if span[0] <= one.start < span[1]]
    pieces: list[tuple[str, Mark | None]] = []
    place = span[0]
    for one in sentences:
        if mark := marks.get(one.number):
            pieces += [(article.text[place : one.start], None), (article.text[one.start : one.end], mark)]
            place = one.end
    pieces.append((article.text[place : span[1]], None))
    return len(sentences) == 1 and sentences[0].kind is Kind.HEADING, pieces


def _excerpt(passage: Passage, quotations: Iterable[str]) -> Excerpt:
    for quotation in quotations:
        words = map(re.escape, quotation.strip(_ENDS).split())
        if match := re.search(r"\s+".join(words), passage.text):
            before, after = passage.text[: match.start()], passage.text[match.end() :]
            return Excerpt(passage.url, _ending(before), match[0], _beginning(after))
    return Excerpt(passage.url, _beginning(passage.text), "", "")


def _beginning(text: str) -> str:
    return text if len(text) <= AROUND else f"{text[:AROUND].rsplit(' ', 1)[0]} …"


def _ending(text: str) -> str:
    return text if len(text) <= AROUND else f"… {text[-AROUND:].split(' ', 1)[-1]}"
