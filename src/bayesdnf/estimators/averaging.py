"""Averages over drawn functions and rates, most of them on the rows of a table.

A row's answer depends only on which literals hold on it, so rows that agree on every literal in use
are taken once. Functions are evaluated on packed bits, a block of rows at a time, so that what is
held in memory does not grow with the table.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from .. import _native
from ..data.bits import BitMatrix, Words, allocate_planes, pack_into, segment_offsets
from ..data.encoder import FittedTable
from ..data.literal_table import LiteralTable
from ..model.rates import Interval
from ..sampling.draws import Draws

Floats = NDArray[np.float64]
Flags = NDArray[np.uint8]

_BLOCK = 1 << 22  # values of one block: draws by rows


class DrawnOnRows:
    """Drawn functions and rates on the rows of a table.

    Parameters
    ----------
    draws : Draws
        What was drawn.
    table : FittedTable
        The rows.

    Examples
    --------
    >>> from bayesdnf import LiteralEncoder, Posterior, sample
    >>> from bayesdnf.estimators.averaging import DrawnOnRows
    >>> encoder, rows = LiteralEncoder(), {"x": [1, 0, 1, 0] * 9}
    >>> posterior = Posterior(encoder.fit_encode(rows), rows["x"])
    >>> drawn = sample(posterior, draws=20, warmup=10, random_state=0)
    >>> DrawnOnRows(drawn, encoder.as_table({"x": [0, 1]})).marked_probability()
    array([0., 1.])
    """

    def __init__(self, draws: Draws, table: FittedTable) -> None:
        self._draws = draws
        self.n_rows = table.n_rows
        planes = _packed(table, draws)
        hashes = _native.hash_rows(planes, table.n_rows)
        _, first, place = np.unique(hashes, axis=0, return_index=True, return_inverse=True)
        self._place = place.ravel()
        self._n_distinct = len(first)
        offsets = segment_offsets([len(first)])
        self._planes = allocate_planes(len(planes), offsets[-1])
        p = len(draws.literals)
        self._table = LiteralTable.of_literals(draws.literals, range(p), [False] * p, [-1] * p)
        _native.gather_rows(planes, table.n_rows, first, [len(first)], offsets, self._planes)

    def marked_probability(self) -> Floats:
        """Probability that the function marks a row."""
        return self._sum(self._draws.probability)[self._place]

    def risk(self) -> Floats:
        """Probability that a row is positive: the mean of its risk over all draws."""
        draws = self._draws
        index = draws.index.ravel()
        unmarked, marked = (
            np.bincount(index, weights=rate.ravel(), minlength=draws.n_functions) / index.size
            for rate in (draws.pi0, draws.pi1)
        )
        risk: Floats = np.clip(unmarked.sum() + self._sum(marked - unmarked), 0.0, 1.0)
        return risk[self._place]

    def quantiles(self, probabilities: Floats) -> Floats:
        """Quantiles of each row's risk over all draws: shape (n_probabilities, n_rows)."""
        risks = _SortedRisks(self._draws)
        found = np.empty((len(probabilities), self._n_distinct))
        for rows, truth in self._blocks():
            found[:, rows] = risks.quantiles(probabilities, truth)
        return found[:, self._place]

    def outcomes(self, size: int, rng: np.random.Generator) -> NDArray[np.bool_]:
        """Draw the outcome of every row: shape (size, n_rows), a draw taken at random for each."""
        draws = self._draws
        chosen = rng.integers(draws.index.size, size=size)
        pi0, pi1 = draws.pi0.ravel()[chosen], draws.pi1.ravel()[chosen]
        truth = np.empty((size, self._n_distinct), dtype=np.uint8)
        for rows, block in self._blocks():
            truth[:, rows] = block[draws.index.ravel()[chosen]]
        positive = np.empty((size, len(self._place)), dtype=np.bool_)
        for k in range(size):
            risk = np.where(truth[k], pi1[k], pi0[k])[self._place]
            positive[k] = rng.random(len(self._place)) < risk
        return positive

    def _sum(self, weights: Floats) -> Floats:
        """Sum weights of functions over those that mark a row, for each distinct row."""
        total = np.empty(self._n_distinct)
        for rows, truth in self._blocks():
            total[rows] = weights @ truth
        return total

    def _blocks(self) -> Iterator[tuple[slice, Flags]]:
        """Yield stretches of distinct rows with the truth there: shape (n_functions, n_rows)."""
        draws = self._draws
        rules = np.flatnonzero(draws.n_terms)  # the null function marks nothing
        flat = draws.functions.take(rules)
        n_words = max(1, _BLOCK // (64 * draws.index.size))
        for first in range(0, -(-self._n_distinct // 64), n_words):
            n_rows = min(64 * n_words, self._n_distinct - 64 * first)
            truth = np.zeros((draws.n_functions, n_rows), dtype=np.uint8)
            if len(rules):
                part = self._part(first, n_rows)
                masks = part.view().term_masks(flat.literal_starts, flat.literals)
                holds = np.bitwise_or.reduceat(masks, flat.term_starts[:-1], axis=0)
                truth[rules] = np.unpackbits(
                    holds.view(np.uint8), axis=1, count=n_rows, bitorder="little"
                )
            yield slice(64 * first, 64 * first + n_rows), truth

    def _part(self, first: int, n_rows: int) -> BitMatrix:
        """Rows from a word on, as a table of their own."""
        part = allocate_planes(len(self._planes), segment_offsets([n_rows])[-1])
        n_words = -(-n_rows // 64)
        part[:, :n_words] = self._planes[:, first : first + n_words]
        return BitMatrix(part, self._table, [n_rows])


class _SortedRisks:
    """Both rates of every draw, sorted once for all rows.

    A row has of each draw the rate of marked or of unmarked rows. How many of its rates lie in each
    of some stretches of the sorted ones is a sum over functions, for many rows a product of
    matrices; only the stretch that a quantile falls into is looked at rate by rate.
    """

    def __init__(self, draws: Draws) -> None:
        self.n = draws.index.size
        rates = np.concatenate([draws.pi0.ravel(), draws.pi1.ravel()])
        order = np.argsort(rates, kind="stable")
        self.length = max(1, round(1.7 * np.sqrt(2 * self.n)))  # of a stretch
        n_stretches = -(-2 * self.n // self.length)
        padded = n_stretches * self.length
        self.rates = np.full(padded, np.nan)
        self.function = np.zeros(padded, dtype=np.intp)
        self.marked = np.full(padded, 2, dtype=np.uint8)  # 2: no row has what is filled up with
        self.rates[: 2 * self.n] = rates[order]
        self.function[: 2 * self.n] = np.tile(draws.index.ravel(), 2)[order]
        self.marked[: 2 * self.n] = order >= self.n
        stretch = np.arange(2 * self.n) // self.length
        of_marked = order >= self.n
        place = stretch * draws.n_functions + self.function[: 2 * self.n]
        # Whole numbers below 2^24, which float32 adds up exactly.
        self.if_unmarked = np.bincount(stretch[~of_marked], minlength=n_stretches)
        self.change = (
            np.bincount(place, np.where(of_marked, 1.0, -1.0), n_stretches * draws.n_functions)
            .reshape(n_stretches, draws.n_functions)
            .astype(np.float32)
        )

    def quantiles(self, probabilities: Floats, truth: Flags) -> Floats:
        """Quantiles for rows on which functions hold or not, linear between neighbours."""
        counts = self.if_unmarked[:, None] + self.change @ truth.astype(np.float32)
        below = np.cumsum(counts, axis=0)
        places = probabilities * (self.n - 1)
        ranks = np.floor(places).astype(np.int64)
        low = np.stack([self._at(rank, below, truth) for rank in ranks])
        high = np.stack([self._at(min(rank + 1, self.n - 1), below, truth) for rank in ranks])
        found: Floats = low + (high - low) * (places - ranks)[:, None]
        return found

    def _at(self, rank: int, below: Floats, truth: Flags) -> Floats:
        """Return each row's rate of a rank, counted from 0."""
        rows = np.arange(truth.shape[1])
        stretch = (below <= rank).sum(axis=0)
        before = np.where(stretch > 0, below[stretch - 1, rows], 0)
        places = stretch[:, None] * self.length + np.arange(self.length)
        own = truth[self.function[places], rows[:, None]] == self.marked[places]
        wanted = np.argmax(np.cumsum(own, axis=1) > (rank - before)[:, None], axis=1)
        rate: Floats = self.rates[places[rows, wanted]]
        return rate


def _packed(table: FittedTable, draws: Draws) -> Words:
    """Pack the truth of the literals in use, one plane each."""
    planes = allocate_planes(len(draws.literals), segment_offsets([table.n_rows])[-1])
    for plane, literal in zip(planes, draws.literals, strict=True):
        pack_into(plane, table.truth(literal))
    return planes


def drawn_risks(drawn: Draws) -> tuple[Interval, Interval]:
    """Means and 95 % intervals of both rates over the draws that have a rule, unmarked first.

    Of the single rate, twice, when none of them has.
    """
    has_rule = drawn.n_terms[drawn.index] > 0
    kept = has_rule if has_rule.any() else ~has_rule
    return _interval(drawn.pi0[kept]), _interval(drawn.pi1[kept])


def _interval(values: Floats) -> Interval:
    low, high = np.quantile(values, [0.025, 0.975])
    return Interval(float(values.mean()), float(low), float(high))
