"""Quantize a model by AWQ with llm-compressor, and measure what it costs: run by ``python -m training quantize``.

llm-compressor requires other versions than training, so this file runs in an environment of its own
(``scripts/setup_quantize.sh``) and imports nothing of the project. Arguments: the model, a JSON file of token ids
({"calibration": [ids, …], "held_out": [{"ids": ids, "prompt": number of prompt tokens}, …]}), and the output folder.
The last file that it writes is ``quantization.json``, with the perplexities of the held-out replies.
"""

import gc
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

SCHEME = "W4A16_ASYM"  # 4-bit weights in groups with zero points, as AutoAWQ's; activations are not quantized
GROUPS = (128, 64, 32)  # AutoAWQ's group size, and what vLLM serves if a layer's width is no multiple of it


def main(model: str, tokens_file: Path, output: Path) -> None:
    """Measure, quantize, write, and measure the written files."""
    tokens = json.loads(tokens_file.read_text(encoding="utf-8"))
    before = perplexity(load(model, "auto"), tokens["held_out"])
    gc.collect()  # accelerate's hooks and the model refer to each other
    loaded = load(model, None)
    group = group_size(loaded)
    quantize(loaded, tokens["calibration"], group)
    loaded.save_pretrained(output, save_compressed=True)
    AutoTokenizer.from_pretrained(model).save_pretrained(output)
    del loaded
    after = perplexity(load(str(output), "auto"), tokens["held_out"])
    report = {
        "model": model,
        "scheme": f"{SCHEME} in groups of {group}",
        "calibration": len(tokens["calibration"]),
        "held_out": len(tokens["held_out"]),
        "perplexity_before": before,
        "perplexity_after": after,
    }
    (output / "quantization.json").write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


def load(model: str, device_map: str | None) -> Any:
    """Load a model in bfloat16.

    The map "auto" fills the GPU and keeps the rest on the CPU, which inference can do. None keeps all weights on the
    CPU: the sequential pipeline needs the GPU's memory for one block at a time and its calibration data, and a model of
    29.5 GB would fill a card of 23 GB before it starts.
    """
    gpu = device_map if torch.cuda.is_available() else None
    local = Path(model).is_dir()
    return AutoModelForCausalLM.from_pretrained(model, dtype=torch.bfloat16, device_map=gpu, local_files_only=local)


def group_size(model: Any) -> int:
    """Return the weights that share a scale: the largest size of which every layer's width is a multiple."""
    widths = {layer.in_features for layer in model.modules() if isinstance(layer, torch.nn.Linear)}
    fitting = [size for size in GROUPS if all(width % size == 0 for width in widths)]
    if not fitting:
        sys.exit(f"expected a model with layer widths that are multiples of {GROUPS[-1]}, got {sorted(widths)}")
    return fitting[0]


def quantize(model: Any, calibration: list[list[int]], group: int) -> None:
    """Scale the channels that matter and round the linear layers of the blocks, in place, block by block."""
    if not torch.accelerator.is_available():  # llm-compressor 0.14 pins memory even without a device
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
    """Return the perplexity per token of all replies, given their prompts."""
    total, count = 0.0, 0
    for example in examples:
        ids = torch.tensor([example["ids"]], device=model.device)
        logprobs = model(ids).logits[0, example["prompt"] - 1 : -1].float().log_softmax(-1)
        total -= logprobs.gather(1, ids[0, example["prompt"] :, None].to(logprobs.device)).sum().item()
        count += len(logprobs)
    return math.exp(total / count)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
