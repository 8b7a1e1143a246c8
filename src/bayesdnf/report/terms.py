"""The terms of a rule: what each covers, what is lost without it, and how they overlap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..boolean import RuleList
from ..boolean.table import Table
from ..display.markup import shown
from ..display.wording import text_list
from ..estimators.explaining.explanation import terms_holding
from ..estimators.rules import as_table, placed_terms
from ..model.rates import Interval
from ..model.rule import Rule
from .words import literal_words

if TYPE_CHECKING:
    import pandas as pd

Bools = NDArray[np.bool_]

_MOST_TOGETHER = 15


class TermFacts(NamedTuple):
    """One term, in words and in numbers."""

    number: int
    literals: tuple[str, ...]
    """Its literals in words."""
    rows: int
    positives: int
    rate: float
    low: float
    high: float
    log_gain: float
    """Log posterior that is lost without it; infinite where no function is left, NaN unless the
    rule is the best one."""
    layer: int = 1

    @property
    def words(self) -> str:
        """The term in words."""
        return text_list(self.literals, "and")


class PartFacts(NamedTuple):
    """The rows that one layer decides, or none."""

    number: int
    """Of the layer; 0 where none holds."""
    terms: tuple[TermFacts, ...]
    rows: int
    positives: int
    risk: Interval
    beside: str
    """Whether the risk is "raised", "lowered" or "unclear", beside that of all rows."""


class StratumFacts(NamedTuple):
    """The parts of one stratum."""

    name: str
    parts: tuple[PartFacts, ...]


class Together(NamedTuple):
    """Rows on which exactly these terms hold."""

    terms: tuple[int, ...]
    rows: int
    positives: int


class Overlap(NamedTuple):
    """How the terms of a rule share the rows of a table."""

    together: tuple[Together, ...]
    """Most rows first."""
    left_out: int
    """Sets of terms that are not listed, and the rows of them."""
    left_out_rows: int
    unmarked: int
    unmarked_positives: int
    alone: tuple[tuple[int, int], ...]
    """By term: rows and positives that no other term covers."""


def term_facts(rule: Rule, rules: pd.DataFrame) -> tuple[TermFacts, ...]:
    """Read the table of a rule's terms.

    Parameters
    ----------
    rule : BooleanFunction or RuleList
        The rule.
    rules : DataFrame
        What ``rules_table`` or ``counted_terms`` made of it.
    """
    return tuple(
        TermFacts(
            number=number,
            literals=tuple(map(literal_words, term)),
            rows=int(row["rows"]),
            positives=int(row["positives"]),
            rate=float(row["rate"]),
            low=float(row["low"]),
            high=float(row["high"]),
            log_gain=float(row["log_gain"]),
            layer=layer,
        )
        for number, ((layer, term), row) in enumerate(
            zip(placed_terms(rule), rules.to_dict("records"), strict=True), start=1
        )
    )


def counted_terms(
    rule: Rule,
    table: Table,
    is_positive: Bools,
    counted: Bools,
    gains: Sequence[float] | None = None,
) -> pd.DataFrame:
    """Count what each term decides on rows of a table, as ``rules_table`` does on those of the fit.

    Parameters
    ----------
    rule : BooleanFunction or RuleList
        The rule.
    table : Table
        The rows.
    is_positive : ndarray of bool
        Which of them are positive.
    counted : ndarray of bool
        Which of them to count.
    gains : sequence of float, optional
        Log posterior that is lost without each term.
    """
    positive, parts = is_positive[counted], rule(table)[counted]
    holds = terms_holding(rule, table)[counted]
    gains = [np.nan] * holds.shape[1] if gains is None else gains
    rows = []
    for (layer, term), own, gain in zip(placed_terms(rule), holds.T, gains, strict=True):
        decided = own & (parts == layer)
        text = " AND ".join(map(str, term))
        n, k = int(decided.sum()), int((decided & positive).sum())
        rows.append((layer, text, len(term), n, k, gain))
    return as_table(rows, layered=isinstance(rule, RuleList))


def part_facts(parts: pd.DataFrame, terms: tuple[TermFacts, ...]) -> tuple[PartFacts, ...]:
    """Read a table of parts, the highest layer first.

    Parameters
    ----------
    parts : DataFrame
        What ``parts_table`` made.
    terms : tuple of TermFacts
        The terms of all layers.
    """
    return tuple(
        PartFacts(
            number=int(row["part"]),
            terms=tuple(term for term in terms if term.layer == row["part"]),
            rows=int(row["rows"]),
            positives=int(row["positives"]),
            risk=Interval(float(row["rate"]), float(row["low"]), float(row["high"])),
            beside=str(row["risk"]),
        )
        for row in parts.to_dict("records")
    )


def stratum_facts(
    strata: pd.DataFrame | None, terms: tuple[TermFacts, ...]
) -> tuple[StratumFacts, ...]:
    """Read the parts of every stratum, from what ``strata_table`` made; none without strata."""
    if strata is None:
        return ()
    return tuple(
        StratumFacts(shown(label), part_facts(own, terms))
        for label, own in strata.groupby("stratum", sort=False)
    )


def overlap_of(rule: Rule, table: Table, is_positive: Bools, counted: Bools) -> Overlap:
    """Count the rows of every set of terms that hold together.

    Parameters
    ----------
    rule : BooleanFunction or RuleList
        The rule, with a term at least.
    table : Table
        The rows.
    is_positive : ndarray of bool
        Which of them are positive.
    counted : ndarray of bool
        Which of them to count.
    """
    positive = is_positive[counted]
    holds = terms_holding(rule, table)[counted]
    codes = np.packbits(holds, axis=1)
    _, first, group = np.unique(codes, axis=0, return_index=True, return_inverse=True)
    rows = np.bincount(group.ravel(), minlength=len(first))
    positives = np.bincount(group.ravel(), weights=positive, minlength=len(first)).astype(np.int64)
    sets = [
        Together(tuple((np.flatnonzero(holds[i]) + 1).tolist()), int(n), int(k))
        for i, n, k in zip(first, rows, positives, strict=True)
    ]
    none = next((s for s in sets if not s.terms), Together((), 0, 0))
    marked = sorted((s for s in sets if s.terms), key=lambda s: (-s.rows, s.terms))
    alone = {s.terms: (s.rows, s.positives) for s in marked if len(s.terms) == 1}
    rest = marked[_MOST_TOGETHER:]
    return Overlap(
        tuple(marked[:_MOST_TOGETHER]),
        len(rest),
        sum(s.rows for s in rest),
        none.rows,
        none.positives,
        tuple(alone.get((t,), (0, 0)) for t in range(1, holds.shape[1] + 1)),
    )
