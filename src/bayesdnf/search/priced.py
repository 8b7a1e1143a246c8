"""Bounds on the scores of all functions of a box, from prices of rows; the search for terms.

A function of m terms marks a positives and b negatives and has the score c(m) + Σ_T π(T) + L(a, b),
with c(m) the log prior of m terms, π(T) that of a term and L the log likelihood. Give every row i a
price r_i, and both counts a slope. Then no function of the box that marks between a₁ and a₂
positives and between b₁ and b₂ negatives, with m₁ to m₂ terms, scores more than

    max over possible counts of [L(a, b) - λa - μb]  +  Σ_i h_i  +  max over m of [c(m) + m ρ]

where ρ is the largest π(T) + Σ_{i in T} r_i of any term, and h_i the most that row i can add beyond
its prices: with g_i = λ (or μ) times its weight, max(0, g_i - r_i, g_i - m₂ r_i). Rows on which
the same literals hold, of either class, are marked together: they form a cell, which counts as one
row with the sums of their g and r. See docs/bound.md for the proof. Any prices give a bound; a
linear program finds good ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from .. import _native
from ..model.flat_functions import as_flat
from ..model.posterior import Posterior
from .box import Begun, Bools, Box, Floats, Range, RowPrices, Term, Whole
from .reachable import possible_counts

T = TypeVar("T")

_SHUT = 8  # prices of rows that must not be marked, by the largest other price
_ROUNDING = 1e-8  # nats that sums of a few thousand numbers may be off


class TermSpace:
    """The terms that functions consist of, and the parts of a posterior that bounds use.

    Terms that a best function does not need are left out: literals that are equal on every row
    count as one, and if the prior prefers shorter terms, a term is left out if it marks the same
    negatives without one of its literals. Constraints on whole functions are ignored, which can
    only raise a bound.

    Parameters
    ----------
    posterior : Posterior
        One layer, one stratum.
    """

    def __init__(self, posterior: Posterior) -> None:
        self.posterior = posterior
        prior, bits = posterior.prior, posterior.bits
        tables = prior.tables(bits.table, posterior.n, posterior.among)
        p = bits.n_literals
        rows = np.concatenate(
            [
                64 * start + np.arange(n)
                for start, n in zip(bits.offsets, bits.segments, strict=False)
            ]
        )
        self._bit: NDArray[np.intp] = rows
        self.count: Floats = tables.by_count
        longest = min(p, len(tables.by_size) - 1, prior.max_literals or p)
        self.size: Floats = tables.by_size[: longest + 1]
        singles = self.marked([(i,) for i in range(p)])
        if prior.min_cover >= 1:  # a term has no more literals than hold on a row that it marks
            self.size = self.size[: 1 + int(singles.sum(axis=0).max(initial=0))]
        self.weights: Floats = (
            tables.by_literal / 2.0**32 if len(tables.by_literal) else np.zeros(p)
        )
        effect = posterior.effect
        self.monotone = effect.ordered is not False and not effect.known
        self.likelihood = _native.Likelihood(
            effect.native(), posterior.n_pos, posterior.n - posterior.n_pos
        )
        with np.errstate(invalid="ignore"):
            # If the log prior falls with the size, a term is dominated by a shorter one that marks
            # the same negatives and at least its positives (end of docs/bound.md).
            falling = bool((np.nan_to_num(np.diff(self.size[1:]), nan=0.0) <= 0).all())
        self._corners: tuple[Box, list[tuple[int, int, float]]] | None = None
        self._likelihoods: dict[tuple[int, int], float] = {}
        self.literals: list[int] = list(range(p))
        self.row_weights: Floats = (
            np.ones(bits.n_stored) if bits.counts is None else bits.counts.astype(np.float64)
        )
        self.is_positive = np.arange(bits.n_stored) < bits.segments[0]
        positive = self.is_positive * self.row_weights
        self.split: Floats = np.stack([positive, self.row_weights - positive], axis=1)
        #: Of each stored row, and a row of each cell: rows on which the same literals hold.
        self.cell_of, self.cell_row = _alike(singles)
        #: Positives and negatives of each cell.
        self.cells: Floats = np.stack([self.by_cell(column) for column in self.split.T], axis=1)
        self.removable = not prior.required
        self.shorter = (
            falling
            and prior.min_cover >= 1
            and not self.weights.any()
            and self.removable
            and self._terms_cost()
        )
        grouped = prior.apart or prior.at_most_one
        self.replaceable = self.shorter and self.monotone and not (grouped or prior.disjoint)
        alone = self.shorter and prior.antichain and not prior.related and not grouped
        # Of equal columns one is enough only where nothing tells them apart: weights, groups, and
        # terms with related literals do.
        kept = np.unique(bits.first_equal()) if alone else np.arange(p)
        self.literals = kept.tolist()
        self.most_terms = self._most_terms()
        if self.removable and self._terms_cost():
            # Each term of a best function marks a cell that no other one does; where rates are
            # ordered, one with positives.
            cells = self.cells[:, 0] > 0 if self.monotone else self.cells.any(axis=1)
            self.most_terms = min(self.most_terms, max(1, int(cells.sum())))

    @property
    def n_rows(self) -> int:
        """Stored rows."""
        return len(self.row_weights)

    def whole(self, most_terms: int) -> Box:
        """Return the box of all functions of 1 to ``most_terms`` terms."""
        n_pos = self.posterior.n_pos
        spans = Range(0, n_pos), Range(0, self.posterior.n - n_pos)
        return Box(Range(1, max(1, most_terms)), *spans)

    def by_cell(self, values: NDArray[Any]) -> Floats:
        """Sum values of rows over the rows of each cell."""
        sums = np.bincount(self.cell_of, values.astype(np.float64), len(self.cell_row))
        return sums.astype(np.float64)

    def _terms_cost(self) -> bool:
        """Return whether removing a redundant term never lowers the score.

        Step 5 of docs/bound.md replaces terms, and the new term may make another one redundant.
        """
        if self.best_term == -math.inf:
            return False
        most = max(v for *_, v in self.corners(self.whole(1)))
        m = np.arange(2, self._most_terms() + 1)
        if len(m) == 0:
            return True
        null = self.count[0] + self.likelihood.null
        pay = self.terms_prior(Range(2, int(m[-1]))) + most > null
        with np.errstate(invalid="ignore"):
            # Condition at the end of step 5 in docs/bound.md: one more term never raises the prior
            # by itself.
            return bool((self.count[m] + self.best_term <= self.count[m - 1])[pay].all())

    def _most_terms(self) -> int:
        """Return the largest number of terms with prior mass, at most the number of terms."""
        prior, p = self.posterior.prior, len(self.literals)
        most = int(np.flatnonzero(np.isfinite(self.count)).max(initial=0))
        for limit in (prior.max_terms, prior.max_literals):
            most = most if limit is None else min(most, limit)
        # For larger p the binomial exceeds every other limit.
        if p < 40:  # Sperner: the largest antichain of subsets
            most = min(most, math.comb(p, p // 2) if prior.antichain else 2**p - 1)
        return most

    @cached_property
    def best_term(self) -> float:
        """Largest log prior of a term."""
        # No k literals weigh more than the k heaviest.
        gains = np.sort(self.weights)[::-1]
        return float(
            (self.size[1:] + np.cumsum(gains[: len(self.size) - 1])).max(initial=-math.inf)
        )

    def terms_prior(self, terms: Range) -> Floats:
        """Return what the log prior of so many terms together cannot exceed, for each number.

        Antichains of subsets of p literals keep to Σ 1 / C(p, k) <= 1 (Lubell, Yamamoto,
        Meshalkin), so that by the inequality of means their Π C(p, k) is m^m at least: the m!
        orders of a set do not pay for ever more terms.
        """
        m = np.arange(terms.low, terms.high + 1)
        best = m * self.best_term
        if self.posterior.prior.antichain:
            p, k = self.posterior.bits.n_literals, np.arange(1, len(self.size))
            log_sets = np.cumsum(np.log((p + 1 - k) / k))
            gains = np.cumsum(np.sort(self.weights)[::-1][: len(k)])
            best = np.minimum(
                best, m * ((self.size[1:] + gains + log_sets).max(initial=-math.inf) - np.log(m))
            )
        prior: Floats = self.count[terms.low : terms.high + 1] + best
        return prior

    def log_likelihood(self, positive: int, negative: int) -> float:
        """Return the log likelihood of these numbers of marked rows."""
        # Boxes share corners, and a look-up costs less than a call of the core.
        key = (positive, negative)
        if key not in self._likelihoods:
            self._likelihoods[key] = self.likelihood(positive, negative)
        return self._likelihoods[key]

    def unsettled(self, box: Box) -> Bools:
        """Return which stored rows some functions of a box mark and others do not."""
        rows = np.ones(self.n_rows, dtype=np.bool_) if box.shut is None else ~box.shut
        return rows if box.begun is None else rows & box.begun.open

    def corners(self, box: Box) -> list[tuple[int, int, float]]:
        """Return (positives, negatives, log likelihood) at points around the possible counts."""
        if self._corners is None or self._corners[0] is not box:
            cells = self.cells[self.unsettled(box)[self.cell_row]]
            settled = (0, 0) if box.begun is None else box.begun.rows
            points = possible_counts(cells, settled, box.positive, box.negative)
            # A proof needs the corners of the current box many times: those of one box are cached.
            self._corners = box, [(a, b, self.log_likelihood(a, b)) for a, b in points]
        return self._corners[1]

    def value(self, box: Box, prices: RowPrices) -> float:
        """Bound every function of a box by prices."""
        slopes = prices.slopes
        corners = self.corners(box)
        top = max((v - slopes[0] * a - slopes[1] * b for a, b, v in corners), default=-math.inf)
        unsettled = self.unsettled(box)
        own = self.by_cell(np.where(self.is_positive, *slopes) * self.row_weights * unsettled)
        rows = prices.unit * self.by_cell(self.row_prices(prices) * unsettled)
        # h_i of the module's formula: g_i - r_i s is linear in s, so over 1 <= s <= m2 its largest
        # value is at an end, and s = 0 adds 0.
        beyond = np.maximum(0.0, own - np.minimum(rows, box.rest.high * rows))
        if box.begun is not None:
            # Rows that a settled term marks are marked for certain: they add their slopes, and no
            # price can change this.
            top += box.begun.worth + float(np.dot(slopes, box.begun.rows))
        m = np.arange(box.rest.low, box.rest.high + 1)
        terms = self.count[box.terms.low : box.terms.high + 1] + m * (prices.unit * prices.ceiling)
        total = top + float(beyond.sum()) + float(terms.max())
        return total + _ROUNDING

    def full_prices(self, slopes: tuple[float, float], digits: int) -> RowPrices:
        """Return prices at which a single term pays the full slope of each of its rows."""
        # Where negatives cost, their slope goes into ``negative_cost``, which the core takes off
        # beside prices: ``row_prices`` gives back the slope for every negative.
        each = slopes if slopes[1] > 0 else (slopes[0], 0.0)
        rows = np.where(self.is_positive, *each) * self.row_weights
        return RowPrices.rounded(slopes, rows, each[1] - slopes[1], digits)

    def row_prices(self, prices: RowPrices) -> Whole:
        """Return the price of each stored row, including the cost of negatives."""
        cost = np.where(self.is_positive, 0, prices.negative_cost) * self.row_weights
        return prices.rows - cost.astype(np.int64)

    def without_prices(self, box: Box) -> float:
        """Bound a box by its corners and the cheapest terms alone."""
        top = max((v for *_, v in self.corners(box)), default=-math.inf)
        if box.begun is None:
            return top + float(self.terms_prior(box.terms).max()) + _ROUNDING
        m = np.arange(box.rest.low, box.rest.high + 1)
        terms = self.count[box.terms.low : box.terms.high + 1] + m * self.best_term
        return top + box.begun.worth + float(terms.max()) + _ROUNDING

    def worth(self, terms: Iterable[Sequence[int]]) -> Floats:
        """Return the log prior of each term."""
        return np.array([self.size[len(t)] + self.weights[list(t)].sum() for t in terms])

    def marked(self, terms: Sequence[Sequence[int]]) -> Bools:
        """Return the matrix (terms, stored rows) of where each term holds."""
        flat = as_flat([[(1, list(t)) for t in terms]])
        masks = self.posterior.bits.view().term_masks(flat.literal_starts, flat.literals)
        bits = np.unpackbits(masks.view(np.uint8), axis=1, bitorder="little")
        return bits[:, self._bit].view(np.bool_)

    def begin(self, box: Box, term: Term) -> Box:
        """Return the sub-box of the functions that contain one more given term."""
        return self._settle(box, self.marked([term])[0], (term,), float(self.worth([term])[0]))

    def by_row(self, box: Box, row: int) -> tuple[Box, Box]:
        """Partition a box into the functions that mark a row's cell, and the others."""
        own = self.cell_of == self.cell_of[row]
        shut = own if box.shut is None else box.shut | own
        return self._settle(box, own, (), 0.0), replace(box, shut=shut)

    def _settle(self, box: Box, marked: Bools, terms: tuple[Term, ...], worth: float) -> Box:
        """Return the sub-box of the functions with given terms and marked rows.

        It has no prices: terms no longer pay for the rows that are now settled.
        """
        open_rows = ~marked
        if box.begun is not None:
            open_rows &= box.begun.open
            terms, worth = (*box.begun.terms, *terms), box.begun.worth + worth
        settled = ~open_rows * self.row_weights
        counts = int(settled[self.is_positive].sum()), int(settled[~self.is_positive].sum())
        by_bit = np.zeros(64 * self.posterior.bits.view().n_words, dtype=np.uint8)
        by_bit[self._bit] = open_rows
        mask = np.packbits(by_bit, bitorder="little").view(np.uint64)
        begun = Begun(terms, worth, open_rows, mask, counts)
        spans = [
            Range(max(span.low, count), span.high)
            for span, count in zip((box.positive, box.negative), counts, strict=True)
        ]
        return replace(box, positive=spans[0], negative=spans[1], prices=None, begun=begun)

    def find(
        self, box: Box, prices: RowPrices, floor: int, most: int, every: bool, nodes: int,
        stop: _native.StopFlag,
    ) -> _native.PricedTerms:  # fmt: skip
        """Search for terms worth ``floor`` units or more; Ctrl-C interrupts the native search."""
        unit = prices.unit
        by_bit = np.zeros(64 * self.posterior.bits.view().n_words, dtype=np.int64)
        by_bit[self._bit] = prices.rows
        if box.shut is not None:  # any price is valid where no term holds: one that excludes them
            # h_i is 0 there (docs/bound.md, step 4), so that this changes the terms that are found,
            # not the bound.
            by_bit[self._bit[box.shut]] = -_SHUT * int(np.abs(prices.rows).max(initial=1))
        sizes = np.full(len(self.size), _native.NO_SIZE, dtype=np.int64)
        finite = np.isfinite(self.size)
        # All worths in the search are integers, each rounded up: the bound that comes back holds
        # without any tolerance.
        sizes[finite] = np.ceil(self.size[finite] / unit).astype(np.int64)
        literals = np.ceil(self.weights / unit).astype(np.int64)
        rows = np.zeros(0, dtype=np.uint64) if box.begun is None else box.begun.mask
        left = box.left()
        return interruptible(
            stop,
            lambda: _native.priced_terms(
                self.posterior.native, self.literals, self.shorter, self.monotone, sizes, literals,
                by_bit, prices.negative_cost, rows, floor, most, every, *left, nodes, stop,
            ),
        )  # fmt: skip

    def units(self, box: Box, prices: RowPrices, worth: Floats, marked: Bools) -> Whole:
        """Return the worth of terms at prices, in units, rounded up."""
        # Rounded up, with one unit to spare: a term must never be valued below its true worth.
        own = np.ceil(worth / prices.unit).astype(np.int64) + 1
        rows = self.row_prices(prices)
        return own + marked @ (rows if box.begun is None else rows * box.begun.open)


def _alike(literals: Bools) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the number of the distinct column of each column, and their first positions."""
    packed = np.ascontiguousarray(np.packbits(literals, axis=0).T)
    _, first, number = np.unique(packed, axis=0, return_index=True, return_inverse=True)
    return number.ravel(), first


def interruptible(stop: _native.StopFlag, call: Callable[[], T]) -> T:
    """Run native work on a thread, so that Ctrl-C can interrupt it."""
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(call)
        try:
            while not wait([running], timeout=0.1).done:
                pass
        except KeyboardInterrupt:
            stop.stop()
            raise
    return running.result()
