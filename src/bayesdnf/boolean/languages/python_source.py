"""Boolean functions as Python source that needs no imports."""

from __future__ import annotations

import builtins
import keyword
from typing import Any

from ...errors import ParameterError
from ..algebra import Term, Terms
from ..literal import FALSE, ONE_TEXTS, TRUE, comparison
from .cells import Cells

_PYTHON = """\
def {name}(row):
    {description}

    def holds(attribute, operator, value):
        found = row.get(attribute)
        if found is None or type(found).__name__ == "NAType" or found != found:
            return False  # a missing value satisfies nothing
        if found in {missing}:
            return False  # nor does one that was named as missing
        if operator == "is one":
            return (found in (1, {ones})) == value
        if operator == "=":
            return bool(found == value)
        if operator == "!=":
            return bool(found != value)
        if operator == "in":
            return found in value
        if not hasattr(found, "__float__"):
            return False  # only numbers are ordered
        return bool(found >= value if operator == ">=" else found < value)

    {body}
"""


def python_function(name: str, description: str, body: str, cells: Cells) -> str:
    """Write a standalone function of a mapping ``row``; nothing in it is executable data."""
    if not isinstance(name, str) or not name.isidentifier():
        raise ParameterError.of("name", "to_python", "a Python identifier", name)
    if keyword.iskeyword(name) or hasattr(builtins, name):
        raise ParameterError.of("name", "to_python", "neither a keyword nor a builtin", name)
    # repr() escapes whatever could end the docstring or the line.
    ones = ", ".join(f'"{one}"' for one in ONE_TEXTS)
    return _PYTHON.format(
        name=name,
        description=repr(description),
        missing=repr(("", *cells.missing)),
        ones=ones,
        body=body,
    )


def python_condition(terms: Terms, cells: Cells) -> str:
    """Write an expression for the body of :func:`python_function`."""
    parts = [_python_term(term, cells) for term in terms]
    if len(parts) > 1:
        return "(\n        " + "\n        or ".join(parts) + "\n    )"
    return parts[0] if parts else "False"


def _python_term(term: Term, cells: Cells) -> str:
    calls = []
    for literal in term:
        operator: str
        value: Any
        operator, value = comparison(literal)
        if (categories := cells.categories_of(literal)) is not None:
            operator, value = "in", categories
        if literal.operator in (TRUE, FALSE):
            operator, value = "is one", literal.operator == TRUE
        calls.append(f"holds({literal.attribute!r}, {operator!r}, {value!r})")
    return f"({' and '.join(calls)})" if len(calls) > 1 else calls[0]
