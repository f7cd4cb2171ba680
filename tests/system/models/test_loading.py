"""Loading the models that settings name, and several behind one interface."""

import asyncio

import pytest

from system.graph.records import Claim
from system.models.base import Model, ModelUnavailable, NoModel, Request, RoutedModel
from system.models.extractive import ExtractiveModel
from system.models.loading import check_device, load_model, servers_of
from system.settings import Settings, load
from system.strategies.base import asked_by
from system.strategies.steps.tasks import AskQuestion, QuestionReply
from tests.helpers.bridge import BagOfWords
from tests.helpers.scripted import ScriptedModel

CLAIM = Claim(id=0, text="The Aster bridge opened in 1932.")
ASK = AskQuestion(claim=CLAIM, context=(), index=0)


def test_agents_take_turns_on_the_models_and_replies_keep_their_order():
    models = [ScriptedModel(lambda _, name=name: QuestionReply(question=f"{name}?")) for name in ("First", "Second")]
    model = RoutedModel(models)
    requests = [Request(ASK.model_copy(update={"agent": agent})) for agent in (1, 0, 2, 1)]
    replies = [result.reply.question for result in asyncio.run(model.generate(requests))]
    assert replies == ["Second?", "First?", "First?", "Second?"]
    asyncio.run(model.close())
    assert all(one.closed for one in models)


def loaded_for(settings: Settings) -> Model:
    return load_model(settings, BagOfWords(), asked_by(settings))


def test_a_laptop_needs_no_language_model_but_its_encoder():
    laptop = load("laptop", {})
    assert isinstance(loaded_for(laptop.for_documents()), NoModel)  # strategy entailment asks nothing
    assert isinstance(loaded_for(laptop), ExtractiveModel)
    with pytest.raises(ModelUnavailable):
        load_model(laptop, asked=[AskQuestion])


def test_one_vllm_engine_serves_one_model():
    with pytest.raises(ModelUnavailable, match="one vLLM engine serves one model"):
        load_model(load("a10g", {"other_models": ["second"]}), asked=[AskQuestion])


def test_each_model_of_a_server_may_have_its_own_address():
    settings = load("server", {"model": "a", "other_models": ["b", "org/c@http://elsewhere:8001/v1"]})
    found = [(model, engine.address) for model, _, engine in servers_of(settings)]
    here = "http://localhost:8000/v1"
    assert found == [("a", here), ("b", here), ("org/c", "http://elsewhere:8001/v1")]


@pytest.mark.parametrize("changed", [{"strategy": "debatecv"}, {"debate": True}, {"verification": True}])
def test_rules_alone_reject_what_needs_a_model(changed):
    with pytest.raises(ModelUnavailable, match=r"this takes a language model; choose a profile that has one"):
        loaded_for(load("laptop", changed))


ADAPTERS = {"question_generation": "q", "question_answering": "a", "verdict_prediction": "b"}


@pytest.mark.parametrize(
    ("adapters", "debate", "said"),
    [
        ({}, False, "no adapter for question_generation, question_answering, verdict_prediction: using the base model"),
        (ADAPTERS, False, ""),
        (ADAPTERS, True, "untrained moderator worse than one judge"),
    ],
)
def test_warns_at_once_and_only_about_adapters_that_tasks_need(caplog, adapters, debate, said):
    model = {"backend": "server", "model": "m", "adapters": adapters}
    settings = Settings.model_validate({"model": model, "graph": {"debate": debate}})
    check_device(settings, asked_by(settings))
    assert said in caplog.text and bool(caplog.text) == bool(said)
