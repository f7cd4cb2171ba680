"""The token ids that a quantisation needs: whole conversations to calibrate on, and held-out replies to measure."""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from system.models.chat import ChatTokenizer
from training.errors import TrainingError
from training.finetuning.examples import Demonstration, read_examples, split_by_claim, that_fit
from training.finetuning.recipes import HELD_OUT


def calibration_tokens(folder: Path, chat: ChatTokenizer, calibration: int, measured: int, seed: int) -> dict[str, Any]:
    """What ``awq.py`` reads: examples of all data sets in equal parts, of claims that training held out or not.

    Args:
        folder: of the data sets; those of preferences are passed over.
        calibration: conversations to calibrate on, at most.
        measured: conversations whose replies are measured, at most.

    Raises:
        TrainingError: there is no data set, or one is broken.
    """
    files = sorted(path for path in folder.glob("*.jsonl") if not path.stem.endswith("preferences"))
    if not files:
        raise TrainingError(f"{folder}: no data sets to calibrate on; make them: python -m training data --help")
    train: list[Demonstration] = []
    held_out: list[Demonstration] = []
    for file in files:
        split = split_by_claim(that_fit(read_examples(file, Demonstration), chat), HELD_OUT, seed)
        train += _sample(split.train, -(-calibration // len(files)), seed)
        held_out += _sample(split.held_out, -(-measured // len(files)), seed)
    return {
        "calibration": [_tokens(example, chat)["ids"] for example in train[:calibration]],
        "held_out": [_tokens(example, chat) for example in held_out[:measured]],
    }


def _sample(examples: Sequence[Demonstration], count: int, seed: int) -> list[Demonstration]:
    return random.Random(seed).sample(examples, min(count, len(examples)))


def _tokens(example: Demonstration, chat: ChatTokenizer) -> dict[str, Any]:
    messages = [*example.prompt, *example.completion]
    ids = chat.tokenizer.apply_chat_template(messages, return_dict=False)
    prompt = chat.tokenizer.apply_chat_template(example.prompt, add_generation_prompt=True, return_dict=False)
    return {"ids": ids, "prompt": len(prompt)}
