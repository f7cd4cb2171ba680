"""The data set of questions over passages that do or do not hold their answer."""

import pytest

from system.graph.records import NO_ANSWER, AnswerType
from tests.helpers.bridge import BagOfWords
from training.datasets import question_answering
from training.datasets.web import Web, sentences


@pytest.fixture
def samples(annotated, monkeypatch):
    monkeypatch.setattr(question_answering, "ANSWERED", 0.5)  # the few claims give some of both kinds
    return question_answering.reading(annotated, Web(annotated, BagOfWords(), seed=1)).samples


def own_sentences(annotated, sample):
    claim = next(one for one in annotated if one.claim == sample.task.claim)
    return [text for answer in claim.answers if answer.question == sample.task.question for text in sentences(answer)]


def test_teaches_an_answer_only_if_the_passage_contains_it(annotated, samples):
    assert {sample.kind for sample in samples} == {"answered", "answer left out"}
    for sample in samples:
        held = [text for text in own_sentences(annotated, sample) if text in sample.task.passage.text]
        refused = sample.reply.type is AnswerType.UNANSWERABLE
        assert refused == (sample.reply.answer == NO_ANSWER) == (not held)


def test_passages_include_sentences_of_others_and_stay_short(annotated, samples):
    for sample in samples:
        own = " ".join(own_sentences(annotated, sample))
        assert len(sample.task.passage.text) <= max(question_answering.LONGEST_PASSAGE, len(own))
        assert sample.task.passage.text != own


def test_leaves_out_answers_longer_than_the_prompt_allows(annotated, monkeypatch):
    web = Web(annotated, BagOfWords(), seed=1)
    whole = question_answering.reading(annotated, web)
    monkeypatch.setattr(question_answering, "LONGEST_ANSWER", 8)
    data = question_answering.reading(annotated, web)
    assert 0 < len(data.samples) < len(whole.samples)
    assert len(data.samples) + data.drops["answer too long"] == len(whole.samples)


def test_an_overlong_passage_drops_sentences_of_others_first(annotated, monkeypatch):
    monkeypatch.setattr(question_answering, "ANSWERED", 0.5)
    monkeypatch.setattr(question_answering, "LONGEST_PASSAGE", 1)
    twice = [one.model_copy(update={"questions": tuple(map(told_twice, one.questions))}) for one in annotated]
    samples = question_answering.reading(twice, Web(twice, BagOfWords(), seed=1)).samples
    assert max(len(own_sentences(twice, sample)) for sample in samples if sample.kind == "answered") > 1
    for sample in samples:
        own = " ".join(own_sentences(twice, sample))
        if sample.kind == "answered":
            assert sample.task.passage.text == own
        else:
            assert sample.task.passage.text and sample.task.passage.text not in own


def told_twice(question):
    """The question with answers of two sentences."""
    answers = (
        one.model_copy(update={"text": f"{one.text.rstrip('.')}. That was told by {one.text}"})
        for one in question.answers
    )
    return question.model_copy(update={"answers": tuple(answers)})


def test_the_same_claims_give_the_same_samples(annotated, samples):
    assert samples == question_answering.reading(annotated, Web(annotated, BagOfWords(), seed=1)).samples
