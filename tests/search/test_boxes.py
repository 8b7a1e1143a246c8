"""Boxes of functions, against scoring every function."""

import itertools
import math
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayesdnf import BitMatrix, LiteralEncoder, Poisson, Posterior, Prior, simulate
from bayesdnf.search import boxes
from bayesdnf.search.bound import bound_by_boxes
from bayesdnf.search.priced import TermSpace
from tests.search.small_posteriors import EXAMPLES, all_functions, posteriors


@given(
    posterior=posteriors(),
    limit=st.sampled_from([1e-9, 0.05, 0.3]),
    most_begun=st.sampled_from([1, 5, 5000]),
)
@settings(deadline=None, max_examples=EXAMPLES)
def test_no_function_scores_above_the_bound(posterior, limit, most_begun):
    best = all_functions(posterior)[1].log_score.max()
    # Tables as small as these have too few terms for the way that large ones go.
    with patch.object(boxes, "_MOST_BEGUN", most_begun):
        found = bound_by_boxes(posterior, None, limit)
    assert found.gap >= 0
    assert found.proved == (found.gap == 0) == (found.stopped == "proved")
    assert math.isfinite(found.gap) or found.log_posterior == -math.inf
    assert found.log_posterior == posterior.log_score(found.function)
    assert math.isinf(found.gap) or best <= found.log_posterior + found.gap + 1e-6


def best_over_unions(posterior):
    """Score every union of cells with the cheapest terms that have it; terms may absorb others."""
    space = TermSpace(posterior)
    p, n_cells = posterior.bits.n_literals, len(space.cell_row)
    every = [t for k in range(1, 4) for t in itertools.combinations(range(p), k)]
    marked = space.marked(every)[:, space.cell_row]
    masks, worth = marked @ (1 << np.arange(n_cells)), space.worth(every)
    cheapest = {}
    for mask, value in zip(masks.tolist(), worth.tolist(), strict=True):
        if mask:
            cheapest[mask] = max(value, cheapest.get(mask, -math.inf))
    union, best = {0: 0.0}, -math.inf
    for m in range(1, 7):
        longer = {}
        for before, value in union.items():
            for mask, own in cheapest.items():
                longer[before | mask] = max(longer.get(before | mask, -math.inf), value + own)
        union = longer
        for mask, value in union.items():
            a, b = space.cells[[mask >> i & 1 == 1 for i in range(n_cells)]].sum(axis=0)
            best = max(best, space.count[m] + value + space.log_likelihood(int(a), int(b)))
    return best


@pytest.mark.parametrize("seed", range(4))
def test_a_table_of_few_different_rows_is_proved(seed):
    rng = np.random.default_rng(seed)
    table = {"a": rng.integers(0, 3, 1500).astype(str), "b": rng.integers(0, 3, 1500).astype(str)}
    risk = rng.random((3, 3))[table["a"].astype(int), table["b"].astype(int)]
    posterior = Posterior(LiteralEncoder().fit_encode(table), rng.random(1500) < risk)
    found = bound_by_boxes(posterior, None, None)
    assert found.proved
    assert math.isclose(found.log_posterior, best_over_unions(posterior), abs_tol=1e-8)


def test_every_positive_cell_may_need_a_term_of_its_own():
    X = np.repeat(np.vstack([np.eye(3), np.zeros(3)]), 20, axis=0).astype(bool)
    posterior = Posterior(BitMatrix.from_table(X), X.any(axis=1))
    assert TermSpace(posterior).most_terms == 3
    found = bound_by_boxes(posterior, None, None)
    assert found.proved
    assert len(found.function.terms) == 3


@pytest.mark.parametrize("seed", range(20))
def test_boxes_parted_by_terms_and_rows_keep_the_best_function(seed):
    X, y, _ = simulate(60, 5, terms=(1, 2, 2), beta=0.6, pi0=0.1, pi1=0.9, random_state=seed)
    posterior = Posterior(BitMatrix.from_table(X), y, Prior(size=Poisson(0.5)))
    best = all_functions(posterior)[1].log_score.max()
    # Without going through sets of terms, and from the null function on.
    with patch.object(boxes.Boxes, "_settle", return_value=False):
        found = bound_by_boxes(posterior, None, None)
    assert found.proved
    assert math.isclose(found.log_posterior, best, abs_tol=1e-6)
