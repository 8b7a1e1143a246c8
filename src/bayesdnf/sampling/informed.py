"""informed: the default sampler, a mix of cheap moves and moves that look at every literal."""

from __future__ import annotations

from collections.abc import Sequence

from ..boolean import BooleanFunction
from ..model.posterior import Posterior, as_function
from .kernel import MoveKernel

MIX = {"flip": 0.1, "swap": 0.2, "row birth": 0.1, "redraw": 0.45, "grown birth": 0.15}
"""Flips and swaps cost little; births from rows move between numbers of terms; redraws score
every literal that could stand in a place; grown births find whole terms that are worth having."""
LISTED = 0.1
"""Weight of births from a list beside these, where there is one."""


def informed(
    posterior: Posterior, candidates: Sequence[BooleanFunction | str] | None = None
) -> MoveKernel:
    """Sample by flips, swaps, births from rows, redraws over all literals, and grown births.

    Parameters
    ----------
    posterior : Posterior
        What to sample.
    candidates : sequence of functions, optional
        Functions whose terms are worth a try, from an exhaustive scan for example: a tenth of the
        steps then offer one of these terms, to drop one, or one for another, each alike.

    Examples
    --------
    >>> from bayesdnf import BitMatrix, Posterior, simulate
    >>> from bayesdnf.sampling.informed import informed
    >>> X, y, truth = simulate(200, 5, terms=(2,), random_state=0)
    >>> informed(Posterior(BitMatrix.from_table(X), y)).name
    'informed'
    """
    if not candidates:
        return MoveKernel("informed", posterior, MIX)
    listed = {
        tuple(term): 1.0
        for candidate in candidates
        for term in posterior.support.ids(as_function(candidate))
    }
    return MoveKernel("informed", posterior, {**MIX, "listed birth": LISTED}, listed=listed)
