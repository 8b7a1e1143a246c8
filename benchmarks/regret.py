"""How often the default search finds a function at least as good as the true one.

Regret = max(0, log posterior(truth) - log posterior(found)) on simulated sets with rates .1 and
.9: two terms of two literals among 100 columns, and five terms of 2, 3, 4, 3, 2 literals among
1000, 10,000 and 100,000. Seconds are CPU seconds; ``benchmarks.search_time`` sets them beside
limits. Set s is ``simulate(..., random_state=s)``, searched with ``random_state=s``.
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple

from bayesdnf import BitMatrix, Posterior, hunt, simulate

from .writing import arguments, show, write

ZERO = 1e-9  # rounding
LIMIT = 5.0  # seconds


class Setting(NamedTuple):
    """A kind of simulated set, and how many of it."""

    terms: tuple[int, ...]
    p: int
    n: int
    sets: int
    quick: int


SETTINGS = [
    *(Setting((2, 2), 100, n, 1000, 20) for n in (100, 250, 500, 1000)),
    Setting((2, 3, 4, 3, 2), 1000, 1000, 100, 5),
    Setting((2, 3, 4, 3, 2), 10_000, 1000, 100, 1),
    Setting((2, 3, 4, 3, 2), 100_000, 1000, 20, 1),
]


def one_set(setting: Setting, seed: int, n_jobs: int) -> dict[str, Any]:
    """Simulate a set, search it, compare with the truth."""
    X, y, truth = simulate(setting.n, setting.p, terms=setting.terms, random_state=seed)
    posterior = Posterior(BitMatrix.from_table(X), y)
    start = time.process_time()
    found = hunt(posterior, n_jobs=n_jobs, random_state=seed)
    seconds = time.process_time() - start
    regret = max(0.0, posterior.log_score(truth) - found.log_posterior)
    return {
        "seed": seed,
        "regret": regret if regret > ZERO else 0.0,
        "found_truth": found.function == truth,
        "seconds": seconds,
        "restarts": found.restarts,
        "agreement": found.agreement,
        "stopped": found.stopped,
    }


def measure(setting: Setting, sets: int, n_jobs: int, first: int = 0) -> dict[str, Any]:
    """Search all sets of a kind."""
    runs = [one_set(setting, seed, n_jobs) for seed in range(first, first + sets)]
    return {
        "terms": "+".join(map(str, setting.terms)),
        "p": setting.p,
        "n": setting.n,
        "sets": sets,
        "zero_regret": sum(run["regret"] == 0 for run in runs) / sets,
        "truth": sum(run["found_truth"] for run in runs) / sets,
        "within_limit": sum(r["regret"] == 0 and r["seconds"] <= LIMIT for r in runs) / sets,
        "mean_seconds": sum(run["seconds"] for run in runs) / sets,
        "max_seconds": max(run["seconds"] for run in runs),
        "mean_restarts": sum(run["restarts"] for run in runs) / sets,
        "max_restarts": max(run["restarts"] for run in runs),
        "agreed": sum(run["stopped"] == "agreement" for run in runs) / sets,
        "misses": [run for run in runs if run["regret"] > 0],
    }


def main() -> None:
    """Measure, print a table and every miss, write JSON."""
    parser = arguments(__doc__)
    parser.add_argument("--first", type=int, default=0, help="seed of the first set")
    parser.add_argument("-p", type=int, help="only the settings with this many columns")
    parser.add_argument("-n", type=int, help="only the settings with this many rows")
    options = parser.parse_args()
    chosen = [s for s in SETTINGS if options.p in (None, s.p) and options.n in (None, s.n)]
    results = [
        measure(
            setting,
            options.sets or (setting.quick if options.quick else setting.sets),
            options.jobs,
            options.first,
        )
        for setting in chosen
    ]
    show(
        {
            "terms": "terms",
            "p": "p|,",
            "n": "n|,",
            "sets": "sets|,",
            "zero_regret": "zero regret|.1%",
            "truth": "truth found|.1%",
            "within_limit": f"in {LIMIT:.0f} s|.1%",
            "mean_seconds": "mean CPU s|.3f",
            "max_seconds": "longest|.3f",
            "mean_restarts": "restarts|.1f",
            "max_restarts": "most",
            "agreed": "agreed|.1%",
        },
        results,
    )
    for result in results:
        for miss in result["misses"]:
            print(
                f"miss: p={result['p']} n={result['n']} seed={miss['seed']} "
                f"regret={miss['regret']:.4f} stopped by {miss['stopped']} after "
                f"{miss['restarts']} restarts, {miss['agreement']} agreed"
            )
    write("regret", {"regret": results})


if __name__ == "__main__":
    main()
