"""Edited twins: a supported statement with one fact changed, so that its evidence refutes it.

Each edit changes a number, date, name or word, or it negates. Twins stand beside their statements on the same evidence,
so the reader learns the difference and not the style.

>>> pair = Pair("Sales rose by 7 percent in 2022.", "Sales rose by 7 percent.", SUPPORTED, "invented")
>>> refuted(pair, ["Ingrid Solheim", "Karin Dahl"], Random(0)).statement
'Sales fell by 7 percent.'
"""

import calendar
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from random import Random

from training.reader.pairs import FACTUAL, REFUTED, SETS, SUPPORTED, WORDS, Pair

_SWAPS: dict[str, list[str]] = {}
for _one, _other in (_pair.split("/") for _pair in WORDS["opposites"].split()):
    _SWAPS.setdefault(_one, []).append(_other)
    _SWAPS.setdefault(_other, []).append(_one)
_WORD = re.compile(r"[A-Za-z]+")
_AUXILIARY = re.compile(
    r"\b(?:is|was|are|were|can|could|will|would|should|may|might|must|(?:has|have|had)(?= (?:been|\w+ed|\w+en)\b))\b"
    r"(?! (?:not|never|no)\b)"
)
_NEGATED = re.compile(r"\b(is|was|are|were|has|have|had|can|could|will|would|should|may|might|must) (?:not|never) ")
_NUMBER = re.compile(r"(?<![\w.,])(\d{1,3}(?:,\d{3})+|\d+)(?![\w,]*\d)")
_YEAR = re.compile(r"(?<![\w.,-])(1[5-9]\d\d|20[0-4]\d)(?![\w,]*\d)")
_MONTHS = [*calendar.month_name][1:]
_DAYS = [*calendar.day_name]
_SMALL: list[str] = WORDS["small"].split()
_NAME = re.compile(r"\b[A-Z][a-zé’'-]+(?: (?:of |de |van |von )?[A-Z][a-zé’'-]+){0,2}\b")
_NO_NAME = frozenset([*WORDS["no_names"].split(), *_MONTHS, *_DAYS])


def twins(pair: Pair, names: Sequence[str], rng: Random) -> Iterator[Pair]:
    """Yield the twins that a pair needs: always for a set of one label, else half of the time.

    The names are of people, places and things, to stand in the place of others.
    """
    wanted = SETS.get(pair.source, {}).get("twins")
    if wanted == "supported" and pair.label == REFUTED:  # a false edit of the sentence: the sentence beside it
        yield replace(pair, statement=pair.evidence, label=SUPPORTED, source="edits")
    editable = pair.source in FACTUAL and pair.label == SUPPORTED and len(pair.statement.split()) <= 40
    if editable and (wanted or rng.random() < 0.5) and (twin := refuted(pair, names, rng)):
        yield twin


def refuted(pair: Pair, names: Sequence[str], rng: Random) -> Pair | None:
    """The pair with one fact of its statement changed; None if no edit applies."""
    edits: list[Callable[[str, Random], str | None]] = [
        change_number, change_date, opposite, opposite, negate, lambda text, _: _rename(text, pair.evidence, names, rng)
    ]  # fmt: skip
    for edit in rng.sample(edits, len(edits)):
        if edit is negate and rng.random() < 0.6:  # it nearly always applies: leave room for the others
            continue
        text = edit(pair.statement, rng)
        if text and text != pair.statement and text not in pair.evidence:
            return replace(pair, statement=text, label=REFUTED, source="edits")
    return None


def names_in(text: str) -> list[str]:
    """Return the capitalized names of a text, each once; no first word of a sentence unless more words follow it."""
    found = []
    for match in _NAME.finditer(text):
        words = match[0].split()
        while words and words[0] in _NO_NAME:
            words.pop(0)
        begins = match.start() == 0 or text[: match.start()].rstrip().endswith((".", "!", "?", ":", "“", '"'))
        if words and not (begins and len(words) == 1 and text.count(words[0]) == 1):
            found.append(" ".join(words))
    return list(dict.fromkeys(found))


def _rename(text: str, evidence: str, names: Sequence[str], rng: Random) -> str | None:
    """Replace a name that the evidence has too, so that the new one stands against it."""
    found = [name for name in names_in(text) if name in evidence]
    if not found:
        return None
    name = rng.choice(found)
    others = [one for one in names_in(evidence) if one not in text and text not in one and one not in name]
    alike = [one for one in rng.sample(names, min(20, len(names))) if len(one.split()) == len(name.split())]
    new = rng.choice(others if others and rng.random() < 0.5 else alike or [*names])
    return text.replace(name, new) if new not in text and name not in new else None


def opposite(text: str, rng: Random) -> str | None:
    """Replace a word by its opposite."""
    return _replaced(text, [one for one in _WORD.finditer(text) if one[0].lower() in _SWAPS], _SWAPS.get, rng)


def negate(text: str, rng: Random) -> str | None:
    """Put "not" behind an auxiliary, or take it away."""
    if match := _NEGATED.search(text):
        return f"{text[: match.end(1)]} {text[match.end() :]}"
    match = _AUXILIARY.search(text)
    if not match or "n't" in text or text.endswith("?"):
        return None
    return f"{text[: match.end()]} {rng.choice(('not', 'not', 'never'))}{text[match.end() :]}"


def change_number(text: str, rng: Random) -> str | None:
    """Replace a number by one of its kind that differs clearly."""
    numbers = [one for one in _NUMBER.finditer(text) if not _YEAR.fullmatch(one[0])]
    words = [one for one in _WORD.finditer(text) if one[0].lower() in _SMALL]
    return _replaced(text, numbers or words, _other_numbers if numbers else lambda _: _SMALL, rng)


def change_date(text: str, rng: Random) -> str | None:
    """Replace a year, month or weekday."""
    words = [one for one in _WORD.finditer(text) if one[0] in (*_MONTHS[:4], *_MONTHS[5:], *_DAYS)]  # not May
    return _replaced(text, [*_YEAR.finditer(text), *words], _other_dates, rng)


def _replaced(
    text: str, places: Sequence[re.Match[str]], others: Callable[[str], Sequence[str] | None], rng: Random
) -> str | None:
    """The text with one of the places changed; ``others`` gives what may stand there for its text in lower case."""
    if not places:
        return None
    match = rng.choice(places)
    old = match[0].lower()
    new = rng.choice([one for one in others(old) or () if one != old])
    return text[: match.start()] + (new.capitalize() if match[0][0].isupper() else new) + text[match.end() :]


def _other_numbers(number: str) -> list[str]:
    value = int(number.replace(",", ""))
    near = [value + step for step in (-3, -2, -1, 1, 2, 3, 7)] + [10 ** (len(str(value)) - 1) + value]
    far = [2 * value, 3 * value, 10 * value, value // 2, value // 3]
    return [f"{one:,}" if "," in number else str(one) for one in near + far if one > 0 and one != value]


def _other_dates(date: str) -> list[str]:
    if date.isdigit():
        return [str(int(date) + step) for step in (-20, -10, -5, -3, -2, -1, 1, 2, 3, 5, 10, 20)]
    return [one.lower() for one in (_DAYS if date.capitalize() in _DAYS else _MONTHS)]
