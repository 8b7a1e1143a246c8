"""Slow, obvious twins of the fast routines on genotypes."""

from fractions import Fraction
from math import comb, factorial

import numpy as np

from bayesdnf.genomics import Genotypes


def make(calls, chromosome="1", position=None, sex=0, alleles=None, ids=None):
    """Genotypes with places, sexes and alleles."""
    packed = Genotypes.from_copies(np.asarray(calls, dtype=np.int8), ids=ids)
    packed.variants["CHR"] = chromosome
    packed.samples["SEX"] = sex
    if position is not None:
        packed.variants["POS"] = position
    if alleles is not None:
        packed.variants["A1"], packed.variants["A2"] = zip(*alleles, strict=True)
    return packed


def all_copies(packed):
    return packed.copies(range(packed.n_variants))


def hardy_weinberg(known, carrier, two):
    """Sum over all numbers of heterozygotes, in exact fractions."""
    n, copies, hets = known, carrier + two, carrier - two

    def ways(h):
        first, second = (copies - h) // 2, (2 * n - copies - h) // 2
        count = factorial(n) // (factorial(first) * factorial(second) * factorial(h)) * 2**h
        return Fraction(count, comb(2 * n, copies))

    possible = range(copies % 2, min(copies, 2 * n - copies) + 1, 2)
    assert sum(map(ways, possible)) == 1
    return float(sum(ways(h) for h in possible if ways(h) <= ways(hets)))


def squared_correlation(x, y):
    both = (x >= 0) & (y >= 0)
    x, y = x[both].astype(float), y[both].astype(float)
    if len(x) == 0 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return 0.0
    return np.corrcoef(x, y)[0, 1] ** 2
