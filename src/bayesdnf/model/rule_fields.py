"""Functions, risks and counts as fields of JSON documents, read with everything checked."""

from __future__ import annotations

import json
from collections.abc import Callable

from ..boolean import BooleanFunction, Literal
from ..files.checked_json import JsonFields
from .rates import Counts, Interval

_MOST_ROWS = 2**53  # whole numbers that a float holds exactly


def read_function(
    top: JsonFields, is_allowed: Callable[[Literal], bool], made_of: str
) -> BooleanFunction:
    """Read a function, and the text of it that stands beside it for people.

    Parameters
    ----------
    top : JsonFields
        The document, with the fields ``function`` and ``rule``.
    is_allowed : callable
        Whether the function may have a literal.
    made_of : str
        What its literals must be, for errors: "the encoder's literals".
    """
    function = top.make(
        "function", lambda: BooleanFunction.from_json(json.dumps(top.any("function")))
    )
    for literal in function.literals:
        if not is_allowed(literal):
            top.fail("field 'function'", f"made of {made_of}", str(literal))
    if top.text("rule") != str(function):
        top.fail("field 'rule'", "the text of 'function'", top.any("rule"))
    return function


def read_risk(part: JsonFields) -> Interval:
    """Read a probability and its interval."""
    part.expect(*Interval._fields)
    return Interval(*(part.number(name, 0, 1) for name in Interval._fields))


def read_counts(part: JsonFields) -> Counts:
    """Read the counts of a function, which must be possible together."""
    part.expect(*Counts._fields)
    n = part.whole("n", 0, _MOST_ROWS)
    n_pos = part.whole("n_pos", 0, n)
    n_marked = part.whole("n_marked", 0, n)
    n_both = part.whole("n_both", max(0, n_pos + n_marked - n), min(n_pos, n_marked))
    return Counts(n, n_pos, n_marked, n_both)
