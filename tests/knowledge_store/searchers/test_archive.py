"""An archive grows, forgets what has changed, and finds pages by their rare words."""

import sqlite3
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import orjson
import pytest

from knowledge_store.__main__ import main
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


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    archive = Archive(tmp_path / "a.sqlite")
    assert archive.add(PAGES) == (4, 0)
    return archive


def found(archive: Archive, query: str, day: date | None = None, limit: int = 10) -> list[str]:
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
def test_finds_pages_by_their_words(archive: Archive, query: str, pages: str) -> None:
    assert sorted(found(archive, query)) == sorted(pages)


def test_the_best_pages_come_first_and_complete(archive: Archive) -> None:
    first, _ = archive.search("fish fell in May", None, 2, Flaws())
    assert first == PAGES[0]
    assert found(archive, "fish fell in May", limit=1) == ["a"]


def test_leaves_out_pages_published_later_and_keeps_undated_ones(archive: Archive) -> None:
    assert found(archive, "fish", date(2020, 12, 31)) == ["a"]
    assert found(archive, "bridge", date(1999, 1, 1)) == ["b"]


def test_reindexing_adds_new_pages_and_replaces_changed_ones(archive: Archive) -> None:
    changed = Page(0, "https://a.example/", ("Now about zebras.",))
    assert archive.add([*PAGES[1:], changed, Page(9, "https://e.example/", ("A zebra.",))]) == (1, 1)
    assert sorted(found(archive, "zebras zebra")) == ["a", "e"]
    assert found(archive, "1000.5") == []
    assert archive.add([changed]) == (0, 0)


def test_reads_an_archive_of_many_pages_in_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BATCH", 3)
    archive = Archive(tmp_path / "a.sqlite")

    def pages() -> Iterator[Page]:
        for number in range(8):
            yield Page(number, f"https://{number}.example/", (f"number{number}",))
        raise OSError("unplugged")

    with pytest.raises(OSError, match="unplugged"):
        archive.add(pages())
    assert found(archive, "number5") == ["5"], "what was indexed before is kept"
    assert archive.add(Page(n, f"https://{n}.example/", (f"number{n}",)) for n in range(8)) == (2, 0)


def test_half_a_surrogate_pair_is_indexed(tmp_path: Path) -> None:
    archive = Archive(tmp_path / "a.sqlite")
    assert archive.add([Page(0, "https://a.example/", ("half \ud83d fish",))]) == (1, 0)
    assert found(archive, "fish") == ["a"]


def test_a_common_word_does_not_outweigh_a_rare_one(archive: Archive) -> None:
    assert found(archive, "is the queen") == ["d"]


@pytest.mark.parametrize("content", [None, b"", b"no database at all" * 100])
def test_rejects_files_that_are_not_archives(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "a.sqlite"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(SearchError, match="python -m knowledge_store index SOURCE"):
        Archive.open(path)


def test_another_database_is_not_written_to(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    path.write_bytes(b"no database at all" * 100)
    with pytest.raises(SearchError, match="cannot index"):
        Archive(path).add(PAGES)
    assert path.read_bytes() == b"no database at all" * 100


def test_documents_and_stores_are_indexed_from_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "fish.txt").write_text("Fish fell.")
    dump = tmp_path / "wiki.jsonl"
    rows = [{"url": f"https://{n}.example/", "text": f"article{n}", "published": "2020-05-01"} for n in range(3)]
    dump.write_bytes(b"\n".join(map(orjson.dumps, rows)))
    output = str(tmp_path / "a.sqlite")
    assert main(["index", str(tmp_path / "fish.txt"), str(dump), "--output", output]) == 0
    assert capsys.readouterr().out == f"{output}: 4 new pages, 0 changed\n"
    assert found(Archive.open(Path(output)), "article2") == ["2"]
    assert found(Archive.open(Path(output)), "article2", date(2020, 4, 30)) == []


def test_the_index_is_one_sqlite_file(archive: Archive, tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "a.sqlite") as connection:
        assert connection.execute("SELECT count(*) FROM pages").fetchone() == (4,)
