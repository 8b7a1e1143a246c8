"""Speed-up by a cluster of 1, 2 and 4 processes on one machine, and the overhead of a task.

The same scan, chains and restarts in this process on one thread, and on Dask clusters of 1, 2 and 4
worker processes of one thread each. Each takes some ten seconds on one thread; workers open the
tables within their time. The results must be the same. Wall time gives the speed-up, on a machine
with as many free processors; processor time of the workers and of this process, where the scheduler
runs, gives the most that it can be, whatever else the machine does: processes times what one thread
needs over what all need together. Also the overhead of a task (tasks that take no time, one after
the other and all at once) and the memory of a worker beside the size of the planes: what it holds
alone, and what it shares with others because the file is mapped. Writes the tables of
docs/cluster.md.
"""

from __future__ import annotations

import os
import tempfile
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import joblib
import numpy as np
from distributed import Client, LocalCluster

from bayesdnf import BitMatrix, Posterior, hunt, sample, simulate
from bayesdnf.genomics import Genotypes, Study, scan
from bayesdnf.remote.dask_cluster import DaskCluster
from bayesdnf.remote.on_worker import worker_of

from .writing import arguments, between_marks, show, write

PROCESSES = (1, 2, 4)
PAGE = Path("docs/cluster.md")
MARK = "<!-- cluster -->\n"  # around the tables


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
    searched = table if quick else posterior(20_000, 1_000)  # restarts take tens of milliseconds
    start = str(hunt(table, random_state=0, restarts=8).function)
    steps = 5_000 if quick else 40_000
    return {
        "scan": lambda: scan(study.genotypes, study.y, top=100).findings,
        "chains": lambda: sample(
            table, chains=8, draws=100, warmup=0, thin=steps // 100, random_state=0,
            starts=[start] * 8,
        ).index,
        "restarts": lambda: hunt(searched, random_state=0, restarts=64, agree=64),
    }  # fmt: skip


def same(a: Any, b: Any) -> bool:
    """Return whether two results are equal."""
    if isinstance(a, np.ndarray):
        return bool(np.array_equal(a, b))
    return bool(a.equals(b) if hasattr(a, "equals") else a == b)


class Timed(NamedTuple):
    """What a call took: wall seconds, processor seconds here and on workers, and its result."""

    wall: float
    here: float
    workers: float
    result: object


def timed(work: Callable[[], object], client: Client | None = None) -> Timed:
    """Time a call."""

    def on_workers() -> float:
        return 0.0 if client is None else sum(client.run(time.process_time).values())

    before, start, here = on_workers(), time.perf_counter(), time.process_time()
    result = work()
    wall, here = time.perf_counter() - start, time.process_time() - here
    return Timed(wall, here, on_workers() - before, result)


def overhead(client: Client) -> dict[str, float]:
    """Milliseconds of a task that does nothing: wall time, and processor time of all."""
    cluster = DaskCluster(client)
    list(cluster.run(worker_of, range(20)))
    one = timed(lambda: [list(cluster.run(worker_of, [i])) for i in range(100)], client)
    many = timed(lambda: list(cluster.run(worker_of, range(1000))), client)
    return {
        "alone": 1000 * one.wall / 100,
        "among_1000": 1000 * many.wall / 1000,
        "task_here": 1000 * many.here / 1000,
        "task_worker": 1000 * many.workers / 1000,
    }


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


def write_page(rows: list[dict[str, Any]], planes: float, processors: int) -> None:
    """Put the tables into docs/cluster.md."""
    titles = (
        "work", "processes", "one thread, CPU s", "workers, CPU s", "scheduler and client, CPU s",
        "speed-up at most", "speed-up, wall time",
    )  # fmt: skip
    lines = [f"| {' | '.join(titles)} |", "|---" + "|---:" * (len(titles) - 1) + "|"]
    lines += [
        f"| {r['what']} | {r['processes']} | {r['cpu_alone']:.1f} | {r['cpu_workers']:.1f} "
        f"| {r['cpu_here']:.1f} | {r['at_most']:.1f} | {r['speed_up']:.2f} |"
        for r in rows
        if "at_most" in r
    ]
    tasks = [r for r in rows if r["what"] == "a task"]
    held = [r for r in rows if r["what"] == "memory"]
    text = (
        f"Measured on {processors} processors, on which {os.getloadavg()[2]:.0f} processes ran on "
        f"average. A task that does nothing takes {_range(tasks, 'task_here')} ms of processor "
        f"time of scheduler and client and {_range(tasks, 'task_worker')} ms of a worker. The "
        f"planes of the study are {planes:.0f} MB; after all this a worker holds "
        f"{_range(held, 'grown')} MB more of its own than before, and shares "
        f"{_range(held, 'shared')} MB of mapped files with others."
    )
    lines += ["", *textwrap.wrap(text, 105)]
    between_marks(PAGE, MARK, lines)


def _range(rows: list[dict[str, Any]], name: str) -> str:
    low, high = (f"{f(row[name] for row in rows):.2g}" for f in (min, max))
    return low if low == high else f"{low} to {high}"


def main() -> None:
    """Measure, print tables, write JSON."""
    parser = arguments(__doc__, sets=False)
    parser.add_argument("--processes", type=int, nargs="+", help="workers")
    options = parser.parse_args()
    processors = os.cpu_count() or 1
    variants = 3_000 if options.quick else 20_000
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        study = packed_study(Path(folder), variants, 2_000)
        todo = works(study, options.quick)
        here = {name: timed(work) for name, work in todo.items()}
        for processes in options.processes or PROCESSES:
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
                    there, alone = timed(work, client), here[name]
                    assert same(there.result, alone.result), name
                    rows.append(
                        {"what": name, "processes": processes, "seconds": there.wall,
                         "one_thread": alone.wall, "speed_up": alone.wall / there.wall,
                         "cpu_alone": alone.here, "cpu_here": there.here,
                         "cpu_workers": there.workers,
                         "at_most": processes * alone.here / max(
                             there.workers, processes * there.here)}
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
         "cpu_alone": "CPU s, one thread|.2f", "cpu_here": "scheduler|.2f",
         "cpu_workers": "workers|.2f", "at_most": "speed-up at most|.2f",
         "alone": "ms alone|.1f", "among_1000": "ms of 1000|.2f", "own": "own MB|.0f",
         "grown": "grown by|.0f", "shared": "shared MB|.0f"},
        rows,
    )  # fmt: skip
    print(f"Planes of the study: {planes:.0f} MB; {processors} processors.")
    write("cluster", {"rows": rows, "planes_mb": planes, "processors": processors})
    write_page(rows, planes, processors)


if __name__ == "__main__":
    main()
