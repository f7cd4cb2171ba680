"""Quantities in other forms, at other sizes, and their consequences."""

import re
from dataclasses import dataclass
from random import Random

WORDS = dict(
    zip(
        [
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
            "twenty",
        ],
        range(1, 21),
        strict=True,
    )
) | {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
_NAMES = {value: word for word, value in WORDS.items()}
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_ORDINALS = [
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
]
_FRACTIONS = {
    50: ("half",),
    25: ("a quarter", "one quarter", "one in four"),
    75: ("three quarters", "three in four"),
    20: ("a fifth", "one in five"),
    40: ("two fifths", "two in five"),
    60: ("three fifths",),
    80: ("four fifths", "four in five"),
    10: ("a tenth", "one in ten"),
    33: ("about a third", "roughly one third"),
    67: ("about two thirds",),
}
_NUMBER = re.compile(
    r"(?<![\w.,/:+–—-])(?P<sign>[$£€]\s?)?(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
    r"(?:\s(?P<scale>thousand|million|billion|trillion))?(?P<share>\s?%|\s(?:percent|per cent))?(?![\w/:–—-]|[.,]\d)"
)
_SPELLED = re.compile(rf"\b(?P<word>{'|'.join(word for word in WORDS if word != 'one')})\b(?!-)(?=\s[a-z])", re.I)
_VAGUE = (
    "about|around|roughly|approximately|nearly|almost|over|than|least|most|under|only|some|up to|"
    "to|and|or|between|exactly|circa|c\\.|the|these|those|this|his|her|its|their|latest|last|"
    "first|next|as|of|much as|another|other|every|each|all|number"
)
_BEFORE = re.compile(rf"\b(?:{_VAGUE})\s$|[–-]\s$", re.I)
_LABELS = re.compile(
    r"\b(?:[Ss]eason|[Ee]pisode|[Cc]hapter|[Nn]umber|[Nn]o\.?|[Rr]oute|[Hh]ighway|[Aa]ct|[Aa]rticle|[Vv]olume|[Pp]art|"
    r"[Vv]ersion|[Ll]evel|[Gg]rade|[Cc]hannel|[Ss]ection|[Tt]ype|[Aa]ge|[Aa]ged|[Pp]age|[Ww]eek|[Rr]ound"
    r"|[A-Z][\w.]*)\s$"
)
_YEARS = range(1000, 2101)


@dataclass(frozen=True)
class Quantity:
    """A number of a text.

    Attributes:
        value: with its scale: 4.2 million is 4,200,000.
        share: "%", " percent" or empty.
        counted: it counts or measures; no year, no name as of Route 66, no bound as in "at least 5".
    """

    start: int
    end: int
    value: float
    sign: str
    share: str
    counted: bool
    year: bool


def quantities(text: str) -> list[Quantity]:
    """The numbers of a text, in digits or words, but for those of dates."""
    found = []
    for match in _NUMBER.finditer(text):
        value = float(match["digits"].replace(",", "")) * _SCALES.get(match["scale"] or "", 1)
        plain = not (match["sign"] or match["scale"] or match["share"])
        year = plain and "," not in match["digits"] and value in _YEARS and "." not in match["digits"]
        before = text[: match.start()]
        free = not year and not _BEFORE.search(before) and not (plain and _LABELS.search(before) and before.strip())
        date = plain and (_MONTH_BEFORE.search(before) or _MONTH_AFTER.match(text[match.end() :]))
        if not date:
            share = match["share"] or ""
            found.append(Quantity(match.start(), match.end(), value, match["sign"] or "", share, free, year))
    for match in _SPELLED.finditer(text):
        free = not _BEFORE.search(text[: match.start()])
        found.append(Quantity(*match.span(), WORDS[match["word"].lower()], "", "", free, False))
    return sorted(found, key=lambda quantity: quantity.start)


MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_MONTH_BEFORE = re.compile(rf"\b(?:{'|'.join(MONTHS)})\s$")
_MONTH_AFTER = re.compile(rf"\s(?:{'|'.join(MONTHS)})\b")


def write(value: float, rng: Random, sign: str = "", share: str = "") -> str:
    """A number in one of the forms it is written in."""
    whole = value == int(value)
    forms = [f"{int(value):,}" if whole else f"{value:,.10g}"]
    if whole and not sign and not share and int(value) in _NAMES:
        forms.append(_NAMES[int(value)])
    if whole and 1000 <= value < 10_000_000:
        forms.append(str(int(value)))
    for name, scale in _SCALES.items():
        if value >= scale and value < scale * 1000 and len(f"{value / scale:.10g}") <= 5 and scale > 1000:
            forms += [f"{value / scale:.10g} {name}"] * 2
    ending = rng.choice(["%", " percent", " per cent"]) if share else ""
    return sign + rng.choice(forms) + ending


def reform(text: str, rng: Random) -> str | None:
    """The same number, otherwise written: 4,200,000 as 4.2 million, nine as 9, 50% as half."""
    quantity = _pick(text, rng, lambda one: not one.year)
    if quantity is None:
        return None
    if quantity.share and quantity.value in _FRACTIONS and re.match(r"\s+of\b", text[quantity.end :]):
        new = rng.choice(_FRACTIONS[int(quantity.value)])
    else:
        new = write(quantity.value, rng, quantity.sign, quantity.share)
    return _put(text, quantity, new)


def weaken(text: str, rng: Random) -> str | None:
    """A true consequence of a number: about as many, more than fewer, fewer than more."""
    quantity = _pick(text, rng, lambda one: one.counted and one.value >= 4 and _measures(text, one))
    return _bounded(text, quantity, rng, true=True) if quantity else None


def overstate(text: str, rng: Random) -> str | None:
    """A false bound on a number: more than more, at most fewer, about another."""
    quantity = _pick(text, rng, lambda one: one.counted and one.value >= 4 and _measures(text, one))
    return _bounded(text, quantity, rng, true=False) if quantity else None


def _bounded(text: str, quantity: Quantity, rng: Random, true: bool) -> str | None:
    value, part = quantity.value, quantity.share
    if part and value < 100 and rng.random() < 0.3 and value != 50 and re.match(r"\s+of\b", text[quantity.end :]):
        more = (value > 50) == true
        return _put(
            text,
            quantity,
            rng.choice(["more than half", "a majority"] if more else ["less than half", "fewer than half"]),
        )
    above, below = (
        _round(value * rng.uniform(1.1, 2.2), 1, up=True),
        _round(value * rng.uniform(0.45, 0.93), 1, up=False),
    )
    if part:
        above = min(above, 99)
    least = ["more than", "over", "at least", "upwards of"]
    most = ["less than" if part or quantity.sign else "fewer than", "under", "at most", "no more than"]
    if not 0 < below < value < above:
        return None
    phrase, bound = rng.choice(
        [(rng.choice(least), below if true else above), (rng.choice(most), above if true else below)]
    )
    near = _round(value, 2, up=False)
    if rng.random() < 0.4 and value >= 10:
        phrase = rng.choice(["about", "around", "roughly", "some", "approximately"])
        bound = near if true else rng.choice([above, below])
        if true and not (abs(near - value) < 0.06 * value):
            return None
    return _put(text, quantity, f"{phrase} {write(bound, rng, quantity.sign, part)}")


def change(text: str, rng: Random) -> str | None:
    """Another number or year in its place."""
    options = quantities(text)
    if not options:
        return _change_ordinal(text, rng)
    quantity = rng.choice(options)
    value = quantity.value
    if quantity.year:
        new = value + rng.choice([-1, 1]) * rng.choice([1, 2, 3, 4, 5, 6, 8, 10, 12, 20, 30, 100])
        new = new if new < 2100 else value - 7
        return _put(text, quantity, str(int(new)))
    if value <= 20 and value == int(value) and not quantity.share:
        new = float(rng.choice([other for other in range(1 if value < 6 else 2, int(value * 2) + 4) if other != value]))
    else:
        new = _round(
            value * rng.choice([0.1, 0.3, 0.5, 0.6, 0.75, 0.85, 1.2, 1.4, 1.7, 2, 3, 10]), _digits(value), up=True
        )
    if quantity.share:
        new = _round(rng.choice([new if new < 100 else 100 - value, 100 - value, value / 2]), 2, up=True)
    if abs(new - value) < 0.08 * value or new <= 0:
        return None
    return _put(text, quantity, write(new, rng, quantity.sign, quantity.share))


def blur(text: str, rng: Random) -> str | None:
    """The number as a bound or left vague, so that it no longer says how many: for the passage of an open statement."""
    quantity = _pick(text, rng, lambda one: one.counted and one.value >= 4 and _measures(text, one))
    if quantity is None:
        return None
    if quantity.share or quantity.sign or rng.random() < 0.6:
        return _bounded_loosely(text, quantity, rng)
    return _put(text, quantity, rng.choice(["several", "many", "some", "a number of"]))


def _bounded_loosely(text: str, quantity: Quantity, rng: Random) -> str | None:
    bound = _round(quantity.value * rng.uniform(0.4, 0.9), 1, up=False)
    if not 0 < bound < quantity.value:
        return None
    phrase = rng.choice(["more than", "over", "at least"])
    return _put(text, quantity, f"{phrase} {write(bound, rng, quantity.sign, quantity.share)}")


def _change_ordinal(text: str, rng: Random) -> str | None:
    match = re.search(rf"\b({'|'.join(_ORDINALS)}|last)\b", text)
    if not match:
        return None
    other = rng.choice([word for word in [*_ORDINALS[:6], "last"] if word != match[0]])
    return text[: match.start()] + other + text[match.end() :]


def _measures(text: str, quantity: Quantity) -> bool:
    """Whether what follows may be what is counted: a word in lower case, or nothing."""
    return bool(quantity.share or quantity.sign or re.match(r"(?:\s[a-z]|[.,;)]|$)", text[quantity.end :]))


def _pick(text: str, rng: Random, wanted: object) -> Quantity | None:
    options = [one for one in quantities(text) if wanted(one)]  # type: ignore[operator]
    return rng.choice(options) if options else None


def _put(text: str, quantity: Quantity, new: str) -> str:
    if quantity.start == 0:
        new = new[0].upper() + new[1:]
    return text[: quantity.start] + new + text[quantity.end :]


def _digits(value: float) -> int:
    return max(1, len(f"{value:.10g}".replace(".", "").strip("0")))


def _round(value: float, digits: int, up: bool) -> float:
    """To some significant digits."""
    if value <= 0:
        return value
    rounded = float(f"{value:.{max(0, digits - 1)}e}")
    step = 10.0 ** (len(str(int(value))) - digits) if value >= 1 else 0.1
    if digits == 1 and (rounded < value) == up and rounded != value:
        rounded += step if up else -step
    return float(int(rounded)) if rounded >= 10 and rounded == int(rounded) else round(rounded, 6)
