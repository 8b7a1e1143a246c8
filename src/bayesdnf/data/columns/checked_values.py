"""Numbers and texts of a column, checked once per distinct value."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from numbers import Real
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from ...boolean.literal import Value
from ...boolean.missing import is_missing_value
from ...errors import InputError
from .column import BOOLS, NOTHING, NUMBERS, TEXT, Column, Origin

_NUMBER = (Real, Decimal, np.bool_)
_BOOL = (bool, np.bool_)
_NESTED = "make a column of each of its values"
# What to give instead, by the names of types, whose libraries need not be loaded.
_INSTEAD = {
    "Interval": "give their texts, as .astype(str) makes them in pandas, or the ordered "
    "Categorical that pandas.cut makes",
    "Period": "give numbers that can matter, such as the year (.dt.year in pandas), or texts, as "
    ".astype(str) makes them",
    "time": "give numbers that can matter, such as the hour (.dt.hour() in polars)",
    "bytes": "decode them, as .str.decode('utf-8') does in pandas",
    "list": _NESTED, "tuple": _NESTED, "dict": _NESTED, "ndarray": _NESTED,
}  # fmt: skip


def of_numbers(
    values: NDArray[Any],
    gone: NDArray[np.bool_],
    origin: Origin,
    missing: frozenset[Value],
    is_category: bool = False,
) -> Column:
    """Read numbers or bools, of which some are known to be missing."""
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


def of_objects(
    rows: list[Any], origin: Origin, missing: frozenset[Value], is_category: bool
) -> Column:
    """Read texts, and numbers stored as objects.

    Rows are looked up without Python code per row; types are checked for distinct values only.
    """
    try:
        place = {value: i for i, value in enumerate(dict.fromkeys(rows))}
    except TypeError:
        row, value = next((i, v) for i, v in enumerate(rows) if not _hashable(v))
        refuse(value, row, origin)
    codes = np.fromiter(map(place.__getitem__, rows), dtype=np.int32, count=len(rows))
    gone = np.fromiter(
        (is_missing_value(v) or v == "" or v in missing for v in place), np.bool_, len(place)
    )
    known = [v for v, is_gone in zip(place, gone, strict=True) if not is_gone]
    texts = [v for v in known if isinstance(v, str)]
    numbers = [v for v in known if isinstance(v, _NUMBER)]
    if len(texts) + len(numbers) < len(known):
        value = next(v for v in known if not isinstance(v, (str, *_NUMBER)))
        refuse(value, _first_row(codes, place[value]), origin)
    if texts and numbers:
        raise InputError(
            f"{origin.title} has mixed types: "
            f"the text {str(texts[0])!r} in {origin.row(_first_row(codes, place[texts[0]]))} and "
            f"the number {_shown(numbers[0])} in "
            f"{origin.row(_first_row(codes, place[numbers[0]]))}; "
            f"make it all text or all numbers."
        )
    if texts:
        # Codes number texts only; missing values are -1.
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
    column = of_numbers(values[codes], gone[codes], origin, frozenset(), is_category)
    return replace(column, is_rounded=len(known) > 1 and holds_one_number(column))


def holds_one_number(column: Column) -> bool:
    """Return whether a column of numbers holds only one."""
    if column.type != NUMBERS:
        return False
    known = column.values[~column.missing]
    return bool((known == known[0]).all())


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
    """Return whether 0 or 1 stands among the bools, which equal them."""
    return any(isinstance(v, _NUMBER) and not isinstance(v, _BOOL) and v in (0, 1) for v in rows)


def refuse(value: object, row: int, origin: Origin) -> NoReturn:
    """Raise InputError on a value that no literal is about, with what to give instead."""
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


def _shown(value: Any) -> str:
    if isinstance(value, (np.datetime64, np.timedelta64)):  # whose item() may be a bare number
        return str(value)
    return repr(value.item() if isinstance(value, np.generic) else value)
