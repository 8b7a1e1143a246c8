"""Averages over drawn rules and rates on the rows of a table.

A prediction depends only on the literals that hold on a row and on its stratum, so rows that agree
in both are evaluated once. Rules are evaluated on packed bits. If every rule is evaluated on every
row, rows are processed in blocks, so that memory does not grow with the table.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ... import _native
from ...data.bits import BitMatrix
from ...data.encoder import FittedTable
from ...data.literal_table import LiteralTable
from ...data.planes.plane_layout import Words, allocate_planes, pack_into, segment_offsets
from ...model.effect import Effect
from ...model.part_rates import mean_rates, mean_shares, stratum_weights
from ...model.rates import Interval
from ...sampling.draws import Draws

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Parts = NDArray[np.uint8]

_BLOCK = 1 << 22  # values of one block: rows times draws, or times layers of rules


class DrawnOnRows:
    """Drawn functions or lists, and their rates, on the rows of a table.

    Parameters
    ----------
    draws : Draws
        Draws from the posterior.
    table : FittedTable
        The rows.
    effect : Effect
        The prior of the rates.
    strata : ndarray of int, optional
        Stratum of each row; by default rates are pooled over the strata, weighted by their shares
        of the part's rows.

    Examples
    --------
    >>> from bayesdnf import LiteralEncoder, Posterior, sample
    >>> from bayesdnf.estimators.averaging.drawn_on_rows import DrawnOnRows
    >>> encoder, rows = LiteralEncoder(), {"x": [1, 0, 1, 0] * 9}
    >>> posterior = Posterior(encoder.fit_encode(rows), rows["x"])
    >>> drawn = sample(posterior, draws=20, warmup=10, random_state=0)
    >>> rows = DrawnOnRows(drawn, encoder.as_table({"x": [0, 1]}), posterior.effect)
    >>> rows.marked_probability()
    array([0., 1.])
    """

    def __init__(
        self,
        draws: Draws,
        table: FittedTable,
        effect: Effect,
        strata: NDArray[np.intp] | None = None,
    ) -> None:
        self._draws = draws
        self._effect = effect
        self._pooled = strata is None
        self.n_rows = table.n_rows
        planes = _packed(table, draws)
        stratum = np.zeros(table.n_rows, dtype=np.intp) if strata is None else strata
        # Rows are compared by 128-bit hashes; the probability of a collision is negligible.
        keys = np.column_stack([stratum.astype(np.uint64), _native.hash_rows(planes, table.n_rows)])
        _, first, place = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        self._place = place.ravel()
        self._stratum = stratum[first]
        sizes = np.bincount(self._stratum, minlength=1 if self._pooled else draws.cells.shape[1])
        self._bits = _gathered(planes, table.n_rows, first, sizes.tolist(), draws)

    @property
    def n_distinct(self) -> int:
        """Number of rows that differ in a literal or in their stratum."""
        return len(self._stratum)

    def marked_probability(self) -> Floats:
        """Return the probability that the function, or any layer of the list, holds on a row."""
        draws = self._draws
        shape = (draws.n_functions, len(self._bits.segments), draws.layers + 1)
        times = np.where(np.arange(shape[2]) > 0, draws.counts.sum(axis=0)[:, None, None], 0)
        # Sums of integers, so that a probability of 1 is exact.
        return self._sum(np.broadcast_to(times, shape).astype(np.float64)) / draws.index.size

    def risk(self) -> Floats:
        """Return the probability that a row is positive: the mean of its risk over all draws."""
        return np.clip(self._sum(mean_values(self._draws, self._effect, self._pooled)), 0.0, 1.0)

    def mean_by_draw(self) -> Floats:
        """Return the mean risk of all rows for each draw, chains concatenated.

        With more than two classes there is a column for each.
        """
        draws, bits = self._draws, self._bits
        times = np.bincount(self._place, minlength=self.n_distinct)
        # Each distinct row counts as often as the table has it.
        weighed = BitMatrix(bits.planes, bits.table, bits.segments, counts=times)
        cells = _native.part_counts(weighed.view(), *draws.functions, draws.layers + 1)
        # The mean over rows is Σ_h share_h rate_h over parts h; shares are counted once for each
        # function.
        shares = cells[draws.index.ravel()] / self.n_rows
        # Parts that a list lacks have share 0 and rate NaN, and 0 times NaN would be NaN.
        rates = np.nan_to_num(self._rates())
        if draws.n_classes > 2:
            return np.asarray(np.einsum("dsp,dspc->dc", shares, rates))
        return np.asarray((shares * rates).sum(axis=(1, 2)))

    def with_literals(self, numbers: Sequence[int], holds: NDArray[np.bool_]) -> DrawnOnRows:
        """Return the same rows with each of some literals set to hold on all of them or on none."""
        changed, bits = copy.copy(self), self._bits
        planes = bits.planes.copy()
        everywhere = bits.view().all_rows()
        planes[list(numbers)] = 0
        chosen = [number for number, flag in zip(numbers, holds, strict=True) if flag]
        planes[chosen, : len(everywhere)] = everywhere
        changed._bits = BitMatrix(planes, bits.table, bits.segments)
        return changed

    def shares(self) -> Floats:
        """Return the probability of each of more than two classes (columns): means over draws."""
        values = mean_values(self._draws, self._effect, self._pooled)
        return np.clip(self.sums(values), 0.0, 1.0)

    def sums(self, values: Floats, numbers: NDArray[np.intp] | None = None) -> Floats:
        """Sum values[function, stratum, part, which] at each row's part: shape (n_rows, n_which).

        ``numbers``: the functions to which the values belong; by default all in order.
        """
        flat = self._draws.functions if numbers is None else self._draws.functions.take(numbers)
        columns = np.ascontiguousarray(np.moveaxis(values, -1, 0))
        found = [_native.part_sums(self._bits.view(), *flat, own) for own in columns]
        places = stored_places(self._bits)[self._place]
        return np.column_stack([own[places] for own in found])

    def quantiles(self, probabilities: Floats, number: int | None = None) -> Floats:
        """Return quantiles of each row's risk over all draws: shape (n_probabilities, n_rows).

        ``number``: the class, if there are more than two.
        """
        found = np.empty((len(probabilities), self.n_distinct))
        rates = self._rates() if number is None else self._rates()[..., number]
        for stratum in np.unique(self._stratum):
            risks = _SortedRisks(self._draws, rates[:, stratum])
            for rows, parts in self._blocks(int(stratum), risks.n_layers):
                found[:, rows] = risks.quantiles(probabilities, parts)
        return found[:, self._place]

    def outcomes(self, size: int, rng: np.random.Generator) -> NDArray[np.uint8]:
        """Simulate outcomes of all rows from the posterior predictive: shape (size, n_rows).

        Each row of the result uses one random draw. Outcomes are 1 for the positive class and 0 for
        the other, or the number of the class if there are more than two.
        """
        draws = self._draws
        chosen = rng.integers(draws.index.size, size=size)
        rates = self._rates()[chosen]
        parts = np.empty((size, self.n_distinct), dtype=np.uint8)
        for stratum in np.unique(self._stratum):
            for rows, block in self._blocks(int(stratum)):
                parts[:, rows] = block[draws.index.ravel()[chosen]]
        drawn = np.empty((size, self.n_rows), dtype=np.uint8)
        for k in range(size):
            risk = rates[k][self._stratum, parts[k]][self._place]
            uniform = rng.random(self.n_rows)
            if draws.n_classes > 2:  # without the last sum, which rounding may leave below 1
                drawn[k] = (uniform[:, None] > np.cumsum(risk[:, :-1], axis=1)).sum(axis=1)
            else:
                drawn[k] = uniform < risk
        return drawn

    def _sum(self, values: Floats) -> Floats:
        """Sum values[function, stratum, part] over functions, each at the row's part."""
        return self.sums(values[..., None])[:, 0]

    def _rates(self) -> Floats:
        """Return the rates of every draw: shape (n_draws, n_strata, n_parts); pooled, one stratum.

        Chains are concatenated.
        """
        draws = self._draws
        rates = draws.rates.reshape(draws.index.size, *draws.rates.shape[2:])
        if not self._pooled or rates.shape[1] == 1:
            return rates
        weights = stratum_weights(self._effect, draws.cells)[draws.index.ravel()]
        if draws.n_classes > 2:
            weights = weights[..., None]
        return np.asarray((weights * rates).sum(axis=1, keepdims=True))

    def _blocks(self, stratum: int, values: int = 0) -> Iterator[tuple[slice, Parts]]:
        """Yield slices of the distinct rows of a stratum with their parts[function, row].

        ``values``: how many values per row the caller needs, if more than the number of draws.
        """
        flat, bits = self._draws.functions, self._bits
        before = sum(bits.segments[:stratum])
        most = max(1, _BLOCK // (64 * max(values, self._draws.index.size)))
        for first in range(0, -(-bits.segments[stratum] // 64), most):
            n_rows = min(64 * most, bits.segments[stratum] - 64 * first)
            # A copy, because a view always begins at the first row of its planes.
            stretch = allocate_planes(len(bits.planes), segment_offsets([n_rows])[-1])
            n_words, start = -(-n_rows // 64), bits.offsets[stratum] + first
            stretch[:, :n_words] = bits.planes[:, start : start + n_words]
            view = BitMatrix(stretch, bits.table, [n_rows]).view()
            rows = slice(before + 64 * first, before + 64 * first + n_rows)
            yield rows, _native.part_of_rows(view, *flat)[:, :n_rows]


class _SortedRisks:
    """The rates of every draw in one stratum, sorted once for all rows.

    The risk of a row under a draw is the rate of the row's part. The sorted rates of all parts are
    divided into stretches of equal length. How many of a row's rates lie in each stretch is a sum
    over functions, computed for many rows as a matrix product; only the stretch that contains the
    quantile is scanned rate by rate.
    """

    def __init__(self, draws: Draws, rates: Floats) -> None:
        self.n = draws.index.size
        index, n_layers = draws.index.ravel(), draws.n_layers
        draw, part = np.nonzero(np.arange(rates.shape[1]) <= n_layers[index][:, None])
        order = np.argsort(rates[draw, part], kind="stable")
        draw, part, n = draw[order], part[order], len(order)
        function = index[draw]
        # Work per row: one sum for each stretch, and a scan of one stretch. The total is minimal
        # if both are of the order of √n (square root decomposition).
        self.length = max(1, round(1.7 * np.sqrt(n)))  # of a stretch
        n_stretches = -(-n // self.length)
        padded = n_stretches * self.length
        self.rates = np.full(padded, np.nan)
        self.function = np.zeros(padded, dtype=np.intp)
        self.part = np.full(padded, 255, dtype=np.uint8)  # padding: no row has part 255
        self.rates[:n], self.function[:n], self.part[:n] = rates[draw, part], function, part
        # The layers of all functions, concatenated: number of the function, number of the layer.
        starts = np.concatenate([[0], np.cumsum(n_layers)])
        self.layer_of = np.repeat(np.arange(draws.n_functions), n_layers)
        self.layer = (np.arange(starts[-1]) - starts[self.layer_of] + 1).astype(np.uint8)
        stretch, lowest = np.arange(n) // self.length, part == 0
        # Counts of a row in part h are those of a row in part 0 plus this change: the function's
        # rates of part h are gained, those of part 0 lost.
        gained = stretch[~lowest] * starts[-1] + starts[function[~lowest]] + part[~lowest] - 1
        layers = n_layers[function[lowest]]
        first = stretch[lowest] * starts[-1] + starts[function[lowest]]
        # A row in any layer of the function loses its rate of part 0, so this is entered once for
        # each layer; the expression lists first, first + 1, … for every rate.
        lost = np.repeat(first - np.cumsum(layers) + layers, layers) + np.arange(layers.sum())
        size = n_stretches * int(starts[-1])
        # Integers below 2^24, whose sums are exact in float32.
        self.if_lowest = np.bincount(stretch[lowest], minlength=n_stretches)
        self.change = (
            (np.bincount(gained, minlength=size) - np.bincount(lost, minlength=size))
            .reshape(n_stretches, int(starts[-1]))
            .astype(np.float32)
        )

    @property
    def n_layers(self) -> int:
        """Total number of layers of all functions."""
        return len(self.layer)

    def quantiles(self, probabilities: Floats, parts: Parts) -> Floats:
        """Return quantiles for rows with these parts, linearly interpolated."""
        holds = (parts[self.layer_of] == self.layer[:, None]).astype(np.float32)
        # How many of a row's rates lie in each stretch or below: one matrix product for all rows
        # of a block.
        below = np.cumsum(self.if_lowest[:, None] + self.change @ holds, axis=0)
        # The default definition of numpy.quantile: type 7 of Hyndman and Fan (1996).
        places = probabilities * (self.n - 1)
        ranks = np.floor(places).astype(np.int64)
        low = np.stack([self._at(rank, below, parts) for rank in ranks])
        high = np.stack([self._at(min(rank + 1, self.n - 1), below, parts) for rank in ranks])
        found: Floats = low + (high - low) * (places - ranks)[:, None]
        return found

    def _at(self, rank: int, below: Floats, parts: Parts) -> Floats:
        """Return each row's rate with a given rank, counted from 0."""
        rows = np.arange(parts.shape[1])
        # ``below`` increases along stretches, so this counts stretches that end before the rank.
        stretch = (below <= rank).sum(axis=0)
        before = np.where(stretch > 0, below[stretch - 1, rows], 0)
        places = stretch[:, None] * self.length + np.arange(self.length)
        # A rate counts for a row if the row is in its part of its function.
        own = parts[self.function[places], rows[:, None]] == self.part[places]
        wanted = np.argmax(np.cumsum(own, axis=1) > (rank - before)[:, None], axis=1)
        rate: Floats = self.rates[places[rows, wanted]]
        return rate


def mean_values(draws: Draws, effect: Effect, pooled: bool) -> Floats:
    """Return what each function adds to the risk of a row: its probability times its mean rate.

    Rates of lists, and with strata, are exact posterior means given the list. Rates of a function
    without strata, which may be ordered, and with a known prevalence are means of the drawn rates.
    With more than two classes there is a share of each class in place of the rate.

    Parameters
    ----------
    draws : Draws
        Draws from the posterior.
    effect : Effect
        The prior of the rates.
    pooled : bool
        Whether to pool rates over the strata.

    Returns
    -------
    ndarray of shape (n_functions, n_strata, n_parts)
        One stratum when pooled; NaN for parts that a list lacks. With more than two classes these
        are the last axis, and values for parts that a list lacks have no meaning.

    Examples
    --------
    >>> from bayesdnf import BitMatrix, Posterior, sample, simulate
    >>> from bayesdnf.estimators.averaging.drawn_on_rows import mean_values
    >>> X, y, truth = simulate(300, 10, random_state=0)
    >>> posterior = Posterior(BitMatrix.from_table(X), y, layers=2)
    >>> drawn = sample(posterior, draws=100, warmup=100, random_state=0)
    >>> mean_values(drawn, posterior.effect, pooled=True).shape == (drawn.n_functions, 1, 3)
    True
    """
    if draws.n_classes > 2:
        values = draws.frequency[:, None, None, None] * mean_shares(draws.cells)
    elif draws.simple or effect.prevalence is not None:
        index, shape = draws.index.ravel(), (draws.index.size, *draws.rates.shape[2:])
        columns = draws.rates.reshape(shape[0], -1).T
        sums = [
            np.bincount(index, weights=column, minlength=draws.n_functions) for column in columns
        ]
        values = np.stack(sums, axis=1).reshape(-1, *shape[1:]) / index.size
    else:
        # E[rate | list] in place of means of drawn rates: lower variance (Rao-Blackwell).
        rates = mean_rates(effect, draws.cells, draws.n_layers)
        values = draws.frequency[:, None, None] * rates
    if not pooled or values.shape[1] == 1:
        return values
    weights = stratum_weights(effect, draws.cells)
    weights = weights[..., None] if draws.n_classes > 2 else weights
    return np.asarray((weights * values).sum(axis=1, keepdims=True))


def stored_places(bits: BitMatrix) -> Ints:
    """Return the bit position of each stored row, counted from the first word of the planes.

    Examples
    --------
    >>> from bayesdnf import BitMatrix
    >>> from bayesdnf.estimators.averaging.drawn_on_rows import stored_places
    >>> stored_places(BitMatrix.from_table([[1, 0], [0, 1]]))
    array([0, 1])
    """
    rows = np.arange(bits.n_stored)
    shift = 64 * np.array(bits.offsets[:-1]) - np.cumsum([0, *bits.segments[:-1]])
    return np.asarray(rows + np.repeat(shift, bits.segments), dtype=np.int64)


def taken_planes(bits: BitMatrix, rows: Ints, segments: list[int]) -> Words:
    """Gather stored rows of a table, with repetition, into new planes with these segments.

    Examples
    --------
    >>> from bayesdnf import BitMatrix
    >>> from bayesdnf.estimators.averaging.drawn_on_rows import taken_planes
    >>> taken_planes(BitMatrix.from_table([[1, 0], [0, 1]]), [0, 1, 1], [3]).tolist()
    [[1], [6]]
    """
    offsets = segment_offsets(segments)
    planes = allocate_planes(len(bits.planes), offsets[-1])
    n_places = 64 * bits.planes.shape[1]
    sources = stored_places(bits)[rows]
    _native.gather_rows(bits.planes, n_places, sources, segments, offsets, planes)
    return planes


def _packed(table: FittedTable, draws: Draws) -> Words:
    """Pack the truth of the drawn literals, one plane each."""
    planes = allocate_planes(len(draws.literals), segment_offsets([table.n_rows])[-1])
    for plane, literal in zip(planes, draws.literals, strict=True):
        pack_into(plane, table.truth(literal))
    return planes


def _gathered(
    planes: Words, n_rows: int, chosen: Ints, segments: list[int], draws: Draws
) -> BitMatrix:
    """Gather some rows, ordered by segment, as a table of the drawn literals."""
    p, offsets = len(draws.literals), segment_offsets(segments)
    table = LiteralTable.of_literals(draws.literals, range(p), [False] * p, [-1] * p)
    gathered = allocate_planes(p, offsets[-1])
    _native.gather_rows(planes, n_rows, chosen, segments, offsets, gathered)
    return BitMatrix(gathered, table, segments)


def drawn_risks(drawn: Draws) -> tuple[Interval, Interval]:
    """Return means and 95 % intervals of both rates over the draws with a rule, unmarked first.

    If no draw has a rule, return those of the single rate twice.
    """
    has_rule = drawn.n_terms[drawn.index] > 0
    kept = has_rule if has_rule.any() else ~has_rule
    return _interval(drawn.pi0[kept]), _interval(drawn.pi1[kept])


def _interval(values: Floats) -> Interval:
    low, high = np.quantile(values, [0.025, 0.975])
    return Interval(float(values.mean()), float(low), float(high))
