"""Pruning: leave out variants that say what a neighbour says already."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ... import _native
from ...errors import ParameterError
from ..genotypes import Genotypes
from .chromosomes import place_order


def prune(
    genotypes: Genotypes,
    r_squared: float = 0.2,
    window: int = 500_000,
    among: NDArray[np.bool_] | None = None,
) -> NDArray[np.bool_]:
    """Choose variants so that no two near each other are correlated.

    Along each chromosome, of two variants at most ``window`` base pairs apart whose squared
    correlation is above ``r_squared`` the one with the rarer minor allele goes.

    Parameters
    ----------
    genotypes : Genotypes
        The calls; variants in any order.
    r_squared : float, default=0.2
        Largest squared correlation of copies that two kept neighbours may have.
    window : int, default=500_000
        Base pairs up to which two variants are neighbours.
    among : ndarray of bool, optional
        Variants to choose from; all by default.

    Returns
    -------
    ndarray of bool, shape (n_variants,)
        Which variants to keep.

    Examples
    --------
    >>> from bayesdnf.genomics import Genotypes, prune
    >>> calls = Genotypes.from_copies([[0, 1, 2, 0], [0, 1, 2, 0], [2, 0, 1, 0]])
    >>> prune(calls, r_squared=0.8)
    array([ True, False,  True])
    """
    if not 0 <= r_squared <= 1:
        raise ParameterError.of("r_squared", "prune", "between 0 and 1", r_squared)
    if window < 0:
        raise ParameterError.of("window", "prune", "0 or more base pairs", window)
    order, chromosome, position = place_order(genotypes)
    if among is not None:
        some = among[order]
        order, chromosome, position = order[some], chromosome[some], position[some]
    keep = np.zeros(genotypes.n_variants, dtype=np.bool_)
    # One chromosome at a time, so that only its planes are copied into order.
    for here in np.split(np.arange(len(order)), np.flatnonzero(np.diff(chromosome)) + 1):
        kept = _native.prune(
            genotypes.planes[order[here]], chromosome[here], position[here], window, r_squared
        )
        keep[order[here]] = kept.astype(np.bool_)
    return keep
