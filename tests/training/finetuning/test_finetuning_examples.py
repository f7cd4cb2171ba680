"""Data sets are read with their faults named, and split by claim."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from system.models.prompting import ChatTokenizer
from training import TrainingError
from training.finetuning.examples import in_batches, read_examples, split_by_claim, that_fit

LINE = {
    "id": "0/0",
    "claim_id": 0,
    "label": "Refuted",
    "prompt": [{"role": "user", "content": "Judge."}],
    "completion": [{"role": "assistant", "content": "{}"}],
}


@pytest.mark.parametrize(
    ("second", "method", "fault"),
    [
        ('{"id": "1", "claim_id": 1, "pro', "sft", "line 2: expected a JSON object with claim_id, prompt, completion"),
        ('{"text": "of another data set"}', "sft", "line 2: .*KeyError: 'claim_id'"),
        (json.dumps(LINE), "dpo", "line 1: expected a JSON object with claim_id, prompt, chosen, rejected .*chosen"),
    ],
)
def test_reads_examples_in_order_and_names_a_line_that_is_none(tmp_path, second, method, fault):
    file = tmp_path / "a.jsonl"
    file.write_text("".join(json.dumps(LINE | {"claim_id": claim}) + "\n" for claim in range(3)))
    assert [one["claim_id"] for one in read_examples(file)] == [0, 1, 2]
    file.write_text(f"{json.dumps(LINE)}\n{second}\n")
    with pytest.raises(TrainingError, match=f"a.jsonl, {fault}") as raised:
        read_examples(file, method)
    assert "python -m training data" in str(raised.value)


@pytest.mark.parametrize(("file", "fault"), [("none", "no data set to train on"), ("empty", "found none")])
def test_a_missing_or_empty_data_set_says_how_to_make_one(tmp_path, file, fault):
    (tmp_path / "empty.jsonl").write_text("")
    with pytest.raises(TrainingError, match=f"{fault}.*: python -m training data --help"):
        read_examples(tmp_path / f"{file}.jsonl")


@given(st.lists(st.integers(0, 30), min_size=2).filter(lambda ids: len(set(ids)) > 1), st.integers(0, 5))
def test_no_claim_is_both_trained_on_and_held_out(claims, seed):
    split = split_by_claim([LINE | {"claim_id": claim} for claim in claims], 0.2, seed)
    train, held_out = ([one["claim_id"] for one in part] for part in (split.train, split.held_out))
    assert train and held_out and not set(train) & set(held_out) and sorted(train + held_out) == sorted(claims)


def test_leaves_out_examples_longer_than_the_context(tiny_tokenizer):
    def preference(*replies):
        chosen, rejected = ([{"role": "assistant", "content": reply}] for reply in replies)
        return LINE | {"completion": chosen, "chosen": chosen, "rejected": rejected}

    short, long = preference("a b", "a"), preference("a", "a b c d")
    conversation = [*LINE["prompt"], *short["chosen"]]
    tokenizer = ChatTokenizer(tiny_tokenizer, 4096).tokenizer
    chat = ChatTokenizer(tiny_tokenizer, len(tokenizer.apply_chat_template(conversation, return_dict=False)))
    assert that_fit([short, long], chat) == [short]
    with pytest.raises(TrainingError, match=f"all 1 examples are longer than {chat.context} tokens"):
        that_fit([long], chat)


def test_batches_have_one_length_and_random_order():
    examples = [LINE | {"claim_id": i, "prompt": [{"role": "user", "content": "x" * (i + 1)}]} for i in range(80)]
    ordered = in_batches(examples, 4, seed=1)
    batches = [[one["claim_id"] for one in ordered[start : start + 4]] for start in range(0, 80, 4)]
    assert sorted(one for batch in batches for one in batch) == list(range(80))
    assert all(max(batch) - min(batch) == 3 for batch in batches)
    assert batches[0] == [79, 78, 77, 76]  # the longest comes first
    assert 4 < sum(after < before for before, after in pairwise(batches)) < 15
    assert ordered == in_batches(examples, 4, seed=1) != in_batches(examples, 4, seed=2)
