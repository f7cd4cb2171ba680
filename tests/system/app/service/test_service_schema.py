"""Schemathesis against the service: whatever the schema allows, and whatever it forbids, is answered as it says."""

import sys
from pathlib import Path

import orjson
import pytest

from tests.helpers.bridge import PAGES, Answers
from tests.helpers.processes import run_command
from tests.helpers.serving import TOKEN, engine_of, listening

pytestmark = pytest.mark.slow

SCHEMATHESIS = Path(sys.executable).with_name("schemathesis")
OPTIONS = ["--max-examples", "10", "--seed", "1", "--generation-database", "none", "--no-color"]
# Days like 31-2-2021 fit the pattern of a date, and a 405 of the framework names the methods of one route only.
EXCLUDED = ["--exclude-checks", "positive_data_acceptance,unsupported_method,allow_header_conformance"]


def test_answers_are_as_the_schema_says(tmp_path):
    """Examples, limits of every field, random requests, and sequences of requests; also without the token."""
    (tmp_path / "0.json").write_bytes(orjson.dumps({"url": PAGES[0][0], "url2text": [PAGES[0][1]]}))
    with listening(engine_of(Answers()), tmp_path, token=TOKEN, queue=1000) as address:
        header = ["--header", f"Authorization: Bearer {TOKEN}"]
        run = [SCHEMATHESIS, "run", f"{address}openapi.json", *header, *OPTIONS, *EXCLUDED]
        printed = run_command(run, cwd=tmp_path).stdout
    assert "14 selected / 14 total" in printed and "❌" not in printed
