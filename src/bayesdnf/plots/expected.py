"""The functions that a prior expects."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .panels import PALETTE, AxesArray, panels, tidy

if TYPE_CHECKING:
    from ..model.prior import Prior


def prior(prior: Prior, p: int, n: int = 1000, *, axes: object = None) -> AxesArray:
    """Draw how many terms, how many literals and how many marked rows a prior expects.

    Parameters
    ----------
    prior : Prior
        The prior.
    p, n : int
        Literals on offer, and rows.
    axes : array of three Axes, optional
        Axes to draw into; a new figure by default.

    Returns
    -------
    ndarray of Axes
        Number of terms, literals in a term, share of rows marked.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from bayesdnf import Prior
    >>> from bayesdnf import plots
    >>> axes = plots.prior(Prior(), 100)
    >>> axes[0].get_xlabel()
    'terms'
    """
    told = prior.describe(p, n)
    made = panels(axes, "plots.prior", 1, 3, (8.0, 2.6)).ravel()
    for axis, probabilities, what in (
        (made[0], told.terms, "terms"),
        (made[1], told.size, "literals in a term"),
    ):
        shown = int(np.searchsorted(np.cumsum(probabilities), 0.999)) + 1
        axis.bar(np.arange(shown), probabilities[:shown], color=PALETTE[0])
        axis.set_xlabel(what)
        axis.xaxis.get_major_locator().set_params(integer=True)
        tidy(axis)
    made[2].hist(
        told.marked, bins=np.linspace(0, 1, 21), color=PALETTE[0],
        weights=np.full(len(told.marked), 1 / len(told.marked)),
    )  # fmt: skip
    made[2].set_xlabel("share of rows marked,\nevery column true on half")
    tidy(made[2])
    made[0].set_ylabel("prior probability")
    return made
