"""Facts said the other way round: what is greater, what has changed, who did it to whom, and shares of a whole.

Public sets have few of them, and no exchange of words makes one of a sentence. Passages are made of patterns, with
names and sentences of the sets. Each group has statements that are true, false and left open on the same fact.
"""

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from training.verifier.contrast.names import Names
from training.verifier.pairs import Pair, Verdict

GROUPS = 8000  # of all kinds together
SOURCE = "contrast_relations"


@dataclass(frozen=True)
class Fact:
    """What a passage says, and statements on it.

    Attributes:
        said: the passage in one or two sentences, in several forms.
        true, false: statements that it supports and refutes.
        open: statements on the same things of which it says nothing.
    """

    said: Sequence[str]
    true: Sequence[str]
    false: Sequence[str]
    open: Sequence[str]

    def filled(self, fields: Mapping[str, str]) -> "Fact":
        """The fact with names and numbers in its patterns."""
        return Fact(
            *([text.format(**fields) for text in part] for part in (self.said, self.true, self.false, self.open))
        )


def relation_groups(names: Names, sentences: Sequence[str], rng: Random) -> Iterator[list[Pair]]:
    """Yield a group for each made fact, none without names to make them of; the same seed makes the same ones.

    Args:
        sentences: of public sets, to stand around the fact.
    """
    kinds: dict[str, Callable[[Names, Random], Fact]] = {
        "comparison": _comparison,
        "change": _change,
        "converse": _converse,
        "share": _share,
    }
    enough = len(sentences) >= 2 and all(len(names.pool[kind]) >= 3 for kind in ("person", "place", "thing"))
    for _ in range(GROUPS if enough else 0):
        kind = rng.choice(list(kinds))
        fact = kinds[kind](names, rng)
        around = rng.sample(sentences, rng.choice([0, 0, 1, 2]))
        place = rng.randint(0, len(around))
        passage = " ".join([*around[:place], _capital(rng.choice(fact.said)), *around[place:]])
        labelled: list[tuple[Verdict, Sequence[str]]] = [
            ("supported", fact.true),
            ("refuted", fact.false),
            ("not enough", fact.open),
        ]
        yield [
            Pair(passage, _capital(text), label, SOURCE, kind, passage)
            for label, texts in labelled
            for text in rng.sample(texts, min(2, len(texts)))
        ]


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


# What is measured: how it is said of one, the words for more and for less of it, and its usual size.
_SIZES = (
    ("{x} is {m} kilometers long", "is longer than {y}", "is shorter than {y}", (4, 3000)),
    ("{x} is {m} meters high", "is higher than {y}", "is lower than {y}", (20, 4000)),
    ("{x} weighs {m} kilograms", "is heavier than {y}", "is lighter than {y}", (2, 9000)),
    ("{x} costs {m} dollars", "is more expensive than {y}", "is cheaper than {y}", (3, 5000)),
    ("{x} has {m} inhabitants", "has more inhabitants than {y}", "has a smaller population than {y}", (300, 900_000)),
    ("{x} employs {m} people", "has more employees than {y}", "employs fewer people than {y}", (20, 90_000)),
    ("{x} scored {m} points", "scored more points than {y}", "had fewer points than {y}", (2, 120)),
    ("{x} received {m} votes", "won more votes than {y}", "got fewer votes than {y}", (40, 800_000)),
    ("{x} sold {m} copies", "sold better than {y}", "sold fewer copies than {y}", (500, 3_000_000)),
    ("{x} took {m} minutes", "lasted longer than {y}", "was shorter than {y}", (5, 400)),
    ("{x} drew {m} visitors", "attracted more visitors than {y}", "had fewer visitors than {y}", (200, 500_000)),
    ("{x} spent {m} million euros", "spent more than {y}", "spent less than {y}", (2, 900)),
    ("{x} contains {m} grams of salt", "contains more salt than {y}", "is lower in salt than {y}", (1, 60)),
    ("{x} opened in {m}", "opened later than {y}", "is older than {y}", (1820, 2022)),
    ("{x} was born in {m}", "is younger than {y}", "was born before {y}", (1880, 2001)),
    ("{x} finished in place {m}", "finished behind {y}", "did better than {y}", (1, 40)),
)


def _comparison(names: Names, rng: Random) -> Fact:
    form, more, less, (low, high) = rng.choice(_SIZES)
    a, b, c = _three(names, rng, "person" if "born" in form else rng.choice(["place", "thing"]))
    small, large = sorted(rng.sample(range(low, high + 1), 2))
    if rng.random() < 0.5:
        large = min(high, small + max(1, small // rng.choice([4, 10, 20])))
    of_a, of_b = (form.format(x=x, m=str(m) if 1800 < m < 2030 else f"{m:,}") for x, m in ((a, large), (b, small)))
    said = [f"{of_a}. {_capital(of_b)}.", f"{of_b}, while {of_a}.", f"{of_b}; {of_a}.", f"{of_a}, {of_b}."]
    return Fact(
        said,
        [f"{a} {more.format(y=b)}.", f"{b} {less.format(y=a)}.", f"of {a} and {b}, it is {a} that {more.format(y=b)}."],
        [f"{b} {more.format(y=a)}.", f"{a} {less.format(y=b)}.", f"of {a} and {b}, it is {b} that {more.format(y=a)}."],
        [f"{a} {more.format(y=c)}.", f"{c} {less.format(y=b)}.", f"{c} {more.format(y=a)}."],
    )


_RISING = ("rose", "grew", "increased", "climbed", "went up")
_FALLING = ("fell", "declined", "decreased", "dropped", "went down")
_MEASURED_TEXT = """
the number of students in {p}; the price of bread in {p}; unemployment in {p}; the population of {p}; rents in {p};
the number of accidents in {p}; turnout in {p}; the budget of {p}; exports from {p}; crime in {p}; attendance at {p};
the number of cases in {p}; sales of {p}; the debt of {p}; rainfall in {p}; the number of members of {p}
"""
_MEASURED = [one.strip() for one in _MEASURED_TEXT.split(";")]


def _change(names: Names, rng: Random) -> Fact:
    p, q, _ = _three(names, rng, rng.choice(["place", "thing"]))
    measured = rng.choice(_MEASURED)
    what, other = measured.format(p=p), measured.format(p=q)
    first = rng.randint(1950, 2018)
    last = first + rng.randint(1, 9)
    up = rng.random() < 0.5
    small, large = sorted(rng.sample(range(3, rng.choice([60, 900, 40_000])), 2))
    before, after = (small, large) if up else (large, small)
    moved, against = (_RISING, _FALLING) if up else (_FALLING, _RISING)
    higher, lower = ("higher", "lower") if up else ("lower", "higher")
    said = [
        f"{what} {rng.choice(moved)} from {before:,} in {first} to {after:,} in {last}.",
        f"{what} stood at {before:,} in {first}. In {last} it was {after:,}.",
        f"{what} was {after:,} in {last}, compared with {before:,} in {first}.",
        f"in {last}, {what} {rng.choice(moved)} to {after:,}, from {before:,} in {first}.",
    ]

    def statements(verbs: Sequence[str], than: str, than_not: str, what: str = what) -> list[str]:
        verb = rng.choice(verbs)
        return [
            f"{what} {verb} between {first} and {last}.",
            f"{what} was {than} in {last} than in {first}.",
            f"{what} was {than_not} in {first} than in {last}.",
            f"from {first} to {last}, {what} {verb}.",
        ]

    return Fact(
        said,
        statements(moved, higher, lower),
        statements(against, lower, higher),
        [*statements(moved, higher, lower, other), f"{what} {rng.choice(moved)} after {last + 3}."],
    )


_CONVERSES = tuple(
    Fact(**converse)
    for converse in tomllib.loads(Path(__file__).with_name("converses.toml").read_text("utf-8"))["converse"]
)
_WORDS = {
    "e": "final|semifinal|election|match|race|championship",
    "r": "mayor|president|coach|bishop|governor|chancellor|captain",
    "h": "head|director|chief executive|president|manager|chair",
    "k": "weapons|nuts|rats|errors|traces of lead|chemicals|wolves|bacteria",
    "s": "flood|fire|storm|earthquake|plague|war",
}


def _converse(names: Names, rng: Random) -> Fact:
    fields = dict(zip("abc", _three(names, rng, "person"), strict=True))
    fields |= zip("opq", _three(names, rng, "thing"), strict=True)
    fields |= zip("xyz", _three(names, rng, "place"), strict=True)
    fields |= {field: rng.choice(words.split("|")) for field, words in _WORDS.items()}
    first = rng.randint(1900, 2015)
    return rng.choice(_CONVERSES).filled(fields | {"t": str(first), "l": str(first + rng.randint(1, 8))})


_DONE = (
    ("residents", "voted for the plan"),
    ("pupils", "passed the exam"),
    ("patients", "recovered"),
    ("members", "attended the meeting"),
    ("houses", "were damaged"),
    ("ships", "returned"),
    ("players", "were born abroad"),
)


def _share(names: Names, rng: Random) -> Fact:
    place, elsewhere, _ = _three(names, rng, "place")
    who, did = rng.choice(_DONE)
    whole = rng.randint(8, 900)
    part = rng.choice([0, whole, *(rng.randint(1, whole - 1) for _ in range(4))])
    share = part / whole
    count = "none" if part == 0 else "all of them" if part == whole else f"{part}"
    said = [f"of the {whole} {who} of {place}, {count} {did}.", f"{place} has {whole} {who}; {count} {did}."]
    if round(100 * share) not in (0, 50, 100):  # which could stand for less or more
        said.append(f"{100 * share:.0f} percent of the {who} of {place} {did}.")
    words = {
        "all": part == whole, "most": share > 0.5, "some": part > 0, "nearly all": share >= 0.9,
        "fewer than half of the": share < 0.5, "more than half of the": share > 0.5, "none of the": part == 0,
    }  # fmt: skip
    true, false = (
        [f"{word} {who} of {place} {did}." for word, holds in words.items() if holds is wanted]
        for wanted in (True, False)
    )
    return Fact(said, true, false, [f"most {who} of {elsewhere} {did}.", f"the {who} of {place} are proud of it."])


def _three(names: Names, rng: Random, kind: str) -> list[str]:
    """Three different names of a kind."""
    return rng.sample(names.pool[kind], 3)
