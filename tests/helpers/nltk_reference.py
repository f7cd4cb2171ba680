"""Hungarian METEOR the organizers' way: NLTK computes each pair of texts from scratch."""

import gc
import shutil
import warnings
from pathlib import Path
from typing import Any

import nltk
import numpy as np
from nltk.corpus.reader.wordnet import WordNetCorpusReader
from nltk.translate.meteor_score import single_meteor_score
from scipy.optimize import linear_sum_assignment

from submission.read import Pairs


class Reader(WordNetCorpusReader):
    """NLTK's reader, without its map between versions, which needs a corpus among NLTK's own and many seconds."""

    def map_wn(self, version: str = "wordnet") -> None:
        return None


def nltk_wordnet(source: Path, folder: Path) -> WordNetCorpusReader:
    """NLTK's reader over a copy of the database, which must lie in a folder of NLTK's and name its lexicographers."""
    shutil.copytree(source, folder, ignore=lambda _, names: set(names) - set(Reader._FILES))
    if not (folder / "lexnames").exists():
        (folder / "lexnames").write_text("".join(f"{number:02d}\tunnamed\t1\n" for number in range(45)))
    nltk.data.path.append(str(folder))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # it leaves files open in cycles, which any test may collect
        reader = Reader(str(folder), omw_reader="none")
        gc.collect()
    return reader


def question_score(predicted: Pairs, gold: Pairs, wordnet: Any) -> float:
    """The score of a claim's questions; no punkt."""
    return _hungarian([q for q, _ in predicted[:10]], list(dict.fromkeys(q for q, _ in gold)), wordnet)


def pair_score(predicted: Pairs, gold: Pairs, wordnet: Any) -> float:
    """The score of a claim's questions with their answers; no punkt."""
    return _hungarian([f"{q} {a}" for q, a in predicted[:10]], [f"{q} {a}" for q, a in gold], wordnet)


def _hungarian(predicted: list[str], gold: list[str], wordnet: Any) -> float:
    table = np.empty((len(predicted), len(gold)))
    for row, hypothesis in enumerate(predicted):
        for column, reference in enumerate(gold):
            table[row, column] = single_meteor_score(_words(reference), _words(hypothesis), wordnet=wordnet)
    return float(table[linear_sum_assignment(table, maximize=True)].sum() * (1 / len(gold)))


def _words(text: str) -> list[str]:
    return nltk.word_tokenize(text, preserve_line=True)
