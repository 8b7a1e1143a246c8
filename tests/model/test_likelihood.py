"""The collapsed likelihood and its order factor against fractions and plain integration."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import betainc, betaln

from bayesdnf import _native
from tests import reference
from tests.model import slow_order

whole = st.integers(1, 6).map(float)
half = st.sampled_from([0.5, 1.5, 2.5, 7.5])
broken = st.floats(0.2, 8)
PARAMETERS = st.one_of(
    st.tuples(*[whole] * 4), st.tuples(*[half] * 4), st.tuples(*[broken] * 4),
    st.tuples(broken, half, whole, whole), st.tuples(whole, whole, half, broken),
    st.tuples(half, whole, whole, half),
)  # fmt: skip


@st.composite
def counts(draw, largest=60):
    """(n, n_pos, n_marked, n_both), with empty and full classes and marks among them."""
    n_pos, n_neg = draw(st.integers(0, largest)), draw(st.integers(0, largest))
    n_both, others = draw(st.integers(0, n_pos)), draw(st.integers(0, n_neg))
    return n_pos + n_neg, n_pos, n_both + others, n_both


def native(n, n_pos, parameters, ordered, a=1.0, b=1.0):
    return _native.Likelihood(_native.Effect(*parameters, a, b, ordered), n_pos, n - n_pos)


@given(counts=counts(), parameters=PARAMETERS)
def test_collapsed_likelihood(counts, parameters):
    n, n_pos, n_marked, n_both = counts
    found = native(n, n_pos, parameters, ordered=False)(n_both, n_marked - n_both)
    assert found == pytest.approx(reference.log_collapsed(*counts, *parameters), abs=1e-10)


@pytest.mark.slow
@given(counts=counts(), parameters=PARAMETERS)
def test_ordered_likelihood(counts, parameters):
    n, n_pos, n_marked, n_both = counts
    found = native(n, n_pos, parameters, ordered=True)(n_both, n_marked - n_both)
    expected = reference.log_collapsed(*counts, *parameters, ordered=True)
    assert found == pytest.approx(expected, abs=1e-8)


@given(counts=counts(20), a=broken, b=broken)
def test_null_evidence(counts, a, b):
    n, n_pos, _, _ = counts
    for ordered in (False, True):  # the order says nothing of a single rate
        found = native(n, n_pos, (1, 1, 1, 1), ordered, a, b).null
        assert found == pytest.approx(reference.log_null(n, n_pos, a, b), abs=1e-11)


@given(values=st.tuples(*[st.integers(1, 40)] * 4))
def test_two_exact_roads_to_the_order_agree(values):
    exact = slow_order.order_probability(*values)
    assert exact == slow_order.order_probability_double_sum(*values)
    assert exact + slow_order.order_probability(*values[2:], *values[:2]) == 1
    found = _native.log_order_probability(*values)
    assert found == pytest.approx(slow_order.log_of(exact), abs=1e-13, rel=1e-12)


EXTREMES = [
    (1, 1, 1, 1),
    (1, 10_001, 10_001, 1),  # every positive marked and no negative
    (10_001, 1, 1, 10_001),  # the other way round
    (5_001, 5_001, 2_501, 7_501),  # reversed, far from 0 and 1
    (1, 1, 5_001, 5_001),  # nothing unmarked
    (5_001, 5_001, 1, 1),  # nothing marked
    (5_001, 5_001, 5_002, 5_000),  # alike
    (9_000, 3, 2, 8_000),
    (2, 9_999, 1, 10_000),
]


@pytest.mark.slow
@pytest.mark.parametrize("values", EXTREMES)
@pytest.mark.parametrize(
    ("shift", "arms"),
    [
        (0, "both"),
        (0.125, "both"),
        pytest.param(0.5, "both", marks=pytest.mark.long),
        pytest.param(0.5, "first", marks=pytest.mark.long),
        pytest.param(0.3, "second", marks=pytest.mark.long),
    ],
)
def test_order_of_ten_thousand_rows(values, shift, arms):
    """Whole, half-whole and broken parameters, in one arm or in both."""
    moved = [
        v + shift * (arms == "both" or (arms == "first") == (i < 2)) for i, v in enumerate(values)
    ]
    found = _native.log_order_probability(*moved)
    expected = slow_order.log_order_probability(*moved)
    assert found == pytest.approx(expected, abs=1e-9, rel=1e-11)


@pytest.mark.parametrize(
    "values", [(0.01, 0.03, 0.02, 0.01), (0.1, 5, 0.2, 3), (0.05, 0.05, 30.5, 4.25)]
)
def test_order_of_small_parameters(values):
    """Most of the mass then lies where x or 1 - x is below the range of floats."""
    found = _native.log_order_probability(*values)
    assert found == pytest.approx(slow_order.log_order_probability(*values), abs=1e-9)
    back = _native.log_order_probability(*values[2:], *values[:2])
    assert math.exp(found) + math.exp(back) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(("n_pos", "n_neg"), [(5, 7), (1, 400), (3000, 7000), (5000, 5000)])
def test_facts_of_the_flat_prior(n_pos, n_neg):
    """Marking nothing or everything: the null's evidence, and the order's price for it."""
    n = n_pos + n_neg
    free, ordered = (native(n, n_pos, (1, 1, 1, 1), o) for o in (False, True))
    assert free(0, 0) == pytest.approx(free.null, abs=1e-9)
    assert free(n_pos, n_neg) == pytest.approx(free.null, abs=1e-9)
    nothing, everything = 2 * (n_neg + 1) / (n + 2), 2 * (n_pos + 1) / (n + 2)
    assert ordered(0, 0) == pytest.approx(free.null + math.log(nothing), abs=1e-9)
    assert ordered(n_pos, n_neg) == pytest.approx(free.null + math.log(everything), abs=1e-9)
    # The factor tends to 2 for a perfect function and to 0 for its reverse.
    assert ordered.order_factor(n_pos, 0) <= math.log(2)
    assert ordered(0, n_neg) < ordered(n_pos, 0)


def test_skip_rule_is_exactly_two():
    ordered = native(4000, 2000, (1, 1, 1, 1), True)
    assert ordered.order_factor(1800, 100) == math.log(2)
    assert ordered.order_factor(1000, 1000) == pytest.approx(0, abs=1e-11)
    assert ordered.order_factor(100, 1800) < -1000


@given(n_pos=st.integers(0, 25), n_neg=st.integers(0, 25))
@settings(max_examples=15)
def test_skip_rule_everywhere(n_pos, n_neg):
    ordered = native(n_pos + n_neg, n_pos, (1, 1, 1, 1), True)
    for a in range(n_pos + 1):
        for b in range(n_neg + 1):
            p = slow_order.order_probability(n_pos - a + 1, n_neg - b + 1, a + 1, b + 1)
            expected = math.log(2) + slow_order.log_of(p)
            assert ordered.order_factor(a, b) == pytest.approx(expected, abs=1e-12, rel=1e-12)


@given(a=st.floats(0.05, 2000), b=st.floats(0.05, 2000), t=st.floats(-35, 35))
def test_log_beta_cdf(a, b, t):
    x, rest = 1 / (1 + math.exp(-t)), 1 / (1 + math.exp(t))
    [found] = np.exp(_native.log_beta_cdf(np.array([t]), a, b))
    expected = betainc(a, b, x) if x < 0.5 else 1 - betainc(b, a, rest)
    assert found == pytest.approx(expected, abs=1e-11, rel=1e-9)


@pytest.mark.parametrize(("a", "b"), [(0.5, 0.5), (0.02, 0.3), (3, 40)])
def test_log_beta_cdf_far_out(a, b):
    t = np.array([-2000.0, -700, -41, -39, 39, 41, 700, 2000])
    low = a * t[:4] - math.log(a) - betaln(a, b)
    high = np.log1p(-np.exp(-b * t[4:] - math.log(b) - betaln(a, b)))
    found = _native.log_beta_cdf(t, a, b)
    np.testing.assert_allclose(found, [*low, *high], rtol=1e-12, atol=1e-16)


@given(logs=st.lists(st.floats(-20, 20), min_size=1, max_size=9))
def test_elementary_symmetric_polynomials(logs):
    found = _native.log_elementary_symmetric(np.array(logs), len(logs))
    weights = [math.exp(v) for v in logs]
    for k in range(len(logs) + 1):
        expected = math.log(reference.elementary_symmetric(weights, k))
        assert found[k] == pytest.approx(expected, abs=1e-11)


def test_impossible_requests_are_refused():
    likelihood = native(5, 2, (1, 1, 1, 1), True)
    for a, b in [(3, 0), (0, 4), (-1, 0), (0, -1), (2**62, 0)]:
        with pytest.raises(ValueError, match="more rows are marked than there are"):
            likelihood(a, b)
        with pytest.raises(ValueError, match="more rows are marked than there are"):
            likelihood.order_factor(a, b)
    with pytest.raises(ValueError, match="not be negative"):
        native(0, -1, (1, 1, 1, 1), True)
    for bad in (0, -1, math.nan, math.inf):
        with pytest.raises(ValueError, match="positive and finite"):
            _native.log_order_probability(1, 1, 1, bad)
        with pytest.raises(ValueError, match="positive and finite"):
            _native.Effect(1, 1, bad, 1, 1, 1, True)
        with pytest.raises(ValueError, match="positive and finite"):
            _native.log_beta_cdf(np.zeros(1), bad, 1)
    with pytest.raises(ValueError, match="not that many weights"):
        _native.log_elementary_symmetric(np.zeros(2), 3)
