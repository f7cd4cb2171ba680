"""Leakage: claims that a system is evaluated on must not be in what it was trained on, nor near copies of them."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from knowledge_store.pages.filters import COPIED, SHINGLE, shingles
from knowledge_store.pages.page import normalized
from knowledge_store.tokenization import tokenize
from system.claims import read_claims

NEAR = 0.6  # share of shingles; pairs of AVeriTeC's train and dev below it have a phrase in common, not a claim
LEAKED_CLAIM = "claim repeats a held-out claim"
LEAKED_TEXT = "sample repeats a held-out claim"


class HeldOut:
    """Claims that training must not see.

    A text repeats a claim if it has nearly all of the claim's shingles, the measure by which retrieval knows pages
    that copy a claim (``knowledge_store.pages.filters``); among claims, which are short, most of the shingles of either
    are enough. A claim too short for shingles is only repeated by an equal text.

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
            own = shingles(tokenize(text), SHINGLE)
            self._sizes.append(len(own))
            for shingle in own:
                self._holders[shingle].append(number)

    def near_copy(self, claim: str) -> bool:
        """Whether a claim equals a held-out one, or says most of it, or most of what it says is in it."""
        own = shingles(tokenize(claim), SHINGLE)
        shared = self._shared(own).items()
        near = any(count >= NEAR * min(len(own), self._sizes[number]) for number, count in shared)
        return near or normalized(claim) in self._exact

    def in_text(self, text: str) -> bool:
        """Whether a text repeats a held-out claim."""
        found = self._shared(shingles(tokenize(text), SHINGLE))
        repeated = any(shared >= COPIED * self._sizes[number] for number, shared in found.items())
        return repeated or normalized(text) in self._exact

    def _shared(self, own: set[tuple[str, ...]]) -> Counter[int]:
        """How many shingles each held-out claim has in common with a text; claims with none are absent."""
        return Counter(number for shingle in own for number in self._holders.get(shingle, ()))


def read_held_out(files: Sequence[Path]) -> HeldOut:
    """The claims of some files.

    Raises:
        ClaimsError: a file holds no claims.
    """
    return HeldOut(claim.text for file in files for claim in read_claims(file))


def texts_of(line: dict[str, Any]) -> list[str]:
    """What a line of a data set gives a model to read and to write, the instructions aside."""
    replies = (message["content"] for key in ("completion", "chosen", "rejected") for message in line.get(key, ()))
    return [line["prompt"][-1]["content"], *replies]
