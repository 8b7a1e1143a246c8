"""Seconds and memory of ``bayesdnf markers``, from the files of a study to its folder of results.

Simulated studies of growing size: blocks of twenty linked variants, an AND of two variants that
doubles the odds twice over, and an age that moves the risk, so that everything is judged within
strata. The command runs in a process of its own; its log says what each step took, the kernel what
it took in all and how much memory it held at its peak. Planes are three bits a call.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesdnf.genomics import Genotypes, write_plink

from .writing import arguments, show, write

QUICK = [(2000, 1000)]
SIZES = [(20_000, 2000), (20_000, 5000), (50_000, 5000), (100_000, 5000)]
BLOCK = 20  # variants in linkage
SWITCH = 0.08  # chance that a haplotype leaves its ancestor between two variants of a block


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


def files(folder: Path, p: int, n: int) -> Path:
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
    write_plink(genotypes, folder / "study", rng.random(n) < 1 / (1 + np.exp(-odds)))
    table = pd.DataFrame({"FID": who, "IID": who, "age": 60 + 10 * age})
    table.to_csv(folder / "age.txt", sep="\t", index=False)
    return folder / "study"


def measure(p: int, n: int, n_jobs: int) -> dict[str, Any]:
    """Run the command on a study of this size."""
    with tempfile.TemporaryDirectory() as folder:
        prefix = files(Path(folder), p, n)
        out = Path(folder, "found")
        command = [
            sys.executable, "-m", "bayesdnf", "markers", str(prefix), "--covar",
            str(prefix.with_name("age.txt")), "--out", str(out), "--jobs", str(n_jobs), "--json",
        ]  # fmt: skip
        began = time.perf_counter()
        with open(Path(folder, "result.json"), "w+") as result:
            process = subprocess.Popen(command, stdout=result)
            _, status, used = os.wait4(process.pid, 0)
            wall = time.perf_counter() - began
            if status:
                raise SystemExit(f"bayesdnf markers ended with status {status}.")
            result.seek(0)
            found = json.load(result)
    planes = p * 3 * 8 * -(-n // 64)
    return {
        "p": p,
        "n": n,
        "wall_seconds": wall,
        "seconds": used.ru_utime + used.ru_stime,
        "peak": used.ru_maxrss * 1024 / 1e6,
        "planes": planes / 1e6,
        "rule": found["rule"],
        "strata": max(1, len(found["strata"])),
        "steps": found["seconds"],
    }


def main() -> None:
    """Measure, print a table, write JSON."""
    options = arguments(__doc__, sets=False).parse_args()
    rows = []
    for p, n in QUICK if options.quick else SIZES:
        rows.append(measure(p, n, options.jobs))
        for step, seconds in rows[-1]["steps"].items():
            print(f"{p:,} x {n:,}  {step}: {seconds:.1f} s", flush=True)
    show(
        {
            "p": "variants|,",
            "n": "samples|,",
            "wall_seconds": "wall s|.0f",
            "seconds": "processor s|.0f",
            "peak": "peak MB|.0f",
            "planes": "planes MB|.0f",
            "strata": "strata|d",
            "rule": "rule|",
        },
        rows,
    )
    write("whole_study", {"whole_study": rows})


if __name__ == "__main__":
    main()
