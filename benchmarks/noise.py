"""How often the null function is returned when there is nothing to find.

Tables of 100 columns and 500 rows whose outcome is a coin that no column knows of.
"""

from __future__ import annotations

import time

from bayesdnf import BitMatrix, BooleanFunction, Posterior, hunt, simulate

from .writing import arguments, show, write


def main() -> None:
    """Measure, print, write JSON."""
    options = arguments(__doc__).parse_args()
    sets = options.sets or (40 if options.quick else 200)
    found_something = []
    seconds = []
    for seed in range(sets):
        X, y, _ = simulate(
            500, 100, terms=BooleanFunction(), pi0=0.5, beta=(0.1, 0.9), random_state=seed
        )
        posterior = Posterior(BitMatrix.from_table(X), y)
        start = time.perf_counter()
        found = hunt(posterior, n_jobs=options.jobs, random_state=seed)
        seconds.append(time.perf_counter() - start)
        gain = found.log_posterior - posterior.log_score(BooleanFunction())
        if not found.function.is_null:
            found_something.append({"seed": seed, "gain": gain, "function": str(found.function)})
        elif gain < 0:
            raise AssertionError(f"set {seed} scores below the null function")
    result = {
        "p": 100,
        "n": 500,
        "sets": sets,
        "null": sets - len(found_something),
        "mean_seconds": sum(seconds) / sets,
        "max_seconds": max(seconds),
        "found_something": found_something,
    }
    show(
        {
            "p": "p",
            "n": "n",
            "sets": "sets",
            "null": "null",
            "mean_seconds": "mean s|.3f",
            "max_seconds": "max s|.3f",
        },
        [result],
    )
    for case in found_something:
        print(f"not null: seed={case['seed']} gain={case['gain']:.3f}  {case['function']}")
    write("noise", {"noise": result})


if __name__ == "__main__":
    main()
