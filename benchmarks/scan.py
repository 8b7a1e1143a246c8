"""Speed of the exhaustive scan of pairs, beside PLINK 1.9's BOOST.

In pair-samples per second of one core: pairs of variants times samples, over processor seconds, the
least of three runs each, in turn. Both read the same file; reading is not counted: ours has read it
before, and what a run of PLINK takes that only counts alleles is taken off. Strata are of equal
size and mean nothing: what they cost is work. Processor time, because
other work on the machine then changes little; wall time is in the results beside it. PLINK's column
is empty where the command plink1.9 (Debian package plink1.9) is absent. A run of all sizes writes
the table in docs/scale.md.
"""

from __future__ import annotations

import resource
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bayesdnf import _native
from bayesdnf.genomics import Genotypes, Study, read_study, scan, write_plink

from .writing import RESULTS, arguments, between_marks, commit, show, write

PLINK = "plink1.9"
ROUNDS = 3
STRATA = 2, 5
PAGE = RESULTS.parents[1] / "docs" / "scale.md"
MARK = "<!-- scan -->\n"  # around the table


def files(folder: Path, p: int, n: int) -> Path:
    """Write variants of frequencies .05 to .5 without any meaning, half of the samples cases."""
    rng = np.random.default_rng(0)
    maf = rng.uniform(0.05, 0.5, p)
    copies = np.stack([rng.binomial(2, q, n).astype(np.int8) for q in maf])
    write_plink(Genotypes.from_copies(copies), folder / "study", np.arange(n) < n // 2)
    return folder / "study"


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Processor and wall seconds of a call, those of the programs it starts included."""

    def spent() -> float:
        own = time.process_time()
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return own + children.ru_utime + children.ru_stime

    before, start = spent(), time.perf_counter()
    work()
    return spent() - before, time.perf_counter() - start


def plink(prefix: Path, *options: str) -> None:
    """Run PLINK on one thread."""
    command = [PLINK, "--bfile", str(prefix), "--threads", "1", "--allow-no-sex", *options]
    subprocess.run([*command, "--out", str(prefix)], check=True, stdout=subprocess.DEVNULL)


def measure(p: int, n: int) -> list[dict[str, Any]]:
    """Time everything in turn, and keep the least times."""
    with tempfile.TemporaryDirectory() as folder:
        prefix = files(Path(folder), p, n)
        study: Study = read_study(prefix)
        given = study.genotypes, study.y
        works: dict[str, Callable[[], object]] = {
            "best AND of 3 x 3 codings": lambda: scan(*given),
            "best set of genotype cells": lambda: scan(*given, measure="cells"),
        }
        for s in STRATA:
            strata = np.random.default_rng(s).integers(0, s, n)
            works[f"best AND within {s} strata"] = partial(scan, *given, strata=strata)
            works[f"best set of cells within {s} strata"] = partial(
                scan, *given, strata=strata, measure="cells"
            )
        if shutil.which(PLINK) is not None:
            works["PLINK reading"] = lambda: plink(prefix, "--freq")
            works["PLINK boost"] = lambda: plink(prefix, "--fast-epistasis", "boost")
        times: dict[str, list[tuple[float, float]]] = {name: [] for name in works}
        for _ in range(ROUNDS):
            for name, work in works.items():
                times[name].append(timed(work))
    least = {name: [min(of_kind) for of_kind in zip(*t, strict=True)] for name, t in times.items()}
    if "PLINK boost" in least:
        reading = least.pop("PLINK reading")
        boost = least["PLINK boost"]
        least["PLINK boost"] = [all_of_it - r for all_of_it, r in zip(boost, reading, strict=True)]
    work = p * (p - 1) / 2 * n
    return [
        {
            "what": name,
            "p": p,
            "n": n,
            "seconds": cpu,
            "wall_seconds": wall,
            "pair_samples_per_second": work / cpu,
            "times_plink": least["PLINK boost"][0] / cpu if "PLINK boost" in least else None,
        }
        for name, (cpu, wall) in least.items()
    ]


def table(rows: list[dict[str, Any]], simd: str, measured_at: str) -> list[str]:
    """Describe all results."""
    lines = [
        "| pairs by | samples | processor s | pair·samples a second | times PLINK |",
        "|---|---:|---:|---:|---:|",
    ]
    for row in rows:
        times = "" if row["times_plink"] is None else f"{row['times_plink']:.1f}"
        lines.append(
            f"| {row['what']} | {row['n']:,} | {row['seconds']:.2f} | "
            f"{row['pair_samples_per_second']:.1e} | {times} |"
        )
    return [*lines, "", f"Instruction set {simd}, commit {measured_at}."]


def main() -> None:
    """Measure, print a table, write JSON."""
    options = arguments(__doc__, sets=False).parse_args()
    p = 2000 if options.quick else 5000
    rows = [row for n in ((2000,) if options.quick else (2000, 5000)) for row in measure(p, n)]
    show(
        {
            "what": "pairs by",
            "p": "variants|,",
            "n": "samples|,",
            "seconds": "processor s|.2f",
            "wall_seconds": "wall s|.2f",
            "pair_samples_per_second": "pair-samples/s|.2e",
            "times_plink": "x PLINK|.2f",
        },
        rows,
    )
    write("scan", {"scan": rows})
    if not options.quick:
        between_marks(PAGE, MARK, table(rows, _native.simd(), commit()))


if __name__ == "__main__":
    main()
