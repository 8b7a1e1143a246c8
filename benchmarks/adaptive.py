"""Whether the paper's annealing gains by learning its move probabilities, at equal steps.

Halves of the mushroom data and simulated sets as in the paper's table 2, each annealed twice from
the same seed: with the paper's move probabilities, and with adaptive=True. Differences are paired.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

from bayesdnf import (
    BitMatrix,
    BooleanFunction,
    LiteralEncoder,
    Posterior,
    Prior,
    anneal,
    datasets,
    simulate,
)

from .writing import arguments, show, write

# Settings of tables 4 and 2: prior, and (chains, steps).
HALVES = [(Prior.paper(5, 0.1), 20, 10_000), (Prior.paper(10, 0.5), 20, 10_000)]
SIMULATED = [(1000, 20, 10_000), (1000, 1, 10_000), (1000, 20, 1000), (250, 20, 10_000)]

Case = tuple[Posterior, BooleanFunction | None]


def halves(prior: Prior, sets: int) -> Iterator[Case]:
    """Fit on one half of the mushrooms, another half each time."""
    X, y = datasets.load_mushroom()
    bits = LiteralEncoder(negations=False).fit_encode(X)
    for seed in range(sets):
        rows, _ = train_test_split(np.arange(len(y)), test_size=0.5, stratify=y, random_state=seed)
        weights = np.bincount(rows, minlength=len(y))
        yield Posterior(bits, y, prior, positive="p", sample_weight=weights), None


def simulated(n: int, sets: int) -> Iterator[Case]:
    """Two terms of two literals among 100 columns."""
    for seed in range(sets):
        X, y, truth = simulate(n, 100, random_state=seed)
        yield Posterior(BitMatrix.from_table(X), y, Prior.paper(10, 0.5)), truth


def compare(cases: Iterator[Case], chains: int, steps: int, jobs: int) -> dict[str, Any]:
    """Anneal each set both ways; the objective is what the annealing climbs."""
    scores, found, seconds = [], [], np.zeros(2)
    for seed, (posterior, truth) in enumerate(cases):
        pair = []
        for way, adaptive in enumerate((False, True)):
            start = time.perf_counter()
            pair.append(
                anneal(
                    posterior, chains=chains, steps=steps, adaptive=adaptive, n_jobs=jobs,
                    random_state=seed,
                )
            )  # fmt: skip
            seconds[way] += time.perf_counter() - start
        scores.append([result.objective for result in pair])
        if truth is not None:
            held = [set(truth.terms) <= set(result.function.terms) for result in pair]
            found.append(held)
    gain = np.diff(np.array(scores), axis=1).ravel()
    return {
        "sets": len(scores),
        "fixed": float(np.mean([s[0] for s in scores])),
        "adaptive": float(np.mean([s[1] for s in scores])),
        "gain": float(gain.mean()),
        "error": float(gain.std(ddof=1) / np.sqrt(len(gain))),
        "higher": float(np.mean(gain > 1e-9)),
        "lower": float(np.mean(gain < -1e-9)),
        "truth_fixed": float(np.mean([f[0] for f in found])) if found else None,
        "truth_adaptive": float(np.mean([f[1] for f in found])) if found else None,
        "time_ratio": float(seconds[1] / seconds[0]),
    }


def main() -> None:
    """Measure, print, write JSON."""
    options = arguments(__doc__).parse_args()
    sets = options.sets or (10 if options.quick else 100)
    rows = []
    for prior, chains, steps in HALVES:
        what = f"mushroom halves, {prior.size.mean:g}, {prior.count.p:g}"  # type: ignore[attr-defined]
        rows.append(
            {"what": what, "chains": chains, "steps": steps}
            | compare(halves(prior, sets), chains, steps, options.jobs)
        )
    for n, chains, steps in SIMULATED:
        rows.append(
            {"what": f"simulated, N = {n}", "chains": chains, "steps": steps}
            | compare(simulated(n, sets), chains, steps, options.jobs)
        )
    show(
        {
            "what": "sets of",
            "sets": "sets",
            "chains": "chains",
            "steps": "steps",
            "fixed": "fixed|.2f",
            "adaptive": "adaptive|.2f",
            "gain": "gain|+.2f",
            "error": "s.e.|.2f",
            "higher": "higher|.2f",
            "lower": "lower|.2f",
            "truth_fixed": "truth, fixed|.2f",
            "truth_adaptive": "adaptive|.2f",
            "time_ratio": "time|.2f",
        },
        rows,
    )
    write("adaptive", {"adaptive": rows})


if __name__ == "__main__":
    main()
