"""Native chains against the whole posterior, on four and five literals.

Their draws are off by no more than independent ones of the effective size that they measure
themselves at, and by less the more there are.
"""

from functools import cache

import numpy as np
import pytest

from bayesdnf import BooleanFunction, Flat, Literal, Posterior, Prior, _native
from bayesdnf.sampling.samplers import informed, reversible_jump, single_term
from bayesdnf.sampling.tempered import log_evidence, tempered
from tests.fewer import first
from tests.model.literal_worlds import LiteralWorld
from tests.sampling.agreement import (
    effective_size,
    enumerated,
    independent_variations,
    total_variation,
    words_of,
)

pytestmark = pytest.mark.slow

X = [Literal(f"x{j}", "true") for j in range(4)]  # the last two are equal
AGE = [Literal("age", ">=", t) for t in (1, 2, 3)]  # each holds where the next one does
RED = Literal("colour", "=", "r")

COLUMNS = {
    "plain": [X[0], X[1], X[2], AGE[1], RED],
    "duplicated": [X[0], X[2], X[3], AGE[1], RED],
    "nested": [AGE[0], AGE[1], AGE[2], X[0], X[1]],
}
FLAT = {"count": Flat(), "size": Flat(), "literals": "size-only", "orderings": False}
PRIORS = {
    "antichains": {},
    "related antichains": {"related": True, "min_cover": 0},
    "sets": {"antichain": False, "related": True, "min_cover": 0},
    "small sets": {"antichain": False, "related": True, "max_terms": 4},
}
CASES = [
    (4, "antichains", "plain", "peaked"),
    (4, "related antichains", "nested", "flat"),
    (4, "small sets", "plain", "flat"),
    (4, "sets", "duplicated", "peaked"),
    (5, "antichains", "plain", "flat"),
    (5, "antichains", "nested", "peaked"),
    (5, "related antichains", "duplicated", "peaked"),
]
KERNELS = {
    "informed": (informed, 25_000),
    "reversible_jump": (reversible_jump, 50_000),
    "tempered": (lambda posterior: tempered(posterior, [1, 0.5, 0.2, 0]), 15_000),
}
"""And the steps of each of its chains."""
N_CHAINS, WARMUP = 16, 1_000


@cache
def posterior_of(p, support, columns, data):
    n_rows = {"peaked": 60, "one term": 40, "flat": 20}[data]
    world = LiteralWorld(p, n_rows, COLUMNS[columns][:p], 0.0, weighted=False)
    truth = [world.columns[x] for x in world.literals]
    noise = np.random.default_rng(p).random(n_rows) < 0.2
    if data == "peaked":
        world.y = (truth[0] & truth[1] | truth[3]) ^ noise
    elif data == "one term":
        world.y = (truth[0] & truth[1]) ^ noise
    prior = Prior(**PRIORS[support], **(FLAT if data == "flat" else {}))
    return Posterior(world.bits(), world.y, prior, positive=True)


@cache
def exact(posterior):
    return enumerated(posterior)


def chains_of(kernel, steps, seed=0):
    """Places of the draws among the enumerated functions, and the log likelihoods."""
    words = exact(kernel.posterior).words
    stop = _native.StopFlag()
    start = BooleanFunction([[kernel.posterior.bits.table[0]]])
    places, likelihoods = [], []
    for chain in range(N_CHAINS):
        snapshot = kernel.init(start, _native.Philox([seed, chain]))
        snapshot, _ = kernel.advance(snapshot, WARMUP, 1, stop)
        _, info = kernel.advance(snapshot, steps, 1, stop)
        found = words_of(info.functions)
        place = np.searchsorted(words, found)
        np.testing.assert_array_equal(words[place], found)
        places.append(place[info.draws])
        likelihoods.append(info.likelihoods)
    return np.array(places), np.array(likelihoods)


def variation(places, probabilities, part=1):
    """Mean over the chains, each judged by the first part of its draws."""
    used = places[:, : places.shape[1] // part]
    return np.mean([total_variation(chain, probabilities) for chain in used])


def cases(chosen):
    return pytest.mark.parametrize("case", chosen, ids=lambda case: ", ".join(map(str, case)))


@cases(first(CASES, 4))
def test_draws(case):
    assert_draws("informed", case)


@pytest.mark.parametrize("name", ["reversible_jump", "tempered"])
@cases(
    [
        *CASES[::6],
        *(pytest.param(case, marks=pytest.mark.long) for case in CASES if case not in CASES[::6]),
    ]
)
def test_draws_of_other_kernels(case, name):
    assert_draws(name, case)


def assert_draws(name, case):
    posterior = posterior_of(*case)
    make, steps = KERNELS[name]
    assert_as_good_as_independent(
        chains_of(make(posterior), steps)[0], exact(posterior).probabilities
    )


def assert_as_good_as_independent(places, probabilities):
    size = effective_size(places, len(probabilities))
    alone = independent_variations(probabilities, size / N_CHAINS)
    assert variation(places, probabilities) <= 1.5 * alone.mean()
    together = independent_variations(probabilities, size)
    assert total_variation(places.ravel(), probabilities) <= together.mean() + 4 * together.std()
    falling = [variation(places, probabilities, part) for part in (16, 4, 1)]
    assert falling[0] > falling[1] > falling[2]
    assert falling[2] < 0.7 * falling[0]


ONE_TERM = [
    *(case for case in CASES if case[3] == "flat"),
    (5, "antichains", "plain", "one term"),
    (5, "antichains", "duplicated", "one term"),
    (4, "sets", "duplicated", "one term"),
]


@cases(ONE_TERM)
def test_draws_of_single_terms(case):
    """The paper's chain draws from the posterior given that there is one term."""
    posterior = posterior_of(*case)
    words, probabilities, _ = exact(posterior)
    alone = np.where(np.bitwise_count(words) == 1, probabilities, 0)
    places, _ = chains_of(single_term(posterior), 10_000)
    assert_as_good_as_independent(places, alone / alone.sum())


@cases(first(CASES[1::2]))
def test_evidence(case):
    posterior = posterior_of(*case)
    kernel = tempered(posterior)
    _, likelihoods = chains_of(kernel, 4_000, seed=1)
    found = np.array([log_evidence(of_chain, kernel.betas) for of_chain in likelihoods])
    error = found.std(ddof=1) / np.sqrt(N_CHAINS)
    assert error < 0.05
    assert found.mean() == pytest.approx(exact(posterior).log_evidence, abs=4 * error + 0.01)
