"""The settings of a training run; importing them needs no torch."""

from dataclasses import dataclass, field
from typing import Any


def _option(default: Any, help: str) -> Any:
    return field(default=default, metadata={"help": help})


@dataclass(frozen=True)
class Recipe:
    """Settings of a run; each is an option of ``python -m training reader train``, which shows what it means."""

    layers: int = _option(8, "lowest layers of the base to keep; 0 for all")
    frozen: int = _option(1, "lowest layers that stay as they are, with the embeddings; 0 to train everything")
    tokens: int = _option(0, "of a batch; 0: 2,048 on a CPU, 32,768 on a GPU")
    rate: float = _option(5e-5, "peak learning rate of the encoder; the heads take three times as much")
    minutes: float = _option(120.0, "after which the run ends, the decay of the rate included")
    steps: int = _option(0, "after which it ends all the same; 0 for no limit")
    cooldown: float = _option(0.3, "share of the minutes or steps in which the rate falls to zero; 0 to train on later")
    smoothing: float = _option(0.05, "share of each label's probability that goes to the others")
    warmup: int = _option(150, "steps in which the rate rises")
    every: float = _option(40.0, "minutes between checkpoints")
    seed: int = _option(0, "of the order and of new weights")
