"""Canonical rows: sorted, merged where that pays, and read back in sample order."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesdnf import BitMatrix, Literal
from bayesdnf.data.canonical import canonical
from bayesdnf.errors import InputError


def random_rows(seed, n_rows, n_columns, n_kinds, share_missing):
    """A table with few different rows, an outcome and weights."""
    rng = np.random.default_rng(seed)
    kinds = (rng.random((n_kinds, n_columns)) < 0.5).astype(float)
    kinds[rng.random(kinds.shape) < share_missing] = np.nan
    X = kinds[rng.integers(0, n_kinds, n_rows)]
    weights = rng.integers(0, rng.choice([2, 4, 300]), n_rows)
    weights[rng.integers(n_rows)] = 1
    return X, rng.random(n_rows) < rng.choice([0, 0.3, 1]), weights


worlds = st.builds(
    random_rows,
    st.integers(0, 2**32),
    st.sampled_from([1, 2, 64, 65, 500]),
    st.integers(1, 70),
    st.sampled_from([1, 3, 1000]),
    st.sampled_from([0, 0.2]),
)


@given(world=worlds, weighted=st.booleans())
def test_truth_is_read_back_in_sample_order(world, weighted):
    X, positive, weights = world
    bits = BitMatrix.from_table(X)
    ready = canonical(bits, positive, weights if weighted else None)
    counted = weights > 0 if weighted else np.ones(len(X), dtype=bool)
    assert ready.n_rows == len(X)
    for j in range(0, X.shape[1], 7):
        name = f"x{j}"
        expected = (X[:, j] == 1) & counted, (X[:, j] == 0) & counted
        np.testing.assert_array_equal(ready.truth(Literal(name, "true")), expected[0])
        np.testing.assert_array_equal(ready.truth(Literal(name, "false")), expected[1])


@given(world=worlds, weighted=st.booleans())
def test_counts_are_of_samples(world, weighted):
    X, positive, weights = world
    times = weights if weighted else np.ones(len(X), dtype=np.int64)
    ready = canonical(BitMatrix.from_table(X), positive, weights if weighted else None)
    view = ready.view()
    assert view.totals == [times[positive].sum(), times[~positive].sum()]
    counts = view.literal_counts(view.all_rows().reshape(1, -1))[:, 0, :]
    for j in range(X.shape[1]):
        holds = X[:, j] == 1
        expected = times[holds & positive].sum(), times[holds & ~positive].sum()
        assert tuple(counts[:, j]) == expected


@given(world=worlds, seed=st.integers(0, 99))
def test_one_form_for_equal_data(world, seed):
    """Order, repetition and weighting of the rows leave the same bytes."""
    X, positive, weights = world
    rng = np.random.default_rng(seed)
    rows = rng.permutation(len(X))
    spelled_out = rng.permutation(np.repeat(np.arange(len(X)), weights))
    forms = [
        canonical(BitMatrix.from_table(X[r]), positive[r], w)
        for r, w in ((np.arange(len(X)), weights), (rows, weights[rows]), (spelled_out, None))
    ]
    for form in forms[1:]:
        assert form.segments == forms[0].segments
        np.testing.assert_array_equal(form.planes, forms[0].planes)
        assert (form.counts is None) == (forms[0].counts is None)
        if form.counts is not None:
            np.testing.assert_array_equal(form.counts, forms[0].counts)


def test_equal_rows_are_merged_where_that_saves_room():
    X = np.tile(np.eye(4), (1000, 1))
    ready = canonical(BitMatrix.from_table(X), X[:, 0] == 1)
    assert ready.segments == (1, 3)
    assert ready.counts.tolist() == [1000] * 4
    assert repr(ready) == "<BitMatrix: 4,000 rows (4 distinct) x 4 literals>"


def test_few_equal_rows_stay_as_they_are():
    rng = np.random.default_rng(0)
    X = rng.random((640, 30)) < 0.5
    X[1] = X[0]
    ready = canonical(BitMatrix.from_table(X), np.arange(640) % 2 == 0)
    assert ready.counts is None
    assert ready.segments == (320, 320)


def test_huge_weights():
    """Weights that no table of repeated rows could hold."""
    bits = BitMatrix.from_table(np.array([[1], [0], [1]]))
    weights = np.array([2**40, 3, 2**40 + 1])
    ready = canonical(bits, np.array([True, False, False]), weights)
    assert ready.view().totals == [2**40, 2**40 + 4]
    assert ready.truth(Literal("x0", "true")).tolist() == [True, False, True]


def test_tables_that_do_not_fit():
    bits = BitMatrix.from_table(np.eye(3))
    with pytest.raises(InputError, match="y has 2 entries for 3 rows of X"):
        canonical(bits, np.array([True, False]))
    ready = canonical(bits, np.array([True, False, True]))
    with pytest.raises(InputError, match="A table as read is needed"):
        canonical(ready, np.array([True, False, True]))
    with pytest.raises(InputError, match="A chunk must be a table as read"):
        BitMatrix.from_chunks([ready])
