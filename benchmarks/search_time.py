"""CPU seconds of the default search beside what it may take, and RIPPER's in the same run.

Everything that the default does for trust is included, on one thread. "coding" is what it takes to
turn the table into bits before that; RIPPER's time includes its own. Zero regret: at least the
score of the true function on simulated sets, the best known score on others (``best_known.json``).
Where a search takes over a second it is run again on up to eight threads, by the clock.

``make bench-search`` runs this in the environment of the peers, as RIPPER lives there; elsewhere
mushroom has no limit. Results are saved after every part, and ``--parts mushroom adult`` measures
only these again.
"""

from __future__ import annotations

import datetime
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from bayesdnf import BitMatrix, LiteralEncoder, Posterior, Prior, datasets, hunt, simulate
from bayesdnf.search.result import SearchResult

from .best_known import SAME, BestKnown
from .folds import Set, breast_cancer, sets
from .methods import Wittgenstein
from .mushroom import CLOSE, HALF, PRIOR, halves
from .real_regret import problem
from .regret import SETTINGS, ZERO, Setting
from .writing import RESULTS, arguments, show, write

LONG = 1.0  # searches of at least this many seconds must be faster with threads
THREADS = min(8, os.cpu_count() or 1)
BEST = BestKnown("best_known")
# Limits in seconds, by the number of simulated columns.
LIMITS = {100: 0.02, 1000: 0.06, 10_000: 0.6, 100_000: 10.0}

Row = dict[str, Any]


class Case(NamedTuple):
    """A table to code and search."""

    make: Callable[[], Posterior]
    seed: int
    known: Callable[[Posterior, float], float]
    """The score to reach, when it is told what was found."""


def cpu(work: Callable[[], Any]) -> tuple[Any, float]:
    """Do something; return what comes of it and the CPU seconds it took."""
    start = time.process_time()
    done = work()
    return done, time.process_time() - start


def best_known(name: str) -> Callable[[Posterior, float], float]:
    """Make what keeps a score and returns the best known."""

    def known(_: Posterior, score: float) -> float:
        BEST.know(name, score, "default search")
        return BEST[name] - SAME

    return known


def measure(table: str, cases: Iterable[Case], limit: float | None) -> Row:
    """Search tables of one kind."""
    searched: list[dict[str, Any]] = []
    gain: Row = {}
    for case in cases:
        posterior, coding = cpu(case.make)
        start = time.perf_counter()
        found, seconds = cpu(partial(hunt, posterior, random_state=case.seed))
        clock = time.perf_counter() - start
        zero = found.log_posterior >= case.known(posterior, found.log_posterior)
        agreed = found.stopped == "agreement"
        searched.append({"seconds": seconds, "coding": coding, "zero": zero, "agreed": agreed})
        if len(searched) == 1 and seconds > LONG:
            gain = threads_gain(posterior, case.seed, found, clock)
    seconds = [one["seconds"] for one in searched]
    return {
        "table": table,
        "sets": len(searched),
        "seconds": float(np.mean(seconds)),
        "longest": max(seconds),
        "coding": float(np.mean([one["coding"] for one in searched])),
        "limit": limit,
        "ratio": None if limit is None else float(np.mean(seconds)) / limit,
        "zero_regret": sum(one["zero"] for one in searched),
        "agreed": sum(one["agreed"] for one in searched),
        "agreed_wrongly": sum(one["agreed"] and not one["zero"] for one in searched),
        **gain,
    }


def threads_gain(posterior: Posterior, seed: int, one: SearchResult, clock: float) -> Row:
    """Return how many times faster several threads are by the clock, and whether they agree."""
    start = time.perf_counter()
    several = hunt(posterior, n_jobs=THREADS, random_state=seed)
    gain = clock / (time.perf_counter() - start)
    return {"threads": THREADS, "threads_gain": gain, "threads_agree": several == one}


def simulated(p: int, quick: bool) -> Iterator[Row]:
    """Measure the simulated sets of ``benchmarks.regret`` with so many columns."""
    for setting in (setting for setting in SETTINGS if setting.p == p):
        seeds = range(setting.quick if quick else setting.sets)
        table = f"{len(setting.terms)} terms, p = {p:,}, N = {setting.n:,}"
        yield measure(table, (simulated_case(setting, seed) for seed in seeds), LIMITS[p])


def simulated_case(setting: Setting, seed: int) -> Case:
    """Simulate a set."""
    X, y, truth = simulate(setting.n, setting.p, terms=setting.terms, random_state=seed)
    return Case(
        lambda: Posterior(BitMatrix.from_table(X), y),
        seed,
        lambda posterior, _: posterior.log_score(truth) - ZERO,
    )


def mushroom(quick: bool) -> Iterator[Row]:
    """Measure halves of mushroom, and RIPPER on the same rows; with negations it has twice that."""
    whole, _ = datasets.load_mushroom()
    splits = [(seed, X, y) for seed, (X, _, y, _) in halves(quick)]
    ripper = ripper_seconds(splits)
    for negations in (False, True):
        encoder = LiteralEncoder(negations=negations).fit(whole)
        limit = None if ripper is None else ripper * (2 if negations else 1)
        for words, prior in (("the paper's prior", PRIOR), ("default prior", Prior())):
            kind = f"{'negations' if negations else 'as they are'}, {words}"
            cases = [
                Case(
                    partial(half, encoder, prior, X, y),
                    0,
                    best_known(f"mushroom, half {seed}, {kind}"),
                )
                for seed, X, y in splits
            ]
            if prior is PRIOR and not negations:
                cases = [case._replace(known=lambda *_: HALF - CLOSE) for case in cases]
            yield measure(f"half of mushroom, {kind}", cases, limit)


def half(encoder: LiteralEncoder, prior: Prior, X: Any, y: Any) -> Posterior:
    """Code half of mushroom."""
    return Posterior(encoder.encode(X), y, prior, positive="p")


def ripper_seconds(splits: list[Any]) -> float | None:
    """Return RIPPER's mean CPU seconds; None where it is not installed."""
    try:
        fits = [
            cpu(partial(Wittgenstein("RIPPER").fit, X.astype(str), (y == "p").to_numpy(int)))
            for _, X, y in splits
        ]
    except ModuleNotFoundError as error:
        print(f"RIPPER is left out: {error}.")
        return None
    return float(np.mean([seconds for _, seconds in fits]))


def real(tables: Iterable[Set], limit: float) -> Iterator[Row]:
    """Measure a whole real table with negations."""
    for table in tables:
        make = partial(problem, table, "whole", np.arange(len(table.y)), negations=True)
        name = make().name
        case = Case(lambda make=make: make().posterior, 0, best_known(name))
        yield measure(name, [case], limit)


PARTS: dict[str, Callable[[bool], Iterator[Row]]] = {
    "p=100": partial(simulated, 100),
    "mushroom": mushroom,
    "p=1000": partial(simulated, 1000),
    "p=10000": partial(simulated, 10_000),
    "p=100000": partial(simulated, 100_000),
    "adult": lambda quick: real(sets("categorical", ["adult"]), 30.0),
    "breast_cancer": lambda quick: real([breast_cancer()], 3.0),
}


def main() -> None:
    """Measure part by part, save each, print a table of all."""
    parser = arguments(__doc__, sets=False)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    options = parser.parse_args()
    file = "search_time-quick" if options.quick else "search_time"
    rows: list[Row] = []
    if (RESULTS / f"{file}.json").exists():
        rows = json.loads((RESULTS / f"{file}.json").read_text())["search_time"]
    run = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    for part in options.parts:
        with threadpool_limits(1):
            measured = [{**row, "run": run} for row in PARTS[part](options.quick)]
        rows = list({row["table"]: row for row in [*rows, *measured]}.values())
        write(file, {"search_time": rows})
        print(
            f"{part}: {sum(row['seconds'] * row['sets'] for row in measured):.1f} CPU s", flush=True
        )
    show(
        {
            "table": "table",
            "seconds": "CPU s|.3f",
            "limit": "limit|.3g",
            "ratio": "of it|.2f",
            "longest": "longest|.3f",
            "coding": "coding s|.3f",
            "sets": "sets|,",
            "zero_regret": "zero regret|,",
            "agreed": "agreed|,",
            "agreed_wrongly": "wrongly",
            "threads": "threads",
            "threads_gain": "times faster|.1f",
            "threads_agree": "same result",
        },
        rows,
    )


if __name__ == "__main__":
    main()
