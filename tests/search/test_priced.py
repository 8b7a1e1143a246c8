"""Prices of rows bound every box of terms."""

import itertools
import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from bayesdnf import (
    BitMatrix,
    Posterior,
    Prior,
    Uniform,
    _native,
    simulate,
)
from bayesdnf.search.box import Box, Range, RowPrices
from bayesdnf.search.priced import TermSpace
from tests.search.small_posteriors import EXAMPLES, all_functions, posteriors


def random_prices(rng, space, box):
    signs = (1, -1) if space.monotone else rng.choice([-1, 1], 2)
    slopes = tuple((signs * rng.exponential(2, 2)).tolist())
    rows = np.where(space.is_positive, *slopes) * rng.random(len(space.is_positive))
    # Beyond a share for each term, m terms together would pay more than a row costs.
    rows = np.where(space.is_positive, rows, rows / rng.choice([1, box.rest.high]))
    prices = RowPrices.rounded(slopes, rows, rng.choice([0.0, abs(slopes[1]) / box.rest.high]))
    found = space.find(box, prices, -(2**50), 3, False, 10**9, _native.StopFlag())
    assert found.complete
    cut_short = space.find(box, prices, -(2**50), 3, False, 1, _native.StopFlag())
    assert cut_short.ceiling >= found.ceiling
    return prices._replace(ceiling=found.ceiling)


@given(posterior=posteriors(), seed=st.integers(0, 2**32))
@settings(deadline=None, max_examples=EXAMPLES)
def test_any_prices_bound_every_box(posterior, seed):
    rng = np.random.default_rng(seed)
    space = TermSpace(posterior)
    if space.most_terms == 0:
        return
    # Leaving terms out moves functions to other boxes; the bound over all boxes is tested above.
    space.shorter, space.literals = False, list(range(posterior.bits.n_literals))
    flat, scored = all_functions(posterior)
    scores, terms = scored.log_score, np.diff(flat.term_starts)
    n_neg = posterior.n - posterior.n_pos
    spans = [sorted(rng.integers(0, n + 1, 2).tolist()) for n in (posterior.n_pos, n_neg)]
    lowest, highest = sorted(rng.integers(1, space.most_terms + 1, 2).tolist())
    box = Box(Range(lowest, highest), *(Range(*span) for span in spans))
    inside = (terms >= lowest) & (terms <= highest)
    for i, (low, high) in enumerate(spans):
        inside &= (scored.marked[:, i] >= low) & (scored.marked[:, i] <= high)
    best = scores[inside].max(initial=-math.inf)
    assert best <= space.without_prices(box)
    assert best <= space.value(box, random_prices(rng, space, box))
    several = np.flatnonzero(inside & (terms > 1) & np.isfinite(scores))
    if len(several) == 0:
        return
    one = rng.choice(several)
    ids = flat.literals.tolist()
    at = flat.literal_starts[flat.term_starts[one] : flat.term_starts[one + 1] + 1].tolist()
    own = [tuple(ids[i:j]) for i, j in itertools.pairwise(at)]
    row = int(rng.integers(space.n_rows))
    marking, missing = space.by_row(box, row)
    part = marking if space.marked(own)[:, row].any() else missing
    assert scores[one] <= space.without_prices(part)
    assert scores[one] <= space.value(part, random_prices(rng, space, part))
    box = part.part(terms=Range(len(own), len(own)))
    begun = space.begin(box, own[0])
    assert scores[one] <= space.without_prices(begun)
    assert scores[one] <= space.value(begun, random_prices(rng, space, begun))


def test_terms_at_prices_are_those_of_all_terms():
    X, y, _ = simulate(60, 6, random_state=3)
    X.iloc[0] = 1  # a row where a term of all literals holds
    posterior = Posterior(BitMatrix.from_table(X), y, Prior(size=Uniform()))
    space = TermSpace(posterior)
    rng = np.random.default_rng(0)
    prices = RowPrices.rounded((1.0, -1.0), rng.normal(size=posterior.bits.n_stored))
    box = Box(Range(1, 3), Range(0, posterior.n_pos), Range(0, 12))
    every = [t for k in range(1, 7) for t in itertools.combinations(range(6), k)]
    marked = space.marked(every)
    sizes = np.ceil(space.size / prices.unit)
    worth = np.array([sizes[len(t)] for t in every]) + marked @ prices.rows
    negatives = marked[:, ~space.is_positive] @ space.row_weights[~space.is_positive]
    fits = marked.any(axis=1) & (negatives <= 12)
    best = np.sort(worth[fits])[::-1][:5]
    found = space.find(box, prices, -(2**50), 5, False, 10**9, _native.StopFlag())
    assert sorted(found.worth, reverse=True) == best.tolist()


def weighted_posterior(seed):
    X, y, _ = simulate(60, 5, random_state=seed)
    return Posterior(BitMatrix.from_table(X), y, Prior(weights=[1.3, 1.7, 2.1, 2.9, 0.4]))


@given(
    posterior=posteriors() | st.integers(0, 20).map(weighted_posterior),
    seed=st.integers(0, 2**32),
    digits=st.integers(2, 6),
)
@settings(deadline=None, max_examples=EXAMPLES)
def test_terms_are_never_valued_below_their_worth(posterior, seed, digits):
    rng = np.random.default_rng(seed)
    space = TermSpace(posterior)
    box = Box(Range(1, 3), Range(0, posterior.n_pos), Range(0, posterior.n - posterior.n_pos))
    rows = rng.normal(size=space.n_rows)
    prices = RowPrices.rounded((1.0, -1.0), rows, rng.choice([0.0, 0.5]), digits)
    found = space.find(box, prices, -(2**50), 10**6, True, 10**9, _native.StopFlag())
    assert found.complete
    if not found.terms:
        return
    marked = space.marked(found.terms)
    exact = space.worth(found.terms) + prices.unit * (marked @ space.row_prices(prices))
    listed = prices.unit * np.array(found.worth)
    assert (listed >= exact - 1e-9).all()
    # Each literal and the size are rounded by themselves.
    sizes = np.array([len(term) for term in found.terms])
    assert (listed <= exact + (1 + sizes) * prices.unit + 1e-9).all()
    pooled = space.units(box, prices, space.worth(found.terms), marked)
    assert (prices.unit * pooled >= exact - 1e-9).all()


@given(posterior=posteriors(), seed=st.integers(0, 2**32))
@settings(deadline=None, max_examples=EXAMPLES)
def test_a_bound_is_the_sum_of_what_its_parts_add_at_most(posterior, seed):
    rng = np.random.default_rng(seed)
    space = TermSpace(posterior)
    most = int(rng.integers(1, 4))
    if len(space.count) <= most or space.most_terms == 0:
        return
    n_neg = posterior.n - posterior.n_pos
    box = Box(Range(1, most), Range(0, posterior.n_pos), Range(0, n_neg))
    slopes = tuple(rng.normal(size=2).tolist())
    prices = RowPrices.rounded(slopes, rng.normal(size=space.n_rows), rng.choice([0.0, 0.5]))
    prices = prices._replace(ceiling=int(rng.integers(-50, 50)))
    each = prices.unit * space.row_prices(prices)
    cells = {}
    literals = space.marked([(i,) for i in range(posterior.bits.n_literals)])
    for i, weight in enumerate(space.row_weights):
        key = literals[:, i].tobytes()
        gain, price = cells.get(key, (0.0, 0.0))
        own = slopes[0 if space.is_positive[i] else 1] * weight
        cells[key] = gain + own, price + each[i]
    rows = sum(max(g * (s > 0) - r * s for s in range(most + 1)) for g, r in cells.values())
    terms = max(space.count[m] + m * prices.unit * prices.ceiling for m in range(1, most + 1))
    height = max(v - slopes[0] * a - slopes[1] * b for a, b, v in space.corners(box))
    assert math.isclose(space.value(box, prices), height + rows + terms, abs_tol=1e-6)


@given(posterior=posteriors(), seed=st.integers(0, 2**32))
@settings(deadline=None, max_examples=EXAMPLES)
def test_a_row_is_settled_with_all_that_are_alike(posterior, seed):
    space = TermSpace(posterior)
    row = int(np.random.default_rng(seed).integers(space.n_rows))
    literals = space.marked([(i,) for i in range(posterior.bits.n_literals)])
    alike = (literals == literals[:, [row]]).all(axis=0)
    marking, missing = space.by_row(space.whole(1), row)
    assert (marking.begun.open == ~alike).all()
    assert (missing.shut == alike).all()
    assert marking.begun.rows == tuple((alike @ space.split).astype(int))
