"""Studies with a marker planted in them, small enough for tests."""

import numpy as np

from bayesdnf.genomics import Study
from tests.genomics.twins import make


def linked(core, rng, kept):
    """A variant whose alleles are those of another in so many haplotypes, else drawn afresh."""
    fresh = rng.random(core.shape) < core.mean()
    return np.where(rng.random(core.shape) < kept, core, fresh)


def study(seed=0, *, n=900, variants=30, proxies=0, marker=True, pi0=0.15, pi1=0.75, kept=0.999):
    """Cases of ``rs4 dominant AND rs8 dominant`` (numbers 3 and 7) on three chromosomes.

    With proxies, so many variants beside rs4 hold nearly the same alleles.
    """
    rng = np.random.default_rng(seed)
    haplotypes = rng.random((variants, 2, n)) < rng.uniform(0.25, 0.4, (variants, 1, 1))
    position = 1_000_000 * np.arange(1, variants + 1)
    for k in range(proxies):
        haplotypes[9 + k] = linked(haplotypes[3], rng, kept)
        position[9 + k] = position[3] + 5_000 * (k + 1)
    calls = haplotypes.sum(axis=1)
    chromosome = np.array([str(1 + 3 * v // variants) for v in range(variants)])
    chromosome[9 : 9 + proxies] = chromosome[3]
    marked = (calls[3] >= 1) & (calls[7] >= 1)
    y = rng.random(n) < np.where(marked & marker, pi1, pi0)
    ids = [f"rs{v + 1}" for v in range(variants)]
    alleles = [("A", "G") if v % 2 else ("T", "C") for v in range(variants)]
    packed = make(calls, chromosome, position, rng.integers(1, 3, n), alleles, ids)
    return Study(packed, y)


TRUTH = "(rs4_A dominant AND rs8_A dominant)"
QUICK = {"draws": 150, "warmup": 150, "chains": 2, "triples": 8, "random_state": 0}


def two_populations(seed, *, n=800, variants=300, fst=0.05, shares=(0.7, 0.3)):
    """No marker at all: two populations whose allele frequencies and shares of cases differ."""
    rng = np.random.default_rng(seed)
    ancestral = rng.uniform(0.1, 0.9, variants)
    spread = (1 - fst) / fst
    frequency = rng.beta(ancestral * spread, (1 - ancestral) * spread, (2, variants))
    population = np.repeat([0, 1], n // 2)
    calls = rng.binomial(2, frequency[population].T)
    chromosome = [str(1 + 20 * v // variants) for v in range(variants)]
    packed = make(calls, chromosome, 1_000_000 * np.arange(variants))
    return Study(packed, rng.random(n) < np.array(shares)[population])
