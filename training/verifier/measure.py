"""Milliseconds of a pair: a bundle on OpenVINO and its base in torch, in one process, on the same pairs."""

import time
from collections.abc import Callable
from pathlib import Path

import torch

from system.verifier.openvino import OpenVinoVerifier
from training.verifier.evaluation import judge
from training.verifier.pairs import Pair
from training.verifier.training import Recipe, load_base

_PASSAGE = (
    "The harbour authority said on Tuesday that the new terminal, which cost 84 million euros and took six years to "
    "build, handled 412,000 passengers in its first season, a third more than the old one."
)
_STATEMENT = "The new terminal served over 400,000 people in the first season."
_PAIRS, _ROUNDS = 256, 5


def measure(folder: Path, base: str) -> None:
    """Print both times and their ratio; each is the best of five rounds, which take turns."""
    verifier, model = OpenVinoVerifier(folder), load_base(base, Recipe())
    pairs = [Pair(_PASSAGE, _STATEMENT, "supported", "measure")] * _PAIRS
    texts = [(pair.evidence, pair.statement) for pair in pairs]
    tokens = len(model.tokenizer(_PASSAGE, _STATEMENT)["input_ids"])
    sides = {"OpenVINO, 8 bits": lambda: verifier.probabilities(texts), "torch, bfloat16": lambda: judge(model, pairs)}
    best = dict.fromkeys(sides, float("inf"))
    for _ in range(_ROUNDS):
        for name, side in sides.items():
            best[name] = min(best[name], _seconds(side))
    print(f"{_PAIRS} pairs of {tokens} tokens, {torch.get_num_threads()} threads in torch")
    for name, seconds in best.items():
        print(f"{name:>18}: {1000 * seconds / _PAIRS:.1f} ms a pair")
    fast, slow = best.values()
    print(f"{'ratio':>18}: {slow / fast:.1f}")


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
