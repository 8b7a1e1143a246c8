"""What a column becomes: the kind it has and the literals that follow from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..boolean.literal import ONE_TEXTS, TRUE, ZERO_TEXTS, Literal, Value
from ..errors import InputError
from .columns import BOOLS, NOTHING, NUMBERS, TEXT, Column
from .thresholds import cuts, plain_number

KINDS = ("categorical", "ordinal", "numeric", "binary")

_MOST_LEVELS = 10  # of whole numbers that are offered one by one


class Attribute(NamedTuple):
    """A column that is offered: its kind, what it held, and its literals."""

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
    negations: bool,
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
    negations : bool
        Whether to offer both directions.
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
    levels = [_plain(v) for v in values]
    if kind == "binary":
        literals = _binary(name, levels, negations)
    elif kind == "numeric":
        literals = _numeric(name, cuts(values, totals, thresholds), negations)
    elif kind == "ordinal":
        literals = _ordinal(name, levels, negations)
    else:
        literals = _categorical(name, levels[1:] if drop_first else levels, len(levels), negations)
    return Attribute(name, kind, column.type, tuple(literals))


def _natural_kind(column: Column, values: NDArray[Any]) -> str:
    if _are_flags(values.tolist()):
        return "binary"
    if column.type != NUMBERS or column.is_category:
        return "categorical"
    # Not by dtype: whole numbers with a gap among them become floats on the way.
    if len(values) <= _MOST_LEVELS and bool((values == np.floor(values)).all()):
        return "ordinal"
    return "numeric"


def _are_flags(values: list[Any]) -> bool:
    """Whether two values are 0 and 1, bools, or texts that stand for them."""
    return values == [0, 1] or tuple(values) in zip(ZERO_TEXTS, ONE_TEXTS, strict=True)


# What each kind offers. No two literals of a column hold on the same of its values; where a
# literal and the negation of another would, the one that reads better is offered.


def _binary(name: str, levels: list[Value], negations: bool) -> list[Literal]:
    one = Literal(name, TRUE) if _are_flags(levels) else Literal(name, "=", levels[1])
    return [one, ~one] if negations else [one]


def _numeric(name: str, places: Sequence[Value], negations: bool) -> list[Literal]:
    above = [Literal(name, ">=", cut) for cut in places]
    return _with_negations(above) if negations else above


def _categorical(name: str, named: list[Value], n_levels: int, negations: bool) -> list[Literal]:
    literals = [Literal(name, "=", level) for level in named]
    # Of two levels each is the negation of the other.
    return _with_negations(literals) if negations and (n_levels > 2 or len(named) < 2) else literals


def _ordinal(name: str, levels: list[Value], negations: bool) -> list[Literal]:
    equal = [Literal(name, "=", level) for level in levels]
    # >= lowest holds everywhere, and >= highest where = highest does.
    above = [Literal(name, ">=", level) for level in levels[1:-1]]
    if not negations or len(levels) == 2:
        return equal + above
    # != lowest is >= the next, != highest is < highest, and < the second is = lowest.
    inner = _with_negations(equal[1:-1])
    below = [Literal(name, "<", level) for level in levels[2:]]
    return [equal[0], *inner, equal[-1], *above, *below]


def _with_negations(literals: list[Literal]) -> list[Literal]:
    return [x for literal in literals for x in (literal, ~literal)]


def _plain(value: Any) -> Value:
    plain = value.item() if isinstance(value, np.generic) else value
    return plain_number(plain) if isinstance(plain, float) else plain
