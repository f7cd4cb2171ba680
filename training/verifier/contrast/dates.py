"""Dates in other forms, coarser, and other dates."""

import re
from collections.abc import Callable
from random import Random

from training.verifier.contrast.quantities import MONTHS

_M = "|".join(MONTHS)
_DATE = re.compile(
    rf"(?P<on>\b[Oo]n\s)?(?:(?<![–-])(?<!and )(?<!to )\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s(?P<month>{_M})"
    rf"|\b(?P<month2>{_M})\s(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?)"
    rf",?\s(?P<year>[12]\d{{3}})\b"
)
_MONTH = re.compile(rf"(?<!\d )\b(?P<month>{_M}),?\s(?P<year>[12]\d{{3}})\b")
_IN_YEAR = re.compile(r"\b(?P<word>[Ii]n|[Ss]ince|[Uu]ntil|[Ff]rom)\s(?P<year>1\d{3}|20\d{2})\b(?!\s?[–-]\s?\d)")
_LOOSE_MONTH = re.compile(rf"(?<!\d )\b(?:{'|'.join(month for month in MONTHS if month not in ('May', 'March'))})\b")


def _parts(match: re.Match[str]) -> tuple[int, str, int]:
    return int(match["day"] or match["day2"]), match["month"] or match["month2"], int(match["year"])


def _written(day: int, month: str, year: int, rng: Random) -> str:
    return rng.choice(
        [
            f"{day} {month} {year}",
            f"{month} {day}, {year}",
            f"{year}-{MONTHS.index(month) + 1:02d}-{day:02d}",
            f"the {day}{_ending(day)} of {month} {year}",
            f"{month[:3]} {day}, {year}",
        ]
    )


def _ending(day: int) -> str:
    return "th" if 10 < day < 20 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")


def reform(text: str, rng: Random) -> str | None:
    """The same day, otherwise written."""
    match = _any(_DATE, text, rng)
    return _swap(text, match, (match["on"] or "") + _written(*_parts(match), rng)) if match else None


def coarsen(text: str, rng: Random) -> str | None:
    """Only the month, year, decade or century, or a true bound."""
    match = _any(_DATE, text, rng)
    if match and match["on"]:
        _, month, year = _parts(match)
        new = rng.choice([f"in {month} {year}", f"in {month} {year}", f"in {year}", f"in the year {year}"])
        return _swap(text, match, _start(new) if match.start() == 0 else new)
    match = _any(_MONTH, text, rng)
    if match and rng.random() < 0.6:
        return _swap(text, match, match["year"])
    return _loosely(text, rng, lambda year: (year + rng.randint(1, 6), year - rng.randint(1, 6)), wrong=0)


def misplace(text: str, rng: Random) -> str | None:
    """A false decade, century or bound in the place of a year."""
    return _loosely(
        text, rng, lambda year: (year - rng.randint(1, 6), year + rng.randint(1, 6)), rng.choice([-20, -10, 10, 20])
    )


def _loosely(text: str, rng: Random, bounds: Callable[[int], tuple[int, int]], wrong: int) -> str | None:
    options = [match for match in _IN_YEAR.finditer(text) if match["word"].lower() == "in"]
    if not options:
        return None
    match = rng.choice(options)
    year = int(match["year"])
    late, early = bounds(year)
    forms = [f"before {late}", f"after {early}"]
    if year + wrong < 2020:
        forms.append(f"in the {(year + wrong) // 10 * 10}s")
    century = (year + wrong * 10 - 1) // 100 + 1
    forms.append(f"in the {century}{_ending(century)} century")
    new = rng.choice(forms)
    return _swap(text, match, _start(new) if match.start() == 0 else new)


def change(text: str, rng: Random) -> str | None:
    """Another day, month or year of a date, or another month alone."""
    match = _any(_DATE, text, rng)
    if match:
        day, month, year = _parts(match)
        what = rng.choice(["day", "month", "year", "year"])
        if what == "day":
            day = rng.choice([other for other in range(1, 28) if other != day])
        elif what == "month":
            month = rng.choice([other for other in MONTHS if other != month])
        else:
            year += rng.choice([-10, -4, -3, -2, -1, 1, 2, 3, 5, 10])
        return _swap(text, match, (match["on"] or "") + _written(day, month, year, rng))
    match = _any(_LOOSE_MONTH, text, rng)
    if match:
        return _swap(text, match, rng.choice([other for other in MONTHS if other != match[0]]))
    return None


def _start(text: str) -> str:
    return text[0].upper() + text[1:]


def _any(pattern: re.Pattern[str], text: str, rng: Random) -> re.Match[str] | None:
    options = list(pattern.finditer(text))
    return rng.choice(options) if options else None


def _swap(text: str, match: re.Match[str], new: str) -> str:
    return text[: match.start()] + new + text[match.end() :]
