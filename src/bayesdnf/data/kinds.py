"""The kind of a column, and its literals."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..boolean.literal import ONE_TEXTS, TRUE, ZERO_TEXTS, Literal, Value
from ..checks import is_whole
from ..display.odd_texts import is_number_text
from ..display.offer import DATES, DECIMAL_COMMAS, NUMBER_TEXTS, RARE_LEVELS
from ..display.wording import count, text_list
from ..errors import InputError, ParameterError, UnknownColumnError, did_you_mean
from .columns.column import BOOLS, NOTHING, NUMBERS, TEXT, Column
from .thresholds import cut_places, cuts, plain_number

KINDS = ("categorical", "ordinal", "numeric", "binary")

_MOST_LEVELS = 10  # maximum number of integer values with a literal each
_MANY_TEXTS = 20  # columns with up to so many distinct texts have a literal for each, even if rare
_LEAST_ROWS = 20  # minimum mean number of rows per text in columns with more texts
_DAY = r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d{2})"
_TIME = r"\d{1,2}:\d{2}[\d:.,]*(?: ?[AP]M)?(?:Z|[+-][\d:]+)?"
# In Europe; a comma before three digits can be that of thousands.
_DECIMAL_COMMA = re.compile(r"\s*[-+]?\d+,(?:\d{1,2}|\d{4,})(?:e[-+]?\d+)?\s*", re.IGNORECASE)
_NOT_NUMBERS = 3  # different ones that a column of numbers may hold, such as "?" and "NA"
_DATE = re.compile(rf"(?:{_DAY})(?:[ T]{_TIME})?", re.IGNORECASE)
_MUST_DIRECTIONS = (
    "a dict from column to 1, 0 or -1, such as {'age': 1}, an array of one for each column, or None"
)


def check_kinds(given: Any, owner: str) -> None:
    """Raise ParameterError unless this is a dict from columns to kinds or category orders."""
    if not isinstance(given, (Mapping, type(None))):
        raise ParameterError.of("kinds", owner, "a dict from column to kind", given)
    for name, kind in (given or {}).items():
        if isinstance(kind, (list, tuple)):
            _check_order(name, kind, owner)
        elif not isinstance(kind, str) or kind not in KINDS:
            must = f"one of {', '.join(KINDS)} for column {name!r}"
            raise ParameterError.of("kinds", owner, must, kind)


def _check_order(name: Any, order: Sequence[Any], owner: str) -> None:
    must = f"a list of two or more different texts, the categories of column {name!r} in order"
    texts = [text for text in order if isinstance(text, str) and text != ""]
    if len(texts) < len(order) or len(texts) < 2:
        raise ParameterError.of("kinds", owner, must, order)
    if twice := [text for text, times in Counter(texts).items() if times > 1]:
        raise InputError(
            f"The 'kinds' parameter of {owner} must be {must}. {twice[0]!r} appears twice."
        )


def orders_of(kinds: Mapping[str, Any] | None) -> dict[str, tuple[str, ...]]:
    """Return the orders of categories among the kinds.

    Examples
    --------
    >>> from bayesdnf.data.kinds import orders_of
    >>> orders_of({"size": ["small", "large"], "stage": "ordinal"})
    {'size': ('small', 'large')}
    """
    given = (kinds or {}).items()
    return {name: tuple(kind) for name, kind in given if not isinstance(kind, str)}


Kinds: TypeAlias = Mapping[str, str | Sequence[str]]
"""From columns to one of ``KINDS``, or to the categories of a text column in order."""


class Attribute(NamedTuple):
    """A column with literals: its kind, the type of its values, and the literals."""

    name: str
    kind: str
    type: str
    literals: tuple[Literal, ...]
    order: tuple[str, ...] = ()
    """The categories of a column of texts, lowest first, if they have an order."""


class Unusable(NamedTuple):
    """A column without literals, and the reason."""

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
    direction: int = 0,
) -> Attribute | Unusable:
    """Choose the literals of a column, from the rows of positive weight.

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
        Maximum number of cuts of a numeric column, or of one with many ordered categories.
    drop_first : bool
        Whether the first level of a categorical column gets no literal.
    direction : int, default=0
        1 offers only literals that hold from some value upwards, -1 only those that hold below it.
    """
    if column.type == NOTHING:
        return Unusable("every value is missing")
    if column.type == TEXT and (kind == "numeric" or (kind == "ordinal" and not column.order)):
        value, row = column.example()
        listed = f"; to order texts, list them: kinds={{{name!r}: ['low', 'high']}}"
        raise InputError(
            f"{column.title} cannot be {kind}, which needs numbers: it holds the text {value!r} in "
            f"{column.row(row)}{listed if kind == 'ordinal' else ''}."
        )
    values, totals = column.distinct(weights)
    if len(values) == 0:
        return Unusable("every value is missing on the rows that count")
    if len(values) == 1 and column.is_rounded:
        same = "its numbers differ only behind their first 15 digits"
        return Unusable(f"{same}, which is all that double precision keeps")
    if len(values) == 1:
        return Unusable(f"constant: every value that is not missing is {_plain(values[0])!r}")
    is_long = kind is None and bool(column.order) and len(values) > _MANY_TEXTS
    if kind is None:
        if (reason := _too_many_texts(column, values, int(totals.sum()))) is not None:
            return Unusable(reason)
        kind = _natural_kind(column, values)
    if kind == "binary" and len(values) > 2:
        raise InputError(
            f"{column.title} cannot be binary, which needs two different values: "
            f"it holds {len(values):,}, such as {', '.join(repr(_plain(v)) for v in values[:3])}."
        )
    if kind != "categorical" and column.type == BOOLS:
        values = values.astype(np.int64)
    if kind == "numeric" and not direction:  # of many values only the cuts are ever spelt out
        literals = _numeric(name, cuts(values, totals, thresholds), negations)
        return Attribute(name, kind, column.type, tuple(literals))
    if column.order:
        rising = np.argsort([column.places[text] for text in values])
        values, totals = values[rising], totals[rising]
    levels = [_plain(v) for v in values]
    places: Sequence[Value] = levels[1:]
    if is_long:  # cut like numbers: otherwise each level would give four literals
        places = [levels[i] for i in cut_places(totals, thresholds)]
    if direction:
        _require_order(column, kind, levels, direction)
        places = cuts(values, totals, thresholds) if kind == "numeric" else places
        literals = _one_direction(name, levels, places, direction)
    elif is_long:
        literals = _numeric(name, places, negations)
    elif kind == "binary":
        literals = _binary(name, levels, negations)
    elif kind == "ordinal":
        literals = _ordinal(name, levels, negations)
    else:
        literals = _categorical(name, levels[1:] if drop_first else levels, len(levels), negations)
    order = column.order if kind == "ordinal" else ()
    return Attribute(name, kind, column.type, tuple(literals), order)


def _natural_kind(column: Column, values: NDArray[Any]) -> str:
    if _are_flags(values.tolist()):
        return "binary"
    if column.order:
        return "ordinal"
    if column.type != NUMBERS or column.is_category:
        return "categorical"
    # Not by dtype: integers with missing values are read as floats.
    if len(values) <= _MOST_LEVELS and bool((values == np.floor(values)).all()):
        return "ordinal"
    return "numeric"


def _too_many_texts(column: Column, values: NDArray[Any], n_rows: int) -> str | None:
    """Explain why texts should not be offered one by one: dates, numbers, or ids and names."""
    if column.type != TEXT or column.order or len(values) <= _MANY_TEXTS:
        return None
    if are_dates(values):
        return f"{DATES}: {len(values):,} different ones, such as {values[0]!r}"
    if n_rows >= _LEAST_ROWS * len(values):
        return None
    said = f"{len(values):,} different ones on {n_rows:,} rows"
    others = [text for text in values if not is_number_text(text)]
    if len(others) > _NOT_NUMBERS:
        return f"{RARE_LEVELS}: {said}"
    comma = next(filter(_DECIMAL_COMMA.fullmatch, values), None)
    # Beside a decimal point, commas are something else.
    has_commas = comma is not None and not any("." in text for text in values)
    what = DECIMAL_COMMAS if has_commas else NUMBER_TEXTS
    if others:
        return f"{what}: {said}, with {text_list([repr(text) for text in others], 'and')}"
    example = comma or next((text for text in values if "," in text), values[0])
    return f"{what}: {said}, such as {example!r}"


def are_dates(texts: Iterable[str]) -> bool:
    """Return whether texts are dates, with or without a time.

    Examples
    --------
    >>> from bayesdnf.data.kinds import are_dates
    >>> are_dates(["2020-01-31", "2020-02-01 12:30"]), are_dates(["2020-01-31", "soon"])
    (True, False)
    """
    return all(map(_DATE.fullmatch, texts))


def _are_flags(values: list[Any]) -> bool:
    """Return whether two values are 0 and 1, bools, or texts that stand for them."""
    # Python's 0 == False, so that bools are among these.
    return values == [0, 1] or tuple(values) in zip(ZERO_TEXTS, ONE_TEXTS, strict=True)


# Literals of each kind. No two literals of a column are true for the same values; of a literal and
# an equivalent negation, the one that is easier to read is used.


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
    # >= lowest is always true, and >= highest is = highest.
    above = [Literal(name, ">=", level) for level in levels[1:-1]]
    if not negations or len(levels) == 2:
        return equal + above
    # != lowest is >= the next, != highest is < highest, and < the second is = lowest.
    inner = _with_negations(equal[1:-1])
    below = [Literal(name, "<", level) for level in levels[2:]]
    return [equal[0], *inner, equal[-1], *above, *below]


def _require_order(column: Column, kind: str, levels: list[Value], direction: int) -> None:
    unordered = column.type == TEXT and not column.order and not _are_flags(levels)
    if kind == "categorical" or unordered:
        raise InputError(
            f"{column.title} cannot have the direction {direction} (monotonic_cst): it is "
            f"categorical, and its values, such as {levels[0]!r}, have no order."
        )


def _one_direction(
    name: str, levels: list[Value], places: Sequence[Value], direction: int
) -> list[Literal]:
    """Return the literals >= a value, or the literals < a value.

    Not = highest, which would be false for higher values in later tables.
    """
    flag = [Literal(name, TRUE)] if _are_flags(levels) else []
    above = flag or [Literal(name, ">=", place) for place in places]
    return above if direction > 0 else [~literal for literal in above]


def _with_negations(literals: list[Literal]) -> list[Literal]:
    return [x for literal in literals for x in (literal, ~literal)]


def _plain(value: Any) -> Value:
    plain = value.item() if isinstance(value, np.generic) else value
    return plain_number(plain) if isinstance(plain, float) else plain


# Directions, which scikit-learn calls monotonic constraints ---------------------------------------


def check_directions(given: Any, owner: str) -> None:
    """Raise ParameterError unless this is a dict or an array of 1, 0 and -1."""
    if given is None:
        return
    is_array = isinstance(given, np.ndarray) and given.ndim == 1
    is_list = isinstance(given, Sequence) and not isinstance(given, str)
    if not (isinstance(given, Mapping) or is_array or is_list):
        raise ParameterError.of("monotonic_cst", owner, _MUST_DIRECTIONS, given)
    for value in given.values() if isinstance(given, Mapping) else given:
        if not is_whole(value, -1, 1):
            raise ParameterError.of("monotonic_cst", owner, _MUST_DIRECTIONS, value)


def has_directions(given: Any) -> bool:
    """Return whether any column has a direction, of what :func:`check_directions` passed."""
    if given is None:
        return False
    return any(given.values() if isinstance(given, Mapping) else given)


def read_directions(given: Any, columns: Sequence[str]) -> dict[str, int]:
    """Return the columns that have a direction, 1 or -1.

    Parameters
    ----------
    given : dict, array or None
        What :func:`check_directions` passed.
    columns : sequence of str
        The columns of the table.

    Examples
    --------
    >>> from bayesdnf.data.kinds import read_directions
    >>> read_directions([0, 1, -1], ["sex", "age", "dose"])
    {'age': 1, 'dose': -1}
    """
    if given is None:
        return {}
    if isinstance(given, Mapping):
        known = set(columns)
        for name in map(str, given):
            if name not in known:
                raise UnknownColumnError(
                    f"The 'monotonic_cst' parameter of LiteralEncoder names column {name!r}, which "
                    f"X does not have.{did_you_mean(name, columns)}"
                )
        pairs = [(str(name), int(value)) for name, value in given.items()]
    elif len(given) != len(columns):
        raise InputError(
            f"monotonic_cst has {count(len(given), 'entry', 'entries')} for "
            f"{count(len(columns), 'column')} of X; "
            f"a dict such as {{'age': 1}} names columns."
        )
    else:
        pairs = [(name, int(value)) for name, value in zip(columns, given, strict=True)]
    return {name: value for name, value in pairs if value}
