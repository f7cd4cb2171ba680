"""Hungarian METEOR the organizers' way: NLTK computes each pair of texts from scratch."""

import gc
import shutil
import warnings
from pathlib import Path

import nltk
from nltk.corpus.reader.wordnet import WordNetCorpusReader


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
