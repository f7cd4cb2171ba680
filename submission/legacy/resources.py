"""Where METEOR's tokenizer, stemmer and synonyms come from: NLTK and its data, or what stands in for it, by name."""

import io
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any
from zipfile import Path as ZipPath

import nltk
from nltk.stem.porter import PorterStemmer

from submission.files import SubmissionError
from submission.legacy.meteor import Meteor
from submission.legacy.scores import Sources
from submission.legacy.wordnet import WordNet

DEBIAN = Path("/usr/share/wordnet")
"""Where the packages ``wordnet-base`` and ``wordnet-sense-index`` put WordNet 3.0, the version of NLTK's data."""

PUNKT = "nltk.word_tokenize(text) (punkt)"
"""As the leaderboard has it."""
NO_PUNKT = "nltk.word_tokenize(text, preserve_line=True) (no punkt)"
"""Full stops within a text stay with the word before them."""


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
