"""Read a column as any library holds it: a Series, an array or a list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from numbers import Real
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from ...boolean.literal import Value
from ...boolean.missing import is_missing
from ...errors import InputError
from ..table_files.row_names import index_of
from .checked_values import holds_one_number, of_numbers, of_objects, refuse
from .column import NOTHING, TEXT, Column, Origin


def read_column(
    values: Any, title: str, missing: frozenset[Value] = frozenset(), index: Any = None
) -> Column:
    """Read a column: a Series of pandas or polars, a one-dimensional array, or a list.

    Parameters
    ----------
    values : Series, ndarray or list
        The column.
    title : str
        Name of the column in errors.
    missing : frozenset
        Values that count as missing beside NaN, None, nulls and empty texts.
    index : Index of pandas, optional
        Names of the rows in errors; by default those of ``values``, if it has some.
    """
    origin = Origin(title, index_of(values) if index is None else index)
    # numpy-backed values, such as a Series of pandas, need no other library.
    if not isinstance(getattr(values, "dtype", None), np.dtype):
        series = nw.from_native(values, series_only=True, pass_through=True)
        if isinstance(series, nw.Series):
            return _read_series(series, origin, missing)
    return _read_array(_one_dimensional(values, title), origin, missing)


def _one_dimensional(values: Any, title: str) -> NDArray[Any]:
    array: NDArray[Any]
    if isinstance(values, np.ma.MaskedArray):
        array = unmasked(values)
    elif hasattr(values, "__array__"):
        array = np.asarray(values)
    elif isinstance(values, Sequence) and not isinstance(values, (str, bytes)):
        # Of a list such as ['a', 1] numpy would make the texts 'a' and '1'.
        array = np.array(values, dtype=object)
    else:
        raise InputError(
            f"{title} must be a one-dimensional array, Series or list. "
            f"Got {type(values).__name__} instead."
        )
    if array.ndim != 1:
        raise InputError(f"{title} must have one dimension. Got {array.ndim} instead.")
    return array


def unmasked(values: np.ma.MaskedArray[Any, Any]) -> NDArray[Any]:
    """Return objects with None for masked values, which plain numpy would not hide."""
    array = np.array(values.data, dtype=object)
    array[np.ma.getmaskarray(values)] = None
    return array


def _read_series(series: nw.Series[Any], origin: Origin, missing: frozenset[Value]) -> Column:
    dtype = series.dtype
    if dtype in (nw.Decimal, nw.Int128, nw.UInt128):  # numpy has no such numbers
        column = _read_array(series.cast(nw.Float64).to_numpy(), origin, missing)
        there = series.filter((~column.missing).tolist())
        return replace(column, is_rounded=holds_one_number(column) and there.n_unique() > 1)
    if dtype.is_integer() or dtype == nw.Boolean:
        gone = series.is_null().to_numpy()
        if gone.any():  # numpy would make them floats or objects
            filled = series.fill_null(0 if dtype.is_integer() else False)
            return of_numbers(filled.to_numpy(), gone, origin, missing)
    # An Enum of polars always has an order, which often has no meaning.
    native: Any = getattr(series.to_native(), "dtype", None)
    ranked = list(native.categories) if getattr(native, "ordered", False) is True else []
    rising = bool(ranked) and all(isinstance(v, Real) for v in ranked) and ranked == sorted(ranked)
    is_category = dtype in (nw.Categorical, nw.Enum) and not rising
    values = values_of(series)
    if ranked and all(type(v).__name__ in ("Interval", "Period") for v in ranked):
        # Those of pandas.cut: their texts, which say the same, can stand in a rule.
        ranked = [*map(str, ranked)]
        values = np.array([*ranked, None], dtype=object)[series.to_native().cat.codes.to_numpy()]
    column = _read_array(values, origin, missing, is_category)
    if column.type != TEXT or not ranked:
        return column
    order = tuple(str(value) for value in ranked if value != "" and value not in missing)
    return replace(column, order=order)


def values_of(series: nw.Series[Any]) -> NDArray[Any]:
    """Return the values of a Series, one for each row.

    Examples
    --------
    >>> import narwhals.stable.v2 as nw
    >>> import polars as pl
    >>> from bayesdnf.data.columns.any_library import values_of
    >>> values_of(nw.from_native(pl.Series([{"a": 1}, None]), series_only=True)).tolist()
    [{'a': 1}, None]
    """
    if series.dtype not in (nw.List, nw.Array, nw.Struct):
        return series.to_numpy()
    # numpy would make a table of arrays and structs, or one column of numbers where they hold one.
    values = np.empty(len(series), dtype=object)
    for row, value in enumerate(series.to_list()):
        values[row] = value
    return values


def _read_array(
    values: NDArray[Any], origin: Origin, missing: frozenset[Value], is_category: bool = False
) -> Column:
    kind = values.dtype.kind
    if kind in "biuf":
        return of_numbers(values, is_missing(values), origin, missing, is_category)
    if kind in "OUT":
        return of_objects(values.astype(object).tolist(), origin, missing, is_category)
    gone = is_missing(values)
    if not gone.all():
        row = int(np.argmin(gone))
        refuse(values[row], row, origin)
    return Column(origin, NOTHING, np.zeros(len(values), dtype=np.bool_), gone)
