"""Train the reader: one loop for two CPU cores and for a GPU, that stops by the clock and resumes.

The learning rate warms up, stays, and falls to zero over the last third of ``minutes`` (Hu et al., 2024, MiniCPM,
section 4: warmup-stable-decay). The state before the fall is kept in ``state.pt``; a later run resumes there, so every
run ends with a model that can be shipped and none wastes what it learned.
"""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from random import Random
from time import monotonic
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy
from tqdm import tqdm

from training import TrainingError
from training.reader.arrays import LABEL, Rows, batches, read_arrays
from training.reader.network import HEADS, Network
from training.reader.recipe import Recipe

LABEL_WEIGHTS = (1.0, 0.8, 1.4, 1.6)  # of Supported, Refuted, Not Enough Evidence, Conflicting
_HEADS = tuple(HEADS)


def loss_of(logits: Tensor, labels: Tensor, two_way: Tensor, weights: Tensor | None, smoothing: float) -> Tensor:
    """Return the mean cross-entropy; for two-way rows *not enough* is everything but supported: −log(1 − p₀)."""
    whole = cross_entropy(logits, labels, weights, reduction="none", label_smoothing=smoothing)
    merged = -torch.log1p(-logits.softmax(-1)[:, 0].clamp(max=0.999))
    return torch.where(two_way & (labels == 2), merged, whole).mean()


def train(data: Sequence[Path], base: str, output: Path, recipe: Recipe) -> None:
    """Train from ``base``, or resume what ``output`` holds; the model is in ``output`` afterwards.

    Args:
        data: array files; what is held out is that of the first.

    Raises:
        TrainingError: an array file or the base cannot be read, or ``output`` holds a training with other layers.
    """
    parts, *more = map(read_arrays, data)
    parts["train"] = Rows.joined([parts["train"], *(other["train"] for other in more)])
    trainer = _Trainer(Network(base, recipe.layers), output, recipe)
    rows, kind = parts["train"], "bfloat16" if trainer.half else "float32"
    size = f"{len(rows):,} rows, {len(rows.ids):,} tokens an epoch"
    print(f"{size}; {trainer.device}, {kind}; from step {trainer.step:,}", flush=True)
    began = monotonic()
    while not trainer.run_epoch(parts, began):
        pass


class _Trainer:
    def __init__(self, network: Network, output: Path, recipe: Recipe) -> None:
        self.recipe, self.output = recipe, output
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        self.half = self.device == "cuda" or torch.cpu._is_avx512_bf16_supported()  # slower where it is emulated
        self.budget = recipe.tokens or (32_768 if self.device == "cuda" else 2048)
        network.freeze(recipe.frozen)
        self.network = network.to(self.device)
        heads = [p for name, p in network.named_parameters() if name.startswith("heads")]
        body = [p for name, p in network.named_parameters() if not name.startswith("heads") and p.requires_grad]
        groups = [{"params": body, "lr": recipe.rate}, {"params": heads, "lr": 3 * recipe.rate}]
        self.optimizer = torch.optim.AdamW(groups, weight_decay=0.01, fused=True)
        self.rates = [recipe.rate, 3 * recipe.rate]
        self.weights = torch.tensor(LABEL_WEIGHTS, device=self.device)
        self.step = self.seen = self.first_step = 0
        self.cooling, self.evaluated = False, monotonic()
        self._resume()

    def run_epoch(self, parts: dict[str, Rows], began: float) -> bool:
        """Train one pass over the rows; returns whether the run is over."""
        rows, recipe = parts["train"], self.recipe
        rng = Random(recipe.seed + self.step)
        total, loss_sum = 60 * recipe.minutes, torch.zeros((), device=self.device)
        bar = tqdm(
            batches(rows, self.budget, rng), unit="batch", desc=f"from {self.seen / 1e6:.1f}M tokens", mininterval=5
        )
        for batch in bar:
            spent = monotonic() - began
            done = (self.step - self.first_step) / recipe.steps if recipe.steps else 0.0
            self._schedule(max(spent / total, done))
            loss_sum = 0.98 * loss_sum + 0.02 * self._update(rows, batch)
            self.step += 1
            if self.step % 20 == 0:  # a GPU is waited for then only
                mean = float(loss_sum) / (1 - 0.98 ** (self.step - self.first_step))
                bar.set_postfix_str(f"loss {mean:.3f}", refresh=False)
            over = spent >= total or (recipe.steps and self.step - self.first_step >= recipe.steps)
            if over or monotonic() - self.evaluated > 60 * recipe.every:
                self.evaluated = monotonic()
                tqdm.write(f"step {self.step:,}, {self.seen:,} tokens, {spent / 60:.0f} min: {self.figures(parts)}")
                self.network.save(self.output)
                if not self.cooling:
                    self._keep()
            if over:
                return True
        return False

    def _schedule(self, done: float) -> None:
        """Set the rates; keep the state when the fall begins."""
        left = (1 - done) / self.recipe.cooldown if self.recipe.cooldown else 1.0
        if left < 1 and not self.cooling:
            self._keep()
            self.cooling = True
        factor = min(1.0, (self.step + 1) / self.recipe.warmup, max(0.0, left))
        for group, rate in zip(self.optimizer.param_groups, self.rates, strict=True):
            group["lr"] = rate * factor

    def _update(self, rows: Rows, batch: list[int]) -> Tensor:
        head = int(rows.heads[batch[0]])
        logits = self._logits(rows, batch)
        labels = torch.from_numpy(rows.labels[batch].astype("int64")).to(self.device)
        two_way = torch.from_numpy(rows.two_way[batch]).to(self.device)
        loss = loss_of(logits, labels, two_way, self.weights if head == LABEL else None, self.recipe.smoothing)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.seen += int(rows.lengths[batch].sum())
        return loss.detach()

    def _logits(self, rows: Rows, batch: list[int]) -> Tensor:
        padding = self.network.tokenizer.pad_token_id
        ids = rows.padded(batch, padding).to(self.device)
        with torch.autocast(self.device, torch.bfloat16, enabled=self.half):
            logits: Tensor = self.network(ids, (ids != padding).long(), _HEADS[int(rows.heads[batch[0]])])
        return logits.float()

    @torch.inference_mode()
    def figures(self, parts: dict[str, Rows]) -> str:
        """Right answers and reversed ones of each part but ``train``, and their mean."""
        self.network.eval()
        told, shares = [], []
        for name, rows in parts.items():
            if name == "train" or not len(rows):
                continue
            right = turned = 0
            for batch in batches(rows, 2 * self.budget, None):
                said = self._logits(rows, batch).argmax(-1).cpu()
                labels, two_way = torch.from_numpy(rows.labels[batch]), torch.from_numpy(rows.two_way[batch])
                said = torch.where(two_way & (said == 1), 2, said)
                right += int((said == labels).sum())
                turned += int(((said + labels == 1) & (said != labels)).sum())
            shares.append(right / len(rows))
            told.append(f"{name} {right / len(rows):.3f} (reversed {turned / len(rows):.3f})")
        self.network.train()
        return f"mean {sum(shares) / max(1, len(shares)):.4f}; " + ", ".join(told)

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
        self.step = self.first_step = saved["step"]
        self.seen = saved["seen"]
