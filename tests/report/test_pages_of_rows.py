"""What a page says of rows that were in the fit, and of rows that were held out."""

import numpy as np
import pandas as pd

from bayesdnf import DNFClassifier
from bayesdnf.display.wording import percent
from tests.report.pages import Read, page_of
from tests.report.reported import mixed


def test_rows_of_the_fit_are_never_called_held_out(labelled, tmp_path):
    model, X, y = labelled
    text = Read(page_of(model, X.sample(frac=1, random_state=1), y, tmp_path)).text
    assert "There are no held-out rows" in text  # of other labels: cannot be told apart, so no
    shuffled = X.assign(y=y).sample(frac=1, random_state=1)
    text = Read(page_of(model, shuffled.drop(columns="y"), shuffled["y"], tmp_path)).text
    assert "All 600 rows were in the fit" in text
    assert "There are no held-out rows" in text
    assert "Accuracy on held-out rows" not in text


def test_other_rows_are_held_out(labelled, tmp_path):
    model, *_ = labelled
    X, y = mixed(300, seed=9)
    read = Read(page_of(model, X, y, tmp_path))
    assert "None of these 300 rows was in the fit" in read.text
    assert "There are no held-out rows" not in read.text
    right = float(np.mean(model.marked(X) == (y == "ill")))
    assert f"Accuracy on held-out rows {percent(right)}" in read.text
    # Parts are counted on the rows of the fit, terms on those that are there.
    marked = int(model.counts_.n_marked)
    assert f"{marked} rows of the fit" in read.text
    assert "Held-out rows Share of" in read.text


def test_the_rows_of_the_fit_need_no_words(labelled, tmp_path):
    model, X, y = labelled
    text = Read(page_of(model, X, y, tmp_path)).text
    assert "rows of the fit" not in text
    assert "Held-out rows" not in text
    other, labels = mixed(300, seed=9)
    both = pd.concat([X, other], ignore_index=True), np.concatenate([y, labels])
    held_out = np.arange(900) >= 600
    assert "rows of the fit" not in Read(page_of(model, *both, tmp_path, held_out=held_out)).text
    assert "Rows here Share of" in Read(page_of(model, *both, tmp_path)).text


def test_rows_among_which_those_of_the_fit_are_hidden_are_not_held_out(labelled, tmp_path):
    model, X, y = labelled
    more, labels = mixed(300, seed=9)
    both = pd.concat([more, X], ignore_index=True)
    text = Read(page_of(model, both, np.concatenate([labels, y]), tmp_path)).text
    assert "cannot be called held out" in text
    assert "There are no held-out rows" in text


def test_rows_known_to_be_held_out_are_measured_alone(labelled, tmp_path):
    model, X, y = labelled
    more, labels = mixed(300, seed=9)
    both, every = pd.concat([X, more], ignore_index=True), np.concatenate([y, labels])
    text = Read(page_of(model, both, every, tmp_path, held_out=np.arange(900) >= 600)).text
    assert "600 of 900 rows were in the fit; 300 were held out" in text
    right = float(np.mean(model.marked(more) == (labels == "ill")))
    assert f"Accuracy on held-out rows {percent(right)} by predict and marked, of 300 rows" in text


def test_both_accuracies_are_named_where_they_differ(tmp_path):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"gene": rng.integers(0, 2, 1000), "other": rng.integers(0, 2, 1000)})
    y = rng.random(1000) < np.where(X["gene"] == 1, 0.3, 0.01)
    model = DNFClassifier(random_state=0).fit(X[:500], y[:500])
    rest = page_of(model, X[500:], y[500:], tmp_path, held_out=np.ones(500, dtype=bool))
    by_predict, by_rule = np.mean(~y[500:]), np.mean(y[500:] == (X["gene"][500:] == 1))
    text = Read(rest).text
    assert f"{percent(by_predict)} by predict, {percent(by_rule)} by marked, of 500 rows" in text
    assert f"predict: accuracy {by_predict:.4f} (balanced 0.5000)" in text
    assert f"marked: accuracy {by_rule:.4f}" in " ".join(text.split())


def test_weights_are_told(tmp_path):
    X, y = mixed(200)
    weights = np.arange(200) % 3
    model = DNFClassifier(positive="ill", random_state=0).fit(X, y, sample_weight=weights)
    text = Read(page_of(model, X[weights > 0], y[weights > 0], tmp_path)).text
    assert "All 133 rows were in the fit. The fit weighted them; here each counts once." in text
    # The rows that did not count are new to the rule, the others are not.
    assert "cannot be called held out" in Read(page_of(model, X, y, tmp_path)).text
