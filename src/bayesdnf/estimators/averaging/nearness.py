"""The loss of rules compared with averaged risks, from counts of packed bits.

A rule has one probability of each class for each part in each stratum. The means of the averaged
probabilities over the part's rows minimise the cross-entropy with these, which then depends only on
sums over a part's rows: rows of each class, and averaged probabilities of each class but the last.
All sums are weighted counts of bits; for this, averaged probabilities are rounded to a 16384th of a
row. Of two classes the first is the positive one.

The rows are those of the fit and rows crossed from them (:mod:`.crossed_rows`).

With a known prevalence, rows of the two classes are weighted as in the population: sums over a part
are then expectations in the population.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ... import _native
from ...data.bits import BitMatrix
from ...data.literal_table import LiteralTable
from ...data.planes.plane_layout import Words
from ...model.flat_functions import FlatFunctions, as_flat
from ...model.posterior import Posterior
from ...sampling.draws import Draws
from .crossed_rows import with_crossed_rows
from .drawn_on_rows import mean_values, stored_places, taken_planes

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_SCALE = 1 << 14  # averaged probabilities are rounded to multiples of 1 / _SCALE
CROSSED = 1_000  # crossed rows: they matter for small tables and hardly for large ones
_MOST_ROWS = 20_000  # maximum number of stored rows that the search uses
_MOST_OFFERED = 400  # maximum number of candidate literals


class AveragedRows:
    """The rows of a fit and crossed rows, with their averaged probabilities of each class.

    Parameters
    ----------
    draws : Draws
        Draws to average. Rules are flat arrays over its literals.
    posterior : Posterior
        The posterior that was sampled.
    n_crossed : int, default=1000
        Number of crossed rows to add to the rows of the fit.

    Examples
    --------
    >>> from bayesdnf import BitMatrix, Posterior, sample, simulate
    >>> from bayesdnf.estimators.averaging.nearness import AveragedRows
    >>> X, y, truth = simulate(500, 10, random_state=0)
    >>> posterior = Posterior(BitMatrix.from_table(X), y)
    >>> drawn = sample(posterior, draws=200, warmup=100, random_state=0)
    >>> 0 < AveragedRows(drawn, posterior).exact_loss(drawn.functions.take([0])) < 0.001
    True
    """

    def __init__(self, draws: Draws, posterior: Posterior, n_crossed: int = CROSSED) -> None:
        self._posterior = posterior
        whole, p = posterior.bits, len(draws.literals)
        self._ids = np.array([whole.table.index_of(x) for x in draws.literals], dtype=np.int32)
        planes = whole.view().term_masks(np.arange(p + 1), self._ids)
        table = LiteralTable.of_literals(draws.literals, range(p), [False] * p, [-1] * p)
        in_use = BitMatrix(planes, table, whole.segments, None, whole.counts)
        self.bits, self._weight = with_crossed_rows(in_use, n_crossed)
        """The rows, with a plane for each literal in use."""
        self._n_classes = posterior.n_classes
        values = mean_values(draws, posterior.effect, pooled=False)
        self._shares = self._averaged(draws, values if self._n_classes > 2 else values[..., None])
        """Averaged probabilities: [row, class]."""
        # Segments hold the rows of the first class in every stratum, then those of the next.
        per_class = np.reshape(self.bits.segments, (self._n_classes, -1)).sum(axis=1)
        of_class = np.repeat(np.arange(self._n_classes), per_class)
        self._stands_for = np.ones(self._n_classes)
        """Weight of a row of each class: population share over sample share; 1 by default."""
        if (prevalence := posterior.effect.prevalence) is not None:
            weights = np.bincount(of_class, self._weight, self._n_classes)
            shares = np.array([prevalence, 1 - prevalence])
            self._stands_for = weights.sum() * shares / np.maximum(1, weights)
        self._mass = self._weight * self._stands_for[of_class]
        included = np.bincount(
            draws.functions.literals, np.repeat(draws.frequency, draws.n_literals), p
        )
        self.offered = np.sort(np.argsort(-included, kind="stable")[:_MOST_OFFERED])
        """Numbers of the candidate literals: those drawn most often."""
        # The stride follows the rows of the fit alone: with crossed rows, a table of exactly
        # _MOST_ROWS rows would be thinned.
        self._look_at(-(-whole.n_stored // _MOST_ROWS))

    def _averaged(self, draws: Draws, values: Floats) -> Floats:
        """Sum the values of drawn rules on each row; of two classes add the negative one, 1 - p."""
        # Segments contain the rows of one class in every stratum, then those of the next. The
        # averaged probabilities do not depend on the row's own class, so values are repeated.
        repeated = np.concatenate([values] * self._n_classes, axis=1)
        places = stored_places(self.bits)
        columns = [
            _native.part_sums(self.bits.view(), *draws.functions, np.ascontiguousarray(own))
            for own in np.moveaxis(repeated, -1, 0)
        ]
        shares = np.clip(np.column_stack([sums[places] for sums in columns]), 0.0, 1.0)
        return shares if self._n_classes > 2 else np.column_stack([shares, 1 - shares])

    def _look_at(self, every: int) -> None:
        """Choose every ``every``-th row for the search; rows are sorted by a hash."""
        rows = np.arange(0, self.bits.n_stored, max(1, every))
        stored = np.repeat(np.arange(len(self.bits.segments)), self.bits.segments)
        segments = np.bincount(stored[rows], minlength=len(self.bits.segments)).tolist()
        weight = self._weight[rows]
        # Probabilities as integer row weights let the packed-bit counters sum them: a sum over a
        # mask is then one weighted population count, exact and independent of the order of rows.
        shares = np.rint(self._shares[rows, :-1].T * weight * _SCALE).astype(np.int64)
        planes = self.bits.planes if every <= 1 else taken_planes(self.bits, rows, segments)
        few = np.ascontiguousarray(planes[self.offered])
        names = [self.bits.table[int(i)] for i in self.offered]
        n = len(names)
        on_offer = LiteralTable.of_literals(names, range(n), [False] * n, [-1] * n)
        # Row weights and probabilities, for all literals in use and for the candidates.
        self._views, self._offered_views = (
            tuple(BitMatrix(x, table, segments, None, w).view() for w in (weight, *shares))
            for x, table in ((planes, self.bits.table), (few, on_offer))
        )
        self.total = int(weight.sum())
        self.size = max(1, len(rows) * n)

    def places(self, literals: Sequence[int]) -> Ints:
        """Return the positions of literals among the candidates; others are left out."""
        places = np.searchsorted(self.offered, literals)
        found = places < len(self.offered)
        found[found] = self.offered[places[found]] == np.asarray(literals, dtype=np.int64)[found]
        return places[found]

    def as_offered(self, flat: FlatFunctions) -> FlatFunctions:
        """Renumber the literals of rules as in the posterior's table."""
        return flat._replace(literals=self._ids[flat.literals])

    def sums(self, flat: FlatFunctions, n_parts: int) -> Floats:
        """Return rows and averaged probabilities of classes: [rule, stratum, part, which]."""
        return self._stacked([_native.part_counts(view, *flat, n_parts) for view in self._views], 1)

    def extensions(self, masks: Words) -> Floats:
        """Return the same of masks with each literal on offer: [stratum, mask, literal, which]."""
        return self._stacked([view.literal_counts(masks) for view in self._offered_views], 0)

    def _stacked(self, of_views: list[Ints], axis: int) -> Floats:
        """Stack rows and averaged probabilities on the last axis, with segments split by class."""
        rows, *shares = (np.split(counts, self._n_classes, axis=axis) for counts in of_views)
        sums = [np.tensordot(self._stands_for, own, axes=1) / _SCALE for own in shares]
        return np.stack([*rows, *sums], axis=-1)

    def term_masks(self, terms: Sequence[Sequence[int]]) -> Words:
        """Return the rows of each term; all rows for the empty term."""
        flat = as_flat([[(1, term) for term in terms]])
        return self._views[0].term_masks(flat.literal_starts, flat.literals)

    def part_masks(self, flat: FlatFunctions) -> Words:
        """Return the rows of each part of rules: [rule, part, word]; none in missing parts."""
        view = self._views[0]
        parts = _native.part_of_rows(view, *flat)[:, None]
        numbers = np.arange(int(flat.layers.max(initial=0)) + 1, dtype=np.uint8)
        held = np.packbits(parts == numbers[:, None], axis=2, bitorder="little")
        # Padding bits have part number 0; mask them out.
        return held.view(np.uint64) & view.all_rows()

    def losses(self, flat: FlatFunctions) -> Floats:
        """Return the cross-entropy of rules, summed over rows."""
        return self.loss(self.sums(flat, self._posterior.layers + 1))

    def loss(self, sums: Floats) -> Floats:
        """Return the same for sums[rule, stratum, part, which]."""
        from scipy.special import xlogy

        rows = sums[..., : self._n_classes] @ self._stands_for
        averaged = sums[..., self._n_classes :]
        # The last class has the remainder, which rounding of the others may make negative.
        last = np.maximum(0.0, rows - averaged.sum(axis=-1))
        # -Σ_c s_c ln(s_c / n) = n ln n - Σ_c s_c ln s_c, s_c the sum of averaged probabilities of
        # class c over the n rows of a part.
        nats = xlogy(rows, rows) - xlogy(last, last) - xlogy(averaged, averaged).sum(axis=-1)
        return np.asarray(nats.sum(axis=(1, 2)))

    def averaged_cells(self, flat: FlatFunctions) -> Floats:
        """Return averaged probabilities summed over the rows of one rule's parts, not rounded.

        Returns
        -------
        ndarray of shape (n_strata, n_parts, n_classes)
            Expected number of rows of each class.
        """
        n_segments = len(self.bits.segments)
        part = _native.part_of_rows(self.bits.view(), *flat)[0][stored_places(self.bits)]
        segment = np.repeat(np.arange(n_segments), self.bits.segments)
        n_strata, n_parts = n_segments // self._n_classes, int(flat.n_layers[0]) + 1
        place = segment % n_strata * n_parts + part
        sums = [np.bincount(place, self._mass * own, n_strata * n_parts) for own in self._shares.T]
        cells = np.stack(sums, axis=-1).reshape(n_strata, n_parts, self._n_classes)
        return np.asarray(cells, dtype=np.float64)

    def predicted(self, flat: FlatFunctions) -> Floats:
        """Return the probabilities of classes by one rule: [stratum, part, class].

        They are means of the averaged probabilities over the part's rows in the stratum, or over
        all of the part's rows if it has none in the stratum, or over all rows if it has none.
        """
        own = cells = self.averaged_cells(flat)
        for strata_and_parts in ((0,), (0, 1)):
            # Sums of the original cells: those filled in the first pass would count rows twice.
            wider = own.sum(axis=strata_and_parts, keepdims=True)
            cells = np.where(cells.sum(axis=-1, keepdims=True) > 0, cells, wider)
        return np.asarray(cells / cells.sum(axis=-1, keepdims=True))

    def exact_loss(self, flat: FlatFunctions) -> float:
        """Return the loss of one rule on all rows, in nats per row, without rounding."""
        from scipy.special import xlogy

        cells, p = self.averaged_cells(flat), self._shares
        rows = cells.sum(axis=-1)
        # Cross-entropy of the averaged probabilities to the means of their parts, minus their
        # entropy: Σ p ln(p / q), a Kullback-Leibler divergence, 0 if p is constant in each part.
        lost = xlogy(rows, rows).sum() - xlogy(cells, cells).sum()
        lost += self._mass @ xlogy(p, p).sum(axis=1)
        return max(0.0, float(lost / self._mass.sum()))
