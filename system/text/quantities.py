"""Numbers in text as quantities that can agree or disagree.

A quantity agrees with another of its kind when both are the same at the precision of the coarser one: 14,898,300
people and "approximately 14.9 million" agree, 206 and 856 billion euros do not. Numbers are read as they are written
around the world: 612,400 and 612 400 (with any space), 612'400, 1.612.400, 1,00,000, and the decimal comma of 4,50.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

DIGITS = 17  # that tell any float from all others
_SCALES = {"hundred": 1e2, "thousand": 1e3, "k": 1e3, "million": 1e6, "mn": 1e6, "m": 1e6, "lakh": 1e5}
_SCALES |= {"crore": 1e7, "billion": 1e9, "bn": 1e9, "b": 1e9, "trillion": 1e12, "tn": 1e12}
_UNITS = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen"""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_NUMBER_WORDS = {word: value for value, word in enumerate(_UNITS.split())}
_NUMBER_WORDS |= {word: 10 * tens for tens, word in enumerate(_TENS.split(), start=2)}
NUMBER_WORDS = frozenset(word for word in _NUMBER_WORDS | _SCALES if len(word) > 2)
_GROUPED = r"\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d+)?"  # 612,400 and 1,00,000
SPACED = r"\d{1,3}(?:[\s'’]\d{3})+(?:[.,]\d+)?"  # 612 400 and 612’400
_DOTTED = r"\d{1,3}(?:\.\d{3}){2,}(?:,\d+)?"
_QUANTITY = re.compile(
    r"(?<![\w.])(?<![^\W\d]-)(?P<currency>US\$|A\$|\$|£|€|₹|₦|Rs\.?|KSh|Sh|R|N)?\s?"
    rf"(?P<number>(?:{_GROUPED}|{SPACED}|{_DOTTED}|\d+(?:[.,]\d+)?)(?!\d)|"
    rf"(?i:{'|'.join(sorted(_NUMBER_WORDS, key=len, reverse=True))})\b)"
    rf"(?:[\s-]?(?P<scale>(?i:{'|'.join(sorted(_SCALES, key=len, reverse=True))}))\b)?"
    r"(?:\s?(?P<percent>%|(?i:per\s?cent|percent|pc|percentage)\b))?"
    r"(?:\s(?P<money>(?i:dollars?|euros?|pounds?|rupees?|naira|rand|shillings?))\b)?"
    r"(?:(?<=%)|(?!\w))"
)


class Kind(StrEnum):
    """The kind of a number, as far as its surroundings tell."""

    PERCENT = "percent"
    MONEY = "money"
    YEAR = "year"
    COUNT = "count"


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number of a text, its significant digits, and the words that it was read from with their place."""

    value: float
    kind: Kind
    digits: int
    text: str
    start: int

    def agrees(self, other: "Quantity") -> bool:
        """Whether both are the same number at the precision of the coarser one."""
        if self.kind is Kind.YEAR or other.kind is Kind.YEAR:
            return self.value == other.value
        digits = max(2, min(self.digits, other.digits))
        return f"{self.value:.{digits - 1}e}" == f"{other.value:.{digits - 1}e}"


@lru_cache(maxsize=20_000)
def quantities(text: str) -> tuple[Quantity, ...]:
    """The quantities of a text in order; number words count when they measure something (a scale, per cent, money).

    >>> [(q.value, q.kind.value) for q in quantities("In 2019, 20% of R1.3 trillion went to two people.")]
    [(2019.0, 'year'), (20.0, 'percent'), (1300000000000.0, 'money'), (2.0, 'count')]
    """
    return tuple(map(_quantity, _QUANTITY.finditer(text)))


def _quantity(match: re.Match[str]) -> Quantity:
    scale = _SCALES.get((match["scale"] or "").lower(), 1.0)
    word = _NUMBER_WORDS.get(match["number"].lower())
    plain = str(word) if word is not None else _plain(match["number"])
    figures = plain.replace(".", "").lstrip("0")
    digits = 2 if word is not None else len(figures if "." in plain else figures.rstrip("0")) or 1
    text = match[0].strip()
    return Quantity(float(plain) * scale, _kind(match), min(digits, DIGITS), text, match.end() - len(match[0].lstrip()))


def _plain(number: str) -> str:
    """A number as Python writes it.

    >>> [_plain(one) for one in ("612,400.5", "65 797 506,72", "1.612.400", "612'400", "4,50")]
    ['612400.5', '65797506.72', '1612400', '612400', '4.50']
    """
    number = re.sub(r"[\s'’]", "", number)
    if number.count(".") > 1:
        number = number.replace(".", "")
    return number.replace(",", "" if re.fullmatch(_GROUPED, number) else ".")


def _kind(match: re.Match[str]) -> Kind:
    if match["percent"]:
        return Kind.PERCENT
    if match["currency"] or match["money"]:
        return Kind.MONEY
    year = not match["scale"] and re.fullmatch(r"(?:1[5-9]|20)\d\d", match["number"])
    return Kind.YEAR if year else Kind.COUNT
