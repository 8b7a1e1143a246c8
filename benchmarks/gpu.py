"""Speed of the exhaustive scan of pairs on one GPU, as shares of limits measured in the same run.

Limits: binary tensor-core products without anything else, and a copy in the GPU's memory. A pair
needs four products, so the first limit in pair-samples per second is a quarter of the products'.
Scans include the way of the calls to the GPU and the scores. On parts of the same study the scan of
the CPU must find the same.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayesdnf import _native
from bayesdnf.genomics import Genotypes, scan
from bayesdnf.genomics.genotypes import empty_planes
from bayesdnf.genomics.scanning import cuda_pairs
from bayesdnf.genomics.scanning.cuda_pairs import CudaPairs
from bayesdnf.genomics.scanning.scan_parts import ScanOptions, scan_table

PRODUCTS = r"""
extern "C" __global__ void products(int* out, int rounds) {
    unsigned a[4], b[2];
    for (int i = 0; i < 4; ++i) a[i] = threadIdx.x * 7919 + i * 104729;
    for (int i = 0; i < 2; ++i) b[i] = threadIdx.x * 15485863 + i * 32452843;
    int c[16][4] = {};
    for (int r = 0; r < rounds; ++r)
#pragma unroll
        for (int i = 0; i < 16; ++i)
            asm volatile(
                "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc "
                "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                : "+r"(c[i][0]), "+r"(c[i][1]), "+r"(c[i][2]), "+r"(c[i][3])
                : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    int sum = 0;
    for (int i = 0; i < 16; ++i)
        for (int k = 0; k < 4; ++k) sum += c[i][k];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
"""


def limits() -> dict[str, float]:
    """Measure bit products and bytes copied, each per second."""
    import cupy as cp

    kernel = cp.RawKernel(PRODUCTS, "products")
    blocks, threads, rounds = 132 * 8, 256, 4096
    out = cp.zeros(blocks * threads, dtype=cp.int32)
    big = cp.zeros(1 << 30, dtype=cp.uint8)
    other = cp.empty_like(big)

    def seconds(work: Any) -> float:
        work()
        cp.cuda.Device().synchronize()
        took = []
        for _ in range(5):
            began = time.perf_counter()
            work()
            cp.cuda.Device().synchronize()
            took.append(time.perf_counter() - began)
        return min(took)

    products = blocks * (threads // 32) * rounds * 16 * 16 * 8 * 256
    return {
        "bit_products": products
        / seconds(lambda: kernel((blocks,), (threads,), (out, np.int32(rounds)))),
        "bytes_copied": 2 * big.nbytes / seconds(lambda: cp.copyto(other, big)),
    }


def study(p: int, n: int, seed: int = 0) -> tuple[Genotypes, NDArray[np.bool_]]:
    """Make calls of allele frequency 1/4 or 1/2, and cases by two planted pairs."""
    rng = np.random.default_rng(seed)
    planes = empty_planes(p, n)
    words = planes.shape[2]
    tail = np.full(words, ~np.uint64(0))
    whole, left = divmod(n, 64)
    tail[whole:] = 0
    if left:
        tail[whole] = (np.uint64(1) << np.uint64(left)) - np.uint64(1)
    for first in range(0, p, 1024):
        piece = slice(first, min(first + 1024, p))
        shape = (piece.stop - piece.start, words)

        def allele(shape: tuple[int, int] = shape) -> NDArray[np.uint64]:
            bits = rng.integers(0, 2**64, (2, *shape), dtype=np.uint64, endpoint=False)
            bits[0, ::2] &= bits[1, ::2]
            return np.asarray(bits[0])

        one, two = allele(), allele()
        planes[piece, 0] = tail
        planes[piece, 1] = (one | two) & tail
        planes[piece, 2] = one & two & tail
    names = [f"s{i}" for i in range(n)]
    genotypes = Genotypes(
        planes,
        pd.DataFrame({"FID": names, "IID": names, "SEX": 0}),
        pd.DataFrame(
            {"CHR": "1", "POS": np.arange(1, p + 1), "ID": [f"v{j}" for j in range(p)],
             "A1": "B", "A2": "A"}
        ),
    )  # fmt: skip

    def carriers(v: int, level: int) -> NDArray[np.bool_]:
        row = np.ascontiguousarray(planes[v, level]).view(np.uint8)
        return np.unpackbits(row, bitorder="little", count=n).astype(bool)

    marked = (carriers(p // 3, 2) & carriers(p // 2, 2)) | (carriers(6, 2) & carriers(p - 8, 2))
    risk = np.where(marked, 0.5 + 35 / np.sqrt(n), 0.5)
    return genotypes, rng.random(n) < np.minimum(0.95, risk)


def one_launch(gpu: CudaPairs, tasks: range, least: float, jobs: int) -> float:
    """Seconds of counting and screening alone, the least of three launches."""
    import cupy as cp

    slot, took = cuda_pairs._Slot(cp), []
    for _ in range(4):
        began, ended = cp.cuda.Event(), cp.cuda.Event()
        began.record()
        gpu._launch(slot, tasks, least, jobs)
        ended.record()
        ended.synchronize()
        took.append(cp.cuda.get_elapsed_time(began, ended) / 1000)
    return float(min(took[1:]))


def measure(p: int, n: int, measure: str, jobs: int) -> dict[str, Any]:
    """Scan on the GPU, and some tasks on the CPU too."""
    genotypes, y = study(p, n)
    options = ScanOptions(measure=measure, top=100)
    # Kernels are compiled at first use and kept; that is not timed.
    cuda_pairs._compiled("scan_pairs", 4, int(y.sum()) < 1 << 16, measure == "cells").compile()
    cuda_pairs._compiled("pick", 2, False, False).compile()
    began = time.perf_counter()
    table = scan_table(genotypes, y, options, jobs)
    margins = time.perf_counter()
    gpu = CudaPairs(genotypes, y, table, options)
    sent = time.perf_counter()
    best = _native.Findings(100)
    gpu.scan(best, range(table.n_tasks), jobs, lambda tasks: None)
    ended = time.perf_counter()
    some = range(max(1, min(table.n_tasks, 4_000_000_000 // n)))
    alone = one_launch(gpu, some, best.least, jobs)
    counted = table.size_of(0, some[-1] + 1) * n / alone
    phases = {"margins": margins - began, "transfer": sent - margins, "pairs": ended - sent}
    kernel = {"registers": gpu._kernel.num_regs, "spilled": gpu._kernel.local_size_bytes}
    del gpu
    began = time.perf_counter()
    found = scan(genotypes, y, device="cuda", n_jobs=jobs, top=100, measure=measure)
    seconds = time.perf_counter() - began
    parts = max(1, p * (p - 1) // 2 * n // 4_000_000_000_000)
    few = [
        scan(genotypes, y, device=d, n_jobs=jobs, top=100, measure=measure, part=(1, parts))
        for d in ("cuda", "cpu")
    ]
    rate = p * (p - 1) / 2 * n / seconds
    shown = {
        "variants": p, "samples": n, "measure": measure, "seconds": seconds,
        "pair_samples_per_second": rate, "same_as_cpu": few[0].findings.equals(few[1].findings),
        "cpu_part": parts, "phases": phases, "kernel": kernel,
        "rate_of_kernel": counted,
        "rate_of_pairs": p * (p - 1) / 2 * n / phases["pairs"],
        "rate_with_transfer": p * (p - 1) / 2 * n / (phases["transfer"] + phases["pairs"]),
        "best": found.findings["marker"].head(2).tolist(),
    }  # fmt: skip
    return shown


def main() -> None:
    """Print one JSON object a line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--sizes", default="20000x5000,20000x20000,20000x100000,10000x500000")
    parser.add_argument("--measure", default="and,cells")
    parser.add_argument("--jobs", type=int, default=16)
    options = parser.parse_args()
    import cupy as cp

    name = cp.cuda.runtime.getDeviceProperties(0)["name"].decode()
    bound = limits()
    print(json.dumps({"device": name, **bound, "simd": _native.simd()}), flush=True)
    for size in options.sizes.split(","):
        p, n = map(int, size.split("x"))
        for kind in options.measure.split(",") if p * n < 10**9 else ["and"]:
            got = measure(p, n, kind, options.jobs)
            got["share_of_limit"] = got["pair_samples_per_second"] * 4 / bound["bit_products"]
            print(json.dumps(got), flush=True)


if __name__ == "__main__":
    main()
