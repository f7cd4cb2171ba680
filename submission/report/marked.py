"""The page of a text whose sentences are marked by what was found of them, with the reasons beside them."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from knowledge_store.pages.page import Passage, source_name
from submission.report.page import filled
from system.article.records import Article, Kind
from system.graph.records import ClaimResult, Correction

STYLES = ("page.css", "claims.css", "marked.css", "print.css")
PASSAGES = 2  # limit of a reason's that are shown
AROUND = 320  # characters of a passage before and after what is quoted
SIGNS = {"supported": "✓", "refuted": "✗", "not-enough": "?", "conflicting": "≠", "unread": "!"}
"""By the class that colors them; with the style of the underline, for who sees no colors."""
_QUOTATION = re.compile(r"“([^“”]{12,})”")
_ENDS = " .,;:!?…"


@dataclass(frozen=True)
class Excerpt:
    """A passage, cut at what is quoted of it; ``quoted`` is empty where nothing is."""

    address: str
    before: str
    quoted: str
    after: str

    @property
    def name(self) -> str:
        """The address, as people read it."""
        return source_name(self.address)


@dataclass(frozen=True)
class Reason:
    """The finding on a sentence.

    Attributes:
        style: the class that colors it; one of ``SIGNS``.
        heading: of what it is the verdict, where a sentence has several; empty elsewhere.
        sure: confidence in [0, 1], or None.
        corrected: the corrected claim in four pieces: before, the words that are wrong, those in their place, after.
    """

    style: str
    label: str
    text: str
    heading: str = ""
    sure: float | None = None
    corrected: tuple[str, str, str, str] | None = None
    excerpts: tuple[Excerpt, ...] = ()


@dataclass(frozen=True)
class Mark:
    """A sentence that is marked; the first of its reasons colors it.

    Attributes:
        context: the sentences before it that it was read with; empty if it stands alone.
    """

    number: int
    text: str
    context: str
    reasons: tuple[Reason, ...]

    @property
    def style(self) -> str:
        """The class that colors the sentence."""
        return self.reasons[0].style

    @property
    def label(self) -> str:
        """The verdict in words."""
        return self.reasons[0].label


@dataclass(frozen=True)
class Part:
    """A piece of a text: a sentence that is marked, or what stands between two of them."""

    text: str
    mark: Mark | None = None


@dataclass(frozen=True)
class Block:
    """A paragraph or heading of a text."""

    heading: bool
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Count:
    """How often a verdict occurs."""

    style: str
    label: str
    number: int


def marked_page(
    article: Article,
    marks: Sequence[Mark],
    counts: Iterable[Count],
    *,
    kicker: str,
    headline: str,
    summary: str,
    unmarked: str,
) -> str:
    """A text with marks as an HTML page that opens from disk and fetches nothing.

    Args:
        kicker: what kind of page it is.
        headline: the figure that comes first.
        summary: what the figure says.
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
        counts=list(counts),
        blocks=[_block(article, span, by_number) for span in article.blocks],
        marks=marks,
        signs=SIGNS,
    )


def excerpts(result: ClaimResult) -> tuple[Excerpt, ...]:
    """The passages that the verdict or the correction of a result quotes; the nearest where it quotes none."""
    quotations = [result.correction.quotation] if result.correction else []
    quotations += [match[1] for match in _QUOTATION.finditer(result.verdict.justification)]
    passages = {one.key: one for pair in result.pairs for one in pair.passages}
    found = [_excerpt(passage, quotations) for passage in passages.values()]
    return tuple([one for one in found if one.quoted] or found)[:PASSAGES]


def reason(result: ClaimResult, style: str, label: str, heading: str = "") -> Reason:
    """The findings of a check, as the page shows them."""
    verdict, failed = result.verdict, any(failure.unanswered for failure in result.failures)
    why = [failure.message for failure in result.failures if failure.unanswered]
    return Reason(
        style=style,
        label=label,
        text=" ".join([verdict.justification, *why]),
        heading=heading,
        sure=None if failed else verdict.confidence,
        corrected=_corrected(result.claim.text, result.correction) if result.correction else None,
        excerpts=excerpts(result),
    )


def _corrected(claim: str, correction: Correction) -> tuple[str, str, str, str]:
    plain = " ".join(claim.split())
    begin = plain.index(correction.said)
    end = begin + len(correction.said)
    instead = correction.text[begin : len(correction.text) - len(plain) + end]
    return plain[:begin], correction.said, instead, plain[end:]


def _block(article: Article, span: tuple[int, int], marks: Mapping[int, Mark]) -> Block:
    sentences = [one for one in article.sentences if span[0] <= one.start < span[1]]
    heading = len(sentences) == 1 and sentences[0].kind is Kind.HEADING
    spans = [(one.start, one.end, marks[one.number]) for one in sentences if one.number in marks]
    return Block(heading, tuple(_parts(article.text, span, spans)))


def _parts(text: str, span: tuple[int, int], spans: Iterable[tuple[int, int, Mark]]) -> Iterator[Part]:
    place = span[0]
    for start, end, mark in spans:
        yield Part(text[place:start])
        yield Part(text[start:end], mark)
        place = end
    yield Part(text[place : span[1]])


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
