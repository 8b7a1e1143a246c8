"""Lists drawn from the prior: as often as the formulas say, and on sets of terms as before."""

import math
from collections import Counter
from itertools import combinations, product

import numpy as np
import pytest
from scipy import stats

from bayesdnf import (
    BitMatrix,
    BooleanFunction,
    Geometric,
    Poisson,
    Posterior,
    Prior,
    RuleList,
    simulate,
)
from bayesdnf.errors import ParameterError
from bayesdnf.model.prior_draws import draw_layers, log_null_odds, log_one_layer_odds
from bayesdnf.model.rule import layers_of
from tests import reference

COUNT, SIZE = Geometric(0.3, start=0), Poisson(1)
ROWS = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [0, 0]])
TERMS = [frozenset(t) for k in (1, 2) for t in combinations(range(2), k)]  # x0, x1, x0 AND x1


def log_prior_of_terms(terms):
    size = reference.truncated(reference.shifted_poisson(1), 2)
    return reference.log_prior(terms, 2, reference.geometric(0.3, 0), size, "uniform", True, None)


def ways(m, n_layers):
    """Every assignment of m terms to layers 1 to n_layers that leaves none empty."""
    every = product(range(1, n_layers + 1), repeat=m)
    return [which for which in every if set(which) == set(range(1, n_layers + 1))]


def allowed(terms, which, antichain):
    """The rules of the support for lists on the rows of ROWS, every condition on its own."""
    if antichain:
        for (one, g), (other, h) in product(zip(terms, which, strict=True), repeat=2):
            if one != other and g <= h and other <= one:  # the other holds wherever one does
                return False
    holds = [ROWS[:, sorted(term)].all(axis=1) for term in terms]
    part = np.max([np.where(held, g, 0) for held, g in zip(holds, which, strict=True)], axis=0)
    covered = all((held & (part == g)).any() for held, g in zip(holds, which, strict=True))
    return covered and (max(which) == 1 or (part == 0).any())


def exact_lists(layers, antichain=True):
    """Probability of every allowed list of two literals."""
    masses = {RuleList(): math.exp(log_prior_of_terms([]))}
    for m in (1, 2, 3):
        reach = sum(2.0**-g for g in range(1, min(m, layers) + 1))
        for terms in combinations(TERMS, m):
            for g in range(1, min(m, layers) + 1):
                each = math.exp(log_prior_of_terms(terms)) * 2.0**-g / reach / len(ways(m, g))
                for which in ways(m, g):
                    if allowed(terms, which, antichain):
                        masses[spelt(terms, which)] = each
    total = math.fsum(masses.values())
    return {rule: mass / total for rule, mass in masses.items()}


def spelt(terms, which):
    placed = [(g, [f"x{j}" for j in term]) for g, term in zip(which, terms, strict=True)]
    layers = range(max(which), 0, -1)
    return RuleList(BooleanFunction([t for g, t in placed if g == h]) for h in layers)


def p_value(draws, probability):
    counted = Counter(draws)
    assert set(counted) <= set(probability)
    expected = np.array([len(draws) * share for share in probability.values()])
    found = np.array([counted[rule] for rule in probability], dtype=float)
    rare = expected < 5
    if rare.any():
        expected = np.append(expected[~rare], expected[rare].sum())
        found = np.append(found[~rare], found[rare].sum())
    return stats.chisquare(found, expected).pvalue


@pytest.mark.parametrize("antichain", [True, False])
@pytest.mark.parametrize("layers", [2, 3])
def test_frequencies(layers, antichain):
    prior = Prior(COUNT, SIZE, antichain=antichain)
    exact = exact_lists(layers, antichain)
    bits = BitMatrix.from_table(ROWS)
    draws = prior.sample(bits, 10_000, layers=layers, random_state=4)
    assert p_value(draws, exact) > 0.001
    # The posterior's own list of them is the same, with the same shares of the prior.
    listed = Posterior(bits, [0, 1, 1, 1, 0], prior, layers=layers).enumerate()["function"]
    assert set(listed) == set(exact)


def test_frequencies_of_other_lists_are_told_apart():
    draws = Prior(COUNT, SIZE).sample(BitMatrix.from_table(ROWS), 10_000, layers=2, random_state=4)
    tilted = {rule: share * (1 + (len(rule) > 1)) for rule, share in exact_lists(2).items()}
    total = sum(tilted.values())
    assert p_value(draws, {rule: share / total for rule, share in tilted.items()}) < 1e-4


def test_layers_do_not_change_the_prior_on_sets_of_terms():
    """Before restrictions any set of terms comes as often as without layers."""
    X, _, _ = simulate(40, 3, terms=(1,), random_state=0)
    bits = BitMatrix.from_table(X)
    assert not BooleanFunction("x0 OR x1 OR x2")(X).all()  # part 0 is never empty
    free = Prior(COUNT, SIZE, antichain=False, related=True, min_cover=0)
    plain = free.sample(bits, 6000, random_state=1)
    layered = free.sample(bits, 6000, layers=3, random_state=2)
    assert {len(rule) for rule in layered} == {0, 1, 2, 3}
    one, other = (
        Counter(frozenset(t for f in layers_of(rule) for t in f.literal_terms) for rule in rules)
        for rules in (plain, layered)
    )
    kinds = [x for x in one | other if one[x] + other[x] >= 20]
    table = np.array([[count[x] for x in kinds] for count in (one, other)])
    assert stats.chi2_contingency(table).pvalue > 0.001


@pytest.mark.parametrize("layers", [2, 3, 8])
def test_layers_of_many_terms(layers):
    """G given m has weight 2^-G; given both, every surjection comes alike."""
    rng = np.random.default_rng(5)
    m, n = 4, 10_000
    drawn = draw_layers(np.full(n, m), layers, rng).reshape(n, m)
    n_layers = drawn.max(axis=1)
    most = min(m, layers)
    assert all(len(set(row)) == max(row) for row in drawn.tolist())
    weights = 2.0 ** -np.arange(1, most + 1)
    counted = np.bincount(n_layers, minlength=most + 1)[1:]
    assert stats.chisquare(counted, n * weights / weights.sum()).pvalue > 0.001
    for g in range(2, most + 1):
        found = Counter(map(tuple, drawn[n_layers == g].tolist()))
        assert set(found) == set(ways(m, g))
        assert stats.chisquare(list(found.values())).pvalue > 0.001


def test_numbers_of_layers_that_are_refused():
    bits = BitMatrix.from_table(ROWS)
    for layers in (0, True, 1.5, 9):
        with pytest.raises(ParameterError, match=r"'layers' parameter of Prior\.sample must be"):
            Prior().sample(bits, layers=layers)


@pytest.mark.parametrize(("layers", "strata"), [(2, None), (3, [0, 1, 0, 1, 0])])
def test_odds_of_no_rule_and_of_one_layer(layers, strata):
    prior = Prior(COUNT, SIZE)
    posterior = Posterior(
        BitMatrix.from_table(ROWS), [0, 1, 1, 1, 0], prior, layers=layers, strata=strata
    )
    shares = {0: 0.0, 1: 0.0, 2: 0.0}
    for rule, share in exact_lists(layers).items():
        shares[min(2, len(rule))] += share
    null, one, more = shares.values()
    assert log_null_odds(posterior) == pytest.approx(math.log(null / (one + more)), abs=0.05)
    assert log_one_layer_odds(posterior) == pytest.approx(math.log(one / more), abs=0.1)


def test_odds_of_one_layer_where_there_is_nothing_to_compare():
    bits, y = BitMatrix.from_table(ROWS), [0, 1, 1, 1, 0]
    assert log_one_layer_odds(Posterior(bits, y)) is None
    assert log_one_layer_odds(Posterior(bits, y, Prior(max_terms=1), layers=2)) is None
    assert log_one_layer_odds(Posterior(bits, y, Prior(max_terms=0), layers=2)) is None
