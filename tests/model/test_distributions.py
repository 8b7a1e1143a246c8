"""Distributions of m and k: their tables against scipy, and what they refuse."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesdnf import Flat, Geometric, Poisson, Tabulated, Uniform
from bayesdnf.errors import ParameterError
from tests import reference

chances = st.floats(1e-6, 1 - 1e-6)


def probabilities(distribution, largest):
    return np.exp(distribution.log_table(largest))


@given(mean=st.floats(1e-3, 200), largest=st.integers(0, 300))
def test_poisson(mean, largest):
    expected = [reference.shifted_poisson(mean)(k) for k in range(largest + 1)]
    found = probabilities(Poisson(mean), largest)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-300)


@given(p=chances, start=st.sampled_from([0, 1]), largest=st.integers(0, 300))
def test_geometric(p, start, largest):
    expected = [reference.geometric(p, start)(m) for m in range(largest + 1)]
    found = probabilities(Geometric(p, start), largest)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-300)


@pytest.mark.parametrize(
    ("distribution", "largest"),
    [
        (Poisson(5), 200),
        (Poisson(0.01), 20),
        (Geometric(0.1), 600),
        (Geometric(0.5, start=0), 80),
        (Uniform(7), 7),
        (Uniform(7, low=0), 30),
        (Uniform(), 12),
        (Tabulated([0, 3, 1, 0, 2]), 4),
    ],
)
def test_tables_that_hold_everything_sum_to_one(distribution, largest):
    assert math.fsum(probabilities(distribution, largest)) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(
    ("distribution", "expected"),
    [
        (Uniform(3), [0, 1 / 3, 1 / 3, 1 / 3, 0]),
        (Uniform(9, low=2), [0, 0, 1 / 8, 1 / 8, 1 / 8]),  # what does not fit keeps its share
        (Uniform(), [0, 1 / 4, 1 / 4, 1 / 4, 1 / 4]),
        (Uniform(0, low=0), [1, 0, 0, 0, 0]),
        (Tabulated([1, 0, 3]), [1 / 4, 0, 3 / 4, 0, 0]),
        (Tabulated([0, 0, 0, 0, 0, 1, 1]), [0, 0, 0, 0, 0]),
        (Flat(), [0, 1, 1, 1, 1]),
    ],
)
def test_small_tables(distribution, expected):
    np.testing.assert_allclose(probabilities(distribution, 4), expected, rtol=1e-15)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Poisson(0), "The 'mean' parameter of Poisson must be a finite number above 0."),
        (lambda: Poisson(-1.5), "Got -1.5 instead."),
        (lambda: Poisson(math.nan), "Got nan instead."),
        (lambda: Poisson(math.inf), "Got inf instead."),
        (lambda: Poisson("2"), "Got '2' instead."),
        (lambda: Poisson(True), "Got True instead."),
        (lambda: Geometric(0), "The 'p' parameter of Geometric must be a finite number above 0."),
        (lambda: Geometric(1), "The 'p' parameter of Geometric must be below 1. Got 1 instead."),
        (lambda: Geometric(0.5, 2), "The 'start' parameter of Geometric must be 0 or 1."),
        (lambda: Geometric(0.5, True), "Got True instead."),
        (lambda: Uniform(0), "The 'high' parameter of Uniform must be a whole number, 1 or more."),
        (lambda: Uniform(2.5), "Got 2.5 instead."),
        (lambda: Uniform(3, low=-1), "The 'low' parameter of Uniform must be a whole number, 0"),
        (
            lambda: Tabulated([1, -1]),
            "'weights' parameter of Tabulated must be numbers, none negative",
        ),
        (lambda: Tabulated([0, 0]), "not all 0. Got [0, 0] instead."),
        (lambda: Tabulated([]), "not all 0. Got [] instead."),
        (lambda: Tabulated([[1, 2]]), "Got [[1, 2]] instead."),
        (lambda: Tabulated([1, math.inf]), "Got [1, inf] instead."),
        (lambda: Tabulated(["a"]), "Got ['a'] instead."),
    ],
)
def test_impossible_distributions(make, message):
    with pytest.raises(ParameterError) as caught:
        make()
    assert message in str(caught.value)
