"""Pages about more than two classes."""

import numpy as np
import pandas as pd
import pytest

from bayesdnf import DNFClassifier, PosteriorDNFClassifier, RuleList
from bayesdnf.data.tables import read_table
from bayesdnf.display.markup import shown
from bayesdnf.display.wording import percent
from bayesdnf.report.facts import gather
from tests.report.pages import OF_DRAWS, SECTIONS, Read, page_of
from tests.report.reported import HOSTILE


@pytest.fixture(scope="module")
def of_classes():
    """Three classes, one of them with a name that would like to be markup."""
    rng = np.random.default_rng(3)
    table = pd.DataFrame({f"x{j}": rng.integers(0, 2, 300) for j in range(5)})
    part = RuleList(["x0 AND x1", "x2"])(read_table(table)).astype(int)
    wrong = np.where(rng.random(300) < 0.1, rng.integers(0, 3, 300), part)
    return table, np.array(["a", "b", HOSTILE[0]])[wrong]


def test_classes_are_a_ladder_with_their_shares(of_classes, tmp_path):
    X, y = of_classes
    model = DNFClassifier(random_state=0).fit(X[:200], y[:200])
    page = page_of(model, X[200:], y[200:], tmp_path, held_out=np.ones(100, dtype=bool))
    read = Read(page)
    assert [section["id"] for section in read.named("section")] == SECTIONS
    assert "<script>window" not in page
    assert "A list of 2 layers and 2 terms separates 3 classes" in read.text
    told = read.text[read.text.index("Read the layers") : read.text.index("The form starts with")]
    for row in model.layers_.itertuples():
        assert f"{row.rows} rows of the fit {shown(row[4])} {percent(row.share)} " in told
    for c, label in enumerate(model.classes_):
        shares = [percent(part[c].mean) for part in model.shares_[::-1]]
        place = told.index(f" {shown(label)} {shares[0]}", told.index("The share of every class"))
        assert all(share in told[place : place + 120] for share in shares)
    facts = gather(model, X[200:], y[200:])
    answered = model.predict(X[200:])
    for answer, row in zip(model.classes_, facts.performance.table, strict=True):
        own = y[200:][answered == answer]
        assert row == tuple(int(np.sum(own == label)) for label in model.classes_)
    assert facts.predict_accuracy == np.mean(answered == y[200:])
    assert f"Accuracy on held-out rows {percent(facts.predict_accuracy)} by predict" in read.text
    assert "Balanced accuracy" in read.text


def test_averages_of_classes(of_classes, tmp_path):
    X, y = of_classes
    few = {"draws": 60, "warmup": 40, "chains": 2, "thin": 20, "random_state": 0}
    model = PosteriorDNFClassifier(layers=2, **few).fit(X[:200], y[:200])
    read = Read(page_of(model, X[200:], y[200:], tmp_path))
    assert [section["id"] for section in read.named("section")] == OF_DRAWS
    assert "Probabilities of 3 classes are averaged over" in read.text
    facts = gather(model, X[200:], y[200:])
    assert sum(b.positives + b.negatives for b in facts.averaged.bins) == 100
    right = np.mean(model.predict(X[200:]) == y[200:])
    assert sum(b.positives for b in facts.averaged.bins) == round(100 * right)
    assert [len(part.shares) for part in facts.parts] == [3] * len(facts.parts)


def test_no_rule_for_classes_strata_and_many_of_them(tmp_path):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({f"x{j}": rng.integers(0, 2, 240) for j in range(4)})
    noise_y = rng.permutation(np.repeat(list("abc"), 80))
    read = Read(page_of(DNFClassifier(random_state=0).fit(X, noise_y), X, noise_y, tmp_path))
    assert "The data do not support any rule for the class" in read.text
    assert "The same shares for all" in read.text
    many = np.where(X["x0"] == 1, rng.integers(0, 6, 240), rng.integers(6, 12, 240))
    site = np.arange(240) % 2
    model = DNFClassifier(layers=1, random_state=0).fit(X, many, strata=site)
    facts = gather(model, X, many, strata=site)
    assert sorted(c.color for c in facts.classes) == [0] * 4 + list(range(1, 9))
    assert sum(c.fitted for c in facts.classes) == 240
    read = Read(page_of(model, X, many, tmp_path, strata=site))
    assert "4 other classes" in read.text
    assert "The classes in each stratum" in read.text
