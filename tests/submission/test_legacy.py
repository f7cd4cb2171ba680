"""The legacy scores: matching, groups, NLTK's METEOR over this machine's WordNet, and what is said without it."""

import json
from pathlib import Path

import nltk
import pytest
from nltk.translate.meteor_score import single_meteor_score

from submission.__main__ import main
from submission.files import SubmissionError
from submission.legacy import resources
from submission.legacy.resources import NO_PUNKT, PUNKT, Meteor, load_meteor, local_wordnet
from submission.legacy.scores import ClaimLegacy, Sources, legacy_scores
from submission.read import Gold, Pair, Pairs, read_pairing
from submission.write import predictions, write_json
from system.graph.records import Label
from tests.helpers.submission_factories import prediction, result

SOURCES = Sources(tokenization="spaces", wordnet="none")
SAME: Pairs = (("q", "a"),)


class NoSynonyms:
    def synsets(self, word: str) -> list[object]:
        return []


WORDS = Meteor(str.split, NoSynonyms())


def _claim(number: int, predicted: Pairs, gold: Pairs, right: bool = True) -> Pair:
    label = Label.REFUTED if right else Label.SUPPORTED
    of_gold = Gold(claim_id=number, claim="c", label=Label.REFUTED, pairs=gold)
    return Pair(prediction(number, "c", label, predicted), of_gold)


def _one(predicted: Pairs, gold: Pairs) -> ClaimLegacy:
    return legacy_scores([_claim(0, predicted, gold)], WORDS, SOURCES).claims[0]


def test_pairs_are_matched_one_to_one_for_the_greatest_sum() -> None:
    # Both predicted questions are nearest to the first gold question; only one of them can have it.
    claim = _one((("a b c d", "-"), ("a b c e", "-")), (("a b c d", "+"), ("e f", "+")))
    whole, part = WORDS([*"abcd"], [*"abcd"]), WORDS([*"abce"], [*"ef"])
    assert claim.questions == pytest.approx((whole + part) / 2)


def test_a_gold_question_counts_once_and_each_answer() -> None:
    claim = _one(SAME, (("q", "a"), ("q", "b")))
    assert claim.questions == pytest.approx(WORDS(["q"], ["q"]))
    assert claim.questions_and_answers == 0.9375 / 2


def test_pairs_after_the_tenth_do_not_count_and_without_pairs_the_score_is_zero() -> None:
    noise = tuple((f"x{number}", "y") for number in range(9))
    assert _one((*noise, *SAME), SAME).questions > 0
    assert _one((*noise, ("x", "y"), *SAME), SAME).questions == 0 == _one((), SAME).questions_and_answers


def test_rejects_gold_without_questions() -> None:
    with pytest.raises(SubmissionError, match="gold claim 4 has no questions"):
        legacy_scores([_claim(4, SAME, ())], WORDS, SOURCES)


def test_a_claim_counts_with_evidence_above_the_threshold_and_the_right_label() -> None:
    half = (SAME, (*SAME, ("r", "b")))  # 0.46875
    pairs = [_claim(0, *half), _claim(1, *half, right=False), _claim(2, (("x", "y"),), SAME)]
    overall = legacy_scores(pairs, WORDS, SOURCES).overall
    assert overall.averitec == {level: 1 / 3 if level < 0.46875 else 0 for level in (0.1, 0.2, 0.25, 0.3, 0.4, 0.5)}
    assert (overall.claims, overall.accuracy) == (3, 2 / 3)
    at_threshold = ClaimLegacy(claim_id=0, questions=1.0, questions_and_answers=0.25, right=True)
    assert at_threshold.counts(0.2) and not at_threshold.counts(0.25)


@pytest.mark.data
def test_the_baseline_scores_what_the_official_scorer_gave(wordnet: nltk.data.PathPointer, shared: Path) -> None:
    data = shared / "data"
    official = json.loads((data / "fever8/official_legacy_scores_150.json").read_text())
    pairs = read_pairing(data / "fever8/baseline_submission.csv", data / "averitec/dev.json").pairs[:150]
    scores = legacy_scores(pairs, *make_meteor(wordnet, punkt=False))
    for ours, theirs in zip(scores.claims, official["claims"], strict=True):
        assert ours.claim_id == theirs["id"]
        assert ours.questions == pytest.approx(theirs["questions_only"], abs=1e-9)
        assert ours.questions_and_answers == pytest.approx(theirs["questions_and_answers"], abs=1e-9)
        assert ours.counts(0.25) == theirs["averitec_025"]
    assert scores.overall.averitec[0.25] == official["mean"]["averitec_025"]


def test_meteor_is_that_of_nltk(wordnet: nltk.data.PathPointer) -> None:
    meteor, sources = make_meteor(wordnet, punkt=False)
    assert sources.wordnet.startswith("WordNet 3.0 (")
    hypothesis, reference = (text.split() for text in ("The great bridge was begun in 1932", "A big span started 1932"))
    plain = single_meteor_score(reference, hypothesis, wordnet=resources.WordNet(wordnet))
    assert meteor(hypothesis, reference) == plain > meteor.__class__(str.split, NoSynonyms())(hypothesis, reference)


@pytest.mark.parametrize(("punkt", "words"), [(True, ["In", "1932", ".", "Yes"]), (False, ["In", "1932.|Yes"])])
def test_texts_are_split_into_sentences_only_with_punkt(
    wordnet: nltk.data.PathPointer, monkeypatch: pytest.MonkeyPatch, punkt: bool, words: list[str]
) -> None:
    monkeypatch.setattr(nltk.tokenize, "sent_tokenize", lambda text, language: text.split("|"))
    meteor, sources = make_meteor(wordnet, punkt=punkt)
    assert (meteor.words("In 1932.|Yes"), sources.tokenization) == (words, PUNKT if punkt else NO_PUNKT)


def test_without_punkt_the_substitute_is_named_at_once(
    wordnet: nltk.data.PathPointer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resources, "_has_punkt", lambda: False)
    monkeypatch.setattr(nltk, "download", lambda *_, **__: pytest.fail("downloads"))
    assert "python -m nltk.downloader punkt_tab" in load_meteor()[1].tokenization


def test_without_wordnet_the_other_scores_are_computed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    monkeypatch.setattr(resources, "DEBIAN", tmp_path / "none")
    assert local_wordnet() is None
    row = {"claim": "First.", "label": "Supported", "questions": [{"question": "Q?", "answers": [{"answer": "A."}]}]}
    (tmp_path / "gold.json").write_text(json.dumps([row]))
    write_json(predictions([result(0, "First.", Label.SUPPORTED)]), tmp_path / "submission.json")
    files = ["--predictions", str(tmp_path / "submission.json"), "--gold", str(tmp_path / "gold.json")]
    assert main(["score", *files, "--metrics", "legacy"]) == 3
    printed = " ".join(capsys.readouterr().out.split())
    assert "accuracy" in printed and "not computed: legacy: METEOR needs WordNet" in printed
    assert "python -m nltk.downloader wordnet punkt_tab" in printed
