"""The engine's models as judges, with a script and with a small model."""

import asyncio
import json

import pytest

from submission.ev2r import models
from submission.ev2r.judging import ComparedPairs, JudgeError
from submission.ev2r.models import ModelJudge, load_judge
from submission.ev2r.replies import Judgement, Mode, Unit, read_reply
from submission.ev2r.tasks import CompareEvidence, CompareQuestions
from submission.files import SubmissionError
from system.models.base import ErrorKind, ModelError, ModelUnavailable
from system.models.scripted import Line, ScriptedModel

GOLD = (("Who?", "A."), ("Who?", "B."))


def _comparison(unit: Unit = Unit.EVIDENCE) -> ComparedPairs:
    return ComparedPairs(claim_id=4, claim="c", unit=unit, predicted=(("When?", "C."),), gold=GOLD)


def _reply(judge: ModelJudge, unit: Unit = Unit.EVIDENCE, attempt: int = 0) -> str:
    return asyncio.run(judge.reply(_comparison(unit), attempt))


def _counts(unit: Unit) -> dict[str, object]:
    sides = {"predicted": ["supported"], "reference": ["supported", "not supported"]}
    return {
        f"{key} {side} {unit}": value
        for side, verdicts in sides.items()
        for key, value in {
            "facts in": ["A fact."] * len(verdicts),
            "fact check": ["So it is."] * len(verdicts),
            "verdicts": verdicts,
            "facts count": len(verdicts),
            "support": 1,
        }.items()
    }


def test_a_judge_gets_typed_tasks_and_is_read_in_both_modes() -> None:
    model = ScriptedModel(lambda request: json.dumps(_counts(Unit(request.task.name.removeprefix("compare_")))))
    judge = ModelJudge(model, "a model")
    for unit in Unit:
        for mode in Mode:
            assert read_reply(_reply(judge, unit), unit, mode) == Judgement(precision=1.0, recall=0.5)
    evidence, questions = model.requests[0].task, model.requests[-1].task
    assert isinstance(evidence, CompareEvidence) and evidence.reference == GOLD and evidence.claim.id == 4
    assert isinstance(questions, CompareQuestions)
    assert (questions.predicted, questions.reference) == (("When?",), ("Who?",))


def test_the_second_attempt_is_sampled() -> None:
    model = ScriptedModel(lambda request: "no JSON")
    judge = ModelJudge(model, "a model")
    assert [_reply(judge, attempt=attempt) for attempt in (0, 1)] == ["no JSON"] * 2
    assert [(request.temperature, request.seed) for request in model.requests] == [(0.0, 0), (0.5, 1)]


def test_distinguishes_a_failed_request_from_a_dead_backend() -> None:
    def script(line: Line) -> ModelJudge:
        return ModelJudge(ScriptedModel(lambda request: line), "a model")

    with pytest.raises(JudgeError, match="request too long: 9 tokens"):
        _reply(script(ModelError(ErrorKind.TOO_LONG, "9 tokens")))
    with pytest.raises(SubmissionError, match="the judge stopped answering: no server; run the same command to resume"):
        _reply(script(ModelUnavailable("no server")))


def test_our_prompts_have_a_name_that_follows_their_text(monkeypatch: pytest.MonkeyPatch) -> None:
    model = ScriptedModel(lambda request: "")
    name = ModelJudge(model, "a model").name
    assert name.startswith("a model, own prompts ") and ModelJudge(model, "a model").name == name
    monkeypatch.setattr(models, "render", lambda task, adapter: "other words")
    assert ModelJudge(model, "a model").name != name


@pytest.mark.parametrize(
    ("judge", "expected"),
    [
        ("vllm:folder/of:model", ("vllm", "folder/of:model", "", 16384)),
        ("server:meta/llama@http://host:8000/v1", ("server", "meta/llama", "http://host:8000/v1", 16384)),
    ],
)
def test_a_judge_is_named_by_its_backend(
    judge: str, expected: tuple[str, str, str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    monkeypatch.setattr(
        models, "load_model", lambda settings, asked: seen.append(settings) or ScriptedModel(lambda _: "")
    )
    assert load_judge(judge).name.startswith(f"{expected[0]} {expected[1]}, own prompts ")
    [settings] = seen
    model, engine = settings.model, settings.engine
    assert (model.backend, model.model, engine.address, engine.context) == expected


@pytest.mark.parametrize(
    ("judge", "message"),
    [
        ("none", "profile 'none' not found"),
        ("laptop", "the profile has no language model"),
        ("server:m", "needs an address"),
        ("vllm:/no/such/folder", "cannot (be fetched|import vllm)"),
    ],
)
def test_names_a_judge_that_cannot_be_loaded_with_the_forms(judge: str, message: str) -> None:
    with pytest.raises(SubmissionError, match=rf"judge {judge!r}: .*({message}).*expected vllm:MODEL"):
        load_judge(judge)
