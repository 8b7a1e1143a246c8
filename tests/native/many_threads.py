"""Search, chains and scans on four threads, with a native module that has the thread sanitizer.

Run as ``python -m tests.native.many_threads`` by ``make sanitize-threads``, which preloads the
library of the sanitizer and names the folder of the module. A race ends the process with a report.
"""

import tests.native.loading  # noqa: F401, it loads the module with the sanitizer

THREADS = 4


def posterior(rows, attributes, layers=1):
    """A table with two terms in it."""
    from bayesdnf import BitMatrix, Posterior, simulate

    X, y, _ = simulate(rows, attributes, terms=(2, 3), random_state=4)
    return Posterior(BitMatrix.from_table(X), y, layers=layers)


def search():
    """Restarts of the hunt, for functions and for lists, and of annealing."""
    from bayesdnf import anneal, hunt

    for layers in (1, 3):
        hunt(posterior(300, 12, layers), restarts=8, n_jobs=THREADS, random_state=0)
    anneal(posterior(300, 12), chains=8, steps=1000, n_jobs=THREADS, random_state=0)


def chains():
    """A chain of every sampler on each thread, for functions and for lists."""
    from bayesdnf import sample

    short = {"draws": 30, "warmup": 10, "thin": 7, "chains": THREADS, "n_jobs": THREADS}
    for kernel in ("informed", "tempered", "reversible_jump", "single_term"):
        sample(posterior(100, 6), kernel=kernel, random_state=3, **short)
    sample(posterior(100, 6, layers=3), random_state=3, **short)


def scans():
    """Pairs, triples and permutations."""
    import numpy as np

    from bayesdnf.genomics import Genotypes, family_wise, scan

    rng = np.random.default_rng(0)
    genotypes = Genotypes.from_copies(rng.integers(-1, 3, (150, 300)))
    y = rng.random(300) < 0.4
    scan(genotypes, y, n_jobs=THREADS, top=20)
    scan(genotypes, y, size=3, among=12, n_jobs=THREADS, top=20)
    family_wise(genotypes, y, permutations=8, n_jobs=THREADS, random_state=0)


if __name__ == "__main__":
    for work in (search, chains, scans):
        work()
        print(f"{work.__name__}: done on {THREADS} threads")  # noqa: T201
