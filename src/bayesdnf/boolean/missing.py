"""What counts as a missing value: of it neither a literal nor its negation is true."""

from __future__ import annotations

import math
from collections.abc import Collection
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ParameterError
from .literal import Value


def is_missing(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Flag the missing entries of a one-dimensional array of any dtype."""
    if values.dtype.kind == "f":
        return np.asarray(np.isnan(values))
    if values.dtype.kind in "mM":
        return np.asarray(np.isnat(values))
    if values.dtype.kind != "O":
        return np.zeros(len(values), dtype=np.bool_)
    return np.fromiter((is_missing_value(v) for v in values), dtype=np.bool_, count=len(values))


def is_missing_value(value: object) -> bool:
    """Whether one value is NaN, None, or the null of a table library."""
    # By name: pandas need not be loaded, and pandas.NA says neither yes nor no to comparisons.
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return bool(np.isnat(value))
    if isinstance(value, Decimal):  # as databases give them
        return value.is_nan()
    return isinstance(value, (float, np.floating)) and bool(np.isnan(value))


def named_missing(missing_values: Collection[Value], owner: str) -> frozenset[Value]:
    """Check the values that a caller says are missing, beside those that always are."""
    must = "a list of texts and finite numbers, such as ['?', -9]"
    # A text is a list of letters: 'NA' would name 'N' and 'A'.
    if isinstance(missing_values, (str, dict)) or not isinstance(missing_values, Collection):
        raise ParameterError.of("missing_values", owner, must, missing_values)
    named: set[Value] = set()
    for value in missing_values:
        plain = value.item() if isinstance(value, np.generic) else value
        if is_missing_value(plain):
            continue
        if not isinstance(plain, (str, int, float)) or plain in (math.inf, -math.inf):
            raise ParameterError.of("missing_values", owner, must, value)
        named.add(plain)
    return frozenset(named)
