"""Several models behind one seam."""

import asyncio

import pytest
from bridge import BagOfWords

from system import models
from system.models import load_model
from system.models.base import Completion, ModelUnavailable, Request, RoutedModel, by_agent
from system.models.extractive import ExtractiveModel
from system.models.scripted import ScriptedModel
from system.records import Claim, Label
from system.settings import Settings, load
from system.tasks.ask_question import AskQuestion, QuestionReply
from system.tasks.judge_claim import JudgeClaim, LabelClaim, LabelReply, VerdictReply

CLAIM = Claim(id=0, text="The Aster bridge opened in 1932.")
ASK = AskQuestion(claim=CLAIM, context=(), index=0, seed_passages=())
LABEL = LabelClaim(claim=CLAIM, pairs=())


def replies(model, *tasks):
    results = asyncio.run(model.generate([Request(task) for task in tasks]))
    assert all(isinstance(result, Completion) for result in results)
    return [result.reply for result in results]


def test_each_task_goes_to_its_model_and_replies_keep_their_order():
    asks = ScriptedModel(lambda request: QuestionReply(question="When?"))
    labels = ScriptedModel(lambda request: LabelReply(label=Label.REFUTED))
    model = RoutedModel([labels, asks], lambda task: int(task.name == "ask_question"))
    assert replies(model, ASK, LABEL, ASK) == [
        QuestionReply(question="When?"),
        LabelReply(label=Label.REFUTED),
        QuestionReply(question="When?"),
    ]
    assert [len(one.requests) for one in (labels, asks)] == [1, 2]


def test_agents_beyond_the_models_start_again_with_the_first():
    route = by_agent(2)
    assert [route(ASK.model_copy(update={"agent": agent})) for agent in range(4)] == [0, 1, 0, 1]


def test_closes_all_models():
    models = [ScriptedModel(lambda request: None) for _ in range(2)]
    asyncio.run(RoutedModel(models, by_agent(2)).close())
    assert all(model.closed for model in models)


def test_loads_no_model_where_rules_do_everything(monkeypatch):
    cpu = load("cpu", {})
    assert isinstance(load_model(cpu.for_documents(), BagOfWords()), ExtractiveModel)
    monkeypatch.setattr(models, "_load", lambda settings, encoder: loaded.append(settings.model.backend))
    for settings in (
        cpu,
        load("cpu", {"strategy": "single"}).for_documents(),
        load("cpu", {"rules": []}).for_documents(),
    ):
        loaded = []
        load_model(settings, BagOfWords())
        assert "transformers" in loaded


def test_judging_by_sentences_is_left_to_rules(monkeypatch):
    labels = ScriptedModel(lambda request: VerdictReply(justification="-", label=Label.CONFLICTING))
    monkeypatch.setattr(models, "_load", lambda settings, encoder: by_backend[settings.model.backend])
    by_backend = {"server": labels, "extractive": ExtractiveModel(BagOfWords())}
    settings = {"model": {"backend": "server", "model": "m"}, "graph": {"sentence_rules": "documents"}}
    model = load_model(Settings.model_validate(settings), BagOfWords())
    judge = JudgeClaim(claim=CLAIM, pairs=())
    assert load_model(Settings.model_validate(settings)) is labels
    plain, by_sentence = replies(model, judge, judge.model_copy(update={"by_sentence": True}))
    assert (plain.label, by_sentence.label) == (Label.CONFLICTING, Label.NOT_ENOUGH_EVIDENCE)


@pytest.mark.parametrize("changed", [{"strategy": "single"}, {"debate": True}, {"sentence_rules": "never"}])
def test_rules_alone_reject_what_needs_a_model(changed):
    assert isinstance(load_model(load("embedded", {}), BagOfWords()), ExtractiveModel)
    with pytest.raises(ModelUnavailable, match=r"without a language model, .* choose a profile with a language model"):
        load_model(load("embedded", changed), BagOfWords())


def test_rules_need_the_encoder_of_the_reader():
    settings = Settings.model_validate(
        {
            "model": {"backend": "server", "model": "m", "rules": ["ask_question"]},
            "engine": {"address": "http://localhost:1/v1"},
        }
    )
    with pytest.raises(ModelUnavailable):
        load_model(settings)


def test_warns_only_about_adapters_that_tasks_need(monkeypatch, caplog):
    monkeypatch.setattr("system.models._load", lambda settings, encoder: ScriptedModel(lambda request: None))
    model = {"backend": "transformers", "model": "m", "rules": ["ask_question"]}
    load_model(Settings.model_validate({"model": model, "graph": {"debate": False}}))
    assert "no adapter for question_answering, verdict_prediction: using the base model" in caplog.text
    caplog.clear()
    adapters = {"question_answering": "a", "verdict_prediction": "b"}
    load_model(Settings.model_validate({"model": {**model, "adapters": adapters}, "graph": {"debate": False}}))
    assert not caplog.text
    load_model(Settings.model_validate({"model": {**model, "adapters": adapters}}))
    assert "no adapter for moderator" in caplog.text
