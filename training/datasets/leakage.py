"""Held-out claims, which no training sample may repeat."""

from collections import Counter, defaultdict
from collections.abc import Iterable

from knowledge_store.pages.page import normalized
from knowledge_store.tokenization import tokenize

COPIED = 0.8  # share of a claim's shingles from which a text repeats it
NEAR = 0.6  # share of shingles; pairs of AVeriTeC's train and dev below it share a phrase, not a claim


class HeldOut:
    """Claims that training must not see.

    A text repeats a claim if it has nearly all of the claim's shingles, runs of three words (w-shingling; Broder,
    1997). Between claims, which are short, most of the shingles of either are enough. A claim too short for shingles
    is repeated only by an equal text.

    >>> held_out = HeldOut(["The Aster bridge was opened to all traffic in 1932."])
    >>> held_out.in_text("They say: the Aster bridge was opened to all traffic in 1932!")
    True
    >>> held_out.near_copy("The Aster bridge was opened to all"), held_out.in_text("The Aster bridge was")
    (True, False)
    """

    def __init__(self, claims: Iterable[str]) -> None:
        texts = [text for text in claims if text.strip()]
        self._exact = {normalized(text) for text in texts}
        self._sizes: list[int] = []
        self._holders: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for number, text in enumerate(texts):
            own = _shingles(text)
            self._sizes.append(len(own))
            for shingle in own:
                self._holders[shingle].append(number)

    def near_copy(self, claim: str) -> bool:
        """Return whether a claim equals a held-out one, or shares most of the shingles of either."""
        own = _shingles(claim)
        shared = self._shared(own).items()
        near = any(count >= NEAR * min(len(own), self._sizes[number]) for number, count in shared)
        return near or normalized(claim) in self._exact

    def in_text(self, text: str) -> bool:
        """Return whether a text repeats a held-out claim."""
        found = self._shared(_shingles(text))
        repeated = any(shared >= COPIED * self._sizes[number] for number, shared in found.items())
        return repeated or normalized(text) in self._exact

    def _shared(self, own: set[tuple[str, ...]]) -> Counter[int]:
        """Count the shingles that each held-out claim shares with a text; claims that share none are absent."""
        return Counter(number for shingle in own for number in self._holders.get(shingle, ()))


def _shingles(text: str) -> set[tuple[str, ...]]:
    words = tokenize(text)
    return set(zip(words, words[1:], words[2:], strict=False))
