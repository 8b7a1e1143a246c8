"""Priors compared by evidence and by cross-validation."""

import numpy as np
import pytest
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from bayesdnf import (
    BitMatrix,
    DNFClassifier,
    Geometric,
    Poisson,
    Posterior,
    Prior,
    compare_priors,
    cross_validate_priors,
    simulate,
)
from bayesdnf.errors import InputError, ParameterError
from tests.estimators.planted_list import confounded

PRIORS = {
    "default": Prior(),
    "one term": Prior(count=Geometric(0.5), max_terms=1),
    "long terms": Prior(size=Poisson(9)),
}


@pytest.mark.slow
def test_evidence_is_the_exact_one():
    X, y, _ = simulate(80, 4, random_state=2)
    bits = BitMatrix.from_table(X)
    told = compare_priors(bits, y, PRIORS, draws=1000, warmup=200, thin=20, random_state=0)
    exact = {
        name: Posterior(bits, y, prior).enumerate().attrs["log_evidence"]
        for name, prior in PRIORS.items()
    }
    for name, row in told.iterrows():
        assert row["log_evidence"] == pytest.approx(exact[name], abs=0.15)
    weights = np.exp(told["log_evidence"])
    assert told["probability"].to_numpy() == pytest.approx((weights / weights.sum()).to_numpy())
    assert list(told.index) == sorted(exact, key=exact.get, reverse=True)


@pytest.mark.slow
def test_cross_validation_is_that_of_a_grid_search():
    X, y, _ = simulate(150, 6, random_state=1)
    told = cross_validate_priors(X, y, PRIORS)
    grid = GridSearchCV(
        DNFClassifier(random_state=0), {"prior": list(PRIORS.values())}, scoring="neg_log_loss"
    ).fit(X, y)
    losses = dict(zip(PRIORS, -grid.cv_results_["mean_test_score"], strict=True))
    assert told["log_loss"].to_dict() == pytest.approx(losses)
    assert told["log_loss"].is_monotonic_increasing


def test_folds_take_their_strata_along():
    X, y, site = confounded(200)
    quick = DNFClassifier(random_state=0, restarts=4)
    folds = StratifiedKFold(2)
    told = cross_validate_priors(X, y, {"": Prior()}, estimator=quick, cv=folds, strata=site)
    losses = []
    for train, test in folds.split(X, y):
        model = quick.fit(X.iloc[train], y[train], strata=site[train])
        losses.append(log_loss(y[test], model.predict_proba(X.iloc[test], strata=site[test])))
    assert told["log_loss"].item() == pytest.approx(np.mean(losses))
    with pytest.raises(InputError, match=r"strata has shape \(3,\) for 200 rows of X"):
        cross_validate_priors(X, y, {"": Prior()}, strata=list("abc"))


def test_nothing_to_compare_is_refused():
    X, y, _ = simulate(30, 4, random_state=0)
    with pytest.raises(ParameterError, match="'priors' parameter of compare_priors"):
        compare_priors(BitMatrix.from_table(X), y, {})
    with pytest.raises(ParameterError, match="'priors' parameter of cross_validate_priors"):
        cross_validate_priors(X, y, [Prior()])
