"""What a column becomes: the kind it has and the literals that follow from it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..boolean.literal import TRUE, Literal, Value
from ..errors import InputError
from .columns import BOOLS, NOTHING, NUMBERS, TEXT, Column
from .thresholds import cuts, plain_number

KINDS = ("categorical", "ordinal", "numeric", "binary")

_MOST_LEVELS = 10  # of whole numbers that are offered one by one


class Attribute(NamedTuple):
    """A column that is offered: its kind, what it held, and its literals without negations."""

    name: str
    kind: str
    type: str
    literals: tuple[Literal, ...]


class Unusable(NamedTuple):
    """A column that can tell no rows apart, and why."""

    reason: str


def decide(
    name: str,
    column: Column,
    weights: NDArray[np.int64] | None,
    *,
    kind: str | None,
    thresholds: int,
    drop_first: bool,
) -> Attribute | Unusable:
    """Decide what a column offers, from the rows that count.

    Parameters
    ----------
    name : str
        The column's name.
    column : Column
        Its values.
    weights : ndarray of int64 or None
        How often each row counts.
    kind : str or None
        One of ``KINDS``; None: by the values.
    thresholds : int
        Most cuts of a numeric column.
    drop_first : bool
        Whether the first level of a categorical column gets no literal.
    """
    if column.type == NOTHING:
        return Unusable("every value is missing")
    if kind in ("ordinal", "numeric") and column.type == TEXT:
        value, row = column.example()
        raise InputError(
            f"{column.title} cannot be {kind}, which needs numbers: "
            f"it holds the text {value!r} in row {row}."
        )
    values, totals = column.distinct(weights)
    if len(values) == 0:
        return Unusable("every value is missing on the rows that count")
    if len(values) == 1:
        return Unusable(f"constant: every value that is not missing is {_plain(values[0])!r}")
    if kind is None:
        kind = _natural_kind(column, values)
    if kind == "binary" and len(values) > 2:
        raise InputError(
            f"{column.title} cannot be binary, which needs two different values: "
            f"it holds {len(values):,}, such as {', '.join(repr(_plain(v)) for v in values[:3])}."
        )
    if kind != "categorical" and column.type == BOOLS:
        values = values.astype(np.int64)
    literals: list[Literal]
    if kind == "binary":
        literals = [_binary_literal(name, values)]
    elif kind == "numeric":
        literals = [Literal(name, ">=", cut) for cut in cuts(values, totals, thresholds)]
    else:
        levels = [_plain(v) for v in values]
        literals = [Literal(name, "=", level) for level in levels]
        if kind == "ordinal":
            # >= lowest holds everywhere, and >= highest where = highest does.
            literals += [Literal(name, ">=", level) for level in levels[1:-1]]
        elif drop_first:
            literals = literals[1:]
    return Attribute(name, kind, column.type, tuple(literals))


def _natural_kind(column: Column, values: NDArray[Any]) -> str:
    if column.type != NUMBERS or column.is_category:
        return "categorical"
    if values.tolist() == [0, 1]:
        return "binary"
    # Not by dtype: whole numbers with a gap among them become floats on the way.
    if len(values) <= _MOST_LEVELS and bool((values == np.floor(values)).all()):
        return "ordinal"
    return "numeric"


def _binary_literal(name: str, values: NDArray[Any]) -> Literal:
    if values.tolist() == [0, 1]:
        return Literal(name, TRUE)
    return Literal(name, "=", _plain(values[1]))


def _plain(value: Any) -> Value:
    plain = value.item() if isinstance(value, np.generic) else value
    return plain_number(plain) if isinstance(plain, float) else plain
