"""On three literals everything can be listed: every move leaves the posterior as it is, and the
native kernels take the steps that were listed.

BAYESDNF_EXHAUSTIVE=1 goes through the whole product of priors and supports.
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
from sampling.agreement import LEVEL, score_error, step_p_value
from sampling.problems import Problem, all_problems, varied_problems
from sampling.slow_moves import MOVES, exchange, matrix

pytestmark = pytest.mark.slow

LISTED = {(0,): 1.0, (1, 2): 3.0, (0, 2): 0.5, (0, 1, 2): 1.0}


def listed(posterior):
    return MoveKernel("listed", posterior, {**MIX, "listed birth": 0.5}, listed=LISTED)


KERNELS = {"informed": informed, "reversible_jump": reversible_jump, "listed": listed}
BETAS = (1.0, 0.4, 0.0)

PROBLEMS = all_problems() if os.environ.get("BAYESDNF_EXHAUSTIVE") else varied_problems()
WHOLE = [
    Problem(),
    Problem(seed=1, count=Geometric(0.4), weighted=True),
    Problem(seed=2, antichain=False),
    Problem(seed=3, antichain=False, count=Geometric(0.4), missing=0.2),
]
"""Antichains and all sets, with the null function and without it."""


@lru_cache(maxsize=8)  # tests come problem by problem
def slow(problem):
    return problem.slow()


@pytest.fixture(scope="module", params=[*WHOLE, *PROBLEMS], ids=str)
def problem(request):
    return request.param


@pytest.fixture(scope="module", params=WHOLE, ids=str)
def whole(request):
    return request.param


def assert_unchanged(probabilities, steps):
    np.testing.assert_allclose(steps.sum(axis=1), 1, rtol=0, atol=1e-12)
    np.testing.assert_allclose(probabilities @ steps, probabilities, rtol=0, atol=1e-12)


# What is listed is right -------------------------------------------------------------------------


def test_every_native_move_has_a_twin():
    assert tuple(MOVES) == NATIVE_MOVES


def test_scores(problem):
    """The native posterior is the slow one, over every set of terms."""
    assert score_error(problem.posterior(), slow(problem)) < 1e-8


@pytest.mark.parametrize("move", MOVES)
def test_every_move_leaves_the_posterior_unchanged(problem, move):
    model, kernel = slow(problem), MoveKernel(move, problem.posterior(), {move: 1.0}, listed=LISTED)
    for beta in BETAS:
        assert_unchanged(model.probabilities(beta), matrix(model, kernel, beta))


@pytest.mark.parametrize("name", KERNELS)
def test_every_kernel_leaves_the_posterior_unchanged_and_reaches_all_of_it(problem, name):
    model, kernel = slow(problem), KERNELS[name](problem.posterior())
    steps = matrix(model, kernel)
    assert_unchanged(model.probabilities(), steps)
    n_parts, _ = connected_components(steps > 0, connection="strong")
    assert n_parts == 1


def test_single_terms(problem):
    """The paper's chain keeps the number of terms, and the posterior given that there is one."""
    model, kernel = slow(problem), single_term(problem.posterior())
    ones = np.array([len(function) == 1 for function in model.scores])
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
def test_native_steps_from_every_function(whole, name):
    model, kernel = slow(whole), KERNELS[name](whole.posterior())
    for i, function in enumerate(model.scores):
        assert step_p_value(kernel, model, [function], [whole.seed, i]) > LEVEL, function


@pytest.mark.parametrize("name", KERNELS)
def test_native_steps_on_problems_of_every_make(problem, name):
    model, kernel = slow(problem), KERNELS[name](problem.posterior())
    functions = list(model.scores)
    two = np.random.default_rng(problem.seed).permutation(len(functions))[:2]
    for i in two.tolist():
        assert step_p_value(kernel, model, [functions[i]], [problem.seed, i]) > LEVEL


def test_native_steps_of_single_terms(whole):
    model, kernel = slow(whole), single_term(whole.posterior())
    for i, function in enumerate(f for f in model.scores if len(f) == 1):
        assert step_p_value(kernel, model, [function], [whole.seed, i]) > LEVEL, function


@pytest.mark.parametrize("step", [9, 10, 19])
def test_native_steps_at_several_temperatures(step):
    """One that ends with an exchange of the hotter two, one without, one of the colder two."""
    problem = WHOLE[0]
    model, kernel = slow(problem), tempered(problem.posterior(), BETAS)
    functions = list(model.scores)
    rng = np.random.default_rng(step)
    for i in range(4):
        starts = [functions[j] for j in rng.integers(0, len(functions), len(BETAS))]
        assert step_p_value(kernel, model, starts, [step, i], step) > LEVEL, starts
