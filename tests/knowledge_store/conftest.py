"""Stores to read and an encoder that counts its work."""

from collections.abc import Callable, Iterator
from pathlib import Path

import orjson
import pytest

from knowledge_store.ranking import warm_up
from tests.helpers.local_site import Site
from tests.helpers.word_encoder import WordEncoder


@pytest.fixture(scope="session", autouse=True)
def compiled() -> None:
    """Compile before the first test, whose time hypothesis bounds."""
    warm_up()


@pytest.fixture
def encoder() -> WordEncoder:
    return WordEncoder()


@pytest.fixture
def write_store(tmp_path: Path) -> Callable[..., Path]:
    """Write a store whose lines are given as lists of sentences (addresses are made up), records, or raw bytes."""

    def write(*lines: list[str] | dict[str, object] | bytes) -> Path:
        path = tmp_path / "0.json"
        path.write_bytes(b"".join(_line(number, line) + b"\n" for number, line in enumerate(lines)))
        return path

    return write


def _line(number: int, line: list[str] | dict[str, object] | bytes) -> bytes:
    if isinstance(line, bytes):
        return line
    if isinstance(line, list):
        line = {"url": f"https://site{number}.example/", "url2text": line}
    return orjson.dumps(line)


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    yield site
    site.close()
