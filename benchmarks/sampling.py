"""Speed of each sampler, and agreement of its chains.

Effective draws a second of the log posterior and of the number of terms, and the largest
difference between chains in any literal's inclusion, after a minute on all threads, the search for
starts and the warm-up included. Problems: two terms among 100 columns with 100
and 250 rows, five terms among 1000 columns with 1000 rows, and half of mushroom.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from arviz_stats.base import array_stats
from sklearn.model_selection import train_test_split

from bayesdnf import BitMatrix, LiteralEncoder, Posterior, datasets, sample, simulate
from bayesdnf.sampling.run import KERNELS

from .writing import arguments, show, write

ENDLESS = 10**8
WARMUP = 2000  # draws of each chain


def problems() -> dict[str, Posterior]:
    """Make the posteriors to sample."""
    found = {}
    for n, p, terms in ((100, 100, (2, 2)), (250, 100, (2, 2)), (1000, 1000, (2, 3, 4, 3, 2))):
        X, y, _ = simulate(n, p, terms=terms, random_state=0)
        found[f"{len(terms)} terms, p = {p}, N = {n}"] = Posterior(BitMatrix.from_table(X), y)
    X, y = datasets.load_mushroom()
    half, _, y_half, _ = train_test_split(X, y, test_size=0.5, stratify=y, random_state=1910)
    found["half of mushroom"] = Posterior(
        LiteralEncoder(negations=False).fit_encode(half), y_half, positive="p"
    )
    return found


def measure(posterior: Posterior, kernel: str, seconds: float, n_jobs: int) -> dict[str, Any]:
    """Sample for some seconds; count effective draws."""
    start = time.perf_counter()
    drawn = sample(
        posterior,
        kernel=kernel,
        draws=ENDLESS,
        warmup=WARMUP,
        thin=50,
        chains=4,
        time_limit=seconds,
        n_jobs=n_jobs,
        random_state=0,
    )
    took = time.perf_counter() - start
    shares = drawn.inclusion_by_chain("literal").frequency
    scalars = drawn.scalars()
    return {
        "kernel": kernel,
        "seconds": took,
        "draws": drawn.index.size,
        "steps_per_second": float(drawn.tried.sum() / took),
        "ess_log_posterior": ess(scalars["log_posterior"]) / took,
        "ess_terms": ess(scalars["terms"]) / took,
        "functions": drawn.n_functions,
        "difference": float(np.ptp(shares, axis=0).max(initial=0.0)),
    }


def ess(values: np.ndarray) -> float:
    """Effective draws; none when a chain is constant."""
    if (np.ptp(values, axis=1) == 0).any():
        return 0.0
    return float(array_stats.ess(values, chain_axis=0, draw_axis=1))


def main() -> None:
    """Measure, print a table, write JSON."""
    parser = arguments(__doc__, sets=False)
    parser.add_argument("--seconds", type=float, help="for each sampler on each problem")
    parser.add_argument("--kernels", default="informed,tempered,reversible_jump")
    options = parser.parse_args()
    seconds = options.seconds or (5.0 if options.quick else 60.0)
    results = []
    for name, posterior in problems().items():
        for kernel in options.kernels.split(","):
            assert kernel in KERNELS, f"no sampler is called {kernel!r}"
            results.append({"problem": name, **measure(posterior, kernel, seconds, options.jobs)})
    show(
        {
            "problem": "problem",
            "kernel": "sampler",
            "seconds": "s|.1f",
            "draws": "draws|,",
            "steps_per_second": "steps/s|,.0f",
            "ess_log_posterior": "eff. log posterior/s|,.1f",
            "ess_terms": "eff. terms/s|,.1f",
            "functions": "functions|,",
            "difference": "largest difference|.3f",
        },
        results,
    )
    write("sampling", {"sampling": results})


if __name__ == "__main__":
    main()
