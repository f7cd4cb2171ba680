"""The data sets of labels alone: what the small model learns to judge by."""

import json

import pytest
from bridge import BagOfWords

from system.records import NO_ANSWER, Label
from training import TrainingError
from training.datasets import labels
from training.datasets.labels import LONGEST, SHARES, entailment_pairs, label_prediction
from training.datasets.web import Web


@pytest.fixture
def sets(tmp_path):
    for name in SHARES:
        rows = [
            {"evidence": f"{name} opened in {year}.", "claim": f"{name} opened in 1931.", "label": label}
            for year, label in ((1931, "supported"), (1932, "refuted"), (1933, "refuted"))
        ]
        rows.append({"evidence": "x" * (LONGEST + 1), "claim": "Long.", "label": "not enough"})
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


@pytest.fixture
def found(annotated, monkeypatch):
    monkeypatch.setattr(labels, "FOUND", 1.0)
    return label_prediction(annotated, Web(annotated, BagOfWords(), seed=1)).samples


def test_each_claim_is_judged_by_gold_and_by_found_answers(annotated, found):
    assert [sample.kind for sample in found] == ["gold", "retrieved"] * 4
    assert [sample.reply.label for sample in found[::2]] == [one.label for one in annotated]
    for gold, retrieved in zip(found[::2], found[1::2], strict=True):
        assert [pair.question for pair in gold.task.pairs] == [pair.question for pair in retrieved.task.pairs]


def test_found_answers_are_sentences_of_gold_answers_or_none(annotated, found):
    texts = " ".join(f"{answer.text} {answer.explanation}" for one in annotated for answer in one.answers)
    answers = [pair.answer for sample in found[1::2] for pair in sample.task.pairs]
    assert any(answer != NO_ANSWER for answer in answers)
    assert all(answer == NO_ANSWER or answer.split(". ")[0].rstrip(".") in texts for answer in answers)


def test_shows_a_share_of_the_claims_with_found_answers(annotated):
    kinds = [sample.kind for sample in label_prediction(annotated, Web(annotated, BagOfWords(), seed=1)).samples]
    assert kinds.count("gold") == 4 > kinds.count("retrieved")


def test_pairs_of_each_label_are_as_many_as_the_rarest_share(sets):
    data = entailment_pairs(sets, start=7)
    assert [sample.task.claim.id for sample in data.samples] == list(range(7, 7 + 3 * len(SHARES)))
    assert {sample.label for sample in data.samples} == {Label.SUPPORTED, Label.REFUTED}
    assert data.drops == {"evidence too long or empty": len(SHARES)}
    assert data.samples == entailment_pairs(sets, start=7).samples


def test_names_the_entailment_set_that_is_missing(sets):
    (sets / "fm2.jsonl").unlink()
    with pytest.raises(TrainingError, match=r"fm2\.jsonl: cannot read the entailment set"):
        entailment_pairs(sets, start=0)


def test_names_the_line_that_is_no_pair(sets):
    (sets / "fm2.jsonl").write_text('{"evidence": "a", "claim": "b", "label": "maybe"}\n')
    with pytest.raises(TrainingError, match=r"fm2\.jsonl, line 1: expected evidence, claim and label"):
        entailment_pairs(sets, start=0)
