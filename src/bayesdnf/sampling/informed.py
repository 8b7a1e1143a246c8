"""informed: the default sampler, a mix of cheap moves and moves that look at every literal."""

from __future__ import annotations

from ..model.posterior import Posterior
from .kernel import MoveKernel

MIX = {"flip": 0.1, "swap": 0.2, "row birth": 0.1, "redraw": 0.45, "grown birth": 0.15}
"""Flips and swaps cost little; births from rows move between numbers of terms; redraws score
every literal that could stand in a place; grown births find whole terms that are worth having."""


def informed(posterior: Posterior) -> MoveKernel:
    """Sample by flips, swaps, births from rows, redraws over all literals, and grown births.

    Examples
    --------
    >>> from bayesdnf import BitMatrix, Posterior, simulate
    >>> from bayesdnf.sampling.informed import informed
    >>> X, y, truth = simulate(200, 5, terms=(2,), random_state=0)
    >>> informed(Posterior(BitMatrix.from_table(X), y)).name
    'informed'
    """
    return MoveKernel("informed", posterior, MIX)
