"""WordNet as this package needs it: synonyms, antonyms and kinds of words of one main sense, and base forms."""

from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Protocol

PLACES = (Path("/usr/share/wordnet"), Path("/usr/share/nltk_data/corpora/wordnet"))


class Thesaurus(Protocol):
    """Words that may stand for a word; each method gives none where the word has no main sense."""

    def synonyms(self, word: str) -> list[str]:
        """Words of the same meaning."""

    def antonyms(self, word: str) -> list[str]:
        """Words of the opposite meaning."""

    def kinds(self, word: str) -> list[str]:
        """Wider words: animal for dog."""

    def verb(self, past: str) -> str:
        """Base form of a verb's past, or empty."""

    def place(self, name: str) -> bool:
        """Whether a name is of a country, town or region."""


class NoThesaurus:
    """Stands in where WordNet is not installed: no word has another."""

    def synonyms(self, word: str) -> list[str]:
        """None."""
        return []

    antonyms = kinds = synonyms

    def verb(self, past: str) -> str:
        """By its ending alone."""
        return past[:-2] if past.endswith("ed") and len(past) > 5 else ""

    def place(self, name: str) -> bool:
        """None is known."""
        return False


_LOCATION = "15"  # number of the file of nouns of place
_FILES = {
    "1": "noun",
    "2": "verb",
    "3": "adj",
    "4": "adv",
    "5": "adj",
    "n": "noun",
    "v": "verb",
    "a": "adj",
    "r": "adv",
}


@dataclass(frozen=True)
class _Sense:
    word: str
    part: str
    lexicographer: str
    offset: int
    count: int


@dataclass(frozen=True)
class _Synset:
    words: list[str]
    pointers: list[tuple[str, int, str, int, int]]  # symbol, offset, part, number of the word here and there


class WordNet:
    """WordNet 3.0 as the files of ``wordnet-base`` and ``wordnet-sense-index`` have it.

    A word is replaced only where one sense has four fifths of its uses in the tagged texts that WordNet counts.
    """

    def __init__(self, folder: Path) -> None:
        self._data = {part: (folder / f"data.{part}").read_bytes() for part in ("noun", "verb", "adj", "adv")}
        self._senses: dict[str, list[_Sense]] = defaultdict(list)
        for line in (folder / "index.sense").read_text(encoding="utf-8").splitlines():
            key, offset, _, count = line.split()
            word, _, rest = key.partition("%")
            part, lexicographer, *_ = rest.split(":")
            self._senses[word].append(_Sense(word, part, lexicographer, int(offset), int(count)))
        self._counts = {
            (sense.word, _FILES[sense.part], sense.offset): sense.count for s in self._senses.values() for sense in s
        }
        exceptions = (folder / "verb.exc").read_text(encoding="utf-8").splitlines()
        self._irregular = dict(line.split()[:2] for line in exceptions)
        self.synonyms, self.antonyms, self.kinds = cache(self._synonyms), cache(self._antonyms), cache(self._kinds)
        self.verb, self.place = cache(self._verb), cache(self._place)

    def _main(self, word: str) -> tuple[_Sense, _Synset] | None:
        senses = sorted(self._senses.get(word, []), key=lambda sense: -sense.count)
        total = sum(sense.count for sense in senses)
        adverb = bool(senses) and senses[0].part == "4" and not word.endswith("ly")  # as up, here, very
        if total < 3 or senses[0].count < 0.8 * total or adverb:
            return None
        return senses[0], self._synset(senses[0].offset, _FILES[senses[0].part])

    def _synset(self, offset: int, part: str) -> _Synset:
        data = self._data[part]
        fields = data[offset : data.index(b"|", offset)].decode().split()
        count = int(fields[3], 16)
        words = [name.partition("(")[0].replace("_", " ") for name in fields[4 : 4 + 2 * count : 2]]
        rest = fields[5 + 2 * count :]
        pointers = [
            (rest[i], int(rest[i + 1]), _FILES[rest[i + 2]], int(rest[i + 3][:2], 16), int(rest[i + 3][2:], 16))
            for i in range(0, 4 * int(fields[4 + 2 * count]), 4)
        ]
        return _Synset(words, pointers)

    def _used(self, words: list[str], part: str, offset: int, times: int) -> list[str]:
        return [w for w in words if w.islower() and self._counts.get((w.replace(" ", "_"), part, offset), 0) >= times]

    def _synonyms(self, word: str) -> list[str]:
        main = self._main(word)
        if main is None:
            return []
        sense, synset = main
        return [other for other in self._used(synset.words, _FILES[sense.part], sense.offset, 2) if other != word]

    def _antonyms(self, word: str) -> list[str]:
        main = self._main(word)
        if main is None or word not in main[1].words:
            return []
        number = main[1].words.index(word) + 1
        return [
            self._synset(offset, part).words[there - 1]
            for symbol, offset, part, here, there in main[1].pointers
            if symbol == "!" and here == number
        ]

    def _kinds(self, word: str) -> list[str]:
        main = self._main(word)
        if main is None or main[0].part != "1" or main[0].lexicographer not in _CONCRETE or word in self._irregular:
            return []
        up = [(offset, part) for symbol, offset, part, *_ in main[1].pointers if symbol == "@"]
        return [other for offset, part in up for other in self._used(self._synset(offset, part).words, part, offset, 3)]

    def _verb(self, past: str) -> str:
        base = self._irregular.get(past) or next((b for b in _regular(past) if self._count(b, "2")), "")
        return base if self._count(base, "2") > 2 * (self._count(past, "1345")) else ""

    def _count(self, word: str, parts: str) -> int:
        return sum(sense.count + 1 for sense in self._senses.get(word, []) if sense.part in parts)

    def _place(self, name: str) -> bool:
        senses = self._senses.get(name.lower().replace(" ", "_"), [])
        return bool(senses) and all(s.part == "1" for s in senses) and senses[0].lexicographer == _LOCATION


_CONCRETE = {"05", "06", "13", "18", "20"}  # animals, artifacts, food, people, plants


def _regular(past: str) -> list[str]:
    if not past.endswith("ed"):
        return []
    stem = past[:-2]
    return [past[:-1], stem, stem[:-1], stem[:-1] + "y" if stem.endswith("i") else stem]


@cache
def thesaurus() -> Thesaurus:
    """WordNet where it is installed (``apt install wordnet-base wordnet-sense-index``), else none."""
    return next((WordNet(folder) for folder in PLACES if (folder / "data.noun").exists()), NoThesaurus())
