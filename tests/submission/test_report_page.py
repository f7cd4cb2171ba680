"""The page as a file: it stands alone and shows hostile text as text; what cannot be reported on is named."""

import base64
import gzip
import hashlib
import json
import re
from html.parser import HTMLParser

import pytest

from submission.files import SubmissionError
from submission.report import read_run, write_report
from system.files.journal import JournalError
from system.graph.records import Claim, Label
from system.report.page import claim_page
from tests.helpers.report_factories import (
    CHUNK,
    HISTORY,
    QUOTE,
    TEXT,
    four_claims,
    gold_item,
    graph_of,
    result_of,
    write_gold,
    write_run,
)

HOSTILE = '</script><script>document.title = "owned"</script><img src=x onerror=alert(1)> \u2028 \u202eevil\u202c "\'&'


class Page(HTMLParser):
    """Elements and texts of a page."""

    def __init__(self, html):
        super().__init__()
        self.elements, self.texts = [], {}
        self._inside = None
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self._inside = dict(attributes) | {"tag": tag}
        self.elements.append(self._inside)

    def handle_endtag(self, tag):
        self._inside = None

    def handle_data(self, data):
        if self._inside and self._inside["tag"] in ("script", "style"):
            name = self._inside.get("id", self._inside["tag"])
            self.texts[name] = self.texts.get(name, "") + data


def page_of(path):
    return Page(path.read_text(encoding="utf-8"))


@pytest.fixture
def report(tmp_path):
    return write_report(*four_claims(tmp_path))


def test_the_page_stands_alone_and_allows_only_its_own_script_and_style(report):
    page = page_of(report)
    addresses = [one.get(name) for one in page.elements for name in ("src", "href", "action", "data") if one.get(name)]
    assert addresses and [one for one in addresses if not one.startswith(("#", "data:"))] == []
    policy = next(one["content"] for one in page.elements if one.get("http-equiv"))
    for name in ("script", "style"):
        digest = base64.b64encode(hashlib.sha256(page.texts[name].encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}';" in policy
    assert "default-src 'none'" in policy and "unsafe" not in policy
    assert [path.name for path in (report.parent / "figures").iterdir()] == ["seconds.svg"]
    assert "Total execution time" in (report.parent / "measured_timings.txt").read_text(encoding="utf-8")


def test_hostile_text_makes_no_element_in_the_page_of_a_run(tmp_path):
    claim = Claim(id=0, text=HOSTILE, speaker=HOSTILE)
    graph = graph_of(claim, chunk=f"{CHUNK} {HOSTILE}", url="javascript:alert(1)")
    item = gold_item(HOSTILE, Label.REFUTED, justification=HOSTILE, claim_types=[HOSTILE])
    run = write_run(tmp_path / "run", [(result_of(claim, graph), graph)])
    page = page_of(write_report(run, write_gold(tmp_path / "gold.json", [item])))
    assert [one.get("type") for one in page.elements if one["tag"] == "script"] == ["application/octet-stream", None]
    assert not [one for one in page.elements if one["tag"] == "img" or any(name.startswith("on") for name in one)]


def test_hostile_text_makes_no_element_in_the_page_of_a_claim():
    claim = Claim(id=7, text=HOSTILE)
    graph = graph_of(claim, chunk=f"{CHUNK} {HOSTILE}")
    page = Page(claim_page(result_of(claim, graph), graph.to_json()))
    assert {one["tag"] for one in page.elements}.isdisjoint({"img", "iframe", "form"})
    assert [one.get("id") for one in page.elements if one["tag"] == "script"] == ["data-claim", None]
    assert re.fullmatch(r"[A-Za-z0-9+/=]+", page.texts["data-claim"])  # an alphabet that closes no element
    details = json.loads(gzip.decompress(base64.b64decode(page.texts["data-claim"])))
    assert (details["claim"], details["gold"]) == (HOSTILE, None)
    assert len(details["thoughts"]) == len(graph.to_json()["thoughts"])


def test_the_rows_say_what_the_list_filters_by(report):
    rows = {one["id"]: one for one in page_of(report).elements if one["tag"] == "tr" and "id" in one}
    assert {name: row["data-is"] for name, row in rows.items()} == {
        "row-0": "right debated",
        "row-1": "wrong",
        "row-2": "wrong failed cut-short",
        "row-3": "right slow",
    }
    assert rows["row-2"]["data-incident"].split("|") == [
        "failed: final verdict",
        "no verdict: the label stands for a failure",
        "ran out of time; decided by what was found until then",
    ]


def test_scores_of_other_metrics_are_shown_where_their_file_is(tmp_path):
    run, gold = four_claims(tmp_path)
    scores = {"labels": {"accuracy": 0.5}, "legacy": {"qa_meteor": 0.4321, "claims": [1, 2], "note": "text"}}
    (run / "scores.json").write_text(json.dumps(scores), encoding="utf-8")
    html = write_report(run, gold).read_text(encoding="utf-8")
    assert "legacy.qa_meteor" in html and "0.4321" in html
    assert "labels.accuracy" not in html


def test_another_systems_predictions_get_scores_but_no_times(tmp_path):
    run, gold = four_claims(tmp_path)
    folder = tmp_path / "other"
    html = write_report(folder, gold, run / "submission.csv").read_text(encoding="utf-8")
    assert 'id="scores"' in html
    assert 'id="time"' not in html and not (folder / "measured_timings.txt").exists()
    assert HISTORY not in html


def sections(html):
    """The parts of a page in their order."""
    return re.findall(r'<section(?: class="(?:example|figures)")? (?:id|aria-label)="([\w ]+)"', html)


def test_a_run_opens_with_its_claims_or_with_its_scores(tmp_path):
    folder, gold = four_claims(tmp_path)
    of_claims = ["claims", "Key figures", "time", "incidents", "setup"]
    of_scores = ["Key figures", "scores", "time", "incidents", "claims", "setup"]
    without = write_report(folder).read_text(encoding="utf-8")
    assert sections(without) == of_claims
    assert not re.search(r'id="scores"|name="is" value="(right|wrong)"', without)
    assert "3 of 4 claims decided: <a" in without and ">1 Not Enough Evidence</a>." in without
    assert sections(write_report(folder, gold).read_text(encoding="utf-8")) == of_scores
    setup = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    (folder / "run.json").write_text(json.dumps(setup | {"documents": True}), encoding="utf-8")
    documents = write_report(folder, gold).read_text(encoding="utf-8")
    assert sections(documents) == ["claims", "Key figures", "scores", "time", "incidents", "setup"]


def test_the_first_thing_is_a_claim_with_the_sentence_that_decides_it(tmp_path):
    graph = graph_of(claim := Claim(id=0, text=TEXT))
    result = result_of(claim, graph)
    quoting = result.verdict.model_copy(update={"justification": f"history.example says: “{QUOTE}”"})
    run = write_run(tmp_path, [(result.model_copy(update={"verdict": quoting}), graph)])
    html = write_report(run).read_text(encoding="utf-8")
    assert sections(html)[0] == "Example"
    example = html[html.index('aria-label="Example"') : html.index('id="claims"')]
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
