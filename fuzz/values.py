"""Arguments made of a fuzzer's bytes: mostly such as fit together, now and then any value."""

from __future__ import annotations

import math
from typing import Any

import atheris
import numpy as np
from numpy.typing import NDArray

WILD_INTS = (-(2**63), -(2**31), -2, -1, 0, 1, 63, 64, 65, 2**31 - 1, 2**31, 2**32, 2**62,
             2**63 - 1, 2**64 - 1, 2**70)  # fmt: skip
WILD_FLOATS = (0.0, -0.0, -1.0, 0.5, 1.0, 1e-300, 1e-12, 1e12, 1e300, 5e-324, math.inf, -math.inf,
               math.nan)  # fmt: skip


class Values:
    """Draws arguments one after the other.

    Parameters
    ----------
    data : bytes
        What the fuzzer came up with. Where it ends, zeros follow.
    """

    def __init__(self, data: bytes) -> None:
        self._from = atheris.FuzzedDataProvider(data)

    def wild(self) -> bool:
        """Say whether the next value may be anything."""
        return self._from.ConsumeIntInRange(0, 31) == 31

    def yes(self) -> bool:
        """Say yes or no."""
        return bool(self._from.ConsumeBool())

    def pick(self, *choices: Any) -> Any:
        """Take one of some values."""
        return choices[self._from.ConsumeIntInRange(0, len(choices) - 1)]

    def whole(self, low: int, high: int) -> int:
        """Draw a whole number of a range, or a wild one."""
        return self.pick(*WILD_INTS) if self.wild() else self.within(low, high)

    def within(self, low: int, high: int) -> int:
        """Draw a whole number of a range, never another."""
        return int(self._from.ConsumeIntInRange(low, high))

    def real(self, low: float, high: float) -> float:
        """Draw a number of a range, or a wild one."""
        if self.wild():
            return float(self.pick(*WILD_FLOATS))
        return float(self._from.ConsumeFloatInRange(low, high))

    def wholes(self, n: int, low: int, high: int) -> list[int]:
        """Draw several whole numbers, now and then more or fewer than asked for."""
        return [self.whole(low, high) for _ in range(self.length(n))]

    def reals(self, n: int, low: float, high: float) -> list[float]:
        """Draw several numbers, now and then more or fewer than asked for."""
        return [self.real(low, high) for _ in range(self.length(n))]

    def length(self, n: int) -> int:
        """Return a length, or now and then another one."""
        return self.within(0, n + 2) if self.wild() else n

    def array(self, dtype: type, n: int, low: int, high: int) -> NDArray[Any]:
        """Draw an array of whole numbers that its type can hold."""
        ends = np.iinfo(dtype)
        drawn = (min(max(value, ends.min), ends.max) for value in self.wholes(n, low, high))
        return np.array(list(drawn), dtype=dtype)

    def floats(self, n: int, low: float, high: float) -> NDArray[np.float64]:
        """Draw an array of numbers."""
        return np.array(self.reals(n, low, high), dtype=np.float64)

    def words(self, *shape: int) -> NDArray[np.uint64]:
        """Draw packed bits of a shape, any of whose sides may be another now and then."""
        sides = [self.length(side) for side in shape]
        n_bytes = 8 * math.prod(sides)
        drawn = self._from.ConsumeBytes(n_bytes).ljust(n_bytes, b"\xa5")
        return np.frombuffer(drawn, dtype=np.uint64).reshape(sides).copy()

    def terms(self, n_terms: int, n_literals: int) -> list[list[int]]:
        """Draw terms: a few literals each, by number."""
        return [
            sorted(self.wholes(self.within(0, 3), 0, max(0, n_literals - 1)))
            for _ in range(self.length(n_terms))
        ]

    def flat(self, n: int, n_literals: int) -> tuple[NDArray[Any], ...]:
        """Draw functions in flat arrays: term_starts, literal_starts, literals, layers."""
        functions = [self.terms(self.within(0, 3), n_literals) for _ in range(n)]
        terms = [term for function in functions for term in function]
        starts = np.cumsum([0, *map(len, functions)])
        literal_starts = np.cumsum([0, *map(len, terms)])
        if self.wild():
            starts = self.array(np.int64, n + 1, 0, len(terms))
        if self.wild():
            literal_starts = self.array(np.int64, len(terms) + 1, 0, 9)
        literals = [min(max(i, -(2**31)), 2**31 - 1) for term in terms for i in term]
        return (
            starts.astype(np.int64),
            literal_starts.astype(np.int64),
            np.array(literals, dtype=np.int32),
            self.array(np.int32, len(terms), 1, 3),
        )
