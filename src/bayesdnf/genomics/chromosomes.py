"""Chromosomes: one name for every spelling, and their order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    import pandas as pd

# PLINK's numbers, and the other spellings in use.
_SPELLINGS = {
    "23": "X", "24": "Y", "25": "XY", "26": "MT", "m": "MT", "mt": "MT", "mito": "MT",
    "x": "X", "y": "Y", "xy": "XY", "par": "XY", "par1": "XY", "par2": "XY",
}  # fmt: skip
_RANK = {**{str(i): i for i in range(1, 23)}, "X": 23, "Y": 24, "XY": 25, "MT": 26}


def canonical_chromosome(name: object) -> str:
    """Give the one name used for a chromosome here: 1 to 22, X, Y, XY or MT.

    Parameters
    ----------
    name : object
        A name as files spell it, such as 1, "chr1", "01", "chrM" or 23. XY (25 in PLINK) stands
        for the pseudo-autosomal regions. A name that is none of these stays as it is.

    Examples
    --------
    >>> from bayesdnf.genomics import canonical_chromosome
    >>> [canonical_chromosome(name) for name in ["chr7", 23, "chrM", "07", "GL000192.1"]]
    ['7', 'X', 'MT', '7', 'GL000192.1']
    """
    text = str(name).strip()
    short = text.casefold().removeprefix("chr")
    if short.isdecimal():
        short = str(int(short))
    short = _SPELLINGS.get(short, short)
    return short if short in _RANK or short.isdecimal() else text


def canonical_chromosomes(names: ArrayLike) -> NDArray[np.str_]:
    """Give the one name of each, working on the distinct spellings only."""
    where, spelled = _distinct(names)
    return np.array([canonical_chromosome(name) for name in spelled], dtype=np.str_)[where]


def chromosome_order(names: ArrayLike) -> NDArray[np.int32]:
    """Give chromosomes numbers that sort in the usual order.

    Parameters
    ----------
    names : array-like
        One name per variant, in any spelling.

    Returns
    -------
    ndarray of int32
        Equal for equal chromosomes: 1 to 22, then X, Y, XY, MT, then the others by their names.

    Examples
    --------
    >>> from bayesdnf.genomics import chromosome_order
    >>> chromosome_order(["chr2", "X", "10", "2"])
    array([0, 2, 1, 0], dtype=int32)
    """
    where, spelled = _distinct(names)
    canonical = [canonical_chromosome(name) for name in spelled]
    usual = sorted(set(canonical), key=lambda name: (_RANK.get(name, len(_RANK) + 1), name))
    number = {name: i for i, name in enumerate(usual)}
    return np.array([number[name] for name in canonical], dtype=np.int32)[where]


def place_order(
    variants: pd.DataFrame,
) -> tuple[NDArray[np.intp], NDArray[np.int32], NDArray[np.int64]]:
    """Sort variants by place: their indices, and chromosome numbers and positions in order.

    Parameters
    ----------
    variants : DataFrame
        One row per variant, with columns ``CHR`` and ``POS``.
    """
    chromosome = chromosome_order(variants["CHR"])
    position = variants["POS"].to_numpy(dtype=np.int64)
    order = np.lexsort((position, chromosome))
    return order, chromosome[order], position[order]


def _distinct(names: ArrayLike) -> tuple[NDArray[np.intp], list[object]]:
    """Return for each name the place of its spelling among the distinct ones, and those."""
    import pandas as pd

    # A study may have millions of variants, and has some twenty spellings.
    codes, spelled = pd.factorize(np.asarray(names, dtype=object))
    return codes, list(spelled)
