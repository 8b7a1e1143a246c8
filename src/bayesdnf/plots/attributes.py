"""Importance of attributes, and averaged risks along one of them (partial dependence)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..checks import whole
from .fonts import legible
from .labels import plain, shortened
from .panels import (
    BAR,
    INK,
    PALETTE,
    AxesArray,
    label_room,
    name_rows,
    one_panel,
    panels,
    say,
    tidy,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from ..estimators.posterior_classifier import PosteriorDNFClassifier

_NOTHING = "No drawn rule uses an attribute."


def importance(
    model: PosteriorDNFClassifier, X: Any, y: Any, most: int = 15, *, axes: object = None
) -> AxesArray:
    """Plot the importance of attributes: inclusion probability and increase of log loss.

    Parameters
    ----------
    model : PosteriorDNFClassifier
        A fitted classifier.
    X, y
        Rows and their labels, best those that were held out.
    most : int, default=15
        Number of attributes to show, by decreasing increase of the log loss.
    axes : pair of Axes, optional
        Axes to draw into; a new figure by default.

    Returns
    -------
    ndarray of Axes
        One row of two: inclusion, and the rise of the log loss in nats a row.

    Examples
    --------
    >>> from bayesdnf import PosteriorDNFClassifier, plots, simulate
    >>> X, y, truth = simulate(300, 10, random_state=1)
    >>> clf = PosteriorDNFClassifier(draws=200, warmup=100, random_state=0).fit(X, y)
    >>> axes = plots.importance(clf, X, y, most=4)
    >>> sorted(text.get_text() for text in axes[0, 0].get_yticklabels())
    ['x0', 'x1', 'x2', 'x3']
    >>> import matplotlib.pyplot as plt
    >>> plt.close(axes[0, 0].figure)
    """
    most = whole("most", "plots.importance", most, 1)
    return legible(draw_importance(model.importance(X, y), most, axes))


def draw_importance(table: pd.DataFrame, most: int = 15, axes: object = None) -> AxesArray:
    """Draw what :meth:`PosteriorDNFClassifier.importance` found."""
    shown = table[:most]
    made = panels(axes, "plots.importance", 1, 2, (7.5, 1.1 + 0.26 * max(2, len(shown))))
    included, lost = made[0]
    if not len(shown):
        say(included, _NOTHING)
        say(lost, "")
        return made
    places = np.arange(len(shown))
    included.barh(places, shown["inclusion"], height=0.6, color=BAR, edgecolor=INK, linewidth=0.6)
    included.set_xlim(0, 1.02)
    name_rows(included, shortened(shown["attribute"].tolist(), label_room(None, 7.5, 1, 1).width))
    included.set_xlabel("probability that the rule uses it")
    lost.barh(places, shown["log_loss"], height=0.6, color=PALETTE[0])
    lost.axvline(0, color=INK, linewidth=0.8)
    name_rows(lost, [""] * len(shown))
    left = f"\n{len(table) - len(shown):,} more attributes" if len(table) > len(shown) else ""
    lost.set_xlabel(f"log loss without it, less with it (nats a row){left}")
    for ax in (included, lost):
        tidy(ax)
    return made


def risk_along(
    model: PosteriorDNFClassifier, X: Any, attribute: str, *, ax: Axes | None = None
) -> Axes:
    """Plot the averaged risk along one attribute (partial dependence).

    Parameters
    ----------
    model : PosteriorDNFClassifier
        A fitted classifier.
    X : table
        The rows over which to take means.
    attribute : str
        The column.
    ax : Axes, optional
        Axes to draw into; a new figure by default.

    Returns
    -------
    Axes
        The line, or the marks of texts and of single numbers, are the mean risk of all rows were
        the attribute so; the band, or whiskers, its 95 % interval over drawn rules and rates. The
        dashed line is the mean risk of the rows as they are. With more than two classes each has
        its color.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf import PosteriorDNFClassifier, plots
    >>> rng = np.random.default_rng(0)
    >>> table = {"age": rng.integers(20, 80, 300), "dose": rng.integers(0, 3, 300)}
    >>> y = rng.random(300) < np.where(table["age"] >= 50, 0.8, 0.2)
    >>> clf = PosteriorDNFClassifier(draws=200, warmup=100, random_state=0).fit(table, y)
    >>> ax = plots.risk_along(clf, table, "age")
    >>> ax.get_xlabel()
    'age'
    >>> import matplotlib.pyplot as plt
    >>> plt.close(ax.figure)
    """
    stretches = model.risk_along(X, attribute)
    ax = one_panel(ax, (5.6, 3.2))
    means = model.predict_proba(X).mean(axis=0)
    if model.positive_ is not None:
        means = means[[model._positive_index]]
        curves, label = [("", stretches)], f"P({model.positive_!s})"
    else:
        curves, label = [(str(x), own) for x, own in stretches.groupby("class")], "P(class)"
    absent = []
    for number, (name, own) in enumerate(curves):
        color = PALETTE[number % len(PALETTE)]
        numbers = own[own["first"].notna()]
        if (numbers["first"] < numbers["last"]).any():
            _draw_steps(ax, numbers, color, name)
            absent += own[own["first"].isna()].to_dict("records")  # missing values
        else:
            _draw_marks(ax, own, color, name, (number - (len(curves) - 1) / 2) / (2 * len(curves)))
        ax.axhline(means[number], color=color if name else INK, linewidth=0.8, linestyle="--")
    if len(curves) > 1:
        _name_classes(ax, [name for name, _ in curves])
    elif absent:
        risk, low, high = (absent[0][name] for name in ("risk", "low", "high"))
        note = f"missing: {risk:.3f} [{low:.3f}, {high:.3f}]"
        ax.set_title(note, fontsize="small")
    ax.set_ylim(0, 1.02)
    plain(ax.set_xlabel(str(attribute)))
    plain(ax.set_ylabel(label))
    tidy(ax)
    return legible(ax)


def _name_classes(ax: Axes, names: list[str]) -> None:
    colors = [PALETTE[number % len(PALETTE)] for number in range(len(names))]
    from matplotlib.lines import Line2D

    legend = ax.legend(
        [Line2D([], [], color=color, linewidth=2) for color in colors], shortened(names, 20),
        loc="lower left", bbox_to_anchor=(0, 1), ncols=4, frameon=False, fontsize="small",
    )  # fmt: skip
    for text in legend.get_texts():
        plain(text)


def _draw_steps(ax: Axes, numbers: pd.DataFrame, color: str, name: str) -> None:
    """Draw a step for each interval, from its first value to that of the next interval."""
    first, last = numbers["first"].to_numpy(), numbers["last"].to_numpy()
    edges = np.append(first, max(last[-1], np.nextafter(first[-1], np.inf)))
    ax.stairs(numbers["risk"], edges, baseline=None, color=color, linewidth=2, label=name)
    ax.stairs(
        numbers["high"], edges, baseline=numbers["low"].to_numpy(), fill=True, alpha=0.2,
        color=color,
    )  # fmt: skip
    if first[-1] == last[-1]:  # the highest value alone: its step has no width
        end = numbers.iloc[-1:]
        ax.errorbar(last[-1:], end["risk"], yerr=_around(end), fmt="o", color=color, capsize=3)


def _around(stretches: pd.DataFrame) -> NDArray[np.float64]:
    below = stretches["risk"] - stretches["low"]
    return np.stack([below, stretches["high"] - stretches["risk"]]).clip(min=0)


def _draw_marks(ax: Axes, stretches: pd.DataFrame, color: str, name: str, aside: float) -> None:
    places = np.arange(len(stretches))
    ax.errorbar(
        places + aside, stretches["risk"], yerr=_around(stretches), fmt="o", color=color, capsize=3,
        label=name,
    )  # fmt: skip
    ax.set_xticks(places, shortened(stretches["values"].tolist(), 20))
    for text in ax.get_xticklabels():
        plain(text)
    ax.set_xlim(-0.5, len(places) - 0.5)
