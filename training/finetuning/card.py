"""The model card of an adapter: its purpose, data, training and results."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from huggingface_hub import ModelCardData

from training.dequantization import ORIGIN

PACKAGES = ("torch", "transformers", "trl", "peft", "datasets")


@dataclass(frozen=True)
class Outcome:
    """Results of a training.

    Attributes:
        updates: optimizer steps.
        best: the step whose weights were kept.
        seconds: duration of the last call only, if the training was resumed.
        peak: peak memory in GiB, of the GPU if there is one, else of the process.
        history: the trainer's log.
    """

    updates: int
    best: int
    seconds: float
    peak: float
    history: Sequence[Mapping[str, float]]

    def losses(self, key: str) -> dict[int, float]:
        """Return one kind of loss by update; ``loss`` is the training's, ``eval_loss`` the held-out one."""
        return {int(entry["step"]): float(entry[key]) for entry in self.history if key in entry}

    def __str__(self) -> str:
        held_out = self.losses("eval_loss")
        return (
            f"{self.updates} updates in {self.seconds:.0f} s, peak memory {self.peak:.1f} GiB; held-out loss "
            f"{held_out[min(held_out)]:.3f} before, {held_out[self.best]:.3f} after {self.best} updates, whose weights "
            "are kept"
        )


def write_card(folder: Path, base: str, data: Path, settings: Mapping[str, Any], outcome: Outcome) -> None:
    """Write ``README.md`` in the model hub's form.

    Args:
        data: the data set, with its own card beside it.
    """
    tags = ["lora", "fact-checking", "averitec"]
    head = ModelCardData(base_model=name_of(base), library_name="peft", license="cc-by-nc-4.0", tags=tags)
    card = data.with_suffix(".card.json")
    terms = json.loads(card.read_bytes())["license"] if card.exists() else "unknown, as it has no card"
    training, held_out = outcome.losses("loss"), outcome.losses("eval_loss")
    steps = sorted({*training, *held_out})
    parts = [
        f"---\n{head.to_yaml()}\n---\n\n# LoRA adapter: {folder.name}\n",
        f"Trained with `python -m training train --task {settings['task']}`. {outcome}.\n",
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
