"""Columns that decide the outcome alone: possible data leakage."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..boolean.literal import FALSE, OPERATORS, TRUE
from ..display.wording import listed
from ..model.flat_functions import FlatFunctions
from ..model.posterior import Posterior

_LARGEST_SHARE = 0.01  # maximum number of errors as a share of the rarer class
_LEAST_ROWS = 20  # minimum number of rows of the rarer class
_SHOWN = 3


def deciding_columns(posterior: Posterior) -> tuple[str, ...]:
    """Return the columns that alone decide the outcome of all rows but a few.

    A column decides a row when most of the other rows with its value, or in the same range between
    two cuts, are of its class. Values that no other row has decide nothing. More than two classes
    are not looked at.

    Parameters
    ----------
    posterior : Posterior
        Whose table and outcome to look at.

    Examples
    --------
    >>> from bayesdnf import LiteralEncoder, Posterior
    >>> from bayesdnf.estimators.leakage import deciding_columns
    >>> table = {"boat": ["5", "7", "", ""] * 15, "sex": ["f", "m", "m"] * 20}
    >>> bits = LiteralEncoder().fit_encode(table)
    >>> deciding_columns(Posterior(bits, [1, 1, 0, 0] * 15))
    ('boat',)
    """
    if posterior.n_classes > 2:
        return ()
    rarer = min(posterior.n_pos, posterior.n - posterior.n_pos)
    if rarer < _LEAST_ROWS:
        return ()
    table = posterior.bits.table
    # By literals, not raw values: rules can use only ranges between cuts.
    counts = _counts(posterior, len(table))
    total = np.array([posterior.n_pos, posterior.n - posterior.n_pos])
    found = []
    for number, name in enumerate(table.attributes):
        own = table.members(number)
        parts = _parts(table.operator[own], counts[own], total)
        # Relative to the rarer class: with unbalanced classes a useless column makes few errors
        # too.
        if _errors(parts) <= _LARGEST_SHARE * rarer:
            found.append(name)
    return tuple(found)


def leakage_lines(columns: tuple[str, ...]) -> list[str]:
    """Name columns that may leak the outcome, in a sentence."""
    if not columns:
        return []
    one = len(columns) == 1
    return [
        f"Possible leakage: {listed(columns, _SHOWN)} {'decides' if one else 'each decide'} the "
        f"outcome alone. Unless {'it is' if one else 'they are'} known before the outcome is, fit "
        f"without {'it' if one else 'them'} (--ignore)."
    ]


def _counts(posterior: Posterior, p: int) -> NDArray[np.int64]:
    """Count positives and negatives (columns) for which each literal holds."""
    starts, ones = np.arange(p + 1, dtype=np.int64), np.ones(p, dtype=np.int32)
    flat = FlatFunctions(starts, starts, np.arange(p, dtype=np.int32), ones)
    return np.asarray(posterior.scores_of(flat).marked, dtype=np.int64)


def _parts(
    operators: NDArray[np.uint8], counts: NDArray[np.int64], total: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Positives and negatives of the parts into which a column's values fall.

    Literals with ``=`` have a part each; those with ``>=`` or ``<``, whose cuts rise, share parts
    with the next. The last part is what is left, missing values among it.
    """
    for operator in ("=", ">=", "<", TRUE, FALSE):
        chosen = counts[operators == OPERATORS.index(operator)]
        if len(chosen) == 0:
            continue
        # Rows at or above a cut include those above the next: differences are the ranges between.
        if operator == ">=":
            chosen = chosen - np.append(chosen[1:], [[0, 0]], axis=0)
        elif operator == "<":
            chosen = np.diff(chosen, axis=0, prepend=[[0, 0]])
        return np.append(chosen, [total - chosen.sum(axis=0)], axis=0)
    return total[None]


def _errors(parts: NDArray[np.int64]) -> int:
    """Count rows whose class is not the majority class of the other rows of their part."""
    # Leave-one-out: without the row itself its class has own - 1 rows, and a tie is an error. So a
    # value of a single row is an error, and an id column decides nothing.
    own, other = parts, parts[:, ::-1]
    return int(own[own - 1 <= other].sum())
