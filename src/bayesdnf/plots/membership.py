"""Inclusion probabilities of literals, attributes and terms, and pairs of literals in one term."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..checks import whole
from ..errors import ParameterError
from ..sampling.drawn.shares import term_text
from .fonts import legible
from .labels import literal_names, plain, probability_text, shortened, term_texts
from .panels import (
    INK,
    LINE,
    Floats,
    label_room,
    name_rows,
    one_panel,
    probability_bars,
    say,
    tidy,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..sampling.draws import Draws

NOTHING = "Every draw is the null function:\nno literal to show."
NO_PAIR = "No term holds two literals."
_HELD = {
    "literal": "the function contains the literal",
    "attribute": "the function uses the attribute",
    "term": "the function contains the term",
    "pair": "one term contains both literals",
    "attribute pair": "one term contains literals of both",
}
_TOGETHER = {"literal": "contains the literal", "attribute": "uses the attribute"}


def inclusion(
    draws: Draws, kind: str = "literal", most: int = 20, *, ax: Axes | None = None
) -> Axes:
    """Plot inclusion probabilities of literals, attributes, terms or pairs.

    Parameters
    ----------
    draws : Draws
        Draws from :func:`bayesdnf.sample`.
    kind : {"literal", "attribute", "term", "pair"}, default="literal"
        Kind of item; a pair is two literals in one term.
    most : int, default=20
        Maximum number of items to show, most probable first.
    ax : Axes, optional
        Axes to draw into; a new figure by default.

    Returns
    -------
    Axes
        Bars are shares of all draws; whiskers reach from the lowest to the highest chain.

    Examples
    --------
    >>> from bayesdnf import BitMatrix, Posterior, sample, simulate
    >>> from bayesdnf import plots
    >>> X, y, truth = simulate(300, 10, random_state=0)
    >>> posterior = Posterior(BitMatrix.from_table(X), y)
    >>> drawn = sample(posterior, draws=100, warmup=100, random_state=0)
    >>> ax = plots.inclusion(drawn, "term")
    >>> sorted(text.get_text() for text in ax.get_yticklabels()[:2])
    ['x0 AND x1', 'x2 AND x3']
    >>> import matplotlib.pyplot as plt
    >>> plt.close(ax.figure)
    """
    most = whole("most", "plots.inclusion", most, 1)
    shares = draws.inclusion_by_chain(kind)
    mean = shares.probability
    order = np.argsort(-mean, kind="stable")
    order = order[mean[order] > 0]
    shown = order[:most]
    if not len(shown):
        return say(one_panel(ax, (7, 1.5)), NO_PAIR if draws.n_terms.any() else _nothing(draws))
    room = label_room(ax, 7, len(shown), 3)
    if kind == "literal":
        names = literal_names(draws, shown.tolist(), room.width)
    elif kind == "attribute":
        names = shortened([shares.names[i] for i in shown], room.width)
    else:
        names = term_texts([shares.names[i] for i in shown], *room)
    lines = max(name.count("\n") + 1 for name in names)
    ax = one_panel(ax, (7, 1.1 + len(names) * max(0.24, LINE * lines + 0.08)))
    probability_bars(ax, mean[shown], shares.frequency[:, shown])
    name_rows(ax, names)
    tidy(ax)
    held = _HELD[kind].replace("function", draws.noun)
    ax.set_xlabel(f"probability that {held}{_rest(mean[order[most:]])}")
    return legible(ax)


def _nothing(draws: Draws) -> str:
    return NOTHING.replace("function", draws.noun)


def _rest(left: Floats) -> str:
    """Return the note about items that are not shown."""
    if not len(left):
        return ""
    largest = probability_text(float(left[0]))
    return (
        f"\n{len(left):,} more, at most {largest} each"
        if len(left) > 1
        else f"\none more, {largest}"
    )


def coinclusion(
    draws: Draws, most: int = 12, *, kind: str = "literal", ax: Axes | None = None
) -> Axes:
    """Plot the probability that two literals or attributes are in one term, as a matrix.

    Parameters
    ----------
    draws : Draws
        Draws from :func:`bayesdnf.sample`.
    most : int, default=12
        Maximum number of items to show, the most probable ones.
    kind : {"literal", "attribute"}, default="literal"
        Kind of item; two attributes are in one term if literals of both are.
    ax : Axes, optional
        Axes to draw into; a new figure by default.

    Returns
    -------
    Axes
        The framed diagonal is the probability that the function contains the literal, or uses the
        attribute; below it is the probability that some term holds both. Blank means never.

    Examples
    --------
    >>> from bayesdnf import BitMatrix, Posterior, sample, simulate
    >>> from bayesdnf import plots
    >>> X, y, truth = simulate(300, 10, random_state=0)
    >>> posterior = Posterior(BitMatrix.from_table(X), y)
    >>> drawn = sample(posterior, draws=100, warmup=100, random_state=0)
    >>> ax = plots.coinclusion(drawn, most=4)
    >>> sorted(text.get_text() for text in ax.get_yticklabels())
    ['x0', 'x1', 'x2', 'x3']
    >>> import matplotlib.pyplot as plt
    >>> plt.close(ax.figure)
    """
    most = whole("most", "plots.coinclusion", most, 1)
    if kind not in _TOGETHER:
        must = " or ".join(map(repr, _TOGETHER))
        raise ParameterError.of("kind", "plots.coinclusion", must, kind)
    items = draws.inclusion_by_chain(kind)
    single = items.probability
    order = np.argsort(-single, kind="stable")
    shown = order[single[order] > 0][:most].tolist()
    n = len(shown)
    if not shown:
        return say(one_panel(ax, (7, 1.5)), _nothing(draws))
    if kind == "literal":
        names = literal_names(draws, shown, 36)
    else:
        names = shortened([items.names[i] for i in shown], 36)
    label = 0.068 * max(map(len, names))
    ax = one_panel(ax, (max(4.6, 0.4 + label + 0.48 * n), 0.8 + 0.75 * label + 0.36 * max(2, n)))
    from matplotlib.patches import Rectangle

    table = _together(draws, kind, shown, single)
    ax.imshow(np.ma.masked_invalid(table), cmap="Blues", vmin=0, vmax=1.15, aspect="auto")
    for i in range(n):
        for j in range(i + 1):
            if table[i, j] > 0:
                _number(ax, i, j, float(table[i, j]))
        ax.add_patch(Rectangle((i - 0.5, i - 0.5), 1, 1, fill=False, edgecolor=INK))
    name_rows(ax, names)
    ax.set_ylim(n - 0.5, -0.5)
    ax.set_xlim(-0.5, n - 0.5)
    ax.set_xticks(range(n), names, rotation=45, ha="right", rotation_mode="anchor")
    for text in ax.get_xticklabels():
        plain(text)
    ax.tick_params(axis="both", length=0, labelsize="small")
    ax.spines[:].set_visible(False)
    ax.set_title(
        f"framed: probability that the {draws.noun} {_TOGETHER[kind]}\n"
        "below: probability that one term contains both",
        fontsize="small",
    )
    return legible(ax)


def _together(draws: Draws, kind: str, shown: list[int], single: Floats) -> Floats:
    """Build the matrix: pairs in the lower triangle, single items on the diagonal, else NaN."""
    pairs = draws.inclusion_by_chain("pair" if kind == "literal" else "attribute pair")
    names = draws.inclusion_by_chain(kind).names
    by_name = dict(zip(pairs.names, pairs.probability, strict=True))
    table = np.full((len(shown), len(shown)), np.nan)
    for i, first in enumerate(shown):
        table[i, i] = single[first]
        for j, second in enumerate(shown[:i]):
            if kind == "literal":
                name = term_text([draws.literals[first], draws.literals[second]])
            else:
                name = " AND ".join(sorted((names[first], names[second])))
            table[i, j] = by_name.get(name, 0.0)
    return table


def _number(ax: Axes, row: int, column: int, value: float) -> None:
    text = f"{value:.2f}" if value >= 0.005 else "<0.01"
    if value >= 0.995:
        text = probability_text(value)
    color = "white" if value > 0.6 else INK
    ax.text(column, row, text, ha="center", va="center", fontsize="small", color=color)
