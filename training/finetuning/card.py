"""The model card of an adapter: its purpose, data, training and results, with loss curves."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from huggingface_hub import ModelCardData
from matplotlib.figure import Figure

from training.dequantization import ORIGIN

Curves = Mapping[str, Sequence[tuple[int, float]]]
"""(step, value) by the name of the curve."""

PACKAGES = ("torch", "transformers", "trl", "peft", "datasets")


@dataclass(frozen=True)
class Outcome:
    """Results of a training.

    Attributes:
        updates: steps of the optimizer in all; ``best`` is the one whose weights were kept.
        seconds: of this call alone, where a training was resumed.
        peak: highest memory in GiB, of the GPU where there is one, else of the process.
    """

    updates: int
    best: int
    seconds: float
    peak: float
    curves: Curves

    @property
    def held_out(self) -> tuple[float, float]:
        """Loss on the held-out examples before the training and with the weights that were kept."""
        points = dict(self.curves["held out"])
        return points[min(points)], points[self.best]

    def __str__(self) -> str:
        before, after = self.held_out
        return (
            f"{self.updates} updates in {self.seconds:.0f} s, peak memory {self.peak:.1f} GiB; held-out loss "
            f"{before:.3f} before, {after:.3f} after {self.best} updates, whose weights are kept"
        )


def write_card(
    folder: Path, base: str, files: Sequence[Path], settings: Mapping[str, Any], outcome: Outcome, plan: str
) -> None:
    """Write ``README.md`` in the form of the model hub, with the curves of ``curves.svg``.

    Args:
        files: the data sets, each with its own card beside it.
    """
    tags = ["lora", "fact-checking", "averitec"]
    head = ModelCardData(base_model=name_of(base), library_name="peft", license="cc-by-nc-4.0", tags=tags)
    parts = [
        f"---\n{head.to_yaml()}\n---\n",
        f"# LoRA adapter: {folder.name}\n",
        f"Trained with `python -m training train --task {settings['task']}`. {outcome}.\n",
        "![losses](curves.svg)\n",
        "Data, with whole claims held out, and their licenses, which hold for the adapter:\n",
        "\n".join(f"- `{file.stem}`: {_license(file)}" for file in files) + "\n",
        _table("Settings", {**settings, "base": name_of(base)}),
        _table("Versions", {name: version(name) for name in PACKAGES}),
        f"Memory, as planned:\n\n```\n{plan}\n```\n",
    ]
    (folder / "README.md").write_text("\n".join(parts), encoding="utf-8")


def name_of(base: str) -> str:
    """A base model's name: of a dequantized one its checkpoint's, of another folder its last part.

    An adapter travels to where the other parts differ, and to the hub, which looks for its base by this name.
    """
    if not Path(base).is_dir():
        return base
    config = json.loads((Path(base) / "config.json").read_bytes())
    return str(config.get(ORIGIN) or Path(base).resolve().name)


def curves_of(history: Sequence[Mapping[str, float]]) -> Curves:
    """The losses on training and held-out examples from a trainer's log."""
    names = {"training": "loss", "held out": "eval_loss"}
    return {
        name: [(int(entry["step"]), float(entry[key])) for entry in history if key in entry]
        for name, key in names.items()
    }


def draw(curves: Curves, path: Path) -> None:
    """Write the curves as SVG."""
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    for (name, points), style in zip(curves.items(), ("o-", "s--"), strict=True):
        axes.plot([step for step, _ in points], [value for _, value in points], style, label=name, markersize=4)
    axes.set(xlabel="updates", ylabel="loss (nats)", ylim=(0, None))
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path, metadata={"Date": None})


def _license(file: Path) -> str:
    card = file.with_suffix(".card.json")
    return str(json.loads(card.read_bytes())["license"]) if card.exists() else "unknown, as it has no card"


def _table(title: str, rows: Mapping[str, Any]) -> str:
    lines = "\n".join(f"| {name} | {value} |" for name, value in rows.items())
    return f"| {title} | |\n|---|---|\n{lines}\n"
