import pytest
from rich.console import Console

from submission.ev2r.judging import comparisons
from submission.ev2r.replies import Judgement, Mode, Unit
from submission.ev2r.scores import Ev2rScores, Unjudged, ev2r_scores
from submission.read import Gold, Pair, Pairs
from submission.tables import ev2r_tables
from system.graph.records import Label
from tests.helpers.submission_factories import prediction


def _pair(number: int, right: bool = True, predicted: Pairs = (("q", "a"),), gold: Pairs = (("q", "a"),)) -> Pair:
    label = Label.REFUTED if right else Label.SUPPORTED
    return Pair(
        prediction(number, "c", label, predicted),
        Gold(claim_id=number, claim="c", label=Label.REFUTED, pairs=gold),
    )


PAIRS = [_pair(0), _pair(1, right=False), _pair(2), _pair(3)]
RECALLS = {0: 0.6, 1: 0.9, 2: 0.5}  # claim 3 could not be judged


def _scores(mode: Mode) -> Ev2rScores:
    asked = comparisons(PAIRS)
    outcomes = [
        Judgement(precision=0.25, recall=RECALLS.get(one.claim_id, 1.0))
        if one.claim_id in RECALLS or one.unit is Unit.QUESTIONS
        else "unreadable reply: half"
        for one in asked
    ]
    return ev2r_scores(PAIRS, asked, outcomes, "a judge", mode)


def test_each_claim_is_compared_twice_with_all_its_pairs() -> None:
    many = tuple((f"q{number}", "a") for number in range(12))
    both = comparisons([_pair(5, predicted=many)])
    assert [(one.claim_id, one.unit, len(one.predicted)) for one in both] == [
        (5, Unit.EVIDENCE, 12),
        (5, Unit.QUESTIONS, 12),
    ]


def test_strict_means_leave_out_and_name_the_unjudged() -> None:
    scores = _scores(Mode.STRICT)
    evidence = scores.units[Unit.EVIDENCE]
    assert (evidence.claims, evidence.recall.mean) == (3, pytest.approx(2 / 3))
    assert scores.units[Unit.QUESTIONS].claims == 4
    assert scores.averitec is not None and scores.averitec.mean == pytest.approx(1 / 3)
    assert scores.unjudged == (Unjudged(claim_id=3, unit=Unit.EVIDENCE, reason="unreadable reply: half"),)
    assert Unit.EVIDENCE not in scores.claims[3].judgements


def test_compatible_means_count_it_as_zero_and_name_it_too() -> None:
    scores = _scores(Mode.COMPATIBLE)
    evidence = scores.units[Unit.EVIDENCE]
    assert (evidence.claims, evidence.recall.mean) == (4, pytest.approx(0.5))
    assert scores.averitec is not None and scores.averitec.mean == 0.25
    assert len(scores.unjudged) == 1


def test_a_claim_counts_with_evidence_and_the_right_label() -> None:
    # At 0.5 claim 2 does not count, since its recall is not above; claim 1 never does, since its label is wrong.
    curve = _scores(Mode.STRICT).curve
    assert [curve[threshold] for threshold in (0.1, 0.4, 0.5, 0.6, 0.9)] == pytest.approx([2 / 3, 2 / 3, 1 / 3, 0, 0])


def test_without_any_judgement_there_are_no_means() -> None:
    asked = comparisons(PAIRS)
    scores = ev2r_scores(PAIRS, asked, ["no"] * len(asked), "a judge", Mode.STRICT)
    assert (scores.units, scores.averitec, scores.curve) == ({}, None, {})
    assert len(scores.unjudged) == 2 * len(PAIRS)


def test_tables_name_the_judge_the_intervals_and_what_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    Console(width=100).print(*ev2r_tables(_scores(Mode.STRICT)), sep="\n")
    out = capsys.readouterr().out
    lines = [[cell.strip() for cell in line.strip("│ ").split("│")] for line in out.splitlines()]
    assert ["Q+A recall", "3", "0.667"] in [line[:3] for line in lines]
    assert ["Q recall", "4", "0.750"] in [line[:3] for line in lines]
    assert "judge: a judge; replies read in strict mode" in out
    assert "1 of 4 claims could not be judged in full, not counted in the means:" in out
    assert "claim 3, evidence: unreadable reply: half" in out
