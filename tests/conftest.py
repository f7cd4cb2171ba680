"""Fixtures for all tests."""

from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent

# Loaded all the same; collected for doctests they would be modules of one name, which pytest refuses.
collect_ignore_glob = ["*conftest.py"]

# How long an example takes says more about the machine's other work than about the code.
settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with the AVeriTeC data, ``../shared`` beside the checkout; users do not have it."""
    folder = ROOT.parent / "shared"
    if not (folder / "data").is_dir():
        pytest.skip(f"needs the AVeriTeC data in {folder / 'data'}")
    return folder
