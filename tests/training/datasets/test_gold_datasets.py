"""Question generation and verdict prediction: what section 3.2 makes of a claim with its pairs."""

import json

import pytest

from system.graph.records import Label
from system.models.prompting import render
from system.strategies.steps.tasks import VerdictReply
from training.datasets.gold import (
    LEFT_OUT,
    NO_JUSTIFICATION,
    PARTIAL,
    gold_pairs,
    question_generation,
    verdict_prediction,
)


@pytest.fixture
def bridge(annotated):
    """Four questions, with the reasons of the annotators."""
    return annotated[0].model_copy(update={"justification": "The archive says so."})


def test_each_question_follows_from_the_pairs_before_it(bridge):
    samples = [sample for sample in question_generation([bridge]).samples if "again" not in sample.kind]
    pairs = gold_pairs(bridge)
    assert len(samples) == len(pairs) == 4
    for place, sample in enumerate(samples):
        assert sample.task.context == pairs[:place] and sample.task.asked == ()
        assert json.loads(sample.reply.model_dump_json()) == {"question": pairs[place].question}
    first, second, *_ = (render(sample.task, adapter=True)[-1]["content"] for sample in samples)
    assert first.endswith("Ask the first question, in JSON:") and "Context:\nnone" in first
    assert second.endswith("Ask the next question, in JSON:") and f'A1: "{pairs[0].answer}"' in second


def test_each_later_question_is_also_asked_again(annotated):
    """As the engine asks in place of a duplicate: a branch's own pairs, and a list of the questions of all."""
    many = [one.model_copy(update={"questions": one.questions * 5}) for one in annotated]
    again = [sample for sample in question_generation(many).samples if "again" in sample.kind]
    assert len(again) == sum(len(gold_pairs(one)) - 1 for one in many)
    for sample in again:
        asked, prompt = sample.task.asked, render(sample.task, True)[-1]["content"]
        assert [pair.question for pair in sample.task.context] == [*asked[: len(sample.task.context)]]
        assert f'Already asked; ask something else:\n - "{asked[0]}"' in prompt
    known = {(len(sample.task.context), len(sample.task.asked)) for sample in again}
    assert {context for context, _ in known} >= {0, 1, 2} and any(context == asked for context, asked in known)


def test_a_verdict_on_all_pairs_and_not_enough_on_fewer(bridge):
    *partial, whole = verdict_prediction([bridge]).samples
    pairs = gold_pairs(bridge)
    assert [sample.task.pairs for sample in partial] == [pairs[:count] for count in (1, 2, 3)]
    assert {sample.label for sample in partial} == {Label.NOT_ENOUGH_EVIDENCE}
    assert all(pairs[count].question in sample.reply.justification for count, sample in enumerate(partial, start=1))
    assert whole.reply == VerdictReply(justification="The archive says so.", label=Label.SUPPORTED)
    assert list(json.loads(whole.reply.model_dump_json())) == ["justification", "label"]


def test_a_claim_without_reasons_keeps_its_partial_evidence(annotated):
    data = verdict_prediction(annotated)
    assert data.drops == {NO_JUSTIFICATION: 4}
    assert {sample.kind for sample in data.samples} == {PARTIAL}


def test_keeps_a_share_of_the_partial_evidence_always_the_same(annotated):
    bridge = annotated[0].model_copy(update={"justification": "So."})
    claims = [bridge.claim.model_copy(update={"text": f"Claim {number}."}) for number in range(200)]
    many = [bridge.model_copy(update={"claim": claim}) for claim in claims]
    whole, part = verdict_prediction(many), verdict_prediction(many, 0.3)
    kept = [sample for sample in part.samples if sample.kind == PARTIAL]
    assert 150 < len(kept) < 210 and part.drops == {LEFT_OUT: 600 - len(kept)}
    assert len(part.samples) == len(kept) + 200 and part.samples == verdict_prediction(many, 0.3).samples
    shares = {**dict.fromkeys(("1", "2", "3"), "100.0% of 200"), "4": "0.0% of 200"}
    assert whole.notes["not enough by pairs"] == shares
