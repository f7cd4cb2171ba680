"""Copies: sentences that say a claim again, or each other, and so are no evidence of their own.

The web repeats what is claimed, true or not, and who wants to steer a check repeats it most. A sentence that has the
claim's words and adds none but words of assurance ("officials confirmed that", "fact check: true") says nothing new.
Nor does one that quotes a claim of some length word for word, whatever vouches for it ("a court ruled that"), nor a few
that share it, nor the answer to a question that asks it ("It did, and three commissions say so"). Misspelt is the same.
"""

import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from functools import cache, lru_cache
from itertools import chain, product

from knowledge_store.normalization import skeleton
from system.text.words import content_stems, coverage, sentences, stem, words

SAME = 0.8  # share of words from which two sentences say the same, or one says the claim
TELLING = 3  # content words from which a sentence of the claim counts by itself
ADDED = 2  # words beyond the claim's that a copy of it may have

QUOTED = 5  # words of a claim from which a quotation of it is no accident
VERBATIM = 0.9  # share of them that a quotation has
RUN = 3  # of its words in a row from which they belong to it
PARTS = 4  # sentences in a row that may share a claim

ECHOED = 0.25  # share of the claim's words up to which a sentence only points back to another

LETTERS = 5  # of a word from which another can be told to be that word, misspelt
MISSPELT = 0.8  # similarity of the two; one letter in five differs, or two have changed places

_ASSURING = """
    accurate admit agree analyst announce answer article assure authority breaking broadcast certain check checker
    claim conclude confirm correct deny department doubt evidence expert fact fake false government hoax independent
    indeed institute investigation journalist label ministry minister monday tuesday wednesday thursday friday saturday
    sunday note news official officially people post proof prove question rate rating real really report reporter
    research researcher scientist several share show source spokesman spokesperson spokeswoman statement study support
    supported refute refuted sure true truth untrue verdict verify verified wide widely yes today yesterday
"""
# What only points back to the sentence before: "Yes, …", "It did, and …", "That has been confirmed by …".
_ECHO = re.compile(
    r"(?:(?:a|answer)\s*[:.]\s*)?(?:(?:and|but|so|well|for)\b[\s,]*)?"
    r"(?:yes|no|indeed|true|false|correct|right|absolutely|certainly|exactly"
    r"|it|this|that|these|those|he|she|they|which|all of (?:it|this|that)|the (?:claim|statement|answer))\b",
    re.IGNORECASE,
)


@cache
def _assuring() -> frozenset[str]:
    """Stems of the words that vouch for something, or deny it, and say nothing of it."""
    return frozenset(stem(word) for word in _ASSURING.split())


_JOINED = re.compile(r"(?<=[a-z])(?=[A-Z])")
_COUNT = re.compile(r"\(\d+\)|\[\d+\]")  # which tells one copy from the next; marks of footnotes


def repeats_claim(sentence: str, claim: str) -> bool:
    """Whether a sentence says the claim again, or a sentence of it, affirmed or denied, and adds nothing to it.

    >>> repeats_claim("Officials confirmed that the bridge opened in 1931.", "The bridge opened in 1931.")
    True
    >>> repeats_claim("After ten years of work the bridge opened to trains in 1931.", "The bridge opened in 1931.")
    False
    >>> repeats_claim("Experts say that rain flooded Oslo.", "We will rebuild every bridge of ours. Rain flooded Oslo.")
    True
    """
    claimed, parts = _claimed(claim)
    return _repeats(_words(sentence, claimed), parts)


def copies_in(texts: Sequence[str], *claims: str) -> frozenset[str]:
    """The sentences of a text that say one of some claims again.

    By themselves, as one of a few in a row that share it, or as what points back to one that does.

    >>> sorted(copies_in(["Did it rain in Oslo?", "It did, says the ministry.", "Rome was dry."], "It rained in Oslo."))
    ['Did it rain in Oslo?', 'It did, says the ministry.']
    """
    found = set[str]()
    for claim in claims:
        claimed, parts = _claimed(claim)
        said = [_words(text, claimed) for text in texts]
        for start, size in product(range(len(texts)), range(2, PARTS + 1)):
            if start + size <= len(texts) and _share(said[start : start + size], parts):
                found.update(texts[start : start + size])
        stems, copied = _stems(claimed), False
        for text, its_words in zip(texts, said, strict=True):
            echoes = copied and bool(_ECHO.match(text)) and coverage(stems, _stems(its_words)) <= ECHOED
            copied = echoes or text in found or _repeats(its_words, parts)
            if copied:
                found.add(text)
    return frozenset(found)


def without_claim(texts: Sequence[str], *claims: str) -> list[str]:
    """The sentences of a text that are no copies of claims, in order; see ``copies_in``."""
    copied = copies_in(texts, *claims)
    return [text for text in texts if text not in copied]


def _repeats(said: tuple[str, ...], parts: Sequence[tuple[str, ...]]) -> bool:
    return any(_quotes(said, part) for part in parts) or _adds_nothing(said, parts)


def _adds_nothing(said: tuple[str, ...], parts: Sequence[tuple[str, ...]]) -> bool:
    stems, whole = _stems(said), _stems(parts[0])
    wanted = [whole, *(part for part in map(_stems, parts[1:]) if len(part) >= TELLING)]
    added = stems - whole - _assuring()
    if len(added) > ADDED or not any(part and len(stems & part) >= SAME * len(part) for part in wanted):
        return False
    return not (_numbers(whole) and _numbers(added))  # another number may be the true one


def _quotes(said: tuple[str, ...], claimed: tuple[str, ...]) -> bool:
    """Whether a sentence has the claim's words in a row, as only a copy has those of a claim of some length."""
    return len(claimed) >= QUOTED and sum(_runs(said, claimed)) >= VERBATIM * len(claimed)


def _share(said: Sequence[tuple[str, ...]], parts: Sequence[tuple[str, ...]]) -> bool:
    """Whether sentences in a row say the claim together: each has a part of it, or none has other words."""
    together = tuple(chain(*said))
    for part in parts:
        whole = VERBATIM * len(part)
        if all(0 < sum(_runs(one, part)) < whole for one in said) and _quotes(together, part):
            return True
    stems = [_stems(one) for one in said]
    known = _stems(parts[0]) | _assuring()
    return all(one and one <= known for one in stems) and _adds_nothing(together, parts)


def _runs(said: tuple[str, ...], claimed: tuple[str, ...]) -> list[int]:
    """Lengths of the runs of the claim's words that a sentence has in the claim's order."""
    if len(set(claimed) & set(said)) < RUN:
        return []
    matching = SequenceMatcher(None, said, claimed, autojunk=False).get_matching_blocks()
    return [block.size for block in matching if block.size >= RUN]


def _words(sentence: str, claimed: Sequence[str]) -> tuple[str, ...]:
    """The words of a sentence in small letters; in place of those that misspell a word of the claim, that word."""
    known = set(claimed)
    said = _read(_COUNT.sub("", sentence))
    return tuple(word if word in known else _respelled(word, claimed) for word in said)


def _read(text: str) -> tuple[str, ...]:
    """The words of a text as a reader sees them, in small letters; "RainFloodedOslo" is three."""
    return tuple(word.lower() for word in words(_JOINED.sub(" ", skeleton(text))))


def _respelled(word: str, claimed: Sequence[str]) -> str:
    """The word of the claim that a word misspells: it begins and ends alike in length, and hardly a letter differs."""
    if len(word) < LETTERS or any(letter.isdigit() for letter in word):
        return word
    alike = (
        other for other in claimed
        if other[0] == word[0] and abs(len(other) - len(word)) <= 1 and len(other) >= LETTERS
    )  # fmt: skip
    return next((other for other in alike if SequenceMatcher(None, word, other).ratio() >= MISSPELT), word)


def _stems(said: Iterable[str]) -> frozenset[str]:
    return content_stems(" ".join(said))


def _numbers(stems: frozenset[str]) -> list[str]:
    return [stem for stem in stems if any(letter.isdigit() for letter in stem)]


@lru_cache(maxsize=256)
def _claimed(claim: str) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The words of a claim, each once; and in order those of the whole, then those of each of its sentences."""
    parts = [_read(one) for one in (claim, *sentences(claim))]
    return tuple(dict.fromkeys(parts[0])), parts


def without_copies(texts: Iterable[str]) -> list[str]:
    """The sentences that say the same as no earlier one, in order.

    >>> without_copies(["It rained in Oslo.", "In Oslo it rained!", "The sun shone in Rome."])
    ['It rained in Oslo.', 'The sun shone in Rome.']
    """
    kept: list[tuple[str, frozenset[str]]] = []
    for sentence in texts:
        said = content_stems(skeleton(sentence))
        if not any(len(said & other) >= SAME * len(said | other) for _, other in kept):
            kept.append((sentence, said))
    return [sentence for sentence, _ in kept]
