"""The model card of an adapter: its purpose, data, training and results."""

import json
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from huggingface_hub import ModelCardData

from training.dequantization import ORIGIN

PACKAGES = ("torch", "transformers", "trl", "peft", "datasets")

History = Sequence[Mapping[str, float]]
"""The trainer's log."""


def losses(history: History, key: str) -> dict[int, float]:
    """Return one kind of loss by update; ``loss`` is the training's, ``eval_loss`` the held-out one."""
    return {int(entry["step"]): float(entry[key]) for entry in history if key in entry}


def write_card(
    folder: Path, base: str, data: Path, settings: Mapping[str, Any], summary: str, history: History
) -> None:
    """Write ``README.md`` in the model hub's form, from the data set's own card and the results in a sentence."""
    tags = ["lora", "fact-checking", "averitec"]
    head = ModelCardData(base_model=name_of(base), library_name="peft", license="cc-by-nc-4.0", tags=tags)
    card = data.with_suffix(".card.json")
    terms = json.loads(card.read_bytes())["license"] if card.exists() else "unknown, as it has no card"
    training, held_out = losses(history, "loss"), losses(history, "eval_loss")
    steps = sorted({*training, *held_out})
    parts = [
        f"---\n{head.to_yaml()}\n---\n\n# LoRA adapter: {folder.name}\n",
        f"Trained with `python -m training train --task {settings['task']}`. {summary}.\n",
        f"Data, with whole claims held out, and its license, which holds for the adapter: `{data.stem}`: {terms}\n",
        _table("Settings | |", {**settings, "base": name_of(base)}.items()),
        _table(
            "Loss in nats per token | training | held out |",
            ((f"update {step}", training.get(step, ""), held_out.get(step, "")) for step in steps),
        ),
        _table("Versions | |", ((name, version(name)) for name in PACKAGES)),
    ]
    (folder / "README.md").write_text("\n".join(parts), encoding="utf-8")


def name_of(base: str) -> str:
    """Return a base model's name: a dequantized base has its checkpoint's, another folder the last part of its path.

    An adapter is moved to machines with other folders, and to the hub, which finds its base by this name.
    """
    if not Path(base).is_dir():
        return base
    config = json.loads((Path(base) / "config.json").read_bytes())
    return str(config.get(ORIGIN) or Path(base).resolve().name)


def _table(head: str, rows: Iterable[Sequence[object]]) -> str:
    lines = "\n".join(f"| {' | '.join(map(str, row))} |" for row in rows)
    return f"| {head}\n|{'---|' * head.count('|')}\n{lines}\n"
