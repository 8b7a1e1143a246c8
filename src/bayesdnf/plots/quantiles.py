"""A Q-Q plot of the tests of all variants."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .panels import INK, PALETTE, Floats, one_panel, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..genomics.markers.finding import Markers

_SHOWN = 5000  # maximum number of points of a series; large p-values are thinned out
_FLOOR = 1e-300


def qq(found: Markers, *, ax: Axes | None = None) -> Axes:
    """Draw a Q-Q plot of p-values of all variants against uniform ones, both as -log10.

    Parameters
    ----------
    found : Markers
        Result of :func:`bayesdnf.genomics.find_markers`.
    ax : Axes, optional
        Axes to draw into; a new figure by default.

    Returns
    -------
    Axes
        The unadjusted trend test, and the test within strata if there are any, each with its λ;
        the grey band is the pointwise 95 % range under the null hypothesis.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.genomics import Genotypes, Study, find_markers
    >>> from bayesdnf import plots
    >>> rng = np.random.default_rng(2)
    >>> calls = rng.binomial(2, 0.3, (40, 800))
    >>> y = rng.random(800) < np.where((calls[3] >= 1) & (calls[7] >= 1), 0.7, 0.2)
    >>> found = find_markers(Study(Genotypes.from_copies(calls), y), draws=200, random_state=0)
    >>> ax = plots.qq(found)
    >>> ax.get_xlabel()
    'expected by chance, -log10 p'
    >>> import matplotlib.pyplot as plt
    >>> plt.close(ax.figure)
    """
    from scipy.special import betaincinv, chdtrc

    ax = one_panel(ax, (4.4, 4.2))
    adjustment = found.adjustment
    series = [("not adjusted", adjustment.statistics, adjustment.inflation)]
    if adjustment.stratified is not None and adjustment.stratified_inflation is not None:
        series.append(("within strata", adjustment.stratified, adjustment.stratified_inflation))
    most = 1.0
    for number, (what, statistics, inflation) in enumerate(series):
        p = np.sort(chdtrc(1, statistics[np.isfinite(statistics)]))
        ranks = _ranks(len(p))
        # The mean of the i-th smallest of n uniform numbers is i / (n + 1).
        expected = ranks / (len(p) + 1)
        if number == 0 and len(p):
            # The i-th smallest of n uniform p-values is Beta(i, n + 1 - i).
            high, low = (
                -np.log10(betaincinv(ranks, len(p) + 1 - ranks, end)) for end in (0.025, 0.975)
            )
            ax.fill_between(-np.log10(expected), low, high, color=INK, alpha=0.12, linewidth=0)
        observed = -np.log10(np.maximum(p[ranks.astype(np.intp) - 1], _FLOOR))
        known = np.isfinite(inflation.value)
        text = f"{what}, λ {inflation.value:.2f}" if known else what
        ax.scatter(
            -np.log10(expected), observed, s=8, linewidths=0, color=PALETTE[number], label=text
        )
        most = max(most, float(observed.max(initial=0)), float(-np.log10(expected).min(initial=0)))
    line = [0.0, float(np.log10(len(found.variants) + 1))]
    ax.plot(line, line, color=INK, linewidth=0.8)
    ax.set_xlabel("expected by chance, -log10 p")
    ax.set_ylabel("observed, -log10 p")
    ax.set_ylim(0, 1.05 * most)
    ax.set_xlim(0, None)
    ax.legend(frameon=False, loc="upper left")
    tidy(ax)
    return ax


def _ranks(n: int) -> Floats:
    """Return the ranks to draw, from 1: all of the smallest p-values, fewer of larger ones."""
    if n <= _SHOWN:
        return np.arange(1.0, n + 1)
    # On the log scale of the plot the many large p-values lie on top of each other.
    tail = np.geomspace(_SHOWN // 2, n, _SHOWN // 2).round()
    return np.unique(np.concatenate([np.arange(1.0, _SHOWN // 2), tail]))
