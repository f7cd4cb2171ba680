"""``text`` and ``citations`` at the command line: outputs, exit status, and what a killed check leaves."""

import orjson
import pytest

from system.app import cli
from system.app.commands import common
from system.check import Engine
from system.models.base import ErrorKind, ModelError
from system.models.extractive import ExtractiveModel
from system.models.scripted import ScriptedModel
from system.settings import load
from tests.helpers.bridge import BagOfWords
from tests.helpers.by_words import ByWords

TEXT = "The Aster bridge opened in 1931. The Aster bridge carries two lanes. Is it not old?"
CITING = "The Aster bridge [opened in 1931](notes.md). Its [toll](https://gone.example) was high."


@pytest.fixture
def engines(monkeypatch, tmp_path):
    """The engines that the commands load, the extractive reader unless a test appends another."""
    loaded = []

    def load_engine(settings, trace=None):
        loaded.append(Engine(ExtractiveModel(BagOfWords()), BagOfWords(), settings, reader=ByWords()))
        return loaded[-1]

    monkeypatch.setattr("system.check.load_engine", load_engine)
    monkeypatch.setattr(common, "choose_profile", lambda given: ("laptop", "tests read by rule"))
    monkeypatch.setattr(common, "load", lambda profile, given: load(profile, {"budget": 3600.0, **given}))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.md").write_text(TEXT)
    (tmp_path / "citing.md").write_text(CITING)
    (tmp_path / "notes.md").write_text("The Aster bridge opened in 1932. The Aster bridge carries two lanes.")
    return loaded


def test_text_prints_a_table_and_writes_json_and_a_page(engines, tmp_path, capsys):
    assert cli.main(["text", "text.md", "--documents", "notes.md"]) == 1
    printed = capsys.readouterr().out
    assert (
        "Refuted" in printed
        and "corrected: " in printed
        and "2 of 2 statements decided: 1 supported, 1 refuted" in printed
    )
    output = tmp_path / "output" / "text" / "text"
    tree = orjson.loads((output / "result.json").read_bytes())
    assert [one["label"] for one in tree["statements"]] == ["Refuted", "Supported"]
    page = (output / "report.html").read_text()
    assert page.count('class="claim ') == 2 and "Is it not old?" in page and "<ins>1932</ins>" in page


def test_a_failure_is_told_from_a_verdict(engines, monkeypatch, tmp_path):
    broken = ScriptedModel(lambda request: ModelError(ErrorKind.BACKEND, "expected a reply, got none"))
    monkeypatch.setattr("system.check.load_engine", lambda settings: Engine(broken, BagOfWords(), settings))
    (tmp_path / "store.json").write_text(
        '{"url": "https://a.example", "url2text": ["The Aster bridge opened in 1932."]}'
    )
    assert cli.main(["text", "text.md", "--knowledge-store", "store.json", "--document-strategy", "got"]) == 3


def test_a_killed_check_goes_on_where_it_stopped(engines, tmp_path):
    arguments = ["text", "text.md", "--documents", "notes.md"]
    cli.main(arguments)
    journal = tmp_path / "output" / "text" / "text" / "journal.jsonl"
    whole = journal.read_bytes()
    first_lines = whole.splitlines(keepends=True)[:2]
    journal.write_bytes(b"".join(first_lines) + b'{"sentence": {"nu')
    (tmp_path / "notes.md").write_text("Nothing of the kind.")  # shows which statements are checked again
    assert cli.main([*arguments, "--resume"]) in (0, 1)
    lines = journal.read_bytes().splitlines(keepends=True)
    assert lines[:2] == first_lines and len(lines) == 3
    assert orjson.loads(lines[2])["result"]["verdict"]["label"] == "Not Enough Evidence"


def test_the_check_of_another_text_is_not_overwritten_unasked(engines, tmp_path, capsys):
    arguments = ["text", "text.md", "--documents", "notes.md"]
    cli.main(arguments)
    assert cli.main(arguments) == 1  # the same text may be checked again
    (tmp_path / "text.md").write_text("The Aster bridge opened in 1932.")
    assert cli.main(arguments) == 2
    assert "--overwrite" in capsys.readouterr().err
    assert cli.main([*arguments, "--overwrite"]) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["text", "text.md"], "no evidence: give --documents, or --search"),
        (["text", "none.md", "--documents", "notes.md"], "none.md: no such file"),
        (["text", "text.md", "--knowledge-store", "nowhere"], "expected a knowledge store"),
        (["text", "text.md", "--documents", "nowhere"], "nowhere not found"),
        (["text", ".", "--documents", "notes.md"], ".: is a folder"),
        (["text", "text.md", "--documents", "notes.md", "nowhere"], "nowhere not found"),
        (["text", "text.md", "--documents", "empty"], "empty: no documents"),
        (["text", "text.md", "--documents", "https://a.example"], "allow it with the option fetch"),
        (["text", "text.md", "--search", "nowhere"], "nowhere"),
        (["text", "text.md", "--knowledge-store", "empty"], "give files of other formats as documents"),
        (["citations", "notes.md"], "expected links, footnotes or numbered references"),
        (["citations", "citing.md", "--documents", "nowhere"], "nowhere not found"),
    ],
)
def test_bad_input_is_one_clear_line(engines, tmp_path, capsys, arguments, message):
    """Said before models are loaded."""
    (tmp_path / "empty").mkdir()
    assert cli.main(arguments) == 2 and not engines
    (line,) = [line for line in capsys.readouterr().err.splitlines() if line.startswith("error: ")]
    assert message in line


def test_citations_prints_a_table_and_writes_json_and_a_page(engines, tmp_path, capsys):
    assert cli.main(["citations", "citing.md"]) == 3
    printed = capsys.readouterr().out
    assert "contradicted" in printed and "2 citations: 1 contradicted, 1 source not readable" in printed
    output = tmp_path / "output" / "citations" / "citing"
    assert orjson.loads((output / "result.json").read_bytes())["counts"]["contradicted"] == 1
    page = (output / "report.html").read_text()
    assert 'class="claim refuted"' in page and 'class="claim unread"' in page


def test_citations_tells_marks_that_lead_nowhere(engines, tmp_path, capsys):
    (tmp_path / "citing.md").write_text(f"{CITING} It is long [7].")
    assert cli.main(["citations", "citing.md"]) == 3
    output = tmp_path / "output" / "citations" / "citing"
    told = "1 mark without a reference: [7]"
    assert told in capsys.readouterr().out and told in (output / "report.html").read_text()
    assert orjson.loads((output / "result.json").read_bytes())["unresolved"] == ["[7]"]
