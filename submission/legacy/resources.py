"""NLTK's METEOR with its tokenizer and synonyms: NLTK's data, or named substitutes.

Example::

    meteor, sources = load_meteor()
    meteor(meteor.words("The bridge opened in 1932."), meteor.words("It was opened in 1932."))
"""

import io
import re
from collections.abc import Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from zipfile import Path as ZipPath

import nltk
from nltk.stem.porter import PorterStemmer
from nltk.translate.meteor_score import single_meteor_score

from submission.files import MissingResource
from submission.legacy.scores import Sources

PARTS = ("noun", "verb", "adj", "adv")

# Endings and what they stand for, morphy(7WN); "ves" is NLTK's addition.
ENDINGS = {
    "noun": "s: ses:s ves:f xes:x zes:z ches:ch shes:sh men:man ies:y",
    "verb": "s: ies:y es:e es: ed:e ed: ing:e ing:",
    "adj": "er: est: er:e est:e",
    "adv": "",
}
DEBIAN = Path("/usr/share/wordnet")
"""WordNet 3.0, the version of NLTK's data, as Debian's ``wordnet-base`` and ``wordnet-sense-index`` install it."""
PUNKT = "nltk.word_tokenize(text) (punkt)"
"""As the leaderboard has it."""
NO_PUNKT = "nltk.word_tokenize(text, preserve_line=True) (no punkt)"
"""Full stops within a text stay with the word before them."""


class WordNet:
    """The synonyms that METEOR needs, read straight from WordNet's database files (formats: ``wndb(5WN)``).

    NLTK's reader gives the same synonyms, but needs seconds to load and refuses Debian's copy, which lies outside
    NLTK's own folders.

    Args:
        folder: holds ``index.*``, ``data.*`` and ``*.exc``; may lie in a ZIP archive.
    """

    def __init__(self, folder: Path | ZipPath) -> None:
        self._index = {part: dict(_keyed(folder / f"index.{part}")) for part in PARTS}
        self._exceptions = {part: dict(_keyed(folder / f"{part}.exc")) for part in PARTS}
        self._data = {part: (folder / f"data.{part}").read_bytes() for part in PARTS}
        found = re.search(rb"WordNet (\d+(?:\.\d+)+) Copyright", self._data["noun"][:4000])
        self.version = found[1].decode() if found else "of unknown version"

    def synonyms(self, word: str) -> frozenset[str]:
        """Return the single words of all synsets of a word, or of what it may be inflected from."""
        word = word.lower()
        return frozenset(
            name
            for part in PARTS
            for form in self._base_forms(word, part)
            for offset in self._offsets(form, part)
            for name in self._members(offset, part)
            if "_" not in name
        )

    def _base_forms(self, word: str, part: str) -> Iterator[str]:
        if word in self._exceptions[part]:
            forms = self._exceptions[part][word].split()
        else:
            rules = (rule.split(":") for rule in ENDINGS[part].split())
            forms = [word[: -len(old)] + new for old, new in rules if word.endswith(old)]
        return (form for form in dict.fromkeys([word, *forms]) if form in self._index[part])

    def _offsets(self, lemma: str, part: str) -> list[int]:
        """Return the offsets of the lemma's synsets: the last fields of its line, as many as the second says."""
        fields = self._index[part][lemma].split()
        return [int(offset) for offset in fields[-int(fields[1]) :]]

    def _members(self, offset: int, part: str) -> Iterator[str]:
        """Yield the words of a synset: after offset, file, type and a count in base 16, each with an id after it.

        An adjective may bear a marker of its place in the sentence: "galore(ip)".
        """
        data = self._data[part]
        fields = data[offset : data.index(b"|", offset)].decode().split()
        return (name.partition("(")[0] for name in fields[4 : 4 + 2 * int(fields[3], 16) : 2])


def _keyed(file: Path | ZipPath) -> Iterator[tuple[str, str]]:
    """Yield the first word of each line, and the rest; lines of the license begin with a space."""
    for line in file.read_text(encoding="utf-8").splitlines():
        key, _, rest = line.partition(" ")
        if key:
            yield key, rest


class Meteor:
    """``single_meteor_score`` of NLTK (Lavie and Agarwal, 2007), with each word stemmed and looked up only once."""

    def __init__(self, tokenize: Any, wordnet: WordNet) -> None:
        self.words: Any = tokenize
        self.stem = cache(PorterStemmer().stem)
        self.synsets = cache(lambda word: _synsets(wordnet.synonyms(word)))

    def __call__(self, hypothesis: Sequence[str], reference: Sequence[str]) -> float:
        """Return the score of two tokenized texts in [0, 1]."""
        return float(single_meteor_score(reference, hypothesis, stemmer=self, wordnet=self))


def _synsets(names: frozenset[str]) -> list[SimpleNamespace]:
    """Return one synset with these lemmas, as far as NLTK's METEOR looks at it."""
    lemmas = [SimpleNamespace(name=partial(str, name)) for name in names]
    return [SimpleNamespace(lemmas=lambda: lemmas)]


def load_meteor() -> tuple[Meteor, Sources]:
    """Load METEOR with the official tokenizer if its data is there or can be downloaded.

    Raises:
        MissingResource: there is no WordNet.
    """
    folder = local_wordnet() or (_download("wordnet") and local_wordnet())
    if not folder:
        raise MissingResource(
            "METEOR needs WordNet, which is not in NLTK's data folders and could not be downloaded; apt install "
            f"wordnet-base wordnet-sense-index, or put NLTK's wordnet.zip into {nltk.data.path[0]}/corpora"
        )
    return make_meteor(folder, punkt=_has_punkt() or (_download("punkt_tab") and _has_punkt()))


def make_meteor(folder: Path | ZipPath, punkt: bool) -> tuple[Meteor, Sources]:
    """Make METEOR with the WordNet of a folder, with or without splitting texts into sentences first."""
    wordnet = WordNet(folder)
    sources = Sources(tokenization=PUNKT if punkt else NO_PUNKT, wordnet=f"WordNet {wordnet.version} ({folder})")
    return Meteor(partial(nltk.word_tokenize, preserve_line=not punkt), wordnet), sources


def local_wordnet() -> Path | ZipPath | None:
    """Return NLTK's WordNet or Debian's, whichever is there."""
    return next((place for place in _places() if (place / "data.noun").is_file()), None)


def _places() -> Iterator[Path | ZipPath]:
    for root in map(Path, nltk.data.path):
        yield root / "corpora" / "wordnet"
        if (archive := root / "corpora" / "wordnet.zip").is_file():
            yield ZipPath(archive) / "wordnet"
    yield DEBIAN


def _has_punkt() -> bool:
    try:
        nltk.word_tokenize("A test.")
    except LookupError:
        return False
    return True


def _download(package: str) -> bool:
    """Try to download a package of NLTK's data; return whether it worked."""
    return bool(nltk.download(package, quiet=True, print_error_to=io.StringIO()))
