"""Quantize a model by AWQ with llm-compressor, and measure what it costs: run by ``python -m training quantize``.

This file runs in an environment of its own (``scripts/setup_quantize.sh``), since llm-compressor wants other versions
than training does; so it imports nothing of the project. It takes three paths: the model, a JSON file of token ids
({"calibration": [ids, …], "held_out": [{"ids": ids, "prompt": number of prompt tokens}, …]}), and the output folder.
The last thing that it writes is ``quantization.json`` with the perplexities of the held-out replies.
"""

import json
import math
import sys
from pathlib import Path
from typing import Any

import torch
from compressed_tensors.quantization import preset_name_to_scheme
from datasets import Dataset
from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import QuantizationModifier
from llmcompressor.modifiers.transform.awq import AWQModifier
from llmcompressor.pipelines.cache import IntermediatesCache
from transformers import AutoModelForCausalLM, AutoTokenizer

SCHEME = "W4A16_ASYM"  # 4-bit weights in groups with zero points, as AutoAWQ's; activations as they are
GROUPS = (128, 64, 32)  # AutoAWQ's size, and what vLLM serves where a layer's width does not divide by it


def main(model: str, tokens_file: Path, output: Path) -> None:
    """Quantize, write, read back, measure."""
    tokens = json.loads(tokens_file.read_text(encoding="utf-8"))
    loaded = load(model)
    before = perplexity(loaded, tokens["held_out"])
    group = group_size(loaded)
    quantize(loaded, tokens["calibration"], group)
    loaded.save_pretrained(output, save_compressed=True)
    AutoTokenizer.from_pretrained(model).save_pretrained(output)
    del loaded
    after = perplexity(load(str(output)), tokens["held_out"])  # of the files, not of what stood in memory
    report = {
        "model": model,
        "scheme": f"{SCHEME} in groups of {group}",
        "calibration": len(tokens["calibration"]),
        "held_out": len(tokens["held_out"]),
    }
    report |= {"perplexity_before": before, "perplexity_after": after}
    (output / "quantization.json").write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


def load(model: str) -> Any:
    """A model in bfloat16, on the GPU as far as it fits."""
    device = "auto" if torch.cuda.is_available() else None
    local = Path(model).is_dir()
    return AutoModelForCausalLM.from_pretrained(model, dtype=torch.bfloat16, device_map=device, local_files_only=local)


def group_size(model: Any) -> int:
    """Weights that share a scale: the largest size of which every layer's width is a multiple."""
    widths = {layer.in_features for layer in model.modules() if isinstance(layer, torch.nn.Linear)}
    fitting = [size for size in GROUPS if all(width % size == 0 for width in widths)]
    if not fitting:
        sys.exit(f"expected a model with layer widths that are multiples of {GROUPS[-1]}, got {sorted(widths)}")
    return fitting[0]


def quantize(model: Any, calibration: list[list[int]], group: int) -> None:
    """Scale the channels that matter and round the linear layers of the blocks, in place."""
    if not torch.accelerator.is_available():  # llm-compressor 0.14 pins memory for a device that may not be there
        IntermediatesCache.pin_memory = lambda *_: None
    scheme = preset_name_to_scheme(SCHEME, ["Linear"])
    scheme.weights.group_size = group
    rows = [{"input_ids": ids, "attention_mask": [1] * len(ids)} for ids in calibration]
    oneshot(
        model=model,
        dataset=Dataset.from_list(rows),
        recipe=[AWQModifier(), QuantizationModifier(config_groups={"group_0": scheme}, ignore=["lm_head"])],
        max_seq_length=max(map(len, calibration)),
        num_calibration_samples=len(rows),
    )


@torch.inference_mode()
def perplexity(model: Any, examples: list[dict[str, Any]]) -> float:
    """Of the tokens of all replies, given their prompts."""
    total, count = 0.0, 0
    for example in examples:
        ids = torch.tensor([example["ids"]], device=model.device)
        logprobs = model(ids).logits[0, example["prompt"] - 1 : -1].float().log_softmax(-1)
        total -= logprobs.gather(1, ids[0, example["prompt"] :, None]).sum().item()
        count += len(logprobs)
    return math.exp(total / count)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
