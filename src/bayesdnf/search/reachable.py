"""Possible counts of marked rows: a polygon around the counts of all functions of a box.

Rows on which the same literals hold are marked together. A function that marks some of these cells
marks the sum of their (positives, negatives), so its counts lie in the zonotope of the cells:
between the path that takes the cells with the largest share of positives first and the path that
takes them last.
"""

from __future__ import annotations

import math

import numpy as np

from .box import Floats

Span = tuple[int, int]

_CLOSE = 1e-3  # of a whole number; far above any rounding of a corner


def possible_counts(
    cells: Floats, settled: tuple[int, int], positive: Span, negative: Span
) -> list[tuple[int, int]]:
    """Return integer points whose convex hull contains all possible counts of a box.

    Parameters
    ----------
    cells : ndarray, shape (n, 2)
        Positives and negatives of each cell that may be marked or not.
    settled : tuple of int
        Positives and negatives that are marked in any case.
    positive, negative : (int, int)
        The box.
    """
    polygon = _zonotope(cells) + settled
    inside = _clipped(polygon, positive, negative, 0.0)
    if len(inside) == 0:
        if len(_clipped(polygon, positive, negative, _CLOSE)) == 0:
            return []
        # Polygon and box touch at most up to rounding: use the box.
        return list(dict.fromkeys((a, b) for a in positive for b in negative))
    spans = (positive, negative)
    points: dict[tuple[int, int], None] = {}
    for point in np.unique(inside, axis=0).tolist():
        # Where an edge meets a side of the box, take the integer points on both sides of the cut.
        a, b = (
            {int(x)}
            if x.is_integer()
            else {max(span[0], math.floor(x - _CLOSE)), min(span[1], math.ceil(x + _CLOSE))}
            for x, span in zip(point, spans, strict=True)
        )
        points.update(dict.fromkeys((i, j) for i in a for j in b))
    return list(points)


def _zonotope(cells: Floats) -> Floats:
    """Return the corners of the zonotope, all sums of cells, in order."""
    share = cells[:, 0] / np.maximum(1.0, cells.sum(axis=1))
    # Cells in the order of their share of positives are the steps along one side of the zonotope.
    # Those of equal shares lie on one line, so that only the last of them ends at a corner.
    order = np.argsort(-share, kind="stable")
    last = np.append(np.diff(share[order]) != 0, True)[: len(order)]
    steps = np.cumsum(cells[order], axis=0)[last]
    lower = np.concatenate([np.zeros((1, 2)), steps])
    # The other path takes the same steps in reverse order: the zonotope is point-symmetric.
    return np.concatenate([lower, lower[-1] - lower[1:-1]])


def _clipped(polygon: Floats, positive: Span, negative: Span, room: float) -> Floats:
    """Clip a polygon to a box (Sutherland and Hodgman 1974); return its corners."""
    for axis, (low, high) in enumerate((positive, negative)):
        for sign, limit in ((1.0, high + room), (-1.0, room - low)):
            if len(polygon) == 0:
                return polygon
            over = sign * polygon[:, axis] - limit
            after, over_after = np.roll(polygon, -1, axis=0), np.roll(over, -1)
            crossing = np.flatnonzero((over > 0) != (over_after > 0))
            share = over[crossing] / (over[crossing] - over_after[crossing])
            met = polygon[crossing] + share[:, None] * (after - polygon)[crossing]
            met[:, axis] = sign * limit
            kept = np.flatnonzero(over <= 0)
            # The crossing after corner i gets the place i + 1/2, so that corners stay in order.
            places = np.argsort(np.append(kept, crossing + 0.5))
            polygon = np.concatenate([polygon[kept], met])[places]
    return polygon
