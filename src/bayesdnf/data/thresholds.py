"""Thresholds of a numeric column: at weighted quantiles, as numbers with few digits."""

from __future__ import annotations

from decimal import ROUND_FLOOR, Context, Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

_CONTEXT = Context(prec=40)  # independent of the caller's decimal context


def cuts(values: NDArray[Any], totals: NDArray[np.int64], n_cuts: int) -> list[int | float]:
    """Return cuts c, ascending, so that each ``x >= c`` splits the values differently.

    If more than ``n_cuts`` splits exist, the cuts are the quantiles k / (n_cuts + 1) by the
    inverted CDF; a cut at the lowest value, which would not split, moves to the next value.

    Parameters
    ----------
    values : ndarray
        Distinct values in ascending order, at least two.
    totals : ndarray of int64
        Weight of each value. Quantiles compare integers only, so that repeated and weighted rows
        give the same cuts, in any order.
    n_cuts : int
        Maximum number of cuts.

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
    """Return the index of the first value above each cut; see :func:`cuts`.

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
    # Ranks ⌈k W / (n_cuts + 1)⌉ of the inverted CDF for total weight W, in integer arithmetic:
    # rounding cannot change a cut.
    shares = [-(-k * int(reached[-1]) // (n_cuts + 1)) for k in range(1, n_cuts + 1)]
    # Several quantiles may be the same value; a cut at the lowest value would not split.
    places = np.unique(np.maximum(np.searchsorted(reached, shares, side="left"), 1))
    return [int(place) for place in places]


def shortest_between(low: float, high: float) -> int | float:
    """Return the largest number c with low < c <= high among those with the fewest digits.

    Examples
    --------
    >>> from bayesdnf.data.thresholds import shortest_between
    >>> shortest_between(44.3, 45.71), shortest_between(0.1181, 0.1239), shortest_between(-3, 8)
    (45, 0.12, 0)
    """
    if low < 0 <= high:
        return 0
    # ``repr`` is the shortest decimal that round-trips; rounding it down digit by digit finds the
    # shortest number of the interval.
    exact = Decimal(repr(high))
    lowest_place = exact.normalize().as_tuple().exponent
    assert isinstance(lowest_place, int)
    # From the leading digit on: the first place at which the rounded number is above ``low`` gives
    # the fewest digits.
    for place in range(exact.adjusted(), lowest_place, -1):
        rounded = exact.quantize(Decimal((0, (1,), place)), ROUND_FLOOR, _CONTEXT)
        candidate = plain_number(type(high)(rounded))
        if candidate > low:
            return candidate
    return plain_number(high)


def plain_number(value: float) -> int | float:
    """Convert a float to int if it is an integer below 2^53 in magnitude."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return value
