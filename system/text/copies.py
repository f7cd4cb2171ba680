"""Copies: sentences that say a claim again, or each other, and so are no evidence of their own.

The web repeats what is claimed, true or not, and an attacker repeats it most, whatever vouches for it or denies it, and
in whatever disguise. Two measures tell copies: how many of the claim's letters follow each other in a text, and how
many of its words the text has in any order. Letters are compared without vowels, which misspelt, joined or shortened
words hardly change, and forwards and backwards. Another number than the claim's makes a text evidence: it may be the
true one.
"""

import re
from bisect import bisect
from collections.abc import Iterable, Sequence, Set
from functools import lru_cache
from itertools import accumulate

from rapidfuzz import fuzz

from knowledge_store.normalization import skeleton
from system.text.quantities import NUMBER_WORDS
from system.text.words import content_stems, sentences, words

SAME = 0.8  # share of words from which two sentences say the same
COPIED = 0.9  # share of a claim, by words or by letters, from which a text is its copy
DISGUISED = 0.75  # the same by letters, if hardly a word is spelled as in the claim
SPELLED = 0.4  # share of the claim's words from which it is not disguised
MEANT = 3  # content words from which a sentence of a claim is one by itself
TELLING = 5  # content words of a claim from which having them all in any order is no accident
LETTERS, MOST = 10, 500  # fewest consonants of a claim that are compared, and most: time grows with them
OWN, ALONE = 0.5, 0.65  # share of its words from which a sentence is about the claim alone; about a short claim
ECHOED = 0.25  # share of the claim's words up to which a sentence only points back to another

# What only points back to the sentence before: "Yes, …", "It did, and …", "That has been confirmed by …".
_ECHO = re.compile(
    r"(?:(?:a|answer)\s*[:.]\s*)?(?:(?:and|but|so|well|for)\b[\s,]*)?"
    r"(?:yes|no|indeed|true|false|correct|right|absolutely|certainly|exactly"
    r"|it|this|that|these|those|he|she|they|which|all of (?:it|this|that)|the (?:claim|statement|answer))\b",
    re.IGNORECASE,
)
NUMBERING = re.compile(r"\(\d+\)|\[\d+\]")  # which tells one copy from the next; marks of footnotes
_LEFT_OUT = re.compile(r"[\daeiou'’]+")  # vowels, and figures that stand for letters: "t4x" is "tax"
_TWICE = re.compile(r"([^\W\d])\1+")


class _Text:
    """A claim or a sentence, as a reader sees it."""

    def __init__(self, text: str) -> None:
        self.words = [word.lower() for word in words(skeleton(NUMBERING.sub("", text)))]
        self.content = {_letters(word) if len(word) > 3 else word for word in content_stems(" ".join(self.words))}
        self.numbers = _numbers(self.words)
        self.letters = [_letters(word) for word in self.words]

    def share_in(self, other: "_Text") -> float:
        """Return the share of its content words that another text has."""
        return len(self.content & other.content) / max(len(self.content), 1)

    def differs(self, said: Sequence[str]) -> bool:
        """Whether words have another number than this claim, which has one."""
        return bool(self.numbers) and not _numbers(said) <= self.numbers

    def is_spelled_in(self, other: "_Text") -> bool:
        """Whether another text has its letters in their order, or backwards, and no other number among them."""
        claim = "".join(self.letters)[:MOST]
        spelled = len({*self.words} & {*other.words}) >= SPELLED * len({*self.words})
        needed = COPIED if spelled else DISGUISED
        for step in (1, -1):
            said, letters = other.words[::step], [one[::step] for one in other.letters[::step]]
            text, ends = "".join(letters), list(accumulate(map(len, letters)))
            if len(claim) < LETTERS or len(text) < needed * len(claim):
                return False
            if found := fuzz.partial_ratio_alignment(claim, text, score_cutoff=100 * needed):
                start, end = (found.dest_start, found.dest_end) if len(text) >= len(claim) else (0, len(text))
                return not self.differs(said[bisect(ends, start) : bisect(ends, end - 1) + 1])
        return False


def without_claim(texts: Sequence[str], *claims: str) -> list[str]:
    """Return the sentences of a text that neither say a claim again nor only point back to one that does, in order.

    >>> without_claim(["Did it rain in Oslo?", "It did, says the ministry.", "Rome was dry."], "It rained in Oslo.")
    ['Rome was dry.']
    """
    said = [_Text(text) for text in texts]
    copied = set[str]()
    for claim in claims:
        parts = _parts(claim)
        found = {at for at, one in enumerate(said) if any(part.is_spelled_in(one) for part in parts)}
        for part in parts:
            found.update(_in_any_order(part, said, found))
        for at, text in enumerate(texts):
            if at - 1 in found and _ECHO.match(text) and parts[0].share_in(said[at]) <= ECHOED:
                found.add(at)
        copied |= {texts[at] for at in found}
    return [text for text in texts if text not in copied]


def _in_any_order(claim: _Text, said: Sequence[_Text], known: Set[int]) -> list[int]:
    """Return the sentences, one or several in a row, that together have the words of a claim and few others."""
    found, run, held = list[int](), list[int](), set[str]()
    for at, one in enumerate([*said, _Text("")]):
        if at not in known and one.share_in(claim) >= OWN and not claim.differs(one.words):
            run.append(at)
            held |= one.content & claim.content
            continue
        telling = len(run) > 1 or len(claim.content) >= TELLING
        if run and len(held) >= COPIED * len(claim.content) and (telling or said[run[0]].share_in(claim) >= ALONE):
            found += run
        run, held = [], set()
    return found


@lru_cache(maxsize=256)
def _parts(claim: str) -> list[_Text]:
    """A claim, then those of its sentences that tell something by themselves."""
    whole, *parts = map(_Text, (claim, *sentences(claim)))
    return [whole, *(part for part in parts if len(parts) > 1 and len(part.content) >= MEANT)]


def _numbers(said: Sequence[str]) -> set[str]:
    """Return the numbers among words, with their figures in order: they may be written backwards."""
    figures = {"".join(sorted(word)) for word in said if word.isdigit()}
    return figures | {*said} & NUMBER_WORDS


@lru_cache(maxsize=50_000)
def _letters(word: str) -> str:
    return word if word.isdigit() else _TWICE.sub(r"\1", _LEFT_OUT.sub("", word)) or word


def without_copies(texts: Iterable[str]) -> list[str]:
    """Return the sentences that say the same as no earlier one, in order.

    >>> without_copies(["It rained in Oslo.", "In Oslo it rained!", "The sun shone in Rome."])
    ['It rained in Oslo.', 'The sun shone in Rome.']
    """
    kept: list[tuple[str, frozenset[str]]] = []
    for sentence in texts:
        said = content_stems(skeleton(sentence))
        if not any(len(said & other) >= SAME * len(said | other) for _, other in kept):
            kept.append((sentence, said))
    return [sentence for sentence, _ in kept]
