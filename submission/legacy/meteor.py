"""METEOR as NLTK computes it (``single_meteor_score``; Lavie and Agarwal, 2007), with every word looked up only once.

For each pair of texts, NLTK stems every word and looks it up in WordNet again. Here a text is prepared once, and stems
and synonyms are kept for the whole run.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

ALPHA, BETA, GAMMA = 0.9, 3.0, 0.5
"""Weight of precision against recall; shape and weight of the penalty for words out of order."""

Positions = dict[str, list[int]]
Match = tuple[int, int]


@dataclass(frozen=True)
class Words:
    """A text ready to be compared.

    Attributes:
        stems: of all words, in order.
        positions: where each lower-cased word stands, ascending.
    """

    stems: Sequence[str]
    positions: Positions


class Meteor:
    """METEOR with a tokenizer, a stemmer and a source of synonyms, each of which must always say the same of a text."""

    def __init__(
        self, tokenize: Callable[[str], Sequence[str]], stem: Callable[[str], str], synonyms: Callable[[str], Set[str]]
    ) -> None:
        self._tokenize = tokenize
        self._stem = cache(stem)
        self._synonyms = synonyms

    def words(self, text: str) -> Words:
        """Make a text ready."""
        words = [token.lower() for token in self._tokenize(text)]
        return Words([self._stem(word) for word in words], _positions(words))

    def score(self, hypothesis: Words, reference: Words) -> float:
        """The score in [0, 1]; 0 where no word matches."""
        matches = self._align(hypothesis, reference)
        if not matches:
            return 0.0
        precision, recall = len(matches) / len(hypothesis.stems), len(matches) / len(reference.stems)
        mean = precision * recall / (ALPHA * precision + (1 - ALPHA) * recall)
        penalty: float = GAMMA * (_chunks(matches) / len(matches)) ** BETA
        return (1 - penalty) * mean

    def _align(self, hypothesis: Words, reference: Words) -> list[Match]:
        """Match equal words, then equal stems among the rest, then synonyms among the rest of that."""
        matches = _equal(hypothesis.positions, reference.positions)
        left = _positions(hypothesis.stems, {position for position, _ in matches})
        right = _positions(reference.stems, {position for _, position in matches})
        matches += _take_equal(left, right)
        matches += self._take_synonyms(left, right)
        return sorted(matches)

    def _take_synonyms(self, hypothesis: Positions, reference: Positions) -> Iterator[Match]:
        """Match each stem, from the last on, with the last stem of the reference that is a synonym of it.

        It is stems that are looked up, not words: so does NLTK.
        """
        wanted = {stem for stem, found in reference.items() if found}
        related = [stem for stem in hypothesis if not self._synonyms(stem).isdisjoint(wanted)]
        for position, stem in sorted(((p, word) for word in related for p in hypothesis[word]), reverse=True):
            if known := self._synonyms(stem) & wanted:
                last = max(known, key=lambda synonym: reference[synonym][-1])
                yield position, reference[last].pop()
                if not reference[last]:
                    wanted.remove(last)


def _positions(words: Sequence[str], taken: Set[int] = frozenset()) -> Positions:
    """Map each word to its positions, without those already taken."""
    positions: Positions = defaultdict(list)
    for position, word in enumerate(words):
        if position not in taken:
            positions[word].append(position)
    return positions


def _equal(hypothesis: Positions, reference: Positions) -> list[Match]:
    """Match equal words, the last place with the last, the one before with the one before."""
    matches: list[Match] = []
    for word in hypothesis.keys() & reference.keys():
        ours, theirs = hypothesis[word], reference[word]
        count = min(len(ours), len(theirs))
        matches += zip(ours[-count:], theirs[-count:], strict=True)
    return matches


def _take_equal(hypothesis: Positions, reference: Positions) -> list[Match]:
    """The same, and remove what was matched from both sides."""
    matches: list[Match] = []
    for word in hypothesis.keys() & reference.keys():
        while hypothesis[word] and reference[word]:
            matches.append((hypothesis[word].pop(), reference[word].pop()))
    return matches


def _chunks(matches: Sequence[Match]) -> int:
    """Runs of matches that are neighbors on both sides."""
    return 1 + sum(after != (before[0] + 1, before[1] + 1) for before, after in pairwise(matches))
