"""The data sets of labels alone: what the small model learns to judge by."""

import json

import pytest

from system.graph.records import Label
from system.strategies.steps.tasks.judge_claim import EVIDENCE_QUESTION, NEAREST
from tests.helpers.bridge import BagOfWords
from training import TrainingError
from training.datasets import labels, web
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
    monkeypatch.setattr(labels, "ALONE", 0.0)
    monkeypatch.setattr(web, "REPEATED", 0.0)
    return label_prediction(annotated, Web(annotated, BagOfWords(), seed=1)).samples


def test_claims_are_judged_by_gold_and_by_found_sentences(annotated, found):
    assert [sample.kind for sample in found] == ["gold", "found"] * 4
    for pair in zip(found[::2], found[1::2], strict=True):
        assert len({sample.task.claim for sample in pair}) == len({sample.reply.label for sample in pair}) == 1
    assert [sample.reply.label for sample in found[::2]] == [one.label for one in annotated]


def test_found_sentences_are_the_nearest_to_the_claim(annotated, found):
    texts = " ".join(f"{answer.text} {answer.explanation}" for one in annotated for answer in one.answers)
    for sample in found[1::2]:
        texts += " ".join(one.claim.text for one in annotated if one.claim != sample.task.claim)
        pairs = sample.task.pairs
        assert 0 < len(pairs) <= NEAREST
        assert {pair.question for pair in pairs} == {EVIDENCE_QUESTION}
        assert all(pair.answer.rstrip(".") in texts for pair in pairs)
        claim, *sentences = BagOfWords().encode([sample.task.claim.text, *(pair.answer for pair in pairs)])
        near = [float(sentence @ claim) for sentence in sentences]
        assert near == sorted(near, reverse=True)


def test_an_answer_that_cannot_be_found_is_not_shown(annotated, monkeypatch):
    monkeypatch.setattr(web, "LOST", 1.0)
    everything = Web(annotated, BagOfWords(), seed=1)
    for place, one in enumerate(annotated):
        own = {sentence for answer in one.answers for sentence in web.sentences(answer)}
        others = {
            s for other in annotated if other is not one for answer in other.answers for s in web.sentences(answer)
        }
        assert not set(everything.about(place)) & (own - others)


def test_a_page_repeats_the_claims_of_a_share(annotated, monkeypatch):
    for share in (0.0, 1.0):
        monkeypatch.setattr(web, "REPEATED", share)
        everything = Web(annotated, BagOfWords(), seed=1)
        for place, one in enumerate(annotated):
            assert (one.claim.text in everything.about(place)) == bool(share)


def test_shows_shares_of_claims_with_and_without_sentences(annotated, monkeypatch):
    samples = label_prediction(annotated, Web(annotated, BagOfWords(), seed=1)).samples
    kinds = [sample.kind for sample in samples]
    assert kinds.count("gold") == 4 > max(kinds.count("found"), kinds.count("alone"))
    monkeypatch.setattr(labels, "ALONE", 1.0)
    samples = label_prediction(annotated, Web(annotated, BagOfWords(), seed=1)).samples
    alone = [sample.task for sample in samples if sample.kind == "alone"]
    assert [task.claim for task in alone] == [one.claim for one in annotated] and not any(t.pairs for t in alone)


def test_labels_are_balanced_to_the_rarest(sets):
    data = entailment_pairs(sets, start=7)
    assert [sample.task.claim.id for sample in data.samples] == list(range(7, 7 + 3 * len(SHARES)))
    assert {sample.label for sample in data.samples} == {Label.SUPPORTED, Label.REFUTED}
    assert data.drops == {"evidence too long or empty": len(SHARES)}
    assert data.samples == entailment_pairs(sets, start=7).samples


def test_names_the_entailment_set_that_is_missing(sets):
    (sets / "fm2.jsonl").unlink()
    with pytest.raises(TrainingError, match=r"fm2\.jsonl: cannot read the entailment set"):
        entailment_pairs(sets, start=0)


def test_names_a_line_that_is_not_a_pair(sets):
    (sets / "fm2.jsonl").write_text('{"evidence": "a", "claim": "b", "label": "maybe"}\n')
    with pytest.raises(TrainingError, match=r"fm2\.jsonl, line 1: expected evidence, claim and label"):
        entailment_pairs(sets, start=0)
