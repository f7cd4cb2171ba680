"""Fixtures of the tests of faults: whole runs on the bundled claims, as processes."""

from pathlib import Path

import pytest
from processes import start_python

HERE = Path(__file__).parent
PATHS = (HERE.parents[1], HERE.parent, HERE)


@pytest.fixture
def start_scripted(tmp_path):
    """Start ``scripted_command.py`` with a delay, writing to ``output`` in the test's folder unless told otherwise."""

    def start(delay, *arguments, output=tmp_path / "output", **options):
        command = (HERE / "scripted_command.py", delay, "--profile", "embedded", "--output", output, *arguments)
        return start_python(*command, paths=PATHS, **options)

    return start
