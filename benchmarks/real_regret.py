"""How far the default search stays below the best score ever seen, on real tables.

Nobody knows the best function of a real table, so ``best_known.json`` keeps for every shared table,
whole and in five training folds, with and without negations, the best log posterior that anything
has come to: the default search at any seed, and with ``--look`` longer searches with other
settings, the paper's annealing, chains, and searches for the other class turned round. A better
score replaces the one in the file, whoever finds it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesdnf import (
    BitMatrix,
    LiteralEncoder,
    Posterior,
    Prior,
    anneal,
    hunt,
    sample,
)
from bayesdnf.errors import BayesDNFError

from .folds import GROUPS, Set, breast_cancer, sets
from .writing import arguments, show, write

BEST = Path(__file__).parent / "best_known.json"
SAME = 1e-6
LARGE = 20_000  # rows above which only the whole table is searched


class Problem(NamedTuple):
    """Rows of a table to search, with or without negations."""

    name: str
    bits: BitMatrix
    y: NDArray[np.int64]
    posterior: Posterior


def problems(names: list[str] | None, folds: int) -> Iterator[Problem]:
    """Yield the whole table and its training folds, with negations and without."""
    tables = [table for group in GROUPS for table in sets(group, names)]
    if names is None or "breast_cancer" in names:
        tables.append(breast_cancer())
    for table in tables:
        parts = [("whole", np.arange(len(table.y)))]
        if len(table.y) <= LARGE:
            parts += [(f"fold {i}", rows) for i, (rows, _) in enumerate(table.folds)]
        for part, rows in parts[: 1 + folds]:
            for negations in (True, False):
                yield _problem(table, part, rows, negations)


def _problem(table: Set, part: str, rows: Any, negations: bool) -> Problem:
    bits = LiteralEncoder(negations=negations).fit_encode(table.X.iloc[rows])
    y = table.y[rows]
    name = f"{table.name}, {part}, {'negations' if negations else 'as they are'}"
    return Problem(name, bits, y, Posterior(bits, y))


def look(problem: Problem, seed: int) -> Iterator[tuple[str, float]]:
    """Yield what slower and other methods come to."""
    posterior = problem.posterior
    found = hunt(posterior, restarts=400, agree=400, steps=2000, time_limit=20, random_state=seed)
    yield "long search", found.log_posterior
    for start_terms in (1, 10):
        paper = Posterior(problem.bits, problem.y, Prior.paper(5, 0.1))
        ended = anneal(paper, start_terms=start_terms, random_state=seed).function
        try:
            better = hunt(posterior, starts=[ended], restarts=1, random_state=seed)
            yield "the paper's annealing", better.log_posterior
        except BayesDNFError:
            continue  # it may hold what our prior does not allow
    drawn = sample(posterior, draws=500, warmup=200, time_limit=10, random_state=seed)
    yield "chains", float(drawn.log_score.max())
    reverse = Posterior(problem.bits, 1 - problem.y)
    turned = hunt(reverse, time_limit=10, random_state=seed).function
    try:
        yield (
            "the other class",
            hunt(posterior, starts=[turned.complement(1000)], restarts=1).log_posterior,
        )
    except BayesDNFError:
        return  # its complement is too long, or not allowed


def main() -> None:
    """Compare, print a table, keep every better score."""
    parser = arguments(__doc__, sets=False)
    parser.add_argument("--look", action="store_true", help="look for better scores by other ways")
    parser.add_argument("--names", nargs="+", help="only these tables")
    parser.add_argument("--folds", type=int, default=5, help="training folds of each table")
    parser.add_argument("--seeds", type=int, default=1, help="seeds of the default search")
    options = parser.parse_args()
    best: dict[str, dict[str, Any]] = json.loads(BEST.read_text()) if BEST.exists() else {}
    rows = []

    def know(name: str, score: float, how: str) -> None:
        if name not in best or score > best[name]["log_posterior"] + SAME:
            best[name] = {"log_posterior": score, "by": how}
            ordered = dict(sorted(best.items()))
            BEST.write_text(json.dumps(ordered, indent=1, ensure_ascii=False) + "\n")

    for problem in problems(options.names, 1 if options.quick else options.folds):
        for seed in range(options.seeds):
            began = time.process_time()
            found = hunt(problem.posterior, n_jobs=options.jobs, random_state=seed)
            seconds = time.process_time() - began
            know(problem.name, found.log_posterior, "default search")
            rows.append(
                {
                    "problem": problem.name,
                    "seed": seed,
                    "found": found.log_posterior,
                    "agreed": found.stopped == "agreement",
                    "agreement": f"{found.agreement}/{found.restarts}",
                    "ways": found.ways,
                    "seconds": seconds,
                }
            )
        if options.look:
            for how, score in look(problem, seed=1000):
                know(problem.name, score, how)
        print(f"{problem.name}: {best[problem.name]['log_posterior']:.4f}", flush=True)
    for row in rows:
        row["best"] = best[row["problem"]]["log_posterior"]
        row["regret"] = max(0.0, row["best"] - row["found"])
    misses = [row for row in rows if row["regret"] > SAME]
    show(
        {
            "problem": "problem",
            "best": "best known|.3f",
            "regret": "regret|.3f",
            "agreement": "agreement",
            "ways": "ways",
            "seconds": "CPU s|.2f",
        },
        misses,
    )
    agreed = [row for row in rows if row["agreed"]]
    wrong = sum(row["regret"] > SAME for row in agreed)
    print(
        f"{len(rows) - len(misses)} of {len(rows)} searches end at the best known score, largest "
        f"regret {max((row['regret'] for row in rows), default=0):.2f}. {len(agreed)} say that "
        f"they agree, {wrong} of them wrongly. {sum(row['seconds'] for row in rows):.0f} CPU s."
    )
    write("real_regret", {"real_regret": rows})


if __name__ == "__main__":
    main()
