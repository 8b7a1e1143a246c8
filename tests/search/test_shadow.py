"""Shadow clustering: fast covers without a proof."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bayesdnf import BitMatrix, datasets, smallest_function
from tests.search.labelled_tables import brute_force, sizes, small_tables


def test_shadow_clustering_fits_and_claims_no_proof():
    X, y = datasets.load_mushroom()
    found = smallest_function(X, y, positive="p", method="shadow", random_state=0)
    assert (found.function(X) == (np.asarray(y) == "p")).all()
    assert found.n_terms <= 8
    assert not found.proved
    assert found.stopped == "shadow"
    assert found.bound == 1
    assert 0 < found.gap < 1


@given(small_tables(), st.sampled_from(["terms", "literals"]))
def test_shadow_clustering_fits_whatever_can_be_fitted(table, minimize):
    X, y = table
    bits = BitMatrix.from_table(X.astype(int))
    expected = brute_force(X, y, minimize)
    if expected is None:
        return
    found = smallest_function(bits, y, minimize=minimize, method="shadow", random_state=1)
    assert (found.function(bits) == y).all()
    assert sizes(found, minimize) >= expected
    assert found.bound <= expected[0]
