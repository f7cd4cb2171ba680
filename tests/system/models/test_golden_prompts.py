"""Golden token ids of every prompt, in Qwen2.5's chat format.

A change here is a change of what every model reads and of what adapters were trained on. To record anew, and say why
in the commit: ``RECORD_GOLDEN=1 python -m pytest tests/system/models/test_golden_prompts.py``
"""

import json
import os
from pathlib import Path

import pytest

from system.models.chat import ChatTokenizer

GOLDEN = Path(__file__).with_name("golden_prompts.json")


@pytest.fixture(scope="module")
def rendered(tiny_tokenizer, tasks):
    chat = ChatTokenizer(tiny_tokenizer, context=8192)
    prompts = {
        f"{name}, {'with' if adapter else 'without'} adapter": chat.prompt(task, adapter).ids
        for name, task in tasks.items()
        for adapter in (True, False)
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


def test_first_tokens_are_the_chat_templates(rendered):
    chat, prompts = rendered
    for ids in prompts.values():
        assert chat.prompt_text(ids[:3]) == "<|im_start|>system"[: len(chat.prompt_text(ids[:3]))]
        assert chat.prompt_text(ids).endswith("<|im_end|>\n<|im_start|>assistant\n")
