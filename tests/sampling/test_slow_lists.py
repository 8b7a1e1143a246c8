"""The twin itself: how many lists there are, their prior, and where terms can stand in them."""

import itertools
import math

import numpy as np
import pytest

from bayesdnf import Effect, Literal
from tests import reference
from tests.sampling.problems import Problem
from tests.sampling.slow_lists import all_lists, places, put, take_out, terms_of
from tests.sampling.slow_posterior import SlowPosterior

TERMS = [frozenset(term) for term in ({0}, {1}, {0, 1}, {1, 2})]


def test_surjections():
    found = [[reference.surjections(m, g) for g in range(1, m + 1)] for m in range(1, 6)]
    assert found == [[1], [1, 2], [1, 6, 6], [1, 14, 36, 24], [1, 30, 150, 240, 120]]
    for m, layers in itertools.product(range(1, 5), range(1, 5)):
        lists = list(all_lists(TERMS[:m], layers))
        assert len(set(lists)) == len(lists)
        assert len(lists) == sum(reference.surjections(m, g) for g in range(1, layers + 1))


def test_layers_leave_the_prior_of_the_terms_alone():
    for m, layers in itertools.product(range(5), range(1, 5)):
        lists = list(all_lists(TERMS[:m], layers))
        logs = [reference.log_layers_prior(m, len(rules), layers) for rules in lists]
        assert math.fsum(map(math.exp, logs)) == pytest.approx(1, abs=1e-12)
    assert reference.log_layers_prior(2, 1, 3) == pytest.approx(math.log(2 / 3))
    assert reference.log_layers_prior(2, 2, 3) == pytest.approx(math.log(1 / 3 / 2))
    assert reference.log_layers_prior(2, 3, 3) == -math.inf
    assert reference.log_layers_prior(3, 3, 2) == -math.inf


@pytest.mark.parametrize(
    ("p", "numbers"),
    [
        pytest.param(2, [5, 10, 12], id="2"),
        pytest.param(3, [19, 130, 461], id="3", marks=pytest.mark.slow),
    ],
)
def test_numbers_of_lists(p, numbers):
    """By the terms alone: a row of every kind leaves part 0 its own."""
    literals = [Literal(f"x{j}", "true") for j in range(p)]
    rows = np.array(list(itertools.product([False, True], repeat=p)))
    columns = dict(zip(literals, rows.T, strict=True))
    terms = [
        frozenset(term) for k in range(1, p + 1) for term in itertools.combinations(literals, k)
    ]
    found = [0] * (len(numbers) + 1)
    for m in range(len(terms) + 1):
        for some in itertools.combinations(terms, m):
            for rules in all_lists(some, len(numbers)):
                found[len(rules)] += reference.is_allowed_list(rules, columns, min_cover=0)
    assert (found[0] + np.cumsum(found[1:])).tolist() == numbers


def test_rows_rule_lists_out():
    x, not_x, z = Literal("x", "true"), Literal("x", "false"), Literal("z", "true")
    columns = {x: np.array([1, 1, 0, 0], dtype=bool), z: np.array([1, 0, 1, 0], dtype=bool)}
    columns[not_x] = ~columns[x]
    a, b, c, both = frozenset([x]), frozenset([not_x]), frozenset([z]), frozenset([x, z])

    def allowed(*layers, **rules):
        return reference.is_allowed_list(layers, columns, **rules)

    assert allowed([a, b])
    assert not allowed([a], [b])  # nothing is left to part 0
    assert allowed([c], [a])
    assert not allowed([c], [a], min_cover=2)  # one row that x does not decide
    assert allowed([a], [both])
    assert not allowed([both], [a])
    assert not allowed([both], [a], antichain=False)  # no row
    assert allowed([both], [a], antichain=False, min_cover=0)
    assert not allowed([a], [c], [a], antichain=False, min_cover=0)


@pytest.mark.parametrize("layers", [1, 2, 3, 4])
def test_places(layers):
    """Every list is its rest with each of its terms put back, and in no other way."""
    for m in range(5):
        for rules in all_lists(TERMS[:m], layers):
            n_layers = len(rules)
            heights = places(rules, layers)
            gaps = n_layers + 1 if n_layers < layers else 0
            assert len(heights) == n_layers + gaps
            new = frozenset({2})
            reached = [put(rules, new, height) for height in heights]
            assert len(set(reached)) == len(heights)
            for height, longer in zip(heights, reached, strict=True):
                assert take_out(longer, new) == (rules, height)
                assert terms_of(longer) == terms_of(rules) | {new}
            assert set(all_lists([*terms_of(rules), new], layers)) >= set(reached)


def test_cells_of_one_function_are_its_counts():
    """Two rates or more: the same formula."""
    for seed in range(3):
        problem = Problem(seed=seed, effect=Effect(2, 3, 1.5, 0.5, 2, 1, ordered=False))
        model = problem.slow()
        for rules in model.scores:
            if rules:
                found = reference.log_collapsed_cells(model.cells(rules), *model.rates)
                assert found == pytest.approx(model.log_likelihood(rules), abs=1e-12)


def test_strata_are_tables_of_their_own():
    problem = Problem(seed=1, layers=2, strata=3, weighted=True)
    model = problem.slow()
    alone = []
    for stratum in np.unique(problem.strata):
        part = Problem(seed=1, layers=2, weighted=True)
        part.world.weights = np.where(problem.strata == stratum, part.world.weights, 0)
        alone.append(SlowPosterior(part.world, part.prior, part.effect, part.layers))
    for rules in model.scores:
        found = sum(one.log_likelihood(rules) for one in alone)
        assert found == pytest.approx(model.log_likelihood(rules), abs=1e-12)
