"""Regions of long-range linkage disequilibrium, which distort principal components."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...errors import ParameterError
from ..chromosomes import place_order
from ..files.selection import Region, Regions
from ..genotypes import Genotypes

Floats = NDArray[np.float64]

LONG_RANGE = {
    "GRCh37": (
        ("1", 48_227_412, 52_227_412), ("2", 86_146_488, 101_133_568),
        ("2", 183_291_754, 190_291_755), ("3", 47_524_995, 50_024_996),
        ("3", 83_417_309, 86_917_310), ("5", 44_464_242, 50_464_243),
        ("5", 128_972_100, 131_972_101), ("6", 25_392_020, 33_392_022),
        ("6", 56_892_040, 63_942_041), ("6", 139_958_306, 142_458_307),
        ("7", 55_032_505, 66_362_565), ("8", 7_962_589, 11_962_591),
        ("8", 42_880_842, 49_837_447), ("8", 111_930_823, 114_930_824),
        ("10", 36_959_993, 43_679_994), ("11", 87_860_351, 90_860_352),
        ("12", 33_108_732, 41_713_733), ("20", 32_536_338, 35_066_586),
    ),
    "GRCh38": (
        ("1", 47_761_740, 51_761_740), ("2", 85_919_365, 100_517_106),
        ("2", 182_427_027, 189_427_029), ("3", 47_483_505, 49_987_563),
        ("3", 83_368_158, 86_868_160), ("5", 44_464_140, 51_168_409),
        ("5", 129_636_407, 132_636_409), ("6", 25_391_792, 33_424_245),
        ("6", 57_788_603, 61_424_451), ("6", 139_637_169, 142_137_170),
        ("7", 54_964_812, 66_897_578), ("8", 8_105_067, 12_105_082),
        ("8", 43_025_699, 48_924_888), ("8", 110_918_594, 113_918_595),
        ("10", 36_671_065, 43_184_546), ("11", 88_127_183, 91_127_184),
        ("12", 32_955_798, 41_319_931), ("20", 33_948_532, 36_438_183),
    ),
}  # fmt: skip
"""Regions of the human genome, by build: Price et al. 2008 (Am J Hum Genet 83:132) and Anderson
et al. 2010 (Nat Protoc 5:1564), at the positions that the R package plinkQC has for them."""

_SIDE = 10  # variants on either side over which loadings are averaged
_OUTLYING = 8.0  # threshold of mean squared loadings, which are about 1 without outliers
_FEWEST = 200  # minimum number of variants for detecting outliers


def outside_known(genotypes: Genotypes, variants: NDArray[np.intp], build: str) -> NDArray[np.intp]:
    """Leave out the variants in regions of long-range linkage of a human genome build."""
    if build not in LONG_RANGE:
        builds = " or ".join(map(repr, LONG_RANGE))
        raise ParameterError.of("build", "principal_components", builds, build)
    regions = Regions(tuple(Region(*place) for place in LONG_RANGE[build]), build)
    return variants[~regions.included(genotypes.variants.iloc[variants])]


def outlying(
    genotypes: Genotypes, variants: NDArray[np.intp], loadings: Floats
) -> NDArray[np.bool_]:
    """Find regions of variants with outlying loadings on a component.

    A component of ancestry has small loadings on variants everywhere, a component of an inversion
    or other region of long-range linkage large ones on a few neighbours (Privé et al. 2018).

    Parameters
    ----------
    genotypes : Genotypes
        The calls.
    variants : ndarray of int
        Variants of the components, in order of place.
    loadings : ndarray of float, shape (len(variants), k)
        Loading of each on each component.
    """
    marked = np.zeros(len(variants), dtype=np.bool_)
    if len(variants) < _FEWEST:
        return marked
    order, chromosome, _ = place_order(genotypes.variants.iloc[variants])
    # Robust scale by the median absolute value, which is 0.6745 for a standard normal: squares are
    # about 1 outside outlying regions, however large those inside are.
    squares = (loadings[order] / np.median(np.abs(loadings), axis=0) * 0.6745) ** 2
    for here in np.split(np.arange(len(order)), np.flatnonzero(np.diff(chromosome)) + 1):
        if len(here) < 2 * _SIDE:
            continue
        # Moving averages from differences of cumulative sums, with shorter windows at the ends of
        # a chromosome.
        sums = np.concatenate([np.zeros((1, squares.shape[1])), np.cumsum(squares[here], axis=0)])
        low = np.maximum(np.arange(len(here)) - _SIDE, 0)
        high = np.minimum(np.arange(len(here)) + _SIDE + 1, len(here))
        mean = (sums[high] - sums[low]) / (high - low)[:, None]
        for at in np.flatnonzero((mean > _OUTLYING).any(axis=1)):
            marked[order[here[low[at] : high[at]]]] = True
    return marked
