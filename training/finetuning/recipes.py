"""Recipes of the adapters: the papers' settings, and ours where a paper gives none.

The three adapters follow Rolinger and Liu (2025), section 3.4: rank 16, alpha 32, dropout 0.05, no bias, all projection
layers. The paper does not give learning rate, epochs and batch; these are ours. The moderator follows both versions of
DebateCV: learning rate 2e-5, two epochs, alpha / rank = 2; dropout and batch are ours. Its rank is 32 instead of 128,
because 128 would halve the KV cache on a 23 GB card (docs/log.md has a measurement on a small model).
"""

from dataclasses import dataclass, replace
from typing import Literal

HELD_OUT = 0.05  # share of the train split's claims that are held out; their loss decides when training stops
EVALUATIONS = 10  # evaluations over a training, evenly spaced; each writes a checkpoint
EVALUATED = 1000  # maximum held-out examples per evaluation

Task = Literal["qg", "qa", "verdict", "moderator", "moderator-sft", "moderator-dpo"]


@dataclass(frozen=True)
class Recipe:
    """Settings of one training."""

    adapter: str  #: adapter of the engine that is trained (``system.tasks.base.Adapter``)
    data: str  #: name of the data set in the data folder, without ``.jsonl``
    #: "sft" learns the replies; "dpo" prefers the chosen to the rejected ones (Rafailov et al., 2023)
    method: Literal["sft", "dpo"] = "sft"
    rank: int = 16
    alpha: int = 32
    dropout: float = 0.05
    learning_rate: float = 1e-4
    epochs: float = 3.0
    batch: int = 16  #: examples per update
    #: examples per forward pass, padded to the longest; each dequantizes NF4 weights three times (docs/training.md)
    micro_batch: int = 4
    context: int = 2048  #: maximum length of prompt and reply, in tokens; longer examples are left out and counted
    patience: int = 3  #: evaluations without a better held-out loss before training stops
    start: str = ""  #: folder of the adapter that this training continues from; empty for a new adapter
    #: folder name of an adapter that is not served (a first stage or an ablation). Empty for one that is served; its
    #: folder has the name of the task.
    stage: str = ""

    @property
    def folder(self) -> str:
        """Name of the adapter's folder."""
        return self.stage or self.adapter


_MODERATOR = Recipe(
    "moderator", "moderator", rank=32, alpha=64, learning_rate=2e-5, epochs=2.0, micro_batch=1, context=8192
)
RECIPES: dict[Task, Recipe] = {
    "qg": Recipe("question_generation", "question_generation"),
    "qa": Recipe("question_answering", "question_answering"),
    "verdict": Recipe("verdict_prediction", "verdict_prediction"),
    "moderator": _MODERATOR,
    "moderator-sft": replace(_MODERATOR, data="moderator_sft", stage="moderator_sft"),
    "moderator-dpo": replace(
        _MODERATOR, data="moderator_preferences", method="dpo", start="moderator_sft", context=4096
    ),
}
"""By the name of the task on the command line.

``moderator`` is Debate-SFT. ``moderator-sft`` is D-SFT, which ``moderator-dpo`` (D-DPO) continues; by itself it is also
the ablation of Debate-SFT without corrected errors (He et al., 2026, table 1).
"""
