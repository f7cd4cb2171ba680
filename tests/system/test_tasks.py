"""The registry of tasks: each has a prompt beside its module, and a reply that a model can be held to."""

import asyncio
import importlib.util
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

import system.tasks.base
from system.case import Case
from system.graph.records import CONTENTS
from system.models.prompting import decoding_schema, render
from system.strategies.steps.evidence import retrieve
from system.tasks.base import Reply, registered
from tests.helpers.scripted import ScriptedModel

TASKS = [task for task in registered() if task.__module__.startswith(("system.", "submission."))]
DOCUMENTED = Path(__file__).parents[2] / "docs" / "add_a_strategy.md"


@pytest.fixture
def documented_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The module that the documentation shows, with its prompt beside it."""
    *_, code, prompt = re.findall(r"^```(?:python)?\n(.*?)^```$", DOCUMENTED.read_text(encoding="utf-8"), re.M | re.S)
    (tmp_path / "sources.py").write_text(code, encoding="utf-8")
    (tmp_path / "rate_source.md").write_text(prompt, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("sources", tmp_path / "sources.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "sources", module)
    monkeypatch.setattr(system.tasks.base, "_REGISTERED", [*registered()])
    spec.loader.exec_module(module)
    yield module
    CONTENTS.pop(module.SourceRating.kind)


def test_names_are_unique_and_every_reply_has_a_schema() -> None:
    assert len({task.name for task in TASKS}) == len(TASKS)
    assert {decoding_schema(task.reply_type)["type"] for task in TASKS} == {"object"}


def test_a_step_is_one_file_and_its_prompt(documented_step: ModuleType, make_case: Callable[..., Case]) -> None:
    module, case = documented_step, make_case()
    case.model = ScriptedModel(lambda _: module.RatingReply(reason="A local paper.", trust=7))
    found = asyncio.run(retrieve(case, case.graph.root))
    first, _ = asyncio.run(module.rate_sources(case, found))
    assert (first.id, first.parents, first.kind) == ("e1.o1", ("e1",), "source rating")
    task = case.model.requests[0].task
    assert type(task) in registered()
    instructions, user = render(task, adapter=False)
    assert "Reply with one JSON object" in instructions["content"]
    assert user["content"] == f'Address: "{found[0].content.passage.url}"\nRate the publisher, in JSON:'


def test_rejects_a_label_that_is_not_the_last_field() -> None:
    with pytest.raises(TypeError, match="expected 'label' as the last field"):

        class Early(Reply):
            label_field = "label"
            label: str
            reason: str
