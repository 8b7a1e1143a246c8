"""A literal: one yes/no statement about a row, such as ``odor = f`` or ``age >= 45``."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from enum import IntEnum
from typing import TypeAlias

import numpy as np

from ..checks import is_number
from ..errors import ParameterError

Value: TypeAlias = str | int | float | bool | None

TRUE, FALSE = "true", "false"
# Texts of the number 1 or of True in a 0/1 or bool column that is read as texts.
ZERO_TEXTS = ("0", "0.0", "False", "false", "FALSE")
ONE_TEXTS = ("1", "1.0", "True", "true", "TRUE")
# Words that follow the name of an attribute which counts copies of an allele, 0, 1 or 2.
CODINGS = {"dominant": (">=", 1), "recessive": (">=", 2), "heterozygous": ("=", 1)}
_OPPOSITE = {"=": "!=", "!=": "=", ">=": "<", "<": ">="}
# Operators that name no value, and what they mean.
MEANING: dict[str, tuple[str, int]] = {
    TRUE: ("=", 1),
    FALSE: ("!=", 1),
    **CODINGS,
    **{f"not {coding}": (_OPPOSITE[op], copies) for coding, (op, copies) in CODINGS.items()},
}
_NEGATION = {
    **_OPPOSITE,
    TRUE: FALSE,
    FALSE: TRUE,
    **{coding: f"not {coding}" for coding in CODINGS},
    **{f"not {coding}": coding for coding in CODINGS},
}
OPERATORS = tuple(_NEGATION)

# A bare word: letters, digits and a few signs that no other notation of ours uses.
_WORD = re.compile(r"[\w.?/%:#@$&-]+")
_KEYWORDS = {"and", "or", "not", "true", "false"}


class Relation(IntEnum):
    """Logical relation of two literals of one attribute, for any data."""

    NONE = 0
    IMPLIES = 1
    IMPLIED_BY = 2
    EQUAL = 3
    EXCLUDES = 4


@dataclass(frozen=True, slots=True, eq=False)
class Literal:
    """One statement about one attribute (a small frozen value).

    Parameters
    ----------
    attribute : str
        Name of the column.
    operator : str
        ``=``, ``!=``, ``>=``, ``<``, or ``true`` / ``false`` for a 0/1 column
        (shown as ``x3`` and ``NOT x3``; they mean "is 1" and "is not 1", and so do the bool True
        and the texts 1, 1.0, True, true and TRUE), or ``dominant``, ``recessive``,
        ``heterozygous`` and ``not ...`` of them for a column that counts the copies of an allele
        (at least one, two, exactly one).
    value : str, int, float, bool or None
        What the attribute is compared with; None for the operators in words. A text after ``>=``
        or ``<`` is a category; the order of the categories is known to the table
        (``LiteralEncoder(kinds=...)``), not to the literal.

    Examples
    --------
    >>> from bayesdnf import Literal
    >>> str(Literal("odor", "=", "f"))
    'odor = f'
    >>> str(Literal("cap colour", "!=", "1"))
    '"cap colour" != "1"'
    >>> str(~Literal("age", ">=", 45))
    'age < 45'
    >>> str(Literal("x3", "false"))
    'NOT x3'
    >>> str(Literal("rs123_A", "dominant"))
    'rs123_A dominant'
    """

    attribute: str
    operator: str
    value: Value = None

    def __post_init__(self) -> None:
        if not isinstance(self.attribute, str):
            raise ParameterError.of("attribute", "Literal", "a string", self.attribute)
        object.__setattr__(self, "attribute", _plain(self.attribute))
        object.__setattr__(self, "value", _plain(self.value))
        if self.operator not in _NEGATION:
            raise ParameterError.of(
                "operator", "Literal", f"one of {', '.join(OPERATORS)}", self.operator
            )
        if self.operator in MEANING:
            if self.value is not None:
                raise ParameterError.of(
                    "value", "Literal", f"None for operator {self.operator!r}", self.value
                )
            return
        if not isinstance(self.value, (str, int, float)):
            raise ParameterError.of("value", "Literal", "a string, number or bool", self.value)
        if not isinstance(self.value, str) and not _is_finite(self.value):
            raise ParameterError.of("value", "Literal", "a finite number", self.value)
        if self.operator in (">=", "<") and isinstance(self.value, bool):
            must = f"a number or a category for {self.operator}"
            raise ParameterError.of("value", "Literal", must, self.value)

    # True == 1 in Python, yet `x = true` and `x = 1` are different statements.
    def _identity(self) -> tuple[str, str, bool, Value]:
        return self.attribute, self.operator, isinstance(self.value, bool), self.value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Literal):
            return NotImplemented
        return self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def sort_key(self) -> tuple[object, ...]:
        """Order by attribute (x2 before x10), then operator, then value."""
        parts = re.split(r"(\d+)", self.attribute)
        # Digits compare by length, then by digit: int() refuses very long ones.
        digits = [s.lstrip("0") if s.isdecimal() else None for s in parts]
        # Pieces of text and of digits take turns; the first number of each tuple keeps the two from
        # being compared with each other.
        natural = tuple(
            (0, 0, "", s) if d is None else (1, len(d), d, s)
            for d, s in zip(digits, parts, strict=True)
            if s
        )
        number = self.value if isinstance(self.value, (int, float)) else 0
        text = self.value if isinstance(self.value, str) else ""
        kind = 0 if self.value is None else 1 + isinstance(self.value, str)
        return (
            natural,
            OPERATORS.index(self.operator),
            kind,
            number,
            text,
            isinstance(self.value, bool),
        )

    def __lt__(self, other: Literal) -> bool:
        return self.sort_key() < other.sort_key()

    def __invert__(self) -> Literal:
        """Return the negation. On a missing value neither of the two holds."""
        return Literal(self.attribute, _NEGATION[self.operator], self.value)

    def __str__(self) -> str:
        name = quote(self.attribute)
        if self.operator == TRUE:
            return name
        if self.operator == FALSE:
            return f"NOT {name}"
        if self.operator in MEANING:
            negation, _, coding = self.operator.rpartition(" ")
            return f"NOT {name} {coding}" if negation else f"{name} {coding}"
        return f"{name} {self.operator} {value_text(self.value)}"

    def relation(self, other: Literal) -> Relation:
        """Return the logical relation to another literal, for any data.

        Literals of different attributes are unrelated. Missing values do not
        matter, because both literals are then false.
        """
        if self == other:
            return Relation.EQUAL
        if self.attribute != other.attribute:
            return Relation.NONE
        if _subset(self, other):
            return Relation.EQUAL if _subset(other, self) else Relation.IMPLIES
        if _subset(other, self):
            return Relation.IMPLIED_BY
        # Both directions are needed: a text satisfies neither `x >= 3` nor its negation.
        excludes = _subset(self, ~other) or _subset(other, ~self)
        return Relation.EXCLUDES if excludes else Relation.NONE


def comparison(literal: Literal) -> tuple[str, Value]:
    """Return operator and value of a literal: ``x3 dominant`` is ``x3 >= 1``.

    ``x3`` is ``x3 = 1``, its meaning for numbers; see :func:`is_one` for texts.
    """
    return MEANING.get(literal.operator) or (literal.operator, literal.value)


def is_one(value: Value) -> bool:
    """Return whether a value is 1: the number, the bool True, or a text of these."""
    return value in ONE_TEXTS if isinstance(value, str) else value == 1


def _subset(a: Literal, b: Literal) -> bool:
    """Return whether every value that satisfies ``a`` satisfies ``b`` (same attribute)."""
    if a.operator == TRUE:
        # ``x`` holds on 1 and on all its texts, so it implies a literal that holds on each of them.
        return all(_holds(b, value) for value in (1, *ONE_TEXTS))
    op_a, u = comparison(a)
    if op_a == "=":
        return _holds(b, u)
    op_b, v = comparison(b)
    if a.operator == FALSE:
        return b.operator == FALSE or (op_b == "!=" and is_one(v))
    if b.operator == TRUE or (b.operator == FALSE and op_a == "!="):
        return False  # several values count as 1, and != excludes one of them
    if isinstance(u, str) or isinstance(v, str):
        if op_b != "!=" or op_a == "!=":
            return op_a == op_b and u == v
        if isinstance(u, str) and (isinstance(v, str) or b.operator == FALSE):
            # Literals do not know the order of categories. In every order `< t` excludes t.
            return op_a == "<" and u == v
        # Only numbers satisfy >= and < of a number, and only texts those of a text.
        return True
    assert u is not None
    assert v is not None
    if op_b == "!=":
        return u == v if op_a == "!=" else (u > v if op_a == ">=" else u <= v)
    if op_a == op_b == ">=":
        return u >= v
    return op_a == op_b == "<" and u <= v


def _holds(literal: Literal, value: Value) -> bool:
    if literal.operator in (TRUE, FALSE):
        return is_one(value) == (literal.operator == TRUE)
    return satisfies(value, *comparison(literal))


def satisfies(u: Value, operator: str, v: Value) -> bool:
    """Return whether a value satisfies =, !=, >= or < with another value."""
    if operator == "=":
        return u == v
    if operator == "!=":
        return u != v
    if isinstance(u, str) or isinstance(v, str) or u is None or v is None:
        # The order of categories is unknown here; t >= t holds in every order.
        return operator == ">=" and isinstance(u, str) and u == v
    return u >= v if operator == ">=" else u < v


def _plain(value: Value) -> Value:
    """Convert numpy scalars and subclasses to Python's types, whose repr can be parsed."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return int(value)
    return float(value) if isinstance(value, float) else value


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an int past the range of float
        return False


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    # Unprintable characters could break lines or send control sequences to a terminal.
    return f'"{"".join(c if c.isprintable() else ascii(c)[1:-1] for c in escaped)}"'


def quote(name: str) -> str:
    """Return the text of an attribute's name, quoted if necessary for parsing."""
    bare = _WORD.fullmatch(name) and name.lower() not in _KEYWORDS
    return name if bare else _quoted(name)


def value_text(value: Value) -> str:
    """Return the text of a literal's value; strings that look like numbers are quoted."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _quoted(value) if is_number(value) else quote(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return repr(value)
