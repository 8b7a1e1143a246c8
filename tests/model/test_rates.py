"""Rates given a function: exact summaries against plain integration, draws against both."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from bayesdnf import BitMatrix, Effect, Posterior
from bayesdnf.errors import ParameterError
from bayesdnf.model.rates import Counts, Rates
from tests import reference
from tests.fewer import first
from tests.model import slow_order

COUNTS = [
    Counts(100, 40, 30, 25),
    Counts(60, 30, 30, 15),  # alike
    Counts(200, 100, 100, 30),  # reversed
    Counts(20, 8, 0, 0),
    Counts(20, 8, 20, 8),
    Counts(5000, 900, 1000, 600),
    Counts(4, 1, 2, 1),
]
EFFECTS = [
    Effect(),
    Effect(a0=0.5, b0=0.5, a1=0.5, b1=0.5),
    Effect(a0=2.5, b0=3, a1=2, b1=1),
    Effect(a0=2, b0=3, a1=1.25, b1=0.75),
    Effect(ordered=False, a0=0.3),
]


def parameters_of(counts, effect):
    return reference.posterior_parameters(*counts, effect.a0, effect.b0, effect.a1, effect.b1)


def cdfs_of(counts, effect):
    """Distribution functions of the two rates, by the twin."""
    alpha0, beta0, alpha1, beta1 = parameters_of(counts, effect)
    if effect.ordered is False:
        return stats.beta(alpha0, beta0).cdf, stats.beta(alpha1, beta1).cdf
    grid = slow_order.OrderedGrid(alpha0, beta0, alpha1, beta1)
    return (lambda x: grid.cdf(0, x)), (lambda x: grid.cdf(1, x))


@pytest.mark.slow
@pytest.mark.parametrize("effect", EFFECTS, ids=repr)
@pytest.mark.parametrize("counts", first(COUNTS, 4), ids=str)
def test_summary(counts, effect):
    alpha0, beta0, alpha1, beta1 = parameters_of(counts, effect)
    if effect.ordered is not False:
        grid = slow_order.OrderedGrid(alpha0, beta0, alpha1, beta1)
        means = grid.mean(0), grid.mean(1)
    else:
        means = alpha0 / (alpha0 + beta0), alpha1 / (alpha1 + beta1)
    for level in (0.95, 0.5):
        found = Rates(counts, effect).summary(level)
        for one, mean, cdf in zip(found, means, cdfs_of(counts, effect), strict=True):
            assert one.mean == pytest.approx(mean, abs=1e-8)
            ends = cdf(np.array([one.low, one.high]))
            np.testing.assert_allclose(
                ends, [(1 - level) / 2, (1 + level) / 2], atol=5e-6
            )  # the twin's own error


@pytest.mark.slow
@pytest.mark.parametrize("effect", EFFECTS, ids=repr)
@pytest.mark.parametrize("counts", COUNTS, ids=str)
def test_draws(counts, effect):
    draws = Rates(counts, effect).sample(4000, random_state=7)
    assert draws.theta is None
    if effect.ordered is not False:
        assert (draws.pi0 <= draws.pi1).all()
    for values, cdf in zip(draws[:2], cdfs_of(counts, effect), strict=True):
        assert stats.kstest(values, cdf).pvalue > 1e-3


@given(counts=st.sampled_from(COUNTS), effect=st.sampled_from(EFFECTS), seed=st.integers(0, 99))
@settings(max_examples=20)
def test_draws_are_repeatable(counts, effect, seed):
    rates = Rates(counts, effect)
    first, again = rates.sample(5, seed), rates.sample(5, np.random.default_rng(seed))
    np.testing.assert_array_equal(first.pi0, again.pi0)
    np.testing.assert_array_equal(first.pi1, again.pi1)
    assert len(rates.sample(0, seed).pi1) == 0


@pytest.mark.parametrize("effect", [EFFECTS[0], EFFECTS[1]], ids=["whole", "half"])
def test_ordered_draws_are_jointly_right(effect):
    """Not only each rate by itself: their difference too, against rejection."""
    counts = Counts(60, 30, 30, 15)
    draws = Rates(counts, effect).sample(8000, random_state=3)
    alpha0, beta0, alpha1, beta1 = parameters_of(counts, effect)
    rng = np.random.default_rng(4)
    pi0, pi1 = rng.beta(alpha0, beta0, 40_000), rng.beta(alpha1, beta1, 40_000)
    kept = (pi1 - pi0)[pi0 <= pi1]
    assert stats.ks_2samp(draws.pi1 - draws.pi0, kept).pvalue > 1e-3


@pytest.mark.parametrize("effect", [Effect(a=2, b=3), Effect(a=0.5, b=0.5, ordered=False)])
def test_null_function(effect):
    bits = BitMatrix.from_table(np.eye(6))
    rates = Posterior(bits, [1, 1, 0, 0, 0, 0], effect=effect).rates("FALSE")
    single = stats.beta(effect.a + 2, effect.b + 4)
    draws = rates.sample(4000, random_state=1)
    np.testing.assert_array_equal(draws.pi0, draws.pi1)
    assert stats.kstest(draws.pi0, single.cdf).pvalue > 1e-3
    one, other = rates.summary(0.9)
    assert one == other
    assert one == pytest.approx((single.mean(), single.ppf(0.05), single.ppf(0.95)))


def test_null_function_of_known_prevalence():
    rates = Rates(Counts(10, 5, 0, 0), Effect(prevalence=0.01), null=True)
    draws = rates.sample(3, random_state=0)
    assert set(draws.pi0) == set(draws.pi1) == {0.01}
    assert set(draws.theta) == {0.0}
    assert rates.summary() == ((0.01, 0.01, 0.01),) * 2


@pytest.mark.parametrize("sampling", ["random", "case-control"])
def test_prevalence_brings_the_population_back(sampling):
    """Rates .02 and .10, marked .05, sampled half and half."""
    pi0, pi1, theta, rho = 0.02, 0.10, 0.05, 0.024
    half = 2_000_000
    marked_cases = round(half * pi1 * theta / rho)
    marked_controls = round(half * (1 - pi1) * theta / (1 - rho))
    counts = Counts(2 * half, half, marked_cases + marked_controls, marked_cases)
    seen0, seen1 = Rates(counts, Effect()).summary()
    assert (seen0.mean, seen1.mean) == pytest.approx((0.4535, 0.8188), abs=5e-5)
    rates = Rates(counts, Effect(prevalence=rho, sampling=sampling))
    found0, found1 = rates.summary()
    assert (found0.mean, found1.mean) == pytest.approx((pi0, pi1), rel=2e-3)
    assert found0.low < pi0 < found0.high
    assert found1.low < pi1 < found1.high
    # The offset of case-control sampling turns one into the other.
    offset = np.log((1 - rho) / rho)
    assert offset == pytest.approx(3.7054, abs=5e-5)
    for seen, back in ((seen0, found0), (seen1, found1)):
        logit = np.log(seen.mean / (1 - seen.mean)) - offset
        assert back.mean == pytest.approx(1 / (1 + np.exp(-logit)), rel=2e-3)
    draws = rates.sample(2000, random_state=0)
    assert draws.theta.mean() == pytest.approx(theta, rel=2e-3)
    identity = draws.pi1 * draws.theta + draws.pi0 * (1 - draws.theta)
    np.testing.assert_allclose(identity, rho, rtol=1e-12)


@pytest.mark.parametrize("ordered", [True, False])
def test_retrospective_draws(ordered):
    """Each draw comes from P(marked | case) and P(marked | control), flat, ordered if asked."""
    n, n_pos, n_marked, n_both = counts = Counts(40, 20, 12, 7)
    effect = Effect(a0=9, b1=9, prevalence=0.1, ordered=ordered)  # the Betas do not matter here
    draws = Rates(counts, effect).sample(20_000, random_state=2)
    controls = n_marked - n_both
    rng = np.random.default_rng(3)
    theta1 = rng.beta(1 + n_both, 1 + n_pos - n_both, 60_000)
    theta0 = rng.beta(1 + controls, 1 + n - n_pos - controls, 60_000)
    keep = (theta0 <= theta1) | (not ordered)
    theta = (0.1 * theta1 + 0.9 * theta0)[keep]
    pi1 = (0.1 * theta1)[keep] / theta
    assert stats.ks_2samp(draws.theta, theta).pvalue > 1e-3
    assert stats.ks_2samp(draws.pi1, pi1).pvalue > 1e-3
    assert (draws.pi0 <= draws.pi1 + 1e-15).all() == ordered


@pytest.mark.parametrize("level", [0, 1, -0.5, 95])
def test_impossible_level(level):
    with pytest.raises(ParameterError) as caught:
        Rates(COUNTS[0], Effect()).summary(level)
    assert str(caught.value) == (
        f"The 'level' parameter of Rates.summary must be between 0 and 1. Got {level} instead."
    )
