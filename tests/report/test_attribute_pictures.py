"""Pictures of attributes in reports."""

import base64
import sys

import numpy as np
import pytest

from bayesdnf import PosteriorDNFClassifier, simulate
from bayesdnf.errors import BayesDNFWarning
from bayesdnf.report.attribute_pictures import attribute_pictures

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("no_trace_left")]


@pytest.fixture(scope="module")
def drawn():
    X, y, _ = simulate(120, 4, terms=(2,), random_state=3)
    settings = {"layers": 1, "draws": 60, "warmup": 30, "thin": 5, "chains": 2}
    return PosteriorDNFClassifier(**settings, random_state=0).fit(X, y), X, y


def test_importance_risks_along_attributes_and_pairs(drawn):
    pictures = attribute_pictures(*drawn)
    model, X, y = drawn
    first = model.importance(X, y)["attribute"][:3]
    assert len(pictures) == 2 + len(first)
    for name, picture in zip(first, pictures[1:-1], strict=True):
        assert picture.title.endswith(name)
    assert all(base64.b64decode(p.data).startswith(b"\x89PNG") for p in pictures)


def test_characters_that_the_font_lacks_are_named_once():
    """Every picture told a line of matplotlib's for each of them."""
    X, y, _ = simulate(120, 3, terms=(2,), random_state=3)
    X = X.set_axis(["\u65e5\u672c", "\u7532", "x"], axis=1)
    settings = {"layers": 1, "draws": 60, "warmup": 30, "thin": 5, "chains": 2}
    model = PosteriorDNFClassifier(**settings, random_state=0).fit(X, y)
    with pytest.warns(BayesDNFWarning, match="boxes for .*\u65e5.*, which no installed") as told:
        attribute_pictures(model, X, y)
    assert len(told) == 1


def test_no_pictures_without_matplotlib(drawn, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    assert attribute_pictures(*drawn) == ()


def test_no_pictures_where_no_rule_uses_an_attribute():
    X, y = np.zeros((30, 2)), np.arange(30) % 2
    X[0, 0] = 1
    settings = {"layers": 1, "draws": 20, "warmup": 10, "thin": 2, "chains": 2}
    from bayesdnf import Geometric, Prior

    prior = Prior(Geometric(0.999999, start=0))
    model = PosteriorDNFClassifier(prior=prior, **settings, random_state=0).fit(X, y)
    assert model.draws_.only_null
    assert attribute_pictures(model, X, y) == ()
