"""Whether searches that say they agree are right, on samples of the real tables.

Bootstrap samples and halves of every shared table but the two largest, with negations and without,
each searched with two seeds. A search is below where the other seed came to a better score.
docs/trust.md says what it found.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesdnf import hunt

from .best_known import SAME
from .folds import GROUPS, breast_cancer, sets
from .real_regret import problem
from .writing import arguments, show, write

LARGE = 10_000  # tables with more rows are left out
SAMPLES = 7  # of each table


def samples(n: int, most: int) -> Iterator[tuple[str, NDArray[np.intp]]]:
    """Yield halves and bootstrap samples of n rows in turn."""
    for number in range(most):
        rng = np.random.default_rng([n, number])
        half = rng.permutation(n)[: n // 2]
        yield (
            (f"half {number}", np.sort(half))
            if number % 2 == 0
            else (f"bootstrap {number}", np.sort(rng.integers(n, size=n)))
        )


def main() -> None:
    """Search every sample with two seeds, print who was below, write JSON."""
    options = arguments(__doc__).parse_args()
    most = 1 if options.quick else options.sets or SAMPLES
    rows: list[dict[str, Any]] = []
    tables = [table for group in GROUPS for table in sets(group, None)]
    for table in [*tables, breast_cancer()]:
        if len(table.y) > LARGE:
            continue
        for part, chosen in samples(len(table.y), most):
            for negations in (True, False):
                searched = problem(table, part, chosen, negations)
                began = time.process_time()
                found = [
                    hunt(searched.posterior, n_jobs=options.jobs, random_state=seed)
                    for seed in (0, 1)
                ]
                best = max(result.log_posterior for result in found)
                rows += [
                    {
                        "problem": searched.name,
                        "seed": seed,
                        "below": best - result.log_posterior,
                        "agreement": f"{result.agreement}/{result.restarts}",
                        "stopped": result.stopped,
                        "seconds": (time.process_time() - began) / 2,
                    }
                    for seed, result in enumerate(found)
                ]
    below = [row for row in rows if row["below"] > SAME]
    show(
        {
            "problem": "problem",
            "seed": "seed",
            "below": "below|.2f",
            "agreement": "agreement",
            "stopped": "stopped by",
        },
        below,
    )
    agreed = [row for row in rows if row["stopped"] == "agreement"]
    wrong = sum(row["below"] > SAME for row in agreed)
    largest = max((row["below"] for row in below), default=0)
    print(
        f"{len(agreed)} of {len(rows)} searches agree, {wrong} of them below the other seed; "
        f"{len(below) - wrong} of the others are, by {largest:.1f} nats at most."
    )
    write("agreement", {"agreement": rows})


if __name__ == "__main__":
    main()
