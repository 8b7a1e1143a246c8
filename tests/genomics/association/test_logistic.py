"""Logistic regression, with and without Firth's penalty."""

import numpy as np
import pytest
from scipy.optimize import minimize

from bayesdnf.genomics.association.logistic import (
    firth_interval,
    firth_test,
    fit_firth,
    fit_logistic,
)


def table(a, b, c, d):
    """Rows of a two by two table: cases and controls without and with the factor."""
    X = np.repeat([[1.0, 0.0], [1.0, 1.0]], [a + b, c + d], axis=0)
    return X, np.repeat([True, False, True, False], [a, b, c, d])


def made(seed, n=150, p=3):
    rng = np.random.default_rng(seed)
    X = np.column_stack([np.ones(n), rng.normal(size=(n, p))])
    return X, rng.random(n) < 1 / (1 + np.exp(-X @ rng.normal(0, 0.7, p + 1)))


@pytest.mark.parametrize("seed", range(3))
def test_the_maximum_is_that_of_a_general_search(seed):
    X, y = made(seed)
    sign = np.where(y, -1, 1)

    def loss(beta):
        return np.logaddexp(0, sign * (X @ beta)).sum()

    fit = fit_logistic(X, y)
    other = minimize(loss, np.zeros(4), method="BFGS", options={"gtol": 1e-8})
    np.testing.assert_allclose(fit.beta, other.x, atol=1e-4)
    assert fit.log_likelihood == pytest.approx(-other.fun)


def test_a_two_by_two_table_has_the_textbooks_odds_and_error():
    fit = fit_logistic(*table(10, 30, 20, 15))
    assert fit.beta[1] == pytest.approx(np.log((20 / 15) / (10 / 30)))
    assert fit.error[1] == pytest.approx(np.sqrt(1 / 10 + 1 / 30 + 1 / 20 + 1 / 15))


@pytest.mark.parametrize("counts", [(10, 30, 20, 0), (0, 30, 20, 5), (0, 30, 20, 0)])
def test_separation_has_no_maximum_and_firth_is_finite(counts):
    X, y = table(*counts)
    assert fit_logistic(X, y) is None
    fit = fit_firth(X, y)
    assert fit.converged
    a, b, c, d = (count + 0.5 for count in counts)
    assert fit.beta[1] == pytest.approx(np.log((c / d) / (a / b)), abs=1e-6)


def test_columns_that_repeat_each_other_have_no_maximum():
    X, y = made(0)
    assert fit_logistic(np.column_stack([X, X[:, 1]]), y) is None


def test_the_interval_ends_where_the_profile_has_fallen():
    X, y = table(10, 30, 20, 15)
    fit = fit_firth(X, y)
    low, high = firth_interval(X, y, fit, 1, drop=1.92)
    assert low < fit.beta[1] < high
    wide = firth_interval(X, y, fit, 1, drop=3)
    assert wide[0] < low < high < wide[1]
    # For counts like these it is close to that of Wald.
    assert high - low == pytest.approx(2 * 1.96 * fit.error[1], rel=0.05)


def test_the_test_says_what_the_interval_says():
    from scipy.stats import chi2

    X, y = table(10, 30, 20, 15)
    fit = fit_firth(X, y)
    p = firth_test(X, y, fit, 1)
    low, _ = firth_interval(X, y, fit, 1, drop=chi2.isf(p, 1) / 2)
    assert low == pytest.approx(0, abs=1e-4)  # zero is just on the border of that level
    assert (
        firth_test(X, np.arange(len(y)) % 2 == 0, fit_firth(X, np.arange(len(y)) % 2 == 0), 1) > 0.5
    )
