"""The command line with a scripted model in place of a real one: outputs, exit status, and what is resumed."""

import csv
import re
from datetime import date

import orjson
import pytest

from knowledge_store.dense.encoder import SentenceEncoder
from knowledge_store.pages.page import Flaws, Page
from knowledge_store.pages.store import read_pages
from knowledge_store.searchers.archive import Archive
from system.app import cli
from system.app.commands import common
from system.check import Engine, load_engine
from system.files.journal import Journal
from system.models import loading
from system.models.base import ModelUnavailable, TracedModel
from system.settings import load
from tests.helpers.bridge import Answers, BagOfWords
from tests.helpers.by_words import reading_engine
from tests.helpers.scripted import ScriptedModel

CLAIM = "The Aster bridge opened in 1932."


@pytest.fixture
def answers(monkeypatch, tmp_path):
    """The script that the command line's model follows; the working folder has only a document."""
    script = Answers()

    def load_engine(settings, trace=None):
        model = ScriptedModel(script)
        return Engine(TracedModel(model, trace) if trace else model, BagOfWords(), settings)

    monkeypatch.setattr("system.check.load_engine", load_engine)
    monkeypatch.setattr(common, "choose_profile", lambda given: ("server", "the script is the model"))
    monkeypatch.setattr(common, "load", lambda profile, given: load(profile, {"budget": 3600.0, **given}))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "bridge.txt").write_text("The Aster bridge opened in 1932. [bold]It[/bold] is old.")
    return script


@pytest.fixture
def bridge_files(tmp_path, answers):
    """Three claims of one's own with their stores; returns the arguments that name them."""
    claims = [{"claim": f"{CLAIM[:-1]} or {year}.", "claim_date": "1-2-2020"} for year in (1933, 1934, 1935)]
    (tmp_path / "claims.json").write_bytes(orjson.dumps(claims))
    (tmp_path / "stores").mkdir()
    page = {"url": "https://history.example", "url2text": ["The Aster bridge opened in 1932.", "It is 90 m long."]}
    for claim_id in range(3):
        (tmp_path / "stores" / f"{claim_id}.json").write_bytes(orjson.dumps(page))
    return ["--claims", "claims.json", "--knowledge-store", "stores"]


@pytest.fixture
def output(tmp_path):
    return tmp_path / "output"


@pytest.fixture
def journal(bridge_files, output):
    """The journal of a run that is finished."""
    assert cli.main(bridge_files) == 0
    return output / "journal.jsonl"


def load_json(path):
    return orjson.loads(path.read_bytes())


def load_lines(path):
    return [orjson.loads(line) for line in path.read_bytes().splitlines()]


def test_without_arguments_it_checks_the_examples_and_cites_their_stores(answers, output, capsys):
    assert cli.main([]) == 0
    predictions = load_json(output / "submission.json")
    assert [entry["claim_id"] for entry in predictions] == list(range(len(load_json(common.EXAMPLE_CLAIMS))))
    assert {path.name for path in output.iterdir()} == {
        "article", "figures", "graphs", "journal.jsonl", "measured.json", "measured_timings.txt", "report.html",
        "run.json", "submission.csv", "submission.json", "timings.csv", "timings.json",
    }  # fmt: skip
    with (output / "submission.csv").open(newline="") as file:
        assert [row["claim"] for row in csv.DictReader(file)] == [entry["claim"] for entry in predictions]
    for entry in predictions:
        pages = list(read_pages(common.EXAMPLE_STORE / f"{entry['claim_id']}.json", Flaws()))
        for pair in entry["evidence"]:
            texts = [" ".join(page.sentences) for page in pages if page.url == pair["url"]]
            assert any(pair["scraped_text"] in text for text in texts)
    captured = capsys.readouterr()
    printed = captured.out
    assert re.search(r"profile \w+: ", captured.err)
    assert "submission.csv" in printed and "timings.json" in printed
    article = load_json(output / "article" / "result.json")
    assert len(article["statements"]) > 3 and (output / "article" / "report.html").exists()
    assert f"of {len(article['statements'])} statements decided" in printed


def test_a_part_of_a_run_keeps_its_ids_and_run_json_says_what_ran(bridge_files, output):
    options = ["--start", "1", "--limit", "1", "--depth", "2", "--verification", "--trace"]
    assert cli.main([*bridge_files, *options]) == 0
    assert [entry["claim_id"] for entry in load_json(output / "submission.json")] == [1]
    assert [path.name for path in (output / "graphs").iterdir()] == ["1.json"]
    report = load_json(output / "run.json")
    assert report["settings"]["graph"]["depth"] == 2 and report["settings"]["graph"]["verification"] is True
    assert report["claims"] == 1 and report["failed_claims"] == []
    assert {"python", "cpus", "packages", "revision"} <= report["machine"].keys()
    traced = load_lines(output / "trace.jsonl")
    assert {"ask_question", "answer_question", "judge_claim"} <= {line["task"] for line in traced}
    assert all("reply" in line and "milliseconds" in line for line in traced)


def test_an_earlier_run_is_not_overwritten_unasked(journal, bridge_files, output, capsys):
    before = journal.read_bytes()
    assert cli.main(bridge_files) == 2
    assert "--resume" in capsys.readouterr().err
    assert cli.main([]) == 2  # nor by the examples, which would have to be written to the same folder
    assert journal.read_bytes() == before
    assert cli.main([*bridge_files, "--limit", "1", "--overwrite"]) == 0
    assert [path.name for path in (output / "graphs").iterdir()] == ["0.json"]


def snapshot(folder):
    return {path.relative_to(folder): (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.rglob("*.*")}


@pytest.mark.parametrize("option", ["--overwrite", "--resume"])
def test_a_second_run_in_a_folder_is_refused_without_harm(journal, bridge_files, output, capsys, option):
    before = snapshot(output)
    with Journal(journal, load_lines(journal)[0]["identity"], resume=True):
        assert cli.main([*bridge_files, option]) == 2
    assert "another run is writing here" in capsys.readouterr().err and snapshot(output) == before


def test_resuming_a_finished_run_changes_nothing(journal, bridge_files, output, monkeypatch):
    before = snapshot(output)
    monkeypatch.setattr("system.check.load_engine", lambda *_: pytest.fail("the engine was loaded"))
    assert cli.main([*bridge_files, "--resume"]) == 0
    assert snapshot(output) == before


def test_a_journal_with_another_claim_is_refused(journal, bridge_files, capsys):
    *lines, last = journal.read_bytes().splitlines(keepends=True)
    edited = orjson.loads(last)
    edited["claim"]["text"] = "Another claim."
    journal.write_bytes(b"".join(lines) + orjson.dumps(edited) + b"\n")
    assert cli.main([*bridge_files, "--resume"]) == 2
    assert re.search(r"journal.jsonl, line 4: expected a claim of this run, got \d+ ", capsys.readouterr().err)


def test_a_resumed_run_counts_the_loading_of_its_earlier_parts(journal, bridge_files, output):
    def loading():
        return load_json(output / "timings.json")["run"]["facts"]["model_load_seconds"]

    first = loading()
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:3]))
    assert cli.main([*bridge_files, "--resume"]) == 0
    assert loading() > first > 0
    assert "Duration: 00:00:00" in (output / "measured_timings.txt").read_text()


def test_a_failed_claim_is_flagged_and_sets_the_exit_status(bridge_files, tmp_path, output, capsys):
    (tmp_path / "stores" / "1.json").unlink()
    assert cli.main(bridge_files) == common.EXIT_FAILED_CLAIMS
    rows = load_json(output / "submission.json")
    assert len(rows) == 3 and rows[1]["pred_label"] == "Not Enough Evidence"
    assert load_json(output / "run.json")["failed_claims"] == [1]
    assert "1 × read" in capsys.readouterr().out


def test_a_run_checks_claims_against_documents_and_resumes_while_they_are_the_same(answers, tmp_path, output, capsys):
    (tmp_path / "claims.csv").write_text(f"id;claim;date\n12;{CLAIM};2020-02-01\n7;It opened in 1931.;\n")
    command, document = ["run", "--claims", "claims.csv", "--documents", "notes"], tmp_path / "notes" / "bridge.txt"
    assert cli.main(command) == 0
    entries = load_json(output / "submission.json")
    assert [entry["claim_id"] for entry in entries] == [12, 7]
    assert {pair["url"] for entry in entries for pair in entry["evidence"]} == {"bridge.txt"}
    assert {path.name for path in (output / "graphs").iterdir()} == {"12.json", "7.json"}
    assert cli.main([*command, "--workers", "2", "--max-concurrent-claims", "1", "--resume"]) == 0
    assert cli.main([*command, "--depth", "9", "--no-debate", "--resume"]) == 2
    assert "graph.debate was 'True' and is 'False'; graph.depth was '3' and is '9'" in capsys.readouterr().err
    before = document.read_text()
    document.write_text("The Aster bridge opened in 1933.")
    assert cli.main([*command, "--resume"]) == 2
    assert "knowledge store was" in capsys.readouterr().err
    document.write_text(before)
    assert cli.main([*command, "--resume"]) == 0


@pytest.mark.parametrize("own", [True, False])
def test_documents_may_say_the_claim_and_stores_may_not(own, answers, tmp_path, output, monkeypatch):
    monkeypatch.setattr("system.check.load_engine", lambda settings, _: reading_engine(settings))
    (tmp_path / "claims.csv").write_text(f"id;claim\n0;{CLAIM}\n")
    (tmp_path / "0.json").write_bytes(orjson.dumps({"url": "https://a.example", "url2text": [CLAIM]}))
    evidence = ["--documents" if own else "--knowledge-store", "0.json"]
    assert cli.main(["run", "--claims", "claims.csv", *evidence, "--strategy", "entailment"]) == 0
    (entry,) = load_json(output / "submission.json")
    assert entry["pred_label"] == ("Supported" if own else "Not Enough Evidence")


def test_verify_prints_the_answer_with_its_sources(answers, capsys):
    assert cli.main(["verify", CLAIM, "--documents", "notes", "--graph"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("Supported")
    assert "bridge.txt" in printed and "q1.e1 bridge.txt: The Aster" in printed
    assert "[bold]It[/bold]" in printed.replace("\n", " ")


def test_options_without_effect_are_named(answers, capsys):
    asked = ["verify", CLAIM, "--documents", "notes", "--profile", "laptop", "--model", "mine", "--no-debate"]
    cli.main(asked)
    said = capsys.readouterr().err
    assert "--model: no effect here, documents and texts are read by the verifier" in said
    assert "--no-debate: no effect with strategy entailment\n" in said
    cli.main([*asked, "--document-strategy", "got"])
    assert "no effect" not in capsys.readouterr().err


@pytest.fixture
def archive(tmp_path):
    """An archive with one page about the claim."""
    sentences = ("The Aster bridge opened in 1932 after 12 years of work.",)
    Archive(tmp_path / "archive.sqlite").add([Page(0, "https://news.example/bridge", sentences, date(2021, 3, 1))])
    return tmp_path / "archive.sqlite"


def test_verify_searches_where_there_are_no_documents(answers, archive, capsys):
    verify = ["verify", CLAIM, "--search", str(archive), "--no-later-pages"]
    assert cli.main([*verify, "--date", "2-3-2021"]) == 0
    assert "https://news.example/bridge" in capsys.readouterr().out
    cli.main([*verify, "--date", "28-2-2021"])
    assert "https://news.example/bridge" not in capsys.readouterr().out


def test_an_archive_is_a_store_for_all_claims(answers, archive, tmp_path, output, capsys):
    (tmp_path / "claims.txt").write_text(CLAIM)
    command = ["--claims", "claims.txt", "--knowledge-store", str(archive)]
    assert cli.main(command) == 0
    (entry,) = load_json(output / "submission.json")
    assert "https://news.example/bridge" in {each["url"] for each in entry["evidence"]}
    archive.write_bytes(b"SQLite format 3\0" * 100)
    assert cli.main([*command, "--overwrite"]) == 2
    assert "archive.sqlite: cannot search" in capsys.readouterr().err


def test_stores_are_indexed_and_embedded_ahead_of_a_run(bridge_files, tmp_path, monkeypatch, caplog):
    assert cli.main(["store", "index", "notes", "--output", "store.sqlite"]) == 0
    assert (tmp_path / "store.sqlite").exists()
    monkeypatch.setattr(SentenceEncoder, "of", lambda _: BagOfWords())
    (tmp_path / "stores" / "1.json").unlink()
    assert cli.main(["embed", *bridge_files]) == 0
    assert sorted(path.name for path in tmp_path.rglob("*.npz")) == ["0.npz", "2.npz"]
    assert "claim 1: " in caplog.text
    assert cli.main(["embed", *bridge_files[:3], "claims.json"]) == 2


@pytest.mark.parametrize(("flag", "shows_all"), [("--help", False), ("--help-all", True)])
def test_help_shows_common_options_and_help_all_shows_all(flag, shows_all, capsys):
    assert cli.main(["verify", flag]) == 0
    shown = capsys.readouterr().out
    assert "--depth" in shown and ("--chunk-size" in shown) is shows_all


def test_a_gpu_profile_says_that_there_is_none_at_once(monkeypatch):
    monkeypatch.setattr(loading, "usable_memory", lambda: None)
    monkeypatch.setattr(loading, "version_of", lambda _: None)
    monkeypatch.setattr(SentenceEncoder, "of", lambda _: pytest.fail("an encoder was looked for"))
    with pytest.raises(ModelUnavailable, match="needs a GPU, and this machine has none"):
        load_engine(load("a10g", {}))
