"""Data sets of prompts and replies: read them, hold claims out, and leave out examples that are too long.

A data set is JSON Lines in TRL's conversational form, with the claim that each example was made of. The prompts are
the messages that the engine sends (``system.models.prompting``), so the chat template gives the same token ids.
"""

import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from system.models.prompting import ChatTokenizer
from training import TrainingError

Example = dict[str, Any]
"""``claim_id``, ``prompt``, and the messages of the replies: ``completion``, or ``chosen`` and ``rejected``."""
REPLIES = {"sft": ("completion",), "dpo": ("chosen", "rejected")}
"""Fields of the replies, by training method."""
_REMEDY = "python -m training data --help"


@dataclass(frozen=True)
class Split:
    """Training and held-out examples; no claim is in both."""

    train: list[Example]
    held_out: list[Example]


def read_examples(path: Path, method: str = "sft") -> list[Example]:
    """Read a data set in the order of the file."""
    fields = ("claim_id", "prompt", *REPLIES[method])
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise TrainingError(f"{path}: no data set to train on ({error.strerror}); make it: {_REMEDY}") from error
    examples = []
    for number, line in enumerate(lines, start=1):
        try:
            row = orjson.loads(line)
            examples.append({name: row[name] for name in fields})
        except (ValueError, KeyError, TypeError) as error:
            raise TrainingError(
                f"{path}, line {number}: expected a JSON object with {', '.join(fields)} ({type(error).__name__}: "
                f"{error}); make the data set again: {_REMEDY}"
            ) from error
    if not examples:
        raise TrainingError(f"{path}: expected an example on each line, found none; make the data set again: {_REMEDY}")
    return examples


def split_by_claim(examples: Sequence[Example], share: float, seed: int) -> Split:
    """Hold out a share of the claims, at least one, with all their examples.

    The order in which claims are held out depends on seed and claim id only, so all adapters hold out nearly the same.
    """
    claims = {example["claim_id"] for example in examples}
    if len(claims) < 2:
        raise TrainingError("expected examples of at least two claims, as one is held out; use more of the train split")
    ordered = sorted(claims, key=lambda claim: hashlib.sha256(f"{seed}:{claim}".encode()).digest())
    aside = set(ordered[: max(1, round(share * len(claims)))])
    train = [example for example in examples if example["claim_id"] not in aside]
    return Split(train, [example for example in examples if example["claim_id"] in aside])


def in_batches(examples: Sequence[Example], size: int, seed: int) -> list[Example]:
    """Order examples so that each batch has about one length: the longest batch first, the others in random order.

    A training that does not fit in memory therefore stops at its first update. The order is fixed before the training,
    so that a resumed epoch goes on where it stopped; transformers' own ``group_by_length`` draws another order then.
    """
    generator = random.Random(seed)
    ordered = sorted(generator.sample(examples, len(examples)), key=lambda one: -len(one["prompt"][-1]["content"]))
    longest, *others = [ordered[start : start + size] for start in range(0, len(ordered), size)]
    return [example for batch in (longest, *generator.sample(others, len(others))) for example in batch]


def that_fit(examples: Sequence[Example], chat: ChatTokenizer) -> list[Example]:
    """Return the examples whose prompt and longest reply fit the context."""

    def length(example: Example) -> int:
        replies = [example[name] for names in REPLIES.values() for name in names if name in example]
        texts = ([*example["prompt"], *reply] for reply in replies)
        return max(len(chat.tokenizer.apply_chat_template(text, return_dict=False)) for text in texts)

    fitting = [example for example in examples if length(example) <= chat.context]
    if not fitting:
        raise TrainingError(
            f"all {len(examples)} examples are longer than {chat.context} tokens; give a longer --context"
        )
    return fitting
