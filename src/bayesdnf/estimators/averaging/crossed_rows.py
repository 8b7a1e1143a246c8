"""Crossed rows: synthetic rows like those of a table, on which risks are compared.

The average over drawn rules predicts any row, not only the rows of the fit. On few rows with many
literals, some short rule agrees with the average by chance; crossed rows make this less likely.
"""

from __future__ import annotations

import numpy as np

from ...data.bits import BitMatrix
from .drawn_on_rows import Ints, taken_planes


def with_crossed_rows(bits: BitMatrix, n_crossed: int) -> tuple[BitMatrix, Ints]:
    """Add rows of which each has every column from one or the other of two rows of its segment.

    Segments hold the rows of one class in one stratum. That both are of one keeps together what
    belongs together there, and keeps the sizes of segments in proportion. Randomness is of a fixed
    seed: the same rows have the same crossed ones.

    Parameters
    ----------
    bits : BitMatrix
        The rows; each literal has a plane of its own.
    n_crossed : int
        Rows to add, each with a weight of 1.

    Returns
    -------
    BitMatrix
        All rows.
    ndarray of int
        Their weights.

    Examples
    --------
    >>> from bayesdnf import BitMatrix
    >>> from bayesdnf.estimators.averaging.crossed_rows import with_crossed_rows
    >>> bits, weight = with_crossed_rows(BitMatrix.from_table([[1, 0, 0], [1, 1, 0]]), 1000)
    >>> [float(bits.truth(literal).mean().round(1)) for literal in bits.table]
    [1.0, 0.5, 0.0]
    """
    weight = np.ones(bits.n_stored, np.int64) if bits.counts is None else bits.counts
    segment = np.repeat(np.arange(len(bits.segments)), bits.segments)
    rng = np.random.default_rng(0)
    one, other = _parents(weight, segment, n_crossed, rng)
    # A row of the table is crossed with itself.
    own = np.arange(bits.n_stored)
    one, other = np.concatenate([own, one]), np.concatenate([own, other])
    order = np.argsort(segment[one], kind="stable")
    segments = np.bincount(segment[one], minlength=len(bits.segments)).tolist()
    ones, others = (taken_planes(bits, rows[order], segments) for rows in (one, other))
    # All literals of a column go together, missing values with them.
    columns = [literal.attribute for literal in bits.table]
    _, column = np.unique(columns, return_inverse=True)
    shape = (int(column.max(initial=-1)) + 1, ones.shape[1])
    from_other = rng.integers(0, 1 << 64, size=shape, dtype=np.uint64)[column]
    # Where a bit of ``from_other`` is 1 the two XORs leave the bit of ``others``, elsewhere that of
    # ``ones``: 64 rows at a time.
    ones ^= (ones ^ others) & from_other
    weight = np.concatenate([weight, np.ones(n_crossed, np.int64)])[order]
    return BitMatrix(ones, bits.table, segments, None, weight), weight


def _parents(weight: Ints, segment: Ints, n: int, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Choose pairs of rows of one segment, each row as often as its weight says."""
    ends = np.cumsum(weight)
    # Evenly spaced, so that every row and every segment has its share of them.
    places = (np.arange(n) + 0.5) / n * ends[-1]
    # Inversion of the cumulative weights: a row comes up as often as its weight says.
    one = np.searchsorted(ends, places, side="right")
    sizes = np.bincount(segment, weight)
    first = np.cumsum(sizes) - sizes
    within = rng.random(n) * sizes[segment[one]]
    other = np.searchsorted(ends, first[segment[one]] + within, side="right")
    return one, other
