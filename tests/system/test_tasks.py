"""The registry of tasks: each has a prompt beside its module, and a reply that a model can be held to."""

import importlib.util
import sys
from pathlib import Path

import pytest

from system.models.prompting import render
from system.models.replies import decoding_schema
from system.records import Claim
from system.tasks.base import Adapter, EvidenceTask, Reply, Task, registered
from system.tasks.carp import DecideBetweenTeamsInTwoLabels
from system.tasks.debate import CloseDebate, Moderate

TASKS = [task for task in registered() if task.__module__.startswith("system.")]
STEP = """
from system.tasks.base import Reply, Task

class RatingReply(Reply):
    label_field = "rating"
    reason: str
    rating: str

class RateSource(Task[RatingReply]):
    name = "rate_source"
    reply_type = RatingReply
    max_tokens = 64
    address: str
"""
PROMPT = '# System\n{% include "common.md" +%}\n\n# User\nAddress: {{ address }}\nRate the source, in JSON:\n'


def test_finds_the_tasks_but_not_their_bases() -> None:
    assert len(TASKS) >= 20 and EvidenceTask not in registered()


@pytest.mark.parametrize("task", TASKS)
def test_has_a_prompt_in_two_parts_and_a_schema(task: type[Task]) -> None:
    prompt = task.prompt_file().read_text(encoding="utf-8")
    assert prompt.startswith("# System\n") and prompt.count("\n# User\n") == 1
    assert prompt.rstrip().endswith(("JSON:", "{% endif %}", "verbatim }}"))
    assert decoding_schema(task.reply_type)["type"] == "object"


def test_names_are_unique_but_for_the_two_label_space() -> None:
    names = [task.name for task in TASKS if task is not DecideBetweenTeamsInTwoLabels]
    assert len(names) == len(set(names))


def test_serves_only_the_rulings_of_a_debate_with_the_moderators_adapter() -> None:
    assert {task for task in TASKS if task.adapter is Adapter.MODERATOR} == {Moderate, CloseDebate}


def test_a_step_is_one_file_and_its_prompt(tmp_path: Path) -> None:
    (tmp_path / "rate_source.py").write_text(STEP)
    (tmp_path / "rate_source.md").write_text(PROMPT)
    spec = importlib.util.spec_from_file_location("rate_source", tmp_path / "rate_source.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "rate_source", module)
        spec.loader.exec_module(module)
        task = module.RateSource(claim=Claim(id=0, text="c"), address="https://a.example")
        system, user = render(task, adapter=False)
    assert module.RateSource in registered()
    assert "Reply with one JSON object" in system["content"]
    assert user["content"] == 'Address: "https://a.example"\nRate the source, in JSON:'


def test_rejects_a_label_that_is_not_the_last_field() -> None:
    with pytest.raises(TypeError, match="expected 'label' as the last field"):

        class Early(Reply):
            label_field = "label"
            label: str
            reason: str
