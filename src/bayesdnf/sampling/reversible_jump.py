"""reversible_jump: the paper's split and merge by symmetric difference, with correct ratios."""

from __future__ import annotations

from ..model.posterior import Posterior
from .kernel import MoveKernel


def reversible_jump(posterior: Posterior) -> MoveKernel:
    """Sample by splits and merges, flips and swaps, and births and deaths of arbitrary terms.

    A split replaces a term u by w and the symmetric difference of u and w; a merge replaces two
    terms by their symmetric difference. The paper's acceptance ratio counts the choice of w twice
    and forgets that of the pair; here each counts once, and enumeration confirms it.

    Notes
    -----
    Splits and merges alone never change the symmetric difference of all terms, so they reach only
    a small part of the functions. With flips they reach every set of terms, but on antichains some
    functions stay cut off: at p = 3 none of these moves leads away from "any two of three". Births
    of arbitrary terms close that gap, and swaps the one where the prior has no terms of one
    literal. Even so it is slow on many columns: nearly all random terms are poor, and nearly all
    random halves poorer. Use it to check, and :func:`~bayesdnf.sampling.informed.informed` to
    work.

    Examples
    --------
    >>> from bayesdnf import BitMatrix, Posterior, simulate
    >>> from bayesdnf.sampling.reversible_jump import reversible_jump
    >>> X, y, truth = simulate(200, 5, terms=(2,), random_state=0)
    >>> sorted(reversible_jump(Posterior(BitMatrix.from_table(X), y)).mix)
    ['birth', 'flip', 'split', 'swap']
    """
    return MoveKernel(
        "reversible_jump", posterior, {"flip": 0.4, "swap": 0.1, "split": 0.25, "birth": 0.25}
    )
