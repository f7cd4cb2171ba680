"""Statements that stand alone, by rule: pronouns, "the bridge" and "that year" give way to what they refer to.

For English. A word is replaced only where one candidate precedes it, the nearest that agrees in number and in being a
person or not, and none stands in the sentence itself; what is not sure stays as it is, for a wrong name is worse than
a pronoun.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from system.article.records import Kind, Resolution, Sentence
from system.text.grammar import Token, clause, tag

REACH = 4
"""Sentences back to which a word may refer."""
LONGEST = 8  # words of a phrase that stands for a pronoun
_PERSONAL = {"he": "person", "she": "person", "him": "person", "it": "thing", "they": "many", "them": "many"}
_POSSESSIVE = {"his": "person", "her": "person", "its": "thing", "their": "many"}
_TITLE_WORDS = """
    mr mrs ms dr prof professor sir lord lady president minister chancellor senator mayor king queen pope judge general
    captain director chairman chairwoman secretary governor chief
"""
_THING_WORDS = """
    act agency airport army association authority bank board bridge bureau channel church city college commission
    committee company corp corporation council court dairy department district exchange ferries festival force forum
    foundation fund group hospital hotel house inc institute island journal lake law league library ltd market ministry
    mountain museum nations office organisation organization party plant port project railway region report river road
    school sea society square state states station storm street studies team television theatre times tower town trust
    union university valley village war waterworks works
"""
_TITLES, _THINGS = frozenset(_TITLE_WORDS.split()), frozenset(_THING_WORDS.split())
_TIMES = frozenset({"year", "month", "week", "day", "morning", "evening", "time", "summer", "winter", "spring"})
_PLACES = frozenset({"new", "san", "los", "saint", "united", "north", "south", "east", "west", "great"})
_ORGANISATIONS = frozenset({"company", "firm", "group", "business", "manufacturer", "organisation", "organization"})
_REGIONS = frozenset({"city", "town", "village", "country", "island", "region", "state", "capital"})
_DATE = re.compile(r"^(?:January|February|March|April|May|June|July|August|September|October|November|December)\b|\d")
_IN_PLACE = re.compile(r"\b(?:in|of|at|to|from|near) $")
_YEAR = re.compile(r"\b(1[5-9]\d\d|20\d\d)\b")
_THAT_YEAR = re.compile(
    r"\b(?:in )?(?:(?P<same>(?:that|the same) year)|(?P<next>(?:the (?:following|next) year)|(?:a|one) year later)"
    r"|(?P<before>(?:the (?:previous|preceding) year)|(?:a|one|the) year (?:earlier|before)))\b",
    re.IGNORECASE,
)
_WHEN = re.compile(r"(?:in )?(?:(?:that|the same|the following) year|[12]\d{3})", re.IGNORECASE)  # opens a sentence
_EMPTY_IT = re.compile(
    r"\bit(?:['’]s| is| was| can be| has been| seems?| appears?| became| remains| takes| took| rained| snowed)\b"
    r"(?!.*\bby\b)(?:.{0,60}?\b(?:that|to|who|when|where|whether|because|raining|snowing|late|early|clear)\b"
    r"| the (?:[\w-]+ ){0,2}(?:beginning|day|end|eve|height|hour|middle|month|night|season|start|time|week|year)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Mention:
    """Something that a sentence speaks of.

    Attributes:
        kind: "person", "thing" or "many".
        head: its last noun, in lower case.
        sentence: number of the sentence.
        place: whether it follows a word such as "in".
    """

    text: str
    kind: str
    head: str
    sentence: int
    subject: bool
    named: bool
    place: bool = False

    def is_a(self, noun: str) -> bool:
        """Whether its name says that it is such a thing: the Aster bridge, Storm Idris."""
        return self.head == noun or (noun in _THINGS and noun in self.text.lower().split())


@dataclass
class Memory:
    """Things mentioned so far, the latest last."""

    mentions: list[Mention] = field(default_factory=list)
    year: int | None = None

    def latest(self, number: int, kind: str) -> Mention | None:
        """The nearest subject of a kind; a name beats what only describes it."""
        near = [one for one in self.mentions if one.kind == kind and one.subject and number - one.sentence <= REACH]
        return next((one for one in reversed(near) if one.named), None) or (near[-1] if near else None)

    def called(self, number: int, noun: str) -> Mention | None:
        """Resolve "the <noun>": the only thing of that noun so far, or the one of that class."""
        full = {one.text: one for one in self.mentions if one.named and one.is_a(noun)}
        if full:
            return next(iter(full.values())) if len(full) == 1 else None
        near = [one for one in self.mentions if one.kind == "thing" and one.named and number - one.sentence <= REACH]
        if noun in _ORGANISATIONS:
            near = [one for one in near if one.subject and not one.place]
        elif noun in _REGIONS:
            near = [one for one in near if one.place]
        else:
            return None
        return near[-1] if len({one.text for one in near}) == 1 else None


def stand_alone(sentences: Iterable[Sentence], language: str = "en") -> Iterator[Sentence]:
    """The sentences, the claims with what they say by themselves.

    Args:
        language: of the text; in others than English a claim stays as it is.
    """
    memory = Memory()
    for sentence in sentences:
        plain = " ".join(sentence.text.split())
        if language != "en":
            yield sentence.model_copy(update={"claim": plain}) if sentence.kind is Kind.CLAIM else sentence
            continue
        spans = list(_references(plain, sentence.number, memory))
        claim = _replaced(plain, spans)
        _remember(claim, sentence.number, memory)
        if sentence.kind is Kind.CLAIM:
            resolved = tuple(Resolution(said=plain[start:end], meant=meant) for start, end, meant in spans)
            sentence = sentence.model_copy(update={"claim": claim, "resolved": resolved})
        yield sentence


def _references(text: str, number: int, memory: Memory) -> Iterator[tuple[int, int, str]]:
    """Replacements in a sentence: place and text, from left to right."""
    tokens = tag(text)
    spans = [
        *_years(text, memory),
        *_pronouns(text, tokens, number, memory),
        *_descriptions(tokens, number, memory),
        *_families(tokens, memory),
    ]
    end = 0
    for start, stop, meant in sorted(spans):
        if start >= end:
            yield start, stop, meant
            end = stop


def _years(text: str, memory: Memory) -> Iterator[tuple[int, int, str]]:
    for match in _THAT_YEAR.finditer(text):
        if memory.year is None or _YEAR.search(text):
            return
        year = memory.year + (1 if match["next"] else -1 if match["before"] else 0)
        lead = "In" if match[0][0].isupper() else "in"
        yield match.start(), match.end(), f"{lead} {year}"


def _pronouns(text: str, tokens: Sequence[Token], number: int, memory: Memory) -> Iterator[tuple[int, int, str]]:
    """Pronouns before which the sentence itself names nothing that they could mean; the second of a kind can stay."""
    if _EMPTY_IT.search(text):
        return
    done: set[str] = set()
    for place, token in enumerate(tokens):
        word = token.text.lower()
        kind = _PERSONAL.get(word) or _POSSESSIVE.get(word)
        before = tokens[place - 1] if place else None
        opens = before is None or before.text == "," or bool(_WHEN.fullmatch(text[: token.start].strip()))
        is_object = before is not None and (before.tag[:2] in {"VV", "PR"} and word in {"it", "him", "her", "them"})
        if not kind or kind in done or not (opens or is_object or kind == "person"):
            continue
        if kind == "person" and any(start < token.start for start, _, _ in _families(tokens[:place], memory)):
            return
        if any(one.kind == kind for one in _mentions(text[: token.start], tokens[:place], number)):
            return  # it may mean what stands in the sentence
        following = tokens[place + 1].tag[:2] if place + 1 < len(tokens) else ""
        genitive = word in _POSSESSIVE and not (word == "her" and following not in {"NN", "NP", "AJ"})
        if mention := memory.latest(number, kind):
            done.add(kind)
            name = mention.text if token.start else mention.text[0].upper() + mention.text[1:]
            yield token.start, token.end, name + _genitive(name) * genitive


def _descriptions(tokens: Sequence[Token], number: int, memory: Memory) -> Iterator[tuple[int, int, str]]:
    """ "The bridge" where one bridge has a name."""
    for place, token in enumerate(tokens[:-1]):
        noun, after = tokens[place + 1], tokens[place + 2].tag[:2] if place + 2 < len(tokens) else ""
        if token.text.lower() not in {"the", "this"} or noun.tag[:2] != "NN" or not noun.text.islower():
            continue
        named_here = any(one.text[0].isupper() and one.text.lower() == noun.text for one in tokens)
        if after in {"NN", "NP", "PR"} or named_here:  # "the bridge tax", "the mayor of Corvane"
            continue
        if mention := memory.called(number, noun.text):
            yield token.start, noun.end, _fitted(mention.text, token)


def _families(tokens: Sequence[Token], memory: Memory) -> Iterator[tuple[int, int, str]]:
    """The family name of somebody who was introduced in full."""
    for place, token in enumerate(tokens):
        if not token.text[0].isupper() or (place and tokens[place - 1].text[0].isupper()):
            continue
        if place + 1 < len(tokens) and tokens[place + 1].text[0].isupper():
            continue
        full = {one.text for one in memory.mentions if one.kind == "person" and one.text.split()[-1] == token.text}
        if len(full) == 1 and " " in (name := full.pop()):
            yield token.start, token.end, name


def _remember(text: str, number: int, memory: Memory) -> None:
    if years := _YEAR.findall(text):
        memory.year = int(years[-1])
    memory.mentions += _mentions(text, tag(text), number)
    del memory.mentions[:-200]


def _mentions(text: str, tokens: Sequence[Token], number: int) -> list[Mention]:
    """The names of a sentence, and its subject."""
    main = clause(text) if text else None
    subject = main.subject if main else ""
    found: list[Mention] = []
    for run in _named(tokens):
        first, last = run[0], run[-1]
        phrase = text[first.start : last.end]
        with_article = text[: first.start].lower().endswith("the ")
        inside = bool(subject) and phrase in subject and not _IN_PLACE.search(text[: first.start])
        if _DATE.search(phrase):
            continue
        kind = "many" if last.tag == "NN2" and last.text.islower() else _kind_of(phrase, text[: first.start])
        found.append(
            Mention(
                text=f"the {phrase}" if with_article else phrase,
                kind=kind,
                head=last.text.lower(),
                sentence=number,
                subject=inside,
                named=True,
                place=bool(_IN_PLACE.search(text[: first.start].removesuffix("the "))),
            )
        )
    if main and not any(one.subject for one in found) and (described := _described(subject)):
        found.append(Mention(*described, sentence=number, subject=True, named=False))
    return found


def _named(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """Runs of capital words, with the noun that follows ("the Aster bridge") and "of" within ("Bank of Ostrane")."""
    run: list[Token] = []
    for place, token in enumerate(tokens):
        capital = token.text[0].isupper() and token.tag[:2] not in {
            "PN",
            "AT",
            "DT",
            "DP",
            "PR",
            "CJ",
            "AV",
            "EX",
            "VM",
        }
        following = tokens[place + 1] if place + 1 < len(tokens) else None
        joins = bool(run) and token.text == "of" and following is not None and following.text[0].isupper()
        ends = following is None or not following.text[0].isupper()
        noun = bool(run) and ends and token.tag[:2] == "NN" and token.text.islower()
        if (capital and (run or place or token.tag[:2] in {"NP", "NN", "AJ", "UN"})) or joins or noun:
            run.append(token)
        elif run:
            yield run
            run = []
    if run:
        yield run


def _kind_of(name: str, before: str) -> str:
    """Whether a name is that of a person: after a title, or two or three words of which none means a thing."""
    parts = name.split()
    titled = (before.split()[-1:] or [""])[0].lower().rstrip(".") in _TITLES or parts[0].lower().rstrip(".") in _TITLES
    if any(part.lower() in _THINGS or part.islower() for part in parts) or before.lower().endswith("the "):
        return "thing"
    lively = 2 <= len(parts) <= 3 and parts[0].lower() not in _PLACES and not any(part.isupper() for part in parts)
    return "person" if titled or lively else "thing"


def _described(subject: str) -> tuple[str, str, str] | None:
    """A subject that is no name: its words, what it is, and its last noun; None where it is a pronoun or too long."""
    tokens = tag(subject)
    first = next((place for place, token in enumerate(tokens) if token.tag[:2] == "PR"), len(tokens))
    heads = [token for token in tokens[:first] if token.tag[:2] == "NN"]
    plain = all(token.tag[:2] in {"AT", "AJ", "CR", "NN", "NP", "PR", "PO", "DT"} for token in tokens)
    if not heads or not plain or len(tokens) > LONGEST or heads[-1].text.lower() in _TIMES:
        return None
    return subject, "many" if heads[-1].tag == "NN2" else "thing", heads[-1].text.lower()


def _fitted(name: str, token: Token) -> str:
    """A phrase with a capital where it opens the sentence."""
    return name[0].upper() + name[1:] if token.start == 0 else name


def _genitive(name: str) -> str:
    return "’" if name.endswith("s") else "’s"


def _replaced(text: str, spans: Sequence[tuple[int, int, str]]) -> str:
    for start, end, meant in reversed(spans):
        text = text[:start] + meant + text[end:]
    return text
