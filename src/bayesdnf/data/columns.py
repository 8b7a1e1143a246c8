"""One column of any table library, as plain arrays: numbers, or codes of texts."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from decimal import Decimal
from functools import cached_property
from numbers import Real
from typing import Any, NamedTuple, NoReturn

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from ..boolean.literal import FALSE, ONE_TEXTS, TRUE, ZERO_TEXTS, Literal, Value, comparison
from ..checks import is_number
from ..display.wording import listed
from ..errors import InputError, ParameterError
from .table_files.row_names import index_of, row_name

TEXT, NUMBERS, BOOLS, NOTHING = "text", "numbers", "bools", "nothing"

_NUMBER = (Real, Decimal, np.bool_)
_BOOL = (bool, np.bool_)
_SHOWN = 8  # categories of an order in errors
_NESTED = "make a column of each of its values"
# What to give instead, by the names of types, whose libraries need not be loaded.
_INSTEAD = {
    "Interval": "give their texts, as .astype(str) makes them in pandas, or the ordered "
    "Categorical that pandas.cut makes",
    "Period": "give numbers that can matter, such as the year (.dt.year in pandas), or texts, as "
    ".astype(str) makes them",
    "time": "give numbers that can matter, such as the hour (.dt.hour() in polars)",
    "list": _NESTED, "tuple": _NESTED, "dict": _NESTED, "ndarray": _NESTED,
}  # fmt: skip


class Origin(NamedTuple):
    """Names of a column and its rows in errors."""

    title: str
    """Such as ``Column 'age'``."""
    index: Any = None
    """That of pandas, which names the rows; None: they are numbered from 0."""

    def row(self, row: int) -> str:
        """Return the name of a row in errors, such as "row 3" or "line 5"."""
        return row_name(self.index, row)


@dataclass(frozen=True, eq=False)
class Column:
    """The values of one column, read once and free of the library they came from.

    Parameters
    ----------
    origin : Origin
        What errors call it and its rows.
    type : str
        ``text``, ``numbers``, ``bools``, or ``nothing`` when every value is missing.
    values : ndarray
        Numbers or bools; for text the code of each value (-1: missing).
    missing : ndarray of bool
        Where there is no value.
    texts : dict
        The different texts and their codes 0, 1, ….
    is_category : bool
        Whether the column's own dtype says that its values are categories.
    is_rounded : bool
        Whether different numbers became one, because they differ beyond double precision.
    order : tuple of str
        The categories of a text column, lowest first, if they have an order; without texts that
        count as missing.
    """

    origin: Origin
    type: str
    values: NDArray[Any]
    missing: NDArray[np.bool_]
    texts: dict[str, int] = field(default_factory=dict)
    is_category: bool = False
    is_rounded: bool = False
    order: tuple[str, ...] = ()

    def ordered(self, order: tuple[str, ...], missing: Collection[Value] = ()) -> Column:
        """Return the column with an order of its categories, which must name all of its texts.

        Texts that count as missing have no place in it, so that they satisfy nothing wherever the
        order is used.
        """
        if self.type in (NUMBERS, BOOLS):
            value, row = self.example()
            raise InputError(
                f"{self.title} cannot have the order {_chain(order)}, which is for texts: it holds "
                f"{value!r} in {self.row(row)}."
            )
        column = replace(self, order=tuple(text for text in order if text not in missing))
        unknown = next((text for text in self.texts if text not in column.places), None)
        if unknown is not None:
            row = int(np.argmax(self.values == self.texts[unknown]))
            raise InputError(
                f"{self.title} holds {unknown!r} in {self.row(row)}, which is not in its order "
                f"{_chain(order)}."
            )
        return column

    @cached_property
    def places(self) -> dict[str, int]:
        """Place of each category in the order."""
        return {text: place for place, text in enumerate(self.order)}

    @cached_property
    def ranks(self) -> NDArray[np.int32]:
        """Place of each row's category in the order; one behind the last where it is missing.

        Without an order all are 0.
        """
        if self.type != TEXT or not self.order:
            return np.zeros(len(self.values), dtype=np.int32)
        # The code -1 of missing values takes the last place.
        of_text = [*map(self.places.__getitem__, self.texts), len(self.order)]
        return np.asarray(np.array(of_text, dtype=np.int32)[self.values])

    @property
    def title(self) -> str:
        """What an error calls it: ``Column 'age'``."""
        return self.origin.title

    def row(self, row: int) -> str:
        """Return the name of a row in errors, such as "row 3" or "line 5"."""
        return self.origin.row(row)

    def truth(self, literal: Literal) -> NDArray[np.bool_]:
        """Truth of a literal on every row; False if the value is missing."""
        operator, value = comparison(literal)
        if literal.operator in (TRUE, FALSE):
            holds = self._is_one()
        else:
            holds = self._at_least(literal) if operator in (">=", "<") else self._equal(value)
        return (~holds if operator in ("<", "!=") else holds) & ~self.missing

    def _is_one(self) -> NDArray[np.bool_]:
        if self.type != TEXT:
            return np.asarray(self.values == 1)
        ones = [self.texts[text] for text in ONE_TEXTS if text in self.texts]
        return np.isin(self.values, ones)

    def other_than_flags(self) -> str | None:
        """Return the first text that stands for neither 0 nor 1; None when all do."""
        return next((t for t in self.texts if t not in ZERO_TEXTS + ONE_TEXTS), None)

    def _equal(self, value: Value) -> NDArray[np.bool_]:
        if (self.type == TEXT) != isinstance(value, str):
            return np.zeros(len(self.values), dtype=np.bool_)
        if isinstance(value, str):
            # Codes are 0 or more, and -1 where a value is missing: -2 equals none of them.
            return np.asarray(self.values == self.texts.get(value, -2))
        return np.asarray(self.values == self._comparable(value))

    def _at_least(self, literal: Literal) -> NDArray[np.bool_]:
        bound = comparison(literal)[1]
        if isinstance(bound, str):
            return self._at_least_category(literal, bound)
        if self.type == TEXT:
            value, row = self.example()
            raise InputError(
                f"{self.title} holds text, such as {value!r} in {self.row(row)}; "
                f"the literal '{literal}' needs numbers."
            )
        return np.asarray(self.values >= self._comparable(bound))

    def _at_least_category(self, literal: Literal, bound: str) -> NDArray[np.bool_]:
        if self.type == NOTHING:
            return np.zeros(len(self.values), dtype=np.bool_)
        if bound not in self.places:
            raise InputError(
                f"The literal '{literal}' needs an order of categories that names {bound!r}; "
                f"{self.title} has {_chain(self.order) if self.order else 'none'}."
            )
        return np.asarray(self.ranks >= self.places[bound])

    def _comparable(self, value: Value) -> Any:
        # Against whole numbers a float would round those past 2^53.
        whole = isinstance(value, float) and value.is_integer() and self.values.dtype.kind in "iu"
        return int(value) if whole else value  # type: ignore[arg-type]

    def distinct(
        self, weights: NDArray[np.int64] | None = None
    ) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """Different values in rising order, and the total weight of each.

        Missing values and rows of weight 0 are left out.
        """
        if weights is None:
            values, totals = np.unique(self.values[~self.missing], return_counts=True)
        else:
            rows = ~self.missing & (weights > 0)
            values, group = np.unique(self.values[rows], return_inverse=True)
            totals = np.zeros(len(values), dtype=np.int64)
            np.add.at(totals, group, weights[rows])
        if self.type == TEXT:
            texts = list(self.texts)
            values = np.array([texts[code] for code in values], dtype=object)
            order = np.argsort(values)
            values, totals = values[order], totals[order]
        return values, totals

    def example(self) -> tuple[Value, int]:
        """Return a value that is not missing, a text that is no number if there is one; its row."""
        if self.type != TEXT:
            row = int(np.argmin(self.missing))
            return self.values[row].item(), row
        text = next((text for text in self.texts if not is_number(text)), next(iter(self.texts)))
        return text, int(np.argmax(self.values == self.texts[text]))


def read_column(
    values: Any, title: str, missing: frozenset[Value] = frozenset(), index: Any = None
) -> Column:
    """Read a column: a Series of pandas or polars, a one-dimensional array, or a list.

    Parameters
    ----------
    values : Series, ndarray or list
        The column.
    title : str
        What errors call it.
    missing : frozenset
        Values that count as missing beside NaN, None, nulls and empty texts.
    index : Index of pandas, optional
        Names of the rows in errors; by default those of ``values``, if it has some.
    """
    origin = Origin(title, index_of(values) if index is None else index)
    # What numpy holds, a Series of pandas among it, needs no other library to be read.
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
    """Return objects, None where masked; plain numpy would show what the mask hides."""
    array = np.array(values.data, dtype=object)
    array[np.ma.getmaskarray(values)] = None
    return array


def _read_series(series: nw.Series[Any], origin: Origin, missing: frozenset[Value]) -> Column:
    dtype = series.dtype
    if dtype in (nw.Decimal, nw.Int128, nw.UInt128):  # numpy has no such numbers
        column = _read_array(series.cast(nw.Float64).to_numpy(), origin, missing)
        there = series.filter((~column.missing).tolist())
        return replace(column, is_rounded=_is_one(column) and there.n_unique() > 1)
    if dtype.is_integer() or dtype == nw.Boolean:
        gone = series.is_null().to_numpy()
        if gone.any():  # numpy would make them floats or objects
            filled = series.fill_null(0 if dtype.is_integer() else False)
            return _of_numbers(filled.to_numpy(), gone, origin, missing)
    # An Enum of polars has an order too, but everyone who wants its speed has to give one.
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
    >>> from bayesdnf.data.columns import values_of
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
        return _of_numbers(values, is_missing(values), origin, missing, is_category)
    if kind in "OUT":
        return _of_objects(values.astype(object).tolist(), origin, missing, is_category)
    gone = is_missing(values)
    if not gone.all():
        row = int(np.argmin(gone))
        _refuse(values[row], row, origin)
    return Column(origin, NOTHING, np.zeros(len(values), dtype=np.bool_), gone)


def _of_numbers(
    values: NDArray[Any],
    gone: NDArray[np.bool_],
    origin: Origin,
    missing: frozenset[Value],
    is_category: bool = False,
) -> Column:
    if values.dtype.kind == "f":
        values = values.astype(np.float64, copy=False)
    for value in missing:
        if not isinstance(value, str):
            gone = gone | (values == value)
    if gone.all():
        return Column(origin, NOTHING, np.zeros(len(values), dtype=np.bool_), gone)
    if values.dtype.kind == "f" and (infinite := np.isinf(values) & ~gone).any():
        row = int(np.argmax(infinite))
        raise InputError(
            f"{origin.title} holds {values[row]} in {origin.row(row)}; numbers must be finite."
        )
    type_ = BOOLS if values.dtype == np.bool_ else NUMBERS
    return Column(origin, type_, values, gone, is_category=is_category)


def _of_objects(
    rows: list[Any], origin: Origin, missing: frozenset[Value], is_category: bool
) -> Column:
    """Read texts, and numbers that a library keeps as objects.

    Each row is looked up once, without running Python code for it; what a value is, is asked of
    the different values only.
    """
    try:
        place = {value: i for i, value in enumerate(dict.fromkeys(rows))}
    except TypeError:
        row, value = next((i, v) for i, v in enumerate(rows) if not _hashable(v))
        _refuse(value, row, origin)
    codes = np.fromiter(map(place.__getitem__, rows), dtype=np.int32, count=len(rows))
    gone = np.fromiter(
        (is_missing_value(v) or v == "" or v in missing for v in place), np.bool_, len(place)
    )
    known = [v for v, is_gone in zip(place, gone, strict=True) if not is_gone]
    texts = [v for v in known if isinstance(v, str)]
    numbers = [v for v in known if isinstance(v, _NUMBER)]
    if len(texts) + len(numbers) < len(known):
        value = next(v for v in known if not isinstance(v, (str, *_NUMBER)))
        _refuse(value, _first_row(codes, place[value]), origin)
    if texts and numbers:
        raise InputError(
            f"{origin.title} has mixed types: "
            f"the text {str(texts[0])!r} in {origin.row(_first_row(codes, place[texts[0]]))} and "
            f"the number {_shown(numbers[0])} in "
            f"{origin.row(_first_row(codes, place[numbers[0]]))}; "
            f"make it all text or all numbers."
        )
    if texts:
        # Codes of texts count texts only; what is missing is -1.
        renumbered = np.full(len(place), -1, dtype=np.int32)
        renumbered[[place[text] for text in texts]] = np.arange(len(texts))
        code_of = {str(text): i for i, text in enumerate(texts)}
        return Column(origin, TEXT, renumbered[codes], gone[codes], code_of, is_category)
    values = _numbers([0 if is_gone else v for v, is_gone in zip(place, gone, strict=True)])
    if known and all(isinstance(v, _BOOL) for v in known) and not _hides_numbers(rows):
        values = values.astype(np.bool_)
    for i in np.flatnonzero(np.isinf(values) & ~gone):
        value = [*place][i]
        if value not in (math.inf, -math.inf):
            raise InputError(
                f"{origin.title} holds a number beyond 1.8e308 in "
                f"{origin.row(_first_row(codes, place[value]))}; numbers must fit in double "
                f"precision."
            )
    column = _of_numbers(values[codes], gone[codes], origin, frozenset(), is_category)
    return replace(column, is_rounded=len(known) > 1 and _is_one(column))


def _is_one(column: Column) -> bool:
    """Whether a column of numbers holds only one."""
    if column.type != NUMBERS:
        return False
    known = column.values[~column.missing]
    return bool((known == known[0]).all())


def _chain(order: tuple[str, ...]) -> str:
    return listed(order, _SHOWN, repr, " < ")


def _hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _first_row(codes: NDArray[np.int32], code: int) -> int:
    return int(np.argmax(codes == code))


def _numbers(values: list[Any]) -> NDArray[Any]:
    """Whole numbers as int64 where they all are, else floats."""
    if all(isinstance(v, (int, np.integer, np.bool_)) for v in values) and all(
        -(2**63) <= int(v) < 2**63
        for v in values  # a bool of numpy compares with no such number
    ):
        return np.array(values, dtype=np.int64)
    return np.array([_as_float(v) for v in values], dtype=np.float64)


def _as_float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:  # past the range of floats: refused like other infinite numbers
        return float("inf") if value > 0 else float("-inf")


def _hides_numbers(rows: list[Any]) -> bool:
    """Whether 0 or 1 stands among the bools, which equal them."""
    return any(isinstance(v, _NUMBER) and not isinstance(v, _BOOL) and v in (0, 1) for v in rows)


def _shown(value: Any) -> str:
    if isinstance(value, (np.datetime64, np.timedelta64)):  # whose item() may be a bare number
        return str(value)
    return repr(value.item() if isinstance(value, np.generic) else value)


def _refuse(value: object, row: int, origin: Origin) -> NoReturn:
    title, name = origin.title, origin.row(row)
    if isinstance(value, (np.datetime64, np.timedelta64, date, timedelta)):
        is_span = isinstance(value, (np.timedelta64, timedelta))
        advice = (
            "a number of days, as .dt.days gives in pandas"
            if is_span
            else "numbers that can matter, such as the year or the month (.dt.year, .dt.month in "
            "pandas) or the days since a first one"
        )
        raise InputError(
            f"{title} holds a {'duration' if is_span else 'date'}, {_shown(value)}, in {name}; "
            f"give {advice}, or leave the column out."
        )
    kind = type(value).__name__
    advice = f": {_INSTEAD[kind]}" if kind in _INSTEAD else ""
    raise InputError(
        f"{title} holds {_shown(value)} ({kind}) in {name}; "
        f"values must be text, numbers, bools or categories{advice}."
    )


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
