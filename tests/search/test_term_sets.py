"""Sets of terms that beat a target, against scoring every function."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayesdnf import (
    BitMatrix,
    BooleanFunction,
    Poisson,
    Posterior,
    Prior,
    _native,
    simulate,
)
from bayesdnf.search.exact import MOST_SETS, _without_a_literal, better_sets
from bayesdnf.search.priced import Box, Range, RowPrices, TermSpace
from tests.search.small_posteriors import EXAMPLES, all_functions, posteriors


def best_of_all_boxes(posterior, space, target):
    """Score the sets of every box; None where one has too many."""
    table = posterior.bits.table
    totals = posterior.n_pos, posterior.n - posterior.n_pos
    free = RowPrices.rounded((1.0, -1.0), np.zeros(space.n_rows))
    found = [-math.inf]
    for m, *lower in itertools.product(
        range(1, space.most_terms + 1), (True, False), (True, False)
    ):
        spans = [
            Range(0, n // 2) if first else Range(n // 2 + 1, n)
            for first, n in zip(lower, totals, strict=True)
        ]
        box = Box(Range(m, m), *spans)
        terms = space.find(box, free, -(2**50), 10**6, True, 10**9, _native.StopFlag()).terms
        empty = any(span.low > span.high for span in spans)
        if not terms or empty or not np.isfinite(space.count[m]):
            continue
        sets = better_sets(space, box, terms, target, _native.StopFlag())
        assert sets.complete or len(sets.sets) == MOST_SETS
        if not sets.complete:
            return None
        found += [
            posterior.log_score(BooleanFunction([[table[i] for i in terms[t]] for t in chosen]))
            for chosen in sets.sets
        ]
    return max(found)


def best_by_scoring(posterior):
    flat, scored = all_functions(posterior)
    return scored.log_score[np.diff(flat.term_starts) > 0].max(initial=-math.inf)


@given(posterior=posteriors(), below=st.sampled_from([0.01, 1.0, 4.0]))
@settings(deadline=None, max_examples=EXAMPLES)
def test_sets_of_terms_above_a_target_have_the_best_function(posterior, below):
    space = TermSpace(posterior)
    best = best_by_scoring(posterior)
    if not space.monotone or posterior.log_score(BooleanFunction()) > best or best == -math.inf:
        return
    found = best_of_all_boxes(posterior, space, best - below)
    assert found is None or found >= best - 1e-9


@pytest.mark.parametrize("seed", range(12))
def test_terms_that_just_pay_are_not_left_out(seed):
    X, y, _ = simulate(36, 5, beta=0.6, pi0=0.05, pi1=0.95, random_state=seed)
    posterior = Posterior(BitMatrix.from_table(X), y, Prior(size=Poisson(0.5)))
    space = TermSpace(posterior)
    assert space.replaceable
    best = best_by_scoring(posterior)
    if posterior.log_score(BooleanFunction()) <= best:
        assert best_of_all_boxes(posterior, space, best - 0.01) >= best - 1e-9


def test_a_literal_keeps_off_so_many_negatives():
    X, y, _ = simulate(60, 5, random_state=2)
    posterior = Posterior(BitMatrix.from_table(X), y, Prior(size=Poisson(0.5)))
    space = TermSpace(posterior)
    terms = [t for k in (1, 2, 3) for t in itertools.combinations(range(5), k)]
    kept_off, saved = _without_a_literal(space, terms, space.marked(terms))
    negative = X.to_numpy(bool)[np.asarray(y) == 0]
    for term, off, cost in zip(terms, kept_off, saved, strict=True):
        own = negative[:, list(term)].all(axis=1).sum()
        without = [negative[:, [i for i in term if i != j]].all(axis=1).sum() for j in term]
        assert off == (min(without) - own if len(term) > 1 else posterior.n)
        assert cost == space.size[len(term) - 1] - space.size[len(term)]
