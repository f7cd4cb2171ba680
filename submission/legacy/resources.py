"""NLTK's METEOR with its tokenizer and synonyms, from data on this machine; nothing is downloaded."""

import io
import warnings
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import nltk
from nltk.corpus.reader.wordnet import WordNetCorpusReader
from nltk.data import FileSystemPathPointer, PathPointer
from nltk.stem.porter import PorterStemmer
from nltk.translate.meteor_score import single_meteor_score

from submission.files import MissingResource
from submission.legacy.scores import Sources

DEBIAN = Path("/usr/share/wordnet")
"""WordNet 3.0, the version of NLTK's data, as Debian's ``wordnet-base`` and ``wordnet-sense-index`` install it."""
PUNKT = "nltk.word_tokenize(text) (punkt)"
"""As the leaderboard has it."""
NO_PUNKT = "nltk.word_tokenize(text, preserve_line=True) (no punkt; get it by: python -m nltk.downloader punkt_tab)"
"""Full stops within a text stay with the word before them."""


class WordNet(WordNetCorpusReader):  # type: ignore[misc]
    """NLTK's reader without what no score uses: names of lexicographers' files, other languages, other versions."""

    def __init__(self, folder: PathPointer) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it misses the other languages
            super().__init__(folder, None)

    def open(self, file: str) -> io.StringIO:
        """Read a file whole, because NLTK's own streams are slow in an archive; Debian's copy has no ``lexnames``."""
        if file == "lexnames":
            return io.StringIO("".join(f"{number} none 0\n" for number in range(45)))
        with self._root.join(file).open() as stream:
            return io.StringIO(stream.read().decode("latin-1"))  # one character a byte, so that offsets hold

    def map_wn(self, version: str = "wordnet") -> None:
        """Map no other version."""


class Meteor:
    """``single_meteor_score`` of NLTK (Lavie and Agarwal, 2007), with each word stemmed and looked up only once."""

    def __init__(self, tokenize: Any, wordnet: Any) -> None:
        self.words: Any = tokenize
        self.stem = cache(PorterStemmer().stem)
        self.synsets = cache(wordnet.synsets)

    def __call__(self, hypothesis: Sequence[str], reference: Sequence[str]) -> float:
        """Return the score of two tokenized texts in [0, 1]."""
        return float(single_meteor_score(reference, hypothesis, stemmer=self, wordnet=self))


def load_meteor() -> tuple[Meteor, Sources]:
    """Load METEOR with the official tokenizer if its data is there; raise ``MissingResource`` without WordNet."""
    folder = local_wordnet()
    if folder is None:
        raise MissingResource(
            "METEOR needs WordNet, which is not in NLTK's data folders; run 'python -m nltk.downloader wordnet "
            "punkt_tab', or apt install wordnet-base wordnet-sense-index"
        )
    wordnet, punkt = WordNet(folder), _has_punkt()
    sources = Sources(tokenization=PUNKT if punkt else NO_PUNKT, wordnet=f"WordNet {wordnet.get_version()} ({folder})")
    return Meteor(partial(nltk.word_tokenize, preserve_line=not punkt), wordnet), sources


def local_wordnet() -> PathPointer | None:
    """Return NLTK's WordNet or Debian's, whichever is there."""
    for name in ("corpora/wordnet", "corpora/wordnet.zip/wordnet/"):
        try:
            return nltk.data.find(name)
        except LookupError:
            continue
    if not (DEBIAN / "data.noun").is_file():
        return None
    if str(DEBIAN) not in nltk.data.path:
        nltk.data.path.append(str(DEBIAN))  # NLTK reads only what lies in its folders
    return FileSystemPathPointer(str(DEBIAN))


def _has_punkt() -> bool:
    try:
        nltk.word_tokenize("A test.")
    except LookupError:
        return False
    return True
