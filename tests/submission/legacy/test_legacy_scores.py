import json
from pathlib import Path

import pytest

from submission.files import SubmissionError
from submission.legacy.resources import NO_PUNKT, Meteor, make_meteor
from submission.legacy.scores import Sources, legacy_scores
from submission.read import Gold, Pair, Pairs, read_predictions, read_scored_gold
from submission.read import pair as pair_up
from system.graph.records import Label
from tests.helpers.submission_factories import prediction

SOURCES = Sources(tokenization="spaces", wordnet="none")


class NoSynonyms:
    def synonyms(self, word: str) -> frozenset[str]:
        return frozenset()


WORDS = Meteor(str.split, NoSynonyms())


def _claim(number: int, predicted: Pairs, gold: Pairs, right: bool = True, types: tuple[str, ...] = ()) -> Pair:
    label = Label.REFUTED if right else Label.SUPPORTED
    return Pair(
        prediction(number, "c", label, predicted),
        Gold(claim_id=number, claim="c", label=Label.REFUTED, pairs=gold, types=types),
    )


def _one(predicted: Pairs, gold: Pairs):
    return legacy_scores([_claim(0, predicted, gold)], WORDS, SOURCES).claims[0]


def test_pairs_are_matched_one_to_one_for_the_greatest_sum() -> None:
    # Both predicted questions are nearest to the first gold question; only one of them can have it.
    claim = _one((("a b c d", "-"), ("a b c e", "-")), (("a b c d", "+"), ("e f", "+")))
    whole, part = WORDS([*"abcd"], [*"abcd"]), WORDS([*"abce"], [*"ef"])
    assert claim.questions == pytest.approx((whole + part) / 2)


def test_a_gold_question_counts_once_and_each_answer() -> None:
    claim = _one((("q", "a"),), (("q", "a"), ("q", "b")))
    assert claim.questions == pytest.approx(WORDS(["q"], ["q"]))
    assert claim.questions_and_answers == 0.9375 / 2


def test_pairs_after_the_tenth_do_not_count() -> None:
    noise = tuple((f"x{number}", "y") for number in range(9))
    gold = (("q", "a"),)
    assert _one((*noise, ("q", "a")), gold).questions > 0
    assert _one((*noise, ("x", "y"), ("q", "a")), gold).questions == 0


def test_a_prediction_without_pairs_scores_zero() -> None:
    claim = _one((), (("q", "a"),))
    assert (claim.questions, claim.questions_and_answers) == (0, 0)


def test_rejects_gold_without_questions() -> None:
    with pytest.raises(SubmissionError, match="gold claim 4 has no questions"):
        legacy_scores([_claim(4, (("q", "a"),), ())], WORDS, SOURCES)


def test_a_claim_counts_with_evidence_and_the_right_label() -> None:
    half = ((("q", "a"),), (("q", "a"), ("r", "b")))  # 0.46875
    pairs = [_claim(0, *half), _claim(1, *half, right=False), _claim(2, (("x", "y"),), (("q", "a"),))]
    overall = legacy_scores(pairs, WORDS, SOURCES).overall
    assert overall.averitec == {level: 1 / 3 if level < 0.46875 else 0 for level in (0.1, 0.2, 0.25, 0.3, 0.4, 0.5)}
    assert (overall.claims, overall.accuracy) == (3, 2 / 3)
    assert overall.questions_and_answers == pytest.approx(2 * 0.46875 / 3)


def test_a_score_at_the_threshold_does_not_count() -> None:
    class Exact(Meteor):
        def __call__(self, hypothesis, reference):
            return 0.25

    exact = Exact(str.split, NoSynonyms())
    averitec = legacy_scores([_claim(0, (("q", "a"),), (("q", "a"),))], exact, SOURCES).overall.averitec
    assert (averitec[0.2], averitec[0.25]) == (1, 0)


def test_groups_are_by_gold_label_and_by_each_type() -> None:
    gold = (("q", "a"),)
    pairs = [_claim(0, gold, gold, types=("Quote", "Causal")), _claim(1, (), gold, right=False, types=("Quote",))]
    scores = legacy_scores(pairs, WORDS, SOURCES)
    assert {label: group.claims for label, group in scores.by_label.items()} == {Label.REFUTED: 2}
    assert {name: (group.claims, group.accuracy) for name, group in scores.by_type.items()} == {
        "Causal": (1, 1.0),
        "Quote": (2, 0.5),
    }


@pytest.fixture(scope="module")
def baseline(shared: Path) -> list[Pair]:
    data = shared / "data"
    predicted = read_predictions(data / "fever8" / "baseline_submission.csv")
    return list(pair_up(predicted, read_scored_gold(data / "averitec" / "dev.json")).pairs)


@pytest.mark.data
def test_the_baseline_scores_what_the_official_scorer_gave(
    baseline: list[Pair], wordnet_folder: Path, shared: Path
) -> None:
    official = json.loads((shared / "data/fever8/official_legacy_scores_150.json").read_text())
    scores = legacy_scores(baseline[:150], *make_meteor(wordnet_folder, punkt=False))
    assert official["tokenization"].endswith(NO_PUNKT)
    for ours, theirs in zip(scores.claims, official["claims"], strict=True):
        assert ours.claim_id == theirs["id"]
        assert ours.questions == pytest.approx(theirs["questions_only"], abs=1e-9)
        assert ours.questions_and_answers == pytest.approx(theirs["questions_and_answers"], abs=1e-9)
        assert (ours.right and ours.questions_and_answers > 0.25) == theirs["averitec_025"]
    mean = official["mean"]
    assert scores.overall.questions == pytest.approx(mean["questions_only"], abs=1e-9)
    assert scores.overall.questions_and_answers == pytest.approx(mean["questions_and_answers"], abs=1e-9)
    assert scores.overall.averitec[0.25] == mean["averitec_025"]
