"""How a verifier does on held-out pairs, per source and per kind of difference."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sentence_transformers import CrossEncoder
from sentence_transformers.base.evaluation import BaseEvaluator

from system.hardware.cpu import best_dtype
from system.verifier.base import Probabilities
from system.verifier.batching import softmax
from training.verifier.pairs import LABELS, Pair


@dataclass(frozen=True)
class Figures:
    """Right answers and wrong sides of some pairs.

    Attributes:
        right: share of the pairs whose most probable label is theirs.
        refuted_as_supported: share of the refuted pairs that are called supported; the other one likewise.
        loss: mean negative log-likelihood, in nats.
    """

    pairs: int
    right: float
    refuted_as_supported: float
    supported_as_refuted: float
    loss: float


def figures(pairs: Sequence[Pair], probabilities: Probabilities) -> Figures:
    """Figures of these pairs; a share of no pairs is 0."""
    truth = np.array([LABELS.index(pair.label) for pair in pairs])
    guess = probabilities.argmax(axis=1)
    likelihood = probabilities[np.arange(len(pairs)), truth]
    return Figures(
        len(pairs),
        float((guess == truth).mean()),
        _share(guess[truth == 1] == 0),
        _share(guess[truth == 0] == 1),
        float(-np.log(np.maximum(likelihood, 1e-9)).mean()),
    )


def figures_by(pairs: Sequence[Pair], probabilities: Probabilities, name: Callable[[Pair], str]) -> dict[str, Figures]:
    """Figures of the pairs of each name, in the order of the alphabet."""
    rows: dict[str, list[int]] = defaultdict(list)
    for index, pair in enumerate(pairs):
        rows[name(pair)].append(index)
    return {key: figures([pairs[i] for i in rows[key]], probabilities[rows[key]]) for key in sorted(rows)}


def _share(hits: NDArray[np.bool_]) -> float:
    return float(hits.mean()) if len(hits) else 0.0


def judge(model: CrossEncoder, pairs: Sequence[Pair], batch: int = 64) -> Probabilities:
    """The model's probabilities of each pair."""
    import torch

    with torch.autocast("cpu", torch.bfloat16, enabled=best_dtype() is torch.bfloat16):
        scores = model.predict(
            [(pair.evidence, pair.statement) for pair in pairs],
            batch_size=batch,
            activation_fn=torch.nn.Identity(),
            show_progress_bar=False,
        )
    return softmax(np.asarray(scores, np.float32).reshape(len(pairs), len(LABELS)))


class HeldOut(BaseEvaluator):
    """Accuracy on held-out pairs, in all and per source, as the trainer asks for it."""

    def __init__(self, pairs: Sequence[Pair]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._pairs = pairs
        self.greater_is_better = True
        self.primary_metric = "held_out"

    def __call__(
        self, model: Any, output_path: str | None = None, epoch: int = -1, steps: int = -1
    ) -> dict[str, float]:
        """Judge the pairs; returns the share of right ones by source, and over all of them as ``held_out``."""
        probabilities = judge(model, self._pairs)
        by_source = figures_by(self._pairs, probabilities, lambda pair: pair.source)
        rows = {name: round(row.right, 3) for name, row in by_source.items()}
        everything = figures(self._pairs, probabilities)
        return {**rows, "held_out": everything.right, "held_out_loss": everything.loss}
