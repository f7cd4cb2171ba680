"""The verdict: a multinomial logistic regression over the features, with weights that anyone can read.

``verdict.json`` beside this file holds them; ``python -m training reader`` fits them on AVeriTeC's training split.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from system.models.extractive.features import FEATURES, Features, features
from system.models.extractive.findings import Finding, findings
from system.models.extractive.similarity import Similarity
from system.records import Label
from system.tasks import JudgeClaim, VerdictReply

WEIGHTS = Path(__file__).with_name("verdict.json")
_QUOTED = 300  # longest quotation in a justification, in characters


@dataclass(frozen=True)
class Weights:
    """The fitted regression.

    Attributes:
        labels: the classes, in the order of the rows.
        intercepts: (labels,) float64.
        coefficients: (labels, features) float64, columns in the order of ``FEATURES``.
    """

    labels: tuple[Label, ...]
    intercepts: NDArray[np.float64]
    coefficients: NDArray[np.float64]

    @classmethod
    def load(cls, path: Path = WEIGHTS) -> Self:
        """Read weights.

        Raises:
            ValueError: the file was fitted for other features than those that this version measures.
        """
        fitted = json.loads(path.read_text(encoding="utf-8"))["labels"]
        for label, row in fitted.items():
            if set(row["weights"]) != set(FEATURES):
                odd = sorted(set(row["weights"]) ^ set(FEATURES))
                raise ValueError(
                    f"{path}: the weights of {label!r} and the features differ in {odd}; "
                    "fit them again with 'python -m training reader'"
                )
        return cls(
            labels=tuple(Label(label) for label in fitted),
            intercepts=np.array([row["intercept"] for row in fitted.values()]),
            coefficients=np.array([[row["weights"][name] for name in FEATURES] for row in fitted.values()]),
        )

    def probabilities(self, measured: Features) -> dict[Label, float]:
        """Probability of each label."""
        logits = self.intercepts + self.coefficients @ measured.vector()
        exponents = np.exp(logits - logits.max())
        return dict(zip(self.labels, (exponents / exponents.sum()).tolist(), strict=True))


@lru_cache(maxsize=1)
def shipped_weights() -> Weights:
    """The weights that come with the reader."""
    return Weights.load()


def judge(task: JudgeClaim, similarity: Similarity, weights: Weights) -> tuple[VerdictReply, float]:
    """The likeliest label with a justification that quotes its evidence, and the label's probability."""
    found = findings(task.claim.text, task.pairs, similarity)
    measured = features(task.claim, task.pairs, found)
    probabilities = weights.probabilities(measured)
    label = max(probabilities, key=lambda label: probabilities[label])
    return VerdictReply(justification=justify(label, found), label=label), probabilities[label]


def justify(label: Label, found: Sequence[Finding]) -> str:
    """What was found that speaks for a label, in words."""
    if not found:
        return "No passage says anything about the claim."
    return f"The closest passage says: “{found[0].sentence[:_QUOTED]}”"
