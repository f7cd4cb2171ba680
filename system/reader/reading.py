"""From windows to a verdict: what the pages that were found say of a statement.

A window is up to three sentences of a passage, or a table's row, behind the heading above or the passage's first line,
and behind lines of the document's head with words which it lacks. The encoder and shared words choose eight windows.
A page supports the statement if one does, otherwise refutes it if one does; thresholds are fitted on held-out pages.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby
from operator import attrgetter

import numpy as np

from knowledge_store.dense.encoder import Encoder
from knowledge_store.pages.page import Passage
from knowledge_store.pages.sentences import ENDING
from system.graph.records import Label
from system.reader.base import Reader
from system.text.words import content_stems, coverage, sentences

WINDOWS = 8  # of a statement that are read
SENTENCES = 3  # of a window
CHARACTERS = 900  # of a window, about 200 tokens
QUOTED = 3  # pages whose deciding sentence is looked for
HEADING = 12  # words of a heading, at most
NAMED = 0.5  # share of a statement's words in a document's name, or a line of its head, from which that is not read
_ROW = re.compile(r"[^:]{1,60}: .*?, [^:,]{1,60}: |\D.{1,60} (?!(19|20)\d\d\b)[-−]?\d[\d.,]*%?$")  # "a: 1, b: 2", "a 1"
Cut = Callable[[Passage], Sequence[str]]
SUPPORTED, REFUTED, PAGE = attrgetter("supported"), attrgetter("refuted"), attrgetter("passage.page")


@dataclass(frozen=True)
class Window:
    """Neighbouring sentences of a passage, verbatim, beside a statement."""

    passage: Passage
    sentences: tuple[str, ...]
    above: str = ""  #: the heading, or else the first sentence
    title: str = ""  #: the lines of the document's head, its name first, that have words which it lacks
    sentence: str = ""  #: the one that decides, or the nearest
    nearness: float = 0.0  #: cosine of statement and nearest sentence, plus the share of its words in the window
    supported: float = 0.0  #: the reader's probability
    refuted: float = 0.0  #: the reader's probability

    @property
    def text(self) -> str:
        """The window as it is read."""
        return " ".join(filter(None, (self.title, self.above, *self.sentences)))


@dataclass(frozen=True)
class PageVerdict:
    """What one page says of a statement: the windows that support it most and refute it most, and the nearest one."""

    supporting: Window
    refuting: Window
    nearest: Window

    @property
    def decided(self) -> float:
        """The greater probability of the two sides."""
        return max(self.supporting.supported, self.refuting.refuted)

    def deciding(self, label: Label) -> Window:
        """Return the window that carries a label."""
        return {Label.SUPPORTED: self.supporting, Label.REFUTED: self.refuting}.get(label, self.nearest)


def windows_of(passages: Iterable[Passage], cut: Cut | None = None) -> list[Window]:
    """Return the windows of passages, each once; neighbours overlap by a sentence, and a table's row stands alone."""
    found: dict[tuple[int, tuple[str, ...]], Window] = {}
    for passage in passages:
        lines, start = list(cut(passage) if cut else sentences(passage.text)), 0
        first = "".join(line for line in lines[:1] if len(line) <= CHARACTERS / 4 and not _ROW.match(line))
        headings = [*accumulate((*(() if first else sentences(passage.before)), *lines), _below, initial=first)]
        while start < len(lines):
            above, end = headings[start - len(lines)], start + 1
            most = start + 1 if _ROW.match(lines[start]) else min(len(lines), start + SENTENCES)
            while end < most and not _ROW.match(lines[end]) and sum(map(len, lines[start : end + 1])) <= CHARACTERS:
                end += 1
            chosen = tuple(lines[start:end])
            found.setdefault((passage.page, chosen), Window(passage, chosen, "" if above in chosen else above))
            start = end if end == len(lines) else max(start + 1, end - 1)
    return list(found.values())


def _below(above: str, line: str) -> str:  # what the next lines stand under
    return above if len(line.split()) > HEADING or _ROW.match(line) or ENDING.search(line) else line


def read_pages(
    reader: Reader, encoder: Encoder, statement: str, passages: Iterable[Passage], cut: Cut | None = None
) -> list[PageVerdict]:
    """Read the windows nearest to a statement; return what each page says, the most decided page first.

    The statement stands behind its context in brackets, if it refers to it; ``cut`` gives the sentences to read.
    """
    windows = nearest(encoder, statement, windows_of(passages, cut))
    scores = reader.probabilities([(window.text, statement) for window in windows]).tolist()
    read = [replace(one, supported=said[0], refuted=said[1]) for one, said in zip(windows, scores, strict=True)]
    groups = [list(group) for _, group in groupby(sorted(read, key=PAGE), key=PAGE)]  # in each the nearest comes first
    pages = [PageVerdict(max(group, key=SUPPORTED), max(group, key=REFUTED), group[0]) for group in groups]
    pages.sort(key=lambda page: -page.decided)
    return [_quoted(reader, statement, page) for page in pages[:QUOTED]] + pages[QUOTED:]


def decide(pages: Sequence[PageVerdict], thresholds: tuple[float, float]) -> tuple[Label, float]:
    """Return the label of a statement and its probability; pages that say opposite things conflict."""
    supported = max((page.supporting.supported for page in pages), default=0.0)
    refuted = max((page.refuting.refuted for page in pages), default=0.0)
    # On a page support counts first: a window about something else often seems to contradict, and seldom to support.
    left = [page for page in pages if page.supporting.supported < thresholds[0]]
    refutes = any(page.refuting.refuted >= thresholds[1] for page in left)
    if len(left) < len(pages):
        return (Label.CONFLICTING, min(supported, refuted)) if refutes else (Label.SUPPORTED, supported)
    return (Label.REFUTED, refuted) if refutes else (Label.NOT_ENOUGH_EVIDENCE, 1 - max(supported, refuted))


def nearest(encoder: Encoder, statement: str, windows: Sequence[Window]) -> list[Window]:
    """The windows nearest to a statement, the nearest first."""
    texts = list(dict.fromkeys(sentence for window in windows for sentence in window.sentences))
    vectors = encoder.encode([statement, *texts])
    cosines = dict(zip(texts, (vectors[1:] @ vectors[0]).round(4).tolist(), strict=True))
    wanted, near = content_stems(statement), list[Window]()
    for one in windows:
        lacking, lines = wanted - content_stems(one.text), ((line, content_stems(line)) for line in one.passage.about)
        about = [line for line, stems in lines if lacking & stems and coverage(wanted, stems) < NAMED]
        named = replace(one, title=" ".join(about))
        best = max(one.sentences, key=lambda line: cosines[line] + coverage(wanted, content_stems(line)))
        near.append(replace(named, sentence=best, nearness=cosines[best] + coverage(wanted, content_stems(named.text))))
    return sorted(near, key=lambda window: -window.nearness)[:WINDOWS]


def _quoted(reader: Reader, statement: str, page: PageVerdict) -> PageVerdict:
    """Name the sentence that decides in a sure page's strongest window: it says most alone, and is missed most."""
    refutes = page.supporting.supported < reader.thresholds[0]
    if refutes and page.refuting.refuted < reader.thresholds[1]:
        return page
    window = page.refuting if refutes else page.supporting
    if ENDING.search(window.above):
        window = replace(window, sentences=(window.above, *window.sentences), above="")
    lines = window.sentences
    if len(lines) > 1:
        rests = [replace(window, sentences=(*lines[:place], *lines[place + 1 :])).text for place in range(len(lines))]
        said = reader.probabilities([(text, statement) for text in (*lines, *rests)])[:, int(refutes)]
        shared = np.array([coverage(content_stems(statement), content_stems(one)) for one in lines])
        window = replace(window, sentence=lines[int(np.argmax(said[: len(lines)] - said[len(lines) :] + shared / 2))])
    return replace(page, refuting=window) if refutes else replace(page, supporting=window)
