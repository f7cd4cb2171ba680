"""An archive of one's own pages in one SQLite file, with a full-text index (FTS5), for millions of pages.

It grows: indexing the same sources again adds what is new and replaces what has changed. Several programs may index at
once: each waits for the other's batch. ``dense.archive`` adds vectors.
"""

import logging
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import date
from hashlib import sha256
from itertools import islice
from math import inf
from pathlib import Path
from time import monotonic

from knowledge_store.pages.page import Flaw, Flaws, Page
from knowledge_store.searchers import SearchError
from knowledge_store.tokenization import tokenize

VERSION = 2
BATCH = 1000  # pages written in one transaction: what is lost when indexing is stopped, and what is held in memory
MAX_WORDS = 16  # of a query, the rarest of the archive
COMMON = 0.5  # share of pages from which a word says nothing
MANY = 10_000  # pages of a word that are soon ranked
FREQUENT = 0.1  # share of pages from which a word of more than so many says too little for its time
WAIT = 30.0  # seconds for another program that is writing
LOOK = 100_000  # steps of SQLite, some milliseconds, between looks at the time
SPARE = 10  # rows fetched beyond those asked for, in place of rows that cannot be read
_BETWEEN = "\x1e"  # sentences
_MAGIC = b"SQLite format 3\0"
_MAKE = "make one with 'python -m knowledge_store index SOURCE --output FILE.sqlite'"

# The words are ours (numbers without commas, each character of scripts without spaces); FTS5 only keeps them apart.
SCHEMA = (
    "CREATE TABLE pages (id INTEGER PRIMARY KEY, url TEXT UNIQUE NOT NULL, published TEXT, sha256 BLOB NOT NULL,"
    " text TEXT NOT NULL)",
    "CREATE VIRTUAL TABLE words USING fts5(text, content='',"
    " tokenize=\"unicode61 remove_diacritics 0 categories 'L* N* M* Co' tokenchars '.%'\")",
    "CREATE VIRTUAL TABLE vocabulary USING fts5vocab('words', 'row')",
    f"PRAGMA user_version = {VERSION}",
)
TRIGGER = "outdated AFTER UPDATE OF text ON pages BEGIN DELETE FROM vectors WHERE page = old.id; END"
"""What ``dense.vectors`` adds."""
_INERT = ("CREATE TABLE ", "CREATE INDEX ", "CREATE UNIQUE INDEX ")  # as SQLite writes what only holds data
_OWN = {"".join(statement.split()) for statement in (*SCHEMA, f"CREATE TRIGGER {TRIGGER}")}

log = logging.getLogger(__name__)


def is_archive(path: Path) -> bool:
    """Whether a file is an archive rather than a store: a database of SQLite."""
    with suppress(OSError), path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC
    return False


class Archive:
    """Pages to search; see ``Searcher``. The number of a page is its row. Threads may share it.

    Args:
        until: of ``monotonic()``, when whatever reads or writes it is interrupted.
    """

    def __init__(self, path: Path, until: float = inf) -> None:
        self.path = path
        self._until = until

    @classmethod
    def open(cls, path: Path, until: float = inf) -> "Archive":
        """An archive that exists.

        Raises:
            SearchError: the file is missing, or not an archive.
        """
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
        """Index pages, known by their addresses; of a page that has changed, what it was is dropped.

        Returns:
            Pages that are new, and pages that have changed.

        Raises:
            SearchError: the file cannot be written, or is not an archive.
        """
        new = changed = 0
        rest = iter(pages)
        batch = list(islice(rest, BATCH))  # before the file exists: sources that cannot be read leave none
        while batch:
            with self.connected(writing=True) as connection:
                _prepare(connection)
                kinds = [_put(connection, page) for page in batch]
            new, changed = new + kinds.count("new"), changed + kinds.count("changed")
            batch = list(islice(rest, BATCH))
        return new, changed

    def search(self, query: str, day: date | None, limit: int, flaws: Flaws) -> Iterator[Page]:
        """See ``Searcher.search``; pages are ranked by FTS5's BM25 over the rarest words of the query."""
        return islice(self.pages(self.by_words(query, day, limit + SPARE), flaws), limit)

    def by_words(self, query: str, day: date | None, limit: int) -> list[int]:
        """The rows of the pages that ``search`` finds, best first.

        Raises:
            SearchError: the index of words cannot be read.
        """
        with self.connected() as connection:
            words = _telling(connection, list(dict.fromkeys(tokenize(query))))
            if not words:
                return []
            query = " OR ".join(f'"{word}"' for word in words)
            rows = connection.execute("SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank", (query,))
            return list(islice((row for (row,) in rows if not _is_later(connection, row, day)), limit))

    def not_later(self, rows: Sequence[int], day: date | None) -> list[int]:
        """Those rows whose pages are not known to be published after a day; None admits all."""
        with self.connected() as connection:
            return [row for row in rows if not _is_later(connection, row, day)]

    def pages(self, rows: Iterable[int], flaws: Flaws) -> Iterator[Page]:
        """Yield the pages of rows, in their order; one that cannot be read is counted, named in a warning and left out.

        Raises:
            SearchError: the file cannot be opened.
        """
        with self.connected() as connection:
            for row in rows:
                try:
                    page = _page(connection, row)
                except (sqlite3.Error, ValueError, TypeError) as error:
                    if _code(error) == sqlite3.SQLITE_INTERRUPT:
                        raise
                    flaws[Flaw.UNREADABLE_ROW] += 1
                    log.warning("%s: page %d skipped, it cannot be read (%s)", self.path, row, error)
                    continue
                if page:
                    yield page

    @contextmanager
    def connected(self, *, writing: bool = False) -> Iterator[sqlite3.Connection]:
        """A connection; to write, within one transaction that waits for those of other programs.

        Raises:
            SearchError: in place of any error of SQLite.
        """
        mode = "rwc" if writing else "rw"  # what reads makes no file
        try:
            uri = f"{self.path.absolute().as_uri()}?mode={mode}"
            wait = min(WAIT, max(0.0, self._until - monotonic()))
            with closing(sqlite3.connect(uri, timeout=wait, uri=True)) as connection, connection:
                connection.set_progress_handler(lambda: monotonic() > self._until, LOOK)
                _check_schema(connection)
                if writing:
                    connection.execute("BEGIN IMMEDIATE")
                yield connection
        except (sqlite3.Error, UnicodeError, MemoryError) as error:  # SQLite asks for as much as damaged bytes say
            action = "index" if writing else "search"
            raise SearchError(f"{self.path}: cannot {action} ({error}){_remedy(error, writing)}") from error


def _remedy(error: Exception, writing: bool) -> str:
    code = _code(error)
    if code == sqlite3.SQLITE_INTERRUPT:
        return "; the time ran out"
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return f"; another program has been writing to it for {WAIT:g} s: try again when that has finished"
    if writing and code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
        return "; what was indexed before is kept: make room, and give the same command again"
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return "; the file is damaged or no archive: index the sources into a new one"
    return ""


def _code(error: Exception) -> int:
    """Error code of SQLite, without what extends it."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def _check_schema(connection: sqlite3.Connection) -> None:
    """Refuse a file that would have SQLite compute what it does not hold, perhaps without end.

    Raises:
        sqlite3.DatabaseError: it has views, or triggers or virtual tables other than an archive's.
    """
    for (statement,) in connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL"):
        if not str(statement).startswith(_INERT) and "".join(str(statement).split()) not in _OWN:
            raise sqlite3.DatabaseError(f"expected an archive's own tables, got {str(statement)[:60]!r}; {_MAKE}")


def _prepare(connection: sqlite3.Connection) -> None:
    """Make the tables of an empty file.

    Raises:
        sqlite3.DatabaseError: the file is another database.
    """
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version not in (0, VERSION) or (not version and connection.execute("SELECT 1 FROM sqlite_master").fetchone()):
        raise sqlite3.DatabaseError(f"expected an archive of version {VERSION}, got another database")
    for statement in () if version else SCHEMA:
        connection.execute(statement)


def _page(connection: sqlite3.Connection, row: int) -> Page | None:
    """Raises ``ValueError`` and ``TypeError`` for values of another kind than were written."""
    found = connection.execute("SELECT url, published, text FROM pages WHERE id = ?", (row,)).fetchone()
    if found is None:
        return None
    url, published, text = found
    if not (isinstance(url, str) and isinstance(text, str)):
        raise TypeError(f"expected texts, got {type(url).__name__} and {type(text).__name__}")
    return Page(row, url, tuple(text.split(_BETWEEN)), None if published is None else date.fromisoformat(published))


def _is_later(connection: sqlite3.Connection, row: int, day: date | None) -> bool:
    """Whether a page is known to be published after a day; of one that cannot be read, nothing is known."""
    if day is None:
        return False
    with suppress(sqlite3.Error):
        later = "SELECT 1 FROM pages WHERE id = ? AND published > ?"
        return connection.execute(later, (row, day.isoformat())).fetchone() is not None
    return False


def _put(connection: sqlite3.Connection, page: Page) -> str:
    """Add a page or replace it; says what it was."""
    text = _BETWEEN.join(page.sentences)
    digest = sha256(text.encode("utf-8", "surrogatepass")).digest()
    text = text.encode("utf-8", "replace").decode()  # SQLite keeps no half of a surrogate pair
    url = page.url.encode("utf-8", "replace").decode()
    known = connection.execute("SELECT id, sha256, text FROM pages WHERE url = ?", (url,)).fetchone()
    if known and known[1] == digest:
        return "same"
    if known and not isinstance(known[2], str):
        raise sqlite3.DataError(f"page {known[0]} is damaged: expected a text, got {type(known[2]).__name__}")
    if known:
        old = "INSERT INTO words (words, rowid, text) VALUES ('delete', ?, ?)"
        connection.execute(old, (known[0], _words(known[2])))
    published = page.published and page.published.isoformat()
    row = connection.execute(
        "INSERT INTO pages (id, url, published, sha256, text) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE"
        " SET published = excluded.published, sha256 = excluded.sha256, text = excluded.text",
        (known and known[0], url, published, digest, text),
    )
    place = known[0] if known else row.lastrowid
    connection.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (place, _words(text)))
    return "changed" if known else "new"


def _words(text: str) -> str:
    return " ".join(tokenize(text))


def _telling(connection: sqlite3.Connection, words: list[str]) -> list[str]:
    """The rarest words of a query that some page has; frequent ones only where there are no others."""
    count = "SELECT coalesce((SELECT doc FROM vocabulary WHERE term = ?), 0)"
    pages = {word: connection.execute(count, (word,)).fetchone()[0] for word in words if word != "%"}
    total = "SELECT CAST(coalesce(max(id), 0) AS INTEGER) FROM pages"  # none is ever removed; damage may make it a text
    (pages_in_all,) = connection.execute(total).fetchone()
    found = sorted((word for word in pages if pages[word]), key=lambda word: pages[word])[:MAX_WORDS]
    most = min(COMMON * pages_in_all, max(FREQUENT * pages_in_all, MANY))
    return [word for word in found if pages[word] <= most] or found
