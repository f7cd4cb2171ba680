"""Replies as they are decoded: a loop ends its string."""

import pytest
import torch
from transformers import AutoTokenizer

from system.models.constraints import Row, Schemas, loops
from system.strategies.steps.tasks.argument import ArgumentReply
from system.tasks.base import FreeText


@pytest.fixture(scope="module")
def tokenizer(tiny_tokenizer):
    return AutoTokenizer.from_pretrained(tiny_tokenizer)


def write(row: Row, tokenizer, text: str) -> None:
    for token in tokenizer(text, add_special_tokens=False)["input_ids"]:
        row.add(token, 0.0)


def texts_of(allowed: torch.Tensor, tokenizer) -> list[str]:
    return [tokenizer.decode([token]) for token in allowed.nonzero().flatten().tolist()]


@pytest.mark.parametrize(
    ("ids", "found"),
    [
        ([7, *[1, 2, 3, 4] * 8], True),
        ([7, *[1, 2, 3, 4] * 7, 1, 2, 3], False),  # shorter than a loop
        ([*[1, 2, 3, 4] * 8, 5], False),  # the loop is over
        ([*range(60)] * 2, False),  # said twice
        ([*range(60)] * 3, True),
        ([*range(70)] * 3, False),  # longer than what is looked for
        ([0] * 31, False),
        ([0] * 32, True),
        ([], False),
    ],
)
def test_a_loop_is_a_long_end_that_repeats_itself(ids, found):
    assert loops(ids) is found


def test_a_looping_string_is_closed(tokenizer):
    row = Schemas(tokenizer, len(tokenizer)).row(ArgumentReply, 512)
    write(row, tokenizer, '":"The claim is true.')
    assert len(texts_of(row.allowed(len(tokenizer)), tokenizer)) > 100
    write(row, tokenizer, " It is so because it is." * 12)
    closing = texts_of(row.allowed(len(tokenizer)), tokenizer)
    assert closing and all(text.startswith('"') for text in closing)
    write(row, tokenizer, '"')
    assert not loops(row.ids)


def test_a_looping_free_reply_ends(tokenizer):
    row = Schemas(tokenizer, len(tokenizer)).row(FreeText, 512)
    write(row, tokenizer, " and so on" * 20)
    assert row.allowed(len(tokenizer)).nonzero().flatten().tolist() == [tokenizer.eos_token_id]
