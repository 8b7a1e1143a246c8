"""Read DataFrames, arrays and dicts of columns, column by column."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from narwhals.exceptions import DuplicateError
from numpy.typing import NDArray

from ..boolean.literal import Literal, Value
from ..boolean.missing import named_missing
from ..display.wording import count
from ..errors import InputError, UnknownColumnError, did_you_mean
from .columns.any_library import read_column, unmasked
from .columns.column import Column
from .literal_table import require_distinct


def read_table(source: Any, missing_values: Collection[Value] = ()) -> RawTable:
    """Read a source into a ``Table``, which evaluates literals row by row.

    Parameters
    ----------
    source : pandas or polars DataFrame, 2-D array, or dict of columns
        The rows. Columns of an array are called x0, x1, ….
    missing_values : list of texts and numbers, optional
        Values that count as missing beside NaN, None, nulls and empty texts.

    Returns
    -------
    RawTable
        Only the columns that literals ask for are ever looked at.

    Examples
    --------
    >>> from bayesdnf import BooleanFunction
    >>> from bayesdnf.data.tables import read_table
    >>> table = read_table({"odor": ["f", "n", None], "age": [30, 50, 70]})
    >>> BooleanFunction("odor = f OR age >= 60")(table)
    array([ True, False,  True])
    """
    missing = named_missing(missing_values, "read_table")
    if isinstance(source, dict):
        return _of_dict(source, missing)
    frame = as_frame(source)
    if frame is not None:
        names = tuple(str(name) for name in frame.columns)
        require_distinct(names)
        return RawTable(names, len(frame), True, _columns_of(frame), missing)
    array = _two_dimensional(source)
    names = tuple(f"x{j}" for j in range(array.shape[1]))
    return RawTable(names, len(array), False, lambda j: array[:, j], missing)


@dataclass(frozen=True, eq=False)
class RawTable:
    """Columns by name; the ``Table`` that :func:`read_table` makes.

    Parameters
    ----------
    names : tuple of str
        Names of the columns.
    n_rows : int
        Number of rows.
    is_named : bool
        Whether the source itself names its columns; those of an array are called x0, x1, ….
    values : callable
        From a column's place to its values, in whatever form the source keeps them.
    missing : frozenset
        Values that count as missing beside those that always do.
    """

    names: tuple[str, ...]
    n_rows: int
    is_named: bool
    values: Callable[[int], Any]
    missing: frozenset[Value]
    _columns: dict[str, Column] = field(default_factory=dict, repr=False)
    _place: dict[str, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_place", {name: j for j, name in enumerate(self.names)})

    def __contains__(self, name: str) -> bool:
        return name in self._place

    def column(self, name: str) -> Column:
        """Read one column, which must be there."""
        return read_column(self.values(self._place[name]), f"Column {name!r}", self.missing)

    def renamed(self, names: Sequence[str]) -> RawTable:
        """Return the same columns under other names."""
        return replace(self, names=tuple(names), _columns={})

    def truth(self, literal: Literal) -> NDArray[np.bool_]:
        """Truth of one literal on every row, in row order."""
        name = literal.attribute
        if name not in self:
            raise UnknownColumnError(
                f"The function needs column {name!r}, which the table does not have."
                f"{did_you_mean(name, self.names)}"
            )
        if name not in self._columns:
            self._columns[name] = self.column(name)
        return self._columns[name].truth(literal)


def as_frame(source: Any) -> nw.DataFrame[Any] | None:
    """See a DataFrame of any library through narwhals; None for anything else."""
    try:
        frame = nw.from_native(source, eager_only=True, pass_through=True)
    except DuplicateError:
        require_distinct([str(name) for name in source.columns])
        raise
    if isinstance(source, nw.LazyFrame) or isinstance(
        nw.from_native(source, pass_through=True), nw.LazyFrame
    ):
        raise InputError("X is a LazyFrame, which holds no rows yet; pass X.collect().")
    return frame if isinstance(frame, nw.DataFrame) else None


def _columns_of(frame: nw.DataFrame[Any]) -> Callable[[int], Any]:
    """Return what gives a column by its place, in time that does not depend on their number."""
    if frame.implementation.is_pandas():
        # Not through narwhals, which looks at a column's name, and makes several objects of each;
        # kept for 10^6 columns they take gigabytes.
        numbered = frame.to_native().copy(deep=False)
        numbered.columns = range(len(frame.columns))
        return numbered.__getitem__  # type: ignore[no-any-return]
    # Asking for one column takes time in proportion to all of them.
    columns = cache(lambda: list(frame.iter_columns()))
    return lambda j: columns()[j]


def _of_dict(source: dict[Any, Any], missing: frozenset[Value]) -> RawTable:
    names = tuple(str(name) for name in source)
    require_distinct(names)
    columns = list(source.values())
    lengths = {}
    for name, column in zip(names, columns, strict=True):
        if not hasattr(column, "__len__") or isinstance(column, str):
            raise InputError(
                f"Column {name!r} must be a one-dimensional array, Series or list. "
                f"Got {type(column).__name__} instead."
            )
        lengths[name] = len(column)
        if lengths[name] != lengths[names[0]]:
            raise InputError(
                f"Column {name!r} has {count(lengths[name], 'row')} and column {names[0]!r} has "
                f"{lengths[names[0]]:,}; all columns must be equally long."
            )
    n_rows = next(iter(lengths.values()), 0)
    return RawTable(names, n_rows, True, columns.__getitem__, missing)


def _two_dimensional(source: Any) -> NDArray[Any]:
    array: NDArray[Any]
    if isinstance(source, np.ma.MaskedArray):
        array = unmasked(source)
    elif hasattr(source, "__array__"):
        array = np.asarray(source)
    elif isinstance(source, (list, tuple)):
        # Of a list such as [['a', 1]] numpy would make the texts 'a' and '1'.
        array = np.array(source, dtype=object)
    else:
        raise InputError(
            f"X must be a DataFrame, a two-dimensional array or a dict of columns. "
            f"Got {type(source).__name__} instead."
        )
    if array.ndim != 2:
        raise InputError(
            f"X must be a table with two dimensions. Got an array with {array.ndim} instead."
        )
    return array
