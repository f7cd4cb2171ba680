"""``text`` and ``citations`` at the command line: outputs, exit status, and what a killed check leaves."""

from io import BytesIO, TextIOWrapper

import orjson
import pytest

from system.app import cli
from system.app.commands import common
from system.check import Engine
from system.models.base import ErrorKind, ModelError
from system.settings import load
from tests.helpers.bridge import BagOfWords
from tests.helpers.by_words import reading_engine
from tests.helpers.scripted import ScriptedModel

TEXT = "The Aster bridge opened in 1931. The Aster bridge carries two lanes. Is it not old?"
CITING = "The Aster bridge [opened in 1931](notes.md). Its [toll](https://gone.example) was high."


@pytest.fixture
def files(monkeypatch, tmp_path):
    """The commands load the extractive reader; the working folder has a text, a text that cites, and its source."""
    monkeypatch.setattr("system.check.load_engine", reading_engine)
    monkeypatch.setattr(common, "choose_profile", lambda given: ("laptop", "tests read by rule"))
    monkeypatch.setattr(common, "load", lambda profile, given: load(profile, {"budget": 3600.0, **given}))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.md").write_text(TEXT)
    (tmp_path / "citing.md").write_text(CITING)
    (tmp_path / "notes.md").write_text("The Aster bridge opened in 1932. The Aster bridge carries two lanes.")


@pytest.mark.parametrize("given", [["-", "--documents", "notes.md"], ["text.md", "--documents", "-", "notes.md"]])
def test_a_text_or_a_document_may_come_from_standard_input(files, monkeypatch, given):
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(TEXT.encode())))
    assert cli.main(["text", *given]) == 1


def test_text_prints_a_table_and_writes_json_and_a_page(files, tmp_path, capsys):
    assert cli.main(["text", "text.md", "--documents", "notes.md"]) == 1
    printed = capsys.readouterr().out
    assert "Refuted" in printed and "corrected: " in printed
    assert "2 of 2 statements decided: 1 supported, 1 refuted" in printed
    output = tmp_path / "output" / "text" / "text"
    tree = orjson.loads((output / "result.json").read_bytes())
    assert [one["label"] for one in tree["statements"]] == ["Refuted", "Supported"]
    page = (output / "report.html").read_text()
    assert page.count('class="claim ') == 2 and "Is it not old?" in page and "<ins>1932</ins>" in page


def test_a_failure_is_told_from_a_verdict(files, monkeypatch, tmp_path):
    broken = ScriptedModel(lambda request: ModelError(ErrorKind.BACKEND, "expected a reply, got none"))
    monkeypatch.setattr("system.check.load_engine", lambda settings: Engine(broken, BagOfWords(), settings))
    page = {"url": "https://a.example", "url2text": ["The Aster bridge opened in 1932."]}
    (tmp_path / "store.json").write_bytes(orjson.dumps(page))
    assert cli.main(["text", "text.md", "--knowledge-store", "store.json", "--document-strategy", "got"]) == 3


def test_a_killed_check_goes_on_where_it_stopped(files, tmp_path):
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


def test_the_check_of_another_text_is_not_overwritten_unasked(files, tmp_path, capsys):
    arguments = ["text", "text.md", "--documents", "notes.md"]
    cli.main(arguments)
    assert cli.main(arguments) == 1  # the same text may be checked again
    (tmp_path / "text.md").write_text("The Aster bridge opened in 1932.")
    assert cli.main(arguments) == 2
    assert "--overwrite" in capsys.readouterr().err
    assert cli.main([*arguments, "--overwrite"]) == 0


def test_citations_prints_a_table_and_writes_json_and_a_page(files, tmp_path, capsys):
    (tmp_path / "citing.md").write_text(f"{CITING} It is long [7].")
    assert cli.main(["citations", "citing.md"]) == 3
    printed, output = capsys.readouterr().out, tmp_path / "output" / "citations" / "citing"
    assert "contradicted" in printed and "2 citations: 1 contradicted, 1 source not readable" in printed
    found, page = orjson.loads((output / "result.json").read_bytes()), (output / "report.html").read_text()
    assert found["counts"]["contradicted"] == 1 and found["unresolved"] == ["[7]"]
    assert 'class="claim refuted"' in page and 'class="claim unread"' in page
    lost = "1 mark without a reference: [7]"
    assert lost in printed and lost in page
