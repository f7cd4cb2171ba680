"""The losses of a training as a picture."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib.figure import Figure

Curves = Mapping[str, Sequence[tuple[int, float]]]
"""(step, value) by the name of the curve."""


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
