"""Predictions with gold of their claims, and what scores need."""

import pytest

from submission.legacy.resources import local_wordnet
from submission.write import predictions, write_json
from tests.helpers import annotated


@pytest.fixture
def files(tmp_path):
    """Write results as predictions, and gold as (claim, label), by default right; return the options that name them."""

    def write(results, gold=None):
        question = ("When did the bridge open?", annotated.answer("In 1932."))
        right = [(one.claim.text, one.verdict.label) for one in results]
        write_json(predictions(results), tmp_path / "submission.json")
        annotated.write(tmp_path / "gold.json", [annotated.claim(*one, question) for one in gold or right])
        return ["--predictions", str(tmp_path / "submission.json"), "--gold", str(tmp_path / "gold.json")]

    return write


@pytest.fixture(scope="session")
def wordnet():
    """A WordNet database of this machine; continuous integration installs one, and so can you."""
    folder = local_wordnet()
    if folder is None:
        pytest.skip("needs WordNet: apt install wordnet-base wordnet-sense-index")
    return folder
