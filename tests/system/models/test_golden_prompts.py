"""Golden token ids of every prompt, in Qwen2.5's chat format.

A change here is a change of what every model reads and of what adapters were trained on. To record anew, and say why
in the commit: ``RECORD_GOLDEN=1 python -m pytest tests/system/models/test_golden_prompts.py``
"""

import json
import os
import re
from pathlib import Path

import pytest

from knowledge_store.pages.page import Passage
from system.graph.records import Claim, QuestionAnswer
from system.models.prompting import SHARED, ChatTokenizer, prompt_files
from system.tasks.base import Adapter
from tests.helpers import by_strategy
from tests.helpers.every_task import ours

TESTS = Path(__file__).resolve().parents[2]
GOLDEN = Path(__file__).with_name("golden")
CLAIM = Claim(id=0, text="Any.")
PAIR = QuestionAnswer.unanswered("Any?")
EVIDENCE = (Passage(text="Any.", url="https://any.example", page=0, start=0),)


@pytest.fixture(scope="module")
def rendered(tiny_tokenizer, every_task):
    chat = ChatTokenizer(tiny_tokenizer, context=8192)
    prompts = {
        f"{name}, {'with' if adapter else 'without'} adapter": chat.prompt(task, adapter).ids
        for name, task in every_task.items()
        for adapter in ((False,) if task.adapter is Adapter.NONE else (True, False))
    }
    if os.environ.get("RECORD_GOLDEN"):
        for file, names in files_of(every_task).items():
            rows = [
                f"{json.dumps(name)}: {json.dumps(ids, separators=(',', ':'))}"
                for name, ids in prompts.items()
                if name.rpartition(", with")[0] in names
            ]
            file.write_text("{\n" + ",\n".join(rows) + "\n}\n")
    return chat, prompts


def files_of(every_task):
    """The recorded files with the names of their tasks: one for each folder of strategies, one for the rest."""
    own = {
        GOLDEN / f"{module.__name__.rpartition('.')[2]}.json": module.tasks(CLAIM, PAIR, EVIDENCE).keys()
        for module in by_strategy.MODULES
    }
    others = every_task.keys() - {name for names in own.values() for name in names}
    return {GOLDEN / "shared.json": others, **own}


def test_token_ids_are_the_recorded_ones(rendered, every_task):
    chat, prompts = rendered
    golden = {name: ids for file in files_of(every_task) for name, ids in json.loads(file.read_text()).items()}
    assert sorted(golden) == sorted(prompts)
    for name, ids in prompts.items():
        assert chat.tokenizer.decode(ids) == chat.tokenizer.decode(golden[name]), name
        assert ids == golden[name], name


def test_every_task_and_prompt_file_is_covered(every_task):
    """The files of the tasks, and all that they include."""
    assert ours() == {type(task) for task in every_task.values()}
    wanted, found = [task.prompt_file() for task in every_task.values()], set()
    while wanted:
        found.add(file := wanted.pop())
        included = re.findall(r'include "(\w+\.md)"', file.read_text(encoding="utf-8"))
        beside = {name: file.parent / "shared" / name for name in included}
        wanted += {path if path.is_file() else SHARED / name for name, path in beside.items()} - found
    assert sorted(found) == [file for file in prompt_files() if not file.is_relative_to(TESTS)]
