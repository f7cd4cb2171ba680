"""Train the reader: one loop for two CPU cores and for a GPU, that stops by the clock and resumes.

The learning rate warms up, stays, and falls to zero over the last third of ``minutes`` (Hu et al., 2024, MiniCPM,
section 4: warmup-stable-decay). The state before the fall is kept in ``state.pt``; a later run resumes there, so every
run ends with a model that can be shipped and none wastes what it learned. A teacher's probabilities can be learned
beside the labels of public rows (Hinton et al., 2015, Distilling the knowledge in a neural network).
"""

from collections.abc import Sequence
from dataclasses import asdict
from itertools import chain, count
from pathlib import Path
from random import Random
from time import monotonic
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, kl_div, log_softmax
from torch.nn.utils.rnn import pad_sequence
from tqdm import tqdm

from training import TrainingError
from training.reader.arrays import LABEL, Row, batches
from training.reader.network import Network
from training.reader.recipe import Recipe

LABEL_WEIGHTS = (1.0, 0.8, 1.4, 1.6)  # of Supported, Refuted, Not Enough Evidence, Conflicting
TEACHING = 0.8  # share of the teacher in the loss


def loss_of(
    logits: Tensor, labels: Tensor, two_way: Tensor, weights: Tensor | None, smoothing: float, taught: Tensor | None
) -> Tensor:
    """Return the mean cross-entropy; for two-way rows *not enough* is everything but supported: −log(1 − p₀).

    With a teacher's logits, most of it is the divergence from the teacher, KL(taught ‖ said).
    """
    whole = cross_entropy(logits, labels, weights, reduction="none", label_smoothing=smoothing)
    merged = -torch.log1p(-logits.softmax(-1)[:, 0].clamp(max=0.999))
    loss = torch.where(two_way & (labels == 2), merged, whole).mean()
    if taught is None:
        return loss
    apart = kl_div(log_softmax(logits, -1), log_softmax(taught, -1), reduction="batchmean", log_target=True)
    return (1 - TEACHING) * loss + TEACHING * apart


class Trainer:
    """A training that writes to ``output``, and resumes what is there."""

    def __init__(self, network: Network, teacher: Network | None, output: Path, recipe: Recipe) -> None:
        self.recipe, self.output = recipe, output
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        self.half = self.device == "cuda" or torch.cpu._is_avx512_bf16_supported()  # slower where it is emulated
        self.budget = recipe.tokens or (32_768 if self.device == "cuda" else 2048)
        network.freeze(recipe.frozen)
        self.network = network.to(self.device)
        self.teacher = teacher and teacher.to(self.device).eval()
        heads = [p for name, p in network.named_parameters() if name.startswith("heads")]
        body = [p for name, p in network.named_parameters() if not name.startswith("heads") and p.requires_grad]
        groups = [{"params": body, "lr": recipe.rate}, {"params": heads, "lr": 3 * recipe.rate}]
        self.optimizer = torch.optim.AdamW(groups, weight_decay=0.01, fused=True)
        self.rates = [recipe.rate, 3 * recipe.rate]
        self.weights = torch.tensor(LABEL_WEIGHTS, device=self.device)
        self.step = self.seen = 0
        self.cooling = False
        self._resume()

    def run(self, rows: Sequence[Row]) -> None:
        """Train until the minutes or the steps are over, with checkpoints in between."""
        recipe, first = self.recipe, self.step
        began = evaluated = monotonic()
        loss_sum = torch.zeros((), device=self.device)
        epochs = (batches(rows, self.budget, Random(recipe.seed + self.step)) for _ in count())  # each in its own order
        bar = tqdm(chain.from_iterable(epochs), unit="batch", desc=f"from {self.seen / 1e6:.1f}M tokens", mininterval=5)
        for batch in bar:
            spent = monotonic() - began
            done = (self.step - first) / recipe.steps if recipe.steps else 0.0
            self._schedule(max(spent / (60 * recipe.minutes), done))
            loss_sum = 0.98 * loss_sum + 0.02 * self._update(batch)
            self.step += 1
            if self.step % 20 == 0:  # a GPU is waited for then only
                bar.set_postfix_str(f"loss {float(loss_sum) / (1 - 0.98 ** (self.step - first)):.3f}", refresh=False)
            over = spent >= 60 * recipe.minutes or (recipe.steps and self.step - first >= recipe.steps)
            if over or monotonic() - evaluated > 60 * recipe.every:
                evaluated = monotonic()
                tqdm.write(f"step {self.step:,}, {self.seen:,} tokens, {spent / 60:.0f} min")
                self.network.save(self.output)
                if not self.cooling:
                    self._keep()
            if over:
                return

    def _schedule(self, done: float) -> None:
        """Set the rates; keep the state when the fall begins."""
        left = (1 - done) / self.recipe.cooldown if self.recipe.cooldown else 1.0
        if left < 1 and not self.cooling:
            self._keep()
            self.cooling = True
        factor = min(1.0, (self.step + 1) / self.recipe.warmup, max(0.0, left))
        for group, rate in zip(self.optimizer.param_groups, self.rates, strict=True):
            group["lr"] = rate * factor

    def _update(self, batch: Sequence[Row]) -> Tensor:
        labels = torch.tensor([row.label for row in batch], device=self.device)
        two_way = torch.tensor([row.two_way for row in batch], device=self.device)
        padding, head = self.network.tokenizer.pad_token_id, batch[0].head
        rows = [torch.from_numpy(row.ids.astype("int64")) for row in batch]
        ids = pad_sequence(rows, batch_first=True, padding_value=padding).to(self.device)
        mask = (ids != padding).long()
        with torch.autocast(self.device, torch.bfloat16, enabled=self.half):
            logits = self.network(ids, mask)[head].float()
            with torch.no_grad():
                taught = self.teacher(ids, mask)[head].float() if self.teacher and not batch[0].invented else None
        weights = self.weights if head == LABEL else None
        loss = loss_of(logits, labels, two_way, weights, self.recipe.smoothing, taught)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.seen += sum(len(row.ids) for row in batch)
        return loss.detach()

    def _keep(self) -> None:
        """Write the state to resume from; a kill while writing leaves the one before."""
        self.output.mkdir(parents=True, exist_ok=True)
        state: dict[str, Any] = {
            "network": self.network.state_dict(), "optimizer": self.optimizer.state_dict(), "step": self.step,
            "seen": self.seen, "recipe": asdict(self.recipe),
        }  # fmt: skip
        torch.save(state, self.output / "state.new")
        (self.output / "state.new").replace(self.output / "state.pt")

    def _resume(self) -> None:
        file = self.output / "state.pt"
        if not file.exists():
            return
        saved = torch.load(file, map_location=self.device, weights_only=True)
        for name in ("layers", "frozen"):
            if saved["recipe"][name] != getattr(self.recipe, name):
                raise TrainingError(
                    f"{self.output} holds a training with {name} {saved['recipe'][name]}, not "
                    f"{getattr(self.recipe, name)}; give another --output"
                )
        self.network.load_state_dict(saved["network"])
        self.optimizer.load_state_dict(saved["optimizer"])
        self.step, self.seen = saved["step"], saved["seen"]
