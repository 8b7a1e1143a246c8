"""Rates of parts and strata: means and draws against plain integration and the two-part form."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bayesdnf import Effect, Posterior, _native, simulate
from bayesdnf.data.bits import BitMatrix
from bayesdnf.errors import ParameterError
from bayesdnf.model.flat_functions import as_flat
from bayesdnf.model.part_rates import (
    beta_parameters,
    cell_risks,
    draw_part_rates,
    mean_rates,
    part_risks,
    stratum_weights,
)
from bayesdnf.model.rates import Counts, Rates

# Two strata, three parts; a list of two layers, one of one layer, and the null function.
CELLS = np.array(
    [
        [[[3, 20], [9, 5], [6, 0]], [[8, 11], [0, 0], [1, 4]]],
        [[[3, 20], [15, 5], [0, 0]], [[8, 11], [1, 4], [0, 0]]],
        [[[18, 25], [0, 0], [0, 0]], [[9, 15], [0, 0], [0, 0]]],
    ]
)
N_LAYERS = np.array([2, 1, 0])


def slow_mean(rho, cells, stratum, part):
    """Mean of the population's rate of a cell, over quantiles of both shares."""
    quantiles = (np.arange(3000) + 0.5) / 3000
    shares = []
    for c in (0, 1):
        own, all_of_them = 1 + cells[stratum, part, c], (1 + cells[..., c]).sum()
        shares.append(stats.beta(own, all_of_them - own).ppf(quantiles))
    ones, nils = shares[0][:, None], shares[1][None, :]
    return (rho * ones / (rho * ones + (1 - rho) * nils)).mean()


def test_means_without_a_prevalence_are_those_of_betas():
    effect = Effect(a0=2, b0=3, a1=0.5, b1=4, a=7, b=6)
    means = mean_rates(effect, CELLS, N_LAYERS)
    assert means[0, 0].tolist() == [5 / 28, 9.5 / 18.5, 6.5 / 10.5]
    assert means[0, 1, 1] == 0.5 / 4.5  # no rows: the prior mean
    assert np.isnan(means[1, :, 2]).all()
    assert means[2, :, 0].tolist() == [25 / 56, 16 / 37]
    assert np.isnan(means[2, :, 1:]).all()


@pytest.mark.parametrize("rho", [0.02, 0.7])
def test_means_with_a_prevalence_are_those_of_shares(rho):
    effect = Effect(prevalence=rho)
    means = mean_rates(effect, CELLS, N_LAYERS)
    for f, layers in enumerate(N_LAYERS):
        own = CELLS[f, :, : layers + 1]
        for s, h in ((0, 0), (1, layers)):
            assert means[f, s, h] == pytest.approx(slow_mean(rho, own, s, h), rel=2e-3)
        assert np.isnan(means[f, :, layers + 1 :]).all()


def test_two_parts_are_the_retrospective_form():
    """The two-part case without strata must be what Rates gives for a function."""
    effect = Effect(prevalence=0.024, ordered=False)
    counts = Counts(400, 200, 120, 80)
    cells = np.array([[[120, 160], [80, 40]]])
    exact = Rates(counts, effect).summary()
    means = mean_rates(effect, cells[None], np.array([1]))[0, 0]
    for mean, risk, interval in zip(means, part_risks(effect, cells), exact, strict=True):
        assert mean == pytest.approx(interval.mean, rel=2e-3)
        assert risk == pytest.approx(interval, rel=2e-2)
    alone = mean_rates(effect, np.array([[[[200, 200]]]]), np.array([0]))
    assert alone.tolist() == [[[0.024]]]


def test_the_check_value_of_a_case_control_sample_comes_back():
    """π = (.02, .10), θ = .05: half and half (.4535, .8188), corrected the same again."""
    n = 10**7
    theta1, theta0 = 0.05 * 0.10 / 0.024, 0.05 * 0.90 / 0.976
    positives = [round(n * (1 - theta1)), round(n * theta1)]
    negatives = [round(n * (1 - theta0)), round(n * theta0)]
    cells = np.array([[[[p, q] for p, q in zip(positives, negatives, strict=True)]]])
    as_seen = cells[0, 0, :, 0] / cells[0, 0].sum(axis=1)
    np.testing.assert_allclose(as_seen, [0.4535, 0.8188], atol=5e-5)
    means = mean_rates(Effect(prevalence=0.024), cells, np.array([1]))[0, 0]
    np.testing.assert_allclose(means, [0.02, 0.10], rtol=1e-4)


@pytest.mark.parametrize("prevalence", [None, 0.03])
def test_draws_have_those_means(prevalence):
    X, y, _ = simulate(200, 4, random_state=0)
    strata = np.arange(200) % 2
    posterior = Posterior(
        BitMatrix.from_table(X), y, effect=Effect(prevalence=prevalence), layers=2, strata=strata
    )
    flat = as_flat([[(1, [0, 1]), (2, [2])], [(1, [0])], []])
    size = 20_000
    index = np.repeat(np.arange(3), size)
    rates = draw_part_rates(posterior, flat, CELLS, index, _native.Philox([5, 6]))
    by_list = rates.reshape(3, size, 2, 3)
    means = mean_rates(posterior.effect, CELLS, N_LAYERS)
    assert (np.isnan(by_list) == np.isnan(means)[:, None]).all()
    there = ~np.isnan(means)
    gap = np.abs(by_list.mean(axis=1) - means)[there]
    assert (gap < 5 * by_list.std(axis=1)[there] / np.sqrt(size) + 1e-12).all()
    if prevalence is None:
        alpha, beta = beta_parameters(posterior.effect, CELLS, N_LAYERS)
        fits = stats.kstest(by_list[0, :, 1, 2], stats.beta(alpha[0, 1, 2], beta[0, 1, 2]).cdf)
        assert fits.pvalue > 1e-4


@given(
    cells=st.lists(st.integers(0, 30), min_size=12, max_size=12),
    rho=st.sampled_from([None, 0.1]),
)
def test_weights_of_strata(cells, rho):
    table = np.array(cells).reshape(2, 3, 2)
    weights = stratum_weights(Effect(prevalence=rho), table)
    np.testing.assert_allclose(weights.sum(axis=0), 1)
    for h in range(3):
        if table[:, h].sum() == 0:
            assert weights[:, h].tolist() == [0.5, 0.5]
        elif rho is None:
            np.testing.assert_allclose(weights[:, h], table[:, h].sum(axis=1) / table[:, h].sum())


def test_risks_of_a_rule():
    effect = Effect(ordered=False)
    [low, high] = part_risks(effect, np.array([[[4, 16], [9, 1]]]))
    assert low == pytest.approx(tuple(_beta(5, 17)))
    assert high == pytest.approx(tuple(_beta(10, 2)))
    ordered = part_risks(Effect(ordered=True), np.array([[[4, 16], [9, 1]]]), two_rates=True)
    assert ordered == Rates(Counts(30, 13, 10, 9), Effect(ordered=True)).summary()
    [single] = part_risks(effect, np.array([[[4, 16]]]), two_rates=True)
    assert single.mean == 5 / 22
    pooled = part_risks(effect, np.array([[[9, 0]], [[0, 18]]]))[0]
    assert pooled.mean == pytest.approx((10 / 11 + 2 * 1 / 20) / 3)
    own = cell_risks(effect, np.array([[[9, 0]], [[0, 18]]]))
    assert [tuple(risk) for [risk] in own] == [
        pytest.approx(tuple(_beta(10, 1))), pytest.approx(tuple(_beta(1, 19)))
    ]  # fmt: skip
    population = cell_risks(Effect(prevalence=0.05), CELLS[0])
    means = mean_rates(Effect(prevalence=0.05), CELLS[:1], N_LAYERS[:1])[0]
    for s, h in np.ndindex(2, 3):
        risk = population[s][h]
        assert risk.mean == means[s, h]
        assert risk.low < risk.mean < risk.high


def _beta(a, b):
    return a / (a + b), *stats.beta(a, b).ppf([0.025, 0.975])


@pytest.mark.parametrize("layers", [1, 3])
def test_case_control_rows_in_strata_are_refused(layers):
    with pytest.raises(ParameterError, match=r"^The 'sampling' .* 'random' with strata: .*matched"):
        Effect(prevalence=0.1, sampling="case-control").resolved(layers, strata=2)
    assert Effect(prevalence=0.1, sampling="case-control").resolved(layers).prevalence == 0.1
    assert Effect(prevalence=0.1).resolved(layers, strata=2).prevalence == 0.1
