"""Fixtures for the scores."""

import pytest

from submission.legacy.resources import local_wordnet


@pytest.fixture(scope="session")
def wordnet():
    """A WordNet database of this machine; continuous integration installs one, and so can you."""
    folder = local_wordnet()
    if folder is None:
        pytest.skip("needs WordNet: apt install wordnet-base wordnet-sense-index")
    return folder
