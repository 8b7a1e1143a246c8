"""Studies whose pairs are scored."""

import itertools

import numpy as np

from bayesdnf.genomics import Genotypes
from bayesdnf.genomics.scanning.scan_parts import ScanOptions, scan_table


def study(p, n, seed=0, missing=0.0):
    rng = np.random.default_rng(seed)
    copies = rng.binomial(2, rng.uniform(0.05, 0.5, (p, 1)), (p, n))
    y = rng.random(n) < np.where((copies[1] >= 1) & (copies[p - 2] >= 1), 0.7, 0.3)
    copies[rng.random((p, n)) < missing] = -1
    return Genotypes.from_copies(copies), y


def table_of(genotypes, y, strata=None, **options):
    return scan_table(genotypes, y, ScanOptions(**options), strata)


def counted(genotypes, y):
    """What the kernel lists if it rules nothing out: variants, counts of cases and of controls."""
    calls = genotypes.copies(range(genotypes.n_variants))
    return np.array(
        [
            [a, b]
            + [
                int(((calls[a] >= u) & (calls[b] >= v) & who).sum())
                for who in (y, ~y)
                for u in (1, 2)
                for v in (1, 2)
            ]
            for a, b in itertools.combinations(range(genotypes.n_variants), 2)
        ],
        dtype=np.int32,
    )
