"""Linkage disequilibrium: pruning and clumping of correlated variants."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ... import _native
from ...checks import whole
from ...errors import InputError, ParameterError
from ..chromosomes import place_order
from ..genotypes import Genotypes

if TYPE_CHECKING:
    import pandas as pd

_PAIRS = 1 << 20  # pairs of variants whose correlations are held at a time


def prune(
    genotypes: Genotypes,
    r_squared: float = 0.2,
    window: int = 500_000,
    among: NDArray[np.bool_] | None = None,
) -> NDArray[np.bool_]:
    """Prune variants so that no two nearby ones are correlated.

    Of two variants of a chromosome at most ``window`` base pairs apart with a squared correlation
    above ``r_squared``, the one with the lower minor allele frequency is removed.

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
    window = whole("window", "prune", window, 0)
    order, chromosome, position = place_order(genotypes.variants)
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


def clump_leads(
    genotypes: Genotypes,
    ranked: ArrayLike,
    most: int,
    r_squared: float = 0.5,
    window: int | None = 5_000_000,
) -> list[int]:
    """Clump variants: choose the best of each block of correlated ones.

    Parameters
    ----------
    genotypes : Genotypes
        The calls; variants in any order.
    ranked : array-like of int
        Numbers of variants, the best first.
    most : int
        How many to choose.
    r_squared : float, default=0.5
        From which squared correlation with a chosen variant on a later one is left out.
    window : int or None, default=5_000_000
        Base pairs from the chosen variant, on its chromosome; None: anywhere.

    Returns
    -------
    list of int
        Numbers of the variants chosen, in the order of ``ranked``.

    Examples
    --------
    >>> from bayesdnf.genomics import Genotypes, clump_leads
    >>> calls = Genotypes.from_copies([[0, 1, 2, 0], [1, 0, 1, 0], [0, 1, 2, 1]])
    >>> clump_leads(calls, [2, 0, 1], most=2)
    [2, 1]
    """
    if not 0 <= r_squared <= 1:
        raise ParameterError.of("r_squared", "clump_leads", "between 0 and 1", r_squared)
    most = whole("most", "clump_leads", most, 0)
    wanted = np.asarray(ranked, dtype=np.int64).reshape(-1)
    order, first, stop = _neighbours(genotypes, wanted, window)
    taken = np.zeros(genotypes.n_variants, dtype=np.bool_)
    waiting = np.zeros(genotypes.n_variants, dtype=np.bool_)
    waiting[wanted] = True
    leads: list[int] = []
    for place, lead in enumerate(wanted):
        if len(leads) >= most:
            break
        if taken[lead]:
            continue
        leads.append(int(lead))
        near = order[first[place] : stop[place]]
        near = near[waiting[near] & ~taken[near]]
        value = _native.r_squared(genotypes.planes, np.full_like(near, lead), near)
        # Greedy clumping as in PLINK: each variant belongs to the best lead it is correlated with.
        taken[near[value >= r_squared]] = True
        taken[lead] = True
    return leads


def find_proxies(
    genotypes: Genotypes,
    leads: ArrayLike,
    r_squared: float = 0.5,
    window: int | None = 500_000,
) -> pd.DataFrame:
    """Find the variants that are correlated with each of some lead variants.

    Parameters
    ----------
    genotypes : Genotypes
        The calls; variants in any order.
    leads : array-like of int
        Indices of the lead variants.
    r_squared : float, default=0.5
        Smallest squared correlation of copies, on samples known in both.
    window : int or None, default=500_000
        Base pairs from the lead, on its chromosome; None: anywhere.

    Returns
    -------
    DataFrame
        ``lead`` and ``proxy`` (indices of variants) and ``r_squared``, for each lead in the given
        order its proxies from the most correlated on. A lead is not its own proxy.

    Examples
    --------
    >>> from bayesdnf.genomics import Genotypes, find_proxies
    >>> calls = Genotypes.from_copies([[0, 1, 2, 0], [1, 0, 1, 0], [0, 1, 2, 1]])
    >>> find_proxies(calls, [0])
       lead  proxy  r_squared
    0     0      2   0.727273
    """
    import pandas as pd

    if not 0 <= r_squared <= 1:
        raise ParameterError.of("r_squared", "find_proxies", "between 0 and 1", r_squared)
    if window is not None:
        window = whole("window", "find_proxies", window, 0, besides="or None")
    wanted = np.asarray(leads, dtype=np.int64).reshape(-1)
    if ((wanted < 0) | (wanted >= genotypes.n_variants)).any():
        raise InputError(
            f"leads must be indices of the {genotypes.n_variants:,} variants. "
            f"Got {wanted.min()} to {wanted.max()}."
        )
    order, first, stop = _neighbours(genotypes, wanted, window)
    found = []
    for some in _blocks(stop - first):
        count = stop[some] - first[some]
        place = np.repeat(some, count)
        # 0, 1, … within each lead's stretch of neighbours.
        inside = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
        proxy = order[first[place] + inside]
        other = proxy != wanted[place]
        place, proxy = place[other], proxy[other]
        value = _native.r_squared(genotypes.planes, wanted[place], proxy)
        close = value >= r_squared
        found.append(
            pd.DataFrame({"place": place[close], "proxy": proxy[close], "r": value[close]})
        )
    if not found:
        found = [pd.DataFrame({"place": wanted[:0], "proxy": wanted[:0], "r": np.empty(0)})]
    table = pd.concat(found, ignore_index=True)
    table = table.iloc[np.lexsort((table["proxy"], -table["r"], table["place"]))]
    return pd.DataFrame(
        {
            "lead": wanted[table["place"].to_numpy()],
            "proxy": table["proxy"].to_numpy(),
            "r_squared": table["r"].to_numpy(),
        }
    )


def _neighbours(
    genotypes: Genotypes, leads: NDArray[np.int64], window: int | None
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return variants sorted by position, and the range of neighbours of each lead."""
    n = genotypes.n_variants
    if window is None:
        return np.arange(n), np.zeros_like(leads), np.full_like(leads, n)
    order, chromosome, position = place_order(genotypes.variants)
    # Concatenate chromosomes on one axis, with gaps larger than the window.
    low = int(position.min(initial=0))
    length = int(position.max(initial=0)) - low + window + 1
    axis = (position - low) + chromosome.astype(np.int64) * length
    place = np.empty(n, dtype=np.int64)
    place[order] = axis
    first = np.searchsorted(axis, place[leads] - window, side="left")
    stop = np.searchsorted(axis, place[leads] + window, side="right")
    return order.astype(np.int64), first.astype(np.int64), stop.astype(np.int64)


def _blocks(count: NDArray[np.int64]) -> list[NDArray[np.intp]]:
    """Split leads so that a block has about a million pairs, and one lead at least."""
    if not len(count):
        return []
    block = (np.cumsum(count) - count) // _PAIRS
    return np.split(np.arange(len(count)), np.flatnonzero(np.diff(block)) + 1)
