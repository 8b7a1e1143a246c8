"""Measures on held-out rows, beside scikit-learn."""

import math

import numpy as np
import pytest
from sklearn import metrics

from bayesdnf import DNFClassifier
from bayesdnf.estimators.held_out import measure, measures_of
from bayesdnf.estimators.presenting.measured import fitted_lines, measured_lines
from tests.estimators.rare_cases import rare_cases


@pytest.fixture(scope="module")
def rare():
    return rare_cases()


@pytest.fixture(scope="module")
def model(rare):
    return DNFClassifier(random_state=0, restarts=4).fit(rare.drop(columns="y"), rare["y"])


def slow_measures(truth, said):
    precision = metrics.precision_score(truth, said, zero_division=np.nan)
    return (
        metrics.accuracy_score(truth, said),
        metrics.balanced_accuracy_score(truth, said),
        precision,
        metrics.recall_score(truth, said),
    )


@pytest.mark.parametrize("threshold", [None, 0.05, 0.2])
def test_measures_are_those_of_scikit_learn(rare, model, threshold):
    X, truth = rare.drop(columns="y"), (rare["y"] == "yes").to_numpy()
    risk = model.predict_proba(X)[:, 1]
    said = risk > 0.5 if threshold is None else risk >= threshold
    found = measure(model, X, truth, "here", threshold=threshold)
    assert found.predict == pytest.approx(slow_measures(truth, said), nan_ok=True)
    assert found.marked == pytest.approx(slow_measures(truth, model.marked(X)))
    assert found.errors == (said != truth).sum()
    # The summary knows the same from counts alone.
    lines = fitted_lines(model, threshold)
    assert lines[1:] == measured_lines(found.predict, found.marked, threshold)


def test_nothing_to_divide_by():
    assert math.isnan(measures_of(0, 0, 1, 9).precision)
    assert math.isnan(measures_of(0, 0, 0, 9).recall)
