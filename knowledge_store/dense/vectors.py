"""The vectors of an archive: kept in SQLite, beside its pages, and searched by FAISS.

SQLite is the truth. The FAISS index is a file beside the archive that may be deleted at any time. What it lacks is
known by the ids, which are SQLite's own and never used twice, and added before the next search.
"""

import logging
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path
from threading import Lock
from types import ModuleType
from typing import Any, Literal

import numpy as np
import orjson
from numpy.typing import NDArray

from knowledge_store.dense.encoder import Vectors
from knowledge_store.searchers import SearchError
from knowledge_store.searchers.archive import TRIGGER

FLAT = 1_000_000  # vectors up to which all are compared: half a second on a core; beyond, an inverted file
SMALL = 10_000  # vectors from which the ranges of 8 bits are learned well enough to stay
SAMPLE = 50  # vectors a list that the lists of an inverted file are learned from
PROBED = 1 / 32  # share of the lists that is searched
MOST = 2048  # vectors that FAISS finds at a time on a GPU
CHUNK = 50_000  # vectors read at a time

Ids = NDArray[np.int64]

# An id is never used twice, so it means the same vector for ever. A page that changes loses its vectors.
SCHEMA = (
    "CREATE TABLE IF NOT EXISTS encoder (name TEXT NOT NULL, dimension INTEGER NOT NULL, size INTEGER NOT NULL,"
    " overlap INTEGER NOT NULL, token TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS vectors (id INTEGER PRIMARY KEY AUTOINCREMENT, page INTEGER NOT NULL,"
    " start INTEGER NOT NULL, vector BLOB NOT NULL)",
    "CREATE INDEX IF NOT EXISTS vectors_of_page ON vectors (page)",
    f"CREATE TRIGGER IF NOT EXISTS {TRIGGER}",
)

_READING = Lock()  # an index: what bounds it bounds the whole process

log = logging.getLogger(__name__)


def packed(vector: Vectors) -> bytes:
    """A vector as SQLite keeps it: in half precision, which leaves a cosine four digits."""
    return vector.astype("<f2").tobytes()


def stored(
    connection: sqlite3.Connection, column: Literal["id", "page"], numbers: Sequence[int], dimension: int
) -> tuple[Ids, Vectors]:
    """The vectors whose id or page is among numbers, in the order of the numbers.

    Those that cannot be read are counted in a warning and left out.

    Returns:
        (n, 3) id, row of the page and first character of each passage; (n, dimension) its vector.
    """
    query = (
        "SELECT vectors.id, page, start, vector FROM json_each(?) AS wanted"
        f" CROSS JOIN vectors ON vectors.{column} = wanted.value"
    )
    rows = connection.execute(query, (orjson.dumps([*numbers]).decode(),)).fetchall()
    whole = [row for row in rows if isinstance(row[3], bytes) and len(row[3]) == 2 * dimension]
    vectors = np.frombuffer(b"".join(row[3] for row in whole), dtype="<f2").reshape(-1, dimension).astype(np.float32)
    sound = np.isfinite(vectors).all(axis=1) & (np.abs(vectors) <= 1.01).all(axis=1)
    if left := len(rows) - int(sound.sum()):
        log.warning("%d vectors of the archive skipped, they cannot be read", left)
    keys = np.array([row[:3] for row in whole], dtype=np.int64).reshape(-1, 3)
    return keys[sound], vectors[sound]


class VectorIndex:
    """The vectors nearest to another. Threads may share it.

    Args:
        archive: file of the archive.
        token: tells this archive's index from that of another archive of the same name.

    Raises:
        SearchError: FAISS is not installed.
    """

    def __init__(self, archive: Path, token: str, dimension: int) -> None:
        self._faiss = _faiss()
        self._file = archive.with_name(f"{archive.name}.{token}.faiss")
        self._dimension = dimension
        self._index: Any = None
        self._state = -1  # the last id that SQLite gave when the index was last compared
        self._lock = Lock()

    def nearest(self, connection: sqlite3.Connection, vector: Vectors, limit: int) -> list[int]:
        """Ids of the nearest vectors, best first, by products of 8 bits.

        Args:
            vector: (dimension,), of length 1.

        Raises:
            SearchError: FAISS cannot search.
        """
        index = self.compared(connection)
        if index is None:
            return []
        query, limit = np.ascontiguousarray(vector[None], dtype=np.float32), min(limit, index.ntotal, MOST)
        try:
            _, ids = index.search(query, limit)
        except (RuntimeError, MemoryError) as error:
            raise SearchError(f"{self._file}: cannot search ({error}); delete it, it is made again") from error
        return [int(number) for number in ids[0] if number >= 0]

    def compared(self, connection: sqlite3.Connection) -> Any:
        """The index, made equal to what SQLite holds; None where that is nothing."""
        (state,) = connection.execute("SELECT coalesce(max(seq), 0) FROM sqlite_sequence").fetchone()
        with self._lock:
            if state != self._state:
                self._index, self._state = _on_gpu(self._faiss, self._mended(connection)), state
            return self._index

    def _mended(self, connection: sqlite3.Connection) -> Any:
        wanted = np.fromiter((row for (row,) in connection.execute("SELECT id FROM vectors")), dtype=np.int64)
        if not wanted.size:
            return None
        index = self._read(self._faiss.IO_FLAG_MMAP)
        held = self._ids(index)
        new = np.setdiff1d(wanted, held)
        if index is not None and not new.size:  # those that SQLite no longer has are passed over when they are found
            return index
        if self._keeps(index, len(wanted), len(new)):
            index = self._read()
            index.remove_ids(np.setdiff1d(held, wanted))
        else:
            index, new = self._trained(connection, wanted), wanted
        for ids, vectors in self._vectors(connection, new):
            index.add_with_ids(vectors, ids)
        return self._written(index)

    def _keeps(self, index: Any, total: int, new: int) -> bool:
        """Whether vectors can be added to an index, rather than all to a new one that has learned from them."""
        if index is None or index.ntotal < max(new, SMALL):
            return False
        lists = getattr(self._faiss.downcast_index(index), "nlist", 0)
        return bool(_lists(total) <= 2 * lists) if total > FLAT else not lists

    def _trained(self, connection: sqlite3.Connection, ids: Ids) -> Any:
        lists = _lists(len(ids)) if len(ids) > FLAT else 0
        kind = f"IVF{lists},SQ8" if lists else "SQ8,IDMap2"
        index = self._faiss.index_factory(self._dimension, kind, self._faiss.METRIC_INNER_PRODUCT)
        size = min(len(ids), max(SMALL, SAMPLE * lists))
        sample = np.sort(np.random.default_rng(1).choice(ids, size, replace=False))
        index.train(np.concatenate([vectors for _, vectors in self._vectors(connection, sample)]))
        if lists:
            index.nprobe = max(1, int(lists * PROBED))
        return index

    def _vectors(self, connection: sqlite3.Connection, ids: Ids) -> Iterator[tuple[Ids, Vectors]]:
        for begin in range(0, len(ids), CHUNK):
            keys, vectors = stored(connection, "id", ids[begin : begin + CHUNK].tolist(), self._dimension)
            yield np.ascontiguousarray(keys[:, 0]), vectors

    def _read(self, flags: int = 0) -> Any:
        """The index from its file; None where that is missing or damaged."""
        if not self._file.is_file():
            return None
        try:
            with _bounded(self._faiss, self._file.stat().st_size):
                index = self._faiss.read_index(str(self._file), flags)
            if index.d == self._dimension and isinstance(index, (self._faiss.IndexIDMap2, self._faiss.IndexIVF)):
                return index
            reason = f"expected {self._dimension} numbers a vector, got {index.d}"
        except (OSError, RuntimeError, MemoryError) as error:
            reason = str(error).strip().rpartition("\n")[2]
        log.warning("%s: the index cannot be read (%s); it is made again", self._file, reason)
        return None

    def _written(self, index: Any) -> Any:
        """The index, kept in its file whole or not at all; a large one then stays there, mapped into memory."""
        partial = self._file.with_name(f".{self._file.name}.partial")
        try:
            with partial.open("ab") as file:
                flock(file, LOCK_EX | LOCK_NB)  # or another program is writing the same
                self._faiss.write_index(index, str(partial))
                partial.replace(self._file)
        except BlockingIOError:
            return index
        except (OSError, RuntimeError) as error:
            partial.unlink(missing_ok=True)
            log.warning("%s: the index is not kept (%s); the next search makes it again", self._file, error)
            return index
        return self._read(self._faiss.IO_FLAG_MMAP) if index.ntotal > FLAT else index

    def _ids(self, index: Any) -> Ids:
        if index is None:
            return np.empty(0, dtype=np.int64)
        if hasattr(index, "id_map"):
            return np.asarray(self._faiss.vector_to_array(index.id_map), dtype=np.int64)
        lists = index.invlists
        parts = [
            self._faiss.rev_swig_ptr(lists.get_ids(number), lists.list_size(number)).copy()
            for number in range(lists.nlist)
            if lists.list_size(number)
        ]
        return np.concatenate([np.empty(0, dtype=np.int64), *parts])


@contextmanager
def _bounded(faiss: ModuleType, size: int) -> Iterator[None]:
    """Have FAISS refuse to read a list that is longer than its file, rather than fill as much memory for it."""
    if not hasattr(faiss, "set_deserialization_vector_byte_limit"):  # before FAISS 1.14
        yield
        return
    with _READING:
        before = faiss.get_deserialization_vector_byte_limit()
        faiss.set_deserialization_vector_byte_limit(size)
        try:
            yield
        finally:
            faiss.set_deserialization_vector_byte_limit(before)


def _lists(vectors: int) -> int:
    """Lists of an inverted file."""
    return int(2 * vectors**0.5)


def _on_gpu(faiss: ModuleType, index: Any) -> Any:
    """The index on the first GPU, where faiss-gpu is installed and has the kind: not the flat one of 8 bits."""
    if index is None or hasattr(index, "id_map") or not faiss.get_num_gpus():
        return index
    return faiss.index_cpu_to_gpu(faiss.StandardGpuResources(), 0, index)


def _faiss() -> ModuleType:
    try:
        import faiss
    except ImportError as error:
        raise SearchError("searching by vectors needs FAISS; run 'pip install faiss-cpu' (or faiss-gpu)") from error
    return faiss
