"""Calibration in short, and that it would notice what is wrong."""

from dataclasses import replace

import numpy as np
import pytest

from bayesdnf import BitMatrix, BooleanFunction, Effect, Geometric, Poisson, Posterior, Prior
from bayesdnf.model.flat_functions import FlatFunctions
from calibration.sbc import (
    Band,
    Design,
    FunctionDraws,
    draw_prior_rates,
    holds_on,
    p_values,
    posterior_of,
    ranks,
)

pytestmark = pytest.mark.slow

SHORT = Design(
    n_rows=30,
    n_columns=5,
    prior=Prior(Geometric(0.3, start=0), Poisson(1)),
    effect=Effect(),
    n_draws=49,
    thin=150,
    warm_up=1000,
)


def flat_functions(functions, support):
    ids = [support.ids(function) for function in functions]
    sizes = [len(term) for terms in ids for term in terms]
    literals = [i for terms in ids for term in terms for i in term]
    return FlatFunctions(
        np.cumsum([0, *map(len, ids)]), np.cumsum([0, *sizes]), np.array(literals, dtype=np.int32)
    )


def from_the_prior(posterior, design, seed):
    """Draw without a look at the data."""
    functions = posterior.prior.sample(posterior.bits, design.n_draws, random_state=seed)
    return FunctionDraws(flat_functions(functions, posterior.support), np.arange(design.n_draws))


def test_ranks_of_the_default_sampler():
    found = p_values(ranks(SHORT, 100, seed=1), SHORT.n_draws + 1)
    assert min(found.values()) >= 0.01 / len(found), found  # a band for all quantities at once


@pytest.mark.parametrize(
    ("wrong", "noticed_by"),
    [
        ({"prior": Prior(Geometric(0.7, start=0), Poisson(1))}, ["terms", "literals"]),
        ({"effect": Effect(ordered=False)}, ["pi0", "pi1"]),
        ({"sampler": from_the_prior}, ["log likelihood"]),
        ({"design": replace(SHORT, thin=1, warm_up=0)}, ["terms", "literals"]),
    ],
    ids=["prior on m", "order forgotten", "data ignored", "draws hang together"],
)
def test_a_wrong_sampler_is_noticed(wrong, noticed_by):
    settings = {"design": SHORT, "replications": 200, "seed": 1} | wrong
    found = p_values(ranks(**settings), SHORT.n_draws + 1)
    assert min(found[name] for name in noticed_by) < 0.005


def test_the_same_seed_gives_the_same_ranks():
    np.testing.assert_array_equal(ranks(SHORT, 3, seed=5), ranks(SHORT, 3, seed=5))


@pytest.mark.parametrize("n_values", [10, 100])
def test_uniform_ranks_leave_the_band_once_in_a_hundred_times(n_values):
    band = Band(200, n_values)
    rng = np.random.default_rng(1)
    out = sum(band.p_value(rng.integers(0, n_values, 200)) < 0.01 for _ in range(4000))
    assert 20 <= out <= 60  # 40 expected


@pytest.mark.parametrize("powers", [(1.5, 1), (1, 0.7), (2, 2), (0.6, 0.6)])
def test_other_ranks_leave_the_band(powers):
    """Shifted up, shifted down, in the middle too often, at the ends too often."""
    rng = np.random.default_rng(1)
    assert Band(500, 100).p_value((100 * rng.beta(*powers, 500)).astype(int)) < 0.01


def test_rows_of_weight_0_name_the_classes_and_leave_no_trace():
    rng = np.random.default_rng(2)
    X = rng.random((30, 5)) < 0.5
    functions = [BooleanFunction(), "x0", "x0 AND x1 OR x2"]
    y = rng.random(30) < 0.4
    plain = Posterior(BitMatrix.from_table(X), y)
    ours = posterior_of(X, y, Prior(), Effect())
    assert ours.scores(functions).log_score.tolist() == plain.scores(functions).log_score.tolist()
    for value in (False, True):
        one_class = posterior_of(X, np.full(30, value), Prior(), Effect())
        assert (one_class.n, one_class.n_pos) == (30, 30 * value)
        assert one_class.log_likelihood(BooleanFunction()) == pytest.approx(-np.log(31))


def test_rates_from_the_prior():
    rng = np.random.default_rng(3)
    pairs = np.array([draw_prior_rates(Effect(), False, rng) for _ in range(4000)])
    assert (pairs[:, 0] <= pairs[:, 1]).all()
    assert pairs.mean(axis=0) == pytest.approx([1 / 3, 2 / 3], abs=0.015)
    assert len(set(draw_prior_rates(Effect(), True, rng))) == 1


def test_truth_at_probes():
    rng = np.random.default_rng(4)
    X = rng.random((50, 5)) < 0.5
    posterior = posterior_of(X, rng.random(50) < 0.5, SHORT.prior, Effect())
    functions = [BooleanFunction(), *SHORT.prior.sample(posterior.bits, 40, random_state=1)]
    probes = rng.random((7, 5)) < 0.7
    expected = np.stack([function(probes) for function in functions], axis=1)
    found = holds_on(flat_functions(functions, posterior.support), probes)
    np.testing.assert_array_equal(found, expected)
