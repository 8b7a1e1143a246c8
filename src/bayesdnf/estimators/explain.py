"""Why a row gets its answer, and the nearest change that would flip it."""

from __future__ import annotations

import html
import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..boolean import BooleanFunction, Literal
from ..boolean.literal import FALSE, TRUE, Value, value_text
from ..boolean.table import Table
from ..data.columns import TEXT, read_column
from ..data.encoder import FittedTable, LiteralEncoder
from ..errors import InputError

Term = tuple[Literal, ...]

# The smallest change is looked for among at most this many combinations of values.
_MOST_STEPS = 100_000


@dataclass(frozen=True)
class Change:
    """One attribute to change.

    Attributes
    ----------
    attribute : str
        The column.
    value : str, int, float, bool or None
        What it holds now; None when it is missing.
    condition : str
        What it would have to satisfy, such as ``age >= 45``.
    """

    attribute: str
    value: Value
    condition: str

    def __str__(self) -> str:
        now = "missing" if self.value is None else value_text(self.value)
        return f"{self.attribute}, now {now}, to {self.condition}"


@dataclass(frozen=True)
class Explanation:
    """Why a row gets its answer; made by ``DNFClassifier.explain``.

    Attributes
    ----------
    marked : bool
        Whether the rule holds on the row.
    fired : tuple of str
        The terms that hold.
    prediction : label
        The more probable class.
    positive : label
        The class that the rule speaks of.
    probability : float
        Probability of that class.
    change : tuple of Change or None
        A smallest set of attributes whose change would flip whether the rule holds; None when
        no change does. A change to a missing value is not considered.
    """

    marked: bool
    fired: tuple[str, ...]
    prediction: Any
    positive: Any
    probability: float
    change: tuple[Change, ...] | None

    def _sentences(self) -> list[tuple[str, str]]:
        holds = "holds" if self.marked else "does not hold"
        first = (
            f"The rule {holds} on this row",
            f"P({self.positive}) = {self.probability:.4g}, predicted {self.prediction}",
        )
        terms = " and ".join(f"({term})" for term in self.fired) or "none"
        if self.change is None:
            flip = "none was found"
        else:
            flip = "; ".join(str(change) for change in self.change)
        undo = "undo it" if self.marked else "make it hold"
        return [first, ("Terms that hold", terms), (f"Nearest change that would {undo}", flip)]

    def __str__(self) -> str:
        return "\n".join(f"{title}: {text}." for title, text in self._sentences())

    def _repr_html_(self) -> str:
        rows = [
            f"<tr><th style='text-align:left'>{html.escape(title)}</th>"
            f"<td style='text-align:left'>{html.escape(text)}</td></tr>"
            for title, text in self._sentences()
        ]
        return f"<table>{''.join(rows)}</table>"


def one_row(row: Any, columns: Sequence[str]) -> Any:
    """Make a table of one row given as a dict, a Series or a 1-D array."""
    if hasattr(row, "to_dict") and getattr(row, "ndim", 2) == 1:  # a pandas Series
        row = row.to_dict()
    elif isinstance(row, (list, tuple)) or getattr(row, "ndim", 2) == 1:
        if len(row) != len(columns):
            raise InputError(
                f"The row has {len(row):,} values; the classifier was fitted on "
                f"{len(columns):,} columns."
            )
        row = dict(zip(columns, row, strict=True))
    if not isinstance(row, Mapping):
        return row
    is_table = all(hasattr(v, "__len__") and not isinstance(v, str) for v in row.values())
    return dict(row) if is_table else {name: [value] for name, value in row.items()}


def terms_holding(function: BooleanFunction, table: Table) -> NDArray[np.bool_]:
    """Say which terms hold on which rows: shape (n_rows, n_terms).

    Examples
    --------
    >>> from bayesdnf import BooleanFunction
    >>> from bayesdnf.data.tables import read_table
    >>> from bayesdnf.estimators.explain import terms_holding
    >>> terms_holding(BooleanFunction("x OR y"), read_table({"x": [1, 0], "y": [1, 1]}))
    array([[ True,  True],
           [False,  True]])
    """
    holds = np.empty((table.n_rows, len(function)), dtype=np.bool_)
    for t, term in enumerate(function.literal_terms):
        holds[:, t] = BooleanFunction([term])(table)
    return holds


def fired_terms(function: BooleanFunction, row: FittedTable) -> tuple[str, ...]:
    """Texts of the terms that hold on a table of one row."""
    [holds] = terms_holding(function, row)
    return tuple(
        " AND ".join(texts) for texts, flag in zip(function.terms, holds, strict=True) if flag
    )


def nearest_change(
    function: BooleanFunction, encoder: LiteralEncoder, row: FittedTable
) -> tuple[Change, ...] | None:
    """Find the fewest attributes whose change flips whether a function holds.

    Values are those seen in fitting: the levels of a categorical column, any number in a numeric
    one.
    """
    now = {literal: bool(row.truth(literal)[0]) for literal in function.literals}
    options = {a: _Options(a, function.literals, encoder) for a in function.attributes}
    terms = function.literal_terms
    if any(all(now[literal] for literal in term) for term in terms):
        conditions = _Undoing(terms, now, options).conditions()
    else:
        conditions = _fulfilling(terms, now, options)
    if conditions is None:
        return None
    return tuple(
        Change(attribute, _value(row, attribute), _text(wanted))
        for attribute, wanted in conditions.items()
    )


class _Options:
    """What an attribute could say: every combination of truths its literals can have."""

    def __init__(
        self, attribute: str, literals: Iterable[Literal], encoder: LiteralEncoder
    ) -> None:
        self.literals = [literal for literal in literals if literal.attribute == attribute]
        values = possible_values(attribute, self.literals, encoder)
        column = read_column(values, attribute)
        truth = np.stack([column.truth(literal) for literal in self.literals], axis=1)
        _, first = np.unique(truth, axis=0, return_index=True)
        self.patterns: NDArray[np.bool_] = truth[np.sort(first)]

    def __len__(self) -> int:
        return len(self.patterns)

    def truth(self, pattern: int) -> dict[Literal, bool]:
        return dict(zip(self.literals, map(bool, self.patterns[pattern]), strict=True))

    def satisfying(self, conditions: Iterable[tuple[Literal, bool]]) -> list[int]:
        kept = np.ones(len(self.patterns), dtype=np.bool_)
        for literal, wanted in conditions:
            kept &= self.patterns[:, self.literals.index(literal)] == wanted
        return np.flatnonzero(kept).tolist()


def possible_values(attribute: str, literals: list[Literal], encoder: LiteralEncoder) -> list[Any]:
    """Values by which some literals of an attribute can be told apart: levels, or cuts."""
    offered = [x for x in encoder.literals_ if x.attribute == attribute]
    if any(x.operator in (TRUE, FALSE) for x in offered):
        return [0, 1]
    levels = list(dict.fromkeys(x.value for x in offered if x.operator in ("=", "!=")))
    if encoder.kinds_[attribute] == "binary":  # the other of its two values is not kept
        [one] = levels
        return [one, f"not {one}" if isinstance(one, str) else _below(one)]
    if levels:
        return levels
    cuts = sorted({x.value for x in literals}, key=lambda v: v)  # type: ignore[arg-type,return-value]
    return [_below(cuts[0]), *cuts]


def _below(value: Any) -> Any:
    return math.nextafter(value, -math.inf) if isinstance(value, float) else int(value) - 1


def _fulfilling(
    terms: tuple[Term, ...], now: Mapping[Literal, bool], options: Mapping[str, _Options]
) -> dict[str, list[Literal]] | None:
    """Conditions that make a term hold: of the terms that need the fewest, the first."""
    best: dict[str, list[Literal]] | None = None
    for term in terms:
        needed: dict[str, list[Literal]] = {}
        for literal in term:
            if not now[literal]:
                own = [x for x in term if x.attribute == literal.attribute]
                needed[literal.attribute] = own
        possible = all(
            options[attribute].satisfying((literal, True) for literal in wanted)
            for attribute, wanted in needed.items()
        )
        if possible and (best is None or len(needed) < len(best)):
            best = needed
    return best


class _Undoing:
    """Looks for the fewest attributes whose change leaves no term holding."""

    def __init__(
        self,
        terms: tuple[Term, ...],
        now: Mapping[Literal, bool],
        options: Mapping[str, _Options],
    ) -> None:
        self.terms = terms
        self.now = now
        self.options = options
        self.steps_left = _MOST_STEPS

    def conditions(self) -> dict[str, list[Literal]] | None:
        for size in range(1, len(self.options) + 1):
            chosen = self._search({}, size)
            if chosen is not None:
                return self._loosened(chosen)
        return None

    def _search(self, chosen: dict[str, int], size: int) -> dict[str, int] | None:
        """Depth first: some attribute of a term that still holds has to change."""
        self.steps_left -= 1
        term = self._first_holding(chosen)
        if term is None:
            return chosen
        if size == 0 or self.steps_left < 0:
            return None
        for attribute in dict.fromkeys(literal.attribute for literal in term):
            if attribute in chosen:
                continue
            for pattern in range(len(self.options[attribute])):
                found = self._search({**chosen, attribute: pattern}, size - 1)
                if found is not None:
                    return found
        return None

    def _first_holding(self, chosen: Mapping[str, int]) -> Term | None:
        truth = dict(self.now)
        for attribute, pattern in chosen.items():
            truth.update(self.options[attribute].truth(pattern))
        return next((t for t in self.terms if all(truth[literal] for literal in t)), None)

    def _loosened(self, chosen: dict[str, int]) -> dict[str, list[Literal]]:
        """State the patterns found as conditions, and drop those that are not needed."""
        wanted = {a: dict(self.options[a].truth(pattern)) for a, pattern in chosen.items()}
        for attribute in chosen:
            for literal in list(wanted[attribute]):
                value = wanted[attribute].pop(literal)
                if not self._undone(wanted):
                    wanted[attribute][literal] = value
        return {
            attribute: [literal if value else ~literal for literal, value in kept.items()]
            for attribute, kept in wanted.items()
        }

    def _undone(self, wanted: Mapping[str, Mapping[Literal, bool]]) -> bool:
        """Whether no term holds whatever the changed attributes are, within the conditions."""
        left = [self.options[a].satisfying(kept.items()) for a, kept in wanted.items()]
        if math.prod(map(len, left)) > _MOST_STEPS:
            return False
        return all(
            self._first_holding(dict(zip(wanted, patterns, strict=True))) is None
            for patterns in itertools.product(*left)
        )


def _text(conditions: list[Literal]) -> str:
    [texts] = BooleanFunction([conditions]).absorb().terms
    return " AND ".join(texts)


def _value(row: FittedTable, attribute: str) -> Value:
    column = row.column(attribute)
    if column.missing[0]:
        return None
    value: Value = column.values[0].item()
    return next(iter(column.texts)) if column.type == TEXT else value
