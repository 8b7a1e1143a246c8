"""Speed of reading a .bed file: genotypes per second, compared with bed-reader and Pgenlib.

Run with ``python -m benchmarks.reading``. Ours go into bit planes that the searches use; the
others' readers fill a matrix of one byte a genotype. All read the same file, which the operating
system holds in memory, in one run on one thread; ratios are to bed-reader and to Pgenlib. Results
also go to benchmarks/results/reading.json.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import bed_reader
import numpy as np
import pgenlib

from bayesdnf.genomics import Genotypes, read_plink, write_plink
from bayesdnf.genomics.files.plink import PlinkFiles
from bayesdnf.genomics.files.request import ReadRequest
from bayesdnf.genomics.genotypes import empty_planes

from .writing import arguments, show, write


def seconds(work: Callable[[], object], rounds: int) -> float:
    """Best time of one call, after one to warm up."""
    work()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def ways(prefix: Path, n: int, p: int) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield each way of reading by its name."""
    files = PlinkFiles.of(prefix)
    planes = empty_planes(p, n)
    copies = np.empty((p, n), dtype=np.int8)
    _ = files.samples

    def pgenlib_range() -> None:
        with pgenlib.PgenReader(os.fsencode(files.bed), raw_sample_ct=n) as reader:
            reader.read_range(0, p, copies)

    def bed_reader_calls() -> None:
        with bed_reader.open_bed(files.bed, iid_count=n, sid_count=p, num_threads=1) as bed:
            bed.read(dtype="int8", order="F")

    yield (
        "bayesdnf: calls into planes",
        lambda: files.pack(np.arange(p), None, planes, ReadRequest()),
    )
    yield "bayesdnf: read_plink, first allele", lambda: read_plink(prefix, allele="first")
    yield "bayesdnf: read_plink, minor allele", lambda: read_plink(prefix)
    yield "bed-reader", bed_reader_calls
    yield "Pgenlib", pgenlib_range


def main() -> None:
    """Measure and show."""
    parser = arguments(__doc__, sets=False)
    args = parser.parse_args()
    sizes = [(1000, 2000)] if args.quick else [(5000, 20_000)]
    rows = []
    for n, p in sizes:
        rng = np.random.default_rng(0)
        with tempfile.TemporaryDirectory() as folder:
            prefix = Path(folder) / "made"
            calls = rng.binomial(2, rng.uniform(0.05, 0.95, (p, 1)), (p, n)).astype(np.int8)
            calls[rng.random(calls.shape, dtype=np.float32) < 0.01] = -1
            write_plink(Genotypes.from_copies(calls), prefix)
            del calls
            took = {
                name: seconds(work, 3 if args.quick else 7) for name, work in ways(prefix, n, p)
            }
        for name, t in took.items():
            rows.append(
                {
                    "samples": n,
                    "variants": p,
                    "reader": name,
                    "seconds": t,
                    "genotypes_per_second": n * p / t,
                    "to_bed_reader": took["bed-reader"] / t,
                    "to_pgenlib": took["Pgenlib"] / t,
                }
            )
    show(
        {
            "reader": "reader|",
            "samples": "samples|,",
            "variants": "variants|,",
            "seconds": "seconds|.4f",
            "genotypes_per_second": "genotypes/s|.3g",
            "to_bed_reader": "to bed-reader|.2f",
            "to_pgenlib": "to Pgenlib|.2f",
        },
        rows,
    )
    write("reading", {"readings": rows})


if __name__ == "__main__":
    main()
