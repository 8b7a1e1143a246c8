"""Take the pictures of reports in README.md and docs/report.md: rule, posterior, form on a phone.

python tools/report_pictures.py docs
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from bayesdnf import DNFClassifier, PosteriorDNFClassifier, datasets

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.report.browsers import Page, open_browser

WIDE, PHONE = 900, 390


def main() -> None:
    """Fit, report, and look at the reports in a browser."""
    docs, folder = Path(sys.argv[1]), Path(tempfile.mkdtemp())
    X, y = datasets.load_mushroom()
    rule = DNFClassifier(positive="p", random_state=0).fit(X[::2], y[::2])
    settings = {"layers": 1, "negations": False, "draws": 4000}
    few = PosteriorDNFClassifier(positive="p", random_state=0, **settings)
    few.fit(X[::40], y[::40])
    driver = open_browser()
    try:
        page = Page(driver, rule.report(X[1::2], y[1::2], folder / "rule.html"))
        for scheme, name in (("light", "report"), ("dark", "report-dark")):
            page.resize(WIDE, scheme)
            page.picture(docs / f"{name}.png", end="#try")
        page.resize(WIDE)
        page.picture(docs / "report-top.png", end="#rule")
        page.resize(PHONE, "dark")
        page.picture(docs / "report-phone.png", "#try", "#test")
        page = Page(driver, few.report(X[1::40], y[1::40], folder / "posterior.html"))
        for scheme, name in (("light", "posterior"), ("dark", "posterior-dark")):
            page.resize(WIDE, scheme)
            page.picture(docs / f"report-{name}.png", end="#sure")
    finally:
        driver.quit()


if __name__ == "__main__":
    main()
