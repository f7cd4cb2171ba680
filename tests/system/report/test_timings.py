"""The time report: what a claim and a run took, and whether that keeps the one-minute rule."""

import csv
import json
import statistics
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from system.graph.records import Cost
from system.report.charts import histogram
from system.report.timings import (
    RunFacts,
    RunTiming,
    time_report,
    write_measured_timings,
    write_timings_csv,
    write_timings_json,
)
from tests.helpers.submission_factories import result

FACTS = RunFacts(budget_seconds=10.0, run_seconds=90.0, model_load_seconds=12.5, peak_memory_gib=3.5)
COST = Cost(
    queue_seconds=0.25, decode_seconds=0.5, seconds=9.0, calls=4, tokens_in=100, tokens_cached=30, tokens_out=20
)


def run_of(*seconds: float, **facts: float) -> RunTiming:
    return time_report([result(seconds=one, cost=COST) for one in seconds], FACTS.model_copy(update=facts)).run


def test_a_run_is_summed_up_over_its_claims() -> None:
    seconds = [1.0, 2.0, 3.0, 4.0, 30.0]
    run = run_of(*seconds)
    assert (run.claims, run.mean, run.p50, run.max) == (5, statistics.mean(seconds), statistics.median(seconds), 30.0)
    assert run.p95 == pytest.approx(statistics.quantiles(seconds, n=100, method="inclusive")[94])
    assert run.over_budget == pytest.approx(1 / 5)
    assert (run.cost.calls, run.cost.tokens_in, run.cost.tokens_cached, run.cost.tokens_out) == (20, 500, 150, 100)
    assert run.mean_cost == run_of(1.0).mean_cost and run.facts == FACTS


def test_counts_failures_stages_and_replaced_questions() -> None:
    one = result(0, stages={"rank": 1.0, "ask": 3.0}, failures=["ask", "merge"], cut_short=True)
    other = result(1, stages={"rank": 2.0}, failures=["ask"])
    other = other.model_copy(update={"timing": other.timing.model_copy(update={"duplicates": 3, "replaced": 2})})
    run = time_report([one, other], FACTS).run
    assert (run.failures, run.cut_short) == ({"ask": 2, "merge": 1}, 1)
    assert run.stages == {"rank": 1.5, "ask": 1.5}  # a stage that a claim lacks counts as nothing
    assert (run.duplicates, run.replaced) == (3, 2)


@given(st.lists(st.floats(1e-6, 1e7), min_size=1, max_size=30))
def test_the_bars_of_the_histogram_hold_every_claim(seconds):
    drawn = ElementTree.fromstring(histogram(time_report([result(seconds=one) for one in seconds], FACTS)))
    titles = [title.text for title in drawn.iter("{http://www.w3.org/2000/svg}title")]
    bars = [title for title in titles if title.endswith("claims")]
    assert sum(int(bar.split(": ")[1].split()[0]) for bar in bars) == len(seconds)


@pytest.mark.parametrize(
    ("seconds", "run_seconds", "loading", "within", "words"),
    [
        ((99.0, 99.0), 100.0, 12.5, True, "keeps the one-minute rule: 56.2 s per claim"),  # two in flight together
        ((10.0, 20.0, 90.0), 50.0, 10.0, True, "2 min early"),
        ((10.0, 10.0), 100.0, 80.0, False, "breaks the one-minute rule: 90.0 s"),  # loading counts
        ((10.0, 10.0), 100.0, 80.0, False, "1 min late"),
    ],
)
def test_the_one_minute_rule_is_about_the_run(seconds, run_seconds, loading, within, words) -> None:
    run = run_of(*seconds, run_seconds=run_seconds, model_load_seconds=loading, limit_seconds=300.0)
    assert run.within_rule is within and run.wall == pytest.approx((run_seconds + loading) / len(seconds))
    assert words in run.sentence and "(300 s is the limit)" in run.sentence
    assert run.verdict.startswith("within" if within else "over")
    assert f"{run.wall:.2f} s per claim over the whole run" in run.verdict


def test_the_files_hold_the_run_the_claims_and_the_organizers_form(tmp_path: Path) -> None:
    results = [
        result(4, stages={"rank": 0.5}, cost=COST, failures=["ask", "merge"]),
        result(5, seconds=2.0, stages={"rank": 0.25, "ask": 1.0}, cut_short=True),
    ]
    report = time_report(results, FACTS.model_copy(update={"run_seconds": 3725.9, "model_load_seconds": 59.4}))
    write_timings_json(report, tmp_path / "timings.json")
    saved = json.loads((tmp_path / "timings.json").read_text())
    assert (saved["run"]["mean"], saved["run"]["facts"]["model_load_seconds"]) == (1.5, 59.4)
    assert "Not counted: loading the models" in saved["run"]["clock"]
    write_timings_csv(report, tmp_path / "timings.csv")
    with (tmp_path / "timings.csv").open(newline="") as file:
        first, second = csv.DictReader(file)
    costs = {"calls": "4", "tokens_in": "100", "tokens_cached": "30", "tokens_out": "20"}
    waits = {"queue_seconds": "0.25", "decode_seconds": "0.5"}
    graph = {"rounds": "2", "branches": "3", "cut_short": "False", "duplicates": "0", "replaced": "0"}
    stages = {"failures": "ask; merge", "seconds_rank": "0.5", "seconds_ask": "0.0"}
    assert first == {"claim_id": "4", "seconds": "1.0", **costs, **waits, **graph, **stages}
    assert list(first)[-3:] == list(stages)
    assert (second["seconds"], second["seconds_ask"], second["cut_short"]) == ("2.0", "1.0", "True")
    write_measured_timings(report, tmp_path / "measured.txt")
    lines = (tmp_path / "measured.txt").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line.startswith("Duration")] == ["Duration: 00:00:59", "Duration: 01:02:05"]
    assert lines[-1] == "Total execution time: 01:03:05"
