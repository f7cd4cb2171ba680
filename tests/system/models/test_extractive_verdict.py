"""The fitted regression, the label that it gives, and the reasons."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from bridge import BagOfWords, passage
from sklearn.linear_model import LogisticRegression
from test_extractive_features import PLAIN

from system.models.extractive.roles import as_pairs
from system.models.extractive.similarity import Similarity
from system.models.extractive.verdict import FEATURES, WEIGHTS, Features, Weights, judge, justify, shipped_weights
from system.records import Claim, Label
from system.tasks.judge_claim import JudgeClaim

CLAIM = Claim(id=0, text="The Aster bridge opened in 1932.")


def test_probabilities_are_those_of_the_regression() -> None:
    generator = np.random.default_rng(1)
    rows, labels = generator.normal(size=(80, len(FEATURES))), generator.choice([str(label) for label in Label], 80)
    model = LogisticRegression().fit(rows, labels)
    weights = Weights(tuple(Label(name) for name in model.classes_), model.intercept_, model.coef_)
    for row, expected in zip(rows, model.predict_proba(rows), strict=True):
        assert list(weights.probabilities(Features(*row)).values()) == pytest.approx(expected.tolist())


def test_the_shipped_weights_say_where_they_come_from() -> None:
    assert set(shipped_weights().labels) == set(Label)
    provenance = json.loads(WEIGHTS.read_text())["provenance"]
    assert {"made by", "data", "sha256", "seed", "claims", "judgements", "versions"} <= set(provenance)


def test_weights_for_other_features_are_refused(tmp_path: Path) -> None:
    fitted = json.loads(WEIGHTS.read_text())
    del fitted["labels"]["Refuted"]["weights"]["denial"]
    path = tmp_path / "old.json"
    path.write_text(json.dumps(fitted))
    with pytest.raises(ValueError, match=r"old.json.*Refuted.*\['denial'\].*training reader"):
        Weights.load(path)


def judged(*sentences: str, claim: Claim = CLAIM):
    pairs = as_pairs(claim, [passage(sentence, page=page) for page, sentence in enumerate(sentences)])
    return judge(JudgeClaim(claim=claim, pairs=pairs), Similarity(BagOfWords()), shipped_weights())


def test_evidence_against_makes_refuted_likelier() -> None:
    reply, confidence = judged("It is false that the Aster bridge opened in 1932, there is no evidence, it did not.")
    assert reply.label is Label.REFUTED
    assert 0.25 < confidence <= 1
    assert "false" in reply.justification


def test_without_passages_there_is_not_enough_evidence() -> None:
    reply, confidence = judged()
    assert (reply.label, confidence) == (Label.NOT_ENOUGH_EVIDENCE, 1.0)


def test_what_does_not_speak_of_the_claim_is_not_enough_evidence() -> None:
    reply, _ = judged("Tea is served without sugar.")
    assert reply.label is Label.NOT_ENOUGH_EVIDENCE
    assert "Tea is served" in reply.justification


AGAINST = replace(PLAIN, sentence="It never opened.", negation="never", denial=0.1)
FIGURE = replace(PLAIN, sentence="It cost 9.", differing=("9",), closeness=0.6)


@pytest.mark.parametrize(
    ("label", "quoted", "absent"),
    [
        (Label.REFUTED, ["“It never opened.”", "“never”"], ["opened in May"]),
        (Label.SUPPORTED, ["opened in May"], ["never"]),
        (Label.CONFLICTING, ["opened in May", "It never opened."], []),
        (Label.NOT_ENOUGH_EVIDENCE, ["opened in May"], ["never"]),
    ],
)
def test_a_justification_quotes_what_speaks_for_the_label(label: Label, quoted: list[str], absent: list[str]) -> None:
    text = justify(label, [PLAIN, AGAINST])
    assert all(part in text for part in quoted)
    assert not any(part in text for part in absent)


def test_one_sentence_alone_is_quoted_once() -> None:
    assert justify(Label.CONFLICTING, [AGAINST]).count(AGAINST.sentence) == 1


def test_a_justification_names_the_figures() -> None:
    assert "another figure than the claim: 9" in justify(Label.REFUTED, [FIGURE])
    assert "same figure as the claim: 1932" in justify(Label.SUPPORTED, [replace(PLAIN, agreeing=("1932",))])


def test_long_quotations_are_cut() -> None:
    text = justify(Label.REFUTED, [replace(PLAIN, sentence="It opened. " * 100)])
    assert len(text) < 400
    assert "…" in text
