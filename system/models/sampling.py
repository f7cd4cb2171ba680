"""Logits processors with which transformers' greedy search samples, row by row, and tells what it thought of it."""

import time
from collections.abc import Sequence

import torch
from torch import Tensor
from transformers import LogitsProcessor

from system.models.base import Request


class GumbelNoise(LogitsProcessor):
    """Sampling for greedy search: the likeliest token of logits / T plus Gumbel noise is a sample at temperature T.

    (Maddison et al., 2014, "A* sampling".) So each row of a batch has its own temperature and its own generator, and
    its sample does not depend on the other rows. Rows with temperature 0 are left as they are.
    """

    def __init__(self, requests: Sequence[Request]) -> None:
        self._temperatures = [request.temperature for request in requests]
        self._generators = [torch.Generator().manual_seed(request.seed) for request in requests]

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Add noise to scores, (batch, vocabulary)."""
        for row, temperature in enumerate(self._temperatures):
            if temperature > 0:
                uniform = torch.rand(scores.shape[1], generator=self._generators[row]).clamp(min=1e-20)
                scores[row] = scores[row] / temperature - uniform.log().neg().log().to(scores.device)
        return scores


class Record(LogitsProcessor):
    """Changes nothing; remembers the log-probability of each chosen token, and when the first was about to be chosen.

    Attributes:
        logprobs: for each token but the last, (batch,) float: given the tokens before, and the schema if this stands
            behind its mask.
        since: time of the first token, in seconds of ``time.perf_counter``.
    """

    def __init__(self) -> None:
        self.logprobs: list[Tensor] = []
        self.since = 0.0
        self._table: Tensor | None = None

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Look at scores, (batch, vocabulary), and at the token that was chosen from those before."""
        if self._table is None:
            self.since = time.perf_counter()
        else:
            self.logprobs.append(self._table.gather(1, input_ids[:, -1:]).squeeze(1))
        self._table = scores.log_softmax(-1)
        return scores
