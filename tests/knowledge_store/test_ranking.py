"""The first stage: duplicates take no places, the best passages come first, and nothing heavy is imported."""

import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

from knowledge_store.pages.page import Flaw, Page
from knowledge_store.ranking import rank
from knowledge_store.settings import RetrievalSettings

Write = Callable[..., Path]

FILLER = [[f"Words about subject{number} and nothing else."] for number in range(8)]


def test_the_best_passage_for_the_claim_comes_first(write_store: Write) -> None:
    ranked = rank(write_store(*FILLER, ["The zebra crossed."]), "A zebra crossed the road", RetrievalSettings())
    assert ranked.passages[0].text == "The zebra crossed."
    assert ranked.scores == tuple(sorted(ranked.scores, reverse=True))
    assert ranked.report.name == "0.json"
    assert (ranked.report.pages, ranked.report.passages, ranked.report.flaws) == (9, 9, {})
    assert ranked.seconds > 0


def test_only_the_best_are_kept(write_store: Write) -> None:
    settings = RetrievalSettings(bm25_top_k=2)
    ranked = rank(write_store(*FILLER), "subject5 and subject3", settings)
    assert [passage.page for passage in ranked.passages] == [3, 5]
    assert ranked.report.passages == 8


def test_a_mirror_does_not_take_a_place(write_store: Write) -> None:
    ranked = rank(write_store(["One page."], ["ONE", " page. "], ["Another."]), "page", RetrievalSettings())
    assert sorted(passage.url for passage in ranked.passages) == ["https://site0.example/", "https://site2.example/"]
    assert ranked.report.flaws == {Flaw.MIRROR: 1}


def test_a_repeated_passage_does_not_take_a_place(write_store: Write) -> None:
    settings = RetrievalSettings(chunk_size=10, chunk_overlap=0)
    ranked = rank(write_store(["0123456789abc"], ["0123456789xyz"]), "page", settings)
    assert [passage.text for passage in ranked.passages] == ["0123456789", "abc", "xyz"]
    assert ranked.report.flaws == {Flaw.REPEATED_PASSAGE: 1}


def test_a_missing_store_is_an_empty_one(tmp_path: Path) -> None:
    ranked = rank(tmp_path / "7.json", "A claim", RetrievalSettings())
    assert ranked.passages == ()
    assert str(ranked.report) == "7.json: 0 pages, 0 passages; missing file 1"


def test_a_page_without_spaces_is_cut_and_ranked() -> None:
    page = Page(0, "https://a.example/", ("x" * 1_000_000,))
    ranked = rank([page], "x", RetrievalSettings())
    assert ranked.report.flaws[Flaw.REPEATED_PASSAGE] == 1_000_000 // 1000 - 1


def test_a_ranked_store_can_be_pickled(write_store: Write) -> None:
    ranked = rank(write_store(*FILLER, []), "subject1", RetrievalSettings())
    assert pickle.loads(pickle.dumps(ranked)) == ranked


def test_a_worker_loads_no_model_library() -> None:
    heavy = "{'torch', 'sentence_transformers', 'transformers', 'trafilatura', 'pypdfium2', 'mammoth'}"
    code = f"import sys, knowledge_store.ranking; print({heavy} & set(sys.modules))"
    root = Path(__file__).parents[2]
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
    assert output.stdout.strip() == "set()"


def test_rejects_windows_that_would_not_advance() -> None:
    with pytest.raises(ValueError, match=r"chunk_overlap \(300\) must be smaller than chunk_size \(200\)"):
        RetrievalSettings(chunk_size=200, chunk_overlap=300)


@pytest.mark.data
def test_real_stores_rank_passages_that_their_pages_contain(shared: Path) -> None:
    for claim_id in (0, 250, 499):
        path = shared / f"data/knowledge_store/dev/{claim_id}.json"
        lines = [orjson.loads(line) for line in path.read_bytes().splitlines()]
        ranked = rank(path, lines[0]["query"], RetrievalSettings())
        assert len(ranked.passages) > 100
        for passage in ranked.passages:
            line = lines[passage.page]
            assert passage.url == line["url"]
            assert " ".join(line["url2text"])[passage.start :].startswith(passage.text)
