import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from bayesdnf.genomics import hardy_weinberg
from bayesdnf.genomics.quality import exact_tests as exact
from tests.genomics import twins


@st.composite
def call_counts(draw):
    two, one, none = (draw(st.integers(0, 40)) for _ in range(3))
    return two + one + none, two + one, two


@given(st.lists(call_counts(), max_size=5))
def test_hardy_weinberg_is_the_sum_in_fractions(counts):
    expected = [twins.hardy_weinberg(*row) for row in counts]
    np.testing.assert_allclose(hardy_weinberg(counts), expected, rtol=1e-9)


@given(st.lists(call_counts(), max_size=5), st.sampled_from([1e-12, 1e-6, 0.01, 0.5, 1]))
def test_the_short_cut_leaves_out_the_same_variants(counts, level):
    expected = [bool(p < level) for p in hardy_weinberg(counts)]
    assert exact.hardy_weinberg_below(counts, level).tolist() == expected


def test_blocks_do_not_matter(monkeypatch):
    rng = np.random.default_rng(1)
    calls = rng.multinomial(60, [0.5, 0.3, 0.2], size=200)
    counts = np.stack([calls.sum(1), calls[:, 1] + calls[:, 2], calls[:, 2]], axis=1)
    whole = hardy_weinberg(counts)
    monkeypatch.setattr(exact, "_CELLS", 50)
    np.testing.assert_allclose(hardy_weinberg(counts), whole, rtol=1e-12)


@given(st.data())
def test_fisher_is_scipys(data):
    n1, n0 = data.draw(st.integers(0, 60)), data.draw(st.integers(0, 60))
    a, b = data.draw(st.integers(0, n1)), data.draw(st.integers(0, n0))
    expected = scipy.stats.fisher_exact([[a, n1 - a], [b, n0 - b]]).pvalue
    assert exact.fisher([[a, n1, b, n0]])[0] == pytest.approx(expected, rel=1e-6)
