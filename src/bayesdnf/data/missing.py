"""Which values are missing: NaN, None, and the nulls of pandas and polars."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def is_missing(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Flag the missing entries of a one-dimensional array of any dtype."""
    if values.dtype.kind == "f":
        return np.isnan(values)
    if values.dtype.kind != "O":
        return np.zeros(len(values), dtype=np.bool_)
    # NaN is the value that differs from itself; pandas.NA says neither yes nor no to that.
    return np.fromiter((_missing(v) for v in values), dtype=np.bool_, count=len(values))


def _missing(value: object) -> bool:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating)) and bool(np.isnan(value))
