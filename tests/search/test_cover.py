"""Smallest covers, beside trying them all."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesdnf import BitMatrix, LiteralEncoder, smallest_function
from bayesdnf.errors import ContradictionError
from bayesdnf.search import cover
from tests.search.labelled_tables import ORDERS, brute_force, endgames, sizes, small_tables


def fewest_by_covers(truth, y, minimize, most=5):
    """The same for more literals: all consistent terms, then all small sets of minimal ones."""
    p = truth.shape[1]
    primes = []
    for k in range(1, p + 1):
        for term in map(frozenset, itertools.combinations(range(p), k)):
            holds = truth[:, sorted(term)].all(axis=1)
            if not (holds & ~y).any() and holds.any() and not any(q <= term for q, _ in primes):
                primes.append((term, holds))
    best = None
    for m in range(1, most + 1):
        for chosen in itertools.combinations(primes, m):
            if np.any([holds for _, holds in chosen], axis=0)[y].all():
                size = ORDERS[minimize](m, sum(len(term) for term, _ in chosen))
                best = size if best is None or size < best else best
        if best is not None and minimize == "terms":
            break
    return best


@given(small_tables(), st.sampled_from(["terms", "literals"]), st.booleans())
def test_equals_trying_every_monotone_function(table, minimize, by_generation):
    X, y = table
    bits = BitMatrix.from_table(X.astype(int))
    expected = brute_force(X, y, minimize)
    with pytest.MonkeyPatch.context() as patch:
        if by_generation:  # too many primes to list, as far as the search can tell
            patch.setattr(cover, "_ALL_TERMS", 0)
        if expected is None:
            with pytest.raises(ContradictionError):
                smallest_function(bits, y, minimize=minimize, random_state=0)
            return
        found = smallest_function(bits, y, minimize=minimize, random_state=0)
    assert sizes(found, minimize) == expected
    assert found.proved
    assert found.stopped == "proved"
    assert (found.bound, found.second_bound) == expected
    assert found.gap == 0 or y.sum() == 0
    assert (found.function(bits) == y).all()


@given(st.integers(0, 2**32), st.sampled_from(["terms", "literals"]), st.booleans())
def test_equals_all_covers_with_levels_negations_and_gaps(seed, minimize, by_generation):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 30))
    table = pd.DataFrame(
        {
            "a": rng.choice(["u", "v", "w"], n),
            "b": np.where(rng.random(n) < 0.1, np.nan, rng.integers(0, 2, n)),
            "c": rng.integers(0, 2, n),
        }
    )
    negations = bool(rng.integers(2))
    encoder = LiteralEncoder(negations=negations)
    bits = encoder.fit_encode(table)
    truth = np.column_stack([bits.truth(literal) for literal in bits.table])
    y = (table["a"] == "u") & (table["c"] == 1) | (table["b"] == 1) & (table["a"] != "v")
    y = y.to_numpy()
    expected = fewest_by_covers(truth, y, minimize)
    with pytest.MonkeyPatch.context() as patch:
        if by_generation:
            patch.setattr(cover, "_ALL_TERMS", 0)
        if not y.any():
            assert smallest_function(bits, y, random_state=0).function.is_null
            return
        try:
            found = smallest_function(bits, y, minimize=minimize, random_state=0)
        except ContradictionError:
            assert expected is None
            return
    assert found.proved
    assert (found.function(bits) == y).all()
    if expected is not None:
        assert sizes(found, minimize) == expected


@pytest.mark.parametrize("minimize", ["terms", "literals"])
def test_tic_tac_toe_is_the_eight_lines(minimize):
    X, y = endgames()
    assert (len(X), int(y.sum())) == (958, 626)
    bits = LiteralEncoder(negations=False).fit_encode(X)
    found = smallest_function(bits, y, minimize=minimize, random_state=0)
    assert found.proved
    assert (found.n_terms, found.n_literals) == (8, 24)
    assert (found.function(X) == y).all()
    assert all(text.endswith("= x") for term in found.function.terms for text in term)
