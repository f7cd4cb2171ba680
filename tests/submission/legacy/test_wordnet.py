import random
import shutil
from pathlib import Path
from zipfile import Path as ZipPath

import pytest

from submission.legacy.resources import PARTS, WordNet

SUFFIXES = ("", "s", "es", "ed", "ing", "er", "est", "men", "ves", "ies")


@pytest.fixture(scope="module")
def wordnet(wordnet_folder: Path) -> WordNet:
    return WordNet(wordnet_folder)


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """A database of one verb, with an irregular form."""
    for part in PARTS:
        for name in (f"index.{part}", f"data.{part}", f"{part}.exc"):
            (tmp_path / name).write_text("")
    head = "  1 WordNet 9.1 Copyright\n"
    (tmp_path / "data.noun").write_text(head)
    (tmp_path / "data.verb").write_text(
        head + f'{len(head):08d} 30 v 03 go 0 move_on 0 Travel 0 000 | to move; "he went"\n'
    )
    (tmp_path / "index.verb").write_text(f"{head}go v 1 0 1 0 {len(head):08d}\n")
    (tmp_path / "verb.exc").write_text("went go\n")
    return tmp_path


def test_synonyms_are_the_single_words_of_all_synsets(tiny: Path) -> None:
    wordnet = WordNet(tiny)
    for word in ("go", "Go", "going", "goes", "went"):
        assert wordnet.synonyms(word) == {"go", "Travel"}, word
    for word in ("", "g", "gone", "move_on", "travel"):
        assert wordnet.synonyms(word) == frozenset(), word
    assert wordnet.version == "9.1"


def test_reads_a_database_in_an_archive(tiny: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    archive = shutil.make_archive(str(tmp_path_factory.mktemp("zip") / "wordnet"), "zip", tiny)
    assert WordNet(ZipPath(archive)).synonyms("went") == {"go", "Travel"}


def test_synonyms_are_those_of_nltk(wordnet: WordNet, reference_wordnet) -> None:
    chosen = random.Random(1)
    lemmas = chosen.sample(sorted(reference_wordnet.all_lemma_names()), 1000)
    irregular = chosen.sample([form for forms in reference_wordnet._exception_map.values() for form in forms], 500)
    for word in [lemma + suffix for lemma in lemmas for suffix in SUFFIXES] + irregular + ["", "it's", "2011.", "``"]:
        names = {lemma.name() for synset in reference_wordnet.synsets(word) for lemma in synset.lemmas()}
        assert wordnet.synonyms(word) == {name for name in names if "_" not in name}, word
