"""Golden token ids of every prompt, in Qwen2.5's chat format.

A change here is a change of what every model reads and of what adapters were trained on. To record anew, and say why
in the commit: ``RECORD_GOLDEN=1 python -m pytest tests/system/models/test_golden_prompts.py``
"""

import json
import os
import re
from pathlib import Path

import pytest
from every_task import ours

from system.models.chat import ChatTokenizer
from system.models.prompting import PROMPTS
from system.tasks.base import Adapter

SHARED = PROMPTS / "shared"
GOLDEN = Path(__file__).with_name("golden_prompts.json")


@pytest.fixture(scope="module")
def rendered(tiny_tokenizer, every_task):
    chat = ChatTokenizer(tiny_tokenizer, context=8192)
    prompts = {
        f"{name}, {'with' if adapter else 'without'} adapter": chat.prompt(task, adapter).ids
        for name, task in every_task.items()
        for adapter in ((False,) if task.adapter is Adapter.NONE else (True, False))
    }
    if os.environ.get("RECORD_GOLDEN"):
        rows = ",\n".join(
            f"{json.dumps(name)}: {json.dumps(ids, separators=(',', ':'))}" for name, ids in prompts.items()
        )
        GOLDEN.write_text(f"{{\n{rows}\n}}\n")
    return chat, prompts


def test_token_ids_are_the_recorded_ones(rendered):
    chat, prompts = rendered
    golden = json.loads(GOLDEN.read_text())
    assert list(golden) == list(prompts)
    for name, ids in prompts.items():
        assert chat.prompt_text(ids) == chat.prompt_text(golden[name]), name
        assert ids == golden[name], name


def test_every_prompt_file_is_covered(every_task):
    """Those of the tasks, all that they include, and the drafts, which any task may have."""
    assert any(task.drafts for task in every_task.values())
    wanted, found = [SHARED / "drafts.md", *(task.prompt_file() for task in every_task.values())], set()
    while wanted:
        found.add(file := wanted.pop())
        included = re.findall(r'include "(\w+\.md)"', file.read_text(encoding="utf-8"))
        wanted += {SHARED / name for name in included} - found
    assert found == {*SHARED.parent.rglob("*.md")}


def test_every_task_is_covered(every_task):
    assert ours() == {type(task) for task in every_task.values()}


def test_first_tokens_are_the_chat_templates(rendered):
    chat, prompts = rendered
    for ids in prompts.values():
        assert chat.prompt_text(ids[:3]) == "<|im_start|>system"[: len(chat.prompt_text(ids[:3]))]
        assert chat.prompt_text(ids).endswith("<|im_end|>\n<|im_start|>assistant\n")
