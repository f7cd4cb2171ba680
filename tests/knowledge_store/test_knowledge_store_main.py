"""The command line of the knowledge store, from documents to passages on the terminal."""

import pytest

from knowledge_store.__main__ import main
from knowledge_store.dense import encoder as encoder_module
from tests.helpers.word_encoder import BagOfWords


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "fish.txt").write_text("Prices of fish fell by 12% in May.")
    (folder / "rain.txt").write_text("Rain is expected on Tuesday.")
    (folder / "empty.txt").write_text("")
    return folder


@pytest.fixture(autouse=True)
def _small_encoder(monkeypatch):
    monkeypatch.setattr(encoder_module.SentenceEncoder, "of", lambda _: BagOfWords())


def test_builds_a_store_that_it_searches(folder, tmp_path, capsys):
    store = str(tmp_path / "store.json")
    assert main(["build", str(folder), "--output", store]) == 0
    assert capsys.readouterr().out == f"{store}: 2 pages; empty page 1\n"
    assert main(["search", store, "How much did fish prices fall?", "--limit", "1"]) == 0
    assert "Prices of fish fell by 12% in May." in capsys.readouterr().out
    assert main(["build", str(folder), "--output", "/proc/none/store.json"]) == 2


def test_a_wrong_path_is_a_one_line_error(capsys):
    assert main(["search", "absent.json", "question"]) == 2
    assert capsys.readouterr().err.startswith("error: absent")


def test_an_index_of_sources_that_are_missing_leaves_no_archive(tmp_path):
    archive = tmp_path / "a.sqlite"
    assert main(["index", str(tmp_path / "absent"), "--output", str(archive)]) == 2
    assert not archive.exists()


def test_searches_what_it_has_indexed(folder, tmp_path, capsys):
    pytest.importorskip("faiss", reason="needs faiss-cpu")
    archive = str(tmp_path / "a.sqlite")
    for counted in ("2 new pages, 0 changed", "0 new pages, 0 changed"):
        assert main(["index", str(folder), "--output", archive, "--dense"]) == 0
        assert f"{archive}: {counted}; empty page 1\n" in capsys.readouterr().out
    assert main(["search", archive, "How much did fish prices fall?", "--limit", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("1. 0.") and lines[0].endswith("fish.txt")
    assert lines[1] == "Prices of fish fell by 12% in May."


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["question", "--limit", "0"], "expected a number of at least 1, got 0"),
        ([" ?"], "expected words to look for, got"),
    ],
)
def test_a_search_that_makes_no_sense_is_refused_before_it_starts(options, message, capsys):
    with pytest.raises(SystemExit):
        main(["search", "store.json", *options])
    assert message in capsys.readouterr().err
