"""Fixtures for all tests."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

import pytest
from hypothesis import settings

# Loaded all the same; collected for doctests they would be modules of one name, which pytest refuses.
collect_ignore_glob = ["*conftest.py"]

# How long an example takes says more about the machine's other work than about the code.
settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")


@pytest.fixture(scope="session", autouse=True)
def no_service_of_the_user() -> Iterator[None]:
    """Keep tests and their processes away from a service that the user runs: its socket is elsewhere for them."""
    with TemporaryDirectory(prefix="run-") as folder, pytest.MonkeyPatch.context() as patch:  # a short path
        patch.setenv("XDG_RUNTIME_DIR", folder)
        yield


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with the AVeriTeC data, ``../shared`` beside the checkout; users do not have it."""
    folder = Path(__file__).resolve().parents[2] / "shared"
    if not (folder / "data").is_dir():
        pytest.skip(f"needs the AVeriTeC data in {folder / 'data'}")
    return folder


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A headless Chromium that keeps its console's log; its tests are skipped where none is installed."""
    binary, driver = shutil.which("chromium") or shutil.which("google-chrome"), shutil.which("chromedriver")
    if not (binary and driver):
        pytest.skip("needs Chromium and its driver (Debian: apt install chromium chromium-driver)")
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1440,1000"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    chrome = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    yield chrome
    chrome.quit()


@pytest.fixture(scope="session")
def maker() -> ModuleType:
    """The module that makes the tiny model."""
    from tests.helpers import tiny_model  # imports large libraries, which few tests need

    return tiny_model


@pytest.fixture(scope="session")
def tiny_tokenizer(maker: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Folder of the tiny model's tokenizer, for tests that need no weights."""
    folder = tmp_path_factory.mktemp("tokenizer")
    maker.make_tokenizer().save_pretrained(str(folder))
    return str(folder)


@pytest.fixture(scope="session")
def tiny_model(maker: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with base/, awq/ and three adapters."""
    folder = tmp_path_factory.mktemp("tiny")
    maker.make(folder)
    return folder
