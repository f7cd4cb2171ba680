"""A visitor for tests in a real browser, who opens a page and uses it; skipped where Selenium is missing."""

from contextlib import contextmanager

import pytest

from tests.helpers.processes import PATIENCE

By = pytest.importorskip("selenium.webdriver.common.by").By
Keys = pytest.importorskip("selenium.webdriver.common.keys").Keys
Wait = pytest.importorskip("selenium.webdriver.support.ui").WebDriverWait

PHONE = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}


@contextmanager
def on_a_phone(browser):
    """Make the browser's window that of a phone."""
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", PHONE)
    try:
        yield
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


class Visitor:
    """Somebody who opens an address."""

    def __init__(self, browser, address):
        self.browser = browser
        browser.get("about:blank")
        browser.get_log("browser")
        browser.get(address)

    def all(self, selector):
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return self.until(lambda: next((e for e in self.all(selector) if e.is_displayed()), None))

    def until(self, condition):
        return Wait(self.browser, PATIENCE).until(lambda _: condition())

    def keys(self, *keys):
        self.browser.switch_to.active_element.send_keys(*keys)

    def errors(self):
        return [entry["message"] for entry in self.browser.get_log("browser")]
