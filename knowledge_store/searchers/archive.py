"""An archive of one's own pages in one SQLite file, with a full-text index (FTS5), for millions of pages.

Indexing the same sources again adds what is new and replaces what has changed. Several programs may index at once.
``dense.archive`` fills the tables of vectors. Example: ``Archive(Path("a.sqlite")).add(pages)``, then ``search(…)``.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import date
from hashlib import sha256
from itertools import islice
from math import inf
from pathlib import Path
from time import monotonic

from knowledge_store.pages.page import Flaws, Page
from knowledge_store.searchers import SearchError
from knowledge_store.tokenization import tokenize

VERSION = 3
BATCH = 1000  # pages written in one transaction: lost if indexing is stopped, and held in memory
MAX_WORDS = 16  # of a query, the rarest of the archive
COMMON = 0.5  # share of pages from which a word says nothing
MANY = 10_000  # pages with a word that are still ranked quickly
FREQUENT = 0.1  # share of pages from which a word of more pages than that is not worth its time
WAIT = 30.0  # seconds for another program that is writing
LOOK = 100_000  # steps of SQLite, some milliseconds, between looks at the time
_BETWEEN = "\x1e"  # sentences
_MAGIC = b"SQLite format 3\0"
_DAMAGED = "; the file is damaged or no archive: index the sources into a new one"
_FULL = "; what was indexed before is kept: make room, and give the same command again"
_REMEDIES = {
    sqlite3.SQLITE_INTERRUPT: "; the time ran out",
    sqlite3.SQLITE_BUSY: f"; another program has been writing to it for {WAIT:g} s: try again when that has finished",
    sqlite3.SQLITE_FULL: _FULL,
    sqlite3.SQLITE_IOERR: _FULL,
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: _DAMAGED,
}
_MAKE = "make one with 'python -m knowledge_store index SOURCE --output FILE.sqlite'"

# The words are ours (numbers without commas, each character of scripts without spaces); FTS5 only keeps them apart. The
# id of a vector is never used twice, so it means the same vector for ever.
SCHEMA = (
    "CREATE TABLE pages (id INTEGER PRIMARY KEY, url TEXT UNIQUE NOT NULL, published TEXT, sha256 BLOB NOT NULL,"
    " text TEXT NOT NULL)",
    "CREATE VIRTUAL TABLE words USING fts5(text, content='',"
    " tokenize=\"unicode61 remove_diacritics 0 categories 'L* N* M* Co' tokenchars '.%'\")",
    "CREATE VIRTUAL TABLE vocabulary USING fts5vocab('words', 'row')",
    "CREATE TABLE encoder (name TEXT NOT NULL, dimension INTEGER NOT NULL, size INTEGER NOT NULL,"
    " overlap INTEGER NOT NULL, token TEXT NOT NULL)",
    "CREATE TABLE vectors (id INTEGER PRIMARY KEY AUTOINCREMENT, page INTEGER NOT NULL, start INTEGER NOT NULL,"
    " vector BLOB NOT NULL)",
    "CREATE INDEX vectors_of_page ON vectors (page)",
    f"PRAGMA user_version = {VERSION}",
)


def is_archive(path: Path) -> bool:
    """Whether a file is an archive rather than a store: a database of SQLite."""
    with suppress(OSError), path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC
    return False


class Archive:
    """Pages to search; the number of a page is its row. Threads may share it; its errors are ``SearchError``.

    Reading and writing are interrupted at the time ``until`` on the clock of ``monotonic()``.
    """

    def __init__(self, path: Path, until: float = inf) -> None:
        self.path = path
        self._until = until

    @classmethod
    def open(cls, path: Path, until: float = inf) -> "Archive":
        """An archive that exists; raises a ``SearchError`` for a missing or another file."""
        if not path.is_file():
            raise SearchError(f"archive {path} not found; {_MAKE}")
        if not is_archive(path):
            raise SearchError(f"{path} is not an archive; {_MAKE}")
        archive = cls(path, until)
        with archive.connected() as connection:
            (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version != VERSION:
            raise SearchError(f"{path}: expected an archive of version {VERSION}, got {version}; {_MAKE}")
        return archive

    def add(self, pages: Iterable[Page]) -> tuple[int, int]:
        """Index pages, known by their addresses; return how many are new, and how many have changed."""
        new = changed = 0
        rest = iter(pages)
        while batch := list(islice(rest, BATCH)):  # before the file exists: sources that cannot be read leave none
            with self.connected(writing=True) as connection:
                _prepare(connection)
                kinds = [_put(connection, page) for page in batch]
            new, changed = new + kinds.count("new"), changed + kinds.count("changed")
        return new, changed

    def search(self, query: str, day: date | None, limit: int, flaws: Flaws) -> Iterator[Page]:
        """Yield the pages, not published after a day, that FTS5's BM25 ranks best for the rarest words of a query."""
        return iter(self.pages(self.by_words(query, day, limit)))

    def by_words(self, query: str, day: date | None, limit: int) -> list[int]:
        """The rows of the pages that ``search`` finds, best first."""
        with self.connected() as connection:
            words = _telling(connection, list(dict.fromkeys(tokenize(query))))
            if not words:
                return []
            rows = connection.execute(
                "SELECT words.rowid FROM words CROSS JOIN pages ON pages.id = words.rowid"
                " WHERE words MATCH ? AND (published IS NULL OR published <= ?) ORDER BY rank LIMIT ?",
                (" OR ".join(f'"{word}"' for word in words), (day or date.max).isoformat(), limit),
            )
            return [row for (row,) in rows]

    def pages(self, rows: Iterable[int]) -> list[Page]:
        """The pages of rows, in their order."""
        found = "SELECT pages.id, url, published, text FROM json_each(?) CROSS JOIN pages ON pages.id = value"
        with self.connected() as connection:
            return [_page(*row) for row in connection.execute(found, (json.dumps([*rows]),))]

    @contextmanager
    def connected(self, *, writing: bool = False) -> Iterator[sqlite3.Connection]:
        """A connection; to write, within one transaction that waits for those of other programs."""
        mode = "rwc" if writing else "rw"  # reading creates no file
        try:
            uri = f"{self.path.absolute().as_uri()}?mode={mode}"
            wait = min(WAIT, max(0.0, self._until - monotonic()))
            with closing(sqlite3.connect(uri, timeout=wait, uri=True)) as connection, connection:
                connection.set_progress_handler(lambda: monotonic() > self._until, LOOK)
                if connection.execute("SELECT 1 FROM sqlite_master WHERE type IN ('view', 'trigger')").fetchone():
                    raise sqlite3.DatabaseError(f"expected tables only, got views or triggers; {_MAKE}")
                if writing:
                    connection.execute("BEGIN IMMEDIATE")
                yield connection
        except (sqlite3.Error, ValueError, TypeError, MemoryError) as error:  # damaged bytes may ask for any memory
            action = "index" if writing else "search"
            raise SearchError(f"{self.path}: cannot {action} ({error}){_remedy(error)}") from error


def _remedy(error: Exception) -> str:
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
    return _REMEDIES.get(code, "") if isinstance(error, sqlite3.Error) else _DAMAGED


def _prepare(connection: sqlite3.Connection) -> None:
    """Make the tables of an empty file; refuse another database."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version not in (0, VERSION) or (not version and connection.execute("SELECT 1 FROM sqlite_master").fetchone()):
        raise sqlite3.DatabaseError(f"expected an archive of version {VERSION}, got another database")
    for statement in () if version else SCHEMA:
        connection.execute(statement)


def _page(row: int, url: str, published: str | None, text: str) -> Page:
    if not (isinstance(url, str) and isinstance(text, str)):
        raise TypeError(f"expected texts, got {type(url).__name__} and {type(text).__name__}")
    return Page(row, url, tuple(text.split(_BETWEEN)), None if published is None else date.fromisoformat(published))


def _put(connection: sqlite3.Connection, page: Page) -> str:
    """Add a page or replace it; returns "new", "changed" or "same"."""
    text = _BETWEEN.join(page.sentences).encode("utf-8", "replace").decode()  # SQLite keeps no half of a surrogate pair
    digest = sha256(text.encode()).digest()
    url = page.url.encode("utf-8", "replace").decode()
    known = connection.execute("SELECT id, sha256, text FROM pages WHERE url = ?", (url,)).fetchone()
    if known and known[1] == digest:
        return "same"
    row = known[0] if known else None
    if known:
        old = "INSERT INTO words (words, rowid, text) VALUES ('delete', ?, ?)"
        connection.execute(old, (row, " ".join(tokenize(known[2]))))
        connection.execute("DELETE FROM vectors WHERE page = ?", (row,))
    put = "INSERT OR REPLACE INTO pages (id, url, published, sha256, text) VALUES (?, ?, ?, ?, ?)"
    published = page.published and page.published.isoformat()
    row = connection.execute(put, (row, url, published, digest, text)).lastrowid
    connection.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (row, " ".join(tokenize(text))))
    return "changed" if known else "new"


def _telling(connection: sqlite3.Connection, words: Sequence[str]) -> list[str]:
    """The rarest words of a query that some page has; frequent ones only if there are no others."""
    count = "SELECT coalesce((SELECT doc FROM vocabulary WHERE term = ?), 0)"
    pages = {word: connection.execute(count, (word,)).fetchone()[0] for word in words if word != "%"}
    (pages_in_all,) = connection.execute("SELECT coalesce(max(id), 0) FROM pages").fetchone()  # none is ever removed
    found = sorted((word for word in pages if pages[word]), key=lambda word: pages[word])[:MAX_WORDS]
    most = min(COMMON * pages_in_all, max(FREQUENT * pages_in_all, MANY))
    return [word for word in found if pages[word] <= most] or found
