"""The best score that anything has come to on a table, and how far the default search stays below.

Nobody knows the best function of a table, so a file keeps for each the best log posterior seen: by
the default search at any seed, and with ``--look`` by longer searches with other settings, the
paper's annealing, chains, searches for the other class turned round, and the function that made the
table, bettered. A better score replaces the one in the file, whoever finds it.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesdnf import BitMatrix, BooleanFunction, Posterior, Prior, anneal, hunt, sample
from bayesdnf.errors import BayesDNFError

from .writing import arguments, show, write

SAME = 1e-6
LOOK_SEEDS = (1000, 1001)  # seeds of long searches


class Problem(NamedTuple):
    """A table to search."""

    name: str
    bits: BitMatrix
    y: NDArray[Any]
    posterior: Posterior
    truth: BooleanFunction | None = None


class BestKnown:
    """Names of problems to the best scores known, kept in a file."""

    def __init__(self, name: str) -> None:
        self._file = Path(__file__).parent / f"{name}.json"
        text = self._file.read_text() if self._file.exists() else "{}"
        self._best: dict[str, dict[str, Any]] = json.loads(text)

    def __getitem__(self, name: str) -> float:
        return float(self._best[name]["log_posterior"])

    def know(self, name: str, score: float, how: str) -> None:
        """Keep a score if it is better than what is known."""
        if name not in self._best or score > self[name] + SAME:
            self._best[name] = {"log_posterior": score, "by": how}
            ordered = dict(sorted(self._best.items()))
            self._file.write_text(json.dumps(ordered, indent=1, ensure_ascii=False) + "\n")


def look(problem: Problem, seconds: float) -> Iterator[tuple[str, float]]:
    """Yield what slower and other methods come to, long searches in so many seconds."""
    posterior = problem.posterior
    many = {"restarts": 10_000, "agree": 10_000, "time_limit": seconds}
    for seed, steps in zip(LOOK_SEEDS, (100, 1000), strict=True):
        found = hunt(posterior, **many, steps=steps, random_state=seed)
        yield "long search", found.log_posterior
    starts = {
        "the paper's annealing": [_annealed(problem, terms) for terms in (1, 10)],
        "the other class": [_turned(problem, seconds)],
        "the truth": [problem.truth],
    }
    for how, functions in starts.items():
        for function in functions:
            if function is None:
                continue
            try:
                yield how, hunt(posterior, starts=[function], restarts=1).log_posterior
            except BayesDNFError:
                continue  # not allowed by our prior, or its literals are not on offer
    try:
        drawn = sample(
            posterior, draws=500, warmup=200, time_limit=seconds / 2, random_state=LOOK_SEEDS[0]
        )
        yield "chains", float(drawn.log_score.max())
    except BayesDNFError:
        return  # no draw within the time limit


def _annealed(problem: Problem, start_terms: int) -> BooleanFunction:
    paper = Posterior(problem.bits, problem.y, Prior.paper(5, 0.1))
    return anneal(paper, start_terms=start_terms, random_state=LOOK_SEEDS[0]).function


def _turned(problem: Problem, seconds: float) -> BooleanFunction | None:
    reverse = Posterior(problem.bits, 1 - np.asarray(problem.y, dtype=np.int64))
    found = hunt(reverse, time_limit=seconds / 2, random_state=LOOK_SEEDS[0])
    try:
        return found.function.complement(1000)
    except BayesDNFError:
        return None  # too long


def regret_arguments(text: str | None) -> argparse.ArgumentParser:
    """Make the options of a comparison with the best known scores."""
    parser = arguments(text, sets=False)
    parser.add_argument(
        "--look",
        type=float,
        metavar="SECONDS",
        help="look for better scores by other ways, long searches in so many seconds each",
    )
    parser.add_argument("--seeds", type=int, default=1, help="seeds of the default search")
    return parser


def compare(
    name: str, problems: Iterable[Problem], best: BestKnown, options: argparse.Namespace
) -> None:
    """Search every problem, keep better scores, print misses and counts, write JSON."""
    rows: list[dict[str, Any]] = []
    for problem in problems:
        for seed in range(options.seeds):
            rows.append({"problem": problem.name, "seed": seed} | _searched(problem, seed, options))
            best.know(problem.name, rows[-1]["found"], "default search")
        if options.look:
            for how, score in look(problem, options.look):
                best.know(problem.name, score, how)
        print(f"{problem.name}: {best[problem.name]:.4f}", flush=True)
    for row in rows:
        row["best"] = best[row["problem"]]
        row["regret"] = max(0.0, row["best"] - row["found"])
    misses = [row for row in rows if row["regret"] > SAME]
    show(
        {
            "problem": "problem",
            "seed": "seed",
            "best": "best known|.3f",
            "regret": "regret|.3f",
            "agreement": "agreement",
            "ways": "ways",
            "stopped": "stopped by",
            "seconds": "CPU s|.2f",
        },
        misses,
    )
    agreed = [row for row in rows if row["stopped"] == "agreement"]
    wrong = sum(row["regret"] > SAME for row in agreed)
    print(
        f"{len(rows) - len(misses)} of {len(rows)} searches end at the best known score, largest "
        f"regret {max((row['regret'] for row in rows), default=0):.2f}. {len(agreed)} say that "
        f"they agree, {wrong} of them wrongly. {sum(row['seconds'] for row in rows):.0f} CPU s."
    )
    write(name, {name: rows})


def _searched(problem: Problem, seed: int, options: argparse.Namespace) -> dict[str, Any]:
    began = time.process_time()
    found = hunt(problem.posterior, n_jobs=options.jobs, random_state=seed)
    return {
        "seconds": time.process_time() - began,
        "found": found.log_posterior,
        "stopped": found.stopped,
        "agreement": f"{found.agreement}/{found.restarts}",
        "ways": found.ways,
    }
