"""The settings of a training run; importing them needs no torch."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Recipe:
    """Settings of a run.

    Attributes:
        layers: lowest layers of the base to keep; 0 for all.
        frozen: lowest layers that stay as they are, with the embeddings; 0 to train everything.
        tokens: of a batch; 0 for 2,048 on a CPU and 32,768 on a GPU.
        rate: peak learning rate of the encoder; the heads take three times as much.
        minutes: after which the run ends, the decay included.
        steps: after which it ends all the same, the decay included; 0 for no limit.
        cooldown: share of the minutes, or steps, in which the rate falls.
        smoothing: share of each label's probability that goes to the others.
    """

    layers: int = 8
    frozen: int = 1
    tokens: int = 0
    rate: float = 5e-5
    minutes: float = 120.0
    steps: int = 0
    cooldown: float = 0.3
    smoothing: float = 0.05
    warmup: int = 150
    every: float = 40.0
    seed: int = 0
