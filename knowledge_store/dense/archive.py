"""An archive searched by words and by meaning at once.

The pages that FTS5 ranks highest and those whose passages are nearest to the query are fused by reciprocal rank
(Cormack et al., 2009). FAISS chooses the nearest passages by products of 8 bits; their exact cosines then rank them.
"""

import logging
from collections.abc import Iterator, Sequence
from datetime import date
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from secrets import token_hex

import numpy as np

from knowledge_store.bm25.passages import passages_of
from knowledge_store.dense.encoder import Encoder, Vectors
from knowledge_store.dense.vectors import SCHEMA, VectorIndex, packed, stored
from knowledge_store.pages.page import Flaws, Page, Passage
from knowledge_store.progress import progress_bar
from knowledge_store.searchers import SearchError
from knowledge_store.searchers.archive import SPARE, Archive
from knowledge_store.settings import RetrievalSettings

DEPTH = 100  # pages of either ranking that are fused
SMOOTHING = 60  # the constant of reciprocal rank fusion, its authors' own
PAGES = 128  # embedded and written in one transaction: what is lost when indexing is stopped

log = logging.getLogger(__name__)


def add_vectors(archive: Archive, encoder: Encoder, settings: RetrievalSettings, flaws: Flaws) -> int:
    """Embed the passages of all pages that have no vectors yet, and make the index.

    Stopped at any moment, it goes on there when it is called again.

    Args:
        flaws: counts pages that cannot be read; they are left out.

    Returns:
        Number of passages embedded.

    Raises:
        SearchError: the archive cannot be written or has vectors of another encoder, or FAISS is not installed.
    """
    index = VectorIndex(archive.path, _registered(archive, encoder.dimension, settings), encoder.dimension)
    count = 0
    with archive.connected() as connection:
        (pending,) = connection.execute(f"SELECT count(*) FROM pages WHERE {_PENDING}").fetchone()
    with progress_bar(total=pending, desc="vectors", unit="page", leave=False, disable=None) as bar:
        for rows in _pending(archive):
            passages = [one for page in archive.pages(rows, flaws) for one in passages_of(page, settings)]
            vectors = encoder.encode([passage.text for passage in passages])
            count += _keep(archive, rows, passages, vectors)
            bar.update(len(rows))
    with archive.connected() as connection:
        index.compared(connection)
    return count


_PENDING = "NOT EXISTS (SELECT 1 FROM vectors WHERE page = pages.id)"


def _registered(archive: Archive, dimension: int, settings: RetrievalSettings) -> str:
    """Make the tables, or check that what they hold is of this encoder; the token of the index."""
    wanted = (settings.encoder, dimension, settings.chunk_size, settings.chunk_overlap)
    with archive.connected(writing=True) as connection:
        for statement in SCHEMA:
            connection.execute(statement)
        row = connection.execute("SELECT name, dimension, size, overlap, token FROM encoder").fetchone()
        if row is None:
            row = (*wanted, token_hex(4))
            connection.execute("INSERT INTO encoder VALUES (?, ?, ?, ?, ?)", row)
    if row[:4] != wanted:
        raise SearchError(
            f"{archive.path}: expected vectors of {_described(*wanted)}, has those of {_described(*row[:4])}; "
            "give that encoder, or index into a new archive"
        )
    return str(row[4])


def _described(name: str, dimension: int, size: int, overlap: int) -> str:
    return f"{name} ({dimension} numbers, passages of {size} characters that share {overlap})"


def _pending(archive: Archive) -> Iterator[dict[int, bytes]]:
    """Yield rows of pages without vectors, each with the digest of its text, some at a time."""
    last = 0
    while True:
        with archive.connected() as connection:
            rows = dict(
                connection.execute(
                    f"SELECT id, sha256 FROM pages WHERE id > ? AND {_PENDING} ORDER BY id LIMIT ?", (last, PAGES)
                )
            )
        if not rows:
            return
        yield rows
        last = max(rows)


def _keep(archive: Archive, rows: dict[int, bytes], passages: Sequence[Passage], vectors: Vectors) -> int:
    """Write the vectors of pages that another program has neither changed nor embedded in the meantime."""
    with archive.connected(writing=True) as connection:
        unchanged = f"SELECT 1 FROM pages WHERE id = ? AND sha256 = ? AND {_PENDING}"
        kept = {row for row, digest in rows.items() if connection.execute(unchanged, (row, digest)).fetchone()}
        values = [
            (passage.page, passage.start, packed(vector))
            for passage, vector in zip(passages, vectors, strict=True)
            if passage.page in kept
        ]
        connection.executemany("INSERT INTO vectors (page, start, vector) VALUES (?, ?, ?)", values)
    return len(values)


def encoder_of(archive: Archive) -> str:
    """Name of the encoder of an archive's vectors, or empty."""
    row = _row(archive)
    return str(row[0]) if row else ""


def _row(archive: Archive) -> tuple[str, int, int, int, str] | None:
    """Encoder, dimension, length and overlap of passages, token of the index; None where there are no vectors."""
    with archive.connected() as connection:
        if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'encoder'").fetchone():
            return None
        row: tuple[str, int, int, int, str] | None = connection.execute(
            "SELECT name, dimension, size, overlap, token FROM encoder"
        ).fetchone()
        return row


@lru_cache(maxsize=4)
def _index(path: Path, token: str, dimension: int) -> VectorIndex:
    """An index, loaded once in a process."""
    return VectorIndex(path, token, dimension)


@lru_cache(maxsize=64)
def _warn_once(message: str) -> None:
    log.warning("%s", message)


class FusedArchive:
    """An archive that is searched by meaning too, where it has vectors of the encoder that asks. Threads may share it.

    Raises:
        SearchError: the archive cannot be read.
    """

    def __init__(self, archive: Archive, settings: RetrievalSettings, dimension: int) -> None:
        self._archive = archive
        self._dimension = dimension
        self._index: VectorIndex | None = None
        self._cut_alike = False
        row = _row(archive)
        if row and (row[0], row[1]) != (settings.encoder, dimension):
            _warn_once(f"{archive.path}: searched by words alone; its vectors are of {row[0]}, not {settings.encoder}")
        elif row:
            self._cut_alike = row[2:4] == (settings.chunk_size, settings.chunk_overlap)
            try:
                self._index = _index(archive.path, row[4], dimension)
            except SearchError as error:
                _warn_once(f"{archive.path}: searched by words alone; {error}")

    def find(self, query: str, vector: Vectors, day: date | None, limit: int, flaws: Flaws) -> list[Page]:
        """The pages that bear on a query, best first; see ``Searcher.search``.

        Either way of searching fails alone, with a warning.

        Args:
            vector: of the query, (dimension,), of length 1.

        Raises:
            SearchError: neither the words nor the vectors can be read.
        """
        ways = [partial(self._archive.by_words, query, day, DEPTH)]
        if self._index:
            ways.append(partial(self._by_meaning, self._index, vector, day, limit + SPARE))
        rankings: list[list[int]] = []
        errors: list[SearchError] = []
        for way in ways:
            try:
                rankings.append(way())
            except SearchError as error:
                errors.append(error)
        if not rankings:
            raise errors[0]
        for failed in errors:
            log.warning("%s", failed)
        return list(islice(self._archive.pages(fused(rankings), flaws), limit))

    def _by_meaning(self, index: VectorIndex, vector: Vectors, day: date | None, limit: int) -> list[int]:
        """Rows of the pages with the nearest passages, best first; more passages are asked for until they suffice."""
        wanted = DEPTH
        patient = Archive(self._archive.path)  # an index that is made again serves whoever asks next, in time or not
        while True:
            with patient.connected() as connection:
                ids = index.nearest(connection, vector, wanted)
                keys, vectors = stored(connection, "id", ids, self._dimension)
            pages = keys[np.argsort(-(vectors @ vector), kind="stable"), 1]
            rows = self._archive.not_later(list(dict.fromkeys(pages.tolist())), day)
            if len(rows) >= limit or len(ids) < wanted:
                return rows[:DEPTH]
            wanted *= 4

    def vectors(self, pages: Sequence[int]) -> dict[tuple[int, int], Vectors]:
        """The vectors that the archive has of passages, by their page's row and their first character."""
        if not (self._index and self._cut_alike):
            return {}
        with self._archive.connected() as connection:
            keys, vectors = stored(connection, "page", pages, self._dimension)
        return {(page, start): vector for (_, page, start), vector in zip(keys.tolist(), vectors, strict=True)}


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
