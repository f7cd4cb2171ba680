"""Several models behind one seam."""

import asyncio

import pytest

from system.graph.records import Claim, Label
from system.models.base import Completion, Model, ModelUnavailable, NoModel, Request, RoutedModel, by_agent
from system.models.extractive import ExtractiveModel
from system.models.loading import check_device, load_model
from system.models.scripted import ScriptedModel
from system.settings import Settings, load
from system.strategies.base import asked_by
from system.strategies.steps.tasks import AskQuestion, JudgeClaim, QuestionReply, VerdictReply
from tests.helpers.bridge import BagOfWords

CLAIM = Claim(id=0, text="The Aster bridge opened in 1932.")
ASK = AskQuestion(claim=CLAIM, context=(), index=0)
JUDGE = JudgeClaim(claim=CLAIM, pairs=())
VERDICT = VerdictReply(justification="So.", label=Label.REFUTED)


def replies(model, *tasks):
    results = asyncio.run(model.generate([Request(task) for task in tasks]))
    assert all(isinstance(result, Completion) for result in results)
    return [result.reply for result in results]


def test_tasks_go_to_their_model_and_keep_their_order():
    asks = ScriptedModel(lambda request: QuestionReply(question="When?"))
    judges = ScriptedModel(lambda request: VERDICT)
    model = RoutedModel([judges, asks], lambda task: int(task.name == "ask_question"))
    assert replies(model, ASK, JUDGE, ASK) == [
        QuestionReply(question="When?"),
        VERDICT,
        QuestionReply(question="When?"),
    ]
    assert [len(one.requests) for one in (judges, asks)] == [1, 2]


def test_agents_beyond_the_models_start_again_with_the_first():
    route = by_agent(2)
    assert [route(ASK.model_copy(update={"agent": agent})) for agent in range(4)] == [0, 1, 0, 1]


def test_closes_all_models():
    models = [ScriptedModel(lambda request: None) for _ in range(2)]
    asyncio.run(RoutedModel(models, by_agent(2)).close())
    assert all(model.closed for model in models)


def loaded_for(settings: Settings) -> Model:
    """The model of an engine with these settings."""
    return load_model(settings, BagOfWords(), asked_by(settings))


def test_a_laptop_needs_no_language_model():
    laptop = load("laptop", {})
    assert isinstance(loaded_for(laptop.for_documents()), NoModel)  # strategy entailment asks nothing
    assert isinstance(loaded_for(laptop), ExtractiveModel)


def test_one_vllm_engine_serves_one_model():
    with pytest.raises(ModelUnavailable, match="one vLLM engine serves one model"):
        load_model(load("a10g", {"other_models": ["second"]}), asked=[AskQuestion])


@pytest.mark.parametrize("changed", [{"strategy": "debatecv"}, {"debate": True}, {"verification": True}])
def test_rules_alone_reject_what_needs_a_model(changed):
    with pytest.raises(ModelUnavailable, match=r"this takes a language model; choose a profile that has one"):
        loaded_for(load("laptop", changed))


def test_rules_need_the_encoder_of_the_reader():
    with pytest.raises(ModelUnavailable):
        load_model(load("laptop", {}), asked=[AskQuestion])


def warnings_of(caplog, settings):
    caplog.clear()
    check_device(settings, asked_by(settings))
    return caplog.text


def test_warns_at_once_and_only_about_adapters_that_tasks_need(caplog):
    model = {"backend": "server", "model": "m"}
    missing = Settings.model_validate({"model": model, "graph": {"debate": False}})
    said = warnings_of(caplog, missing)
    assert "no adapter for question_generation, question_answering, verdict_prediction: using the base model" in said
    assert not warnings_of(caplog, load("laptop", {}))
    adapters = {"question_generation": "q", "question_answering": "a", "verdict_prediction": "b"}
    voting = Settings.model_validate({"model": {**model, "adapters": adapters}, "graph": {"debate": False}})
    assert not warnings_of(caplog, voting)
    said = warnings_of(caplog, Settings.model_validate({"model": {**model, "adapters": adapters}}))
    assert "no adapter for moderator: the base model moderates" in said
    assert "53.8% of verdicts right against 62.4%" in said and "vote with --no-debate" in said
