"""Fixtures of the tests of faults: whole runs on the bundled claims, as processes."""

import pytest

from tests.helpers.processes import start_python

PLENTY = "3600"  # seconds a claim: no machine is so busy that they run out


@pytest.fixture
def start_scripted(tmp_path):
    """Start ``tests.helpers.scripted_command`` with a delay, writing to ``output`` in the test's folder by default."""

    def start(delay, *arguments, output=tmp_path / "output", **options):
        usual = ["--profile", "laptop", "--strategy", "got", "--output", output]
        usual += [] if "--budget" in arguments else ["--budget", PLENTY]
        return start_python("-m", "tests.helpers.scripted_command", delay, *usual, *arguments, **options)

    return start
