"""``python -m training quantize`` and ``dequantize``: a base model in 4 bits (AWQ), and a trainable base from one."""

import json
import random
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from system.models.prompting import ChatTokenizer
from training import TrainingError
from training.finetuning.command import BASE, DATA, MODELS
from training.finetuning.examples import Example, read_examples, split_by_claim, that_fit
from training.finetuning.recipes import HELD_OUT

PYTHON = Path(__file__).resolve().parents[1] / ".venv-quantize" / "bin" / "python"
REPORT = "quantization.json"

ORIGINAL = "Qwen/Qwen2.5-14B-Instruct"
SERVED = "Qwen/Qwen2.5-14B-Instruct-AWQ"


def dequantize(model: str = SERVED, /, *, output: Path = BASE) -> str:
    """Dequantize, unless the output folder is complete.

    Args:
        model: 4-bit checkpoint, a folder or a name.
        output: folder of the base.
    """
    from training import dequantization  # imports large libraries

    if not (output / dequantization.CONFIG).exists():
        dequantization.dequantize(model, output)
    return f"{output}: the weights of {model}, to train adapters on"


def quantize(
    *,
    base: str = ORIGINAL,
    data: Path = DATA,
    output: Path = MODELS / "awq",
    calibration: int = 256,
    measured: int = 128,
    context: int = 4096,
    seed: int = 1,
) -> str:
    """Quantize, unless the output folder is complete, and return the perplexities.

    Args:
        base: base model, a folder or a name.
        data: folder of the data sets.
        output: folder of the quantized model.
        calibration: maximum conversations to calibrate on.
        measured: maximum held-out replies for the perplexity.
        context: maximum length of a conversation, in tokens.
        seed: random seed; the training's holds out the same claims.
    """
    if not (output / REPORT).exists():
        if not PYTHON.exists():
            raise TrainingError(f"{PYTHON} not found; create llm-compressor's environment: scripts/setup_quantize.sh")
        from training.finetuning.base import check_trainable  # imports large libraries

        check_trainable(base)
        tokens = calibration_tokens(data, ChatTokenizer(base, context), calibration, measured, seed)
        _quantize(base, tokens, output)
    report = json.loads((output / REPORT).read_text(encoding="utf-8"))
    return (
        f"{output}: perplexity of {report['held_out']} held-out replies {report['perplexity_before']:.3f} "
        f"before, {report['perplexity_after']:.3f} after ({report['scheme']}, calibrated on {report['calibration']})"
    )


def _quantize(base: str, tokens: dict[str, Any], output: Path) -> None:
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        json.dump(tokens, file)
        file.flush()
        # -P keeps this script's folder off the path, where training/datasets would hide the library "datasets".
        command = [PYTHON, "-P", Path(__file__).with_name("awq.py"), base, file.name, output]
        done = subprocess.run(list(map(str, command)), check=False)
    if done.returncode:
        raise TrainingError(f"llm-compressor exited with status {done.returncode}; its messages above say why")


def calibration_tokens(folder: Path, chat: ChatTokenizer, calibration: int, measured: int, seed: int) -> dict[str, Any]:
    """Draw conversations for ``awq.py``: equal parts of all data sets, of training claims and of held-out claims.

    ``calibration`` and ``measured`` are the most to take of each; preferences and whole debates are skipped.
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
