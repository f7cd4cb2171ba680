"""The legacy scores: matching, NLTK's METEOR over this machine's WordNet, and what is said without it."""

import json
import sys
from types import SimpleNamespace

import nltk
import pytest
from nltk.translate.meteor_score import single_meteor_score

from submission.__main__ import main
from submission.files import SubmissionError
from submission.legacy import resources
from submission.legacy.resources import NO_PUNKT, PUNKT, Meteor, load_meteor
from submission.legacy.scores import ClaimLegacy, Sources, legacy_scores
from submission.read import read_pairing
from submission.score import ScoreReport
from tests.helpers.submission_factories import paired, result

SAME = (("q", "a"),)
WORDS = Meteor(str.split, SimpleNamespace(synsets=lambda word: []))


def scores_of(*pairs):
    return legacy_scores(pairs, WORDS, Sources(tokenization="spaces", wordnet="none"))


def one(predicted, gold):
    return scores_of(paired(0, predicted, gold)).claims[0]


def test_pairs_are_matched_one_to_one_for_the_greatest_sum():
    claim = one((("a b c d", "-"), ("a b c e", "-")), (("a b c d", "+"), ("e f", "+")))  # both nearest to the first
    whole, part = WORDS([*"abcd"], [*"abcd"]), WORDS([*"abce"], [*"ef"])
    assert claim.questions == pytest.approx((whole + part) / 2)


def test_a_gold_question_counts_once_and_each_answer():
    claim = one(SAME, (("q", "a"), ("q", "b")))
    assert claim.questions == pytest.approx(WORDS(["q"], ["q"]))
    assert claim.questions_and_answers == 0.9375 / 2


def test_pairs_after_the_tenth_do_not_count_and_without_pairs_the_score_is_zero():
    noise = tuple((f"x{number}", "y") for number in range(9))
    assert one((*noise, *SAME), SAME).questions > 0
    assert one((*noise, ("x", "y"), *SAME), SAME).questions == 0 == one((), SAME).questions_and_answers


def test_rejects_gold_without_questions():
    with pytest.raises(SubmissionError, match="gold claim 4 has no questions"):
        scores_of(paired(4, SAME, ()))


def test_a_claim_counts_with_evidence_above_the_threshold_and_the_right_label():
    half = (SAME, (*SAME, ("r", "b")))  # 0.46875
    overall = scores_of(paired(0, *half), paired(1, *half, right=False), paired(2, (("x", "y"),), SAME)).overall
    assert overall.averitec == {level: 1 / 3 if level < 0.46875 else 0 for level in (0.1, 0.2, 0.25, 0.3, 0.4, 0.5)}
    assert (overall.claims, overall.accuracy) == (3, 2 / 3)
    at_threshold = ClaimLegacy(claim_id=0, questions=1.0, questions_and_answers=0.25, right=True)
    assert at_threshold.counts(0.2) and not at_threshold.counts(0.25)


@pytest.fixture
def meteor(wordnet, monkeypatch):
    """Load METEOR as on a machine with or without punkt."""

    def load(punkt=False):
        monkeypatch.setattr(resources, "_has_punkt", lambda: punkt)
        monkeypatch.setattr(nltk, "download", lambda *_, **__: pytest.fail("downloads"))
        return load_meteor()

    return load


@pytest.mark.data
def test_the_baseline_scores_what_the_official_scorer_gave(meteor, shared):
    data = shared / "data"
    official = json.loads((data / "fever8/official_legacy_scores_150.json").read_text())
    pairs = read_pairing(data / "fever8/baseline_submission.csv", data / "averitec/dev.json").pairs[:150]
    scores = legacy_scores(pairs, *meteor())
    for ours, theirs in zip(scores.claims, official["claims"], strict=True):
        assert ours.claim_id == theirs["id"]
        assert ours.questions == pytest.approx(theirs["questions_only"], abs=1e-9)
        assert ours.questions_and_answers == pytest.approx(theirs["questions_and_answers"], abs=1e-9)
        assert ours.counts(0.25) == theirs["averitec_025"]
    assert scores.overall.averitec[0.25] == official["mean"]["averitec_025"]


def test_meteor_is_that_of_nltk(meteor, wordnet):
    ours, sources = meteor()
    assert sources.wordnet.startswith("WordNet 3.0 (")
    hypothesis, reference = (text.split() for text in ("The great bridge was begun in 1932", "A big span started 1932"))
    plain = single_meteor_score(reference, hypothesis, wordnet=resources.WordNet(wordnet))
    assert ours(hypothesis, reference) == plain > WORDS(hypothesis, reference)


@pytest.mark.parametrize(("punkt", "words"), [(True, ["In", "1932", ".", "Yes"]), (False, ["In", "1932.|Yes"])])
def test_texts_are_split_into_sentences_only_with_punkt(meteor, monkeypatch, punkt, words):
    monkeypatch.setattr(nltk.tokenize, "sent_tokenize", lambda text, language: text.split("|"))
    ours, sources = meteor(punkt)
    assert (ours.words("In 1932.|Yes"), sources.tokenization) == (words, PUNKT if punkt else NO_PUNKT)
    assert punkt or "python -m nltk.downloader punkt_tab" in sources.tokenization


def test_the_evidence_is_scored_on_request(files, wordnet, tmp_path):
    scores = tmp_path / "scores.json"
    assert main(["score", *files([result()]), "--metrics", "legacy", "--json", str(scores)]) == 0
    legacy = ScoreReport.model_validate_json(scores.read_bytes()).legacy
    assert legacy is not None and legacy.overall.averitec[0.5] == 1


def test_without_wordnet_the_other_scores_are_computed(files, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    monkeypatch.setattr(resources, "DEBIAN", tmp_path / "none")
    assert main(["score", *files([result()]), "--metrics", "legacy"]) == 3
    printed = " ".join(capsys.readouterr().out.split())
    assert "accuracy" in printed and "not computed: legacy: METEOR needs WordNet" in printed
    assert "python -m nltk.downloader wordnet punkt_tab" in printed


@pytest.mark.parametrize("command", ["calibrate", "score"])
def test_a_missing_library_is_named_with_its_extra(command, files, tmp_path, monkeypatch, capsys):
    for name in ("submission.calibration", "submission.legacy.resources"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    for name in ("nltk", "sklearn.isotonic"):
        monkeypatch.setitem(sys.modules, name, None)
    given = ["--metrics", "legacy"] if command == "score" else ["--output", str(tmp_path / "fit.json")]
    assert main([command, *files([result()]), *given]) == (3 if command == "score" else 2)
    out, err = capsys.readouterr()
    assert "pip install '.[score]'" in " ".join((out + err).split())
    assert ("accuracy" in out) == (command == "score")  # what needs no library is computed
