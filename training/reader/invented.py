"""Invented passages with statements on them: comparisons, changes, shares, roles and names, which public sets lack.

``facts.txt`` has facts with slots for the names of ``words.toml``, ``pages.txt`` passages of a few sentences or rows
without slots; this module puts them together, with others around.

>>> [pair.label for pair in invented(Random(0))]
[0, 1, 2]
"""

import calendar
import re
from collections import Counter
from functools import cache
from itertools import chain
from pathlib import Path
from random import Random

from system.text.words import content_stems, coverage
from training.reader.pairs import NOT_ENOUGH, REFUTED, SUPPORTED, WORDS, Pair

_FACTS = [Path(__file__).with_name(name) for name in ("facts.txt", "pages.txt")]
_MARKS = {"+": SUPPORTED, "-": REFUTED, "?": NOT_ENOUGH}
_KNOWN, _PRONOUNS = WORDS["known"], WORDS["pronouns"]
_OTHERS = {"A": "C", "B": "C", "X": "Z", "O": "Q"}


def invented(rng: Random) -> list[Pair]:
    """Return a supported, a refuted and an undecided statement on one invented passage."""
    names = _names(rng)
    facts, *others_facts = rng.sample(_facts(), 4)
    fact = _with_pronoun(rng.choice(facts["="]), rng)
    around = []
    for other in others_facts[: rng.choice((0, 0, 1, 1, 2, 3))]:
        shared = rng.sample(sorted(names), 4) if rng.random() < 0.5 else []
        others = _names(rng) | {slot: names[slot] for slot in shared if slot in "XO"}
        around.append(rng.choice(other["="]).format_map(others))
    around.insert(rng.randint(0, len(around)), fact.format_map(names))
    passage = "\n".join(f"- {line}" for line in around) if rng.random() < 0.1 else " ".join(around)
    found = []
    for mark, label in _MARKS.items():
        [statement] = rng.choices(facts[mark], [_weights()[text] for text in facts[mark]])
        if rng.random() < 0.15:
            statement, label = _behind_context(statement, label, rng)
        found.append(Pair(passage, statement.format_map(names), label, "invented"))
    return found


@cache
def _facts() -> list[dict[str, list[str]]]:
    """The blocks of both files: passages and statements by their mark."""
    blocks = chain.from_iterable(file.read_text(encoding="utf-8").split("\n\n")[1:] for file in _FACTS)
    lines = ([(line[0], line[2:]) for line in block.splitlines()] for block in blocks)
    return [{mark: [text for own, text in block if own == mark] for mark in ("=", *_MARKS)} for block in lines]


@cache
def _weights() -> dict[str, float]:
    """Weights of the statements: the more have the same mark and share of words with their passage, the lower."""
    kinds = dict[str, tuple[str, int]]()
    for facts in _facts():
        found = content_stems(" ".join(facts["="]))
        kinds |= {one: (mark, int(10 * coverage(content_stems(one), found))) for mark in _MARKS for one in facts[mark]}
    seen = Counter(kinds.values())
    return {text: 1 / seen[kind] for text, kind in kinds.items()}


def _names(rng: Random) -> dict[str, str]:
    """A name or number for each slot of ``facts.txt``."""
    parts = {name: text.split() for name, text in WORDS["names"].items()}
    starts, places, things = rng.sample(parts["starts"], 12), parts["places"], parts["things"]
    people = [f"{first} {starts.pop()}{rng.choice(parts['people'])}" for first in rng.sample(parts["first"], 3)]
    towns = [starts.pop() + rng.choice(places) for _ in range(3)]
    firms = [f"{starts.pop()}{rng.choice(places + things)} {trade}" for trade in rng.sample(parts["trades"], 2)]
    made = [starts.pop() + rng.choice(things) for _ in range(2)]
    slots = dict(zip("ABCXYZOQTU", [*people, *towns, *firms, *made], strict=True))
    low = rng.choice((rng.randint(3, 99), rng.randint(100, 999), rng.randint(1000, 900_000)))
    middle = max(low + 1, round(low * rng.uniform(1.05, 1.9)))
    high = max(middle + 1, round(middle * rng.uniform(1.05, 1.9)))
    comma = rng.random() < 0.8
    numbers = {"n1": low, "n2": middle, "n3": high, "dbl": 2 * low, "tri": 3 * low, "mil": 1000 * low}
    numbers["diff"] = middle - low
    slots |= {name: f"{n:,}" if comma else str(n) for name, n in numbers.items()}
    for place, noun in enumerate(rng.sample(parts["quantities"], 3), start=1):
        slots |= {f"g{place}": noun, f"G{place}": noun.capitalize()}
    slots |= {f"y{place}": str(year) for place, year in enumerate(sorted(rng.sample(range(1890, 2026), 3)), start=1)}
    spelled, few = rng.random() < 0.6, sorted(rng.sample(range(2, 13), 3))
    slots |= {"sum": f"{low + middle + high:,}", "small": str(sum(few))}
    for place, n in enumerate(few, start=1):
        slots[f"s{place}"] = WORDS["small"].split()[n - 2] if spelled else str(n)
    share = rng.randint(56, 95)
    slots |= {"p": str(rng.randint(4, max(5, 100 - share))), "q": str(share)}
    slots |= dict(zip(("m1", "m2"), rng.sample([*calendar.month_name][1:], 2), strict=True))
    slots |= dict(zip(("w1", "w2"), rng.sample([*calendar.day_name], 2), strict=True))
    slots |= dict(zip(("d1", "d2"), map(str, rng.sample(range(1, 29), 2)), strict=True))
    return slots


def _with_pronoun(fact: str, rng: Random) -> str:
    """Say something else of a fact's subject first, and let a pronoun stand for it in the fact."""
    match = re.match(r"{([ABXO])}(?= [a-z])", fact)
    if not match or rng.random() < 0.6:
        return fact
    known = rng.choice(_KNOWN[match[1]]).format(match[0])
    return f"{known} {rng.choice(_PRONOUNS[match[1]])}{fact[match.end() :]}"


def _behind_context(statement: str, label: int, rng: Random) -> tuple[str, int]:
    """Put a statement with a pronoun behind a sentence that names its subject; another subject leaves it open."""
    match = re.match(r"{([ABXO])}(?= [a-z])", statement)
    if not match:
        return statement, label
    other = rng.random() < 0.3
    named = f"{{{_OTHERS[match[1]]}}}" if other else match[0]
    context = rng.choice(_KNOWN[match[1]]).format(named)
    return f"[{context}] {rng.choice(_PRONOUNS[match[1]])}{statement[match.end() :]}", NOT_ENOUGH if other else label
