"""Rules and numbers in words, for pages that people read."""

from __future__ import annotations

import math

from ..boolean import Literal
from ..boolean.literal import FALSE, TRUE, value_text
from ..display.markup import shown

_COPIES = {
    "dominant": "at least one copy",
    "recessive": "two copies",
    "heterozygous": "exactly one copy",
    "not dominant": "no copy",
    "not recessive": "at most one copy",
    "not heterozygous": "no copy or two",
}


def literal_words(literal: Literal) -> str:
    """Say a literal as a person would.

    Examples
    --------
    >>> from bayesdnf import BooleanFunction
    >>> from bayesdnf.report.words import literal_words
    >>> [literal_words(x) for x in BooleanFunction("odor != f AND age >= 45 AND x3").literals]
    ['age is 45 or more', 'odor is not f', 'x3 is 1']
    >>> literal_words(BooleanFunction("NOT rs1_A dominant").literals[0])
    'no copy of rs1_A'
    """
    name = shown(literal.attribute)
    if literal.operator in _COPIES:
        return f"{_COPIES[literal.operator]} of {name}"
    if literal.operator in (TRUE, FALSE):
        return f"{name} is {'1' if literal.operator == TRUE else 'not 1'}"
    value = value_words(literal.value)
    if literal.operator == ">=":
        return f"{name} is {value} or more"
    if literal.operator == "<":
        return f"{name} is below {value}"
    return f"{name} is {value}" if literal.operator == "=" else f"{name} is not {value}"


def value_words(value: object) -> str:
    """Say a value; an empty or padded text is put in quotation marks."""
    if isinstance(value, str):
        return shown(value) if value.strip() == value != "" else f"“{shown(value)}”"
    return shown(value_text(value))  # type: ignore[arg-type]


def listed(parts: list[str], word: str) -> str:
    """Join parts with commas and a last word.

    Examples
    --------
    >>> from bayesdnf.report.words import listed
    >>> listed(["a", "b", "c"], "and")
    'a, b and c'
    """
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {word} {parts[-1]}"


def percent(share: float) -> str:
    """Write a share in percent, in as many digits as tell it from 0 and from 100.

    Examples
    --------
    >>> from bayesdnf.report.words import percent
    >>> [percent(p) for p in (0, 0.00001, 0.0042, 0.5, 0.9996, 0.999999, 1)]
    ['0 %', '<0.01 %', '0.42 %', '50.0 %', '99.96 %', '>99.99 %', '100 %']
    """
    if math.isnan(share):
        return "–"
    if share in (0, 1):
        return f"{share:.0%}".replace("%", " %")
    if share < 0.0001:
        return "<0.01 %"
    if share > 0.9999:
        return ">99.99 %"
    digits = 1 if 0.01 <= share <= 0.99 else 2
    return f"{100 * share:.{digits}f} %"


def between(low: float, high: float) -> str:
    """Write an interval of shares in percent.

    Examples
    --------
    >>> from bayesdnf.report.words import between
    >>> between(0.123, 0.5)
    '12.3 to 50.0 %'
    """
    return f"{percent(low).removesuffix(' %')} to {percent(high)}"


def count(n: int, one: str, many: str | None = None) -> str:
    """Count things.

    Examples
    --------
    >>> from bayesdnf.report.words import count
    >>> count(1, "row"), count(2000, "row")
    ('1 row', '2,000 rows')
    """
    return f"{n:,} {one if n == 1 else many or one + 's'}"
