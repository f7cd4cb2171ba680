"""A headless Chromium for tests that click through the report; skipped where none is installed."""

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

WINDOW = "1440,1000"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A browser that keeps its console's log."""
    binary, driver = shutil.which("chromium") or shutil.which("google-chrome"), shutil.which("chromedriver")
    if not (binary and driver):
        pytest.skip("needs Chromium and its driver (Debian: apt install chromium chromium-driver)")
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", f"--window-size={WINDOW}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    chrome = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    yield chrome
    chrome.quit()
