"""Invented passages with two numbers, and statements that compare them: the kind of contradiction that sets lack most.

Each passage comes with three statements: a true comparison, a false one, and one that the passage does not decide.

>>> [pair.label for pair in compared(Random(0), ["Halden", "Brevik", "Tromvik"])]
[0, 1, 2]
"""

from random import Random

from training.reader.pairs import NOT_ENOUGH, REFUTED, SUPPORTED, Pair

_MEASURES = """
    is {} kilometers long/is longer than/is shorter than
    is {} meters high/is higher than/is lower than
    is {} years old/is older than/is younger than
    weighs {} kilograms/is heavier than/is lighter than
    costs {} euros/costs more than/costs less than
    costs {} euros/is more expensive than/is cheaper than
    takes {} minutes/takes longer than/is faster than
    has {} inhabitants/has more inhabitants than/has fewer inhabitants than
    has {} inhabitants/is larger than/is smaller than
    employs {} people/employs more people than/employs fewer people than
    won {} percent of the votes/did better than/did worse than
    received {} votes/won more votes than/lost to
    scored {} goals/scored more goals than/scored fewer goals than
    contains {} grams of sugar/contains more sugar than/contains less sugar than
    sold {} tickets/sold more tickets than/sold fewer tickets than
    opened after {} months of work/took longer to build than/was finished faster than
    had {} visitors last year/drew more visitors than/drew fewer visitors than
    uses {} liters of water a day/needs more water than/needs less water than
    lies {} meters above the sea/lies higher than/lies lower than
    spent {} million on schools/spent more on schools than/spent less on schools than
"""
_SERIES = """
    turnout/the price of bread/the number of burglaries/rainfall/the rent of a flat/membership/the death rate
    ticket sales/unemployment/the number of pupils/traffic/the water level/the budget for roads/air pollution
    spending on schools/the number of nurses/the number of accidents/the waiting time/the share of smokers/the debt
"""
_ROSE = ("rose", "increased", "grew", "went up", "climbed")
_FELL = ("fell", "decreased", "shrank", "went down", "dropped", "declined")


def compared(rng: Random, names: list[str]) -> list[Pair]:
    """Return a supported, a refuted and an undecided statement on one invented passage."""
    passage, true, false, silent = (_change if rng.random() < 0.5 else _two_things)(rng, names)
    labelled = zip((true, false, silent), (SUPPORTED, REFUTED, NOT_ENOUGH), strict=True)
    return [Pair(passage, _sentence(one), label, "comparisons") for one, label in labelled]


def _two_things(rng: Random, names: list[str]) -> tuple[str, str, str, str]:
    fact, more, less = rng.choice(_lines(_MEASURES)).split("/")
    one, other, third = rng.sample(names, 3)
    low, high = _numbers(rng)
    facts = [_sentence(f"{one} {fact.format(high)}"), _sentence(f"{other} {fact.format(low)}")]
    joined = f"{one} {fact.format(high)}, {other} {fact.format(low)}."
    rng.shuffle(facts)
    passage = rng.choice([" ".join(facts), " ".join(facts), joined, joined.replace(", ", " and ", 1)])
    true, false = [f"{one} {more} {other}", f"{other} {less} {one}"], [f"{one} {less} {other}", f"{other} {more} {one}"]
    return passage, rng.choice(true), rng.choice(false), rng.choice((f"{third} {more} {one}", f"{one} {less} {third}"))


def _change(rng: Random, names: list[str]) -> tuple[str, str, str, str]:
    what = rng.choice(rng.choice(_lines(_SERIES)).split("/"))
    place, elsewhere = rng.sample(names, 2)
    what = f"{what} in {place}"
    low, high = _numbers(rng)
    year = rng.randint(1950, 2018)
    later = year + rng.randint(1, 9)
    up = rng.random() < 0.5
    first, second = (low, high) if up else (high, low)
    passage = _sentence(
        rng.choice((
            f"{what} {rng.choice(_ROSE if up else _FELL)} from {first} in {year} to {second} in {later}",
            f"in {later} {what} stood at {second}, {'up' if up else 'down'} from {first} in {year}",
            f"{what} was {second} in {later}, compared with {first} in {year}",
            f"in {year} {what} was {first}. In {later} it was {second}",
            f"{what} came to {second} in {later}; {year} it had been {first}",
        ))
    )  # fmt: skip
    said = [
        f"{what} {rng.choice(verbs)} {rng.choice((f'between {year} and {later}', f'from {year} to {later}'))}"
        for verbs in (_ROSE, _FELL)
    ] if rng.random() < 0.5 else [
        f"{what} was {word} in {later} than in {year}" for word in ("higher", "lower")
    ]  # fmt: skip
    silent = rng.choice((said[0].replace(place, elsewhere), said[1].replace(str(later), str(later + 2))))
    return passage, said[not up], said[up], silent


def _numbers(rng: Random) -> tuple[str, str]:
    """A lower and a higher number as a text writes them."""
    low = rng.choice((rng.randint(2, 99), rng.randint(100, 9999)))
    high = max(low + 1, round(low * rng.uniform(1.02, 3)))
    return f"{low:,}", f"{high:,}"


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.strip().splitlines()]
