"""The examples in docs/ run, each page from top to bottom, and links lead somewhere."""

import doctest
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_examples(page):
    test = doctest.DocTestParser().get_doctest(page.read_text(), {}, page.name, str(page), 0)
    report = []
    failed, _ = doctest.DocTestRunner(optionflags=OPTIONS).run(test, out=report.append)
    assert not failed, "".join(report)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_links(page):
    for link in re.findall(r"\]\(([^)#\s]+)", page.read_text()):
        if "://" not in link:
            assert (page.parent / link).exists(), f"{page.name} links to {link}, which is not there"
