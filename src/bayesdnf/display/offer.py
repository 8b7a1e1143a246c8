"""Sentences about the literals on offer: dropped columns, missing directions, similar texts."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from .wording import count, listed, plural

_SHOWN = 3
DATES = "dates as texts"
NUMBER_TEXTS = "numbers as texts"
DECIMAL_COMMAS = f"{NUMBER_TEXTS} with decimal commas"
RARE_LEVELS = "texts that repeat rarely"
_NEGATIVE = {"!=", "<", "false"}


class FittedEncoder(Protocol):
    """Protocol of a fitted LiteralEncoder."""

    thresholds: int

    @property
    def kinds_(self) -> Mapping[str, str]:
        """Kind of each column that gives literals."""
        ...

    @property
    def dropped_(self) -> Mapping[str, str]:
        """Columns that give none, and why."""
        ...

    @property
    def directions_(self) -> Mapping[str, int]:
        """Columns that were given a direction."""
        ...

    @property
    def literals_(self) -> Sequence[Any]:
        """The literals on offer."""
        ...


def direction_not_offered(encoder: FittedEncoder) -> str | None:
    """Return a literal that is missing in the table although its negation is there.

    None when every column offers both directions, or the one that it was given.

    Examples
    --------
    >>> from bayesdnf import LiteralEncoder
    >>> from bayesdnf.display.offer import direction_not_offered
    >>> table = {"sex": ["f", "m", "m"], "age": [31.5, 45.5, 62.5]}
    >>> direction_not_offered(LiteralEncoder(negations=False).fit(table))
    'age < 40'
    >>> direction_not_offered(LiteralEncoder().fit(table))
    """
    for name, own in _by_column(encoder).items():
        if name in encoder.directions_:
            continue
        operators = {literal.operator for literal in own}
        if operators == {"="} and len(own) == 2:
            continue  # two levels, each the negation of the other
        if not operators & _NEGATIVE:
            return str(~own[0])
    return None


def literals_on_offer(encoder: FittedEncoder) -> str:
    """Describe how many literals there were to choose from."""
    n = len(encoder.literals_)
    return f"the {count(n, 'literal')} on offer"


def not_offered(encoder: FittedEncoder) -> list[str]:
    """Return sentences about literals that were not on offer, and how to offer them.

    Examples
    --------
    >>> from bayesdnf import LiteralEncoder
    >>> from bayesdnf.display.offer import not_offered
    >>> table = {"site": ["A", "A", "A"], "age": [31.5, 45.5, 62.5]}
    >>> for sentence in not_offered(LiteralEncoder(negations=False).fit(table)):
    ...     print(sentence)
    Negations, such as age < 40, were not offered: fit with negations=True (--negations).
    1 column gave no literals: 'site' (constant: every value that is not missing is 'A').
    """
    said = []
    if (missing := direction_not_offered(encoder)) is not None:
        said.append(
            f"Negations, such as {missing}, were not offered: fit with negations=True "
            f"(--negations)."
        )
    elsewhere = _left_out(encoder.dropped_)
    if dropped := {k: why for k, why in encoder.dropped_.items() if k not in elsewhere}:
        shown = listed(dropped, _SHOWN, lambda name: f"{name!r} ({dropped[name]})")
        said.append(f"{count(len(dropped), 'column')} gave no literals: {shown}.")
    # Columns of numbers that got as many cuts as were allowed.
    cut = [
        name
        for name, own in _by_column(encoder).items()
        if encoder.kinds_[name] == "numeric"
        and len({literal.value for literal in own}) >= encoder.thresholds
    ]
    if cut:
        said.append(
            f"{listed(cut, _SHOWN)} {plural(len(cut), 'was', 'were')} cut at {encoder.thresholds} "
            f"{plural(int(encoder.thresholds), 'number')} at most: larger thresholds "
            f"(--thresholds) may offer more."
        )
    return said


def left_out(encoder: FittedEncoder) -> list[str]:
    """Name the columns that could be offered but should not be, and how to offer them.

    Examples
    --------
    >>> from bayesdnf import LiteralEncoder
    >>> from bayesdnf.display.offer import left_out
    >>> table = {"name": [f"n{i}" for i in range(40)], "age": range(40)}
    >>> for sentence in left_out(LiteralEncoder().fit(table)):
    ...     print(sentence)
    Left out: 'name' (texts that repeat rarely: 40 different ones on 40 rows). To offer it
    anyway: kinds={'name': 'categorical'} (--kind name=categorical).
    """
    found = _left_out(encoder.dropped_)
    if not found:
        return []
    shown = listed(found, _SHOWN, lambda name: f"{name!r} ({found[name]})")
    return [f"Left out: {shown}.{how_to_offer(found)}"]


def how_to_offer(dropped: Mapping[str, str]) -> str:
    """Describe how to offer columns that were left out for what they look like.

    Parameters
    ----------
    dropped : dict
        From columns that give no literals to the reason; those with other reasons are skipped.

    Returns
    -------
    str
        Sentences, each with a space before it.

    Examples
    --------
    >>> from bayesdnf.display.offer import how_to_offer
    >>> how_to_offer({"born": "dates as texts: 40 different ones, such as '2020-01-31'"})
    " To offer it anyway: kinds={'born': 'categorical'} (--kind born=categorical). For 'born', pass
    the year, the month or the number of days since a date."
    """
    found, said = _left_out(dropped), ""
    numbers = [name for name, reason in found.items() if reason.startswith(NUMBER_TEXTS)]
    # Levels of numbers would be offered one by one, which is hardly ever wanted.
    if others := [name for name in found if name not in numbers]:
        first, it = others[0], plural(len(others), "it", "one")
        option = shlex.quote(f"{first}=categorical")
        said += f" To offer {it} anyway: kinds={{{first!r}: 'categorical'}} (--kind {option})."
    if dates := [name for name, reason in found.items() if reason.startswith(DATES)]:
        advice = "the year, the month or the number of days since a date"
        said += f" For {listed(dates, _SHOWN)}, pass {advice}."
    commas = [name for name in numbers if found[name].startswith(DECIMAL_COMMAS)]
    if commas:
        advice = "numbers with a decimal point (read with decimal=',' in pandas)"
        said += f" For {listed(commas, _SHOWN)}, pass {advice}."
    if numbers := [name for name in numbers if name not in commas]:
        advice = "numbers such as 1234.5, and say which texts mean missing (--missing"
        said += f" For {listed(numbers, _SHOWN)}, pass {advice}; na_values in pandas)."
    return said


def similar_texts(columns: Mapping[str, Iterable[Any]]) -> list[str]:
    """Name columns with texts that differ only in case or spaces, in a sentence.

    Parameters
    ----------
    columns : dict
        From names to their different values.

    Examples
    --------
    >>> from bayesdnf.display.offer import similar_texts
    >>> similar_texts({"smoker": ["Yes", "no", "yes"], "site": ["A", "B"]})
    ["Texts that differ only in case or spaces count as different: 'smoker' has 'Yes' and 'yes'.
    If they mean the same, make them equal."]
    """
    found = {name: pair for name, values in columns.items() if (pair := _similar(values))}
    if not found:
        return []
    shown = listed(
        found, _SHOWN, lambda name: f"{name!r} has {' and '.join(map(repr, found[name]))}"
    )
    return [
        f"Texts that differ only in case or spaces count as different: {shown}. If they mean the "
        f"same, make them equal."
    ]


def _similar(values: Iterable[Any]) -> tuple[str, str] | None:
    """Return the first two texts that are the same but for case and spaces."""
    met: dict[str, str] = {}
    # Sorted, so that the pair named does not depend on the order of rows.
    for text in sorted(value for value in values if isinstance(value, str)):
        other = met.setdefault(" ".join(text.split()).casefold(), text)
        if other != text:
            return other, text
    return None


def levels_on_offer(encoder: FittedEncoder) -> dict[str, list[Any]]:
    """Return the values of each column that literals name one by one."""
    return {
        name: [literal.value for literal in own if literal.operator == "="]
        for name, own in _by_column(encoder).items()
    }


def _left_out(dropped: Mapping[str, str]) -> dict[str, str]:
    ours = (DATES, NUMBER_TEXTS, RARE_LEVELS)
    return {name: reason for name, reason in dropped.items() if reason.startswith(ours)}


def _by_column(encoder: FittedEncoder) -> dict[str, list[Any]]:
    """Literals of each column, in one pass: there may be many columns."""
    found: dict[str, list[Any]] = {name: [] for name in encoder.kinds_}
    for literal in encoder.literals_:
        found[literal.attribute].append(literal)
    return found
