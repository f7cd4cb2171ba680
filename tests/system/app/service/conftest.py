"""A folder of stores for the service."""

import orjson
import pytest

from tests.helpers.serving import DOCUMENTS


@pytest.fixture
def stores(tmp_path):
    """A folder of one store, beside a file that no name may reach."""
    folder = tmp_path / "stores"
    folder.mkdir()
    lines = [{"url": one["name"], "url2text": [one["text"]]} for one in DOCUMENTS]
    (folder / "aster.json").write_bytes(b"\n".join(map(orjson.dumps, lines)))
    (folder / ".hidden.json").write_bytes(b"{}")
    (tmp_path / "outside.json").write_bytes(orjson.dumps(lines[0]))
    return folder
