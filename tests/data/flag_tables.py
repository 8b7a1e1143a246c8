"""Random tables of 0, 1 and NaN, and what a BitMatrix of them must answer."""

import tracemalloc

import numpy as np
from hypothesis import strategies as st

from bayesdnf import Literal

ROWS = [1, 2, 63, 64, 65, 128, 150]


def random_table(seed, n_rows, n_columns, share_missing=0.0):
    """Values 0.0, 1.0 and NaN."""
    rng = np.random.default_rng(seed)
    X = (rng.random((n_rows, n_columns)) < rng.uniform(0.05, 0.95, n_columns)).astype(float)
    X[rng.random(X.shape) < share_missing * rng.integers(0, 2, n_columns)] = np.nan
    return X


tables = st.builds(
    random_table,
    st.integers(0, 2**32),
    st.sampled_from(ROWS),
    st.integers(1, 9),
    st.sampled_from([0, 0.3, 1]),
)


def check(bits, X, names=None):
    """Every literal and its negation hold where the raw values say so."""
    names = names or [f"x{j}" for j in range(X.shape[1])]
    assert bits.names == names
    assert (bits.n_rows, bits.n_stored, bits.n_literals) == (len(X), len(X), len(names))
    for j, name in enumerate(names):
        np.testing.assert_array_equal(bits.truth(Literal(name, "true")), X[:, j] == 1)
        np.testing.assert_array_equal(bits.truth(Literal(name, "false")), X[:, j] == 0)


def least_peak(make):
    """Make something three times: the last one made, and the least memory that it took.

    Other threads of the process may take memory too, now and then.
    """
    peaks = []
    for _ in range(3):
        tracemalloc.start()
        try:
            made = make()
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
    return made, min(peaks)
