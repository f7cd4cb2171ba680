"""An archive grows, forgets what has changed, and finds pages by their rare words."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import date
from time import sleep

import pytest

from knowledge_store.pages.page import Flaws, Page
from knowledge_store.searchers import SearchError
from knowledge_store.searchers import archive as module
from knowledge_store.searchers.archive import Archive

PAGES = [
    Page(0, "https://a.example/", ("Fish fell by 1,000.5 in May.", "So it is."), date(2020, 5, 1)),
    Page(1, "https://b.example/", ("The bridge is long.",)),
    Page(2, "https://c.example/", ("中国的鱼", "मछली सस्ती हुई।", "The fish rose."), date(2021, 5, 1)),
    Page(3, "https://d.example/", ("The king is dead.", "The queen is not.")),
]

OTHER = Page(4, "https://e.example/", ("A zebra.",))


@pytest.fixture
def archive(tmp_path):
    archive = Archive(tmp_path / "a.sqlite")
    assert archive.add(PAGES) == (4, 0)
    return archive


def found(archive, query, day=None, limit=10):
    return [page.url[8] for page in archive.search(query, day, limit, Flaws())]


@pytest.mark.parametrize(
    ("query", "pages"),
    [
        ("Did fish fall?", "ca"),
        ("FISH fell", "ac"),
        ("1000.5", "a"),
        ("鱼", "c"),
        ("मछली", "c"),
        ("the bridge", "b"),
        ("zebra %", ""),
        ("", ""),
        ('" OR (fish', "ca"),
    ],
)
def test_finds_pages_by_their_words(archive, query, pages):
    assert sorted(found(archive, query)) == sorted(pages)


def test_leaves_out_pages_published_later_and_keeps_undated_ones(archive):
    assert found(archive, "fish", date(2020, 12, 31)) == ["a"]
    assert found(archive, "bridge", date(1999, 1, 1)) == ["b"]


def test_reindexing_adds_new_pages_and_replaces_changed_ones(archive):
    changed = Page(0, "https://a.example/", ("Now about zebras.",))
    assert archive.add([*PAGES[1:], changed, Page(9, "https://e.example/", ("A zebra.",))]) == (1, 1)
    assert sorted(found(archive, "zebras zebra")) == ["a", "e"]
    assert found(archive, "1000.5") == []
    assert archive.add([changed]) == (0, 0)


def test_reads_an_archive_of_many_pages_in_batches(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "BATCH", 3)
    archive = Archive(tmp_path / "a.sqlite")

    def pages():
        for number in range(8):
            yield Page(number, f"https://{number}.example/", (f"number{number}",))
        raise OSError("unplugged")

    with pytest.raises(OSError, match="unplugged"):
        archive.add(pages())
    assert found(archive, "number5") == ["5"], "what was indexed before is kept"
    assert archive.add(Page(n, f"https://{n}.example/", (f"number{n}",)) for n in range(8)) == (2, 0)


@pytest.mark.parametrize(("many", "pages"), [(9, ["c", "a"]), (1, ["c"])])
def test_a_large_archive_leaves_out_frequent_words(archive, monkeypatch, many, pages):
    monkeypatch.setattr(module, "MANY", many)
    assert found(archive, "fish rose") == pages  # half of the pages have fish


@pytest.mark.parametrize("content", [None, b"", b"no database at all" * 100])
def test_rejects_files_that_are_not_archives(tmp_path, content):
    path = tmp_path / "a.sqlite"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(SearchError, match="python -m knowledge_store index SOURCE"):
        Archive.open(path)


def test_a_database_of_somebody_else_is_not_written_to(tmp_path):
    path = tmp_path / "a.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE theirs (id)")
    before = path.read_bytes()
    with pytest.raises(SearchError, match="got another database"):
        Archive(path).add(PAGES)
    assert path.read_bytes() == before


def change(archive, statement, *values):
    with closing(sqlite3.connect(archive.path)) as connection, connection:
        connection.execute(statement, values)


@pytest.mark.parametrize(("column", "value"), [("text", b"\xff"), ("published", "soon"), ("url", 7), ("url", b"a")])
def test_a_row_that_cannot_be_read_is_an_error_that_names_the_archive(archive, column, value):
    change(archive, f"UPDATE pages SET {column} = CAST(? AS BLOB), published = NULL WHERE id = 1", value)
    if column == "published":
        change(archive, "UPDATE pages SET published = '1999-soon' WHERE id = 1")
    with pytest.raises(SearchError, match=f"{archive.path}: cannot search .*; the file is damaged"):
        found(archive, "fish")


def test_an_indexer_waits_for_another(archive):
    with ThreadPoolExecutor() as pool:
        with closing(sqlite3.connect(archive.path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            second = pool.submit(archive.add, [OTHER])
            sleep(0.2)
            other.execute(f"INSERT INTO pages (url, sha256, text) VALUES ('{OTHER.url}', zeroblob(32), 'old')")
            other.execute("COMMIT")
        assert second.result() == (0, 1), "it sees what the other wrote"


def test_two_programs_may_make_the_same_archive(tmp_path):
    with ThreadPoolExecutor() as pool:
        adding = [pool.submit(Archive(tmp_path / "a.sqlite").add, PAGES) for _ in range(4)]
        assert sorted(each.result() for each in adding) == [(0, 0)] * 3 + [(4, 0)]


ENDLESS = "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT x AS id, '' AS url, '' AS text FROM r"


@pytest.mark.parametrize(
    "statements",
    [
        ["DROP TABLE pages", f"CREATE VIEW pages AS {ENDLESS}"],
        ["CREATE TRIGGER other AFTER INSERT ON pages BEGIN DELETE FROM pages; END"],
    ],
    ids=["view", "trigger"],
)
def test_a_file_that_computes_what_it_does_not_hold_is_no_archive(archive, statements):
    for statement in statements:
        change(archive, statement)
    for use in (lambda: Archive.open(archive.path), lambda: found(archive, "fish"), lambda: archive.add([OTHER])):
        with pytest.raises(SearchError, match="expected tables only, got views or triggers"):
            use()


def test_a_search_is_interrupted_when_the_time_runs_out(archive, monkeypatch):
    monkeypatch.setattr(module, "LOOK", 1)
    late = Archive(archive.path, until=0.0)
    for use in (lambda: found(late, "fish"), lambda: late.pages([1])):
        with pytest.raises(SearchError, match="the time ran out"):
            use()
