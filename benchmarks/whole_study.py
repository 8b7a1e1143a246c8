"""Seconds and memory of ``bayesdnf markers``, from the files of a study to its folder of results.

Simulated studies of growing size: blocks of twenty linked variants, an AND of two variants that
doubles the odds twice over, and an age that moves the risk. Each is judged as it is and within
strata of the age. The command runs in a process of its own; its log says what each step took, the
kernel what it took in all and how much memory it held at its peak. Planes are three bits a call.
The floor is what a process holds that has loaded the libraries of the command and does nothing.

Every result is a line of benchmarks/results/whole_study.jsonl as soon as it is there; the table in
docs/scale.md is written from these lines. Lines that are removed are measured again.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesdnf.genomics import Genotypes, write_plink

from .writing import RESULTS, append_lines, arguments, between_marks, commit, read_lines

LINES = RESULTS / "whole_study.jsonl"
PAGE = RESULTS.parents[1] / "docs" / "scale.md"
MARK = "<!-- whole study -->\n"  # around the table
QUICK = [(2000, 1000)]
SIZES = [(20_000, 2000), (20_000, 5000), (50_000, 5000), (100_000, 5000)]
BLOCK = 20  # variants of a linkage block
LIBRARIES = (
    "import bayesdnf.cli, bayesdnf.genomics.markers.finding, bayesdnf.report.marker_folder; "
    "from bayesdnf.plots.panels import pyplot; pyplot()"
)
SWITCH = 0.08  # probability that a haplotype changes its ancestor between two variants of a block


def blocks(rng: np.random.Generator, p: int, n: int) -> Iterator[NDArray[np.int8]]:
    """Make the copies of one block of variants after the other."""
    for start in range(0, p, BLOCK):
        width = min(BLOCK, p - start)
        frequency = rng.uniform(0.05, 0.5, width).astype(np.float32)
        ancestor = rng.random((width, 2, n), dtype=np.float32)
        leaves = rng.random((width, 2, n), dtype=np.float32) < SWITCH
        for j in range(1, width):
            np.copyto(ancestor[j], ancestor[j - 1], where=~leaves[j])
        yield (ancestor < frequency[:, None, None]).sum(axis=1, dtype=np.int8)


def files(prefix: Path, p: int, n: int) -> None:
    """Write a study, with its covariate beside it."""
    import pandas as pd

    rng = np.random.default_rng([p, n])
    made = blocks(rng, p, n)
    planes = np.concatenate([Genotypes.from_copies(copies).planes for copies in made])
    ids = [f"rs{v + 1}" for v in range(p)]
    who = [f"s{i + 1}" for i in range(n)]
    samples = pd.DataFrame({"FID": who, "IID": who, "SEX": 0})
    number = np.arange(p)
    variants = pd.DataFrame(
        {"CHR": (1 + 20 * number // p).astype(str), "POS": 5000 * (1 + number), "ID": ids}
    ).assign(A1="A", A2="G")
    genotypes = Genotypes(planes, samples, variants)
    first, second = genotypes.copies([p // 3, 2 * p // 3]) >= 1
    age = rng.normal(size=n)
    odds = -1 + 0.6 * age + 1.4 * (first & second)
    write_plink(genotypes, prefix, rng.random(n) < 1 / (1 + np.exp(-odds)))
    table = pd.DataFrame({"FID": who, "IID": who, "age": 60 + 10 * age})
    table.to_csv(prefix.with_name("age.txt"), sep="\t", index=False)


def spent(command: list[str], out: Path) -> tuple[float, resource.struct_rusage]:
    """Run a command that prints to a file: wall seconds, and what the kernel counted."""
    began = time.perf_counter()
    with out.open("w") as file:
        process = subprocess.Popen(command, stdout=file)
        _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{command[:4]} ended with status {status}.")
    return time.perf_counter() - began, used


def measure(p: int, n: int, strata: bool, n_jobs: int) -> dict[str, Any]:
    """Run the command on a study of this size."""
    measured_at = commit()
    with tempfile.TemporaryDirectory() as folder:
        prefix, result = Path(folder, "study"), Path(folder, "result.json")
        # After a fork, the peak memory of a child starts at the memory of its parent. So studies
        # are simulated in another process.
        maker = get_context("spawn").Process(target=files, args=(prefix, p, n))
        maker.start()
        maker.join()
        _, idle = spent([sys.executable, "-c", LIBRARIES], result)
        command = [
            sys.executable, "-m", "bayesdnf", "markers", str(prefix), "--out",
            str(Path(folder, "found")), "--jobs", str(n_jobs), "--json",
        ]  # fmt: skip
        covariate = ["--covar", str(prefix.with_name("age.txt"))] if strata else []
        wall, used = spent([*command, *covariate], result)
        found = json.loads(result.read_text())
    return {
        "p": p,
        "n": n,
        "adjusted": strata,
        "strata": max(1, len(found["strata"])),
        "jobs": n_jobs,
        "wall_seconds": wall,
        "seconds": used.ru_utime + used.ru_stime,
        "peak": used.ru_maxrss * 1024 / 1e6,
        "floor": idle.ru_maxrss * 1024 / 1e6,
        "planes": p * 3 * 8 * -(-n // 64) / 1e6,
        "rule": found["rule"],
        "steps": found["seconds"],
        "commit": measured_at,
    }


def table(lines: list[dict[str, Any]]) -> list[str]:
    """Describe all results."""
    rows = [
        "| variants | samples | strata | processor s | wall s, threads | pairs, of wall | "
        "planes MB | floor MB | peak MB | over the floor, of planes | commit |",
        "|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|",
    ]
    for x in sorted(lines, key=lambda x: (x["n"], x["p"], x["strata"])):
        floor, over = x.get("floor"), ""
        if floor is not None and x["planes"] >= 1:
            over = f"{(x['peak'] - floor) / x['planes']:.1f}"
        pairs = sum(s for step, s in x["steps"].items() if step.startswith("pairs"))
        rows.append(
            f"| {x['p']:,} | {x['n']:,} | {x['strata']} | {x['seconds']:,.0f} | "
            f"{x['wall_seconds']:,.0f}, {x['jobs']} | {pairs / x['wall_seconds']:.0%} | "
            f"{x['planes']:.0f} | {'' if floor is None else f'{floor:.0f}'} | {x['peak']:.0f} | "
            f"{over} | {x['commit']} |"
        )
    return rows


def main() -> None:
    """Measure what is missing, and write the table."""
    parser = arguments(__doc__, sets=False)
    parser.add_argument("--sizes", nargs="*", help="such as 100000x5000, instead of all")
    parser.add_argument("--strata", choices=["no", "yes"], help="only without, or only within")
    options = parser.parse_args()
    sizes = QUICK if options.quick else SIZES
    if options.sizes is not None:
        sizes = [(int(p), int(n)) for p, n in (size.split("x") for size in options.sizes)]
    for p, n in sizes:
        for strata in (False, True):
            known = {(x["p"], x["n"], x["adjusted"]) for x in read_lines(LINES)}
            if (p, n, strata) in known or options.strata == ("no" if strata else "yes"):
                continue
            line = measure(p, n, strata, options.jobs)
            append_lines(LINES, [line])
            for key, value in line.items():
                print(f"{key}: {value}", flush=True)
    between_marks(PAGE, MARK, table(read_lines(LINES)))


if __name__ == "__main__":
    main()
