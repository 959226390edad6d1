"""A person at the console's page, in a real browser."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.common.exceptions import TimeoutException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.support.ui import WebDriverWait

from support.ros_graph import WAIT_S

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")
NEEDS_BROWSER = pytest.mark.skipif(
    not (CHROMIUM and DRIVER),
    reason="no browser drives the console's page: apt-get install chromium chromium-driver",
)


@contextmanager
def opened(address: str, profile: Path) -> Iterator[Page]:
    """The page at an address, in a browser without a window."""
    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--window-size=1400,1000",
        f"--user-data-dir={profile}",
    ):
        options.add_argument(argument)
    browser = webdriver.Chrome(options, webdriver.ChromeService(DRIVER))
    try:
        browser.get(address)
        yield Page(browser)
    finally:
        browser.quit()


class Page:
    """What the person sees, and their hands."""

    def __init__(self, browser: WebDriver) -> None:
        self.browser = browser

    def shown(self, id_: str) -> str:
        """The text of a part of the page; "" while it is hidden."""
        return self.browser.find_element(By.ID, id_).text

    def wait(self, id_: str, text: str, timeout_s: float = WAIT_S) -> None:
        try:
            WebDriverWait(self.browser, timeout_s).until(lambda _: text in self.shown(id_))
        except TimeoutException:
            whole = self.browser.find_element(By.TAG_NAME, "body").text
            pytest.fail(f"'{text}' is not shown in '{id_}' within {timeout_s} s, but:\n{whole}")

    def press(self, *keys: str) -> None:
        webdriver.ActionChains(self.browser).send_keys(*keys).perform()

    def hold(self, key: str) -> None:
        webdriver.ActionChains(self.browser).key_down(key).perform()

    def let_go(self, key: str) -> None:
        webdriver.ActionChains(self.browser).key_up(key).perform()

    def overwrite(self, words: str) -> None:
        """Of the field that has the focus."""
        chain = webdriver.ActionChains(self.browser)
        chain.key_down(Keys.CONTROL).send_keys("a").key_up(Keys.CONTROL).send_keys(words).perform()

    def click(self, id_: str) -> None:
        element = self.browser.find_element(By.ID, id_)
        self.browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()

    def tab_to(self, name: str) -> None:
        """By the keyboard alone, to what is called so."""
        for _ in range(30):
            if self.browser.switch_to.active_element.accessible_name == name:
                return
            self.press(Keys.TAB)
        pytest.fail(f"the Tab key does not lead to '{name}'")
