"""Sentences beside a statement: the number, month, name, opposite, quantifier or "not" in which they differ.

By rules that know no synonyms: what they find is sure more often than what they do not find.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from system.text.grammar import names, tag
from system.text.quantities import Kind, Quantity, disagreeing, quantities
from system.text.words import content_stems, sentences, stem, words

CONTEXT = 300  # characters before a sentence in which it may be said what it speaks of
DIRECT = 0.6  # share of the claim's words, but for what differs, from which a sentence speaks of the claim
CLAUSE = 3  # words of content that a clause has at least
ROOT = 6  # first letters in which two words of one root agree
NUMBERS = 30  # of a text that are compared with those of another: no sentence for readers has more
AROUND = 60  # characters beside a number that tell what it counts or bounds
WHOLE = 0.8  # share from which it says all of it

_OPPOSITE_PAIRS = """
    rise fall, rose fell, rise drop, rose dropped, rise decline, rose declined, increase decrease, increase fall,
    increase drop, increase decline, grow shrink, grew shrank, grow fall, grew fell, more fewer, more less, most fewest,
    most least, higher lower, highest lowest, larger smaller, largest smallest, bigger smaller, biggest smallest,
    longer shorter, longest shortest, taller shorter, tallest shortest, older younger, oldest youngest, heavier lighter,
    deeper shallower, faster slower, fastest slowest, stronger weaker, warmer colder, warmer cooler, hotter colder,
    cheaper dearer, richer poorer, better worse, best worst, earlier later, before after, above below, over under,
    up down, first last, win lose, won lost, gain lose, gained lost, open close, open shut, begin end, began ended,
    start end, start stop, started stopped, allow forbid, allow ban, permit forbid, legal illegal, approve reject,
    accept reject, adopt reject, support oppose, raise lower, raise cut, expand reduce, double halve, succeed fail,
    pass fail, import export, imported exported, buy sell, bought sold, north south, east west, northern southern,
    eastern western, public private, majority minority, always never, everyone nobody, many few, inside outside, empty
    full, same different, alive dead, guilty innocent, convicted acquitted, confirm deny, safe dangerous, true false
"""
_PAIRS = [frozenset(map(stem, pair.split())) for pair in _OPPOSITE_PAIRS.split(",")]
_OPPOSITES = {
    word: frozenset[str]().union(*(pair - {word} for pair in _PAIRS if word in pair))
    for pair in _PAIRS
    for word in pair
}
_DENYING_WORDS = """
    forbid forbidden ban banned prohibit prohibited spare spared lack lacks lacked fail fails failed refuse refused
    reject rejected deny denied prevent prevented avoid avoided hardly barely rarely seldom unable impossible illegal
    free without closed missing absent nobody nothing neither unmarried false fake hoax untrue
"""
_DENYING = frozenset(map(stem, _DENYING_WORDS.split()))
_ALL = "all every each always everyone everybody entire whole unanimously everywhere"
_MOST = "most majority nearly almost mostly largely"
_FEW = "few hardly barely rarely minority only single"
_SOME = "some several half third quarter part partly"
_QUANTIFIERS = {
    word: kind for kind, listed in zip("amfs", (_ALL, _MOST, _FEW, _SOME), strict=True) for word in listed.split()
}
_SMALL = "one|two|three|four|five|six|seven|eight|nine|ten"
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|[a-z]+n['’]t)\b", re.IGNORECASE
)
_COMPARING = re.compile(r"\b(?:more|less|fewer|than|most|least)\b", re.IGNORECASE)
_SHARE = re.compile(rf"\b(?:{_SMALL}|\d+) (?:in|out of) (?:{_SMALL}|\d+)\b", re.IGNORECASE)
_BOUND = re.compile(r"\b(?:than|over|under|above|below|least|most|nearly|almost|up to)\W+$", re.IGNORECASE)
_BOUNDARY = re.compile(r";|, (?=(?:and|but|while|whereas|although)\b)", re.IGNORECASE)
_ROUGHLY = re.compile(r"\bsome (?=\d)", re.IGNORECASE)
_BESIDE = re.compile(r"\bthan (?:in )?$", re.IGNORECASE)
_PARTS = re.compile(r"[,;:–—]|\b(?:and|but|while|whereas|although|which|who)\b", re.IGNORECASE)
_MONTHS = "January February March April June July August September October November December"
_NAMED = _MONTHS.replace(" ", "|")
_DATE = re.compile(
    rf"\b(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<month>May|{_NAMED})|"
    rf"(?P<first>May|{_NAMED}) (?P<second>\d{{1,2}})(?:st|nd|rd|th)?)"
    r"(?:,? (?P<year>\d{4}))?\b"
)
_MONTH = re.compile(rf"\b(?:{_NAMED})\b|(?:\b(?:in|of|since|until|by|\d+) )May\b|\bMay(?= \d)")


@dataclass(frozen=True, slots=True)
class Date:
    """A day of a text; the year is 0 where the text gives none."""

    day: int
    month: str
    year: int
    text: str

    def agrees(self, other: "Date") -> bool:
        """Whether both may be the same day."""
        return (self.day, self.month) == (other.day, other.month) and self.in_year_of(other)

    def in_year_of(self, other: "Date") -> bool:
        """Whether both may be in the same year."""
        return self.year == other.year or not (self.year and other.year)


def dates(text: str) -> list[Date]:
    """The days that a text names.

    >>> [(one.day, one.month, one.year) for one in dates("It opened on 3 May, and on June 5th, 2019.")]
    [(3, 'May', 0), (5, 'June', 2019)]
    """
    return [
        Date(int(match["day"] or match["second"]), match["month"] or match["first"], int(match["year"] or 0), match[0])
        for match in _DATE.finditer(text)
    ]


@dataclass(frozen=True, slots=True)
class Comparison:
    """A sentence beside a claim.

    Attributes:
        text: the sentence.
        covered: share of the claim's content words that it has, with names that the text before it brings.
        direct: the same without the words in which the two differ.
        differing: what the claim says and what the sentence says in its place, where they contradict.
        denied: whether one of the two denies what the other says.
        open: whether the claim says something that this sentence cannot confirm, such as a comparison.
    """

    text: str
    covered: float
    direct: float
    differing: tuple[str, str] | None
    denied: bool
    open: bool


def compare(claim: str, text: str, anywhere: frozenset[str]) -> Iterator[Comparison]:
    """Each sentence of a text beside a claim.

    Args:
        anywhere: the content words of all texts.
    """
    begin = 0
    for sentence in sentences(text):
        begin = text.index(sentence, begin)
        for start, clause in _clauses(sentence):
            found = _compare(claim, clause, text[max(0, begin + start - CONTEXT) : begin + start], anywhere)
            yield replace(found, text=sentence)
        begin += len(sentence)


def _clauses(sentence: str) -> Iterator[tuple[int, str]]:
    """The clauses of a sentence that say enough by themselves, with their places; short ones stay with a neighbor."""
    start = 0
    for boundary in _BOUNDARY.finditer(sentence):
        clause = sentence[start : boundary.start()]
        if min(len(content_stems(clause)), len(content_stems(sentence[boundary.start() :]))) >= CLAUSE:
            yield start, clause
            start = boundary.start()
    yield start, sentence[start:]


def _compare(claim: str, sentence: str, before: str, anywhere: frozenset[str]) -> Comparison:
    wanted = content_stems(claim)
    claimed_names = {name: content_stems(name) for name in names(claim) if name not in _MONTHS}
    brought = content_stems(" ".join(word for word in words(claim) if word[0].isupper())) & content_stems(before)
    open_ = {*_lacking(claim, sentence)}
    confirmed = frozenset[str]().union(*(content_stems(one.text) for one in quantities(claim) if one not in open_))
    told = content_stems(sentence)
    known = told | confirmed | _alike(wanted, told)
    missing = [name for name, held in claimed_names.items() if held and not held & (known | brought)]
    denials = _denials(claim), sum(_denials(part) for part in _PARTS.split(sentence) if content_stems(part) & wanted)
    denied = denials[0] % 2 != denials[1] % 2
    found = _difference(claim, sentence, whole=not missing)
    differing, instead = found or ((), frozenset())
    if not differing and missing and not any(claimed_names[name] & anywhere for name in missing):
        differing, instead = _other_name(claim, sentence, missing, wanted)
    if denied and not differing and not missing:
        said = ("that it is so", "that it is not")
        differing, instead = said if denials[1] % 2 else said[::-1], _DENYING
    rest = wanted - instead
    return Comparison(
        text=sentence,
        covered=len(wanted & (known | brought)) / max(1, len(wanted)),
        direct=len(rest & (known | brought)) / max(1, len(rest)) if wanted & known else 0.0,
        differing=differing or None,
        denied=denied and not found,
        open=bool(missing) or _open(claim, sentence, claimed_names, known | brought),
    )


def _difference(claim: str, sentence: str, whole: bool) -> tuple[tuple[str, str], frozenset[str]] | None:
    """The claim's value and the sentence's in its place, with the claim's words for it.

    Args:
        whole: whether the sentence speaks of all that the claim names; of something else the opposite may be true.
    """
    if days := _days(claim, sentence):
        return days, content_stems(days[0])
    for one, other in _numbers(claim, sentence):
        return (one.text, other.text), content_stems(one.text)
    months, there = (_months(text) for text in (claim, sentence))
    if months and there and not {*months} & {*there}:
        return (months[0], there[0]), content_stems(" ".join(months))
    if not whole:
        return None
    mine, theirs = ({stem(word) for word in words(text)} for text in (claim, sentence))
    for word in sorted(mine - theirs):
        for against in sorted(_OPPOSITES.get(word, frozenset()) & (theirs - mine)):
            if _denials(claim, word) % 2 != _denials(sentence, against) % 2:
                return None  # "not allowed" is no opposite of "banned"
            return (_as_written(word, claim), _as_written(against, sentence)), frozenset({word})
    quantified, by = (_quantifier(text) for text in (claim, sentence))
    if quantified and by and {quantified[1], by[1]} in ({"a", "f"}, {"a", "s"}, {"m", "f"}):
        return (quantified[0], by[0]), content_stems(quantified[0])
    return None


def _other_name(
    claim: str, sentence: str, missing: Sequence[str], wanted: frozenset[str]
) -> tuple[tuple[str, str] | tuple[()], frozenset[str]]:
    """A name of the claim with one that stands in its place: after the same word, or at the beginning of both."""
    for name in missing:
        for other in names(sentence):
            new = not content_stems(other) & wanted and other not in _MONTHS and other[:5] != name[:5]
            if new and _before(name, claim) == _before(other, sentence):
                return (name, other), content_stems(name)
    return (), frozenset()


def _before(part: str, text: str) -> str:
    """The word before a part of a text; empty where the text begins with it."""
    before = words(text[: text.index(part)])
    return before[-1].lower() if before and before[-1].lower() != "the" else " ".join(before[-2:-1]).lower()


def _numbers(claim: str, sentence: str) -> Iterator[tuple[Quantity, Quantity]]:
    """A number of the claim with one of its kind and unit that the sentence has instead.

    Of another year another figure may be true, so only one of both may differ.
    """
    open_ = _lacking(claim, sentence)
    years = any(other.kind is Kind.YEAR for other in quantities(sentence))
    if (len({one.kind is Kind.YEAR for one in open_}) == 2 and years) or _SHARE.search(claim):
        return
    mine = [(one, _unit(one, claim)) for one in open_[:NUMBERS] if not _BOUND.search(_ahead(one, claim))]
    theirs = [
        (other, _unit(other, sentence))
        for other in _lacking(sentence, claim)[:NUMBERS]
        if not _BESIDE.search(_ahead(other, sentence))
    ]
    for one, unit in mine:
        for other, counted in theirs:
            if one.kind is other.kind and (one.kind is not Kind.COUNT or unit & counted):
                yield one, other


def _lacking(text: str, other: str) -> tuple[Quantity, ...]:
    """The numbers of a text that the other does not have."""
    return disagreeing(quantities(text), quantities(other))


def _ahead(number: Quantity, text: str) -> str:
    """The words before a number."""
    at = text.index(number.text)
    return text[max(0, at - AROUND) : at]


def _days(claim: str, sentence: str) -> tuple[str, str] | None:
    """A day of the claim, and the sentence's in its place; of another year another may be true."""
    given = dates(sentence)
    for one in dates(claim):
        within = len(given) > 1 and any(one.month == other.month for other in given)  # "from 1 to 5 May"
        if given and not within and all(one.in_year_of(other) and not one.agrees(other) for other in given):
            return one.text, given[0].text
    return None


def _months(text: str) -> list[str]:
    return [match[0].split()[-1] for match in _MONTH.finditer(text)]


def _unit(number: Quantity, text: str) -> frozenset[str]:
    """The thing counted: the first words of content after a number."""
    after = text.index(number.text) + len(number.text)
    following = (stem(word) for word in words(text[after : after + AROUND]) if content_stems(word))
    return frozenset(islice(following, 2))


def _quantifier(text: str) -> tuple[str, str] | None:
    quantifying = _ROUGHLY.sub("", text)
    return next(((w, _QUANTIFIERS[w.lower()]) for w in words(quantifying) if w.lower() in _QUANTIFIERS), None)


def _denials(text: str, but: str = "") -> int:
    """How often a text denies something, without the word of one stem."""
    found = [word.lower() for word in _NEGATION.findall(text)]
    also = [word for word in map(str.lower, words(text)) if stem(word) in _DENYING and word not in found]
    return sum(stem(word) != but for word in found + also)


def alike(one: str, other: str) -> bool:
    """Whether two stems are of one root, as those of "employs" and "employees", or have the same opposite."""
    if len(one) >= ROOT and one[:ROOT] == other[:ROOT]:
        return True
    return bool(_OPPOSITES.get(one, frozenset()) & _OPPOSITES.get(other, frozenset()))


def _alike(some: frozenset[str], others: frozenset[str]) -> frozenset[str]:
    """Those of some stems that are ``alike`` one of others."""
    roots = {other[:ROOT] for other in others}
    opposites = frozenset[str]().union(*(_OPPOSITES.get(other, frozenset()) for other in others))
    return frozenset(
        one
        for one in some
        if (len(one) >= ROOT and one[:ROOT] in roots) or not opposites.isdisjoint(_OPPOSITES.get(one, frozenset()))
    )


def _as_written(stemmed: str, text: str) -> str:
    return next(word for word in words(text) if stem(word) == stemmed)


def _open(claim: str, sentence: str, claimed_names: dict[str, frozenset[str]], known: frozenset[str]) -> bool:
    """Whether the claim says what a sentence with the same words need not say: all, more than, the other way round."""
    if _lacking(claim, sentence):
        return True
    theirs = {word.lower() for word in words(sentence)}
    comparing = {token.text.lower() for token in tag(claim) if token.tag[:3] in {"AJC", "AJS"}}
    comparing |= {word.lower() for word in _COMPARING.findall(claim)}
    if comparing - theirs:
        return True
    quantified, by = (_quantifier(text) for text in (claim, sentence))
    if quantified and quantified[1] != "s" and (by is None or by[1] != quantified[1]):
        return True
    tokens = ((token, content_stems(token.text)) for token in tag(claim))
    lacking = {token.tag[:2] for token, stems in tokens if stems and not stems <= known}
    if lacking & {"VV", "AJ", "CR"} or _substituted(claim, sentence, known):
        return True
    order = [sentence.find(name) for name in claimed_names]
    placed = [place for place in order if place >= 0]
    passive = ("by" in theirs) != ("by" in {word.lower() for word in words(claim)})
    return placed != sorted(placed) and not passive


def _substituted(claim: str, sentence: str, known: frozenset[str]) -> bool:
    """Whether a word of the sentence, of the same part of speech and beside the same word, stands for the claim's."""
    mine, theirs = (
        [(stem(token.text), token.tag[:2]) for token in tag(text) if token.text[0].isalnum()]
        for text in (claim, sentence)
    )
    said, wanted = ({word for word, _ in each} for each in (theirs, mine))
    places = {
        (near, part) for at, (word, part) in enumerate(theirs) if word not in wanted for near in _beside(theirs, at)
    }
    return any(
        (near, part) in places
        for at, (word, part) in enumerate(mine)
        if word not in known | said and part in {"NN", "NP", "AJ", "VV", "CR"}
        for near in _beside(mine, at)
    )


def _beside(tokens: Sequence[tuple[str, str]], at: int) -> list[tuple[str, int]]:
    """The words before and after a place, each with its side."""
    return [(tokens[at + side][0], side) for side in (-1, 1) if 0 <= at + side < len(tokens)]
