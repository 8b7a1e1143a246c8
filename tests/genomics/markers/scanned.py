"""Genotypes and outcomes to scan."""

import numpy as np

from bayesdnf.genomics import Genotypes

PLAIN = ("dominant", "recessive", "heterozygous")


def many(n_variants=200, n_samples=300, seed=0):
    rng = np.random.default_rng(seed)
    calls = rng.binomial(2, 0.35, (n_variants, n_samples))
    y = rng.random(n_samples) < np.where(
        (calls[11] >= 1) & (calls[n_variants * 3 // 4] >= 1), 0.75, 0.25
    )
    return Genotypes.from_copies(calls), y
