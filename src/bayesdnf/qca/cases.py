"""Cases with crisp conditions and a crisp outcome, and how well functions fit them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..boolean import BooleanFunction, Literal
from ..boolean.literal import FALSE, TRUE, Value
from ..data.columns.column import TEXT, Column
from ..data.tables import RawTable, read_table
from ..errors import InputError, ParameterError, UnknownColumnError, did_you_mean
from .notation import parse_qca, term_text, to_qca

Bools = NDArray[np.bool_]
_BINARY: tuple[Value, ...] = (0, 1)
_MOST_LEVELS = 50


class Fit(NamedTuple):
    """Fit of a set X of cases to the outcome; NaN if X or the outcome has no cases.

    For crisp sets the proportional reduction in inconsistency (PRI) equals the consistency: no
    case is in the outcome and out of it.
    """

    consistency: float
    PRI: float
    coverage: float


def sufficiency(inside: Bools, outcome: Bools) -> Fit:
    """Compute the fit of "X is sufficient for the outcome"."""
    both = int((inside & outcome).sum())
    consistency = _share(both, int(inside.sum()))
    return Fit(consistency, consistency, _share(both, int(outcome.sum())))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")


@dataclass(frozen=True, eq=False)
class Cases:
    """Raw cases, read and checked.

    Parameters
    ----------
    labels : tuple of str
        Names of the cases.
    conditions : tuple of str
        Names of the conditions.
    levels : tuple of tuples
        The values of each condition; (0, 1) for a binary one.
    codes : ndarray of int, shape (cases, conditions)
        Each case's values, as places in ``levels``.
    outcome : Literal
        The literal of the outcome.
    has_outcome : ndarray of bool
        Whether each case has it.
    """

    labels: tuple[str, ...]
    conditions: tuple[str, ...]
    levels: tuple[tuple[Value, ...], ...]
    codes: NDArray[np.intp]
    outcome: Literal
    has_outcome: Bools

    @property
    def n_rows(self) -> int:
        """Number of cases."""
        return len(self.labels)

    @property
    def literals(self) -> list[Literal]:
        """A literal for each value of each condition."""
        return [
            condition_literal(name, levels, code)
            for name, levels in zip(self.conditions, self.levels, strict=True)
            for code in range(len(levels))
        ]

    def truth(self, literal: Literal) -> Bools:
        """Return the truth of a literal on every case (the protocol Table)."""
        return level_truth(self.conditions, self.levels, self.codes, literal)


def condition_literal(name: str, levels: tuple[Value, ...], code: int) -> Literal:
    """Return the literal that a condition has one of its values."""
    if levels == _BINARY:
        return Literal(name, TRUE if code else FALSE)
    return Literal(name, "=", levels[code])


def level_truth(
    conditions: Sequence[str],
    levels: Sequence[tuple[Value, ...]],
    codes: NDArray[np.intp],
    literal: Literal,
) -> Bools:
    """Return the truth of a literal on configurations."""
    if literal.attribute not in conditions:
        raise UnknownColumnError(
            f"{literal.attribute!r} is not among the conditions."
            f"{did_you_mean(literal.attribute, conditions)}"
        )
    j = conditions.index(literal.attribute)
    value = 1 if literal.operator in (TRUE, FALSE) else literal.value
    if literal.operator not in (TRUE, FALSE, "=", "!="):
        raise InputError(f"Literal '{literal}' cannot be used with a crisp condition.")
    holds = np.array([level == value for level in levels[j]], dtype=np.bool_)[codes[:, j]]
    return ~holds if literal.operator in (FALSE, "!=") else holds


def read_cases(df: Any, outcome: str, conditions: Sequence[str] | None, owner: str) -> Cases:
    """Read crisp conditions and an outcome from a table of cases."""
    table = read_table(df)
    literal = _one_literal(outcome, "outcome", owner)
    if isinstance(conditions, str) or not isinstance(conditions, (Iterable, type(None))):
        raise ParameterError.of("conditions", owner, "a list of column names", conditions)
    chosen = [n for n in table.names if n != literal.attribute]
    chosen = chosen if conditions is None else [str(name) for name in conditions]
    for name in [literal.attribute, *chosen]:
        if name not in table:
            raise UnknownColumnError(
                f"The table has no column {name!r}.{did_you_mean(name, table.names)}"
            )
    if not chosen or literal.attribute in chosen or len(set(chosen)) < len(chosen):
        raise ParameterError.of(
            "conditions", owner, "different columns, the outcome not among them", conditions
        )
    if table.n_rows == 0:
        raise InputError("The table has no cases; at least one is needed.")
    read = [_crisp(table, name) for name in chosen]
    outcome_levels, outcome_codes = _crisp(table, literal.attribute)
    if literal.operator in (TRUE, FALSE) and outcome_levels != _BINARY:
        example = term_text([Literal(literal.attribute, "=", outcome_levels[-1])])
        raise InputError(
            f"The outcome {literal.attribute!r} holds other values than 0 and 1; name the one to "
            f"explain, for example outcome={example!r}."
        )
    if literal.value is not None and literal.value not in outcome_levels:
        raise InputError(f"The outcome {literal.attribute!r} never holds {literal.value!r}.")
    labels = df.index if isinstance(df, pd.DataFrame) else range(table.n_rows)
    return Cases(
        labels=tuple(str(label) for label in labels),
        conditions=tuple(chosen),
        levels=tuple(levels for levels, _ in read),
        codes=np.column_stack([codes for _, codes in read]),
        outcome=literal,
        has_outcome=level_truth(
            [literal.attribute], [outcome_levels], outcome_codes[:, np.newaxis], literal
        ),
    )


def _crisp(table: RawTable, name: str) -> tuple[tuple[Value, ...], NDArray[np.intp]]:
    """Return the values of a column and the code of each row; refuse fuzzy values."""
    column: Column = table.column(name)
    if column.missing.any():
        row = int(np.argmax(column.missing))
        raise InputError(
            f"{column.title} is missing in {column.row(row)}; every case needs a value."
        )
    values, _ = column.distinct()
    if column.type != TEXT:
        _refuse_fractions(column)
        values = values.astype(np.int64)
        # Values without cases are included: parsimonious solutions may make assumptions about
        # configurations that have them.
        if values.min() >= 0 and values.max() < _MOST_LEVELS:
            values = np.arange(max(2, int(values.max()) + 1))
    if len(values) > _MOST_LEVELS:
        raise InputError(
            f"{column.title} holds {len(values):,} different values; a crisp condition has a few. "
            f"Cut it into classes first."
        )
    levels: tuple[Value, ...] = tuple(values.tolist())
    truths = [column.truth(Literal(name, "=", level)) for level in levels]
    return levels, np.argmax(np.array(truths), axis=0)


def _refuse_fractions(column: Column) -> None:
    values = column.values.astype(np.float64)
    fuzzy = (values > 0) & (values < 1)
    if fuzzy.any():
        row = int(np.argmax(fuzzy))
        raise InputError(
            f"{column.title} holds {values[row]:g} in {column.row(row)}, a membership "
            f"between 0 and 1: fuzzy sets are not supported. Calibrate it to 0 and 1 first."
        )
    broken = values != np.floor(values)
    if broken.any():
        row = int(np.argmax(broken))
        raise InputError(
            f"{column.title} holds {values[row]:g} in {column.row(row)}; a crisp condition "
            f"holds 0 and 1, whole numbers or texts. Cut it into classes first."
        )


def _one_literal(text: str, parameter: str, owner: str) -> Literal:
    terms = parse_qca(text).literal_terms if isinstance(text, str) else ()
    if len(terms) != 1 or len(terms[0]) != 1:
        raise ParameterError.of(parameter, owner, "a column such as 'Y', '~Y' or 'Y{1}'", text)
    return terms[0][0]


def necessity(
    df: Any,
    outcome: str,
    conditions: Sequence[str] | None = None,
    expressions: Sequence[str | BooleanFunction] | None = None,
) -> pd.DataFrame:
    """Compute how nearly each condition is necessary for the outcome.

    X is necessary when every case with the outcome is in X. Its consistency is the share of these
    cases that are; its coverage the share of X that has the outcome, which is small when X is far
    larger than the outcome; its relevance (Schneider and Wagemann) the share of cases out of X
    among those out of "X and the outcome", which is small when nearly every case is in X.

    Parameters
    ----------
    df : DataFrame
        Cases in rows; crisp values only.
    outcome : str
        ``"Y"``, ``"~Y"`` or ``"Y{value}"``.
    conditions : list of str, optional
        Columns to look at; by default all but the outcome.
    expressions : list of str or BooleanFunction, optional
        Expressions to test instead of every value of every condition, such as ``"A + B"``.

    Returns
    -------
    DataFrame
        ``consistency``, ``coverage`` and ``relevance``, by expression.

    Examples
    --------
    >>> import pandas as pd
    >>> from bayesdnf.qca import necessity
    >>> cases = pd.DataFrame({"A": [1, 1, 1, 0], "B": [1, 0, 0, 0], "Y": [1, 1, 0, 0]})
    >>> necessity(cases, "Y", expressions=["A", "B"])
       consistency  coverage  relevance
    A          1.0  0.666667        0.5
    B          0.5  1.000000        1.0
    """
    cases = read_cases(df, outcome, conditions, "necessity")
    named: dict[str, BooleanFunction] = {}
    if expressions is None:
        for literal in cases.literals:
            named[term_text([literal])] = BooleanFunction([[literal]])
    else:
        for given in expressions:
            function = given if isinstance(given, BooleanFunction) else parse_qca(given)
            named[to_qca(function, cases.conditions)] = function
    # Necessity of X for Y (Ragin 2006; relevance: Schneider and Wagemann 2012):
    # consistency |X ∩ Y| / |Y|, coverage |X ∩ Y| / |X|, relevance |not X| / |not (X ∩ Y)|.
    y = cases.has_outcome
    rows = []
    for function in named.values():
        inside = function(cases)
        both = int((inside & y).sum())
        rows.append(
            {
                "consistency": _share(both, int(y.sum())),
                "coverage": _share(both, int(inside.sum())),
                "relevance": _share(int((~inside).sum()), int((~(inside & y)).sum())),
            }
        )
    return pd.DataFrame(rows, index=list(named))
