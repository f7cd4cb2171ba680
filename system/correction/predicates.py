"""The verb that a number, date or name of a sentence belongs to, and whom or what that is said of.

From parts of speech alone, so it only tells what is plain: two places are alike where all that is seen of both agrees.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from system.text.comparison import alike
from system.text.grammar import Token, names, tag
from system.text.words import content_stems, stem, words

_ENDS = {"PUN", "PUQ", "CJC", "CJS", "CJT", "PNQ", "DTQ"}  # of a phrase: punctuation, conjunctions, relative pronouns
_WITHIN = {"XX0", "AV0", "TO0"}  # between the parts of a verb
_NOUNS = ("NN", "NP")
_TIMES = frozenset({"year", "month", "week", "day", "quarter", "decade", "century", "morning", "evening", "today"})
_DATED = frozenset({"in", "on", "of", "during", "at"})
_ROUGH = "about around roughly approximately nearly almost some over under above below than least most"
_ABOUT = frozenset(words(_ROUGH))
_NOT = frozenset({"not", "n't", "never", "hardly", "barely"})


@dataclass(frozen=True, slots=True)
class Predication:
    """The place of a part in its sentence.

    Attributes:
        verb: stem of the verb; empty where the part is the verb itself.
        mood: whether it is denied, modal ("may"), and an infinitive ("to open").
        agent: stem of who does it; empty where nobody is named, or the part itself names it.
        theme: the same of what it is done to, or what is said to be so.
        subject: the words before the verb that say of what it is said.
        joint: the word that joins the part to it, such as "in"; words for one thing are the same.
        measure: the adjective after a number and its unit, as in "412 metres long".
    """

    verb: str
    mood: tuple[bool, bool, bool]
    agent: str
    theme: str
    subject: tuple[Token, ...]
    joint: str
    measure: str


def belong_alike(claim: str, said: str, sentence: str, instead: str, known: frozenset[str]) -> bool:
    """Whether a part of a sentence belongs to what a part of the claim belongs to.

    Args:
        known: the content words of the sentence and of the text before it.

    >>> text = "The bridge opened in 1932, and is closed to lorries."
    >>> claims = "The bridge opened in 1990.", "The bridge closed in 1990."
    >>> [belong_alike(claim, "1990", text, "1932", content_stems(text)) for claim in claims]
    [True, False]
    """
    mine = next(_predications(claim, said), None)
    return mine is not None and any(
        _alike(mine, theirs) and _of_the_same(mine, theirs, claim, known) for theirs in _predications(sentence, instead)
    )


def _alike(mine: Predication, theirs: Predication) -> bool:
    verbs = mine.verb == theirs.verb or (mine.verb and theirs.verb and alike(mine.verb, theirs.verb))
    roles = ((mine.agent, theirs.agent), (mine.theme, theirs.theme))
    same = all(one == other or not (one and other) or alike(one, other) for one, other in roles)
    return bool(verbs) and same and (mine.mood, mine.joint, mine.measure) == (theirs.mood, theirs.joint, theirs.measure)


def _of_the_same(mine: Predication, theirs: Predication, claim: str, known: frozenset[str]) -> bool:
    """Whether the subjects are one: the text has all of the claim's, and the sentence's is no part or kind of it."""
    wanted, said_of = content_stems(claim), _stems(theirs.subject)
    if any(content_stems(token.text) - known for token in mine.subject):
        return False
    called = [name for name in names(claim) if content_stems(name) & said_of]
    head = _head(theirs.subject)
    title = {"NN"} if head and any(head.text in name for name in called) else set[str]()  # "the satellite Petrel-2"
    plain = title | ({"AJ", "OR"} if called else set[str]())  # "the old bridge over the Aster"
    telling = [token for token in theirs.subject if token.tag[:2] not in plain]
    return not _stems(telling) - wanted or said_of.isdisjoint(wanted)


def _stems(tokens: Sequence[Token]) -> frozenset[str]:
    return frozenset[str]().union(*(content_stems(token.text) for token in tokens))


def _predications(text: str, part: str) -> Iterator[Predication]:
    """The place of each occurrence of a part, where it can be seen."""
    tokens = tag(text)
    for match in re.finditer(rf"(?<!\w){re.escape(part)}(?!\w)", text):
        inside = [i for i, token in enumerate(tokens) if match.start() <= token.start < match.end()]
        if inside and (verb := _verb_of(tokens, inside)):
            yield _predication(tokens, inside, verb)


def _is_verb(token: Token) -> bool:
    return token.tag[0] == "V"


def _verb_of(tokens: Sequence[Token], inside: Sequence[int]) -> range | None:
    """The verb with its auxiliaries: the part itself, what follows a subject, else the nearest one before, or after."""
    first, last = inside[0], inside[-1]
    if any(_is_verb(tokens[i]) for i in inside):
        return _whole(tokens, next(i for i in inside if _is_verb(tokens[i])))
    if last + 1 < len(tokens) and _is_verb(tokens[last + 1]) and tokens[last].tag[:2] in _NOUNS:
        return _whole(tokens, last + 1)
    if before := [i for i in range(first) if _is_verb(tokens[i])]:
        return _whole(tokens, before[-1])
    for i in range(last + 1, len(tokens)):
        if tokens[i].tag in {"PNQ", "DTQ", "CJT", "CJS"}:
            return None  # "In 1932 the bridge, which had closed …": whose year it is is not plain
        if _is_verb(tokens[i]):
            return _whole(tokens, i)
    return None


def _whole(tokens: Sequence[Token], verb: int) -> range:
    first = last = verb
    while first > 0 and (_is_verb(tokens[first - 1]) or tokens[first - 1].tag in _WITHIN):
        first -= 1
    while last + 1 < len(tokens) and (_is_verb(tokens[last + 1]) or tokens[last + 1].tag in _WITHIN):
        last += 1
    while not _is_verb(tokens[last]):
        last -= 1
    return range(first, last + 1)


def _predication(tokens: Sequence[Token], inside: Sequence[int], verb: range) -> Predication:
    chunk = [tokens[i] for i in verb]
    main = next((token for token in reversed(chunk) if token.tag[:2] == "VV"), chunk[-1])
    passive = main.tag == "VVN" and not any(token.tag[:2] == "VH" for token in chunk)
    subject, following = _subject(tokens, verb.start), _phrase(tokens, verb.stop)
    done_to = _head(following)
    done_to = None if done_to and done_to.lemma.lower() in _TIMES else done_to
    agent, theme = (None, _head(subject)) if passive or not done_to else (_head(subject), done_to)
    own = {tokens[i].start for i in inside}
    after = [token for token in tokens[inside[-1] + 1 : inside[-1] + 4] if token.tag[:2] not in _NOUNS]
    return Predication(
        verb="" if main.start in own else stem(main.lemma if main.lemma.isalpha() else main.text),
        mood=(
            any(token.tag == "XX0" or token.text.lower() in _NOT for token in chunk),
            any(token.tag == "VM0" for token in chunk),
            any(token.tag == "TO0" for token in chunk),
        ),
        agent=_role(agent, own),
        theme=_role(theme, own),
        subject=tuple(token for token in subject if token.start not in own),
        joint=_joint(tokens, inside[0]),
        measure=after[0].text.lower() if after and main.tag[:2] == "VB" and after[0].tag[:2] in {"AJ", "AV"} else "",
    )


def _role(token: Token | None, own: set[int]) -> str:
    return stem(token.text) if token and token.start not in own else ""


def _joint(tokens: Sequence[Token], first: int) -> str:
    """The link of a part to the rest: a preposition, or that it is a rough number; days and months are passed over."""
    at = first - 1
    of_date = {"NP0", "CRD", "ORD"} if tokens[first].tag == "CRD" else {"CRD"} if tokens[first].tag == "NP0" else ()
    while at >= 0 and tokens[at].tag in of_date:
        at -= 1
    while at >= 0 and tokens[at].tag == "AT0":
        at -= 1
    if at < 0 or not (tokens[at].tag[:2] in {"PR", "CJ", "TO"} or tokens[at].text.lower() in _ABOUT):
        return ""
    word = tokens[at].text.lower()
    return "in" if word in _DATED else word


def _subject(tokens: Sequence[Token], verb: int) -> list[Token]:
    """The words before a verb that say of what it is said; without any, those that open the sentence."""
    at = verb
    while at > 0 and tokens[at - 1].tag in {"PNQ", "DTQ", "CJT"} | {"PUN"}:  # "the bridge, which opened"
        at -= 1
    relative = any(token.tag != "PUN" for token in tokens[at:verb])
    start = at if relative else verb
    while start > 0 and tokens[start - 1].tag not in _ENDS and not _is_verb(tokens[start - 1]):
        start -= 1
    own = _without_opening(tokens[start : at if relative else verb])
    if any(token.tag[:2] in {*_NOUNS, "PN", "DT"} for token in own):
        return own
    end = next((i for i, token in enumerate(tokens) if _is_verb(token) or token.tag in _ENDS - {"CJC"}), 0)
    opening = _without_opening(tokens[:end])
    return opening if opening else _without_opening(tokens[end + 1 : verb])


def _without_opening(tokens: Sequence[Token]) -> list[Token]:
    """A phrase without what opens it ("In May 1932 the mayor", "Last year the mayor")."""
    for at, token in enumerate(tokens[:2]):
        if token.lemma.lower() in _TIMES:
            return list(tokens[at + 1 :])
    if not tokens or tokens[0].tag not in {"PRP", "PRF"}:
        return list(tokens)
    at = 1
    while at < len(tokens) and tokens[at].tag[:2] not in {*_NOUNS, "CR"}:
        at += 1
    while at < len(tokens) and tokens[at].tag[:2] in {*_NOUNS, "CR"}:
        at += 1
    return list(tokens[at:])


def _phrase(tokens: Sequence[Token], start: int) -> list[Token]:
    """The words right behind a verb, up to a preposition, a conjunction, a comma or another verb."""
    found: list[Token] = []
    for token in tokens[start:]:
        if token.tag in _ENDS | {"PRP", "PRF", "TO0"} or _is_verb(token):
            break
        found.append(token)
    return found


def _head(tokens: Sequence[Token]) -> Token | None:
    """The noun that a phrase is about: the last before a preposition. None of a pronoun."""
    found = None
    for token in tokens:
        if token.tag[:2] in _NOUNS:
            found = token
        elif found and token.tag[:2] == "PR":
            break
    return found
