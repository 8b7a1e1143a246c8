"""Crossed rows: synthetic rows for comparing risks, made by uniform crossover of rows of a table.

The average over drawn rules predicts any row, not only the rows of the fit. On few rows with many
literals, some short rule agrees with the average by chance; crossed rows make this less likely.
"""

from __future__ import annotations

import numpy as np

from ...data.bits import BitMatrix
from ...data.planes.plane_layout import allocate_planes, segment_offsets
from .drawn_on_rows import Ints, taken_planes


def with_crossed_rows(bits: BitMatrix, n_crossed: int) -> tuple[BitMatrix, Ints]:
    """Add rows that take each column at random from one of two rows of the same segment.

    Segments contain the rows of one class in one stratum. Parents of one segment preserve the
    association of columns with class and stratum, and the proportions of segments. The seed is
    fixed: the same rows give the same crossed rows.

    Parameters
    ----------
    bits : BitMatrix
        The rows; each literal has its own plane.
    n_crossed : int
        Number of rows to add, each with weight 1.

    Returns
    -------
    BitMatrix
        All rows.
    ndarray of int
        Weight of each row.

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
    source = np.random.default_rng(0)
    one, other = _parents(weight, segment, n_crossed, source)
    added = np.bincount(segment[one], minlength=len(bits.segments))
    segments = (np.array(bits.segments, dtype=np.int64) + added).tolist()
    offsets = segment_offsets(segments)
    planes = allocate_planes(len(bits.planes), offsets[-1])
    # Crossed rows follow the rows of their segment. Full words of 64 rows are copied; the words
    # after them, which begin with the segment's remaining rows, are gathered row by row.
    ends = np.cumsum(bits.segments)
    behind: list[slice] = []
    parents: tuple[list[Ints], list[Ints]] = ([], [])
    for number, (start, rows) in enumerate(zip(bits.offsets[:-1], bits.segments, strict=True)):
        whole, first = rows // 64, offsets[number]
        planes[:, first : first + whole] = bits.planes[:, start : start + whole]
        behind.append(slice(first + whole, first - (-segments[number] // 64)))
        # A row of the table has itself as both parents, so it does not change.
        own, crossed = np.arange(ends[number] - rows % 64, ends[number]), segment[one] == number
        for rows_of, parent in zip(parents, (one, other), strict=True):
            rows_of.append(np.concatenate([own, parent[crossed]]))
    sizes = [len(rows) for rows in parents[0]]
    ones, others = (taken_planes(bits, np.concatenate(rows), sizes) for rows in parents)
    # All literals of a column come from the same parent, missing values included.
    columns = [literal.attribute for literal in bits.table]
    _, column = np.unique(columns, return_inverse=True)
    n_columns = int(column.max(initial=-1)) + 1
    for start, place in zip(segment_offsets(sizes)[:-1], behind, strict=True):
        n_words = place.stop - place.start
        made = slice(start, start + n_words)
        coins = source.integers(0, 2**64, (n_columns, n_words), np.uint64)
        # Bitwise selection, 64 rows at a time: the bit of ``others`` where the coin is 1, else that
        # of ``ones``.
        planes[:, place] = ones[:, made] ^ ((ones[:, made] ^ others[:, made]) & coins[column])
    weight = np.insert(weight, np.repeat(ends, added), 1)
    return BitMatrix(planes, bits.table, segments, None, weight), weight


def _parents(weight: Ints, segment: Ints, n: int, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Choose pairs of rows of one segment, each row with probability proportional to its weight."""
    ends = np.cumsum(weight)
    # Evenly spaced (systematic sampling), so that rows and segments are represented in proportion.
    places = (np.arange(n) + 0.5) / n * ends[-1]
    # Inversion of the cumulative weights.
    one = np.searchsorted(ends, places, side="right")
    sizes = np.bincount(segment, weight)
    first = np.cumsum(sizes) - sizes
    within = rng.random(n) * sizes[segment[one]]
    other = np.searchsorted(ends, first[segment[one]] + within, side="right")
    return one, other
