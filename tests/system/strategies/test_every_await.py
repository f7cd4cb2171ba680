"""Whatever ends the work of a claim, and wherever: what was learned until then is judged, kept and shown."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import pytest

import system.check
from system.case import Case
from system.check import Engine, check
from system.graph.records import Answer, Label
from system.settings import RESERVE
from system.strategies import STRATEGIES
from system.strategies.steps.evidence import all_answered_so_far
from system.strategies.steps.tasks import JudgeClaim, VerdictReply
from tests.helpers.bridge import CLAIM, PAGES, Answers, store_of

STORE = store_of(PAGES)
SCENES = [*STRATEGIES, "got with a debate"]


@dataclass
class Scene:
    """A strategy on the script; something else becomes of its await number ``at``, from 1; of none if that is 0."""

    engine: Engine
    at: int
    end: Callable[["Scene"], Awaitable[None]]
    now: float = 0.0
    awaits: int = 0
    case: Case | None = None
    running: asyncio.Task[object] | None = None
    heard: list[object] = field(default_factory=list)

    def make_case(self, **fields: object) -> Case:
        """A case whose awaits are counted, and one of them ended."""
        self.case = Case(**fields)
        within_deadline = self.case.stopwatch.within_deadline

        async def counted(operation, work, *, final=False):
            self.awaits += 1
            ended = self.awaits == self.at
            return await within_deadline(operation, (lambda: self.end(self)) if ended else work, final=final)

        self.case.stopwatch.within_deadline = counted
        return self.case

    async def check(self):
        self.running = asyncio.current_task()
        result, _ = await check(self.engine, CLAIM, STORE, clock=lambda: self.now, listener=self.heard.append)
        return result


async def expire(scene: Scene) -> None:
    """The deadline strikes during the await: all that is left is the reserve."""
    scene.now = scene.engine.settings.run.budget * (1 - RESERVE) + 0.01
    raise TimeoutError


async def fail(scene: Scene) -> None:
    raise RuntimeError("the encoder is gone")


async def cancel(scene: Scene) -> None:
    scene.running.cancel()
    await asyncio.sleep(3600)


@pytest.fixture
def make_scene(make_engine, answers: Answers, monkeypatch):
    """A scene by name: ``got`` asks in two rounds, or its branches disagree and debate."""

    def make(name: str, at: int, end: Callable[[Scene], Awaitable[None]] = fail) -> Scene:
        answers.replace[JudgeClaim] = disagree if name == "got with a debate" else need_two_answers
        changes = {"graph__debate": True, "graph__verification": True, "debate__rounds": 2}
        scene = Scene(make_engine(strategy=name.partition(" ")[0], **changes), at, end)
        monkeypatch.setattr(system.check, "Case", scene.make_case)
        return scene

    return make


def need_two_answers(request) -> VerdictReply:
    label = Label.SUPPORTED if len(request.task.pairs) > 1 else Label.NOT_ENOUGH_EVIDENCE
    return VerdictReply(justification="So it is.", label=label)


def disagree(request) -> VerdictReply:
    first = request.task.pairs and request.task.pairs[0].question.startswith("When")
    return VerdictReply(justification="So it is.", label=Label.SUPPORTED if first else Label.REFUTED)


def answered(case: Case) -> set[str]:
    """The questions for which an answer has come."""
    passages = [thought.parents[-1] for thought in case.graph.holding(Answer) if thought.content.answered]
    return {case.graph[case.graph[passage].parents[0]].content.text for passage in passages}


def awaits_of(make_scene, name: str) -> int:
    scene = make_scene(name, at=0)
    result = asyncio.run(scene.check())
    assert not result.failures and not result.timing.cut_short
    return scene.awaits


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("end", [expire, fail])
def test_judges_and_keeps_what_was_learned(make_scene, name, end):
    salvaged = 0
    for at in range(1, awaits_of(make_scene, name) + 1):
        scene = make_scene(name, at, end)
        result = asyncio.run(scene.check())
        case = scene.case
        pairs = {pair.question for pair in result.pairs if pair.answered}
        assert answered(case) <= pairs, (at, case.graph.thoughts[-1])
        assert result.timing.cut_short if end is expire else result.failures[0].cause == "RuntimeError"
        if pairs:
            assert not any(failure.unanswered for failure in result.failures), (at, result.failures)
            assert result.verdict.justification != "", at
            salvaged += 1
    assert salvaged or name in ("entailment", "rag")  # nothing is awaited between an answer and the verdict


@pytest.mark.parametrize("name", SCENES)
def test_cancellation_keeps_what_was_learned_in_the_graph(make_scene, name):
    for at in range(1, awaits_of(make_scene, name) + 1):
        scene = make_scene(name, at, cancel)
        with pytest.raises(asyncio.CancelledError):
            asyncio.run(scene.check())
        case = scene.case
        assert scene.heard == list(case.graph)
        assert answered(case) <= {pair.content.question for pair in all_answered_so_far(case) if pair.content.answered}
        assert scene.awaits >= at
