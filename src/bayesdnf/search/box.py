"""Boxes of functions and prices of rows; ``priced`` bounds the functions of a box by prices."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Term = tuple[int, ...]

DIGITS = 14  # binary digits of the largest price
_LEAST_PRICE = 1e-3  # nats; differences of prices below this do not matter


class Range(NamedTuple):
    """Whole numbers from ``low`` to ``high``, both included."""

    low: int
    high: int


class Begun(NamedTuple):
    """Terms that all functions of a box contain, and the rows that these terms mark."""

    terms: tuple[Term, ...]
    worth: float
    """Log prior of the terms."""
    open: Bools
    """By stored row: it is not known to be marked."""
    mask: NDArray[np.uint64]
    """The same as a row mask."""
    rows: tuple[int, int]
    """Positives and negatives that are marked."""


@dataclass
class Box:
    """Functions with numbers of terms, marked positives and marked negatives in given ranges.

    Parameters
    ----------
    terms, positive, negative : Range
        Number of terms, marked positives and marked negatives.
    bound : float
        No allowed function of the box scores higher.
    prices : RowPrices, optional
        The prices that give the bound.
    begun : Begun, optional
        Terms that all functions of the box have, and rows that all of them mark.
    shut : ndarray of bool, optional
        By stored row: no function of the box marks it.
    """

    terms: Range
    positive: Range
    negative: Range
    bound: float = math.inf
    prices: RowPrices | None = None
    begun: Begun | None = None
    shut: Bools | None = None

    @property
    def n_begun(self) -> int:
        """Number of settled terms."""
        return 0 if self.begun is None else len(self.begun.terms)

    @property
    def rest(self) -> Range:
        """Range of the number of other terms."""
        return Range(self.terms.low - self.n_begun, self.terms.high - self.n_begun)

    def left(self) -> tuple[int, int]:
        """Return the most positives and negatives that the other terms may mark."""
        a, b = (0, 0) if self.begun is None else self.begun.rows
        return self.positive.high - a, self.negative.high - b

    def part(self, **ranges: Range) -> Box:
        """Return a smaller box, which inherits the bound until it is priced."""
        return replace(self, **ranges)  # type: ignore[arg-type]


class RowPrices(NamedTuple):
    """Prices of rows in whole units, slopes of the two counts, and the worth of the best term."""

    slopes: tuple[float, float]
    rows: Whole
    """Of each stored row."""
    unit: float
    negative_cost: int = 0
    """Of each marked negative, beside its price."""
    ceiling: int = 0

    @classmethod
    def rounded(
        cls, slopes: tuple[float, float], rows: Floats, negative_cost: float = 0.0,
        digits: int = DIGITS,
    ) -> RowPrices:  # fmt: skip
        """Round prices to whole numbers of a unit; the bound stays valid."""
        # Whole numbers, so that the branch and bound over terms adds up exactly, in any order.
        largest = float(np.abs(rows).max(initial=0.0))
        unit = max(largest, _LEAST_PRICE) / 2**digits
        # Rounding changes the prices, not the validity of a bound: step 2 of docs/bound.md holds
        # for any prices.
        whole = np.rint(rows / unit).astype(np.int64)
        return cls(slopes, whole, unit, round(negative_cost / unit))

    def mixed(self, other: RowPrices, share: float, digits: int = DIGITS) -> RowPrices:
        """Interpolate between these prices and others."""
        rows = share * other.unit * other.rows + (1 - share) * self.unit * self.rows
        first, second = (
            share * theirs + (1 - share) * ours
            for ours, theirs in zip(self.slopes, other.slopes, strict=True)
        )
        cost = (
            share * other.unit * other.negative_cost + (1 - share) * self.unit * self.negative_cost
        )
        return RowPrices.rounded((first, second), rows, cost, digits)
