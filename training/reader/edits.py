"""Edited twins: a supported statement with one fact changed, so that its evidence refutes it.

Each edit changes a number, date, name or word, or it negates. Twins stand beside their statements on the same evidence,
so the reader learns the difference and not the style.

>>> editor = Editor(["Ingrid Solheim", "Karin Dahl"])
>>> pair = Pair("Sales rose by 7 percent in 2022.", "Sales rose by 7 percent.", SUPPORTED, "invented")
>>> editor.refuted(pair, Random(0)).statement
'Sales fell by 7 percent.'
"""

import calendar
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random

from training.reader.pairs import FACTUAL, ONE_SIDED, REFUTED, SUPPORTED, Pair

_OPPOSITES = """
    more/fewer more/less higher/lower larger/smaller bigger/smaller greater/smaller longer/shorter older/younger
    earlier/later before/after above/below over/under faster/slower heavier/lighter richer/poorer better/worse
    most/least highest/lowest largest/smallest biggest/smallest longest/shortest oldest/youngest first/last best/worst
    increased/decreased increase/decrease increases/decreases rose/fell rises/falls rise/fall risen/fallen grew/shrank
    gained/lost won/lost wins/loses win/lose winner/loser up/down raised/cut doubled/halved opened/closed opens/closes
    accepted/rejected approved/rejected agreed/refused allowed/banned allows/forbids legal/illegal started/ended
    begins/ends began/ended begin/end joined/left arrived/left bought/sold borrowed/lent hired/fired passed/failed
    succeeded/failed supported/opposed supports/opposes confirmed/denied guilty/innocent born/died alive/dead
    married/divorced north/south northern/southern east/west eastern/western left/right male/female man/woman men/women
    husband/wife brother/sister father/mother son/daughter king/queen actor/actress boy/girl public/private
    always/never all/none everyone/nobody everybody/nobody every/no many/few often/rarely majority/minority
    same/different with/without inside/outside present/absent present/missing full/empty rich/poor hot/cold young/old
    possible/impossible permanent/temporary urban/rural domestic/foreign positive/negative free/paid open/closed
    summer/winter morning/evening upper/lower maximum/minimum strong/weak early/late high/low long/short
    cheap/expensive
"""
_SWAPS: dict[str, list[str]] = {}
for _pair in _OPPOSITES.split():
    _one, _other = _pair.split("/")
    _SWAPS.setdefault(_one, []).append(_other)
    _SWAPS.setdefault(_other, []).append(_one)
_WORD = re.compile(r"[A-Za-z]+")
_AUXILIARY = re.compile(
    r"\b(?:is|was|are|were|can|could|will|would|should|may|might|must|(?:has|have|had)(?= (?:been|\w+ed|\w+en)\b))\b"
    r"(?! (?:not|never|no)\b)"
)
_NEGATED = re.compile(r"\b(is|was|are|were|has|have|had|can|could|will|would|should|may|might|must) (?:not|never) ")
_NUMBER = re.compile(r"(?<![\w.,])(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?(?![\w,]*\d)")
_YEAR = re.compile(r"(?<![\w.,-])(1[5-9]\d\d|20[0-4]\d)(?![\w,]*\d)")
_MONTHS = [*calendar.month_name][1:]
_DAYS = [*calendar.day_name]
_SMALL = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_NAME = re.compile(r"\b[A-Z][a-zé’'-]+(?: (?:of |de |van |von )?[A-Z][a-zé’'-]+){0,2}\b")
_FUNCTION_WORDS = """
    The A An In On At It He She They This That These Those There But And Or If When While After Before As For From By
    His Her Its Their Our We You I Not No All Some Many Most Both Each Every One Two Three However According With
"""
_NO_NAME = frozenset([*_FUNCTION_WORDS.split(), *_MONTHS, *_DAYS])

Edit = Callable[[str, Random], str | None]


@dataclass(frozen=True)
class Editor:
    """Makes twins of pairs.

    Attributes:
        names: of people, places and things, to stand in the place of others.
    """

    names: Sequence[str]

    @classmethod
    def of(cls, texts: Sequence[str], rng: Random) -> "Editor":
        """An editor with the names of some texts."""
        found = {name for text in rng.sample(list(texts), min(4000, len(texts))) for name in names_in(text)}
        return cls(sorted(found.union(("Halden", "Karin Dahl", "Tromvik"))))

    def twins(self, pair: Pair, rng: Random) -> Iterator[Pair]:
        """Yield the twins that a pair needs: always for a set of one label, else half of the time."""
        wanted = ONE_SIDED.get(pair.source)
        if wanted == SUPPORTED and pair.label == REFUTED:  # a false edit of the sentence: the sentence beside it
            yield replace(pair, statement=pair.evidence, label=SUPPORTED, source="edits")
        if pair.source not in FACTUAL or pair.label != SUPPORTED or len(pair.statement.split()) > 40:
            return
        if (wanted is not None or rng.random() < 0.5) and (twin := self.refuted(pair, rng)):
            yield twin

    def refuted(self, pair: Pair, rng: Random) -> Pair | None:
        """The pair with one fact of its statement changed; None if no edit applies.

        Names are replaced only where the evidence has the name too, so that the new one stands against it.
        """
        edits: list[Edit] = [change_number, change_date, opposite, opposite, negate, self._rename(pair.evidence)]
        for edit in rng.sample(edits, len(edits)):
            if edit is negate and rng.random() < 0.6:  # it nearly always applies: leave room for the others
                continue
            text = edit(pair.statement, rng)
            if text and text != pair.statement and text not in pair.evidence:
                return replace(pair, statement=text, label=REFUTED, source="edits")
        return None

    def _rename(self, evidence: str) -> Edit:
        def edit(text: str, rng: Random) -> str | None:
            found = [name for name in names_in(text) if name in evidence]
            if not found:
                return None
            name = rng.choice(found)
            others = [one for one in names_in(evidence) if one not in text and text not in one and one not in name]
            new = rng.choice(others) if others and rng.random() < 0.5 else _like(name, self.names, rng)
            return text.replace(name, new) if new and new not in text and name not in new else None

        return edit


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


def _like(name: str, names: Sequence[str], rng: Random) -> str:
    """A name with as many words."""
    size = len(name.split())
    for _ in range(20):
        if len((other := rng.choice(names)).split()) == size:
            return other
    return rng.choice(names)


def opposite(text: str, rng: Random) -> str | None:
    """Replace a word by its opposite."""
    found = [match for match in _WORD.finditer(text) if match[0].lower() in _SWAPS]
    if not found:
        return None
    match = rng.choice(found)
    word = rng.choice(_SWAPS[match[0].lower()])
    return text[: match.start()] + (word.capitalize() if match[0][0].isupper() else word) + text[match.end() :]


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
    found = [match for match in _NUMBER.finditer(text) if not _YEAR.fullmatch(match[0])]
    if found:
        match = rng.choice(found)
        new = _other_number(match, rng)
        return text[: match.start()] + new + text[match.end() :]
    words = [match for match in _WORD.finditer(text) if match[0].lower() in _SMALL]
    if not words:
        return None
    match = rng.choice(words)
    new = rng.choice([word for word in _SMALL if word != match[0].lower()])
    return text[: match.start()] + (new.capitalize() if match[0][0].isupper() else new) + text[match.end() :]


def _other_number(match: re.Match[str], rng: Random) -> str:
    whole, fraction = match[1], match[2] or ""
    value = int(whole.replace(",", ""))
    choices = [value + rng.choice((-3, -2, -1, 1, 2, 3)), value * rng.choice((2, 3, 10)), value // rng.choice((2, 3))]
    digits = list(whole)
    places = [place for place, digit in enumerate(digits) if digit.isdigit()]
    place = rng.choice(places[:2])
    digits[place] = rng.choice([d for d in "123456789" if d != digits[place]])
    choices += [int("".join(digits).replace(",", ""))] * 2
    new = rng.choice([one for one in choices if one > 0 and one != value] or [value + 7])
    if fraction and rng.random() < 0.5:
        return f"{whole}.{(int(fraction[1:]) + rng.randint(1, 7)) % 10 ** len(fraction[1:]):0{len(fraction) - 1}}"
    return (f"{new:,}" if "," in whole or (new >= 10_000 and rng.random() < 0.5) else str(new)) + fraction


def change_date(text: str, rng: Random) -> str | None:
    """Replace a year, month or weekday."""
    places = [*_YEAR.finditer(text), *(m for m in _WORD.finditer(text) if m[0] in _MONTHS[:4] + _MONTHS[5:] + _DAYS)]
    if not places:
        return None
    match = rng.choice(places)
    if match[0].isdigit():
        new = str(int(match[0]) + rng.choice((-20, -10, -5, -3, -2, -1, 1, 2, 3, 5, 10, 20)))
    else:
        new = rng.choice([one for one in (_DAYS if match[0] in _DAYS else _MONTHS) if one != match[0]])
    return text[: match.start()] + new + text[match.end() :]
