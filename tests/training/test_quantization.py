import importlib
import json
import re
import sys
from unittest.mock import MagicMock

import torch

from system.models.prompting import ChatTokenizer
from training.__main__ import main
from training.finetuning.examples import read_examples, split_by_claim
from training.finetuning.recipes import HELD_OUT
from training.quantization import calibration_tokens


def test_measures_on_held_out_claims_and_calibrates_on_others(tmp_path, tiny_tokenizer):
    for offset, name in ((0, "a"), (1000, "b")):
        conversations = (
            {
                "claim_id": claim,
                "prompt": [{"role": "user", "content": str(claim)}],
                "completion": [{"role": "assistant", "content": str(offset + claim)}],
            }
            for claim in range(40)
        )
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in conversations))
    for name in ("moderator_preferences", "debates"):
        (tmp_path / f"{name}.jsonl").write_text("of another form\n")
    chat = ChatTokenizer(tiny_tokenizer, 4096)
    tokens = calibration_tokens(tmp_path, chat, calibration=10, measured=4, seed=1)

    def number(ids):
        return int(re.search(r"\d+", chat.tokenizer.decode(ids))[0])

    split = split_by_claim(read_examples(tmp_path / "a.jsonl"), HELD_OUT, 1)
    aside = {example["claim_id"] for example in split.held_out}
    assert {number(row["ids"]) for row in tokens["held_out"]} == aside
    assert len(tokens["calibration"]) == 10 and not {number(ids) for ids in tokens["calibration"]} & aside
    replies = [number(row["ids"][row["prompt"] :]) for row in tokens["held_out"]]
    assert sorted(replies) == sorted(offset + claim for claim in aside for offset in (0, 1000))


def test_names_the_script_of_a_missing_environment(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("training.quantization.PYTHON", tmp_path / "python")
    assert main(["quantize", "--output", str(tmp_path / "awq")]) == 2
    assert "scripts/setup_quantize.sh" in capsys.readouterr().err


def test_weights_stay_on_the_cpu_while_they_are_quantized(tmp_path, monkeypatch):
    for name in ("", ".modifiers.quantization", ".modifiers.transform.awq", ".pipelines.cache"):
        monkeypatch.setitem(sys.modules, f"llmcompressor{name}", MagicMock())
    monkeypatch.setitem(sys.modules, "compressed_tensors.quantization", MagicMock())
    awq, steps = importlib.import_module("training.awq"), MagicMock(**{"perplexity.return_value": 1.0})
    for name in ("AutoModelForCausalLM", "AutoTokenizer", "group_size", "quantize", "perplexity"):
        monkeypatch.setattr(awq, name, getattr(steps, name))
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)  # of 23 GB, which 29.5 GB of weights would fill
    (tmp_path / "tokens.json").write_text('{"calibration": [], "held_out": []}')
    awq.main("base", tmp_path / "tokens.json", tmp_path)
    places = [call.kwargs["device_map"] for call in steps.AutoModelForCausalLM.from_pretrained.call_args_list]
    assert places == ["auto", None, "auto"] and steps.quantize.call_count == 1
