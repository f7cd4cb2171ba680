"""The page as a file: it stands alone and shows hostile text as text; what cannot be reported on is named."""

import base64
import gzip
import hashlib
import json
import re

import pytest
from lxml import html

from submission.files import SubmissionError
from submission.report import read_run, write_report
from system.files.journal import JournalError
from system.graph.records import Claim
from system.report.page import claim_page
from tests.helpers.report_factories import (
    CHUNK,
    HISTORY,
    HOSTILE,
    QUOTE,
    TEXT,
    four_claims,
    graph_of,
    hostile_report,
    result_of,
    write_run,
)


def page_of(path):
    return html.fromstring(path.read_text(encoding="utf-8"))


@pytest.fixture
def report(tmp_path):
    return write_report(*four_claims(tmp_path))


def test_the_page_stands_alone_and_allows_only_its_own_script_and_style(report):
    page = page_of(report)
    addresses = page.xpath("//@src | //@href | //@action | //@data")
    assert addresses and [one for one in addresses if not one.startswith(("#", "data:"))] == []
    [policy] = page.xpath("//meta[@http-equiv]/@content")
    for name in ("script", "style"):
        [text] = page.xpath(f"//{name}[not(@id)]/text()")
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}';" in policy
    assert "default-src 'none'" in policy and "unsafe" not in policy
    assert [path.name for path in (report.parent / "figures").iterdir()] == ["seconds.svg"]
    assert "Total execution time" in (report.parent / "measured_timings.txt").read_text(encoding="utf-8")


def test_hostile_text_makes_no_element_in_the_page_of_a_run(tmp_path):
    page = page_of(hostile_report(tmp_path))
    assert [one.get("type") for one in page.iter("script")] == ["application/octet-stream", None]
    assert not page.xpath("//img | //*[@*[starts-with(name(), 'on')]]")


def test_hostile_text_makes_no_element_in_the_page_of_a_claim():
    claim = Claim(id=7, text=HOSTILE)
    graph = graph_of(claim, chunk=f"{CHUNK} {HOSTILE}")
    page = html.fromstring(claim_page(result_of(claim, graph), graph.to_json()))
    assert not page.xpath("//img | //iframe | //form")
    data, code = page.iter("script")
    assert (data.get("id"), code.get("id")) == ("data-claim", None)
    assert re.fullmatch(r"[A-Za-z0-9+/=]+", data.text)  # an alphabet that closes no element
    details = json.loads(gzip.decompress(base64.b64decode(data.text)))
    assert (details["claim"], details["gold"]) == (HOSTILE, None)
    assert len(details["thoughts"]) == len(graph.to_json()["thoughts"])


def test_the_rows_say_what_the_list_filters_by(report):
    rows = {row.get("id"): row for row in page_of(report).xpath("//tr[@id]")}
    assert {name: row.get("data-is") for name, row in rows.items()} == {
        "row-0": "right debated",
        "row-1": "wrong",
        "row-2": "wrong failed cut-short",
        "row-3": "right slow",
    }
    assert rows["row-2"].get("data-incident").split("|") == [
        "failed: final verdict",
        "no verdict: the label stands for a failure",
        "ran out of time; decided by what was found until then",
    ]


def test_scores_of_other_metrics_are_shown_where_their_file_is(tmp_path):
    run, gold = four_claims(tmp_path)
    scores = {"labels": {"accuracy": 0.5}, "legacy": {"qa_meteor": 0.4321, "claims": [1, 2], "note": "text"}}
    (run / "scores.json").write_text(json.dumps(scores), encoding="utf-8")
    text = write_report(run, gold).read_text(encoding="utf-8")
    assert "legacy.qa_meteor" in text and "0.4321" in text
    assert "labels.accuracy" not in text


def test_another_systems_predictions_get_scores_but_no_times(tmp_path):
    run, gold = four_claims(tmp_path)
    folder = tmp_path / "other"
    text = write_report(folder, gold, run / "submission.csv").read_text(encoding="utf-8")
    assert 'id="scores"' in text
    assert 'id="time"' not in text and not (folder / "measured_timings.txt").exists()
    assert HISTORY not in text


def sections(path):
    """The parts of a page in their order."""
    return [one.get("id") or one.get("aria-label") for one in page_of(path).iter("section")]


def test_a_run_opens_with_its_claims_or_with_its_scores(tmp_path):
    folder, gold = four_claims(tmp_path)
    path = write_report(folder)
    assert sections(path) == ["claims", "Key figures", "time", "incidents", "setup"]
    without = path.read_text(encoding="utf-8")
    assert not re.search(r'id="scores"|name="is" value="(right|wrong)"', without)
    assert "3 of 4 claims decided: <a" in without and ">1 Not Enough Evidence</a>." in without
    of_scores = ["Key figures", "scores", "time", "incidents", "claims", "setup"]
    assert sections(write_report(folder, gold)) == of_scores
    setup = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    (folder / "run.json").write_text(json.dumps(setup | {"documents": True}), encoding="utf-8")
    of_documents = ["claims", "Key figures", "scores", "time", "incidents", "setup"]
    assert sections(write_report(folder, gold)) == of_documents


def test_the_first_thing_is_a_claim_with_the_sentence_that_decides_it(tmp_path):
    graph = graph_of(claim := Claim(id=0, text=TEXT))
    result = result_of(claim, graph)
    quoting = result.verdict.model_copy(update={"justification": f"history.example says: “{QUOTE}”"})
    path = write_report(write_run(tmp_path, [result.model_copy(update={"verdict": quoting})], [graph]))
    assert sections(path)[0] == "Example"
    example = html.tostring(next(page_of(path).iter("section")), encoding="unicode")
    assert TEXT in example and f"<mark>{QUOTE}</mark>" in example and HISTORY in example


@pytest.fixture
def run(tmp_path):
    return four_claims(tmp_path)[0]


def test_an_unfinished_run_says_how_to_finish_it(run):
    (run / "timings.json").unlink()
    with pytest.raises(SubmissionError, match="--resume"):
        read_run(run)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("journal.jsonl", '{"identity": {}}\n{"claim": 1}\n', "line 2"),
        ("timings.json", '{"run": {}}', "run.claims"),
        ("run.json", "[]", "expected a JSON object"),
        ("run.json", "{", "line 1"),
    ],
)
def test_a_damaged_file_is_named_with_its_place(run, name, text, message):
    (run / name).write_text(text, encoding="utf-8")
    with pytest.raises((SubmissionError, JournalError), match=f"{name}.*{message}"):
        read_run(run)


def test_a_missing_graph_is_empty_and_a_damaged_one_an_error(run):
    assert read_run(run).graph_of(7).nodes == ()
    (run / "graphs" / "0.json").write_text('{"thoughts": [{"id": 1}]}', encoding="utf-8")
    with pytest.raises(SubmissionError, match=r"0\.json.*delete this file .* check the claim again with --resume"):
        read_run(run).graph_of(0)
