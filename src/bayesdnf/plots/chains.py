"""Trace plots of chains (rates, log posterior, sizes), and the functions of each chain."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..checks import whole
from ..errors import InputError
from .fonts import legible
from .labels import function_texts, probability_text
from .panels import (
    BAR,
    LINE,
    AxesArray,
    chain_legend,
    chain_styles,
    draw_trace,
    label_room,
    name_rows,
    one_panel,
    panels,
    probability_scale,
    tidy,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..sampling.draws import Draws


def rates(draws: Draws, *, axes: object = None) -> AxesArray:
    """Draw traces and histograms of the two rates of functions without strata, chain by chain.

    Parameters
    ----------
    draws : Draws
        Draws from :func:`bayesdnf.sample`.
    axes : array of 4 Axes, optional
        Axes of trace and histogram of π0, then of π1; a new figure by default.

    Returns
    -------
    ndarray of Axes of shape (2, 2)

    Notes
    -----
    Where the null function is drawn, π0 and π1 are one rate. Lists and strata have more rates,
    which :func:`part_rates` draws.

    Examples
    --------
    >>> from bayesdnf import BitMatrix, Posterior, sample, simulate
    >>> from bayesdnf import plots
    >>> X, y, truth = simulate(300, 10, random_state=0)
    >>> posterior = Posterior(BitMatrix.from_table(X), y)
    >>> drawn = sample(posterior, draws=100, warmup=100, random_state=0)
    >>> axes = plots.rates(drawn)
    >>> axes[1, 0].get_ylabel()
    'π1, rate of marked rows'
    >>> import matplotlib.pyplot as plt
    >>> plt.close(axes[0, 0].figure)
    """
    if not draws.simple:
        raise InputError(
            "Lists and strata have more than two rates; plots.part_rates draws those of one list."
        )
    rows = {"π0, rate of unmarked rows": draws.pi0, "π1, rate of marked rows": draws.pi1}
    grid = panels(axes, "plots.rates", 2, 2, (8, 4.8), width_ratios=[3, 1])
    for row, (label, values) in zip(grid, rows.items(), strict=True):
        draw_trace(row[0], row[1], values)
        row[0].set_ylabel(label)
    _finish(grid)
    return legible(grid)


def trace(draws: Draws, *, axes: object = None) -> AxesArray:
    """Draw traces of the log posterior and of the numbers of terms and literals, chain by chain.

    For lists, the number of layers comes last. Integers have a lane for each chain, so that chains
    do not hide each other.

    Parameters
    ----------
    draws : Draws
        Draws from :func:`bayesdnf.sample`.
    axes : array of 6 Axes, of 8 for lists, optional
        Axes of trace and histogram of each quantity; a new figure by default.

    Returns
    -------
    ndarray of Axes of shape (3, 2), for lists (4, 2)

    Examples
    --------
    >>> from bayesdnf import BitMatrix, Posterior, sample, simulate
    >>> from bayesdnf import plots
    >>> X, y, truth = simulate(300, 10, random_state=0)
    >>> posterior = Posterior(BitMatrix.from_table(X), y)
    >>> drawn = sample(posterior, draws=100, warmup=100, random_state=0)
    >>> axes = plots.trace(drawn)
    >>> [ax.get_ylabel() for ax in axes[:, 0]]
    ['log posterior', 'terms', 'literals']
    >>> import matplotlib.pyplot as plt
    >>> plt.close(axes[0, 0].figure)
    """
    scalars = draws.scalars()
    names = [x for x in ("log_posterior", "terms", "literals", "layers") if x in scalars]
    size = (8, 0.4 + 2 * len(names))
    grid = panels(axes, "plots.trace", len(names), 2, size, width_ratios=[3, 1])
    for row, name in zip(grid, names, strict=True):
        draw_trace(row[0], row[1], scalars[name], counts=name != "log_posterior")
        row[0].set_ylabel(name.replace("_", " "))
    _finish(grid)
    return grid


def _finish(grid: AxesArray) -> None:
    chain_legend(grid[0, 0])
    grid[-1, 0].set_xlabel("draw")
    grid[-1, 1].set_xlabel("share of draws")
    for upper in grid[:-1, 0]:
        upper.tick_params(labelbottom=False)


def function_posterior(draws: Draws, most: int = 10, *, ax: Axes | None = None) -> Axes:
    """Draw the probabilities of the most probable functions: all chains, and each of them.

    Lists that partition the rows in the same way are one row, named by the most probable of them.

    Parameters
    ----------
    draws : Draws
        Draws from :func:`bayesdnf.sample`.
    most : int, default=10
        Maximum number of functions to show.
    ax : Axes, optional
        Axes to draw into; a new figure by default.

    Returns
    -------
    Axes
        A bar and the number at the right are a function's share of all draws, a mark its share of
        one chain's.

    Examples
    --------
    >>> from bayesdnf import BitMatrix, Posterior, sample, simulate
    >>> from bayesdnf import plots
    >>> X, y, truth = simulate(300, 10, random_state=0)
    >>> posterior = Posterior(BitMatrix.from_table(X), y)
    >>> drawn = sample(posterior, draws=100, warmup=100, random_state=0)
    >>> ax = plots.function_posterior(drawn)
    >>> ax.get_yticklabels()[0].get_text() == str(truth)
    True
    >>> import matplotlib.pyplot as plt
    >>> plt.close(ax.figure)
    """
    most = whole("most", "plots.function_posterior", most, 1)
    shown = draws.answers.number[:most].tolist()
    names = function_texts(draws, shown, *label_room(ax, 8, len(shown), 5))
    lines = max(name.count("\n") + 1 for name in names)
    ax = one_panel(ax, (8, 1.3 + len(names) * max(0.3, LINE * lines + 0.1)))
    probability = draws.answers.probability[: len(shown)]
    by_chain = draws.answers.counts[:, : len(shown)] / draws.n_draws
    rows = np.arange(len(shown), dtype=np.float64)
    ax.barh(rows, probability, height=0.75, color=BAR, label="all chains")
    lane = 0.7 / draws.n_chains
    # The marks of a single chain would repeat the bars.
    styles = chain_styles(draws.n_chains) if draws.n_chains > 1 else []
    for number, style in enumerate(styles):
        ax.plot(
            by_chain[number],
            rows + (number + 0.5) * lane - 0.35,
            linestyle="",
            marker=style.mark,
            markersize=4.5,
            color=style.color,
            clip_on=False,
            label=style.name,
        )
    name_rows(ax, names)
    tidy(ax)
    probability_scale(ax, float(by_chain.max()), 1.05)
    for row, value in zip(rows, probability, strict=True):
        ax.text(
            1.02,
            row,
            probability_text(float(value)),
            transform=ax.get_yaxis_transform(),
            va="center",
            fontsize="small",
        )
    chain_legend(ax, "lower right")
    ax.set_xlabel(f"posterior probability\n{_rest(draws, len(shown))}")
    return legible(ax)


def _rest(draws: Draws, shown: int) -> str:
    rest = draws.answers.probability[shown:]
    what = "function" if draws.layers == 1 else "partition"
    if not len(rest):
        return f"all {what}s drawn are shown"
    share = probability_text(float(rest.sum()))
    others = f"one more {what} has" if len(rest) == 1 else f"{len(rest):,} more {what}s share"
    return f"{others} {share}"
