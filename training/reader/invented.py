"""Invented passages with statements on them: comparisons, changes, shares, roles and names, which public sets lack.

A language model wrote them. ``pages.txt`` is trained on; ``held.txt`` is not, for thresholds are fitted on it.

>>> [pair.label for pair in invented(Random(0))]
[0, 1, 2]
"""

from collections import Counter
from functools import cache
from pathlib import Path
from random import Random

from system.text.words import content_stems, coverage
from training.reader.pairs import NOT_ENOUGH, REFUTED, SUPPORTED, Pair

_MARKS = {"+": SUPPORTED, "-": REFUTED, "?": NOT_ENOUGH}


def invented(rng: Random) -> list[Pair]:
    """Return a supported, a refuted and an undecided statement on one passage, which others may stand around."""
    block, *others = rng.sample(_blocks("pages.txt"), 4)
    around = [rng.choice(other["="]) for other in others[: rng.choice((0, 0, 1, 1, 2, 3))]]
    around.insert(rng.randint(0, len(around)), rng.choice(block["="]))
    passage = "\n".join(f"- {line}" for line in around) if rng.random() < 0.1 else " ".join(around)
    drawn = ((rng.choices(block[mark], [_weights()[text] for text in block[mark]])[0], mark) for mark in _MARKS)
    return [Pair(passage, statement, _MARKS[mark], "invented") for statement, mark in drawn]


def invented_apart() -> list[Pair]:
    """Return all statements on passages that no reader was trained on."""
    held = ((block["="][0], block, mark) for block in _blocks("held.txt") for mark in _MARKS)
    return [Pair(passage, text, _MARKS[mark], "invented") for passage, block, mark in held for text in block[mark]]


@cache
def _blocks(name: str) -> list[dict[str, list[str]]]:
    """The blocks of a file: passages and statements by their mark."""
    blocks = Path(__file__).with_name(name).read_text(encoding="utf-8").split("\n\n")[1:]
    lines = ([(line[0], line[2:]) for line in block.splitlines()] for block in blocks)
    return [{mark: [text for own, text in block if own == mark] for mark in ("=", *_MARKS)} for block in lines]


@cache
def _weights() -> dict[str, float]:
    """Weights of the statements: the more have the same mark and share of words with their passage, the lower."""
    kinds = dict[str, tuple[str, int]]()
    for block in _blocks("pages.txt"):
        found = content_stems(" ".join(block["="]))
        kinds |= {one: (mark, int(10 * coverage(content_stems(one), found))) for mark in _MARKS for one in block[mark]}
    seen = Counter(kinds.values())
    return {text: 1 / seen[kind] for text, kind in kinds.items()}
