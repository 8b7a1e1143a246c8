"""Calibration in short, and that it would notice what is wrong."""

from dataclasses import replace

import numpy as np
import pytest

from bayesdnf import (
    BitMatrix,
    BooleanFunction,
    Effect,
    Geometric,
    Poisson,
    Posterior,
    Prior,
    RuleList,
)
from bayesdnf.model.flat_functions import as_flat
from tests.calibration.sbc import (
    Band,
    Design,
    FunctionDraws,
    draw_prior_rates,
    p_values,
    parts_at,
    posterior_of,
    ranks,
)

SHORT = Design(
    n_rows=30,
    n_columns=5,
    prior=Prior(Geometric(0.3, start=0), Poisson(1)),
    effect=Effect(),
    n_draws=49,
    thin=150,
    warm_up=1000,
)
LISTS = {
    "three layers": replace(SHORT, thin=100, warm_up=500, layers=3),
    "two layers, two strata": replace(
        SHORT,
        effect=Effect(a0=1, b0=2, a1=2.5, b1=1, a=2, b=3),
        thin=100,
        warm_up=500,
        layers=2,
        n_strata=2,
    ),
}


def flat_functions(functions, support):
    return as_flat(map(support.layered_ids, functions))


def from_the_prior(posterior, design, seed):
    """Draw without a look at the data."""
    functions = posterior.prior.sample(
        posterior.bits, design.n_draws, layers=posterior.layers, random_state=seed
    )
    return FunctionDraws(flat_functions(functions, posterior.support), np.arange(design.n_draws))


@pytest.mark.slow
def test_ranks_of_the_default_sampler():
    found = p_values(ranks(SHORT, 100, seed=1), SHORT)
    assert min(found.values()) >= 0.01 / len(found), found  # a band for all quantities at once


@pytest.mark.parametrize("name", LISTS)
def test_ranks_of_lists(name):
    found = p_values(ranks(LISTS[name], 60, seed=1), LISTS[name])
    assert min(found.values()) >= 0.01 / len(found), found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "wrong", "noticed_by"),
    [
        pytest.param(
            "three layers",
            {"prior": Prior(Geometric(0.8, start=0), Poisson(1))},
            "terms",
            marks=pytest.mark.long,
        ),
        pytest.param(
            "three layers",
            {"sampler": from_the_prior},
            "log likelihood",
            marks=pytest.mark.long,
        ),
        ("two layers, two strata", {"effect": Effect(a0=9, a=9)}, "rate at probe 0"),
    ],
    ids=["prior on m", "data ignored", "other rates"],
)
def test_a_wrong_sampler_of_lists_is_noticed(name, wrong, noticed_by):
    settings = {"design": LISTS[name], "replications": 100, "seed": 1} | wrong
    assert p_values(ranks(**settings), LISTS[name])[noticed_by] < 0.005


@pytest.mark.slow
@pytest.mark.parametrize(
    ("wrong", "noticed_by"),
    [
        ({"prior": Prior(Geometric(0.7, start=0), Poisson(1))}, ["terms", "literals"]),
        pytest.param({"sampler": from_the_prior}, ["log likelihood"], marks=pytest.mark.long),
        pytest.param({"effect": Effect(ordered=False)}, ["pi0", "pi1"], marks=pytest.mark.long),
        pytest.param(
            {"design": replace(SHORT, thin=1, warm_up=0)},
            ["terms", "literals"],
            marks=pytest.mark.long,
        ),
    ],
    ids=["prior on m", "data ignored", "order forgotten", "draws hang together"],
)
def test_a_wrong_sampler_is_noticed(wrong, noticed_by):
    settings = {"design": SHORT, "replications": 200, "seed": 1} | wrong
    found = p_values(ranks(**settings), SHORT)
    assert min(found[name] for name in noticed_by) < 0.005


def test_the_same_seed_gives_the_same_ranks():
    np.testing.assert_array_equal(ranks(SHORT, 3, seed=5), ranks(SHORT, 3, seed=5))


@pytest.mark.slow
@pytest.mark.parametrize("n_values", [10, 100])
def test_uniform_ranks_leave_the_band_once_in_a_hundred_times(n_values):
    band = Band(200, n_values)
    rng = np.random.default_rng(1)
    out = sum(band.p_value(rng.integers(0, n_values, 200)) < 0.01 for _ in range(4000))
    assert 20 <= out <= 60  # 40 expected


@pytest.mark.slow
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
    default = replace(SHORT, prior=Prior())
    ours = posterior_of(X, y, default)
    assert ours.scores(functions).log_score.tolist() == plain.scores(functions).log_score.tolist()
    for value in (False, True):
        one_class = posterior_of(X, np.full(30, value), default)
        assert (one_class.n, one_class.n_pos) == (30, 30 * value)
        assert one_class.log_likelihood(BooleanFunction()) == pytest.approx(-np.log(31))


def test_rows_of_weight_0_leave_no_trace_in_strata():
    rng = np.random.default_rng(2)
    X, stratum = rng.random((30, 5)) < 0.5, np.arange(30) % 2
    y = rng.random(30) < 0.4
    design = LISTS["two layers, two strata"]
    plain = Posterior(
        BitMatrix.from_table(X), y, design.prior, design.effect, layers=2, strata=stratum
    )
    ours = posterior_of(X, y, design, stratum)
    lists = ["else", "if x0 AND x1 elif x2 else"]
    assert ours.scores(lists).log_score.tolist() == plain.scores(lists).log_score.tolist()
    settled = posterior_of(X, stratum == 1, design, stratum)  # each stratum of one class
    assert settled.part_counts("else").tolist() == [[[0, 15]], [[15, 0]]]


def test_rates_from_the_prior():
    rng = np.random.default_rng(3)
    pairs = np.array([draw_prior_rates(SHORT, 1, rng)[0] for _ in range(4000)])
    assert (pairs[:, 0] <= pairs[:, 1]).all()
    assert pairs.mean(axis=0) == pytest.approx([1 / 3, 2 / 3], abs=0.015)
    assert len(set(draw_prior_rates(SHORT, 0, rng)[0])) == 1


def test_rates_of_lists_from_the_prior():
    rng = np.random.default_rng(3)
    design = LISTS["two layers, two strata"]
    drawn = np.array([draw_prior_rates(design, 2, rng) for _ in range(4000)])
    means = [[1 / 3, 2.5 / 3.5, 2.5 / 3.5]] * 2
    np.testing.assert_allclose(drawn.mean(axis=0), means, atol=0.02)
    assert np.isnan(draw_prior_rates(design, 1, rng)).tolist() == [[False, False, True]] * 2
    null = np.array([draw_prior_rates(design, 0, rng) for _ in range(4000)])
    assert null[:, :, 0].mean(axis=0) == pytest.approx([0.4, 0.4], abs=0.02)
    assert np.isnan(null[:, :, 1:]).all()


@pytest.mark.parametrize("layers", [1, 3])
def test_parts_at_probes(layers):
    rng = np.random.default_rng(4)
    X = rng.random((50, 5)) < 0.5
    posterior = posterior_of(X, rng.random(50) < 0.5, replace(SHORT, layers=layers))
    rules = [RuleList()] if layers > 1 else [BooleanFunction()]
    rules += SHORT.prior.sample(posterior.bits, 100, layers=layers, random_state=1)
    probes = rng.random((7, 5)) < 0.7
    expected = np.stack([rule(probes) for rule in rules], axis=1)
    assert expected.max() == layers
    found = parts_at(flat_functions(rules, posterior.support), probes)
    np.testing.assert_array_equal(found, expected)
