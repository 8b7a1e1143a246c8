"""The outcome of each row, positive or not, and its weight, how often it counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..boolean.literal import Literal, Value
from ..errors import InputError, ParameterError
from .columns import read_column


class Outcome(NamedTuple):
    """Which rows are positive, and what the two classes are called."""

    positive: NDArray[np.bool_]
    classes: tuple[Value, Value]
    """(negative label, positive label)"""


def read_outcome(y: Any, positive: Any = None) -> Outcome:
    """Read a column of labels as positive or negative.

    Parameters
    ----------
    y : 1-D array, pandas or polars Series, or list
        One label for each row: texts, numbers or bools.
    positive : label or list of labels, optional
        What counts as positive; everything else is negative. By default the larger of exactly
        two labels, as in scikit-learn's ``classes_[1]``.

    Returns
    -------
    Outcome
        ``positive``, one bool for each row, and ``classes``, the names (negative, positive).
        Several labels that stand together as negative are called ``other``; as positive,
        ``a or b``.

    Examples
    --------
    >>> from bayesdnf.data.outcome import read_outcome
    >>> read_outcome(["p", "e", "p"])
    Outcome(positive=array([ True, False,  True]), classes=('e', 'p'))
    >>> read_outcome(["a", "b", "c"], positive="b").classes
    ('other', 'b')
    """
    column = read_column(y, "y")
    if len(column.values) == 0:
        raise InputError("y has no entries; at least one is needed.")
    if column.missing.any():
        row = int(np.argmax(column.missing))
        raise InputError(f"y is missing in row {row}; every row needs a label.")
    labels: list[Value] = column.distinct()[0].tolist()
    if len(labels) == 1:
        raise InputError(f"y holds one label only, {labels[0]!r}; two classes are needed.")
    chosen = _chosen(labels, positive)
    rest = [label for label in labels if label not in chosen]
    is_positive = np.zeros(len(column.values), dtype=np.bool_)
    for label in chosen:
        is_positive |= column.truth(Literal("y", "=", label))
    positive_label = chosen[0] if len(chosen) == 1 else " or ".join(str(x) for x in chosen)
    negative_label = rest[0] if len(rest) == 1 else "other"
    if negative_label == positive_label:  # a label may itself be called "other"
        negative_label = f"not {positive_label}"
    return Outcome(is_positive, (negative_label, positive_label))


def _chosen(labels: list[Value], positive: Any) -> list[Value]:
    if positive is None:
        if len(labels) > 2:
            raise InputError(
                f"y holds {len(labels):,} labels ({_listed(labels)}) and two classes are needed; "
                f"name the positive ones, for example positive={labels[-1]!r}."
            )
        return labels[1:]
    is_list = isinstance(positive, Iterable) and not isinstance(positive, (str, bytes))
    named = list(positive) if is_list else [positive]
    if not named:
        raise ParameterError.of("positive", "read_outcome", "at least one label of y", positive)
    absent = [x for x in named if not _is_among(x, labels)]
    if absent:
        raise ParameterError(
            f"The 'positive' parameter of read_outcome must be among the labels of y, "
            f"which are {_listed(labels)}. Got {_listed(absent)} instead."
        )
    chosen = [label for label in labels if _is_among(label, named)]
    if len(chosen) == len(labels):
        raise ParameterError(
            f"The 'positive' parameter of read_outcome must leave a label of y as negative. "
            f"Got all of them, {_listed(labels)}, instead."
        )
    return chosen


def _is_among(label: Any, labels: Sequence[Any]) -> bool:
    # Typed: the text '1' is not the number 1; and anything else, pandas.NA too, is no label.
    return isinstance(label, (str, int, float, np.number, np.bool_)) and any(
        isinstance(label, str) == isinstance(other, str) and bool(label == other)
        for other in labels
    )


def _listed(labels: Sequence[Any]) -> str:
    shown = [repr(x.item() if isinstance(x, np.generic) else x) for x in labels[:8]]
    return ", ".join(shown) + (", …" if len(labels) > 8 else "")


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
