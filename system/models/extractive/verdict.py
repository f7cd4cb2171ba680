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

from system.models.extractive.features import FEATURES, NEAREST, Features, features
from system.models.extractive.findings import Finding, findings
from system.models.extractive.justification import justify
from system.models.extractive.similarity import Similarity
from system.records import Label
from system.tasks.judge_claim import JudgeClaim, VerdictReply

WEIGHTS = Path(__file__).with_name("verdict.json")
SPEAKS = 0.5  # cosine from which a sentence is taken to speak of the claim
NO_EVIDENCE = Label.NOT_ENOUGH_EVIDENCE


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
    """The likeliest label with a justification that quotes its evidence, and the label's probability.

    Where no sentence speaks of the claim there is not enough evidence, whatever the claim looks like.
    """
    found = findings(task.claim.text, task.pairs, similarity)
    if not found:
        return VerdictReply(justification="No passage says anything about the claim.", label=NO_EVIDENCE), 1.0
    probabilities = weights.probabilities(features(task.claim, found))
    label = max(probabilities, key=lambda label: probabilities[label]) if speak_of_claim(found) else NO_EVIDENCE
    return VerdictReply(justification=justify(label, found[:NEAREST]), label=label), probabilities[label]


def speak_of_claim(found: Sequence[Finding]) -> bool:
    """Whether findings, closest first, are about the claim at all; the regression is fitted on such alone."""
    return bool(found) and found[0].closeness >= SPEAKS
