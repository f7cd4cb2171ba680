"""Sampling by noise: what is likeliest after it was added is a sample."""

from collections.abc import Sequence

import torch
from torch import Tensor

from system.models.base import Request


class GumbelNoise:
    """Sampling for a greedy choice: the likeliest token of logits / T plus Gumbel noise is a sample at temperature T.

    (Maddison et al., 2014, "A* sampling".) So each row of a batch has its own temperature and its own generator, and
    its sample does not depend on the other rows. Rows with temperature 0 are left as they are.
    """

    def __init__(self, requests: Sequence[Request]) -> None:
        self._temperatures = [request.temperature for request in requests]
        self._generators = [torch.Generator().manual_seed(request.seed) for request in requests]

    def __call__(self, scores: Tensor) -> Tensor:
        """Add noise to scores, (batch, vocabulary)."""
        for row, temperature in enumerate(self._temperatures):
            if temperature > 0:
                uniform = torch.rand(scores.shape[1], generator=self._generators[row]).clamp(min=1e-20)
                scores[row] = scores[row] / temperature - uniform.log().neg().log().to(scores.device)
        return scores
