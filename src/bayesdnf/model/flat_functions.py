"""Functions in flat arrays, as the native core takes them and gives them back."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..boolean import BooleanFunction, Literal


class FlatFunctions(NamedTuple):
    """Functions in three flat arrays, as the native core takes them.

    Function f has the terms ``term_starts[f]`` to ``term_starts[f + 1]``, term t the literals
    ``literal_starts[t]`` to ``literal_starts[t + 1]`` of ``literals``.
    """

    term_starts: NDArray[np.int64]
    literal_starts: NDArray[np.int64]
    literals: NDArray[np.int32]

    def take(self, order: NDArray[np.int64]) -> FlatFunctions:
        """Keep some functions, in this order.

        Examples
        --------
        >>> import numpy as np
        >>> from bayesdnf.model.enumerate import flatten
        >>> both = flatten(np.array([0b0100, 0b1010], dtype=np.uint64), p=2)
        >>> both.take(np.array([1])).literals
        array([0, 0, 1], dtype=int32)
        """
        term_starts, terms = _runs(self.term_starts, order)
        literal_starts, places = _runs(self.literal_starts, terms)
        return FlatFunctions(term_starts, literal_starts, self.literals[places])

    def spelt(self, number: int, literals: Sequence[Literal]) -> BooleanFunction:
        """Write a function out.

        Examples
        --------
        >>> import numpy as np
        >>> from bayesdnf import Literal
        >>> from bayesdnf.model.enumerate import flatten
        >>> both = flatten(np.array([0b0100, 0b1010], dtype=np.uint64), p=2)
        >>> print(both.spelt(1, [Literal("age", ">=", 45), Literal("odor", "=", "f")]))
        (age >= 45) OR (age >= 45 AND odor = f)
        """
        bounds = self.literal_starts[self.term_starts[number] : self.term_starts[number + 1] + 1]
        terms = [self.literals[first:last].tolist() for first, last in pairwise(bounds)]
        return BooleanFunction([[literals[i] for i in term] for term in terms])


def _runs(
    starts: NDArray[np.int64], chosen: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Put the chosen runs one after the other: their starts, and the places they take up."""
    sizes = np.diff(starts)[chosen]
    new_starts = starts_of(sizes)
    shift = np.repeat(starts[chosen] - new_starts[:-1], sizes)
    return new_starts, np.arange(new_starts[-1]) + shift


def starts_of(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where each run begins when runs of these lengths stand in a row, and their end."""
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
