"""Fixtures for the scores."""

from pathlib import Path

import pytest

from submission.legacy.resources import local_wordnet
from tests.helpers.nltk_reference import nltk_wordnet


@pytest.fixture(scope="session")
def wordnet_folder() -> Path:
    """A WordNet database of this machine; continuous integration installs one, and so can you."""
    folder = local_wordnet()
    if not isinstance(folder, Path):
        pytest.skip("needs WordNet as plain files: apt install wordnet-base wordnet-sense-index")
    return folder


@pytest.fixture(scope="session")
def reference_wordnet(wordnet_folder: Path, tmp_path_factory: pytest.TempPathFactory):
    """The same database through NLTK's reader."""
    return nltk_wordnet(wordnet_folder, tmp_path_factory.mktemp("nltk") / "wordnet")
