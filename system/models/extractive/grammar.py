"""As much English grammar as it takes to turn a claim into questions.

Parts of speech and lemmas come from the Hanover Tagger, in the C5 tags of the British National Corpus: NP0 name, NN*
noun, VV* lexical verb, VB* be, VH* have, VD* do, VM0 modal; the last letter of a verb's tag is its form. The finite
verb divides a clause into subject and predicate, which is all that inversion needs.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING

from system.text.words import STOP_WORDS

if TYPE_CHECKING:
    from HanTa.HanoverTagger import HanoverTagger

_TOKEN = re.compile(
    r"(?:[A-Z]\.){2,}|['’]s\b|n['’]t\b|[^\W_]+(?=n['’]t\b)"
    r"|[^\W_]+(?:[.,]\d+)*(?:[-&/][^\W_]+|['’](?!s\b)[^\W_]+)*%?|[^\w\s]|_"
)
FINITE = frozenset({"VM0", "VBB", "VBD", "VBZ", "VHB", "VHD", "VHZ", "VDB", "VDD", "VDZ", "VVB", "VVD", "VVZ"})
_OPENING = frozenset({"PRP", "PRF", "CJS", "AV0", "AVQ"})
_RELATIVE = frozenset({"PNQ", "DTQ", "CJT", "AVQ", "CJS"})
_TAGGING = Lock()  # a tagger serves one thread at a time
_CONTRACTED = {"ca": "can", "wo": "will", "sha": "shall"}
_CURRENCIES = frozenset("$£€¥₹₦₽₩")
_ROUGH = "about almost approximately around at just least most nearly only over roughly some"
_ROUGHLY = frozenset(_ROUGH.split())
_DO = {"VVB": "do", "VVI": "do", "VHB": "do", "VDB": "do", "VVZ": "does", "VHZ": "does", "VDZ": "does"}


LONGEST = 20  # characters of a word that the tagger sees: its time grows with their square, and more are no word


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a sentence with its part of speech (C5) and lemma; the span is in characters."""

    text: str
    tag: str
    lemma: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Clause:
    """A main clause, cut at its finite verb so that auxiliary, subject and rest make its question.

    Attributes:
        opening: what stands before the subject ("In 2017"), or empty.
        subject: as written, but for the capital of a sentence's first word.
        auxiliary: the verb that goes to the front: "did", "is", "has", "will" …
        rest: the predicate after inversion; a lexical verb is in its base form.
        predicate: as written, finite verb and all.
        verb: lemma of the finite verb.
    """

    opening: str
    subject: str
    auxiliary: str
    rest: str
    predicate: str
    verb: str

    @property
    def inverted(self) -> str:
        """Auxiliary, subject, rest and opening: a question without its mark."""
        parts = (self.auxiliary, self.subject, self.rest, self.opening)
        return " ".join(part for part in parts if part)


@lru_cache(maxsize=1)
def _tagger() -> "HanoverTagger":
    from HanTa.HanoverTagger import (
        HanoverTagger,  # only here: it takes half a second, which no help of a command should
    )

    return HanoverTagger("morphmodel_en.pgz")


@lru_cache(maxsize=4_096)
def tag(sentence: str) -> tuple[Token, ...]:
    """The tokens of a sentence; a possessive ending is a token of its own."""
    matches = list(_TOKEN.finditer(sentence))
    with _TAGGING:
        tagged = _tagger().tag_sent([match[0].replace("’", "'")[:LONGEST] for match in matches]) if matches else []
    tokens = [
        Token(match[0], part, lemma, *match.span()) for match, (_, lemma, part) in zip(matches, tagged, strict=True)
    ]
    return tuple(replace(token, tag="VVD") if _costs(tokens, i) else token for i, token in enumerate(tokens))


def _costs(tokens: Sequence[Token], i: int) -> bool:
    """Whether a "cost" that was taken for a noun is a verb: after a noun or pronoun and before what is paid, or who."""
    if tokens[i].text != "cost" or tokens[i].tag[0] == "V" or not 0 < i < len(tokens) - 1:
        return False
    paid = next((token for token in tokens[i + 1 :] if token.text.lower() not in _ROUGHLY), tokens[i])
    verbless = not any(token.tag[0] == "V" for token in tokens)
    after = paid.tag == "CRD" or paid.text in _CURRENCIES or (verbless and paid.tag[:2] in {"AT", "DT", "DP", "NP"})
    return after and tokens[i - 1].tag[:2] in {"NN", "NP", "PN", "DT", "CJ"}


@lru_cache(maxsize=4_096)
def clause(sentence: str) -> Clause | None:
    """The main clause of a sentence, or None where no subject with a finite verb is found.

    >>> clause("UNESCO declared the Nadar community the most ancient race.").inverted
    'did UNESCO declare the Nadar community the most ancient race'
    >>> clause("In 2017, the price has gone up").inverted
    'has the price gone up in 2017'
    """
    sentence = sentence.strip().rstrip(" .!?…")
    tokens = tag(sentence)
    starts = dict.fromkeys((_subject_start(tokens), 0))
    found = ((first, verb) for first in starts if (verb := _finite_verb(tokens, first)) is not None)
    first, verb = next(found, (0, 0))
    if not verb:
        return None
    auxiliary, rest = _invert(sentence, tokens, verb)
    return Clause(
        opening=_lower_first(sentence[: tokens[first].start].strip(" ,"), tokens[: first or 1]),
        subject=_lower_first(sentence[tokens[first].start : tokens[verb].start].strip(" ,"), tokens[first:verb]),
        auxiliary=auxiliary,
        rest=rest,
        predicate=sentence[tokens[verb].start :],
        verb=tokens[verb].lemma.lower(),
    )


def _subject_start(tokens: tuple[Token, ...]) -> int:
    """Where the subject begins: after the phrases and subordinate clauses that open the sentence, if there are any."""
    start = 0
    while start < len(tokens) and tokens[start].tag in _OPENING:
        after = next((i + 1 for i in range(start, len(tokens)) if _ends_opening(tokens, start, i)), len(tokens))
        if after + 1 >= len(tokens):
            return start
        start = after
    return start


def _ends_opening(tokens: tuple[Token, ...], start: int, i: int) -> bool:
    """Whether an opening ends with token i: at a comma, or where a noun is followed by the start of another phrase."""
    if tokens[i].text == ",":
        return True
    if tokens[start].tag not in {"PRP", "PRF"} or i + 1 >= len(tokens):
        return False
    following = {"AT0", "DT0", "DPS", "PNP", "EX0"} | ({"NP0"} if len(tokens[i].text) == 4 else set())
    return tokens[i].tag[:2] in {"NN", "CR"} and tokens[i + 1].tag in following


def _finite_verb(tokens: tuple[Token, ...], first: int) -> int | None:
    """The first finite verb after the subject's first word that no relative clause claims for itself."""
    owed = False
    for i in range(first + 1, len(tokens)):
        if tokens[i].tag in _RELATIVE and tokens[i].lemma != "than":
            owed = True
        elif _is_finite(tokens, i):
            if not owed:
                return i
            owed = False
    return _misread_participle(tokens, first)


def _is_finite(tokens: tuple[Token, ...], i: int) -> bool:
    """Whether a token is a finite verb, mending two common errors of the tagger.

    An infinitive must follow "to" or an auxiliary; "who take" has none, so "take" is finite. And what looks like a past
    tense is a participle before "by", and before a preposition where another verb follows: "tests done in May are …".
    """
    if tokens[i].tag == "VVI":
        return tokens[i - 1].tag[:2] not in {"TO", "VM", "VD", "XX", "AV"}
    if tokens[i].tag != "VVD" or i + 1 >= len(tokens) or tokens[i + 1].tag != "PRP":
        return tokens[i].tag in FINITE
    return tokens[i + 1].text != "by" and not _verb_follows(tokens[i + 1 :])


def _verb_follows(tokens: tuple[Token, ...]) -> bool:
    """Whether an auxiliary comes before anything that would begin a clause of its own."""
    for token in tokens:
        if token.tag[:2] in {"CJ", "PN", "DT", "AV", "PU"}:
            return False
        if token.tag in {"VBZ", "VBB", "VBD", "VHZ", "VHB", "VHD", "VM0"}:
            return True
    return False


def _misread_participle(tokens: tuple[Token, ...], first: int) -> int | None:
    """A past tense that the tagger took for a participle: one that follows a noun, with no finite verb about."""
    for i in range(first + 1, len(tokens)):
        if tokens[i].tag == "VVN" and tokens[i - 1].tag[:2] in {"NN", "NP", "PN"}:
            return i
    return None


def _invert(sentence: str, tokens: tuple[Token, ...], verb: int) -> tuple[str, str]:
    token, after = tokens[verb], sentence[tokens[verb].end :].strip()
    following = tokens[verb + 1].tag if verb + 1 < len(tokens) else ""
    if token.tag[:2] in {"VM", "VB"} or (
        token.tag[:2] in {"VH", "VD"} and (following in {"XX0", "VVN", "VBN", "VHN", "VDN"} or following[:2] == "AV")
    ):
        auxiliary = token.text.lower()
        return _CONTRACTED.get(auxiliary, auxiliary), re.sub(r"^n['’]t\b", "not", after)
    return _DO.get(token.tag, "did"), f"{token.lemma.lower()} {after}".strip()


def _lower_first(text: str, tokens: tuple[Token, ...]) -> str:
    """Lower-case a sentence's first word unless it is a name, part of one, an acronym or "I"."""
    first = tokens[0]
    if first.tag in _OPENING or not text:
        return text[:1].lower() + text[1:]
    part_of_name = len(tokens) > 1 and tokens[1].text[0].isupper() and first.text.lower() not in STOP_WORDS
    if part_of_name or first.tag == "NP0" or first.lemma[0].isupper() or not first.text[1:].islower():
        return text if first.text != "A" else "a" + text[1:]
    return text[0].lower() + text[1:]


def noun_phrases(sentence: str) -> list[str]:
    """The noun phrases in a sentence, in order, without their articles.

    >>> noun_phrases("The Nigerian bank has banned textile imports.")
    ['Nigerian bank', 'textile imports']
    """
    tokens = tag(sentence)
    found: list[list[Token]] = [[]]
    for token in tokens:
        if (token.tag[:2] in {"NN", "NP", "AJ"} and token.text[0].isalpha()) or token.text in {"'s", "’s"}:
            found[-1].append(token)
        elif found[-1]:
            found.append([])
    trimmed = (_trim(run) for run in found)
    return list(dict.fromkeys(sentence[run[0].start : run[-1].end] for run in trimmed if run))


def _trim(run: list[Token]) -> list[Token]:
    """A run of adjectives and nouns from its first word that is no possessive ending to its last noun."""
    while run and run[-1].tag[:2] not in {"NN", "NP"}:
        run = run[:-1]
    while run and run[0].text in {"'s", "’s"}:
        run = run[1:]
    return run
