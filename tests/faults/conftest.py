"""Fixtures of the tests of faults: whole runs on the bundled claims, as processes."""

from pathlib import Path

import pytest
from processes import start_python

HERE = Path(__file__).parent
PLENTY = "3600"  # seconds a claim: no machine is so busy that they run out
PATHS = (HERE.parents[1], HERE.parent, HERE)


@pytest.fixture
def start_scripted(tmp_path):
    """Start ``scripted_command.py`` with a delay, writing to ``output`` in the test's folder unless told otherwise."""

    def start(delay, *arguments, output=tmp_path / "output", **options):
        usual = ("--profile", "embedded", "--budget", PLENTY, "--output", output)
        return start_python(HERE / "scripted_command.py", delay, *usual, *arguments, paths=PATHS, **options)

    return start
