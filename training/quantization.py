"""``python -m training quantize`` and ``dequantize``: a base model in 4 bits (AWQ), and a trainable base from one."""

import argparse
import json
import random
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from system.models.prompting import ChatTokenizer
from training import TrainingError, dequantization
from training.finetuning.command import BASE, DATA, MODELS
from training.finetuning.examples import Example, read_examples, split_by_claim, that_fit
from training.finetuning.recipes import HELD_OUT

PYTHON = Path(__file__).resolve().parents[1] / ".venv-quantize" / "bin" / "python"
REPORT = "quantization.json"

ORIGINAL = "Qwen/Qwen2.5-14B-Instruct"
SERVED = "Qwen/Qwen2.5-14B-Instruct-AWQ"


def add_command(commands: Any) -> None:
    """Add the parsers of both commands."""
    parser = commands.add_parser(
        "quantize",
        help="quantize a base model to 4 bits (AWQ)",
        description="Quantize a base model to 4 bits by AWQ, for the vllm backend; print the perplexity of held-out "
        "replies before and after. Runs llm-compressor in .venv-quantize (scripts/setup_quantize.sh), with the weights "
        "in the CPU's memory and one block at a time on the GPU.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--base", default=ORIGINAL, help="base model, a folder or a name")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the data sets")
    parser.add_argument("--output", type=Path, default=MODELS / "awq", help="folder of the quantized model")
    parser.add_argument("--calibration", type=int, default=256, help="maximum conversations to calibrate on")
    parser.add_argument("--measured", type=int, default=128, help="maximum held-out replies for the perplexity")
    parser.add_argument("--context", type=int, default=4096, help="maximum length of a conversation, in tokens")
    parser.add_argument("--seed", type=int, default=1, help="random seed; the training's holds out the same claims")
    parser.set_defaults(run=quantize)

    parser = commands.add_parser(
        "dequantize",
        help="make a trainable base from a 4-bit checkpoint",
        description="Dequantize a 4-bit checkpoint of AutoAWQ or llm-compressor: the result is the base on "
        "which adapters for that checkpoint are trained.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("model", nargs="?", default=SERVED, help="4-bit checkpoint, a folder or a name")
    parser.add_argument("--output", type=Path, default=BASE, help="folder of the base")
    parser.set_defaults(run=dequantize)


def dequantize(options: argparse.Namespace) -> None:
    """Dequantize, unless the output folder is complete."""
    if not (options.output / dequantization.CONFIG).exists():
        dequantization.dequantize(options.model, options.output)
    print(f"{options.output}: the weights of {options.model}, to train adapters on")


def quantize(options: argparse.Namespace) -> None:
    """Quantize, unless the output folder is complete, and print the perplexities."""
    if not (options.output / REPORT).exists():
        _quantize(options)
    report = json.loads((options.output / REPORT).read_text(encoding="utf-8"))
    print(
        f"{options.output}: perplexity of {report['held_out']} held-out replies {report['perplexity_before']:.3f} "
        f"before, {report['perplexity_after']:.3f} after ({report['scheme']}, calibrated on {report['calibration']})"
    )


def _quantize(options: argparse.Namespace) -> None:
    from training.finetuning.base import check_trainable  # imports large libraries

    if not PYTHON.exists():
        raise TrainingError(f"{PYTHON} not found; create llm-compressor's environment: scripts/setup_quantize.sh")
    check_trainable(options.base)
    chat = ChatTokenizer(options.base, options.context)
    tokens = calibration_tokens(options.data, chat, options.calibration, options.measured, options.seed)
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        json.dump(tokens, file)
        file.flush()
        # -P keeps this script's folder off the path, where training/datasets would hide the library "datasets".
        command = [PYTHON, "-P", Path(__file__).with_name("awq.py"), options.base, file.name, options.output]
        done = subprocess.run(list(map(str, command)), check=False)
    if done.returncode:
        raise TrainingError(f"llm-compressor exited with status {done.returncode}; its messages above say why")


def calibration_tokens(folder: Path, chat: ChatTokenizer, calibration: int, measured: int, seed: int) -> dict[str, Any]:
    """Draw conversations for ``awq.py``: equal parts of all data sets, of training claims and of held-out claims.

    Args:
        folder: of the data sets; preferences and whole debates are skipped.
        calibration: maximum conversations to calibrate on.
        measured: maximum conversations whose replies are measured.
    """
    files = sorted(path for path in folder.glob("*.jsonl") if not path.stem.endswith(("preferences", "debates")))
    if not files:
        raise TrainingError(f"{folder}: no data sets to calibrate on; make them: python -m training data --help")
    train: list[Example] = []
    held_out: list[Example] = []
    for file in files:
        split = split_by_claim(that_fit(read_examples(file), chat), HELD_OUT, seed)
        train += _sample(split.train, -(-calibration // len(files)), seed)
        held_out += _sample(split.held_out, -(-measured // len(files)), seed)
    return {
        "calibration": [_tokens(example, chat)["ids"] for example in train[:calibration]],
        "held_out": [_tokens(example, chat) for example in held_out[:measured]],
    }


def _sample(examples: Sequence[Example], count: int, seed: int) -> list[Example]:
    return random.Random(seed).sample(examples, min(count, len(examples)))


def _tokens(example: Example, chat: ChatTokenizer) -> dict[str, Any]:
    """Return the ids of a conversation, and how many of them are the prompt's."""
    ids = chat.tokenizer.apply_chat_template([*example["prompt"], *example["completion"]], return_dict=False)
    return {"ids": ids, "prompt": len(chat.encode(example["prompt"]))}
