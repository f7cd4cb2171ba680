"""The data sets of labels alone: what the small model learns to judge by."""

import asyncio
import json

import pytest
from bridge import BagOfWords

from system.records import Label
from system.settings import GraphSettings, Settings
from training import TrainingError
from training.datasets import labels
from training.datasets.labels import LONGEST, SHARES, entailment_pairs, label_prediction


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


def samples_of(annotated):
    settings = Settings(graph=GraphSettings(justify=False, branches=2, depth=2))
    return asyncio.run(label_prediction(annotated, BagOfWords(), settings)).samples


def test_each_claim_is_judged_by_gold_answers_and_by_those_of_branches(annotated, monkeypatch):
    monkeypatch.setattr(labels, "FOUND", 1.0)
    samples = samples_of(annotated)
    assert [sample.reply.label for sample in samples if sample.kind == "gold"] == [one.label for one in annotated]
    for one in annotated:
        own = [sample for sample in samples if sample.kind == "found" and sample.task.claim == one.claim]
        assert 1 <= len(own) <= 5
        assert {sample.label for sample in own} == {one.label}
        assert len(own[0].task.pairs) == 1
        assert len(own[-1].task.pairs) == max(len(sample.task.pairs) for sample in own)


def test_found_answers_are_cut_from_what_annotators_found(annotated, monkeypatch):
    monkeypatch.setattr(labels, "FOUND", 1.0)
    texts = " ".join(f"{answer.text} {answer.explanation}" for one in annotated for answer in one.answers)
    found = [sample for sample in samples_of(annotated) if sample.kind == "found"]
    passages = {passage.text for sample in found for pair in sample.task.pairs for passage in pair.passages}
    assert passages
    assert all(passage.split(": ", 1)[1] in texts for passage in passages)


def test_shows_a_share_of_the_claims_with_found_answers(annotated):
    claims = {(sample.kind, sample.task.claim.id) for sample in samples_of(annotated)}
    kinds = [kind for kind, _ in claims]
    assert kinds.count("gold") == 4 > kinds.count("found")


def test_pairs_of_each_label_are_as_many_as_the_rarest_share(sets):
    data, rest = entailment_pairs(sets, start=7)
    ids = [sample.task.claim.id for sample in [*data.samples, *rest.samples]]
    assert sorted(ids) == list(range(7, 7 + 3 * len(SHARES)))
    assert len(data.samples) > 2 * len(rest.samples) > 0
    assert {sample.label for sample in data.samples} == {Label.SUPPORTED, Label.REFUTED}
    assert data.drops == {"evidence too long or empty": len(SHARES)}
    assert data.samples == entailment_pairs(sets, start=7)[0].samples


def test_names_the_entailment_set_that_is_missing(sets):
    (sets / "fm2.jsonl").unlink()
    with pytest.raises(TrainingError, match=r"fm2\.jsonl: cannot read the entailment set"):
        entailment_pairs(sets, start=0)


def test_names_the_line_that_is_no_pair(sets):
    (sets / "fm2.jsonl").write_text('{"evidence": "a", "claim": "b", "label": "maybe"}\n')
    with pytest.raises(TrainingError, match=r"fm2\.jsonl, line 1: expected evidence, claim and label"):
        entailment_pairs(sets, start=0)
