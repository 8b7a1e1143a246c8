"""Boolean functions as conditions of standard SQL."""

from __future__ import annotations

import re

from ...errors import InputError
from ..algebra import Terms
from ..literal import (
    FALSE,
    ONE_TEXTS,
    TRUE,
    Literal,
    Value,
    comparison,
    is_one,
    satisfies,
    value_text,
)
from .cells import Cells

_QUOTE = "'"
_WIDTH = 20  # characters in which a flag is looked at


def sql_condition(terms: Terms, cells: Cells) -> str:
    """Write the condition of a WHERE clause in standard SQL."""
    if not terms:
        return "1 = 0"
    return " OR ".join(
        "(" + " AND ".join(_sql_literal(literal, cells) for literal in term) + ")" for term in terms
    )


def _sql_literal(literal: Literal, cells: Cells) -> str:
    operator, value = comparison(literal)
    name = _sql_quoted(literal.attribute, '"')
    if (categories := cells.categories_of(literal)) is not None:
        if not categories:  # below the lowest: databases refuse an empty list
            return f"NULLIF({name}, '') <> {name}"  # false, and unknown of what is missing
        return f"{name} IN ({', '.join(_sql_quoted(text, _QUOTE) for text in categories)})"
    gone: list[Value]
    if literal.operator in (TRUE, FALSE):
        # As text: databases refuse, or misjudge, a bool or a text compared with the number 1.
        gone = list(dict.fromkeys(text for v in ("", *cells.missing) for text in _texts_of(v)))
        wanted = literal.operator == TRUE
        known = _known(f"CAST({name} AS CHAR({_WIDTH}))", [v for v in gone if is_one(v) == wanted])
        ones = ", ".join(f"'{one}'" for one in ONE_TEXTS)
        return f"{known} {'IN' if wanted else 'NOT IN'} ({ones})"
    if isinstance(value, str):
        gone = ["", *(v for v in cells.missing if isinstance(v, str))]
    else:
        gone = [v for v in cells.missing if not isinstance(v, str)]
    if isinstance(value, bool):
        gone = [bool(v) for v in gone if v in (0, 1)]
    known = _known(name, [v for v in gone if satisfies(v, operator, value)])
    return f"{known} {'<>' if operator == '!=' else operator} {sql_value(value)}"


def _known(name: str, missing: list[Value]) -> str:
    """Write a column that is NULL where it holds a missing value, of those that would satisfy."""
    for value in missing:
        name = f"NULLIF({name}, {sql_value(value)})"
    return name


def _texts_of(value: Value) -> list[str]:
    """Return the texts that databases make of a value when it is cast to 20 characters."""
    if isinstance(value, str):  # some cut it
        return [value, value[:_WIDTH]] if len(value) > _WIDTH else [value]
    assert value is not None
    return [f"{int(value)}", f"{int(value)}.0"] if value == int(value) else [value_text(value)]


def sql_value(value: Value) -> str:
    """Write a text, a bool or a number."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return _sql_quoted(value, "'") if isinstance(value, str) else value_text(value)


def _sql_quoted(text: str, mark: str) -> str:
    # Databases cut the statement at NUL, and lone surrogates have no encoding.
    if re.search("[\x00\ud800-\udfff]", text):
        raise InputError(
            f"SQL text cannot hold NUL characters or lone surrogates, "
            f"so {text!r} cannot be written; rename it first."
        )
    return mark + text.replace(mark, mark + mark) + mark
