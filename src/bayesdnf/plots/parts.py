"""The rates of one list: an interval for each of its parts, in every stratum."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..checks import whole
from ..display.markup import shown
from ..errors import InputError
from ..model.rule import layers_of
from .fonts import legible
from .labels import cut_lines, fitted, if_elif, plain, shortened
from .panels import FAINT, LINE, MARKS, PALETTE, label_room, name_rows, one_panel, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..model.rule import Rule
    from ..sampling.draws import Draws

_ENDS = (0.025, 0.5, 0.975)
_LEGEND = 75  # characters in a line of it


def part_rates(draws: Draws, number: int | None = None, *, ax: Axes | None = None) -> Axes:
    """Draw the rates of the parts of one function or list, in every stratum.

    Parameters
    ----------
    draws : Draws
        Draws from :func:`bayesdnf.sample`.
    number : int, optional
        Number as in ``draws.function(number)``; by default the most probable function or list.
    ax : Axes, optional
        Axes to draw into; a new figure by default.

    Returns
    -------
    Axes
        A row is a part: the layer that is evaluated first on top, ``else`` at the bottom. A mark
        is the median of its drawn rates, a line their central 95 %.

    Examples
    --------
    >>> from bayesdnf import BitMatrix, Posterior, sample, simulate
    >>> from bayesdnf import plots
    >>> X, y, truth = simulate(300, 10, random_state=0)
    >>> posterior = Posterior(BitMatrix.from_table(X), y, layers=2)
    >>> drawn = sample(posterior, draws=100, warmup=100, random_state=0)
    >>> ax = plots.part_rates(drawn)
    >>> ax.get_yticklabels()[1].get_text()
    'else'
    >>> import matplotlib.pyplot as plt
    >>> plt.close(ax.figure)
    """
    if number is None:
        number = int(draws.answers.number[0])
    number = whole("number", "plots.part_rates", number, 0, draws.n_functions - 1)
    if draws.n_classes > 2:
        raise InputError(
            f"plots.part_rates draws the risk of one class, and these draws are of "
            f"{draws.n_classes} classes; sample with positive=, or see the report of a "
            f"PosteriorDNFClassifier."
        )
    rule = draws.function(number)
    n_parts = len(layers_of(rule)) + 1
    names = _names(rule, *label_room(ax, 8, n_parts, 4))
    strata = shortened([shown(label) for label in draws.strata], 20) or [""]
    columns = max(1, _LEGEND // (max(map(len, strata)) + 6))
    lines = max(name.count("\n") + 1 for name in names)
    row = max(0.35, LINE * lines + 0.15, 0.16 * len(strata))
    ax = one_panel(ax, (8, 1.2 + n_parts * row + 0.2 * -(-len(strata) // columns)))

    rates = draws.rates[draws.index == number][:, :, n_parts - 1 :: -1]
    low, middle, high = np.quantile(rates, _ENDS, axis=0)
    lane = 0.7 / len(strata)
    for i, label in enumerate(strata):
        heights = np.arange(n_parts) + (i + 0.5) * lane - 0.35
        color, mark = PALETTE[i % len(PALETTE)], MARKS[i // len(PALETTE) % len(MARKS)]
        ax.hlines(heights, low[i], high[i], color=color, linewidth=1.8)
        ax.plot(middle[i], heights, mark, color=color, markersize=5, label=label, clip_on=False)
    name_rows(ax, names)
    tidy(ax)
    ax.set_xlim(0, 1)
    ax.grid(axis="x", color=FAINT)
    ax.set_axisbelow(True)
    if len(strata) > 1:
        legend = ax.legend(
            loc="lower left", bbox_to_anchor=(0, 1), ncols=columns, frameon=False,
            fontsize="small", borderaxespad=0.2,
        )  # fmt: skip
        for text in legend.get_texts():
            plain(text)
    n_drawn = len(rates)
    ax.set_xlabel(f"rate: median and 95 % of {n_drawn:,} draw{'s' * (n_drawn != 1)}")
    return legible(ax)


def _names(rule: Rule, width: int, most: int) -> list[str]:
    if rule.is_null:
        return ["every row"]
    layers = [f.terms for f in layers_of(rule)[::-1]]
    lines = if_elif(fitted(layers, width - 5, most))
    return [cut_lines(its, most, "…") for its in lines] + ["else"]
