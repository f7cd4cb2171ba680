"""An archive of one's own pages in one SQLite file, with a full-text index (FTS5), for millions of pages.

It grows: indexing the same sources again adds what is new and replaces what has changed.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from datetime import date
from hashlib import sha256
from itertools import islice
from pathlib import Path

from knowledge_store.pages.page import Flaws, Page
from knowledge_store.searchers import SearchError
from knowledge_store.tokenization import tokenize

VERSION = 1
BATCH = 1000  # pages written in one transaction: what is lost when indexing is stopped, and what is held in memory
MAX_WORDS = 16  # of a query, the rarest of the archive
COMMON = 0.5  # share of pages from which a word says nothing
_BETWEEN = "\x1e"  # sentences

# The words are ours (numbers without commas, each character of scripts without spaces); FTS5 only keeps them apart.
SCHEMA = f"""
CREATE TABLE pages (
    id INTEGER PRIMARY KEY, url TEXT UNIQUE NOT NULL, published TEXT, sha256 BLOB NOT NULL, text TEXT NOT NULL
);
CREATE VIRTUAL TABLE words USING fts5(
    text, content='', tokenize="unicode61 remove_diacritics 0 categories 'L* N* M* Co' tokenchars '.%'"
);
CREATE VIRTUAL TABLE vocabulary USING fts5vocab('words', 'row');
PRAGMA user_version = {VERSION};
"""


class Archive:
    """Pages to search; see ``Searcher``. Threads may share it."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @classmethod
    def open(cls, path: Path) -> "Archive":
        """An archive that exists.

        Raises:
            SearchError: the file is missing, or not an archive.
        """
        made = "make one with 'python -m knowledge_store index SOURCE --output FILE.sqlite'"
        if not path.is_file():
            raise SearchError(f"archive {path} not found; {made}")
        archive = cls(path)
        try:
            with closing(archive._connect()) as connection:
                (version,) = connection.execute("PRAGMA user_version").fetchone()
        except sqlite3.DatabaseError as error:
            raise SearchError(f"{path} is not an archive ({error}); {made}") from error
        if version != VERSION:
            raise SearchError(f"{path}: expected an archive of version {VERSION}, got {version}; {made}")
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
        if not batch:
            return 0, 0
        try:
            with closing(self._connect()) as connection:
                if not connection.execute("PRAGMA user_version").fetchone()[0]:
                    connection.executescript(SCHEMA)
                while batch:
                    with connection:  # a transaction
                        kinds = [_put(connection, page) for page in batch]
                    new, changed = new + kinds.count("new"), changed + kinds.count("changed")
                    batch = list(islice(rest, BATCH))
        except sqlite3.DatabaseError as error:
            raise SearchError(f"{self._path}: cannot index ({error})") from error
        return new, changed

    def search(self, query: str, day: date | None, limit: int, flaws: Flaws) -> Iterator[Page]:
        """See ``Searcher.search``; pages are ranked by FTS5's BM25 over the rarest words of the query."""
        with closing(self._connect()) as connection:
            words = _telling(connection, list(dict.fromkeys(tokenize(query))))
            if not words:
                return
            rows = connection.execute(
                "SELECT url, published, pages.text FROM words JOIN pages ON pages.id = words.rowid"
                " WHERE words MATCH ? AND (? IS NULL OR published IS NULL OR published <= ?)"
                " ORDER BY words.rank LIMIT ?",
                (" OR ".join(f'"{word}"' for word in words), day and day.isoformat(), day and day.isoformat(), limit),
            )
            for number, (url, published, text) in enumerate(rows):
                yield Page(number, url, tuple(text.split(_BETWEEN)), published and date.fromisoformat(published))

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self._path, timeout=30)


def _put(connection: sqlite3.Connection, page: Page) -> str:
    """Add a page or replace it; says what it was."""
    text = _BETWEEN.join(page.sentences)
    digest = sha256(text.encode("utf-8", "surrogatepass")).digest()
    text = text.encode("utf-8", "replace").decode()  # SQLite keeps no half of a surrogate pair
    known = connection.execute("SELECT id, sha256, text FROM pages WHERE url = ?", (page.url,)).fetchone()
    if known and known[1] == digest:
        return "same"
    if known:
        old = "INSERT INTO words (words, rowid, text) VALUES ('delete', ?, ?)"
        connection.execute(old, (known[0], _words(known[2])))
    published = page.published and page.published.isoformat()
    row = connection.execute(
        "INSERT INTO pages (id, url, published, sha256, text) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE"
        " SET published = excluded.published, sha256 = excluded.sha256, text = excluded.text",
        (known and known[0], page.url, published, digest, text),
    )
    place = known[0] if known else row.lastrowid
    connection.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (place, _words(text)))
    return "changed" if known else "new"


def _words(text: str) -> str:
    return " ".join(tokenize(text))


def _telling(connection: sqlite3.Connection, words: list[str]) -> list[str]:
    """The rarest words of a query that some page has; those of most pages only where there are no others."""
    count = "SELECT coalesce((SELECT doc FROM vocabulary WHERE term = ?), 0)"
    pages = {word: connection.execute(count, (word,)).fetchone()[0] for word in words if word != "%"}
    (total,) = connection.execute("SELECT count(*) FROM pages").fetchone()
    found = sorted((word for word in pages if pages[word]), key=lambda word: pages[word])[:MAX_WORDS]
    return [word for word in found if pages[word] <= COMMON * total] or found
