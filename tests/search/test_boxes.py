"""Boxes of functions, against scoring every function."""

import itertools
import math
from types import SimpleNamespace
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayesdnf import BitMatrix, LiteralEncoder, Poisson, Posterior, Prior, _native, simulate
from bayesdnf.search import boxes
from bayesdnf.search.bound import bound_by_boxes
from bayesdnf.search.box import Box, Range, RowPrices
from bayesdnf.search.master import TermPool, solve_linear
from bayesdnf.search.priced import TermSpace
from tests.search.small_posteriors import EXAMPLES, all_functions, posteriors, scores_by_terms


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


def few_columns(seed):
    X, y, _ = simulate(40, 4, terms=(1, 2), beta=0.6, pi0=0.2, pi1=0.8, random_state=seed)
    return Posterior(BitMatrix.from_table(X), y, Prior(size=Poisson(1)))


def counts_of(space, terms):
    """Positives and negatives that a function marks."""
    return tuple((space.marked(terms).any(axis=0) @ space.split).astype(int).tolist())


def with_all_terms(posterior):
    """Boxes of which no term is left out because another is never worse."""
    search = boxes.Boxes(posterior, None)
    search.space.shorter, search.space.literals = False, list(range(posterior.bits.n_literals))
    return search


def priced(search, box, slopes, rows, above):
    """Give a box prices; no term is worth more than their ceiling less so many nats."""
    prices = RowPrices.rounded(slopes, rows)
    found = search.space.find(box, prices, -(2**50), 1, False, 10**9, _native.StopFlag())
    box.prices = prices._replace(ceiling=found.ceiling + round(above / prices.unit))
    box.bound = search.space.value(box, box.prices)


def check_terms_and_parts(search, box, inside):
    """Functions of a box above the best score known keep their terms, and a box that holds them."""
    n, known = box.rest.high, () if box.begun is None else box.begun.terms
    some, every = (
        {tuple(term) for term in search._listed(box, shared_by, 10**6).terms}
        for shared_by in (n, 1)
    )
    parts = search._begin(box) if n > 1 else None
    for terms, score in inside.items():
        others = {tuple(sorted(term)) for term in terms} - set(known)
        assert others <= every
        assert others & some
        if parts is not None:
            holding = [part.bound for part in parts if part.begun.terms[-1] in others]
            assert max(holding, default=-math.inf) >= score


@given(
    posterior=posteriors(), seed=st.integers(0, 2**32), above=st.sampled_from([0.0, 0.0, 3.0, 20.0])
)
@settings(deadline=None, max_examples=EXAMPLES)
def test_a_box_is_parted_by_terms_of_all_better_functions(posterior, seed, above):
    rng = np.random.default_rng(seed)
    search = with_all_terms(posterior)
    scores = {f: s for f, s in scores_by_terms(posterior).items() if len(f) > 1}
    if not scores:
        return
    space, m = search.space, len(list(scores)[int(rng.integers(len(scores)))])
    search.score = float(rng.choice([s for f, s in scores.items() if len(f) == m])) - 1e-4
    n_neg = posterior.n - posterior.n_pos
    box = Box(Range(m, m), Range(0, posterior.n_pos), Range(0, n_neg))
    inside = {f: s for f, s in scores.items() if len(f) == m and s > search.score + 1e-5}
    if m > 2 and rng.integers(2):
        first = next(iter(inside))
        begun = tuple(sorted(next(iter(first))))
        box = space.begin(box, begun)
        inside = {f: s for f, s in inside.items() if frozenset(begun) in f}
    slopes = (1, -1) if space.monotone else rng.choice([-1, 1], 2)
    slopes = tuple((slopes * rng.exponential(1, 2)).tolist())
    rows = np.where(space.is_positive, *slopes) * rng.random(space.n_rows)
    priced(search, box, slopes, rows, above)
    check_terms_and_parts(search, box, inside)


@pytest.mark.parametrize("above", [0.0, 20.0])
@pytest.mark.parametrize("seed", range(6))
def test_terms_that_lack_all_of_the_distance_are_listed_and_begin_boxes(seed, above):
    # In a box of one pair of counts, with rows that cost nothing, a function of terms of one size
    # scores the bound less what its terms lack, all of them the same.
    posterior = few_columns(seed)
    search = with_all_terms(posterior)
    tried = 0
    for terms, score in scores_by_terms(posterior).items():
        m = len(terms)
        if m < 2 or len({len(term) for term in terms}) > 1:
            continue
        own = [tuple(sorted(term)) for term in sorted(terms, key=sorted)]
        counts = counts_of(search.space, own)
        box = Box(Range(m, m), *(Range(count, count) for count in counts))
        search.score = score - 1e-4
        for begun in [(), own[:1]] if m > 2 else [()]:
            for term in begun:
                box = search.space.begin(box, term)
            priced(search, box, (0.0, 0.0), np.zeros(search.space.n_rows), above)
            check_terms_and_parts(search, box, {terms: score})
            [bound] = {
                round(part.bound, 3) for part in search._begin(box) if part.begun.terms[-1] in own
            }
            assert bound == pytest.approx(score, abs=2e-3)
            tried += 1
    assert tried > 20


class Followed(boxes.Boxes):
    """Boxes that keep all functions offered and go on to look for others above a fixed score."""

    def __init__(self, posterior, score):
        super().__init__(posterior, None)
        self.space.shorter, self.space.literals = False, list(range(posterior.bits.n_literals))
        self.space.most_terms = self.space._most_terms()
        self.score, self.offered = score, set()

    def offer(self, function):
        ids = self.posterior.support.ids(function)
        self.pool.add(ids)
        self.offered.add(frozenset(frozenset(term) for term in ids))

    def _settle(self, box):
        return False


def holds(search, box, terms):
    """Whether a function is one of a box, with a list of its terms."""
    marked = search.space.marked(terms).any(axis=0)
    counts = len(terms), *counts_of(search.space, terms)
    spans = zip(counts, (box.terms, box.positive, box.negative), strict=True)
    begun = () if box.begun is None else box.begun.terms
    kept_off = box.shut is None or not marked[box.shut].any()
    marks = box.begun is None or marked[~box.begun.open].all()
    return (
        kept_off
        and marks
        and set(begun) <= set(terms)
        and all(span.low <= count <= span.high for count, span in spans)
    )


@pytest.mark.parametrize("seed", range(5))
def test_every_better_function_is_in_an_open_box_or_offered(seed):
    posterior = few_columns(seed)
    scores = scores_by_terms(posterior)
    ranked = sorted(scores.values())
    search = Followed(posterior, ranked[-60])
    better = {
        terms: ([tuple(sorted(term)) for term in terms], score)
        for terms, score in scores.items()
        if score > search.score + 1e-5
    }
    search.begin()
    steps = 0
    while search.open and steps < 200:
        search.step()
        steps += 1
        if steps % 4 == 0:
            for function, (terms, score) in better.items():
                assert (
                    len(terms) < 2
                    or function in search.offered
                    or score <= search.closed
                    or any(
                        entry.box.bound >= score and holds(search, entry.box, terms)
                        for entry in search.open
                    )
                )
    assert steps > 3


@pytest.mark.parametrize("above", [0.0, 20.0])
def test_sets_of_terms_that_lack_different_shares_settle_a_box(above):
    posterior = few_columns(1)
    space, best = TermSpace(posterior), {}  # of each number of terms and pair of counts
    for terms, score in scores_by_terms(posterior).items():
        own = [tuple(term) for term in terms]
        counts = counts_of(space, own)
        key = len(terms), counts
        best[key] = max(score, best.get(key, -math.inf))
    for (m, counts), score in best.items():
        if m < 2:
            continue
        search = with_all_terms(posterior)
        search.space.removable = search.space.replaceable = False
        box = Box(Range(m, m), *(Range(count, count) for count in counts))
        search.score = score - 1e-4
        priced(search, box, (0.0, 0.0), np.zeros(search.space.n_rows), above)
        assert search._settle(box)
        assert search.score >= score - 1e-8  # higher where a term absorbs another


def test_a_linear_program_without_open_positives_is_solved():
    search = with_all_terms(few_columns(0))
    space, literals = search.space, range(4)
    search.pool.add([(i,) for i in literals])
    box = space.whole(4).part(terms=Range(4, 4))
    for cell in space.cell_row[space.cells[:, 0] > 0]:
        box, _ = space.by_row(box, cell)
    assert search.pool.within(box).tolist() == list(literals)
    assert solve_linear(space, box, search.pool, 14, math.inf) is not None


def test_every_number_of_terms_that_could_pay_is_in_the_first_box():
    posterior = few_columns(1)
    search = with_all_terms(posterior)
    whole = search.space.whole(search.space.most_terms)
    bounds = [
        search.space.without_prices(whole.part(terms=Range(m, m)))
        for m in range(1, whole.terms.high + 1)
    ]
    for score in bounds:
        search.score, search.open = score - 1e-3, []
        search._push_terms(whole)
        [entry] = search.open
        for m, bound in enumerate(bounds, start=1):
            low, high = entry.box.terms
            assert bound < score or low <= m <= high


@pytest.mark.parametrize("seed", range(6))
def test_looks_for_terms_that_are_cut_short_bound_all_terms(seed):
    X, y, _ = simulate(200, 12, terms=(2, 3), pi0=0.2, pi1=0.8, random_state=seed)
    posterior = Posterior(LiteralEncoder().fit_encode(X.astype(str)), y)
    search = boxes.Boxes(posterior, None)
    space, rng = search.space, np.random.default_rng(seed)
    n_neg = posterior.n - posterior.n_pos
    box = Box(Range(2, 2), Range(0, posterior.n_pos), Range(0, n_neg))
    rows = space.is_positive * rng.random(space.n_rows)
    prices = RowPrices.rounded((1.0, -1.0), rows, 0.4)
    top = space.find(box, prices, -(2**50), 20, False, 10**9, _native.StopFlag())
    once, lowered = [], []
    # First the worst of these is known, at last the best, so that there is none to find.
    for i in np.argsort(top.worth).tolist():
        for nodes in (1, 3, 10, 30, 100):
            search.pool = TermPool(space)
            search.pool.add([top.terms[i]])
            added, asked, _ = search._look(box, prices, nodes)
            assert top.ceiling <= asked.ceiling
            if i == np.argmax(top.worth):
                assert added == 0
                floor = top.ceiling + 2
                found = space.find(box, prices, floor, 1, False, nodes, _native.StopFlag())
                once.append(found.ceiling)
                lowered.append(asked.ceiling)
    assert sum(lowered) < sum(once)


@pytest.mark.parametrize(("above", "asked"), [(5, [2, 1]), (1, []), (0, []), (-1, [])])
def test_a_look_that_was_cut_short_is_not_repeated_as_it_was(above, asked):
    search = boxes.Boxes(few_columns(0), None)
    box = search.space.whole(2).part(terms=Range(2, 2))
    prices = RowPrices.rounded((1.0, -1.0), np.zeros(search.space.n_rows))
    floors = []

    def find(box, prices, floor, *_):
        floors.append(floor)
        if len(floors) == 1:
            return SimpleNamespace(terms=[], ceiling=floor + above, complete=False)
        return SimpleNamespace(terms=[], ceiling=floor - 1, complete=True)

    with patch.object(search.space, "find", find):
        search._look(box, prices, 3)
    assert [floor - floors[0] for floor in floors[1:]] == asked


def test_a_look_that_is_repeated_gets_more_time():
    search = boxes.Boxes(few_columns(0), 100.0)
    with patch.object(boxes._native, "StopFlag") as flag:
        for times in (1, 2, 8, 64):
            search._stop(times)
    first, twice, more, most = (call.args[0] for call in flag().set_deadline.call_args_list)
    assert first == boxes._LOOK_SHARE * 100
    assert twice == 2 * first
    assert 20 < more <= boxes._AGAIN_SHARE * 100
    assert math.isclose(more, most, abs_tol=1)
    search.end = search.start
    with patch.object(boxes._native, "StopFlag") as flag:
        search._stop(8)
    assert flag().set_deadline.call_args.args == (0.0,)


def test_looks_cut_short_are_repeated_with_more_time():
    X, y, _ = simulate(200, 12, terms=(2, 3), pi0=0.2, pi1=0.8, random_state=0)
    posterior = Posterior(LiteralEncoder().fit_encode(X.astype(str)), y)
    search = boxes.Boxes(posterior, 100.0)
    asked, stop = [], search._stop
    box = search.space.whole(2).part(terms=Range(2, 2))

    def recorded(times=1):
        asked.append(times)
        return stop(times)

    with patch.object(search, "_stop", recorded), patch.object(boxes, "_NODES", 3):
        search._price(box)
    assert {1, 8} <= set(asked)
    assert asked[0] == 1
