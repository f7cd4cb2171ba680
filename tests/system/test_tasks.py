"""The tasks of the strategies: each has a prompt, a reply type that a model can be held to, and a name of its own."""

from collections.abc import Iterator

import pytest

from system import tasks
from system.models.prompting import PROMPTS
from system.models.replies import decoding_schema
from system.tasks import Adapter, CloseDebate, DecideBetweenTeamsInTwoLabels, EvidenceTask, Moderate, Task


def concrete(kind: type[Task] = Task) -> Iterator[type[Task]]:
    for below in kind.__subclasses__():
        if below.__name__ in tasks.__all__ and hasattr(below, "name"):
            yield below
        yield from concrete(below)


TASKS = sorted(set(concrete()), key=lambda task: task.__name__)


def test_there_are_tasks() -> None:
    assert len(TASKS) >= 20 and EvidenceTask not in TASKS


@pytest.mark.parametrize("task", TASKS)
def test_a_task_has_a_prompt_in_two_parts_and_a_schema(task: type[Task]) -> None:
    prompt = (PROMPTS / f"{task.name}.md").read_text(encoding="utf-8")
    assert prompt.startswith("# System\n") and prompt.count("\n# User\n") == 1
    assert prompt.rstrip().endswith(("JSON:", "{% endif %}"))
    assert decoding_schema(task.reply_type)["type"] == "object"
    assert task.reply_type.__name__ in tasks.__all__


def test_names_are_unique_but_for_the_two_label_space() -> None:
    names = [task.name for task in TASKS if task is not DecideBetweenTeamsInTwoLabels]
    assert len(names) == len(set(names))


def test_the_moderator_s_adapter_serves_the_rulings_of_a_debate_alone() -> None:
    assert {task for task in TASKS if task.adapter is Adapter.MODERATOR} == {Moderate, CloseDebate}
