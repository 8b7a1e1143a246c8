"""A real browser for pages: Debian's Chromium and its driver, by their paths."""

import base64
from pathlib import Path

import pytest

CHROMIUM, DRIVER = Path("/usr/bin/chromium"), Path("/usr/bin/chromedriver")


def open_browser():
    """Start a browser without a window; skips the test where there is none."""
    absent = [str(path) for path in (CHROMIUM, DRIVER) if not path.exists()]
    if absent:
        pytest.skip(f"{' and '.join(absent)} not there; 'make browser' installs them")
    webdriver = pytest.importorskip("selenium.webdriver")
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for flag in ("headless=new", "no-sandbox", "disable-dev-shm-usage", "hide-scrollbars"):
        options.add_argument(f"--{flag}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=Service(str(DRIVER)))


class Page:
    """A page in the browser."""

    def __init__(self, driver, path):
        self.driver = driver
        driver.get(Path(path).resolve().as_uri())

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def find(self, selector):
        return self.driver.find_elements("css selector", selector)

    def texts(self, selector):
        return [element.text for element in self.find(selector)]

    def errors(self):
        """Everything that the console was told since the last time."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def resize(self, width, scheme="light"):
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500},
        )
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia",
            {"features": [{"name": "prefers-color-scheme", "value": scheme}]},
        )

    def picture(self, path, start=None, end=None):
        """Write the page as a PNG: all of it, or from the top of one element to that of another."""
        width, top, bottom = self.run(
            "const e = document.documentElement, top = s => scrollY +"
            " document.querySelector(s).getBoundingClientRect().top;"
            "return [e.clientWidth, arguments[0] ? top(arguments[0]) : 0,"
            " arguments[1] ? top(arguments[1]) : e.scrollHeight]",
            start,
            end,
        )
        clip = {"x": 0, "y": top, "width": width, "height": bottom - top, "scale": 1}
        shot = self.driver.execute_cdp_cmd(
            "Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip}
        )
        Path(path).write_bytes(base64.b64decode(shot["data"]))
