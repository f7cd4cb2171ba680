"""Which gold answers the metadata of their claim really states.

Annotators marked many answers "Metadata" that no field of the claim holds; a model trained to name the metadata as
their source would learn to make answers up.
"""

from knowledge_store.tokenization import tokenize
from system.records import Claim

MONTHS = tuple(
    "january february march april may june july august september october november december".split()  # noqa: SIM905
)
SMALL = frozenset({"the", "in", "on", "at", "of", "by", "it", "was", "st", "nd", "rd", "th"})


def states(claim: Claim, answer: str) -> bool:
    """Whether all words of an answer stand in the claim's metadata, its date in words or in numbers.

    >>> states(Claim(id=0, text="", date="9-4-2021", speaker="Mira Halvers"), "April 9th, 2021")
    True
    >>> states(Claim(id=0, text="", date="9-4-2021", speaker="Mira Halvers"), "April 4th, 2021")
    False
    """
    words = set(tokenize(answer)) - SMALL
    held = {word for value in claim.metadata.values() for word in tokenize(value)} - set(tokenize(claim.date))
    return bool(words) and any(words <= held | date for date in _date_forms(claim))


def _date_forms(claim: Claim) -> list[set[str]]:
    """The words of the claim's date, as "9 April 2021" and as "09/04/2021"."""
    if not (day := claim.day):
        return [set(tokenize(claim.date))]
    month = MONTHS[day.month - 1]
    days, year = {str(day.day), f"{day.day:02}"}, str(day.year)
    return [{*days, month, month[:3], year}, {*days, str(day.month), f"{day.month:02}", year}]
