"""What a summary says of the rows of the fit, from counts alone, beside measures of these rows."""

import numpy as np

from bayesdnf import DNFClassifier
from bayesdnf.estimators.held_out import measure
from bayesdnf.estimators.presenting.measured import fitted_lines, measured_lines
from tests.estimators.rare_cases import rare_cases


def test_measures_of_lists_and_strata_from_counts():
    rare = rare_cases()
    X, truth = rare.drop(columns="y"), (rare["y"] == "yes").to_numpy()
    strata = X.pop("d").to_numpy()
    clf = DNFClassifier(layers=2, random_state=0, restarts=2).fit(X, truth, strata=strata)
    found = measure(clf, X, truth, "here", strata, threshold=0.1)
    assert found.marked is None
    assert fitted_lines(clf, 0.1)[1:] == measured_lines(found.predict, None, 0.1)


def test_measures_of_several_classes_from_counts():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (300, 4))
    y = np.where(rng.random(300) < 0.1, 2, X[:, 0] + X[:, 0] * X[:, 1])
    clf = DNFClassifier(random_state=0, restarts=4).fit(X, y)
    accuracy = (clf.predict(X) == y).mean()
    title, line = fitted_lines(clf)
    assert title == "On the rows of the fit"
    assert line.startswith(f"  predict: accuracy {accuracy:.4f} (balanced ")


def test_the_null_function_is_not_measured():
    clf = DNFClassifier(random_state=0, restarts=4)
    clf.fit(np.arange(40)[:, None] % 2, np.arange(40) // 2 % 2)
    assert clf.function_.is_null
    assert fitted_lines(clf) == []
