"""Reading: every page that can be used comes out, every flaw is counted by its name, nothing raises."""

import gzip
import tracemalloc

import orjson
import pytest

from knowledge_store import ranking
from knowledge_store.pages import store
from knowledge_store.pages.page import UNREAD, Flaw, Flaws, Page
from knowledge_store.pages.store import read_pages, write_store
from knowledge_store.settings import RetrievalSettings

URL = "https://a.example/"


def read(path):
    flaws = Flaws()
    pages = list(read_pages(path, flaws))
    return pages, {flaw: count for flaw, count in flaws.items() if count}


@pytest.mark.parametrize(
    ("line", "flaw"),
    [
        (b'{"url": "https://a.example/", "url2text": ["cut o', Flaw.BROKEN_LINE),
        (b"[" * 100_000, Flaw.BROKEN_LINE),
        (b"null", Flaw.NOT_A_PAGE),
        (b"{}", Flaw.EMPTY_PAGE),
        *(({"url": URL, "url2text": one}, Flaw.EMPTY_PAGE) for one in (None, {"0": "a dictionary"}, [" ", "\n"])),
        *(({"url": one, "url2text": ["Text."]}, Flaw.NO_ADDRESS) for one in (None, " ")),
        ({"url2text": ["Text."]}, Flaw.NO_ADDRESS),
        (b'{"url": NaN, "url2text": ["Text."]}', Flaw.NO_ADDRESS),
    ],
)
def test_counts_and_leaves_out_a_line_without_a_usable_page(write_store, line, flaw):
    pages, flaws = read(write_store(["Before."], line, ["After."]))
    assert [(page.number, page.url[8:13], page.text) for page in pages] == [
        (0, "site0", "Before."),
        (2, "site2", "After."),
    ]
    assert flaws[flaw] == 1


@pytest.mark.parametrize(
    ("line", "flaw", "text"),
    [
        ({"url": URL, "url2text": ["One", None, 2, "Three", "4."]}, Flaw.NOT_TEXT, "One\n\n Three\n\n 4."),
        ({"url": URL, "url2text": ["No.", "No.", "No.", "Yes.", "No."]}, Flaw.REPEATED_SENTENCE, "No. Yes. No."),
        (b'{"url": "https://a.example/", "url2text": ["caf\xe9"]}', Flaw.REPAIRED_LINE, "caf\N{REPLACEMENT CHARACTER}"),
        (rb'{"url": "https://a.example/", "url2text": ["\ud83dA"]}', Flaw.REPAIRED_LINE, "\N{REPLACEMENT CHARACTER}A"),
        (b'\xef\xbb\xbf{"url": "https://a.example/", "url2text": ["Text."]}', Flaw.REPAIRED_LINE, "Text."),
    ],
)
def test_counts_and_keeps_a_flawed_page(write_store, line, flaw, text):
    (page,), flaws = read(write_store(line))
    assert (page.text, flaws.keys()) == (text, {flaw})


def test_a_file_that_is_missing_empty_or_a_folder_is_a_store_without_pages(tmp_path):
    (tmp_path / "0.json").touch()
    assert read(tmp_path / "7.json") == ([], {Flaw.MISSING_FILE: 1})
    assert read(tmp_path) == ([], {Flaw.UNREADABLE_FILE: 1})
    assert read(tmp_path / "0.json") == ([], {Flaw.NO_STORE: 1})


def test_reads_a_line_that_just_fills_the_limit(write_store, monkeypatch):
    path = write_store(["Text."], ["Text."])
    monkeypatch.setattr(store, "MAX_LINE", len(path.read_bytes()) // 2)
    assert len(read(path)[0]) == 2


@pytest.mark.parametrize(
    "data",
    [
        gzip.compress(orjson.dumps({"url": URL, "url2text": ["Text."]})),
        '{"url": "https://a.example/", "url2text": ["Text."]}\n'.encode("utf-16"),
        bytes(3000),
        b"%PDF-1.4\nno store\n",
        gzip.compress(orjson.dumps([{"url": URL, "url2text": [str(n) for n in range(9000)]}])) + b"\n7\n",
        orjson.dumps({"url": URL, "url2text": [" "]}),
        orjson.dumps({"url2text": ["Text."]}),
    ],
    ids=["gzip", "UTF-16", "NUL", "PDF", "gzip with a digit", "no text", "no url"],
)
def test_a_file_without_a_page_of_text_is_no_store(data, tmp_path, monkeypatch):
    monkeypatch.setattr(store, "MAX_LINE", 1000)
    (tmp_path / "0.json").write_bytes(data)
    pages, flaws = read(tmp_path / "0.json")
    assert pages == []
    assert flaws[Flaw.NO_STORE] == 1 and Flaw.NO_STORE in UNREAD


def test_a_store_reads_back_as_the_pages_written(tmp_path):
    pages = [Page(0, "a.txt", ("Title\n\n", "“Second”\t.")), Page(1, "b.md", ("नमस्ते दुनिया।", "你好。"))]
    assert write_store(iter(pages), tmp_path / "7.json") == 2
    flaws = Flaws()
    assert list(read_pages(tmp_path / "7.json", flaws)) == pages
    assert not +flaws
    record = orjson.loads((tmp_path / "7.json").read_bytes().splitlines()[0])
    assert list(record) == ["claim_id", "type", "query", "url", "url2text"]
    assert (record["claim_id"], record["url"]) == ("7", "a.txt")


def test_a_failed_or_empty_write_leaves_the_old_store(tmp_path):
    def failing():
        yield Page(0, "a.txt", ("First.",))
        raise OSError("gone")

    (tmp_path / "7.json").write_text("before")
    assert write_store([], tmp_path / "7.json") == 0
    with pytest.raises(OSError, match="gone"):
        write_store(failing(), tmp_path / "7.json")
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("7.json", "before")]


def rank(path, claim="A bridge in Oslo"):
    return ranking.rank(path, claim, RetrievalSettings())


def test_skips_a_line_without_end_in_bounded_memory(write_store, monkeypatch):
    monkeypatch.setattr(store, "MAX_LINE", 2**20)
    path = write_store(["A bridge."], b'{"url": "' + b"x" * 32 * 2**20, ["Oslo."])
    tracemalloc.start()
    ranked = rank(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert {(passage.page, passage.text) for passage in ranked.passages} == {(0, "A bridge."), (2, "Oslo.")}
    assert ranked.report.flaws == {Flaw.LINE_TOO_LONG: 1}
    assert peak < 16 * 2**20


@pytest.mark.parametrize(
    "lines", [[], [[]], [[" ", "\u3000"]], [["\u200b\u2060", "."], ["…", "—", "_"]], [b"", b"\n"], [b"broken"]]
)
def test_an_empty_store_gives_an_empty_ranking(write_store, lines):
    ranked = rank(write_store(*lines))
    assert (ranked.passages, ranked.report.passages) == ((), 0)


@pytest.mark.parametrize("claim", ["zebra", "", "!?", "x" * 100_000, "\ud83d", "zebra " * 10_000])
def test_a_claim_of_unknown_words_keeps_the_stores_order(write_store, claim):
    ranked = rank(write_store(*([f"Word {number}."] for number in range(20))), claim)
    assert [passage.page for passage in ranked.passages] == list(range(20))
