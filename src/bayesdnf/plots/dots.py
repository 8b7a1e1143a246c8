"""The most probable functions: a dot for each literal, a line for each term."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..boolean import Literal
from ..checks import whole
from ..model.rule import layers_of
from .fonts import legible
from .labels import literal_names, null_text, plain
from .panels import (
    BAND,
    FAINT,
    INK,
    MARKS,
    PALETTE,
    AxesArray,
    panels,
    probability_bars,
    tidy,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..sampling.draws import Draws

Term = tuple[Literal, ...]
Row = list[list[Term]]
"""The terms of each layer of a function or list, in the order of evaluation."""
_LANE = 0.17  # inches for a term
_COLUMN, _CLOSE = 0.3, 0.17  # inches for a literal, and for one of many
_WORD = 0.4  # inches for "elif"


def functions(draws: Draws, most: int = 8, *, axes: object = None) -> AxesArray:
    """Draw the terms of the most probable functions, with their probabilities.

    A row is a function, a line in it a term, and the dots on the line its literals; terms of one
    literal are single dots, all at one height. A term of several functions keeps its colour and
    mark; dots of other terms are hollow. The layers of a list are below each other, the one that is
    evaluated first on top; lists that partition the rows in the same way are one row.

    Parameters
    ----------
    draws : Draws
        Draws from :func:`bayesdnf.sample`.
    most : int, default=8
        Maximum number of functions to show.
    axes : array of 2 Axes, optional
        Axes of the terms and of the bars; a new figure by default.

    Returns
    -------
    ndarray of Axes of shape (2,)
        Rows are numbered as in ``draws.function(number)``.

    Examples
    --------
    >>> from bayesdnf import BitMatrix, Posterior, sample, simulate
    >>> from bayesdnf import plots
    >>> X, y, truth = simulate(300, 10, random_state=0)
    >>> posterior = Posterior(BitMatrix.from_table(X), y)
    >>> drawn = sample(posterior, draws=100, warmup=100, random_state=0)
    >>> axes = plots.functions(drawn)
    >>> [text.get_text() for text in axes[0].get_xticklabels()][:4]
    ['x0', 'x1', 'x2', 'x3']
    >>> import matplotlib.pyplot as plt
    >>> plt.close(axes[0].figure)
    """
    most = whole("most", "plots.functions", most, 1)
    numbers = draws.answers.number[:most].tolist()
    rows, often = _rows(draws, numbers)
    literals = list(dict.fromkeys(x for term in often for x in term))
    place = {literal: i for i, literal in enumerate(draws.literals)}
    names = literal_names(draws, [place[x] for x in literals], 36)

    heights = np.array([max(itertools.chain([0], *_lanes(row))) + 1.6 for row in rows])
    ends = np.cumsum(heights)
    starts = ends - heights
    wide = max(3.6, min(11.0, _COLUMN * len(literals)), _CLOSE * len(literals))
    upright = max(map(len, names), default=0) <= 4 and _COLUMN * len(literals) <= 11
    header = 0.2 if upright else 0.068 * max(map(len, names))
    size = (wide + 2.4, 1.0 + header + _LANE * ends[-1])
    left, right = panels(axes, "plots.functions", 1, 2, size, width_ratios=[wide, 1.7])[0]

    styles = _styles(often, len(rows))
    column = {literal: i for i, literal in enumerate(literals)}
    indent = _WORD * max(1, len(literals)) / wide if draws.layers > 1 else 0.0
    for row, start in zip(rows, starts, strict=True):
        if not row:
            null = null_text(draws)
            left.text(-0.4, start + 0.8, null, va="center", fontsize="small", style="italic")
        _draw(left, row, start + 0.8, column, styles)
        if draws.layers > 1:
            _word_layers(left, row, start + 0.8, -0.5 - indent)
    middle = (starts + ends) / 2
    by_chain = draws.answers.counts[:, : len(rows)] / draws.n_draws
    probability = draws.answers.probability[: len(rows)]
    probability_bars(right, probability, by_chain, middle, bar=0.9)
    for ax in (left, right):
        for start, end in zip(starts[1::2], ends[1::2], strict=True):
            ax.axhspan(start, end, color=BAND, zorder=-2, linewidth=0)
        ax.set_ylim(ends[-1], 0)
        tidy(ax)
    _name_columns(left, names, upright, indent)
    left.set_yticks(middle, [str(i) for i in numbers])
    left.set_ylabel(draws.noun)
    left.set_xlabel(_note(draws, set(styles.values())), fontsize="small")
    right.set_yticks([])
    right.set_xlabel("probability")
    return legible(np.array([left, right], dtype=object))


class TermStyle(NamedTuple):
    """How a term is drawn."""

    color: str
    mark: str
    fill: str


HOLLOW = TermStyle(INK, "o", "white")


def _rows(draws: Draws, numbers: list[int]) -> tuple[list[Row], dict[Term, int]]:
    """List the terms of each layer of each function, and how many functions have each term.

    Common terms come first.
    """
    rules = [layers_of(draws.function(i))[::-1] for i in numbers]
    times = Counter(term for layers in rules for f in layers for term in f.literal_terms)
    often = dict(times.most_common())  # of equally common ones the first seen comes first
    rank = {term: i for i, term in enumerate(often)}
    rows = [[sorted(f.literal_terms, key=rank.__getitem__) for f in layers] for layers in rules]
    return rows, often


def _lanes(row: Row) -> list[list[int]]:
    """Return the height of each term in its row: those of one literal share a layer's first."""
    lanes: list[list[int]] = []
    top = 0
    for terms in row:
        longer = itertools.count(top + any(len(term) == 1 for term in terms))
        lanes.append([top if len(term) == 1 else next(longer) for term in terms])
        top = max(lanes[-1]) + 1
    return lanes


def _draw(
    ax: Axes,
    row: Row,
    top: float,
    column: dict[Literal, int],
    styles: dict[Term, TermStyle],
) -> None:
    """Draw a function or list, its first term at a height."""
    for terms, lanes in zip(row, _lanes(row), strict=True):
        for term, lane in zip(terms, lanes, strict=True):
            style = styles[term]
            ax.plot(
                sorted(column[literal] for literal in term),
                np.full(len(term), top + lane),
                color=style.color,
                marker=style.mark,
                markersize=6,
                markerfacecolor=style.fill,
                linewidth=1.8,
            )


def _word_layers(ax: Axes, row: Row, top: float, left: float) -> None:
    """Write if and elif beside the first term of each layer."""
    for number, lanes in enumerate(_lanes(row)):
        word = "elif" if number else "if"
        ax.text(left, top + min(lanes), word, va="center", fontsize="small")


def _styles(often: dict[Term, int], n_rows: int) -> dict[Term, TermStyle]:
    """Assign colours and marks to common terms, or to all terms of a single function."""
    styles = {}
    for i, (term, times) in enumerate(often.items()):
        color, mark = PALETTE[i % len(PALETTE)], MARKS[i // len(PALETTE) % len(MARKS)]
        styles[term] = TermStyle(color, mark, color) if times > 1 or n_rows == 1 else HOLLOW
    return styles


def _name_columns(ax: Axes, names: list[str], upright: bool, indent: float) -> None:
    ax.set_xlim(-0.6 - indent, max(1, len(names)) - 0.4)
    ax.xaxis.tick_top()
    ax.set_xticks(range(len(names)), names, rotation=0 if upright else 90)
    for text in ax.get_xticklabels():
        plain(text)
    ax.tick_params(axis="both", length=0)
    ax.grid(axis="x", color=FAINT, zorder=-1)
    ax.set_axisbelow(True)
    ax.spines[:].set_visible(False)


def _note(draws: Draws, styles: Collection[TermStyle]) -> str:
    """Return the notes that explain the plot."""
    if not styles:
        return ""
    lines = ["dots on a line: AND; lines and lone dots of a function: OR"]
    if draws.layers > 1:
        lines = ["dots on a line: AND; lines and lone dots of a layer: OR"]
        lines.append("layers are evaluated from top to bottom")
    if HOLLOW in styles:
        lines.append(f"hollow: a term of this {draws.noun} alone")
    return "\n".join(lines)
