"""The one-minute rule and the organisers' text form."""

import pytest
from report_factories import FACTS, TEXT, graph_of, result_of

from submission.report.time_rule import time_verdict, write_measured_timings
from submission.timings import time_report
from system.records import Claim


def report(*seconds, **facts):
    claim = Claim(id=0, text=TEXT)
    results = [result_of(claim, graph_of(claim), seconds=one) for one in seconds]
    return time_report(results, FACTS.model_copy(update=facts))


def test_mean_worst_and_wall_time_are_told_apart():
    verdict = time_verdict(report(10.0, 20.0, 90.0, run_seconds=50.0, model_load_seconds=10.0))
    assert (verdict.mean, verdict.worst, verdict.over) == (40.0, 90.0, 1)
    assert verdict.wall == pytest.approx(20.0)
    assert verdict.keeps_rule
    assert "keeps the one-minute rule: 20.0 s of wall time" in verdict.sentence


@pytest.mark.parametrize(
    "broken", [report(70.0, 80.0, run_seconds=80.0), report(10.0, 10.0, run_seconds=100.0, model_load_seconds=30.0)]
)
def test_the_rule_is_broken_by_either_clock(broken):
    verdict = time_verdict(broken)
    assert not verdict.keeps_rule
    assert "breaks the one-minute rule" in verdict.sentence


def test_tokens_and_calls_are_means_of_the_claims():
    one, two = time_verdict(report(1.0)), time_verdict(report(1.0, 1.0))
    assert one.cost.tokens_in > 0
    assert one.cost == two.cost


def test_the_organisers_form_has_whole_seconds(tmp_path):
    path = tmp_path / "measured_timings.txt"
    write_measured_timings(report(1.0, run_seconds=3725.9, model_load_seconds=59.4), path)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line.startswith("Duration")] == ["Duration: 00:00:59", "Duration: 01:02:05"]
    assert lines[-1] == "Total execution time: 01:03:05"
