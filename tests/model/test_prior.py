"""Priors on functions: formulas against the twin, presets, and what they refuse."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesdnf import (
    BooleanFunction,
    Effect,
    Flat,
    Geometric,
    Poisson,
    Posterior,
    Prior,
    Tabulated,
    Uniform,
)
from bayesdnf.data.bits import BitMatrix
from bayesdnf.errors import ParameterError, UnknownColumnError
from tests import reference

# A distribution, its twin, and whether the prior renormalises it to 1..p as a size.
SIZES = [
    (Poisson(2), reference.shifted_poisson(2), True),
    (Poisson(0.3), reference.shifted_poisson(0.3), True),
    (Poisson(2, truncate=False), reference.shifted_poisson(2), False),
    (Geometric(0.6), reference.geometric(0.6), True),
    (Uniform(), lambda k: 1.0 if k >= 1 else 0.0, True),
    (Tabulated([9, 0, 1, 3]), lambda k: {2: 0.25, 3: 0.75}.get(k, 0), True),
    (Flat(), reference.flat(), False),
]
COUNTS = [
    (Geometric(0.1), reference.geometric(0.1)),
    (Geometric(0.5, start=0), reference.geometric(0.5, start=0)),
    (Poisson(1), reference.shifted_poisson(1)),
    (Uniform(2, low=0), lambda m: 1 / 3 if m <= 2 else 0),
    (Tabulated([1, 1, 2]), lambda m: {0: 0.25, 1: 0.25, 2: 0.5}.get(m, 0)),
    (Flat(), reference.flat()),
]
OPEN = {"min_cover": 0, "antichain": False, "related": True}


def flags(p, n=8):
    """A table of p different columns."""
    rng = np.random.default_rng(p)
    X = rng.random((n, p)) < 0.5
    X[0], X[1] = True, False
    return BitMatrix.from_table(X), np.arange(n) % 2


def log_prior(prior, terms, p):
    bits, y = flags(p)
    text = [[f"x{j}" for j in term] for term in terms]
    return Posterior(bits, y, prior, Effect()).log_prior(BooleanFunction(text))


@st.composite
def term_sets(draw):
    p = draw(st.integers(1, 7))
    term = st.frozensets(st.integers(0, p - 1), min_size=1)
    return p, [sorted(t) for t in draw(st.sets(term, max_size=4))]


@given(
    world=term_sets(),
    size=st.sampled_from(SIZES),
    count=st.sampled_from(COUNTS),
    literals=st.sampled_from(["uniform", "size-only"]),
    orderings=st.booleans(),
)
def test_prior_of_a_function(world, size, count, literals, orderings):
    p, terms = world
    prior = Prior(count[0], size[0], literals, orderings, **OPEN)
    twin = reference.truncated(size[1], p) if size[2] else size[1]
    if size[2] and not any(size[1](k) for k in range(1, p + 1)):
        with pytest.raises(ParameterError, match=f"allows sizes from 1 to {p}"):
            log_prior(prior, terms, p)
        return
    expected = reference.log_prior(terms, p, count[1], twin, literals, orderings)
    assert log_prior(prior, terms, p) == pytest.approx(expected, abs=1e-11)


@given(world=term_sets(), data=st.data())
def test_weights(world, data):
    p, terms = world
    weights = data.draw(st.lists(st.floats(1e-3, 1e3), min_size=p, max_size=p))
    prior = Prior(Geometric(0.3, start=0), Poisson(2), weights=weights, **OPEN)
    expected = reference.log_prior(
        terms, p, reference.geometric(0.3, 0), reference.truncated(SIZES[0][1], p),
        weights=weights,
    )  # fmt: skip
    assert log_prior(prior, terms, p) == pytest.approx(expected, abs=1e-8)  # units of 2^-32


@pytest.mark.parametrize("size", [s for s in SIZES if s[2]], ids=lambda s: repr(s[0]))
@pytest.mark.parametrize("weights", [None, [1, 2, 0.5, 4]])
def test_terms_share_a_whole(size, weights):
    """P(k) P(S | k), summed over every term there is."""
    prior = Prior(Geometric(0.5), size[0], weights=weights, **OPEN)
    terms = [t for k in range(1, 5) for t in itertools.combinations(range(4), k)]
    total = math.fsum(math.exp(log_prior(prior, [t], 4)) / 0.5 for t in terms)
    assert total == pytest.approx(1, abs=1e-8)


def test_pairs_share_what_collisions_leave():
    """With m! the functions of two terms share P(2) times the chance of two different terms."""
    prior = Prior(Tabulated([0, 0, 1]), Poisson(2), **OPEN)
    terms = [t for k in range(1, 4) for t in itertools.combinations(range(3), k)]
    single = Prior(Tabulated([0, 1]), Poisson(2), **OPEN)
    same = math.fsum(math.exp(2 * log_prior(single, [t], 3)) for t in terms)
    pairs = itertools.combinations(terms, 2)
    total = math.fsum(math.exp(log_prior(prior, list(pair), 3)) for pair in pairs)
    assert total == pytest.approx(1 - same, abs=1e-12)


def test_paper():
    prior = Prior.paper(10, 0.5)
    terms = [[0], [0, 1], [0, 1, 2]]  # contained terms are allowed there
    expected = math.log(0.5**3) + math.fsum(
        math.log(reference.shifted_poisson(10)(k)) for k in (1, 2, 3)
    )
    assert log_prior(prior, terms, 4) == pytest.approx(expected, abs=1e-12)
    assert log_prior(prior, [], 4) == -math.inf


def test_non_informative_paper():
    prior = Prior.paper(0, 0)
    for terms in ([[0]], [[0, 1, 2, 3]], [[0], [1], [0, 1], [2, 3]]):
        assert log_prior(prior, terms, 4) == 0
    assert log_prior(prior, [], 4) == -math.inf


def test_sizes_and_counts_past_their_tables_have_no_mass():
    assert log_prior(Prior(size=Uniform(2), **OPEN), [[0, 1, 2]], 3) == -math.inf
    assert log_prior(Prior(count=Uniform(1), **OPEN), [[0], [1]], 3) == -math.inf


def test_weights_by_name():
    weigh = Prior(weights={"x0": 3, "x2": 0.5}, **OPEN)
    listed = Prior(weights=[3, 1, 0.5], **OPEN)
    for terms in ([[0]], [[1, 2]], [[0, 1, 2], [2]]):
        assert log_prior(weigh, terms, 3) == log_prior(listed, terms, 3)


def test_a_distribution_of_ones_own():
    class Short:
        truncates = True

        def __init__(self):
            self.table = np.log(np.array([0.5, 0.3, 0.2, *[1e-300] * 5000]))

        def log_table(self, largest):
            return self.table[: largest + 1]  # its own array: the prior must not write to it

    own = Short()
    before = own.table.copy()
    values = {log_prior(Prior(count=own, size=own, **OPEN), [[0], [1]], 2) for _ in range(3)}
    [value] = values
    assert value == pytest.approx(math.log(0.2 * 2 * (0.3 / 0.5 / 2) ** 2))
    np.testing.assert_array_equal(own.table, before)


@pytest.mark.parametrize(
    ("settings_", "message"),
    [
        ({"count": 3}, "The 'count' parameter of Prior must be a distribution such as Poisson(2)."),
        ({"size": Poisson}, "The 'size' parameter of Prior must be a distribution"),
        ({"count": Uniform()}, "The 'count' parameter of Prior must be bounded"),
        ({"literals": "any"}, "must be 'uniform' or 'size-only'. Got 'any' instead."),
        ({"orderings": 1}, "The 'orderings' parameter of Prior must be True or False. Got 1"),
        ({"antichain": None}, "The 'antichain' parameter of Prior must be True or False."),
        ({"min_cover": -1}, "The 'min_cover' parameter of Prior must be a whole number, 0 or"),
        ({"min_cover": None}, "Got None instead."),
        ({"max_terms": 1.5}, "The 'max_terms' parameter of Prior must be a whole number, 0 or"),
        ({"max_literals": 0}, "must be a whole number, 1 or more. Got 0 instead."),
        ({"max_literals": True}, "Got True instead."),
        ({"weights": [1, 1], "literals": "size-only"}, "must be None with literals='size-only'"),
    ],
)
def test_impossible_priors(settings_, message):
    with pytest.raises(ParameterError) as caught:
        Prior(**settings_)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("weights", "error", "message"),
    [
        ([1, 1], ParameterError, "one number for each of the 3 literals, or a mapping. Got '2 num"),
        ([1, 0, 1], ParameterError, "must be finite numbers above 0. Got 0.0 instead."),
        ([1, -2, 1], ParameterError, "Got -2.0 instead."),
        ({"x1": math.inf}, ParameterError, "Got inf instead."),
        ({"x11": 2}, UnknownColumnError, "names 'x11', which is neither a column nor a literal"),
        ({"NOT x1": 2}, UnknownColumnError, "names 'NOT x1'"),
        ({"x1 AND x2": 2}, UnknownColumnError, "names 'x1 AND x2'"),
    ],
)
def test_impossible_weights(weights, error, message):
    with pytest.raises(error) as caught:
        log_prior(Prior(weights=weights), [[0]], 3)
    assert message in str(caught.value)
