"""Copies: sentences that say a claim again, or each other, and so are no evidence of their own.

The web repeats what is claimed, true or not, and who wants to steer a check repeats it most. A sentence that has the
claim's words and adds none but words of assurance ("officials confirmed that", "fact check: true") says nothing new.
Nor does one that quotes the claim word for word in a short frame ("a court ruled that").
"""

import re
from collections.abc import Iterable
from difflib import SequenceMatcher
from functools import cache, lru_cache

from system.text.words import content_stems, sentences, stem, words

SAME = 0.8  # share of words from which two sentences say the same, or one says the claim
TELLING = 3  # content words from which a sentence of the claim counts by itself
ADDED = 2  # words beyond the claim's that a copy of it may have

FRAME = 6  # words beyond the claim's that a sentence may have which quotes it
QUOTED = 6  # words of a claim from which a quotation of it is no accident
VERBATIM = 0.9  # share of them that stand in a row

_ASSURING = """
    accurate admit agree analyst announce answer article assure authority breaking broadcast certain check checker
    claim conclude confirm correct deny department doubt evidence expert fact fake false government hoax independent
    indeed institute investigation journalist label ministry minister monday tuesday wednesday thursday friday saturday
    sunday note news official officially people post proof prove question rate rating real really report reporter
    research researcher scientist several share show source spokesman spokesperson spokeswoman statement study support
    supported refute refuted sure true truth untrue verdict verify verified wide widely yes today yesterday
"""


@cache
def _assuring() -> frozenset[str]:
    """Stems of the words that vouch for something, or deny it, and say nothing of it."""
    return frozenset(stem(word) for word in _ASSURING.split())


_COUNT = re.compile(r"\(\d+\)")  # which tells one copy from the next


def repeats_claim(sentence: str, claim: str) -> bool:
    """Whether a sentence says the claim again, or a sentence of it, affirmed or denied, and adds nothing to it.

    >>> repeats_claim("Officials confirmed that the bridge opened in 1931.", "The bridge opened in 1931.")
    True
    >>> repeats_claim("After ten years of work the bridge opened to trains in 1931.", "The bridge opened in 1931.")
    False
    >>> repeats_claim("Experts say that rain flooded Oslo.", "We will rebuild every bridge of ours. Rain flooded Oslo.")
    True
    """
    said, (whole, *parts) = content_stems(_COUNT.sub("", sentence)), _claimed(claim)
    added = said - whole - _assuring()
    if len(added) > FRAME or not any(part and len(said & part) >= SAME * len(part) for part in (whole, *parts)):
        return False
    if any(_quotes(sentence, one) for one in (claim, *sentences(claim))):
        return True
    return len(added) <= ADDED and not (_numbers(whole) and _numbers(added))  # another number may be the true one


def _quotes(sentence: str, claim: str) -> bool:
    """Whether a sentence has the claim's words in a row, as only a copy has those of a claim of some length."""
    said, claimed = ([word.lower() for word in words(text)] for text in (sentence, claim))
    run = SequenceMatcher(None, said, claimed, autojunk=False).find_longest_match().size
    return len(claimed) >= QUOTED and run >= VERBATIM * len(claimed)


def _numbers(stems: frozenset[str]) -> list[str]:
    return [stem for stem in stems if any(letter.isdigit() for letter in stem)]


@lru_cache(maxsize=256)
def _claimed(claim: str) -> list[frozenset[str]]:
    """The words of the claim, then those of each of its sentences that tells something."""
    parts = (content_stems(sentence) for sentence in sentences(claim))
    return [content_stems(claim), *(part for part in parts if len(part) >= TELLING)]


def without_copies(texts: Iterable[str]) -> list[str]:
    """The sentences that say the same as no earlier one, in order.

    >>> without_copies(["It rained in Oslo.", "In Oslo it rained!", "The sun shone in Rome."])
    ['It rained in Oslo.', 'The sun shone in Rome.']
    """
    kept: list[tuple[str, frozenset[str]]] = []
    for sentence in texts:
        said = content_stems(sentence)
        if not any(len(said & other) >= SAME * len(said | other) for _, other in kept):
            kept.append((sentence, said))
    return [sentence for sentence, _ in kept]
