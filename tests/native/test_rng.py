"""The core's random numbers are numpy's Philox, and its draws are what the twin makes of them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bayesdnf import _native
from tests.native import slow_stream

uint64s = st.integers(0, 2**64 - 1)
keys = st.lists(uint64s, min_size=2, max_size=2)
counters = st.lists(uint64s | st.sampled_from([2**64 - 1, 2**64 - 2]), min_size=4, max_size=4)


@given(key=keys, counter=counters)
def test_raw_numbers_are_numpys(key, counter):
    twin = slow_stream.Stream(key, counter)
    assert _native.Philox(key, counter).raw(13).tolist() == [twin.raw() for _ in range(13)]


def test_uniforms_are_numpys():
    generator = np.random.Generator(np.random.Philox(key=np.array([3, 4], dtype=np.uint64)))
    np.testing.assert_array_equal(_native.Philox([3, 4]).uniform(50), generator.random(50))


@given(key=keys, used=st.integers(0, 12))
def test_a_stream_goes_on_from_its_state(key, used):
    stream = _native.Philox(key)
    stream.raw(used)
    state = stream.state
    ahead = stream.raw(9).tolist()
    resumed = _native.Philox.resume(*state)
    assert resumed.state == state
    assert resumed.raw(9).tolist() == ahead


bounds = st.one_of(
    st.integers(1, 100),
    st.integers(1, 2**64 - 1),
    st.sampled_from([2**63 + 1, 3 * 2**62, 2**64 - 1, 2**32]),  # up to half are rejected
)


@given(key=keys, bound=bounds)
def test_below(key, bound):
    twin = slow_stream.Stream(key)
    stream = _native.Philox(key)
    assert stream.below(bound, 20).tolist() == [twin.below(bound) for _ in range(20)]
    assert stream.raw(1)[0] == twin.raw()  # as many numbers were used


@given(key=keys)
def test_normal(key):
    twin = slow_stream.Stream(key)
    expected = [twin.normal() for _ in range(20)]
    np.testing.assert_allclose(_native.Philox(key).normal(20), expected, rtol=1e-12)


shapes = st.floats(0.01, 1e6) | st.sampled_from([1e-3, 0.5, 1, 1 / 3, 2])


@given(key=keys, a=shapes, b=shapes)
def test_beta(key, a, b):
    twin = slow_stream.Stream(key)
    stream = _native.Philox(key)
    expected = [twin.beta(a, b) for _ in range(10)]
    np.testing.assert_allclose(stream.beta(a, b, 10), expected, rtol=1e-9, atol=1e-300)
    assert stream.raw(1)[0] == twin.raw()


@pytest.mark.parametrize(("a", "b"), [(1, 1), (0.5, 0.5), (0.05, 2), (3, 700), (40, 40.5)])
def test_beta_draws_have_that_distribution(a, b):
    draws = _native.Philox([1, 2]).beta(a, b, 20_000)
    assert stats.kstest(draws, stats.beta(a, b).cdf).pvalue > 1e-3


def test_normal_and_below_have_that_distribution():
    assert stats.kstest(_native.Philox([5, 5]).normal(20_000), "norm").pvalue > 1e-3
    rolls = np.bincount(_native.Philox([5, 6]).below(6, 30_000).astype(int), minlength=6)
    assert stats.chisquare(rolls).pvalue > 1e-3


@pytest.mark.parametrize("used", [-1, 5, 1000])
def test_impossible_states(used):
    with pytest.raises(ValueError, match="between 0 and 4"):
        _native.Philox.resume([0, 0], [0, 0, 0, 0], used)


def test_impossible_draws():
    stream = _native.Philox([0, 0])
    with pytest.raises(ValueError, match="positive"):
        stream.below(0, 1)
    for a, b in [(0, 1), (1, -1), (math.nan, 1), (1, math.inf)]:
        with pytest.raises(ValueError, match="positive and finite"):
            stream.beta(a, b, 1)
    for key in ([], [1], [1, 2, 3], [-1, 0], [2**64, 0]):
        with pytest.raises(TypeError):
            _native.Philox(key)
