"""An archive searched by words and by meaning at once.

SQLite keeps the vectors in half precision. FAISS finds the nearest ones by products of 8 bits, in an index that each
process makes of them. Exact cosines rank them. The pages that FTS5 ranks highest and those of the nearest passages are
fused by reciprocal rank (Cormack et al., 2009). Example:
``add_vectors(archive, encoder, settings)``, then ``OpenBookSearch(book, settings, encoder.dimension).find(…)``.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from functools import lru_cache
from math import inf
from pathlib import Path
from secrets import token_hex
from time import monotonic
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from knowledge_store.bm25.passages import Candidates, batches, passages_of
from knowledge_store.dense.encoder import Encoder, Vectors
from knowledge_store.pages.filters import admitted
from knowledge_store.pages.page import Flaw, Flaws, Page, Passage
from knowledge_store.progress import progress_bar
from knowledge_store.ranking import OpenBook
from knowledge_store.searchers import SearchError
from knowledge_store.searchers.archive import Archive
from knowledge_store.settings import SEARCH_RESULTS, RetrievalSettings

DEPTH = 100  # pages of either ranking that are fused
NEAREST = 4 * DEPTH  # passages that FAISS finds, from several of which may be of one page
SMOOTHING = 60  # the constant of reciprocal rank fusion, its authors' own
PAGES = 128  # embedded and written in one transaction: lost if indexing is stopped
SAMPLE = 10_000  # vectors that ranges of 8 bits are learned from
CHUNK = 50_000  # vectors read at a time

_PENDING = "NOT EXISTS (SELECT 1 FROM vectors WHERE page = pages.id)"

Kind = tuple[Any, ...]
"""Of vectors: the encoder's name, their dimension, and the size and overlap of passages, in characters."""

Left = Callable[[], float]
"""Seconds, from when it is called, that a search may take."""

log = logging.getLogger(__name__)


def add_vectors(archive: Archive, encoder: Encoder, settings: RetrievalSettings) -> int:
    """Embed the passages of pages without vectors; returns the number of passages embedded."""
    _faiss()  # which searching will need
    _register(archive, _kind(settings, encoder.dimension))
    count = 0
    with archive.connected() as connection:
        pending = connection.execute(f"SELECT id, sha256 FROM pages WHERE {_PENDING} ORDER BY id").fetchall()
    with progress_bar(total=len(pending), desc="vectors", unit="page", leave=False, disable=None) as bar:
        for begin in range(0, len(pending), PAGES):
            rows = dict(pending[begin : begin + PAGES])
            passages = [one for page in archive.pages(rows) for one in passages_of(page, settings)]
            vectors = encoder.encode([passage.text for passage in passages]).astype("<f2")
            with archive.connected(writing=True) as connection:
                unchanged = f"SELECT 1 FROM pages WHERE id = ? AND sha256 = ? AND {_PENDING}"  # by another program
                kept = {row for row, digest in rows.items() if connection.execute(unchanged, (row, digest)).fetchone()}
                stored = zip(passages, vectors, strict=True)
                values = [(one.page, one.start, vector.tobytes()) for one, vector in stored if one.page in kept]
                connection.executemany("INSERT INTO vectors (page, start, vector) VALUES (?, ?, ?)", values)
            count += len(values)
            bar.update(len(rows))
    return count


def _register(archive: Archive, wanted: Kind) -> None:
    """Note the encoder of the vectors, or check that those of the archive are of the same."""
    with archive.connected(writing=True) as connection:
        note = "INSERT INTO encoder SELECT ?, ?, ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM encoder)"
        connection.execute(note, (*wanted, token_hex(4)))
    if (kind := _encoder(archive)[0]) != wanted:
        raise SearchError(
            f"{archive.path}: expected vectors of {_described(wanted)}, has those of {_described(kind)}; "
            "give that encoder, or index into a new archive"
        )


def _kind(settings: RetrievalSettings, dimension: int) -> Kind:
    return settings.encoder, dimension, settings.chunk_size, settings.chunk_overlap


def _described(kind: Kind) -> str:
    return "{} ({} numbers, passages of {} characters that share {})".format(*kind)


def _encoder(archive: Archive) -> tuple[Kind, str]:
    """The kind of an archive's vectors, and the token of its index; both empty if it has none."""
    with archive.connected() as connection:
        *kind, token = connection.execute("SELECT * FROM encoder").fetchone() or ("",)
    return tuple(kind), token


def encoder_of(archive: Archive) -> str:
    """Name of the encoder of an archive's vectors, or empty."""
    return "".join(_encoder(archive)[0][:1])


@lru_cache(maxsize=64)
def _warn_once(message: str) -> None:
    log.warning("%s", message)


class OpenBookSearch:
    """Searches an archive for each question about a claim (the open-book setting of CARP, section 4).

    It searches by words, and by meaning if the archive has vectors of this encoder. Threads may share it.
    """

    def __init__(self, book: OpenBook, settings: RetrievalSettings, dimension: int, left: Left = lambda: inf) -> None:
        self.flaws, self.claim = Flaws(), book.claim
        self._book, self._settings, self._left = book, settings, left
        self._dimension, self._kind = dimension, _kind(settings, dimension)

    def passages(self, query: str, vector: Vectors) -> tuple[Passage, ...]:
        """The passages of the pages found for a query that BM25 ranks highest for it; none if the search fails."""
        book, settings = self._book, self._settings
        pages: list[Page] = []
        try:
            pages = self.find(query, vector)
        except SearchError as error:
            self._count(error)
        numbered = (replace(page, number=book.first + page.number) for page in pages)
        candidates = Candidates([query], settings)
        for batch in batches(admitted(numbered, book.day, settings, self.flaws)):
            candidates.add(batch)
        return candidates.best(query, settings.dense_candidates)

    def find(self, query: str, vector: Vectors, limit: int = SEARCH_RESULTS) -> list[Page]:
        """The pages that bear on a query, whose vector is (dimension,); none that the settings call later."""
        archive, token = self._open()
        day = None if self._settings.later_pages else self._book.day
        rankings = [archive.by_words(query, day, DEPTH)]
        try:
            if token:
                rankings.append(_by_meaning(archive, token, vector, day))
        except SearchError as error:
            _warn_once(f"{archive.path}: searched by words alone; {error}")
        return archive.pages(fused(rankings)[:limit])

    def vectors(self, passages: Sequence[Passage]) -> dict[tuple[int, int], Vectors]:
        """The vectors that the archive has of passages, by their keys, so that they need not be embedded again."""
        first = self._book.first
        pages = sorted({passage.page - first for passage in passages if passage.page >= first})
        try:
            archive, token = self._open()
            keys, vectors = _stored(archive, "page", pages if token else (), self._dimension)
        except SearchError as error:
            self._count(error)
            return {}
        return {(first + page, start): vector for (_, page, start), vector in zip(keys.tolist(), vectors, strict=True)}

    def _open(self) -> tuple[Archive, str]:
        """The archive, and the token of its vectors; empty if it has none of this encoder."""
        archive = Archive.open(self._book.archive, monotonic() + self._left())
        kind, token = _encoder(archive)
        if kind in ((), self._kind):
            return archive, token
        its, ours = _described(kind), _described(self._kind)
        _warn_once(f"{archive.path}: searched by words alone; its vectors are of {its}, not {ours}")
        return archive, ""

    def _count(self, error: SearchError) -> None:
        self.flaws[Flaw.SEARCH_FAILED] += 1
        log.warning("%s", error)


def _by_meaning(archive: Archive, token: str, vector: Vectors, day: date | None) -> list[int]:
    """Rows of the pages with the passages nearest to a vector, best first."""
    with archive.connected() as connection:
        (last,) = connection.execute("SELECT max(id) FROM vectors").fetchone()
    if not last:
        return []
    index = _index(archive.path, token, last, len(vector))
    query = np.ascontiguousarray(vector[None], dtype=np.float32)
    ids = index.search(query, min(NEAREST, index.ntotal))[1][0]
    keys, vectors = _stored(archive, "id", ids.tolist(), len(vector), day)
    pages = keys[np.argsort(-(vectors @ vector), kind="stable"), 1]
    return list(dict.fromkeys(pages.tolist()))[:DEPTH]


def _stored(
    archive: Archive, column: str, numbers: Sequence[int], dimension: int, day: date | None = None
) -> tuple[NDArray[np.int64], Vectors]:
    """The vectors whose id or page is among numbers, of pages not published after a day.

    Returns (n, 3) id, page and first character of each passage, and (n, dimension) its vector.
    """
    with archive.connected() as connection:
        rows = connection.execute(
            "SELECT vectors.id, page, start, vector FROM json_each(?) AS wanted"
            f" CROSS JOIN vectors ON vectors.{column} = wanted.value JOIN pages ON pages.id = page"
            " WHERE published IS NULL OR published <= ?",
            (orjson.dumps([*numbers]).decode(), (day or date.max).isoformat()),
        ).fetchall()
        vectors = np.frombuffer(b"".join(row[3] for row in rows), dtype="<f2").reshape(len(rows), dimension)
        return np.array([row[:3] for row in rows], dtype=np.int64).reshape(-1, 3), vectors.astype(np.float32)


@lru_cache(maxsize=4)
def _index(path: Path, token: str, last: int, dimension: int) -> Any:
    """The index of the vectors up to an id, made once in a process; the token is that of the archive."""
    faiss = _faiss()
    index = faiss.index_factory(dimension, "SQ8,IDMap2", faiss.METRIC_INNER_PRODUCT)
    archive = Archive(path)
    with archive.connected() as connection:
        ids = np.fromiter((row for (row,) in connection.execute("SELECT id FROM vectors")), dtype=np.int64)
        sample = np.sort(np.random.default_rng(1).choice(ids, min(len(ids), SAMPLE), replace=False))
        index.train(_stored(archive, "id", sample.tolist(), dimension)[1])
        for begin in range(0, len(ids), CHUNK):
            keys, vectors = _stored(archive, "id", ids[begin : begin + CHUNK].tolist(), dimension)
            index.add_with_ids(vectors, np.ascontiguousarray(keys[:, 0]))
    return index


def _faiss() -> Any:
    try:
        import faiss
    except ImportError as error:
        raise SearchError("searching by vectors needs FAISS; install it with: pip install '.[archive]'") from error
    return faiss


def fused(rankings: Sequence[Sequence[int]]) -> list[int]:
    """Rankings as one, by the sum of reciprocal ranks; equals keep the order in which they are met.

    >>> fused([[1, 2, 3], [3, 4]])
    [3, 1, 2, 4]
    """
    scores: dict[int, float] = {}
    for ranking in rankings:
        for rank, item in enumerate(ranking, 1):
            scores[item] = scores.get(item, 0.0) + 1 / (SMOOTHING + rank)
    return sorted(scores, key=lambda item: -scores[item])
