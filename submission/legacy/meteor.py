"""METEOR as NLTK computes it (``single_meteor_score``; Lavie and Agarwal, 2007), with every word looked up only once.

For each pair of texts, NLTK stems every word and looks it up in WordNet again. Here a text is prepared once, and stems
and synonyms are kept for the whole run. Tokenizer, stemmer and synonyms are NLTK's with its data, or what stands in for
it, by name.
"""

import io
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Any
from zipfile import Path as ZipPath

import nltk
from nltk.stem.porter import PorterStemmer

from submission.files import SubmissionError
from system.records import Record

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
        self,
        tokenize: Callable[[str], Sequence[str]],
        stem: Callable[[str], str],
        synonyms: Callable[[str], Set[str]],
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
    """Where each word stands, the places that are taken left out."""
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


PARTS = ("noun", "verb", "adj", "adv")

# Endings and what they stand for, morphy(7WN); "ves" is NLTK's addition.
ENDINGS = {
    "noun": "s: ses:s ves:f xes:x zes:z ches:ch shes:sh men:man ies:y",
    "verb": "s: ies:y es:e es: ed:e ed: ing:e ing:",
    "adj": "er: est: er:e est:e",
    "adv": "",
}


class WordNet:
    """The synonyms that METEOR needs, read straight from WordNet's database files (formats: ``wndb(5WN)``).

    NLTK's reader gives the same synonyms, but takes seconds to load, since it maps every sense between versions first,
    and does not find Debian's copy, which lies outside NLTK's own folders.

    Args:
        folder: holds ``index.*``, ``data.*`` and ``*.exc``; may lie in a ZIP archive.
    """

    def __init__(self, folder: Path | ZipPath) -> None:
        self.folder = folder
        self._index = {part: dict(_keyed(_text(folder, f"index.{part}"))) for part in PARTS}
        self._exceptions = {part: dict(_keyed(_text(folder, f"{part}.exc"))) for part in PARTS}
        self._data = {part: (folder / f"data.{part}").read_bytes() for part in PARTS}
        self._endings = {part: [tuple(rule.split(":")) for rule in ENDINGS[part].split()] for part in PARTS}
        self.synonyms = cache(self._synonyms)

    @property
    def version(self) -> str:
        """Such as "3.0"; stands in the license at the head of each file."""
        found = re.search(rb"WordNet (\d+(?:\.\d+)+) Copyright", self._data["noun"][:4000])
        return found[1].decode() if found else "of unknown version"

    def _synonyms(self, word: str) -> frozenset[str]:
        """The single words of all synsets of a word or of what it may be inflected from; case is WordNet's."""
        word = word.lower()
        names = (
            name
            for part in PARTS
            for form in self._base_forms(word, part)
            for offset in self._offsets(form, part)
            for name in self._members(offset, part)
        )
        return frozenset(name for name in names if "_" not in name)

    def _base_forms(self, word: str, part: str) -> Iterator[str]:
        if word in self._exceptions[part]:
            forms = self._exceptions[part][word].split()
        else:
            forms = [word[: -len(old)] + new for old, new in self._endings[part] if word.endswith(old)]
        return (form for form in dict.fromkeys([word, *forms]) if form in self._index[part])

    def _offsets(self, lemma: str, part: str) -> list[int]:
        """Where the lemma's synsets stand in the data file: the last fields of its line, as many as the second says."""
        fields = self._index[part][lemma].split()
        return [int(offset) for offset in fields[-int(fields[1]) :]]

    def _members(self, offset: int, part: str) -> Iterator[str]:
        """The words of a synset: after offset, file, type and a count in base 16, each with an id after it.

        An adjective may bear a marker of its place in the sentence: "galore(ip)".
        """
        data = self._data[part]
        fields = data[offset : data.index(b"|", offset)].decode().split()
        return (name.partition("(")[0] for name in fields[4 : 4 + 2 * int(fields[3], 16) : 2])


def _text(folder: Path | ZipPath, name: str) -> str:
    return (folder / name).read_text(encoding="utf-8")


def _keyed(text: str) -> Iterator[tuple[str, str]]:
    """The first word of each line, and the rest; lines of the license begin with a space."""
    for line in text.splitlines():
        key, _, rest = line.partition(" ")
        if key:
            yield key, rest


DEBIAN = Path("/usr/share/wordnet")
"""Where the packages ``wordnet-base`` and ``wordnet-sense-index`` put WordNet 3.0, the version of NLTK's data."""

PUNKT = "nltk.word_tokenize(text) (punkt)"
"""As the leaderboard has it."""
NO_PUNKT = "nltk.word_tokenize(text, preserve_line=True) (no punkt)"
"""Full stops within a text stay with the word before them."""


class Sources(Record):
    """What METEOR was made from; only scores with the same sources compare.

    Attributes:
        tokenization: how texts were split into words.
        wordnet: version and place.
    """

    tokenization: str
    wordnet: str


def load_meteor() -> tuple[Meteor, Sources]:
    """METEOR with the official tokenizer where its data is at hand or can be downloaded.

    Raises:
        SubmissionError: there is no WordNet.
    """
    return make_meteor(_find_wordnet(), punkt=_has_punkt() or (_download("punkt_tab") and _has_punkt()))


def make_meteor(folder: Path | ZipPath, punkt: bool) -> tuple[Meteor, Sources]:
    """METEOR with the WordNet of a folder, with or without splitting texts into sentences first."""
    wordnet = WordNet(folder)
    tokenize: Any = partial(nltk.word_tokenize, preserve_line=not punkt)
    sources = Sources(tokenization=PUNKT if punkt else NO_PUNKT, wordnet=f"WordNet {wordnet.version} ({folder})")
    return Meteor(tokenize, PorterStemmer().stem, wordnet.synonyms), sources


def local_wordnet() -> Path | ZipPath | None:
    """NLTK's WordNet or Debian's, whichever is there."""
    return next((place for place in _places() if (place / "data.noun").is_file()), None)


def _places() -> Iterator[Path | ZipPath]:
    for root in map(Path, nltk.data.path):
        yield root / "corpora" / "wordnet"
        if (archive := root / "corpora" / "wordnet.zip").is_file():
            yield ZipPath(archive) / "wordnet"
    yield DEBIAN


def _find_wordnet() -> Path | ZipPath:
    place = local_wordnet() or (_download("wordnet") and local_wordnet())
    if not place:
        raise SubmissionError(
            "METEOR needs WordNet, which is not in NLTK's data folders and could not be downloaded; apt install "
            f"wordnet-base wordnet-sense-index, or put NLTK's wordnet.zip into {nltk.data.path[0]}/corpora"
        )
    return place


def _has_punkt() -> bool:
    try:
        nltk.word_tokenize("A test.")
    except LookupError:
        return False
    return True


def _download(package: str) -> bool:
    """Try to download a package of NLTK's data; whether it worked."""
    return bool(nltk.download(package, quiet=True, print_error_to=io.StringIO()))
