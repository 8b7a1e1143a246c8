"""Outcomes, weights and strata of rows."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Number
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..boolean.literal import Literal, Value
from ..boolean.missing import is_missing
from ..display.odd_texts import means_missing
from ..display.wording import count, entries_for_rows, listed
from ..errors import InputError, ParameterError, shown
from .columns.any_library import read_column
from .columns.column import Column
from .kinds import are_dates
from .table_files.row_names import index_of, row_name
from .thresholds import cuts

MOST_CLASSES = 20
"""Classes at most: every part of a list has a share of each. Of numbers, more are a quantity."""


class Outcome(NamedTuple):
    """The positive rows and the labels of the two classes."""

    positive: NDArray[np.bool_]
    classes: tuple[Value, Value]
    """(negative label, positive label)"""


class Classes(NamedTuple):
    """The class of each row and the labels of the classes."""

    number: NDArray[np.intp]
    labels: tuple[Value, ...]


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
    column, labels = _labels_of(y)
    chosen = _chosen(labels, positive)
    rest = [label for label in labels if label not in chosen]
    is_positive = np.zeros(len(column.values), dtype=np.bool_)
    for label in chosen:
        is_positive |= column.truth(Literal("y", "=", label))
    positive_label = chosen[0] if len(chosen) == 1 else " or ".join(str(x) for x in chosen)
    return Outcome(is_positive, (name_of_rest(rest, positive_label), positive_label))


def _labels_of(y: Any) -> tuple[Column, list[Value]]:
    """Read labels and the distinct labels, at least two."""
    column = read_column(y, "y")
    if len(column.values) == 0:
        raise InputError("y has no entries; at least one is needed.")
    if column.missing.any():
        row = int(np.argmax(column.missing))
        raise InputError(f"y is missing in {column.row(row)}; every row needs a label.")
    labels: list[Value] = column.distinct()[0].tolist()
    if len(labels) == 1:
        raise InputError(f"y holds one label only, {labels[0]!r}; two classes are needed.")
    return column, labels


def read_classes(y: Any, positive: Any = None) -> Classes:
    """Read a column of labels as classes.

    Parameters
    ----------
    y : 1-D array, pandas or polars Series, or list
        One label for each row: texts, numbers or bools.
    positive : label or list of labels, optional
        What counts as positive, of two classes; everything else is then negative.

    Returns
    -------
    Classes
        ``number``, of two classes 0 for the positive one and 1 for the other, of more the place in
        ``labels``, which are sorted. Two are called as in :func:`read_outcome`.

    Examples
    --------
    >>> from bayesdnf.data.outcome import read_classes
    >>> read_classes(["p", "e", "p"])
    Classes(number=array([0, 1, 0]), labels=('e', 'p'))
    >>> read_classes(["b", "c", "a"])
    Classes(number=array([1, 2, 0]), labels=('a', 'b', 'c'))
    """
    column, labels = _labels_of(y)
    if positive is not None or len(labels) == 2:
        outcome = read_outcome(y, positive)
        return Classes((~outcome.positive).astype(np.intp), outcome.classes)
    require_classes(labels)
    number = np.zeros(len(column.values), dtype=np.intp)
    for place, label in enumerate(labels):
        number[column.truth(Literal("y", "=", label))] = place
    return Classes(number, tuple(labels))


def require_classes(labels: Sequence[Any]) -> None:
    """Raise an error if there are more classes than rule lists support."""
    if len(labels) <= MOST_CLASSES:
        return
    numbers = not isinstance(labels[0], str)
    advice = "cut the numbers into a few groups" if numbers else "merge some of them"
    raise InputError(
        f"y holds {len(labels):,} different labels ({list_labels(labels)}), at most "
        f"{MOST_CLASSES} classes are possible; {advice}, or name one with positive= to tell it "
        f"from the others."
    )


def name_of_rest(rest: Sequence[Value], positive: Value) -> Value:
    """Name the negative class of several labels.

    Examples
    --------
    >>> from bayesdnf.data.outcome import name_of_rest
    >>> name_of_rest(["e"], "p"), name_of_rest(["a", "c"], "b")
    ('e', 'other')
    """
    if len(rest) == 1:
        return rest[0]
    return "other" if positive != "other" else f"not {positive}"


def _chosen(labels: list[Value], positive: Any) -> list[Value]:
    if positive is None:
        if len(labels) > 2:
            refuse_quantity(np.array(labels), "y", "y")
            raise InputError(
                f"y holds {len(labels):,} labels ({list_labels(labels)}) and two classes are "
                f"needed; name the positive ones, for example positive={labels[-1]!r}."
            )
        refuse_missing_label(labels, "y")
        return labels[1:]
    is_list = isinstance(positive, Iterable) and not isinstance(positive, (str, bytes))
    named = list(positive) if is_list else [positive]
    if not named:
        raise ParameterError.of("positive", "read_outcome", "at least one label of y", positive)
    absent = [x for x in named if find_label(labels, x) is None]
    if absent:
        raise ParameterError(
            f"The 'positive' parameter of read_outcome must be among the labels of y, "
            f"which are {list_labels(labels)}. Got {list_labels(absent)} instead."
        )
    chosen = [label for label in labels if find_label(named, label) is not None]
    if len(chosen) == len(labels):
        raise ParameterError(
            f"The 'positive' parameter of read_outcome must leave a label of y as negative. "
            f"Got all of them, {list_labels(labels)}, instead."
        )
    return chosen


def refuse_quantity(values: NDArray[Any], title: str, name: str) -> None:
    """Raise InputError for labels that are a quantity, and say how to make two classes of it.

    Parameters
    ----------
    values : ndarray
        Labels of all rows, or the different ones.
    title : str
        Name of the labels in errors: "y", "Column 'price' of a.csv".
    name : str
        What they are called in a comparison.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.data.outcome import refuse_quantity
    >>> refuse_quantity(np.arange(3), "y", "y")
    >>> refuse_quantity(np.arange(100), "y", "y")
    Traceback (most recent call last):
        ...
    bayesdnf.errors.InputError: y holds 100 different numbers, from 0 to 99, a
    quantity and not classes; make it two classes, such as y >= 49, which half of the rows reach.
    """
    if values.dtype.kind not in "iuf":
        return
    different, totals = np.unique(values[~is_missing(values)], return_counts=True)
    if len(different) <= MOST_CLASSES:
        return
    [cut] = cuts(different, totals, 1)
    raise InputError(
        f"{title} holds {len(different):,} different numbers, from "
        f"{different[0]:g} to {different[-1]:g}, a quantity and not classes; make it two classes, "
        f"such as {name} >= {cut:g}, which half of the rows reach."
    )


def refuse_missing_label(labels: Sequence[Any], title: str) -> None:
    """Raise InputError for two classes one of which mostly means that the label is missing.

    Parameters
    ----------
    labels : sequence
        The different labels.
    title : str
        Name of the labels in errors.

    Examples
    --------
    >>> from bayesdnf.data.outcome import refuse_missing_label
    >>> refuse_missing_label(["no", "yes"], "y")
    >>> refuse_missing_label(["1", "NA"], "y")
    Traceback (most recent call last):
        ...
    bayesdnf.errors.InputError: y holds '1' and 'NA', which mostly means that a label is missing;
    leave out those rows, or if it is a class, name the positive label, for example positive='1'.
    """
    gone = [label for label in labels if means_missing(label)]
    if len(labels) != 2 or len(gone) != 1:
        return
    [other] = [label for label in labels if not means_missing(label)]
    raise InputError(
        f"{title} holds {other!r} and {gone[0]!r}, which mostly means that a label is missing; "
        f"leave out those rows, or if it is a class, name the positive label, for example "
        f"positive={other!r}."
    )


def refuse_dates(values: NDArray[Any], title: str) -> None:
    """Raise InputError for labels that are dates, and say how to make two classes of them.

    A few texts that are dates, such as those of two surveys, may be classes.

    Parameters
    ----------
    values : ndarray
        Labels of all rows.
    title : str
        Name of the labels in errors.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.data.outcome import refuse_dates
    >>> refuse_dates(np.array(["2020-01-01", "2021-01-01"]), "y")
    >>> refuse_dates(np.arange("2020-01-01", "2020-03-01", dtype="M8[D]"), "y")
    Traceback (most recent call last):
        ...
    bayesdnf.errors.InputError: y holds 60 different dates, from 2020-01-01 to 2020-02-29, which are
    not classes; make it two classes, such as whether it is 2020-01-31 or later, which half of the
    rows are.
    """
    known = values[~is_missing(values)]
    if len(known) == 0:
        return
    if known.dtype.kind == "M" or all(isinstance(value, datetime.date) for value in known):
        known = _moments(known)
    elif not _are_many_dates(known):
        return
    ordered = np.sort(known)
    raise InputError(
        f"{title} holds {count(len(np.unique(ordered)), 'different date')}, from {ordered[0]} to "
        f"{ordered[-1]}, which are not classes; make it two classes, such as whether it is "
        f"{ordered[len(ordered) // 2]} or later, which half of the rows are."
    )


def _moments(dates: NDArray[Any]) -> NDArray[np.datetime64]:
    """Return dates as days, or with their times where they have any."""
    if dates.dtype.kind != "M":  # numpy knows no time zones
        dates = np.array([str(date)[:26].partition("+")[0] for date in dates])
    moments = dates.astype("M8[us]")
    days = moments.astype("M8[D]")
    return days if (days == moments).all() else moments


def _are_many_dates(values: NDArray[Any]) -> bool:
    texts = values.dtype.kind in "OU" and all(isinstance(value, str) for value in values)
    return texts and len(np.unique(values)) > MOST_CLASSES and are_dates(values)


def find_label(labels: Sequence[Any], wanted: Any) -> int | None:
    """Return the index of a label among others; None if it is not there.

    Types matter: the text '1' is not the number 1. Only texts and numbers are labels.

    Examples
    --------
    >>> from bayesdnf.data.outcome import find_label
    >>> find_label([0, 1], 1.0), find_label([0, 1], "1"), find_label(["0", "1"], "1")
    (1, None, 1)
    """
    # Checked first, because comparisons of pandas.NA and arrays do not give a bool.
    if not isinstance(wanted, (str, Number, np.bool_)):
        return None
    for place, label in enumerate(labels):
        if (
            isinstance(label, (str, Number, np.bool_))
            and isinstance(label, str) == isinstance(wanted, str)
            and bool(label == wanted)
        ):
            return place
    return None


def list_labels(labels: Sequence[Any]) -> str:
    """List the first labels, for errors."""
    return listed(labels, 8, lambda x: repr(x.item() if isinstance(x, np.generic) else x))


@dataclass(frozen=True, eq=False)
class CheckedWeights:
    """Weights already checked by :func:`read_weights`, which returns them unchanged.

    They avoid checking every row again.
    """

    values: NDArray[np.int64]


_MOST_WEIGHT = 1e10  # above, rounding of log likelihoods exceeds differences between functions


def read_weights(weights: Any, n_rows: int) -> NDArray[np.int64] | None:
    """Read whole-number weights (2.0 is fine); None stays None.

    Examples
    --------
    >>> from bayesdnf.data.outcome import CheckedWeights, read_weights
    >>> once = read_weights([1.0, 0.0, 2.0], 3)
    >>> read_weights(CheckedWeights(once), 3) is once
    True
    """
    if weights is None:
        return None
    if isinstance(weights, CheckedWeights) and len(weights.values) == n_rows:
        return weights.values
    given = weights.values if isinstance(weights, CheckedWeights) else weights
    try:
        values = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(
            f"sample_weight must hold whole numbers, 0 or more: how often each row counts. "
            f"Got {shown(given)} instead."
        ) from error
    if values.shape != (n_rows,):
        raise InputError(
            f"sample_weight must have one entry for each of the {n_rows:,} rows. "
            f"Got an array of shape {values.shape} instead."
        )
    wrong = np.flatnonzero(~(np.isfinite(values) & (values >= 0) & (values == np.floor(values))))
    if len(wrong):
        raise InputError(
            f"sample_weight must hold whole numbers, 0 or more: how often each row counts. "
            f"Got {values[wrong[0]]:g} in {row_name(index_of(given), int(wrong[0]))} instead."
        )
    if not values.any():
        raise InputError("sample_weight is zero for every row; at least one row must count.")
    if (total := float(values.sum())) > _MOST_WEIGHT:
        raise InputError(
            f"sample_weight adds up to {total:.3g}; at most {_MOST_WEIGHT:.0e} can be counted. "
            f"Divide the weights by what they have in common."
        )
    return values.astype(np.int64)


MOST_STRATA = 20
"""Strata at most: each costs evidence, so that many would hide every rule."""


@dataclass(frozen=True)
class Strata:
    """The stratum of each row and the labels of the strata."""

    number: NDArray[np.intp]
    labels: tuple[Value, ...]

    def numbers_of(self, values: Any) -> NDArray[np.intp]:
        """Return the strata of other rows, by their labels.

        Examples
        --------
        >>> from bayesdnf.data.outcome import read_strata
        >>> read_strata(["f", "m", "m"]).numbers_of(["m", "f"])
        array([1, 0])
        """
        column = read_column(values, "strata")
        _require_known(column)
        numbers = np.full(len(column.values), -1, dtype=np.intp)
        for label in column.distinct()[0].tolist():
            place = find_label(self.labels, label)
            if place is None:
                raise InputError(
                    f"strata holds {label!r}, which no row had when the model was fitted; "
                    f"the strata are {list_labels(self.labels)}."
                )
            numbers[column.truth(Literal("strata", "=", label))] = place
        return numbers


def read_strata(values: Any, outcome: NDArray[np.integer | np.bool_] | None = None) -> Strata:
    """Read a column of labels as strata.

    Parameters
    ----------
    values : 1-D array, pandas or polars Series, or list
        One label for each row: texts, numbers or bools, a handful of different ones.
    outcome : ndarray, optional
        Number of each row's class, or whether it is positive, which strata must not settle on
        their own.

    Examples
    --------
    >>> from bayesdnf.data.outcome import read_strata
    >>> read_strata(["f", "m", "m"])
    Strata(number=array([0, 1, 1]), labels=('f', 'm'))
    """
    column = read_column(values, "strata")
    n_rows = len(column.values)
    if outcome is not None and n_rows != len(outcome):
        raise InputError(entries_for_rows("strata", n_rows, len(outcome)))
    _require_known(column)
    labels: tuple[Value, ...] = tuple(column.distinct()[0].tolist())
    if len(labels) > MOST_STRATA:
        few = "" if isinstance(labels[0], str) else "; cut a numeric column into groups first"
        raise InputError(
            f"strata holds {len(labels):,} different values, at most {MOST_STRATA} are possible: "
            f"every stratum has rates of its own and costs evidence{few}."
        )
    numbers = np.zeros(n_rows, dtype=np.intp)
    for place, label in enumerate(labels):
        numbers[column.truth(Literal("strata", "=", label))] = place
    sizes = np.bincount(numbers, minlength=len(labels))
    if len(labels) > 1 and sizes.max(initial=0) == 1:
        raise InputError(
            "strata puts every row into a stratum of its own; rows that share one are needed."
        )
    if outcome is not None and len(labels) > 1:
        pairs = np.unique(np.column_stack([numbers, outcome.astype(np.intp)]), axis=0)
        # As many pairs (stratum, class) as strata means that each stratum has one class.
        if len(pairs) == len(labels):
            raise InputError(
                "strata settles the outcome: all rows of a stratum are of one class, so there is "
                "nothing left for a rule to say. Give groups that do not depend on y."
            )
    return Strata(numbers, labels)


def _require_known(column: Column) -> None:
    if column.missing.any():
        row = column.row(int(np.argmax(column.missing)))
        raise InputError(f"strata is missing in {row}; every row needs a stratum.")
