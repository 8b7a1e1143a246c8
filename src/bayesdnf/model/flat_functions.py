"""Functions and lists in flat arrays, the format of the native core."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..boolean import BooleanFunction, Literal, RuleList


class FlatFunctions(NamedTuple):
    """Functions and lists in flat arrays, as the native core takes them.

    Function f has the terms ``term_starts[f]`` to ``term_starts[f + 1]``, term t the literals
    ``literal_starts[t]`` to ``literal_starts[t + 1]`` of ``literals``. Term t is in layer
    ``layers[t]``, 1 being the lowest; all terms of a function are in layer 1.
    """

    term_starts: NDArray[np.int64]
    literal_starts: NDArray[np.int64]
    literals: NDArray[np.int32]
    layers: NDArray[np.int32]

    @property
    def n_terms(self) -> NDArray[np.int64]:
        """Number of terms m of each function or list."""
        return np.diff(self.term_starts)

    @property
    def n_literals(self) -> NDArray[np.int64]:
        """Total number of literals Σk of each function or list.

        Examples
        --------
        >>> from bayesdnf.model.flat_functions import as_flat
        >>> as_flat([[], [(1, [0, 3]), (2, [1])]]).n_literals
        array([0, 3])
        """
        # A function's literals lie in one run, from the start of its first term to that of the next
        # function's first.
        return np.diff(self.literal_starts[self.term_starts])

    @property
    def n_layers(self) -> NDArray[np.int32]:
        """Layers of each function or list; 0 of the null function.

        Examples
        --------
        >>> import numpy as np
        >>> from bayesdnf.model.enumerate import flatten
        >>> flatten(np.array([0, 0b1010], dtype=np.uint64), p=2).n_layers
        array([0, 1], dtype=int32)
        """
        highest = np.zeros(len(self.term_starts) - 1, dtype=np.int32)
        # reduceat gives an empty run its neighbour's value: null functions stay at 0.
        filled = np.flatnonzero(np.diff(self.term_starts))
        if len(filled):
            highest[filled] = np.maximum.reduceat(self.layers, self.term_starts[filled])
        return highest

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
        return FlatFunctions(term_starts, literal_starts, self.literals[places], self.layers[terms])

    def spelt(self, number: int, literals: Sequence[Literal]) -> BooleanFunction:
        """Convert one function to a BooleanFunction.

        Examples
        --------
        >>> import numpy as np
        >>> from bayesdnf import Literal
        >>> from bayesdnf.model.enumerate import flatten
        >>> both = flatten(np.array([0b0100, 0b1010], dtype=np.uint64), p=2)
        >>> print(both.spelt(1, [Literal("age", ">=", 45), Literal("odor", "=", "f")]))
        (age >= 45) OR (age >= 45 AND odor = f)
        """
        return BooleanFunction(term for _, term in self._terms(number, literals))

    def spelt_list(self, number: int, literals: Sequence[Literal]) -> RuleList:
        """Convert one list to a RuleList.

        Examples
        --------
        >>> import numpy as np
        >>> from bayesdnf import Literal
        >>> from bayesdnf.model.flat_functions import FlatFunctions
        >>> flat = FlatFunctions(*map(np.array, ([0, 2], [0, 1, 2], [0, 1], [1, 2])))
        >>> print(flat.spelt_list(0, [Literal("age", ">=", 45), Literal("odor", "=", "f")]))
        if   (odor = f)    then part 2
        elif (age >= 45)   then part 1
        else                    part 0
        """
        layers: dict[int, list[list[Literal]]] = {}
        for layer, term in self._terms(number, literals):
            layers.setdefault(layer, []).append(term)
        return RuleList(BooleanFunction(layers[g]) for g in sorted(layers, reverse=True))

    def _terms(
        self, number: int, literals: Sequence[Literal]
    ) -> Iterator[tuple[int, list[Literal]]]:
        """Yield the layer and the literals of each term."""
        first, last = self.term_starts[number], self.term_starts[number + 1]
        bounds = pairwise(self.literal_starts[first : last + 1])
        for layer, (start, end) in zip(self.layers[first:last].tolist(), bounds, strict=True):
            yield layer, [literals[i] for i in self.literals[start:end].tolist()]


def as_flat(lists: Iterable[Iterable[tuple[int, Sequence[int]]]]) -> FlatFunctions:
    """Convert functions and lists, given as (layer, literals) of each term, to flat arrays.

    Examples
    --------
    >>> from bayesdnf.model.flat_functions import as_flat
    >>> as_flat([[], [(1, [0, 3]), (2, [1])]]).layers
    array([1, 2], dtype=int32)
    """
    term_starts, literal_starts = [0], [0]
    literals: list[int] = []
    layers: list[int] = []
    for terms in lists:
        for layer, term in terms:
            literals.extend(term)
            layers.append(layer)
            literal_starts.append(len(literals))
        term_starts.append(len(layers))
    return FlatFunctions(
        np.array(term_starts, dtype=np.int64),
        np.array(literal_starts, dtype=np.int64),
        np.array(literals, dtype=np.int32),
        np.array(layers, dtype=np.int32),
    )


def _runs(
    starts: NDArray[np.int64], chosen: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Concatenate the chosen runs; return their new starts and the old positions of elements."""
    sizes = np.diff(starts)[chosen]
    new_starts = starts_of(sizes)
    # Element q of the new array was at q + (old start of its run - new start), so one repeat and
    # one addition list the places of all runs without a loop.
    shift = np.repeat(starts[chosen] - new_starts[:-1], sizes)
    return new_starts, np.arange(new_starts[-1]) + shift


def starts_of(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the start of each of some consecutive runs of these lengths, and their end."""
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
