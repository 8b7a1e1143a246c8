"""Tests of single variants beside obvious loops: strata, sexes, haploid calls, inflation."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from bayesdnf.genomics.association import single_tests
from bayesdnf.genomics.association.logistic import fit_logistic
from bayesdnf.genomics.association.single_tests import (
    Inflation,
    additive_effects,
    allelic_test,
    trend_statistics,
)
from tests.genomics.twins import make


@pytest.fixture(scope="module")
def study():
    rng = np.random.default_rng(0)
    calls = rng.binomial(2, rng.uniform(0.1, 0.5, (12, 1)), (12, 400))
    calls[rng.random(calls.shape) < 0.05] = -1
    sex = rng.integers(1, 3, 400)
    males = calls[8:, sex == 1]
    calls[8:, sex == 1] = np.where(males == 1, 2, males)
    packed = make(calls, ["1"] * 8 + ["X"] * 4, sex=sex)
    strata = rng.integers(0, 3, 400)
    return packed, calls, sex, rng.random(400) < 0.2 + 0.2 * strata, strata


def cmh(copies, y, group):
    """Sum over groups of observed minus expected copies in cases, squared, by its variance."""
    difference = variance = 0.0
    for g in np.unique(group):
        x, case = copies[(group == g) & (copies >= 0)], y[(group == g) & (copies >= 0)]
        if len(x) > 1:
            difference += (x[case]).sum() - case.sum() * x.mean()
            variance += case.sum() * (~case).sum() / len(x) * x.var(ddof=1)
    return difference**2 / variance


def test_trends_are_cochran_mantel_and_haenszels(study, monkeypatch):
    packed, calls, sex, y, strata = study
    found = trend_statistics(packed, y, [strata == s for s in range(3)])
    for v in range(12):
        group = strata if v < 8 else 3 * sex + strata
        assert found[v] == pytest.approx(cmh(calls[v].astype(float), y, group))
    monkeypatch.setattr(single_tests, "_STRETCH", 5)  # variants at a time, X among them
    np.testing.assert_array_equal(
        trend_statistics(packed, y, [strata == s for s in range(3)]), found
    )
    plain = trend_statistics(packed, y)
    assert plain[0] == pytest.approx(cmh(calls[0].astype(float), y, np.zeros(400)))


def test_additive_effects_are_those_of_logistic_regression(study):
    packed, calls, _, y, strata = study
    beta, error = additive_effects(packed, y, [strata == s for s in range(3)])
    for v in range(8):
        known = calls[v] >= 0
        design = np.column_stack([calls[v], *(strata == s for s in range(3))])[known]
        fit = fit_logistic(design.astype(float), y[known])
        assert beta[v] == pytest.approx(fit.beta[0], abs=1e-6)
        assert error[v] == pytest.approx(fit.error[0], rel=1e-5)


def test_a_variant_that_separates_cases_has_no_estimate():
    packed = make([[0, 0, 0, 1, 1, 2], [1, 1, 1, 1, 1, 1]])
    beta, error = additive_effects(packed, np.array([False] * 3 + [True] * 3))
    assert np.isnan(beta).all()
    assert np.isnan(error).all()


def test_males_count_once_on_x(study):
    packed, calls, sex, y, _ = study
    odds, p, cases, controls = allelic_test(packed, y)
    for v in range(12):
        table = np.zeros((2, 2))
        for copies, male, case in zip(calls[v], sex == 1, y, strict=True):
            if copies >= 0:
                one = v >= 8 and male
                table[0 if case else 1] += [copies // 2, 1 - copies // 2] if one else [
                    copies, 2 - copies,
                ]  # fmt: skip
        assert p[v] == pytest.approx(chi2_contingency(table, correction=False)[1])
        (a, b), (c, d) = table
        assert odds[v] == pytest.approx(a * d / (b * c))
        assert (cases[v], controls[v]) == pytest.approx((a / (a + b), c / (c + d)))


def test_the_interval_of_lambda_covers_it():
    rng = np.random.default_rng(1)
    hit = 0
    for _ in range(200):
        found = Inflation.of(1.2 * rng.chisquare(1, 500), 1000, 1000)
        hit += found.low <= 1.2 <= found.high
        assert found.per_1000 == pytest.approx(found.value)
    assert 180 <= hit <= 199
    assert "too few" in str(Inflation.of(np.ones(5), 10, 10))
    assert not Inflation.of(np.ones(5), 10, 10).known


def test_lambda_for_1000_is_left_out_where_it_would_be_absurd():
    tests = np.random.default_rng(0).chisquare(1, 200)
    few = Inflation.of(1.3 * tests, 60, 500)
    assert np.isnan([few.per_1000, few.per_1000_low, few.per_1000_high]).all()
    assert "1,000" not in str(few)
    below = Inflation.of(0.5 * tests, 250, 250)  # 1 + (λ - 1) * 4 < 0
    assert np.isnan(below.per_1000)
    assert "for 1,000 cases and controls" in str(Inflation.of(1.3 * tests, 400, 400))


def test_one_copy_on_y_and_mt_counts_as_one():
    y = np.arange(80) % 40 < np.repeat([10, 20], 40)
    calls = np.repeat([0, 2], 40) * np.ones((3, 1), dtype=int)
    calls[0] //= 2
    beta, error = additive_effects(make(calls, ["1", "Y", "MT"], sex=1), y)
    np.testing.assert_allclose(beta, np.log(3))
    np.testing.assert_allclose(error, np.sqrt(1 / 10 + 1 / 30 + 1 / 20 + 1 / 20))
