"""How often the default search finds a list of layers at least as good as the true one.

Three kinds of simulated sets of 50 columns, searched with ``layers=4``: lists of two and of three
layers, one or two terms of two or three literals each, whose parts have well separated rates in any
order; functions of two terms, which should come out as lists of one layer; and noise, where the
null list should. Set s of a kind is made and searched with the seed s.

With ``--classes 3`` the outcome has three classes: every part has a class of its own with a share
of 80 %, and one of four parts has two classes with 45 % each. Without a layer classes are noise.
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np

from bayesdnf import BitMatrix, BooleanFunction, Posterior, RuleList, hunt, simulate

from .writing import arguments, show, write

P, LAYERS = 50, 4
ZERO = 1e-9  # rounding
RATES = {2: (0.1, 0.5, 0.9), 3: (0.05, 0.35, 0.65, 0.95)}
SHARES = np.array([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8], [0.45, 0.45, 0.1]])


class Setting(NamedTuple):
    """A kind of simulated set: layers of the truth (0: noise) and rows."""

    layers: int
    n: int
    sets: int
    classes: int = 2


SETTINGS = [
    *(Setting(layers, n, 50) for layers in (2, 3) for n in (500, 2000)),
    *(Setting(1, n, 100) for n in (500, 2000)),
    Setting(0, 500, 100),
]
OF_CLASSES = [
    *(Setting(layers, n, 60, 3) for layers in (1, 2, 3) for n in (500, 2000)),
    Setting(0, 500, 60, 3),
]


def simulated(setting: Setting, seed: int) -> tuple[np.ndarray, np.ndarray, RuleList]:
    """Return a table, its outcome and the list that it follows."""
    if setting.classes == 2 and setting.layers < 2:
        terms: Any = (2, 2) if setting.layers else BooleanFunction()
        X, y, truth = simulate(setting.n, P, terms=terms, random_state=seed)
        return X, y, RuleList([] if truth.is_null else [truth])
    rng = np.random.default_rng(seed)
    X = rng.random((setting.n, P)) < 0.5
    below = _cumulative(setting, rng)
    columns = iter(rng.permutation(P))
    part = np.zeros(setting.n, dtype=np.intp)
    layers = []
    for number in range(1, setting.layers + 1):
        sizes = [rng.integers(2, 3 if number == 1 else 4) for _ in range(rng.integers(1, 3))]
        terms = [[int(next(columns)) for _ in range(size)] for size in sizes]
        part[np.any([X[:, term].all(axis=1) for term in terms], axis=0)] = number
        layers.append(BooleanFunction([[f"x{j}" for j in term] for term in terms]))
    uniform = rng.random(setting.n)
    if setting.classes == 2:
        return X, uniform < below[part, 0], RuleList(layers[::-1])
    return X, (uniform[:, None] > below[part, :2]).sum(axis=1), RuleList(layers[::-1])


def _cumulative(setting: Setting, rng: np.random.Generator) -> np.ndarray:
    """Return cumulative class shares of the parts, that of positives first where there are two."""
    if setting.classes == 2:
        return np.asarray(rng.permutation(RATES[setting.layers])[:, None])
    if setting.layers == 0:
        return np.cumsum(np.full((1, 3), 1 / 3), axis=1)
    shares = rng.permutation(SHARES[: setting.layers + 1])[:, rng.permutation(3)]
    return np.cumsum(shares, axis=1)


def one_set(setting: Setting, seed: int, n_jobs: int) -> dict[str, Any]:
    """Simulate a set, search it, compare with the truth."""
    X, y, truth = simulated(setting, seed)
    posterior = Posterior(BitMatrix.from_table(X), y, layers=LAYERS)
    start = time.process_time()
    found = hunt(posterior, n_jobs=n_jobs, random_state=seed)
    seconds = time.process_time() - start
    regret = max(0.0, posterior.log_score(truth) - found.log_posterior)
    return {
        "seed": seed,
        "regret": regret if regret > ZERO else 0.0,
        "layers": len(found.function),
        "agreed": found.stopped == "agreement",
        "seconds": seconds,
    }


def measure(setting: Setting, sets: int, n_jobs: int, first: int = 0) -> dict[str, Any]:
    """Search all sets of a kind."""
    found = [one_set(setting, seed, n_jobs) for seed in range(first, first + sets)]
    return {
        "layers": setting.layers,
        "n": setting.n,
        "sets": sets,
        "zero": sum(case["regret"] == 0 for case in found),
        "worst": max(case["regret"] for case in found),
        "as_many": sum(case["layers"] == setting.layers for case in found),
        "agreed": sum(case["agreed"] for case in found),
        "agreed_wrong": sum(case["agreed"] and case["regret"] > 0 for case in found),
        "mean_seconds": sum(case["seconds"] for case in found) / sets,
        "max_seconds": max(case["seconds"] for case in found),
        "misses": [case for case in found if case["regret"] > 0],
    }


def main() -> None:
    """Measure, print, write JSON."""
    parser = arguments(__doc__)
    parser.add_argument("--classes", type=int, choices=(2, 3), default=2, help="of the outcome")
    parser.add_argument("--first", type=int, default=0, help="Seed of the first set.")
    options = parser.parse_args()
    results = []
    for setting in SETTINGS if options.classes == 2 else OF_CLASSES:
        sets = options.sets or (5 if options.quick else setting.sets)
        results.append(measure(setting, sets, options.jobs, options.first))
    show(
        {
            "layers": "layers",
            "n": "n",
            "sets": "sets",
            "zero": "zero regret",
            "worst": "worst|.2f",
            "as_many": "as many layers",
            "agreed": "agreed",
            "agreed_wrong": "wrongly",
            "mean_seconds": "mean s|.3f",
            "max_seconds": "max s|.2f",
        },
        results,
    )
    name = "list_regret" if options.classes == 2 else "class_list_regret"
    write(name, {"p": P, "layers": LAYERS, "settings": results})


if __name__ == "__main__":
    main()
