"""Fixtures of the tests of faults: whole runs on the bundled claims, as processes."""

import pytest

from tests.helpers.processes import start_python


@pytest.fixture
def start_scripted(tmp_path):
    """Start ``tests.helpers.scripted_command`` with a delay, writing to ``output`` in the test's folder by default."""

    def start(delay, *arguments, output=tmp_path / "output", **options):
        usual = ["--profile", "laptop", "--strategy", "got", "--budget", "3600", "--output", output]
        return start_python("-m", "tests.helpers.scripted_command", delay, *usual, *arguments, **options)

    return start
