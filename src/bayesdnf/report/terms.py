"""The terms of a rule: rows covered, log gain, and overlap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..boolean.table import Table
from ..display.markup import shown
from ..display.wording import text_list
from ..estimators.class_shares import Shares, most_probable
from ..estimators.explaining.explanation import terms_holding
from ..estimators.rules import placed_terms
from ..model.rates import Interval, jeffreys
from ..model.rule import Rule
from .words import literal_words

if TYPE_CHECKING:
    import pandas as pd

Bools = NDArray[np.bool_]
Classes = NDArray[np.intp]

_MOST_TOGETHER = 15


class TermFacts(NamedTuple):
    """One term, in words and in numbers."""

    number: int
    literals: tuple[str, ...]
    """Its literals in words."""
    of_class: tuple[int, ...]
    """Rows by class; of two classes positives and negatives."""
    top: int
    """Number of the class that ``rate`` is of: the positive one, of more the most frequent."""
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

    @property
    def rows(self) -> int:
        """Rows that it covers, or decides."""
        return sum(self.of_class)

    @property
    def positives(self) -> int:
        """Positive ones among them, of two classes."""
        return self.of_class[0]


class PartFacts(NamedTuple):
    """The rows that one layer decides, or none."""

    number: int
    """Of the layer; 0 where none holds."""
    terms: tuple[TermFacts, ...]
    rows: int
    positives: int
    """Rows of the positive class, of more than two of the most probable one."""
    shares: tuple[Interval, ...]
    """Of each class; of two that of the positive one alone."""
    beside: str = ""
    """Whether the risk is "raised", "lowered" or "unclear", beside that of all rows."""

    @property
    def top(self) -> int:
        """Number of the most probable class."""
        return most_probable(self.shares)

    @property
    def risk(self) -> Interval:
        """Risk of a positive, or share of the most probable class."""
        return self.shares[self.top]


class StratumFacts(NamedTuple):
    """The parts of one stratum."""

    name: str
    parts: tuple[PartFacts, ...]


class Together(NamedTuple):
    """Rows on which exactly these terms hold."""

    terms: tuple[int, ...]
    of_class: tuple[int, ...]

    @property
    def rows(self) -> int:
        """How many rows."""
        return sum(self.of_class)

    @property
    def positives(self) -> int:
        """Positive ones among them, of two classes."""
        return self.of_class[0]

    @property
    def top(self) -> int:
        """Number of the most frequent class."""
        return self.of_class.index(max(self.of_class))


class Overlap(NamedTuple):
    """Overlap of the terms of a rule on the rows of a table."""

    together: tuple[Together, ...]
    """Most rows first."""
    left_out: int
    """Sets of terms that are not listed, and the rows of them."""
    left_out_rows: int
    unmarked: Together
    """Rows on which no term holds."""
    alone: tuple[Together, ...]
    """By term: rows that no other term covers."""


def term_facts(rule: Rule, rules: pd.DataFrame) -> tuple[TermFacts, ...]:
    """Read the table of a rule's terms.

    Parameters
    ----------
    rule : BooleanFunction or RuleList
        The rule.
    rules : DataFrame
        Result of ``rules_table``.
    """
    return tuple(
        TermFacts(
            number=number,
            literals=tuple(map(literal_words, term)),
            of_class=(int(row["positives"]), int(row["rows"] - row["positives"])),
            top=0,
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
    numbers: Classes,
    n_classes: int,
    counted: Bools,
    gains: Sequence[float] | None = None,
) -> tuple[TermFacts, ...]:
    """Count what each term decides on rows of a table, as ``rules_table`` does on those of the fit.

    Parameters
    ----------
    rule : BooleanFunction or RuleList
        The rule.
    table : Table
        The rows.
    numbers : ndarray of int
        Number of the class of each; of two classes 0 for the positive one.
    n_classes : int
        Number of classes.
    counted : ndarray of bool
        Which of the rows to count.
    gains : sequence of float, optional
        Log posterior that is lost without each term.
    """
    own_class, parts = numbers[counted], rule(table)[counted]
    holds = terms_holding(rule, table)[counted]
    gains = [np.nan] * holds.shape[1] if gains is None else gains
    facts: list[TermFacts] = []
    for (layer, term), own, gain in zip(placed_terms(rule), holds.T, gains, strict=True):
        n = np.bincount(own_class[own & (parts == layer)], minlength=n_classes)
        top = int(n.argmax()) if n_classes > 2 else 0
        words = tuple(map(literal_words, term))
        rate = jeffreys(int(n[top]), int(n.sum()))
        facts.append(TermFacts(len(facts) + 1, words, _counts(n), top, *rate, float(gain), layer))
    return tuple(facts)


def class_part_facts(
    cells: NDArray[np.int64], shares: Shares, terms: tuple[TermFacts, ...]
) -> tuple[PartFacts, ...]:
    """Put the parts of a rule for more than two classes together, the highest layer first.

    Parameters
    ----------
    cells : ndarray of shape (n_parts, n_classes)
        Rows of each class in each part.
    shares : tuple of tuples of Interval
        Share of each class in each part, part 0 first.
    terms : tuple of TermFacts
        The terms of all layers.
    """
    return tuple(
        PartFacts(
            number=part,
            terms=tuple(term for term in terms if term.layer == part),
            rows=int(cells[part].sum()),
            positives=int(cells[part][most_probable(shares[part])]),
            shares=shares[part],
        )
        for part in range(len(shares) - 1, -1, -1)
    )


def part_facts(parts: pd.DataFrame, terms: tuple[TermFacts, ...]) -> tuple[PartFacts, ...]:
    """Read a table of parts, the highest layer first.

    Parameters
    ----------
    parts : DataFrame
        Result of ``parts_table``.
    terms : tuple of TermFacts
        The terms of all layers.
    """
    return tuple(
        PartFacts(
            number=int(row["part"]),
            terms=tuple(term for term in terms if term.layer == row["part"]),
            rows=int(row["rows"]),
            positives=int(row["positives"]),
            shares=(Interval(float(row["rate"]), float(row["low"]), float(row["high"])),),
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


def overlap_of(
    rule: Rule, table: Table, numbers: Classes, n_classes: int, counted: Bools
) -> Overlap:
    """Count the rows of every set of terms that hold together.

    Parameters
    ----------
    rule : BooleanFunction or RuleList
        The rule, with a term at least.
    table : Table
        The rows.
    numbers : ndarray of int
        Number of the class of each; of two classes 0 for the positive one.
    n_classes : int
        Number of classes.
    counted : ndarray of bool
        Which of the rows to count.
    """
    holds = terms_holding(rule, table)[counted]
    # Eight terms a byte: rows with one set of terms have one code, of few bytes to sort by.
    codes = np.packbits(holds, axis=1)
    _, first, group = np.unique(codes, axis=0, return_index=True, return_inverse=True)
    place = n_classes * group.ravel() + numbers[counted]
    rows = np.bincount(place, minlength=n_classes * len(first)).reshape(-1, n_classes)
    sets = [
        Together(tuple((np.flatnonzero(holds[i]) + 1).tolist()), _counts(n))
        for i, n in zip(first, rows, strict=True)
    ]
    empty = _counts(np.zeros(n_classes, dtype=np.intp))
    none = next((s for s in sets if not s.terms), Together((), empty))
    marked = sorted((s for s in sets if s.terms), key=lambda s: (-s.rows, s.terms))
    alone = {s.terms: s for s in marked if len(s.terms) == 1}
    rest = marked[_MOST_TOGETHER:]
    return Overlap(
        tuple(marked[:_MOST_TOGETHER]),
        len(rest),
        sum(s.rows for s in rest),
        none,
        tuple(alone.get((t,), Together((t,), empty)) for t in range(1, holds.shape[1] + 1)),
    )


def _counts(rows: NDArray[np.intp]) -> tuple[int, ...]:
    return tuple(map(int, rows))
