"""The numbers, dates and names of a text, as far as one can stand in the place of another."""

import re
from dataclasses import dataclass

from system.text.quantities import Kind, Quantity, quantities
from system.text.words import STOP_WORDS

_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_DAYS = "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday"
_DATE = re.compile(
    rf"\b(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? )?(?P<month>{_MONTHS})\b"
    r"(?: (?P<second>\d{1,2})(?:st|nd|rd|th)?\b(?!\s?%|[.,]\d))?(?:,? (?P<year>\d{4})\b)?"
)
_NAME = re.compile(
    rf"\b(?!(?:{_MONTHS}|{_DAYS})\b)[^\W\d_a-zß-ÿ][\w’'-]*(?: (?:(?:of|de|van|von|der) )?[^\W\d_a-zß-ÿ][\w’'-]*)*"
)


@dataclass(frozen=True)
class Value:
    """A number, date or name.

    Attributes:
        kind: "date", "name", or the kind of a quantity.
        date: day, month and year; 0 or "" for what the text does not give.
    """

    kind: str
    text: str
    start: int
    date: tuple[int, str, int] = (0, "", 0)
    quantity: Quantity | None = None

    def agrees(self, other: "Value") -> bool:
        """Whether both can be the same."""
        if self.kind != other.kind:
            return False
        if self.quantity and other.quantity:
            return self.quantity.agrees(other.quantity)
        if self.kind == "date":
            return all(one == two or not (one and two) for one, two in zip(self.date, other.date, strict=True))
        return self.text.casefold() == other.text.casefold()

    def shaped(self, wanted: "Value") -> str:
        """The text with which this value takes another's place; empty for a date that has less than the other."""
        given = [bool(part) for part in self.date]
        needed = [bool(part) for part in wanted.date]
        if given == needed:
            return self.text
        if any(needs and not has for has, needs in zip(given, needed, strict=True)):
            return ""
        return " ".join(str(part) for part, needs in zip(self.date, needed, strict=True) if needs)


def values_of(text: str) -> list[Value]:
    """Return the values of a text in order of their kinds.

    >>> [(one.kind, one.text) for one in values_of("Mara Quill paid 412 euros on 3 May 1932.")]
    [('date', '3 May 1932'), ('money', '412 euros'), ('name', 'Mara Quill')]
    """
    found: list[Value] = []
    for match in _DATE.finditer(text):
        date = int(match["day"] or match["second"] or 0), match["month"], int(match["year"] or 0)
        if date != (0, "May", 0) or re.search(r"\b(?:in|of|since|until|by|last|this) $", text[: match.start()], re.I):
            found.append(Value("date", match[0], match.start(), date))
    rest = _DATE.sub(lambda match: " " * len(match[0]), text)
    place = 0
    for one in quantities(rest):
        place = rest.index(one.text, place)
        if one.kind is Kind.YEAR:
            found.append(Value("date", one.text, place, (0, "", int(one.value))))
        else:
            found.append(Value(str(one.kind), one.text, place, quantity=one))
        place += len(one.text)
    for match in _NAME.finditer(text):
        words = match[0].split(" ")
        while words and words[0].lower() in STOP_WORDS:
            del words[0]
        if name := " ".join(words).removesuffix("’s").removesuffix("'s"):
            found.append(Value("name", name, match.end() - len(" ".join(words))))
    return found
