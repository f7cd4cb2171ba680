"""The settings of a training run; importing them needs no torch."""

from dataclasses import dataclass

from cyclopts import Parameter


@Parameter(name="*")
@dataclass(frozen=True)
class Recipe:
    """Settings of a training.

    Attributes:
        layers: lowest layers of the base to keep; 0 for all.
        frozen: lowest layers that stay as they are, with the embeddings; 0 to train everything.
        tokens: of a batch; 0: 2,048 on a CPU, 32,768 on a GPU.
        rate: peak learning rate of the encoder; the heads take three times as much.
        minutes: after which the run ends, the decay of the rate included.
        steps: after which it ends all the same; 0 for no limit.
        cooldown: share of the minutes or steps in which the rate falls to zero; 0 to train on later.
        smoothing: share of each label's probability that goes to the others.
        warmup: steps in which the rate rises.
        every: minutes between checkpoints.
        seed: of the order and of new weights.
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


USUAL = Recipe()
