"""Cost to an adapter of training on NF4 while it is served on the weights before they were rounded.

A base that a card holds in no other form is trained on in NF4 (``training/finetuning/base.py``), while the engine
serves the 4-bit checkpoint that the base was made of. Two adapters learn the same examples in the same order, one on
the base, one on the base rounded to NF4; both are measured on the base, on claims that neither saw:

    python -m scripts.benchmarks.nf4_cost --base models/base --data models/data --output output/nf4

Run again, a stopped command resumes. It needs bitsandbytes (``pip install bitsandbytes``), with or without a GPU.
"""

import argparse
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import save_file
from torch import Tensor

from system.hardware.memory import skeleton
from system.models.base import ModelUnavailable
from system.models.chat import ChatTokenizer
from training.finetuning.base import choose_precision, device_memory, four_bits
from training.finetuning.examples import Demonstration, read_examples, split_by_claim, that_fit
from training.finetuning.recipes import HELD_OUT, RECIPES, Recipe
from training.finetuning.trainers import PROJECTIONS
from training.finetuning.training import Job, train
from training.peft_reader import PeftReader

SEED = 1


def main() -> None:
    """Train both adapters and print a table of held-out losses."""
    args = _parser().parse_args()
    try:
        four_bits()  # before any work
    except ModelUnavailable as error:
        raise SystemExit(f"nf4_cost: {error}") from None
    rounded = args.output / "nf4_base"
    if not (rounded / "config.json").exists():
        write_rounded(Path(args.base), rounded)
    recipe = _recipe(args)
    chat = ChatTokenizer(args.base, recipe.context)
    examples = [one for name in recipe.data for one in read_examples(args.data / f"{name}.jsonl", Demonstration)]
    split = split_by_claim(that_fit(examples, chat), HELD_OUT, SEED)
    measured = split.held_out[: args.measured]
    taught = split.train[: round(args.updates * recipe.batch / (1 - HELD_OUT))]  # of which training holds out some too
    _write(args.output / "data" / f"{recipe.data[0]}.jsonl", taught)
    for base, name in ((args.base, "plain"), (str(rounded), "nf4")):
        train(Job(args.task, recipe, base, args.output / "data", args.output / name, None, None, SEED))
    print(f"{len(measured)} held-out replies, {args.updates} updates of {recipe.batch}, rank {recipe.rank}")
    print("| adapter trained on | measured on | held-out loss |\n|---|---|---|")
    precision = choose_precision(skeleton(args.base), recipe, device_memory(None), torch.cuda.is_available()).precision
    for name, base in (("plain", args.base), ("nf4", args.base), ("nf4", str(rounded))):
        reader = PeftReader(base, args.output / name, chat, precision)
        where = "NF4" if base == str(rounded) else "the base"
        if name == "plain":
            print(f"| none | {where} | {reader.loss(measured, adapter=False):.4f} |", flush=True)
        print(f"| {'NF4' if name == 'nf4' else 'the base'} | {where} | {reader.loss(measured):.4f} |", flush=True)


def rounded_to_nf4(weight: Tensor) -> Tensor:
    """A weight, rounded to NF4 with quantized scales and back, as training loads it (Dettmers et al., 2023)."""
    from bitsandbytes.functional import dequantize_4bit, quantize_4bit

    return dequantize_4bit(*quantize_4bit(weight, quant_type="nf4", compress_statistics=True))


def write_rounded(base: Path, folder: Path) -> None:
    """Write a base with the linear layers of its blocks rounded to NF4."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in sorted(base.glob("*.safetensors")):
        with safe_open(file, framework="pt") as tensors:
            weights = {name: tensors.get_tensor(name) for name in tensors.keys()}  # noqa: SIM118
        projections = {name for name in weights if name.endswith(tuple(f"{part}.weight" for part in PROJECTIONS))}
        rounded = {name: rounded_to_nf4(w) if name in projections else w for name, w in weights.items()}
        save_file(rounded, folder / file.name, metadata={"format": "pt"})
    for path in base.iterdir():
        if path.is_file() and path.suffix != ".safetensors" and path.name != "config.json":
            shutil.copy(path, folder / path.name)
    shutil.copy(base / "config.json", folder / "config.json")  # last: what has one is whole


def _recipe(args: argparse.Namespace) -> Recipe:
    """The task's recipe for so many updates, whose last weights are kept."""
    small = {"context": args.context, "first_layer": args.first_layer, "learning_rate": 5e-4, "dropout": 0.0}
    return replace(RECIPES[args.task], batch=args.batch, epochs=1.0, evaluations=1, evaluated=2, **small)


def _write(path: Path, examples: Sequence[Demonstration]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{one.model_dump_json()}\n" for one in examples), encoding="utf-8")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", required=True, help="folder of a dequantized 4-bit checkpoint")
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    parser.add_argument("--output", type=Path, required=True, help="folder of the rounded base and both adapters")
    parser.add_argument("--task", default="qg", help="recipe of the adapter (default: qg)")
    parser.add_argument("--updates", type=int, default=100, help="updates of each training (default: 100)")
    parser.add_argument("--batch", type=int, default=2, help="examples of an update (default: 2)")
    parser.add_argument("--first-layer", type=int, default=0, help="blocks before it get no adapter (default: 0)")
    parser.add_argument("--context", type=int, default=512, help="longest example, in tokens (default: 512)")
    parser.add_argument("--measured", type=int, default=48, help="held-out examples at most (default: 48)")
    return parser


if __name__ == "__main__":
    main()
