"""What a cluster is worth: speed-up on 1, 2 and 4 processes of this machine, and what a task costs.

The same scan, chains and restarts in this process on one thread, and on Dask clusters of 1, 2 and 4
worker processes of one thread each, as far as there are processors for them; wall time, so that
other work on the machine shows. Each takes some ten seconds on one thread; workers open the tables
within their time. The results must be the same. Also the overhead of a task (tasks that take no
time, one after the other and all at once) and the memory of a worker beside the size of the planes:
what it holds alone, and what it shares with others because the file is mapped.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from distributed import Client, LocalCluster

from bayesdnf import BitMatrix, Posterior, hunt, sample, simulate
from bayesdnf.genomics import Genotypes, Study, scan
from bayesdnf.remote.dask_cluster import DaskCluster
from bayesdnf.remote.on_worker import worker_of

from .writing import arguments, show, write

PROCESSES = (1, 2, 4)


def packed_study(folder: Path, variants: int, samples: int) -> Study:
    """Pack variants without any meaning, half of the samples cases, and map the file."""
    rng = np.random.default_rng(0)
    copies = rng.binomial(2, 0.3, (variants, samples)).astype(np.int8)
    Study(Genotypes.from_copies(copies), np.arange(samples) < samples // 2).save(folder / "study")
    return Study.open(folder / "study")


def posterior(rows: int, columns: int) -> Posterior:
    """Return five terms of two to four literals among many columns."""
    X, y, _ = simulate(rows, columns, terms=(2, 2, 3, 3, 4), random_state=0)
    return Posterior(BitMatrix.from_table(X), y)


def works(study: Study, quick: bool) -> dict[str, Callable[[], object]]:
    """Return what is timed: each does the same work wherever it is done."""
    table = posterior(500, 200) if quick else posterior(2_000, 1_000)
    start = str(hunt(table, random_state=0, restarts=8).function)
    steps = 5_000 if quick else 40_000
    return {
        "scan": lambda: scan(study.genotypes, study.y, top=100).findings,
        "chains": lambda: sample(
            table, chains=8, draws=100, warmup=0, thin=steps // 100, random_state=0,
            starts=[start] * 8,
        ).index,
        "restarts": lambda: hunt(table, random_state=0, restarts=64, agree=64),
    }  # fmt: skip


def same(a: Any, b: Any) -> bool:
    """Whether two results are equal."""
    if isinstance(a, np.ndarray):
        return bool(np.array_equal(a, b))
    return bool(a.equals(b) if hasattr(a, "equals") else a == b)


def timed(work: Callable[[], object]) -> tuple[float, object]:
    """Wall seconds of a call, and its result."""
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def overhead(client: Client) -> dict[str, float]:
    """Milliseconds of a task that does nothing."""
    cluster = DaskCluster(client)
    list(cluster.run(worker_of, range(20)))
    one, _ = timed(lambda: [list(cluster.run(worker_of, [i])) for i in range(100)])
    many, _ = timed(lambda: list(cluster.run(worker_of, range(1000))))
    return {"alone": 1000 * one / 100, "among_1000": 1000 * many / 1000}


def memory() -> dict[str, float]:
    """Megabytes of this process: of its own, and of mapped files that others may share."""
    own = shared = 0
    for line in Path("/proc/self/smaps_rollup").read_text().splitlines():
        name, *rest = line.split()
        if name in ("Private_Clean:", "Private_Dirty:"):
            own += int(rest[0])
        if name in ("Shared_Clean:", "Shared_Dirty:"):
            shared += int(rest[0])
    return {"own": own / 1024, "shared": shared / 1024}


def main() -> None:
    """Measure, print tables, write JSON."""
    parser = arguments(__doc__, sets=False)
    parser.add_argument("--processes", type=int, nargs="+", help="workers")
    options = parser.parse_args()
    processors = os.cpu_count() or 1
    counts = options.processes or [n for n in PROCESSES if n <= processors]
    if too_many := [n for n in PROCESSES if n > processors and n not in counts]:
        print(f"Not measured on {processors} processors: {too_many} processes.")
    variants = 3_000 if options.quick else 20_000
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        study = packed_study(Path(folder), variants, 2_000)
        todo = works(study, options.quick)
        here = {name: timed(work) for name, work in todo.items()}
        for processes in counts:
            with (
                LocalCluster(
                    n_workers=processes, threads_per_worker=1, dashboard_address=":0"
                ) as cluster,
                Client(cluster) as client,
                joblib.parallel_config(backend="dask", client=client),
            ):
                before = client.run(memory)
                cost = overhead(client)
                for name, work in todo.items():
                    seconds, result = timed(work)
                    alone, wanted = here[name]
                    assert same(result, wanted), name
                    rows.append(
                        {"what": name, "processes": processes, "seconds": seconds,
                         "one_thread": alone, "speed_up": alone / seconds}
                    )  # fmt: skip
                after = client.run(memory)
                rows.append({"what": "a task", "processes": processes, **cost})
                rows.append(
                    {"what": "memory", "processes": processes,
                     "own": np.mean([m["own"] for m in after.values()]),
                     "grown": np.mean([after[w]["own"] - before[w]["own"] for w in after]),
                     "shared": np.mean([m["shared"] for m in after.values()])}
                )  # fmt: skip
        planes = study.genotypes.planes.nbytes / 2**20
    show(
        {"what": "what", "processes": "processes|d", "seconds": "seconds|.2f",
         "one_thread": "here, one thread|.2f", "speed_up": "speed-up|.2f",
         "alone": "ms alone|.1f", "among_1000": "ms of 1000|.2f", "own": "own MB|.0f",
         "grown": "grown by|.0f", "shared": "shared MB|.0f"},
        rows,
    )  # fmt: skip
    print(f"Planes of the study: {planes:.0f} MB; {processors} processors.")
    write("cluster", {"rows": rows, "planes_mb": planes, "processors": processors})


if __name__ == "__main__":
    main()
