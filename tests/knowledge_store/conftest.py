"""Stores to read and an encoder that counts its work."""

import orjson
import pytest

from knowledge_store.ranking import warm_up
from tests.helpers.local_site import Site
from tests.helpers.word_encoder import BagOfWords


@pytest.fixture(scope="session", autouse=True)
def compiled():
    """Compile before the first test, whose time hypothesis bounds."""
    warm_up()


@pytest.fixture
def encoder():
    return BagOfWords()


@pytest.fixture
def write_store(tmp_path):
    """Write a store whose lines are given as lists of sentences (addresses are made up), records, or raw bytes."""

    def write(*lines):
        path = tmp_path / "0.json"
        path.write_bytes(b"".join(_line(number, line) + b"\n" for number, line in enumerate(lines)))
        return path

    return write


def _line(number, line):
    if isinstance(line, bytes):
        return line
    if isinstance(line, list):
        line = {"url": f"https://site{number}.example/", "url2text": line}
    return orjson.dumps(line)


@pytest.fixture
def site():
    site = Site()
    yield site
    site.close()
