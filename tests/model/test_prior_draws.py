"""Draws from the prior: as often as the twin's formula says, over every function there is."""

import math
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from bayesdnf import (
    BitMatrix,
    BooleanFunction,
    Flat,
    Geometric,
    Literal,
    Poisson,
    Posterior,
    Prior,
    Tabulated,
    Uniform,
)
from bayesdnf.errors import InputError, ParameterError
from bayesdnf.model.enumerate import enumerate_functions
from bayesdnf.model.prior_draws import UniformLiterals, WeightedLiterals
from tests import reference
from tests.fewer import first
from tests.model.literal_worlds import LiteralWorld

FLAGS = [Literal(name, "true") for name in ("x0", "x1", "x2")]
EQUAL = [*FLAGS, Literal("x3", "true")]  # x3 is x2 again
MIXED = [Literal("colour", "=", "r"), Literal("age", ">=", 1), Literal("age", ">=", 3), FLAGS[0]]
SETS = {"antichain": False, "min_cover": 0, "related": True}

# Literals, prior, and the twin's count and size.
DEFAULT = (reference.geometric(0.5, 0), reference.shifted_poisson(2))
CASES = {
    "antichains": (EQUAL, Prior(), *DEFAULT),
    "antichains of equal columns allowed": (EQUAL, Prior(related=True), *DEFAULT),
    "many terms": (
        MIXED,
        Prior(Geometric(0.1), Poisson(0.5)),
        reference.geometric(0.1),
        reference.shifted_poisson(0.5),
    ),
    "plain sets": (FLAGS, Prior(**SETS), *DEFAULT),
    "no orderings": (FLAGS, Prior(orderings=False, **SETS), *DEFAULT),
    "sizes only": (FLAGS, Prior(literals="size-only", antichain=False), *DEFAULT),
    "weights": (MIXED, Prior(weights=[3, 1, 0.2, 7]), *DEFAULT),
    "weights on sets": (FLAGS, Prior(weights={"x1": 9}, **SETS), *DEFAULT),
    "disjoint": (MIXED, Prior(disjoint=True, count=Uniform(3)), lambda m: 1 <= m <= 3, DEFAULT[1]),
    "min_cover": (EQUAL, Prior(min_cover=5), *DEFAULT),
    "bounds": (MIXED, Prior(max_terms=2, max_literals=4, related=True), *DEFAULT),
    "tables": (
        MIXED,
        Prior(Tabulated([1, 1, 0, 2]), Tabulated([0, 0, 1, 3])),
        lambda m: {0: 1, 1: 1, 3: 2}.get(m, 0),
        lambda k: {2: 1, 3: 3}.get(k, 0),
    ),
    "paper": (
        FLAGS,
        Prior.paper(2, 0.5),
        reference.geometric(0.5),
        reference.shifted_poisson(2),
    ),
    "paper, non-informative": (FLAGS, Prior.paper(0, 0), reference.flat(), reference.flat()),
    "flat on few literals": (FLAGS, Prior(Flat()), reference.flat(), DEFAULT[1]),
}


def world_of(literals):
    return LiteralWorld(seed=8, n_rows=20, literals=literals, share_missing=0, weighted=False)


def exact_prior(literals, prior, count, size):
    """Probability of each allowed function, from the twin's formula and the twin's support."""
    world, p = world_of(literals), len(literals)
    if prior.size.truncates:
        size = reference.truncated(size, p)
    weights = None if prior.weights is None else np.exp(prior._log_weights(world.bits().table))
    rules = ("antichain", "related", "disjoint", "min_cover", "max_terms", "max_literals")
    masses = {}
    for numbers in enumerate_functions(p, prior.antichain):
        terms = [[literals[j] for j in term] for term in numbers]
        if not reference.is_allowed(
            terms, world.columns, **{name: getattr(prior, name) for name in rules}
        ):
            continue
        log_prior = reference.log_prior(
            numbers, p, count, size, prior.literals, prior.orderings, weights
        )
        if log_prior > -math.inf:
            masses[BooleanFunction(terms)] = math.exp(log_prior)
    total = math.fsum(masses.values())
    return {function: mass / total for function, mass in masses.items()}


def p_value(draws, probability):
    """Chi-square of counts against probabilities; rare functions count together."""
    counted = Counter(draws)
    assert set(counted) <= set(probability)
    expected = np.array([len(draws) * share for share in probability.values()])
    found = np.array([counted[function] for function in probability], dtype=float)
    rare = expected < 5
    if rare.any():
        expected = np.append(expected[~rare], expected[rare].sum())
        found = np.append(found[~rare], found[rare].sum())
    return stats.chisquare(found, expected).pvalue


@pytest.mark.slow
@pytest.mark.parametrize("case", first(CASES.values(), 8), ids=CASES.keys())
def test_frequencies(case):
    literals, prior, *_ = case
    draws = prior.sample(world_of(literals).bits(), 10_000, random_state=4)
    assert len(draws) == 10_000
    assert p_value(draws, exact_prior(*case)) > 0.001


@pytest.mark.slow
@pytest.mark.parametrize(
    ("drawn", "claimed"),
    [
        (Prior(orderings=False), Prior()),
        (Prior(), Prior(weights=[1, 1, 1, 1.5])),
        (Prior(Geometric(0.4, start=0)), Prior()),
        (Prior(size=Poisson(1.5)), Prior()),
    ],
    ids=["m!", "weights", "count", "size"],
)
def test_frequencies_of_another_prior_are_told_apart(drawn, claimed):
    draws = drawn.sample(world_of(MIXED).bits(), 20_000, random_state=4)
    assert p_value(draws, exact_prior(MIXED, claimed, *DEFAULT)) < 1e-6


def test_the_same_seed_gives_the_same_draws_and_more_of_them_begin_alike():
    bits = world_of(MIXED).bits()
    draws = Prior().sample(bits, 500, random_state=1)
    assert Prior().sample(bits, 500, random_state=1) == draws
    assert Prior().sample(bits, 20, random_state=1) == draws[:20]
    assert Prior().sample(bits, 500, random_state=2) != draws
    seeds = np.random.SeedSequence(1)
    assert Prior().sample(bits, 500, random_state=seeds) == draws
    assert len(Prior().sample(bits)) == 1
    assert Prior().sample(bits, 0) == []
    rng = np.random.default_rng(1)
    assert Prior().sample(bits, 500, random_state=rng) == draws
    assert Prior().sample(bits, 500, random_state=rng) != draws


def test_literals_chosen_among_more_are_drawn_less_often():
    bits = world_of(FLAGS).bits()
    posterior = Posterior(bits, [0, 1] * (bits.n_rows // 2) + [0] * (bits.n_rows % 2), among=40)
    exact = posterior.enumerate()
    null = (exact["terms"] == 0).to_numpy()
    log_prior = posterior.scores(list(exact["function"])).log_prior
    share = np.exp(log_prior[null][0] - np.logaddexp.reduce(log_prior))
    drawn = Prior().sample(bits, 20_000, among=40, random_state=0)
    error = 4 * math.sqrt(share * (1 - share) / 20_000)
    assert np.mean([f.is_null for f in drawn]) == pytest.approx(share, abs=error)
    assert np.mean([f.is_null for f in Prior().sample(bits, 2000)]) < share - 0.05
    with pytest.raises(ParameterError, match="'among' parameter of Prior"):
        Prior().sample(bits, among=1)


def test_the_rows_of_a_posterior_allow_what_the_table_allows():
    world = world_of(MIXED)
    posterior = Posterior(world.bits(), world.y)
    prior = Prior(min_cover=4)
    drawn = prior.sample(posterior.bits, 200, random_state=1)
    assert drawn == prior.sample(world.bits(), 200, random_state=1)


@pytest.mark.parametrize("p", [1, 5, 300])
def test_terms_have_the_sizes_asked_for(p):
    rng = np.random.default_rng(p)
    sizes = rng.integers(0, p + 1, 400)
    for choose in (UniformLiterals(p), WeightedLiterals(rng.normal(0, 5, p), p)):
        held = choose(sizes, rng)
        np.testing.assert_array_equal(held.sum(axis=1), sizes)


def test_literals_of_a_term():
    """All sets of 3 of 6 literals, against products of weights."""
    rng = np.random.default_rng(3)
    weights = np.array([0.1, 5, 1, 1, 2, 0.5])
    terms = list(combinations(range(6), 3))
    for choose, w in [
        (UniformLiterals(6), np.ones(6)),
        (WeightedLiterals(np.log(weights), 3), weights),
    ]:
        products = np.array([math.prod(w[list(term)]) for term in terms])
        held = choose(np.full(20_000, 3), rng)
        counted = Counter(tuple(np.flatnonzero(row).tolist()) for row in held)
        found = [counted[term] for term in terms]
        expected = 20_000 * products / products.sum()
        assert stats.chisquare(found, expected).pvalue > 0.001


@pytest.mark.parametrize("prior", [Prior(Flat()), Prior.paper(10, 0.5), Prior.paper(0, 0)])
def test_priors_whose_mass_has_no_end(prior):
    rng = np.random.default_rng(0)
    bits = BitMatrix.from_table(rng.random((50, 40)) < 0.5)
    with pytest.raises(ParameterError, match="'max_terms' parameter of Prior must be 1,024 or le"):
        prior.sample(bits)
    drawn = prior.set_params(max_terms=3).sample(bits, 10, random_state=0)
    assert max(len(function) for function in drawn) == 3


def test_nothing_is_allowed():
    bits = world_of(FLAGS).bits()
    with pytest.raises(InputError, match=r"None of the last [\d,]+ functions drawn from the prior"):
        Prior(Geometric(0.5), min_cover=21).sample(bits)
    assert Prior(min_cover=21).sample(bits, 5) == [BooleanFunction()] * 5
    with pytest.raises(ParameterError, match="'count' parameter of Prior must be a distribution "):
        Prior(Uniform(9, low=4), max_terms=3).sample(bits)


@pytest.mark.parametrize("size", [-1, 1.5, True])
def test_impossible_numbers_of_draws(size):
    with pytest.raises(ParameterError, match=r"'size' parameter of Prior\.sample must be a whole"):
        Prior().sample(world_of(FLAGS).bits(), size)


@pytest.mark.parametrize("seed", [-1, "seven"])
def test_impossible_seeds(seed):
    with pytest.raises(ParameterError, match=r"'random_state' parameter of Prior\.sample must be"):
        Prior().sample(world_of(FLAGS).bits(), random_state=seed)
