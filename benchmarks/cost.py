"""Seconds of a search against rows and columns, with slopes on log axes.

The two-term simulation at p = 100 with 10^3 to 10^6 rows, and at n = 1000 with 10^2 to 10^5
columns. Default settings, with a minute as a guard: rows marked "time limit" are cut short.
"""

from __future__ import annotations

import itertools
import math
import time
from typing import Any

from bayesdnf import BitMatrix, Posterior, hunt, simulate

from .writing import arguments, show, write

GUARD = 60.0


def measure(n: int, p: int, n_jobs: int) -> dict[str, Any]:
    """Search one table of this size."""
    X, y, truth = simulate(n, p, random_state=1)
    posterior = Posterior(BitMatrix.from_table(X), y)
    start = time.perf_counter()
    found = hunt(posterior, n_jobs=n_jobs, time_limit=GUARD, random_state=0)
    return {
        "n": n,
        "p": p,
        "seconds": time.perf_counter() - start,
        "regret": max(0.0, posterior.log_score(truth) - found.log_posterior),
        "restarts": found.restarts,
        "stopped": found.stopped,
    }


def add_slopes(results: list[dict[str, Any]], axis: str) -> None:
    """Give each size the slope from the one before it, d log seconds / d log size."""
    for before, now in itertools.pairwise(results):
        now["slope"] = math.log(now["seconds"] / before["seconds"]) / math.log(
            now[axis] / before[axis]
        )


def main() -> None:
    """Measure, print a table, write JSON."""
    options = arguments(__doc__, sets=False).parse_args()
    largest = 10_000 if options.quick else 1_000_000
    by_rows = [
        measure(n, 100, options.jobs) for n in (1000, 10_000, 100_000, 10**6) if n <= largest
    ]
    by_columns = [
        measure(1000, p, options.jobs) for p in (100, 1000, 10_000, 10**5) if p <= largest
    ]
    add_slopes(by_rows, "n")
    add_slopes(by_columns, "p")
    show(
        {
            "n": "n|,",
            "p": "p|,",
            "seconds": "seconds|.3f",
            "slope": "slope|.2f",
            "regret": "regret|.3f",
            "restarts": "restarts",
            "stopped": "stopped by",
        },
        [*by_rows, *by_columns],
    )
    write("cost", {"by_rows": by_rows, "by_columns": by_columns})


if __name__ == "__main__":
    main()
