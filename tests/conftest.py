"""Fixtures for all tests."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with the AVeriTeC data, ``../shared`` beside the checkout; users do not have it."""
    folder = ROOT.parent / "shared"
    if not (folder / "data").is_dir():
        pytest.skip(f"needs the AVeriTeC data in {folder / 'data'}")
    return folder
