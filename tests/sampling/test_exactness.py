"""On two and three literals everything can be listed, functions and lists of layers: every move
leaves the posterior as it is, and the native kernels take the steps that were listed.

BAYESDNF_EXHAUSTIVE=1 goes through the whole product of priors and supports, where otherwise a
sixteenth of a cover of all pairs of settings has to do, and takes native steps from every list of
three layers.
"""

import os
from functools import lru_cache, reduce

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components

from bayesdnf import Geometric
from bayesdnf.sampling.kernel import MOVES as NATIVE_MOVES
from bayesdnf.sampling.kernel import MoveKernel
from bayesdnf.sampling.samplers import MIX, informed, reversible_jump, single_term
from bayesdnf.sampling.tempered import tempered
from tests.fewer import first
from tests.sampling.agreement import LEVEL, score_error, step_p_value
from tests.sampling.problems import Problem, all_problems, varied_problems
from tests.sampling.slow_lists import terms_of
from tests.sampling.slow_moves import MOVES, exchange, matrix, respelled

pytestmark = pytest.mark.slow

EXHAUSTIVE = bool(os.environ.get("BAYESDNF_EXHAUSTIVE"))
LISTED = {(0,): 1.0, (1, 2): 3.0, (0, 1): 0.5, (0, 2): 0.5, (0, 1, 2): 1.0}


def listed_terms(posterior):
    return {
        term: weight for term, weight in LISTED.items() if max(term) < posterior.bits.n_literals
    }


def listed(posterior):
    mix = {**MIX, "listed birth": 0.5, "layer": 0.3}
    return MoveKernel("listed", posterior, mix, listed=listed_terms(posterior))


KERNELS = {"informed": informed, "reversible_jump": reversible_jump, "listed": listed}
BETAS = (1.0, 0.4, 0.0)

PROBLEMS = all_problems() if EXHAUSTIVE else varied_problems()[::16]
WHOLE = [
    Problem(),
    Problem(seed=1, count=Geometric(0.4), weighted=True),
    Problem(seed=2, antichain=False),
    Problem(seed=3, antichain=False, count=Geometric(0.4), missing=0.2),
    Problem(seed=4, strata=3),
    Problem(seed=5, n_literals=2, layers=3, strata=2),
    Problem(seed=6, n_literals=2, layers=3, antichain=False, count=Geometric(0.4)),
    Problem(seed=7, layers=2),
]
"""Antichains and all sets, with the null function and without it; the same in layers."""
LARGE = [
    Problem(seed=8, layers=3),
    Problem(seed=9, layers=3, strata=2, count=Geometric(0.4), weighted=True),
]
"""461 and 241 lists: too many for three temperatures together."""
CLASSES = [
    Problem(seed=10, n_literals=2, layers=2, strata=2, classes=3),
    Problem(seed=11, n_literals=2, layers=3, classes=4, weighted=True, antichain=False),
    Problem(seed=12, n_literals=2, classes=3, missing=0.2, count=Geometric(0.4)),
]
"""More than two classes, in lists, with strata, and in functions."""
RESPELLED = [
    Problem(seed=13, columns="respelled", layers=2),
    Problem(seed=3, n_literals=5, columns="respelled", restriction={"max_terms": 2}),
]
"""Terms that can be said in other ways, one of them in two."""


@lru_cache(maxsize=8)  # tests come problem by problem
def slow(problem):
    return problem.slow()


@pytest.fixture(scope="module", params=[*WHOLE, *CLASSES, *RESPELLED, *PROBLEMS], ids=str)
def problem(request):
    return request.param


@pytest.fixture(scope="module", params=first(WHOLE[::-2] + WHOLE[::2], 4), ids=str)
def whole(request):
    return request.param


def alone(move, problem):
    posterior = problem.posterior()
    return MoveKernel(move, posterior, {move: 1.0}, listed=listed_terms(posterior))


def assert_unchanged(probabilities, steps):
    np.testing.assert_allclose(steps.sum(axis=1), 1, rtol=0, atol=1e-12)
    np.testing.assert_allclose(probabilities @ steps, probabilities, rtol=0, atol=1e-12)


# What is listed is right -------------------------------------------------------------------------


def test_every_native_move_has_a_twin():
    assert tuple(MOVES) == NATIVE_MOVES


def test_some_terms_are_said_in_two_ways_and_others_in_one():
    model = slow(RESPELLED[1])
    terms = frozenset().union(*map(terms_of, model.scores))
    assert {len(respelled(model, term, True)) for term in terms} == {0, 1, 2}


def test_scores(problem):
    """The native posterior is the slow one, over every list of distinct terms."""
    assert score_error(problem.posterior(), slow(problem)) < 1e-8


@pytest.mark.parametrize("move", MOVES)
def test_every_move_leaves_the_posterior_unchanged(problem, move):
    model, kernel = slow(problem), alone(move, problem)
    for beta in BETAS:
        assert_unchanged(model.probabilities(beta), matrix(model, kernel, beta))


@pytest.mark.parametrize("name", KERNELS)
def test_every_kernel_leaves_the_posterior_unchanged_and_reaches_all_of_it(problem, name):
    model, kernel = slow(problem), KERNELS[name](problem.posterior())
    assert_unchanged_and_connected(model, kernel)


def assert_unchanged_and_connected(model, kernel):
    steps = matrix(model, kernel)
    assert_unchanged(model.probabilities(), steps)
    n_parts, _ = connected_components(steps > 0, connection="strong")
    assert n_parts == 1


@pytest.mark.long
@pytest.mark.parametrize("large", first(LARGE[::-1]), ids=str)
def test_lists_of_three_layers(large):
    model, posterior = slow(large), large.posterior()
    for move in MOVES:
        assert_unchanged(model.probabilities(), matrix(model, alone(move, large)))
    for make in KERNELS.values():
        assert_unchanged_and_connected(model, make(posterior))


def test_single_terms(problem):
    """The paper's chain keeps the number of terms, and the posterior given that there is one."""
    model, kernel = slow(problem), single_term(problem.posterior())
    ones = np.array([len(terms_of(rules)) == 1 for rules in model.scores])
    steps = matrix(model, kernel)
    assert not steps[np.ix_(ones, ~ones)].any()
    probabilities = model.probabilities()[ones]
    assert_unchanged(probabilities / probabilities.sum(), steps[np.ix_(ones, ones)])


@pytest.mark.parametrize("pair", [0, 1])
def test_temperatures(problem, pair):
    """Steps at three temperatures and an exchange keep them independent, each as it was."""
    model, kernel = slow(problem), tempered(problem.posterior(), BETAS)
    at_each = [model.probabilities(beta) for beta in BETAS]
    before = reduce(np.multiply.outer, at_each)
    steps = [matrix(model, kernel, beta) for beta in BETAS]
    stepped = np.einsum("abc,ai,bj,ck->ijk", before, *steps, optimize=True)
    np.testing.assert_allclose(stepped, before, rtol=0, atol=1e-12)
    exchanged = exchange(model, stepped, BETAS, pair)
    np.testing.assert_allclose(exchanged, before, rtol=0, atol=1e-12)


# What is listed is what the native kernels do ----------------------------------------------------


@pytest.mark.parametrize("name", KERNELS)
def test_native_steps_from_every_list(whole, name):
    """From a dozen of them; from every one if exhaustive."""
    model, kernel = slow(whole), KERNELS[name](whole.posterior())
    thin = 1 if EXHAUSTIVE else max(1, len(model.scores) // 8)
    for i, rules in list(enumerate(model.scores))[::thin]:
        assert step_p_value(kernel, model, [rules], [whole.seed, i]) > LEVEL, rules


@pytest.mark.parametrize("name", KERNELS)
def test_native_steps_on_problems_of_every_make(problem, name):
    model, kernel = slow(problem), KERNELS[name](problem.posterior())
    lists = list(model.scores)
    two = np.random.default_rng(problem.seed).permutation(len(lists))[:2]
    for i in two.tolist():
        assert step_p_value(kernel, model, [lists[i]], [problem.seed, i]) > LEVEL


@pytest.mark.skipif(not EXHAUSTIVE, reason="a minute each")
@pytest.mark.parametrize("large", LARGE, ids=str)
@pytest.mark.parametrize("name", KERNELS)
def test_native_steps_on_lists_of_three_layers(large, name):
    model, posterior = slow(large), large.posterior()
    assert score_error(posterior, model) < 1e-8
    kernel = KERNELS[name](posterior)
    for i, rules in enumerate(model.scores):
        assert step_p_value(kernel, model, [rules], [large.seed, i]) > LEVEL, rules


def test_native_steps_of_single_terms(whole):
    model, kernel = slow(whole), single_term(whole.posterior())
    for i, rules in enumerate(r for r in model.scores if len(terms_of(r)) == 1):
        assert step_p_value(kernel, model, [rules], [whole.seed, i]) > LEVEL, rules


@pytest.mark.parametrize("step", [9, 10, 19])
@pytest.mark.parametrize("some", [WHOLE[0], WHOLE[5]], ids=str)
def test_native_steps_at_several_temperatures(some, step):
    """One that ends with an exchange of the hotter two, one without, one of the colder two."""
    model, kernel = slow(some), tempered(some.posterior(), BETAS)
    lists = list(model.scores)
    rng = np.random.default_rng(step)
    for i in range(4):
        starts = [lists[j] for j in rng.integers(0, len(lists), len(BETAS))]
        assert step_p_value(kernel, model, starts, [step, i], step) > LEVEL, starts
