"""Literals and their values in words, for reports, and what a report calls things."""

from __future__ import annotations

from typing import NamedTuple

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


class Nouns(NamedTuple):
    """What a report calls the things that it reports on; an s makes the plural."""

    row: str = "row"
    rule: str = "rule"
    column: str = "column"
    value: str = "value"
    table: str = "table"
    one: str = "case"
    """A row whose values are made up."""
    positives: str = "positives"
    negatives: str = "negatives"
    are_positive: str = "are positive"
    alike: str = "people or things sampled as the rows of the table were"
    """What risks are for."""

    @property
    def rows(self) -> str:
        """More than one row."""
        return f"{self.row}s"


NOUNS_OF_STUDIES = Nouns(
    "sample", "marker", "variant", "genotype", "study", "sample", "cases", "controls", "are cases",
    "people sampled as those of the study were",
)  # fmt: skip


def literal_words(literal: Literal) -> str:
    """Describe a literal as a person would.

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
    """Describe a value; an empty or padded text is put in quotation marks."""
    if isinstance(value, str):
        return shown(value) if value.strip() == value != "" else f"“{shown(value)}”"
    return shown(value_text(value))  # type: ignore[arg-type]
