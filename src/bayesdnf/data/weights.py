"""Sample weights: whole numbers, how often each row counts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError


def read_weights(weights: Any, n_rows: int) -> NDArray[np.int64] | None:
    """Read whole-number weights (2.0 is fine); None stays None."""
    if weights is None:
        return None
    values = np.asarray(weights, dtype=np.float64)
    if values.shape != (n_rows,):
        raise InputError(
            f"sample_weight must have one entry for each of the {n_rows:,} rows. "
            f"Got an array of shape {values.shape} instead."
        )
    wrong = np.flatnonzero(~(np.isfinite(values) & (values >= 0) & (values == np.floor(values))))
    if len(wrong):
        raise InputError(
            f"sample_weight must hold whole numbers, 0 or more: how often each row counts. "
            f"Got {values[wrong[0]]:g} in row {wrong[0]} instead."
        )
    if not values.any():
        raise InputError("sample_weight is zero for every row; at least one row must count.")
    return values.astype(np.int64)
