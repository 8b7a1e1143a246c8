"""Calibration plots: observed against predicted probabilities."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import whole
from ..errors import InputError
from .fonts import legible
from .labels import plain
from .panels import LINES, MARKS, PALETTE, AxesArray, Floats, panels, tidy

Bools = NDArray[np.bool_]
_95 = 1.959963984540054  # standard normal quantile of .975


def calibration(
    probability: ArrayLike | Mapping[str, ArrayLike],
    outcome: ArrayLike,
    bins: int = 10,
    *,
    axes: object = None,
) -> AxesArray:
    """Draw a calibration plot, with a histogram of the predictions below.

    Predictions are put into bins of equal width. A mark stands at the mean prediction of a bin
    and at the share of positives among its rows; bars are Wilson's 95 % intervals of that share.

    Parameters
    ----------
    probability : array or mapping of name to array
        Predicted probability of a positive for each row; several models by their names.
    outcome : array
        Observed outcome: 1 for a positive row, 0 for another.
    bins : int, default=10
        Number of bins.
    axes : array of 2 Axes, optional
        Axes of the curves and of the histogram; a new figure by default.

    Returns
    -------
    ndarray of Axes of shape (2,)

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf import plots
    >>> rng = np.random.default_rng(0)
    >>> predicted = rng.random(500)
    >>> axes = plots.calibration({"honest": predicted}, rng.random(500) < predicted)
    >>> axes[0].get_legend_handles_labels()[1]
    ['honest']
    >>> import matplotlib.pyplot as plt
    >>> plt.close(axes[0].figure)
    """
    bins = whole("bins", "plots.calibration", bins, 1)
    curves = probability if isinstance(probability, Mapping) else {"": probability}
    if not curves:
        raise InputError("The probability in plots.calibration must be of one model at least.")
    happened = _outcome(outcome)
    predicted = {str(name): _predicted(str(name), p, len(happened)) for name, p in curves.items()}
    grid = panels(axes, "plots.calibration", 2, 1, (5.6, 6.2), sharex=True, height_ratios=[3.2, 1])
    from matplotlib.ticker import MaxNLocator

    upper, lower = grid[:, 0]
    upper.plot([0, 1], [0, 1], color="0.6", linewidth=1, zorder=0)
    edges = np.linspace(0, 1, bins + 1)
    drawn = []
    for number, (name, values) in enumerate(predicted.items()):
        color, line = PALETTE[number % len(PALETTE)], LINES[number % len(LINES)]
        put = binned(values, happened, bins)
        spread = np.stack([put.share - put.low, put.high - put.share])
        aside = (number - (len(predicted) - 1) / 2) * 0.006  # bars do not hide each other
        curve = upper.errorbar(
            put.mean + aside,
            put.share,
            yerr=np.maximum(0.0, spread),
            color=color,
            linestyle=line,
            linewidth=1.3,
            marker=MARKS[number % len(MARKS)],
            markersize=5.5,
            elinewidth=1,
            capsize=2,
            label=name or None,
        )
        drawn.append(curve)
        lower.stairs(put.rows, edges, color=color, linestyle=line, linewidth=1.3)
        if len(predicted) == 1:
            lower.stairs(put.rows, edges, color=color, alpha=0.25, fill=True)
    upper.set_ylim(-0.02, 1.02)
    for ax in (upper, lower):
        ax.set_xlim(-0.02, 1.02)
        tidy(ax)
    if isinstance(probability, Mapping):
        # Named one by one: matplotlib leaves out names that begin with "_" when it collects them.
        legend = upper.legend(
            drawn, [*predicted], loc="upper left", frameon=False, fontsize="small"
        )
        for text in legend.get_texts():
            plain(text)
    upper.set_ylabel("observed share of positives")
    lower.set_ylabel("rows")
    lower.set_ylim(bottom=0)
    lower.yaxis.set_major_locator(MaxNLocator(4, integer=True))
    lower.set_xlabel("predicted probability")
    return legible(grid[:, 0])


def _column(what: str, must: str, values: ArrayLike, good: Callable[[Floats], Bools]) -> Floats:
    """Read one number per row; raise an error that names the first invalid one."""
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"The {what} must be {must}. Got {values!r} instead.") from None
    bad = np.flatnonzero(~good(numbers))
    if numbers.ndim != 1 or not len(numbers):
        got = f"an array of shape {numbers.shape}"
    elif len(bad):
        got = f"{numbers[bad[0]]:g} at row {bad[0]}"
    else:
        return numbers
    raise InputError(f"The {what} must be {must}. Got {got} instead.")


def _outcome(values: ArrayLike) -> Floats:
    return _column(
        "outcome of plots.calibration", "0 or 1 for each row", values, lambda x: (x == 0) | (x == 1)
    )


def _predicted(name: str, values: ArrayLike, n: int) -> Floats:
    what = f"probability of {name!r}" if name else "probability"
    must = "a number between 0 and 1 for each row"
    numbers = _column(f"{what} in plots.calibration", must, values, lambda x: (x >= 0) & (x <= 1))
    if len(numbers) != n:
        raise InputError(
            f"The {what} in plots.calibration has {len(numbers):,} rows and the outcome {n:,}."
        )
    return numbers


class Binned(NamedTuple):
    """Predictions by bin; the empty bins are only in ``rows``."""

    mean: Floats
    share: Floats
    low: Floats
    high: Floats
    rows: NDArray[np.int64]


def binned(predicted: Floats, happened: Floats, bins: int) -> Binned:
    """Put predictions into bins of equal width, with Wilson's intervals of the observed shares."""
    # A prediction on an edge belongs to the bin above, also after rounding.
    place = np.clip(np.floor(predicted * bins + 1e-9).astype(np.int64), 0, bins - 1)
    rows = np.bincount(place, minlength=bins)
    full = rows > 0
    n = rows[full]
    mean = np.bincount(place, weights=predicted, minlength=bins)[full] / n
    share = np.bincount(place, weights=happened, minlength=bins)[full] / n
    # Wilson's interval holds the share, and stays within 0 and 1.
    shrink = 1 + _95**2 / n
    centre = (share + _95**2 / (2 * n)) / shrink
    half = _95 * np.sqrt(share * (1 - share) / n + _95**2 / (4 * n**2)) / shrink
    return Binned(mean, share, centre - half, centre + half, rows)
