import csv
import json
import statistics
from pathlib import Path

import pytest

from system.graph.records import ClaimResult, Cost
from system.report.timings import (
    ClaimTiming,
    RunFacts,
    TimeReport,
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


def _results(*seconds: float) -> list[ClaimResult]:
    return [result(number, seconds=value) for number, value in enumerate(seconds)]


def test_a_claim_keeps_its_time_its_cost_and_its_failures() -> None:
    one = result(3, seconds=2.5, stages={"ask": 1.0}, cost=COST, cut_short=True, failures=["merge", "merge"])
    assert time_report([one], FACTS).claims == (
        ClaimTiming(
            claim_id=3,
            seconds=2.5,
            stages={"ask": 1.0},
            calls=4,
            tokens_in=100,
            tokens_cached=30,
            tokens_out=20,
            queue_seconds=0.25,
            decode_seconds=0.5,
            rounds=2,
            branches=3,
            cut_short=True,
            failures=("merge", "merge"),
        ),
    )


def test_the_run_is_summed_up_over_its_claims() -> None:
    seconds = [1.0, 2.0, 3.0, 4.0, 30.0]
    run = time_report(_results(*seconds), FACTS).run
    assert (run.claims, run.mean, run.p50, run.max) == (5, statistics.mean(seconds), statistics.median(seconds), 30.0)
    assert run.p95 == pytest.approx(statistics.quantiles(seconds, n=100, method="inclusive")[94])
    assert run.over_budget == pytest.approx(1 / 5)
    assert run.facts == FACTS


def test_counts_duplicate_questions_and_their_replacements() -> None:
    plain = result(0)
    wide = plain.model_copy(update={"timing": plain.timing.model_copy(update={"duplicates": 3, "replaced": 2})})
    report = time_report([plain, wide], FACTS)
    assert [(claim.duplicates, claim.replaced) for claim in report.claims] == [(0, 0), (3, 2)]
    assert (report.run.duplicates, report.run.replaced) == (3, 2)


def test_counts_costs_failures_and_cut_short_claims() -> None:
    results = [result(0, cost=COST, failures=["ask", "merge"], cut_short=True), result(1, cost=COST, failures=["ask"])]
    run = time_report(results, FACTS).run
    assert (run.cost.calls, run.cost.tokens_in, run.cost.tokens_cached, run.cost.tokens_out) == (8, 200, 60, 40)
    assert run.failures == {"ask": 2, "merge": 1}
    assert run.cut_short == 1


def test_a_stage_that_a_claim_lacks_counts_as_nothing() -> None:
    results = [result(0, stages={"rank": 1.0, "ask": 3.0}), result(1, stages={"rank": 2.0})]
    assert time_report(results, FACTS).run.stages == {"rank": 1.5, "ask": 1.5}


@pytest.mark.parametrize(("run_seconds", "within"), [(100.0, True), (120.0, False)])
def test_the_one_minute_rule_is_about_the_run(run_seconds: float, within: bool) -> None:
    """Two claims in flight together may each take longer than a minute by their own clocks."""
    facts = FACTS.model_copy(update={"run_seconds": run_seconds})
    run = time_report(_results(99.0, 99.0), facts).run
    assert run.within_rule is within
    assert run.verdict.startswith("within" if within else "over")
    assert f"{(run_seconds + 12.5) / 2:.2f} s per claim over the whole run" in run.verdict


def test_the_json_states_what_is_not_timed(tmp_path: Path) -> None:
    write_timings_json(time_report(_results(1.0, 2.0), FACTS), tmp_path / "timings.json")
    report = json.loads((tmp_path / "timings.json").read_text())
    assert report["run"]["mean"] == 1.5
    assert report["run"]["facts"]["model_load_seconds"] == 12.5
    assert "Not counted: loading the models" in report["run"]["clock"]
    assert [claim["claim_id"] for claim in report["claims"]] == [0, 1]


def test_the_csv_has_a_row_a_claim_and_a_column_a_stage(tmp_path: Path) -> None:
    results = [
        result(4, stages={"rank": 0.5}, cost=COST, failures=["ask", "merge"]),
        result(5, seconds=2.0, stages={"rank": 0.25, "ask": 1.0}, cut_short=True),
    ]
    write_timings_csv(time_report(results, FACTS), tmp_path / "timings.csv")
    with (tmp_path / "timings.csv").open(newline="") as file:
        first, second = csv.DictReader(file)
    assert list(first)[-3:] == ["failures", "seconds_rank", "seconds_ask"]
    assert (first["claim_id"], first["tokens_cached"], first["failures"]) == ("4", "30", "ask; merge")
    assert (first["seconds_rank"], first["seconds_ask"]) == ("0.5", "0.0")
    assert (second["seconds"], second["seconds_ask"], second["cut_short"]) == ("2.0", "1.0", "True")


def report(*seconds: float, **facts: float) -> TimeReport:
    return time_report([result(seconds=one, cost=COST) for one in seconds], FACTS.model_copy(update=facts))


def test_distinguishes_mean_worst_and_wall_time() -> None:
    run = report(10.0, 20.0, 90.0, run_seconds=50.0, model_load_seconds=10.0).run
    assert (run.mean, run.max) == (40.0, 90.0)
    assert run.wall == pytest.approx(20.0)
    assert run.within_rule
    assert "keeps the one-minute rule: 20.0 s per claim" in run.sentence
    assert "2 min early" in run.sentence


def test_loading_counts_against_the_rule() -> None:
    run = report(10.0, 10.0, run_seconds=100.0, model_load_seconds=80.0).run
    assert not run.within_rule
    assert "breaks the one-minute rule: 90.0 s" in run.sentence
    assert "1 min late" in run.sentence


def test_tokens_and_calls_are_means_of_the_claims() -> None:
    one, two = report(1.0).run.mean_cost, report(1.0, 1.0).run.mean_cost
    assert one.tokens_in > 0
    assert one == two


def test_the_organizers_form_has_whole_seconds(tmp_path: Path) -> None:
    path = tmp_path / "measured_timings.txt"
    write_measured_timings(report(1.0, run_seconds=3725.9, model_load_seconds=59.4), path)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line.startswith("Duration")] == ["Duration: 00:00:59", "Duration: 01:02:05"]
    assert lines[-1] == "Total execution time: 01:03:05"


def test_the_limit_of_a_claim_is_named() -> None:
    facts = FACTS.model_copy(update={"limit_seconds": 300.0})
    assert "(300 s is the limit)" in time_report(_results(1.0), facts).run.sentence
