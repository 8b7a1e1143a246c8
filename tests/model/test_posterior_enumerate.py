"""The whole posterior on few literals, against the twin's sum over functions."""

import math

import numpy as np
import pytest

from bayesdnf import (
    BitMatrix,
    BooleanFunction,
    Effect,
    Geometric,
    Literal,
    Posterior,
    Prior,
    Uniform,
    best_function,
    simulate,
)
from bayesdnf.errors import InputError, ParameterError, SizeLimitError
from bayesdnf.model.enumerate import enumerate_functions
from tests import reference
from tests.model.literal_worlds import LiteralWorld

LITERALS = [
    Literal("colour", "=", "r"),
    Literal("age", ">=", 2),
    Literal("x2", "true"),
    Literal("x3", "true"),  # the same column as x2
]
CASES = [
    (LITERALS, Prior(), Effect(), reference.geometric(0.5, 0)),
    (
        LITERALS,
        Prior(related=True, min_cover=4),
        Effect(ordered=False),
        reference.geometric(0.5, 0),
    ),
    (
        LITERALS[:3],
        Prior(antichain=False, disjoint=True, min_cover=0, orderings=False),
        Effect(a0=2, b0=3, a1=3, b1=1, a=2, b=2),
        reference.geometric(0.5, 0),
    ),
    (LITERALS, Prior(Geometric(0.3), max_literals=5), Effect(), reference.geometric(0.3)),
    (
        LITERALS[:3],
        Prior(Uniform(2, low=0), antichain=False),
        Effect(a0=0.5, b0=0.5, a1=0.5, b1=0.5, ordered=False),
        lambda m: (0 <= m <= 2) / 3,
    ),
]


def slow_posterior(world, prior, effect, count):
    """Log prior and log likelihood of each allowed function."""
    p = len(world.literals)
    size = reference.truncated(reference.shifted_poisson(2), p)
    rules = ("antichain", "related", "disjoint", "min_cover", "max_terms", "max_literals")
    logs = {}
    for numbers in enumerate_functions(p, prior.antichain):
        terms = [[world.literals[j] for j in term] for term in numbers]
        log_prior = reference.log_prior(numbers, p, count, size, prior.literals, prior.orderings)
        if log_prior == -math.inf or not reference.is_allowed(
            terms,
            world.counted(),
            world.counted_weights(),
            **{name: getattr(prior, name) for name in rules},
        ):
            continue
        marked = reference.function_truth(terms, world.columns, len(world.y))
        counts = reference.counts_of(marked, world.y, world.weights)
        rates = effect.a0, effect.b0, effect.a1, effect.b1
        logs[BooleanFunction(terms)] = (
            log_prior,
            (
                reference.log_collapsed(*counts, *rates, ordered=effect.ordered is not False)
                if terms
                else reference.log_null(counts[0], counts[1], effect.a, effect.b)
            ),
        )
    return logs


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))
def test_against_the_twin(case, weighted):
    literals, prior, effect, count = case
    world = LiteralWorld(3, 25, literals, 0.1, weighted)
    slow = slow_posterior(world, prior, effect, count)
    evidence = math.fsum(math.exp(a + b) for a, b in slow.values())
    mass = math.fsum(math.exp(log_prior) for log_prior, _ in slow.values())
    exact = Posterior(
        world.bits(), world.y, prior, effect, positive=True, sample_weight=world.weights
    ).enumerate()
    assert list(exact.columns) == ["function", "probability", "log_posterior", "terms", "literals"]
    assert set(exact.function) == set(slow)
    assert len(exact) == len(slow)
    for row in exact.itertuples():
        assert row.log_posterior == pytest.approx(sum(slow[row.function]), abs=1e-8)
        assert row.probability == pytest.approx(
            math.exp(sum(slow[row.function])) / evidence, rel=1e-8
        )
        assert (row.terms, row.literals) == (len(row.function), row.function.n_literals)
    assert (np.diff(exact.log_posterior) <= 0).all()
    assert exact.probability.sum() == pytest.approx(1, abs=1e-12)
    assert exact.attrs["log_evidence"] == pytest.approx(
        math.log(evidence) - math.log(mass), abs=1e-8
    )


def test_five_literals():
    X, y, _ = simulate(300, 5, random_state=2)
    posterior = Posterior(BitMatrix.from_table(X), y)
    exact = posterior.enumerate()
    assert len(exact) == 7580
    assert exact.function.is_unique
    assert BooleanFunction() in set(exact.function)
    assert exact.function[0] == best_function(posterior).function
    assert exact.log_posterior[0] == posterior.log_score(exact.function[0])
    top = posterior.enumerate(limit=10)
    assert top.equals(exact.head(10))
    assert top.attrs == exact.attrs
    assert len(posterior.enumerate(limit=0)) == 0


def test_too_many_literals():
    def posterior(p, prior=None):
        X, y, _ = simulate(30, p, terms=(2,), random_state=0)
        return Posterior(BitMatrix.from_table(X), y, prior)

    with pytest.raises(
        SizeLimitError, match="The functions of 6 literals are too many to list; as"
    ):
        posterior(6).enumerate()
    with pytest.raises(SizeLimitError, match=r"antichains of 7 literals .* at most 6 literals"):
        posterior(7).enumerate(limit=5)
    with pytest.raises(SizeLimitError, match=r"sets of terms of 5 literals .* at most 4"):
        posterior(5, Prior(antichain=False)).enumerate()


def test_a_prior_that_allows_nothing():
    X, y, _ = simulate(30, 3, terms=(2,), random_state=0)
    posterior = Posterior(BitMatrix.from_table(X), y, Prior(Geometric(0.5), min_cover=31))
    with pytest.raises(InputError, match="The prior allows no function on this table"):
        posterior.enumerate()


@pytest.mark.parametrize("limit", [-1, 2.5, True])
def test_impossible_limits(limit):
    X, y, _ = simulate(30, 3, terms=(2,), random_state=0)
    with pytest.raises(ParameterError, match=r"'limit' parameter of Posterior\.enumerate must be"):
        Posterior(BitMatrix.from_table(X), y).enumerate(limit)
