"""Batches by tokens: pairs of about one length together, and pairs of one group in one batch."""

import random
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from sentence_transformers.base.sampler import DefaultBatchSampler
from torch.utils.data import SequentialSampler


def plan_batches(
    lengths: Sequence[int], groups: Sequence[str], budget: int, epochs: float, seed: int, window: int = 800
) -> list[list[int]]:
    """Indices of the pairs of each batch, for all epochs.

    Groups are shuffled; within a window of them, those of similar length share a batch of at most ``budget`` tokens,
    padding included. A group is cut only where it alone exceeds the budget.
    """
    rng = random.Random(seed)
    units = _units(groups)
    order: list[list[int]] = []
    while len(order) < round(epochs * len(units)):
        order += rng.sample(units, len(units))
    del order[round(epochs * len(units)) :]
    batches = []
    for start in range(0, len(order), window):
        inside = _pack(sorted(order[start : start + window], key=lambda unit: _longest(unit, lengths)), lengths, budget)
        rng.shuffle(inside)
        batches += inside
    return batches


def _units(groups: Sequence[str]) -> list[list[int]]:
    """Indices by group; a pair without one stands alone."""
    named = sorted((name or f"\0{index}", index) for index, name in enumerate(groups))
    return [[index for _, index in members] for _, members in groupby(named, key=lambda item: item[0])]


def _longest(unit: Sequence[int], lengths: Sequence[int]) -> int:
    return max(lengths[index] for index in unit)


def _pack(units: Sequence[Sequence[int]], lengths: Sequence[int], budget: int) -> list[list[int]]:
    batches: list[list[int]] = [[]]
    widest = 0
    for unit in units:
        wider = max(widest, _longest(unit, lengths))
        if batches[-1] and (len(batches[-1]) + len(unit)) * wider > budget:
            batches.append([])
            wider = _longest(unit, lengths)
        size = max(1, budget // wider)
        batches[-1] += unit[:size]
        batches += [list(unit[start : start + size]) for start in range(size, len(unit), size)]
        widest = wider
    return batches


class PlannedBatches(DefaultBatchSampler):
    """Batches as planned, all epochs in one pass, so that a training resumes at the very batch it stopped at."""

    def __init__(self, dataset: Any, batches: Sequence[Sequence[int]]) -> None:
        super().__init__(SequentialSampler(dataset), batch_size=1, drop_last=False)
        self._batches = batches

    def __iter__(self) -> Iterator[list[int]]:
        return (list(batch) for batch in self._batches)

    def __len__(self) -> int:
        return len(self._batches)
