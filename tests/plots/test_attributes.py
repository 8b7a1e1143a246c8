"""Pictures of attributes: what stands in their axes."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from bayesdnf import Geometric, PosteriorDNFClassifier, Prior, plots
from bayesdnf.errors import ParameterError
from bayesdnf.report.attribute_pictures import attribute_pictures


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"$age$": rng.integers(20, 80, 200), "odor": rng.choice(list("fna"), 200)})
    X["gap"] = np.where(rng.random(200) < 0.2, np.nan, rng.integers(0, 30, 200))
    risk = np.where((X["$age$"] >= 50) & (X["odor"] == "f") | (X["gap"] >= 20), 0.95, 0.05)
    return X, rng.random(200) < risk


@pytest.fixture(scope="module")
def model(rows):
    few = {"draws": 50, "warmup": 50, "chains": 2, "thin": 20, "random_state": 0}
    return PosteriorDNFClassifier(**few).fit(*rows)


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def test_bars_are_the_table(model, rows):
    table = model.importance(*rows)
    included, lost = plots.importance(model, *rows)[0]
    assert [bar.get_width() for bar in included.patches] == pytest.approx(list(table["inclusion"]))
    assert [bar.get_width() for bar in lost.patches] == pytest.approx(list(table["log_loss"]))
    [first] = plots.importance(model, *rows, most=1)[0, 0].get_yticklabels()
    assert first.get_text() == table["attribute"][0]


@pytest.mark.parametrize("attribute", ["$age$", "odor", "gap"])
def test_risks_along(model, rows, attribute):
    table = model.risk_along(rows[0], attribute)
    ax = plots.risk_along(model, rows[0], attribute)
    assert ax.get_xlabel() == attribute
    ax.figure.canvas.draw()
    drawn = ax.lines[0].get_ydata() if attribute == "odor" else ax.patches[0].get_data().values
    assert list(drawn) == pytest.approx(list(table["risk"][table["values"] != "missing"]))


@pytest.mark.parametrize("classes", [2, 3])
def test_the_highest_value_alone_is_seen(classes):
    """Its step has no width: of yes and no only the risk of no was drawn."""
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"flag": rng.random(300) < 0.4, "stage": rng.integers(0, 5, 300)})
    y = np.where(X["flag"] & (rng.random(300) < 0.9), 1, np.where(X["stage"] == 4, classes - 1, 0))
    few = {"draws": 50, "warmup": 50, "chains": 2, "thin": 20, "random_state": 0}
    model = PosteriorDNFClassifier(prior=Prior(count=Geometric(0.5)), **few).fit(X, y)
    for attribute in X:
        table = model.risk_along(X, attribute)
        highest = table[table["last"] == table["last"].max()]
        assert (highest["first"] == highest["last"]).all()
        ax = plots.risk_along(model, X, attribute)
        marked = [line.get_ydata()[-1] for line in ax.lines if line.get_marker() == "o"]
        assert marked == pytest.approx(list(highest["risk"]))
    ax = plots.risk_along(model, X, "flag")
    assert [text.get_text() for text in ax.get_xticklabels()] == ["0", "1"]


def test_pairs_of_attributes(model):
    ax = plots.coinclusion(model.draws_, kind="attribute")
    assert {text.get_text() for text in ax.get_yticklabels()} >= {"$age$", "odor"}
    with pytest.raises(ParameterError, match="kind"):
        plots.coinclusion(model.draws_, kind="term")


def test_pictures_of_the_report(model, rows):
    pictures = attribute_pictures(model, *rows)
    assert len(pictures) == 5
    assert plt.get_fignums() == []
