"""Fixtures of the runner's tests."""

import orjson
import pytest

from tests.helpers.bridge import PAGES
from tests.helpers.bridge_run import CLAIMS


@pytest.fixture
def folder(tmp_path):
    """An output folder with a store for each claim of ``bridge_run.py``."""
    stores = tmp_path / "stores"
    stores.mkdir()
    for claim in CLAIMS:
        lines = [{"claim_id": str(claim.id), "url": url, "url2text": [text]} for url, text in PAGES]
        (stores / f"{claim.id}.json").write_bytes(b"\n".join(map(orjson.dumps, lines)))
    return tmp_path
