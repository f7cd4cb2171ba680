import pytest

from tests.helpers.tiny_training import write_lines
from training.__main__ import main
from training.finetuning.examples import read_examples, split_by_claim
from training.finetuning.recipes import HELD_OUT
from training.quantization import calibration_tokens


class Numbers:
    """A tokenizer of messages that are numbers: each is its own token; -1 opens the reply."""

    context = 100

    def __init__(self):
        self.tokenizer = self

    def apply_chat_template(self, messages, add_generation_prompt=False, **_):
        replies = [-1] * (add_generation_prompt or messages[-1]["role"] == "assistant")
        ids = [int(message["content"]) for message in messages]
        return [*ids[:1], *replies, *ids[1:]]

    def encode(self, messages):
        return self.apply_chat_template(messages, add_generation_prompt=True)


@pytest.fixture
def folder(tmp_path):
    for offset, name in ((0, "a"), (1000, "b")):
        rows = [
            {
                "claim_id": claim,
                "prompt": [{"role": "user", "content": str(claim)}],
                "completion": [{"role": "assistant", "content": str(offset + claim)}],
            }
            for claim in range(40)
        ]
        write_lines(tmp_path / f"{name}.jsonl", rows)
    for name in ("moderator_preferences", "debates"):
        (tmp_path / f"{name}.jsonl").write_text("of another form\n")
    return tmp_path


def test_measures_on_held_out_claims_and_calibrates_on_others(folder):
    tokens = calibration_tokens(folder, Numbers(), calibration=10, measured=4, seed=1)
    split = split_by_claim(read_examples(folder / "a.jsonl"), HELD_OUT, 1)
    aside = {example["claim_id"] for example in split.held_out}
    assert {row["ids"][0] for row in tokens["held_out"]} == aside
    assert not {ids[0] for ids in tokens["calibration"]} & aside
    assert all(row["prompt"] == 2 for row in tokens["held_out"])


def test_names_the_script_of_a_missing_environment(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("training.quantization.PYTHON", tmp_path / "python")
    assert main(["quantize", "--output", str(tmp_path / "awq")]) == 2
    assert "scripts/setup_quantize.sh" in capsys.readouterr().err
