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
    Geometric,
    Poisson,
    Posterior,
    Prior,
    Tabulated,
    _native,
    simulate,
)
from bayesdnf.search.box import Box, Range, RowPrices
from bayesdnf.search.exact import MOST_SETS, _without_a_literal, better_sets
from bayesdnf.search.priced import TermSpace
from tests.search.small_posteriors import EXAMPLES, all_functions, posteriors, scores_by_terms


def sets_of_all_boxes(posterior, space, target):
    """Functions above the target as sets of terms, from every box; None where one has too many."""
    totals = posterior.n_pos, posterior.n - posterior.n_pos
    free = RowPrices.rounded((1.0, -1.0), np.zeros(space.n_rows))
    found = []
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
        found += [frozenset(frozenset(terms[t]) for t in chosen) for chosen in sets.sets]
    return found


def best_of_all_boxes(posterior, space, target):
    found = sets_of_all_boxes(posterior, space, target)
    if found is None:
        return None
    table = posterior.bits.table
    functions = [BooleanFunction([[table[i] for i in term] for term in terms]) for terms in found]
    return max(map(posterior.log_score, functions), default=-math.inf)


def one_step_away(terms, all_terms):
    """Change, shorten or remove a term, and leave out terms that contain others."""
    for term in terms:
        rest = terms - {term}
        for other in [*all_terms, None]:
            new = rest | ({other} if other else set())
            yield frozenset(t for t in new if not any(u < t for u in new)) if other else new


def missed(posterior, target, spoil=lambda space: None):
    """Functions above a target that nothing one step away equals, and that are not found."""
    scores = scores_by_terms(posterior)
    space = TermSpace(posterior)
    spoil(space)
    above = {terms for terms, score in scores.items() if terms and score > target + 1e-9}
    every = {frozenset(t) for k in range(1, 6) for t in itertools.combinations(range(5), k)}
    found = sets_of_all_boxes(posterior, space, target)
    if found is None:
        return set()
    missing = above - set(found)
    return {
        terms
        for terms in missing
        if all(
            scores.get(other, -math.inf) < scores[terms] - 1e-9
            for other in one_step_away(terms, every)
            if other != terms
        )
    }


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


@given(posterior=posteriors(), below=st.sampled_from([0.5, 3.0, 8.0]))
@settings(deadline=None, max_examples=EXAMPLES)
def test_no_local_optimum_is_missed(posterior, below):
    best = best_by_scoring(posterior)
    if TermSpace(posterior).monotone and best > -math.inf:
        assert missed(posterior, best - below) == set()


def small_posteriors(prior):
    """Posteriors of four columns, the last of which has no effect."""
    for seed in range(40):
        X, y, _ = simulate(
            12 + seed, 4, terms=(1, 2), beta=0.6, pi0=0.1, pi1=0.9, random_state=seed
        )
        yield Posterior(BitMatrix.from_table(X), y, prior)


def short(**changed):
    """Prefer short terms; every term costs, so that all conditions on best functions are used."""
    return Prior(**{"count": Geometric(0.5, start=0), "size": Poisson(0.5), **changed})


PRIORS = {
    "default": short(),
    "required": short(required=["x3"]),
    "apart": short(apart=[["x1", "x2"]]),
    "at most one": short(at_most_one=[["x0", "x3"]]),
    "disjoint": short(disjoint=True),
    "free terms": short(count=Tabulated([0.01, 0.01, 0.1, 1, 1, 1])),
    "long terms": short(size=Tabulated([0, 0.1, 0.2, 1, 1])),
}


@pytest.mark.parametrize("name", PRIORS)
def test_local_optima_are_found(name):
    for posterior in small_posteriors(PRIORS[name]):
        for below in (0.2, 10):
            assert missed(posterior, best_by_scoring(posterior) - below) == set()


def dearer_term(space):
    space.size = space.size - 0.5


def dearer_literal(space):
    space.size = space.size - np.arange(len(space.size)) / 2


def count_off(space):
    space.count = space.count - np.arange(len(space.count)) / 2


def always_removable(space):
    space.removable = True


def always_replaceable(space):
    space.replaceable = True


@pytest.mark.parametrize(
    ("name", "spoil"),
    [
        ("default", dearer_term),
        ("default", dearer_literal),
        ("default", count_off),
        ("required", always_removable),
        ("required", always_replaceable),
    ],
)
def test_mistakes_are_noticed(name, spoil):
    assert any(
        missed(posterior, best_by_scoring(posterior) - below, spoil)
        for posterior in small_posteriors(PRIORS[name])
        for below in (0.2, 10)
    )


def test_a_better_term_that_may_not_be_used_replaces_none():
    # The last column is the second without its false positive, but may not stand beside the first.
    row = np.arange(40)
    X = np.stack([row < 10, (row // 10 == 1) | (row == 30), row // 10 == 1], axis=1)
    prior = short(at_most_one=[["x0", "x2"]])
    posterior = Posterior(BitMatrix.from_table(X), row < 20, prior)
    target = best_by_scoring(posterior) - 0.2
    assert not missed(posterior, target)
    assert missed(posterior, target, always_replaceable)


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
