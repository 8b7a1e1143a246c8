"""Input validation of strata: a label for each row, in fitting and after it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..boolean.literal import Value
from ..data.outcome import Strata
from ..display.wording import entries_for_rows
from ..errors import InputError


def fit_strata(strata: Any, weights: NDArray[np.int64] | None) -> Any:
    """Return labels of strata in which rows of weight 0 add no stratum.

    Parameters
    ----------
    strata : array-like or None
        What ``fit`` was given.
    weights : ndarray of int64, optional
        How often each row counts.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.estimators.strata_input import fit_strata
    >>> fit_strata(["north", "south", None], np.array([1, 2, 0])).tolist()
    ['north', 'south', 'north']
    """
    if strata is None or weights is None or bool(weights.all()):
        return strata
    labels = np.array(strata, dtype=object)
    if labels.shape == weights.shape:
        # A label of a row of weight 0 could add a stratum: replace it by an existing one.
        labels[weights == 0] = labels[int(np.argmax(weights > 0))]
    return labels


def row_strata(
    labels: tuple[Value, ...] | None, strata: Any, n_rows: int
) -> NDArray[np.intp] | None:
    """Return the strata of rows to predict, by their labels; None if they are not given.

    Parameters
    ----------
    labels : tuple or None
        The strata of the fit; None when it had none.
    strata : array-like or None
        A label for each row.
    n_rows : int
        How many rows there are.

    Examples
    --------
    >>> from bayesdnf.estimators.strata_input import row_strata
    >>> row_strata(("north", "south"), ["south", "north"], 2)
    array([1, 0])
    """
    if strata is None:
        return None
    if labels is None:
        raise InputError("strata were given, and the model was fitted without any; leave them out.")
    numbers = Strata(np.empty(0, dtype=np.intp), labels).numbers_of(strata)
    if len(numbers) != n_rows:
        raise InputError(entries_for_rows("strata", len(numbers), n_rows))
    return numbers
