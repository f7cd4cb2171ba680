"""Recipes of the adapters: the papers' settings, and ours where a paper gives none.

The three adapters follow Rolinger and Liu (2025), section 3.4: rank 16, alpha 32, dropout 0.05, no bias, all projection
layers. Learning rate, epochs and batch of these are not in the paper and are ours. The moderator follows both versions
of DebateCV: learning rate 2e-5, two epochs, an adapter that is scaled by alpha / rank = 2; dropout and batch are ours.
Its rank is 32 where theirs is 128, which would halve the keys and values of a 23 GB card; what a lower rank costs was
measured on a small model only, and at another scale (docs/log.md).
"""

from dataclasses import dataclass
from typing import Any, Literal

HELD_OUT = 0.05  # share of the claims of train that no step sees: the loss on them stops the training


@dataclass(frozen=True)
class Recipe:
    """Settings of one training.

    Attributes:
        adapter: the adapter of the engine that is trained (``system.tasks.base.Adapter``).
        data: names of the data sets in the data folder, without their ending.
        method: "sft" learns the replies; "dpo" prefers the chosen over the rejected ones (Rafailov et al., 2023);
            "label" chooses between a few replies (``LabelTrainer``).
        batch: examples of an update.
        context: longest prompt and reply together, in tokens; a longer example is left out and counted.
        patience: evaluations without a better held-out loss after which training stops.
        start: folder, beside the adapter's, of the adapter that this training continues from; empty for a new one.
        stage: name of the adapter where another training continues from it, or it is an ablation; empty for one that is
            served, which has the name of its task whichever recipe made it.
        micro_batch: examples of a forward pass; padded to the longest, so several are of about one length.
        first_layer: blocks before this one are left as they are; the gradient stops there.
        evaluations: on the held-out examples, evenly over the training; each makes a checkpoint.
        evaluated: held-out examples of an evaluation at most.
        balance: of the method "label": share of the labels' log frequencies that is added to their scores in training
            and left out afterwards, so that rare labels are found (Menon et al., 2021, logit adjustment, its tau).
    """

    adapter: str
    data: tuple[str, ...]
    method: Literal["sft", "dpo", "label"] = "sft"
    rank: int = 16
    alpha: int = 32
    dropout: float = 0.05
    learning_rate: float = 1e-4
    epochs: float = 3.0
    batch: int = 16
    context: int = 4096
    patience: int = 3
    start: str = ""
    stage: str = ""
    micro_batch: int = 1
    first_layer: int = 0
    evaluations: int = 10
    evaluated: int = 1000
    balance: float = 0.0

    @property
    def folder(self) -> str:
        """Name of the folder that the adapter is written to."""
        return self.stage or self.adapter


def _moderator(data: str, **changes: Any) -> Recipe:
    return Recipe("moderator", (data,), rank=32, alpha=64, learning_rate=2e-5, epochs=2.0, context=8192, **changes)


def _small(adapter: str, *data: str, **changes: Any) -> Recipe:
    """For a model of some 100 million weights on a processor: the upper half of its blocks, at a high rate."""
    settings: dict[str, Any] = {
        "dropout": 0.0,
        "learning_rate": 5e-4,
        "epochs": 1.0,
        "context": 512,
        "micro_batch": 16,
        "first_layer": 15,
        "evaluations": 4,
        "evaluated": 400,
    }
    return Recipe(adapter, data, **settings | changes)


RECIPES = {
    "qg": Recipe("question_generation", ("question_generation",)),
    "qa": Recipe("question_answering", ("question_answering",)),
    "verdict": Recipe("verdict_prediction", ("verdict_prediction",)),
    "labels": _small("verdict_prediction", "labels", method="label", stage="labels"),
    "labels-entailment": _small(
        "verdict_prediction", "labels", "entailment", method="label", start="labels", learning_rate=4e-4, balance=0.4
    ),
    "moderator": _moderator("moderator"),
    "moderator-sft": _moderator("moderator_sft", stage="moderator_sft"),
    "moderator-dpo": _moderator("moderator_preferences", method="dpo", start="moderator_sft"),
    "moderator-corrected": _moderator("moderator_corrected", stage="moderator_corrected"),
}
"""By the name of the task on the command line.

``moderator`` is Debate-SFT; ``moderator-sft`` is D-SFT, from which ``moderator-dpo`` goes on (D-DPO). The ablations of
Debate-SFT: ``moderator-sft`` learns without corrected errors, ``moderator-corrected`` from these alone (He et al.,
2026, table 1). ``labels-entailment`` goes on from ``labels``, with AVeriTeC's examples among pairs of other sets.
"""
