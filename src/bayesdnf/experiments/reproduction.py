"""The result of a reproduction: figures of the paper and ours, and the claims tested."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .work import PAPER_SETS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAPER, FAITHFUL, OURS = "paper", "paper's settings", "our defaults"


class Measure(NamedTuple):
    """One column of figures: its name in files, its name for people, its decimals."""

    name: str
    label: str
    digits: int


class Row(NamedTuple):
    """Figures of one cell of a table from one source; errors are over data sets."""

    cell: tuple[Any, ...]
    source: str
    sets: int
    values: Mapping[str, float]
    errors: Mapping[str, float]
    expression: str = ""


class Claim(NamedTuple):
    """A claim, whether it was reproduced, and the figures."""

    text: str
    holds: bool
    found: str


@dataclass(frozen=True)
class Reproduction:
    """Reproduction of one table or figure of the paper.

    Attributes
    ----------
    name, title : str
        For files and for people.
    label : str
        The table's or figure's label in the paper.
    settings : str
        Description of the settings.
    keys : tuple of str
        Names of the settings that identify a cell.
    measures : tuple of Measure
        The quantities that are compared.
    rows : tuple of Row
        The figures, cell by cell and source by source.
    claims : tuple of Claim
        The claims that were tested.
    words : tuple of str
        Paragraphs: agreements, differences and reasons.
    draw : callable
        Makes the picture.
    """

    name: str
    title: str
    label: str
    settings: str
    keys: tuple[str, ...]
    measures: tuple[Measure, ...]
    rows: tuple[Row, ...]
    claims: tuple[Claim, ...]
    words: tuple[str, ...]
    draw: Callable[[Reproduction], Figure] = field(repr=False)

    def value(self, name: str, source: str, *cell: Any) -> float:
        """Return the figure of a source in a cell, over the most data sets."""
        return self.row(source, *cell).values[name]

    def row(self, source: str, *cell: Any) -> Row:
        """Return the row of a source in a cell with the most data sets."""
        return find(self.rows, source, *cell)


def find(rows: Sequence[Row], source: str, *cell: Any, first: bool = False) -> Row:
    """Return the row of a source in a cell: on all data sets, or on the first ones alone."""
    there = [row for row in rows if row.source == source and row.cell == cell]
    return (min if first else max)(there, key=lambda row: row.sets)


def summary(cell: tuple[Any, ...], source: str, runs: Sequence[Any]) -> list[Row]:
    """Return means and standard errors of runs, one for each data set.

    Parameters
    ----------
    cell, source
        Cell and source of the rows.
    runs : sequence of named tuples of numbers
        By data set.

    Returns
    -------
    list of Row
        Over as many data sets as the paper has and, where there are more, over all.
    """
    names = runs[0]._fields
    # Over as many sets as the paper has, for comparison with it, and over all, for precision.
    sizes = sorted({min(PAPER_SETS, len(runs)), len(runs)})
    rows = []
    for n in sizes:
        table = np.asarray(runs[:n], dtype=np.float64)
        means = table.mean(axis=0)
        errors = table.std(axis=0, ddof=1) / math.sqrt(n) if n > 1 else np.full(len(names), np.nan)
        rows.append(
            Row(
                cell,
                source,
                n,
                dict(zip(names, means.tolist(), strict=True)),
                dict(zip(names, errors.tolist(), strict=True)),
            )
        )
    return rows


class Difference(NamedTuple):
    """Difference between the paper's rate and ours, with its standard error."""

    below: float
    error: float

    @property
    def within_two(self) -> bool:
        """Whether that is no more than two standard errors."""
        return self.below <= 2 * self.error + 1e-12


def rate_below(paper: Row, ours: Row, name: str) -> Difference:
    """Compare two rates, counting the sampling error of both.

    The paper's rates are from ten data sets and often 1, for which the usual standard error is 0.
    So the standard error is computed from the pooled rate.

    Examples
    --------
    >>> from bayesdnf.experiments.reproduction import Row, rate_below
    >>> paper = Row((), "paper", 10, {"term 1": 1.0}, {})
    >>> ours = Row((), "paper's settings", 200, {"term 1": 0.9}, {})
    >>> round(rate_below(paper, ours, "term 1").error, 3)
    0.095
    """
    n, m = paper.sets, ours.sets
    p, q = paper.values[name], ours.values[name]
    pooled = (n * p + m * q) / (n + m)
    return Difference(p - q, math.sqrt(pooled * (1 - pooled) * (1 / n + 1 / m)))


def printed(
    keys: int, measures: Sequence[Measure], table: Sequence[Sequence[float]]
) -> dict[tuple[Any, ...], Row]:
    """Read a table of the paper: the first columns name the cell, the others are its figures."""
    names = [measure.name for measure in measures]
    rows = {}
    for line in table:
        cell, values = tuple(line[:keys]), line[keys:]
        figures = dict(zip(names, values, strict=False))
        rows[cell] = Row(cell, PAPER, PAPER_SETS, figures, {})
    return rows


def beside(paper: Mapping[tuple[Any, ...], Row], ours: Sequence[Row]) -> tuple[Row, ...]:
    """Merge our rows with those of the paper, cell by cell; rows without a cell come last."""
    rows: list[Row] = []
    for cell, row in paper.items():
        rows += [row, *(other for other in ours if other.cell == cell)]
    return (*rows, *(row for row in ours if row.cell not in paper))
