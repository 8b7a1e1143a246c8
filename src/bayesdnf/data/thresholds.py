"""Thresholds of a numeric column: at weighted quantiles, as numbers with few digits."""

from __future__ import annotations

from decimal import ROUND_FLOOR, Context, Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

_CONTEXT = Context(prec=40)  # not the caller's, who may round to a few digits


def cuts(values: NDArray[Any], totals: NDArray[np.int64], n_cuts: int) -> list[int | float]:
    """Cuts c, rising, so that each ``x >= c`` splits the values in another way.

    When more than ``n_cuts`` ways exist, the cuts are the quantiles k / (n_cuts + 1) by the
    inverted CDF; one on the lowest value, which would split nothing, moves to the next.

    Parameters
    ----------
    values : ndarray
        Different values in rising order, at least two.
    totals : ndarray of int64
        Weight of each value. Quantiles compare whole numbers only, so that repeating rows,
        weighting them and their order make no difference.
    n_cuts : int
        Most cuts wanted.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.data.thresholds import cuts
    >>> cuts(np.arange(100), np.ones(100, dtype=np.int64), 3)
    [24, 49, 74]
    """
    places = cut_places(totals, n_cuts)
    return [shortest_between(values[i - 1].item(), values[i].item()) for i in places]


def cut_places(totals: NDArray[np.int64], n_cuts: int) -> list[int]:
    """Return which of rising values begin what is above a cut; see :func:`cuts`.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.data.thresholds import cut_places
    >>> cut_places(np.array([5, 1, 1, 1, 8]), 3)
    [1, 3, 4]
    """
    if len(totals) - 1 <= n_cuts:
        return list(range(1, len(totals)))
    reached = np.cumsum(totals)
    # Quantiles by integer arithmetic: weights that are multiples of each other give the same cuts.
    shares = [-(-k * int(reached[-1]) // (n_cuts + 1)) for k in range(1, n_cuts + 1)]
    # Several quantiles may fall on one value; a cut at the lowest value would split nothing.
    places = np.unique(np.maximum(np.searchsorted(reached, shares, side="left"), 1))
    return [int(place) for place in places]


def shortest_between(low: float, high: float) -> int | float:
    """Return the number c with low < c <= high that has the fewest digits; the largest such.

    Examples
    --------
    >>> from bayesdnf.data.thresholds import shortest_between
    >>> shortest_between(44.3, 45.71), shortest_between(0.1181, 0.1239), shortest_between(-3, 8)
    (45, 0.12, 0)
    """
    if low < 0 <= high:
        return 0
    # ``repr`` is the shortest decimal that reads back as the float; rounding it down place by
    # place finds the shortest number of the interval.
    exact = Decimal(repr(high))
    lowest_place = exact.normalize().as_tuple().exponent
    assert isinstance(lowest_place, int)
    # From the leading digit down: the first place at which rounding down stays above ``low`` has
    # the fewest digits.
    for place in range(exact.adjusted(), lowest_place, -1):
        rounded = exact.quantize(Decimal((0, (1,), place)), ROUND_FLOOR, _CONTEXT)
        candidate = plain_number(type(high)(rounded))
        if candidate > low:
            return candidate
    return plain_number(high)


def plain_number(value: float) -> int | float:
    """Return an int where a float is a whole number that it holds exactly."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return value
