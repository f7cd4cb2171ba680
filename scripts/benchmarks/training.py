"""Measure training steps on random weights of the real shapes: nothing is downloaded.

    python -m scripts.benchmarks.training --output training.json      # on the GPU, with bitsandbytes, about 4 minutes
    python -m scripts.benchmarks.training --tiny --precision float32  # the same cases without a GPU, to rehearse

All sequences have the length of the case, so its memory is the highest that such a training takes. The step is that of
``python -m training train``: gradient checkpointing, adapters in bfloat16 beside NF4, paged 8-bit Adam, and logits only
where the reply is. TRL and datasets are not needed. The first case embeds a claim's passages with Qwen3-Embedding-0.6B.
FLOP/s stand beside the card's own rate for matrix products, and an A10G's tokens a second are those of a card whose
rate is 70 TFLOP/s.
"""

import argparse
import json
import time
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import torch
from peft import LoraConfig, get_peft_model
from torch import nn
from transformers import AutoModelForCausalLM, PreTrainedConfig, Qwen2Config, Qwen3Config

from training.finetuning.base import four_bits
from training.finetuning.recipes import RECIPES, Recipe, Task

GIB = 2**30
GPU = torch.cuda.is_available()
DEVICE = "cuda" if GPU else "cpu"
A10G = tomllib.loads(Path(__file__).with_name("card.toml").read_text())["card"]["flops"]  # of matrix products
TINY = Qwen2Config(
    vocab_size=512, hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4,
    num_key_value_heads=2,
)  # fmt: skip
QWEN_14B = Qwen2Config(
    vocab_size=152_064, hidden_size=5120, intermediate_size=13_824, num_hidden_layers=48, num_attention_heads=40,
    num_key_value_heads=8, tie_word_embeddings=False,
)  # fmt: skip
EMBEDDING = Qwen3Config(  # Qwen3-Embedding-0.6B
    hidden_size=1024, intermediate_size=3072, num_hidden_layers=28, num_attention_heads=16, num_key_value_heads=8,
)  # fmt: skip


@dataclass(frozen=True)
class Case:
    """One training to measure."""

    name: str
    task: Task  # the recipe
    tokens: int  # of every example
    micro_batch: int  # examples per forward pass
    passes: int = 1  # forward passes per update


CASES = (
    Case("questions, longest", "qg", 4096, 1),
    Case("questions, typical, one a pass", "qg", 300, 1, 16),
    Case("questions, typical, four a pass", "qg", 300, 4, 4),
    Case("questions, typical, sixteen a pass", "qg", 300, 16),
    Case("verdicts, longest, four a pass", "verdict", 2048, 4),
    Case("moderator, longest", "moderator", 8192, 1),
)


def random_model(config: PreTrainedConfig, precision: str) -> Any:
    """Make a model with random weights on the device, layer by layer, so that nothing larger than it is ever held."""
    dtype = torch.float32 if precision == "float32" else torch.bfloat16
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config, dtype=dtype)
    if precision == "nf4":
        from transformers.integrations.bitsandbytes import replace_with_bnb_linear

        model = replace_with_bnb_linear(model, modules_to_not_convert=["lm_head"], quantization_config=four_bits())
        model.is_loaded_in_4bit = True
    for module in model.modules():
        for name, parameter in list(module.named_parameters(recurse=False)):
            weight = torch.empty(parameter.shape, dtype=dtype, device=DEVICE).normal_(std=0.02)
            setattr(module, name, _frozen(module, name, weight))
    with torch.device(DEVICE):
        model.model.rotary_emb = type(model.model.rotary_emb)(config)  # holds buffers, no parameters
    return model


def _frozen(module: nn.Module, name: str, weight: torch.Tensor) -> nn.Parameter:
    if type(module).__name__ != "Linear4bit" or name != "weight":
        return nn.Parameter(weight, requires_grad=False)
    from bitsandbytes.nn import Params4bit

    packed = Params4bit(weight, requires_grad=False, quant_type="nf4", compress_statistics=True, module=module)
    return packed.to(DEVICE)


def train(base: Any, case: Case, precision: str, updates: int) -> dict[str, float]:
    """Measure some updates; the first, which makes kernels and optimizer states, is not timed."""
    recipe: Recipe = RECIPES[case.task]
    layers = LoraConfig(
        r=recipe.rank, lora_alpha=recipe.alpha, lora_dropout=recipe.dropout, target_modules="all-linear"
    )
    model: Any = get_peft_model(base, layers)
    model.train()
    if GPU:
        base.gradient_checkpointing_enable({"use_reentrant": False})
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer: Any = torch.optim.AdamW(trained, lr=1e-4)
    if precision == "nf4":
        for parameter in trained:
            parameter.data = parameter.data.to(torch.bfloat16)
        if GPU:
            from bitsandbytes.optim import PagedAdamW8bit

            optimizer = PagedAdamW8bit(trained, lr=1e-4)
    ids = torch.randint(base.config.vocab_size, (case.micro_batch, case.tokens), device=DEVICE)
    reply = max(1, case.tokens // 8)

    def update() -> None:
        for _ in range(case.passes):
            with torch.autocast(DEVICE, torch.bfloat16, enabled=precision != "float32"):
                hidden = base.model(input_ids=ids, use_cache=False).last_hidden_state[:, -reply - 1 : -1]
                logits = base.lm_head(hidden).float()
            nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, -reply:].flatten()).backward()
        optimizer.step()
        optimizer.zero_grad()

    try:
        seconds = timed(update, updates)
    finally:
        model.unload()
    rate = case.passes * case.micro_batch * case.tokens / seconds
    return {"seconds": seconds, "tokens_per_second": rate, "flops": rate * flops(base.config, case.tokens), **memory()}


def embed(config: PreTrainedConfig, tokens: int, passages: int = 606) -> dict[str, float]:
    """Measure the embedding of a claim's passages in bfloat16, 32 at a time."""
    model = random_model(config, "bfloat16").model
    ids = torch.randint(config.vocab_size, (32, tokens), device=DEVICE)

    @torch.inference_mode()
    def claim() -> None:
        for begin in range(0, passages, len(ids)):
            model(input_ids=ids[: passages - begin], use_cache=False)

    seconds = timed(claim, 3)
    rate = passages * tokens / seconds
    return {"seconds": seconds, "tokens_per_second": rate, "flops": rate * flops(config, tokens) / 3, **memory()}


def flops(config: Any, tokens: int) -> float:
    """Return the FLOP per token of a LoRA step: forward, forward again for checkpointing, and backward to the inputs.

    Each costs 2 FLOP per weight of the blocks, and attention on average half of ``tokens`` positions in all layers.
    """
    head = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    attention = 2 * config.hidden_size * head * (config.num_attention_heads + config.num_key_value_heads)
    weights = config.num_hidden_layers * (attention + 3 * config.hidden_size * config.intermediate_size)
    return 6.0 * weights + 8.0 * tokens * head * config.num_attention_heads * config.num_hidden_layers


def matmul_rate(size: int) -> float:
    """Return the device's FLOP/s for square products in bfloat16."""
    factor = torch.randn(size, size, dtype=torch.bfloat16, device=DEVICE)
    return 2.0 * size**3 / timed(lambda: factor @ factor, 10)


def timed(work: Callable[[], object], times: int) -> float:
    """Return mean seconds of some calls after a first one."""
    if GPU:
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
    work()
    _wait()
    began = time.perf_counter()
    for _ in range(times):
        work()
    _wait()
    return (time.perf_counter() - began) / times


def _wait() -> None:
    if GPU:
        torch.cuda.synchronize()


def memory() -> dict[str, float]:
    """Return GiB of the device: PyTorch's peak, and what is in use with the CUDA context; nothing without a GPU."""
    if not GPU:
        return {}
    free, total = torch.cuda.mem_get_info()
    return {"peak_gib": torch.cuda.max_memory_reserved() / GIB, "in_use_gib": (total - free) / GIB}


def main() -> None:
    """Measure, print a line for each case as it ends, and write all figures."""
    options = _options()
    if options.gpu_memory and GPU:
        torch.cuda.set_per_process_memory_fraction(min(1.0, options.gpu_memory * GIB / torch.cuda.mem_get_info()[1]))
    rate = matmul_rate(256 if options.tiny else 8192)
    card = torch.cuda.get_device_name() if GPU else "CPU"
    print(f"{card}: {rate / 1e12:.1f} TFLOP/s for matrix products; {options.precision}, cap {options.gpu_memory} GiB")
    found: dict[str, Any] = {"card": card, "matmul_flops": rate, "precision": options.precision, "cases": {}}

    def measure(name: str, work: Callable[[], dict[str, float]]) -> None:
        try:
            figures = work()
        except torch.OutOfMemoryError as error:
            print(f"{name}: does not fit: {str(error).splitlines()[0]}", flush=True)
            return
        figures["share_of_matmul"] = figures.pop("flops") / rate
        figures["a10g_tokens_per_second"] = figures["tokens_per_second"] * A10G / rate
        found["cases"][name] = figures
        print(f"{name}: {', '.join(f'{key} {value:.3g}' for key, value in figures.items())}", flush=True)

    scale = 64 if options.tiny else 1
    measure("606 passages", lambda: embed(TINY if options.tiny else EMBEDDING, tokens=238 // scale))
    base = random_model(TINY if options.tiny else QWEN_14B, options.precision)
    for case in CASES:
        shorter = replace(case, tokens=case.tokens // scale)
        measure(case.name, partial(train, base, shorter, options.precision, options.updates))
    if options.output:
        options.output.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--precision", choices=("float32", "bfloat16", "nf4"), default="nf4")
    parser.add_argument("--updates", type=int, default=3, help="timed updates of each case (default: %(default)s)")
    parser.add_argument("--gpu-memory", type=float, default=22.0, help="GiB that may be used (default: %(default)s)")
    parser.add_argument("--tiny", action="store_true", help="a tiny shape and short examples")
    parser.add_argument("--output", type=Path, help="JSON file to write")
    return parser.parse_args()


if __name__ == "__main__":
    main()
