"""Measure training steps on an architecture with random weights: nothing is downloaded.

    python -m scripts.benchmarks.training --shape qwen2.5-14b --precision nf4 --gpu-memory 22 --task moderator \\
        --output nf4.json
    python -m scripts.benchmarks.training --shape qwen2.5-14b --precision bfloat16 --task moderator --output bf16.json
    python -m scripts.benchmarks.training --shape tiny --precision float32 --tokens 512  # without a GPU
    python -m scripts.benchmarks.training --shape smollm2-135m --precision bfloat16 --task labels --tokens 192

The trainer is that of ``python -m training train``, with the recipe's adapter, and examples that are all as long as the
recipe's longest: the memory is the highest that a training can take. Beside it stands what the plan says. Without a GPU
the steps are measured as PyTorch comes too, without what ``compile_blocks`` does, and the ratio is printed.
"""

import argparse
import json
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
from torch import nn
from transformers import AutoModelForCausalLM, EarlyStoppingCallback, PreTrainedConfig, TrainerCallback

from scripts.benchmarks.shapes import QWEN_14B, SMOLLM2_135M
from system.hardware.machine import describe_machine, peak_memory
from system.hardware.memory import GIB
from system.models.base import ModelUnavailable
from training.finetuning.base import (
    SHORT,
    Precision,
    TrainingPlan,
    compile_blocks,
    device_memory,
    four_bits,
    plan_training,
)
from training.finetuning.examples import Demonstration, Split
from training.finetuning.recipes import RECIPES, Recipe
from training.finetuning.trainers import build_trainer
from training.tiny_model import make_base, make_tokenizer

SHAPES = {"qwen2.5-14b": QWEN_14B, "smollm2-135m": SMOLLM2_135M, "tiny": make_base(make_tokenizer()).config}


class Clock(TrainerCallback):
    """Seconds of every update."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def on_step_begin(self, *_: Any, **__: Any) -> None:
        """Start."""
        self._began = self._now()

    def on_step_end(self, *_: Any, **__: Any) -> None:
        """Stop."""
        self.seconds.append(self._now() - self._began)

    @staticmethod
    def _now() -> float:
        if torch.cuda.is_available():
            torch.cuda.synchronize()
        return time.perf_counter()


def random_model(config: PreTrainedConfig, precision: Precision, device: str, attention: str | None = None) -> Any:
    """A model with random weights, made on the device layer by layer, so that nothing larger than it is ever held."""
    dtype = torch.float32 if precision is Precision.FLOAT32 else torch.bfloat16
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config, dtype=dtype, attn_implementation=attention)
    if precision is Precision.NF4:
        from transformers.integrations.bitsandbytes import replace_with_bnb_linear

        model = replace_with_bnb_linear(model, modules_to_not_convert=["lm_head"], quantization_config=four_bits())
        model.is_loaded_in_4bit = True
    for module in model.modules():
        for name, parameter in list(module.named_parameters(recurse=False)):
            weight = torch.empty(parameter.shape, dtype=dtype, device=device).normal_(std=0.02)
            setattr(module, name, _frozen(module, name, weight))
    with torch.device(device):
        model.model.rotary_emb = type(model.model.rotary_emb)(config)  # holds buffers, no parameters
    return model


def _frozen(module: nn.Module, name: str, weight: torch.Tensor) -> nn.Parameter:
    if type(module).__name__ != "Linear4bit" or name != "weight":
        return nn.Parameter(weight, requires_grad=False)
    from bitsandbytes.nn import Params4bit

    return Params4bit(weight, requires_grad=False, quant_type="nf4", compress_statistics=True, module=module).to(
        weight.device
    )


def examples(tokenizer: Any, tokens: int, count: int) -> list[Demonstration]:
    """Examples of exactly ``tokens`` tokens, an eighth of them reply."""
    completion = [{"role": "assistant", "content": " a" * (tokens // 8)}]

    def example(words: int) -> Demonstration:
        prompt = [{"role": "user", "content": " a" * words}]
        return Demonstration.model_validate({"id": "", "claim_id": 0, "prompt": prompt, "completion": completion})

    def length(words: int) -> int:
        one = example(words)
        return len(tokenizer.apply_chat_template([*one.prompt, *one.completion], return_dict=False))

    words = tokens - length(1) + 1  # " a" is one token, whatever stands beside it
    assert length(words) == tokens
    return [example(words)] * count


def measure(model: Any, recipe: Recipe, precision: Precision, updates: int) -> dict[str, float]:
    """Time and memory of some updates; the first, which makes kernels and optimizer states, is not timed."""
    tokenizer, clock = make_tokenizer(), Clock()
    chat: Any = SimpleNamespace(tokenizer=tokenizer)
    rows = examples(tokenizer, recipe.context, updates * recipe.batch)
    with tempfile.TemporaryDirectory() as folder:
        trainer = build_trainer(model, chat, Split(rows, rows[:1]), recipe, precision, Path(folder), seed=1)
        trainer.add_callback(clock)
        trainer.remove_callback(EarlyStoppingCallback)
        trainer.args.eval_strategy = trainer.args.save_strategy = "no"
        trainer.args.load_best_model_at_end = False
        trainer.train()
    timed = clock.seconds[1:]
    mean = sum(timed) / len(timed)
    gpu = torch.cuda.is_available()
    return {
        "seconds_per_update": mean,
        "tokens_per_second": recipe.batch * recipe.context / mean,
        "peak_gib": torch.cuda.max_memory_reserved() / GIB if gpu else peak_memory(),
    }


def main() -> None:
    """Measure, print, write."""
    options = _options()
    config, precision = SHAPES[options.shape], Precision(options.precision)
    recipe = replace(RECIPES[options.task], epochs=1.0, batch=options.batch)
    recipe = replace(recipe, context=options.tokens or recipe.context)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    if options.gpu_memory and device == "cuda":
        torch.cuda.set_per_process_memory_fraction(device_memory(options.gpu_memory) / device_memory(None))
    with torch.device("meta"):
        memory = device_memory(options.gpu_memory)
        plan = plan_training(AutoModelForCausalLM.from_config(config), recipe, precision, memory)
    print(f"plan\n{plan}")
    found = measure(random_model(config, precision, device), recipe, precision, options.updates)
    if device == "cpu" and recipe.context <= SHORT:
        model = random_model(config, precision, device, "eager")
        compile_blocks(model)
        faster = measure(model, recipe, precision, options.updates)
        found |= {"compiled_tokens_per_second": faster["tokens_per_second"]}
        print(f"compiled: {faster['tokens_per_second'] / found['tokens_per_second']:.2f} times as fast")
    print(", ".join(f"{name} {value:.2f}" for name, value in found.items()))
    if options.output:
        options.output.write_text(json.dumps(_report(options, plan, found), indent=2) + "\n")


def _report(options: argparse.Namespace, plan: TrainingPlan, found: dict[str, float]) -> dict[str, Any]:
    given = {name: value for name, value in vars(options).items() if name != "output"}
    return {"options": given, "planned_gib": plan.needed / GIB, **found, "machine": describe_machine()}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shape", choices=SHAPES, default="qwen2.5-14b")
    parser.add_argument("--precision", choices=[str(one) for one in Precision], default="nf4")
    parser.add_argument("--task", choices=[task for task in RECIPES if not RECIPES[task].start], default="qg")
    parser.add_argument("--tokens", type=int, help="length of the examples (default: the recipe's context)")
    parser.add_argument("--batch", type=int, default=1, help="examples of an update")
    parser.add_argument("--updates", type=int, default=4, help="the first is not timed")
    parser.add_argument("--gpu-memory", type=float, help="GiB of the GPU that may be used")
    parser.add_argument("--output", type=Path, help="JSON file to write")
    return parser.parse_args()


if __name__ == "__main__":
    try:
        main()
    except ModelUnavailable as error:
        raise SystemExit(str(error)) from error
