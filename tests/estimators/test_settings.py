"""Parameters of classifiers."""

import pytest
from sklearn.base import clone

from bayesdnf import (
    DNFClassifier,
    Effect,
    Geometric,
    Poisson,
    Prior,
)
from bayesdnf.errors import ParameterError
from tests.estimators.mixed_table import LABELS


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("prior", "flat"),
        ("effect", Prior()),
        ("restarts", 0),
        ("agree", 1.5),
        ("steps", True),
        ("time_limit", 0),
        ("n_jobs", 0),
        ("device", "gpu"),
        ("random_state", -1),
        ("random_state", "seed"),
        ("allow_missing_columns", "yes"),
        ("verbose", -1),
        ("negations", 3),
        ("thresholds", 0),
        ("kinds", {"odor": "weird"}),
        ("missing_values", "?"),
    ],
)
def test_wrong_parameters_are_told_in_fit_only(table, name, value):
    clf = DNFClassifier(**{name: value})
    with pytest.raises(ParameterError, match=f"The '{name}' parameter"):
        clf.fit(table, LABELS)


def test_fit_leaves_the_parameters_alone(table):
    prior, effect = Prior(size=Poisson(3)), Effect(a1=2)
    clf = DNFClassifier(prior=prior, effect=effect, random_state=0).fit(table, LABELS)
    before = clf.log_posterior_, clf.predict_proba(table).tolist()
    clf.set_params(prior__size=Poisson(9), effect__a1=5)
    assert clf.prior_ == Prior(size=Poisson(3))
    assert clf.effect_ == Effect(a1=2)
    assert (clf.log_posterior_, clf.predict_proba(table).tolist()) == before


def test_nested_parameters():
    clf = DNFClassifier(prior=Prior(size=Poisson(2)))
    assert clf.get_params()["prior__size"] == Poisson(2)
    assert "prior__size" not in DNFClassifier().get_params()
    copy = clone(clf).set_params(prior__count=Geometric(0.1))
    assert copy.prior.count == Geometric(0.1)
    assert clf.prior.count == Prior().count
    assert DNFClassifier().set_params(effect__a1=3).effect == Effect(a1=3)
    assert DNFClassifier().set_params(prior=None, prior__max_terms=2).prior == Prior(max_terms=2)
