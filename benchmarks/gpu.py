"""Speed of scans of pairs and of sweeps on one GPU, as shares of limits measured in the same run.

Limits: binary tensor-core products without anything else, and a copy in the GPU's memory. A pair
needs four products, so the first limit in pair-samples per second is a quarter of the products'.
Scans include the way of the calls to the GPU and the scores. On parts of the same study the scan of
the CPU must find the same, and so must a search.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayesdnf import BitMatrix, Posterior, _native, hunt
from bayesdnf.data.literal_table import LiteralTable
from bayesdnf.genomics import Genotypes, scan
from bayesdnf.genomics.genotypes import empty_planes, pack_mask
from bayesdnf.genomics.scanning.cuda_pairs import CudaPairs
from bayesdnf.genomics.scanning.scan_parts import ScanOptions, scan_table, segments_of
from bayesdnf.gpu.device import compiled
from bayesdnf.gpu.sweeping import on_device

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


def seconds(work: Any) -> float:
    """Seconds of work on the GPU, the least of five times."""
    import cupy as cp

    work()
    cp.cuda.Device().synchronize()
    took = []
    for _ in range(5):
        began = time.perf_counter()
        work()
        cp.cuda.Device().synchronize()
        took.append(time.perf_counter() - began)
    return min(took)


def limits() -> dict[str, float]:
    """Measure bit products and bytes copied, each per second."""
    import cupy as cp

    kernel = cp.RawKernel(PRODUCTS, "products")
    blocks, threads, rounds = 132 * 8, 256, 4096
    out = cp.zeros(blocks * threads, dtype=cp.int32)
    big = cp.zeros(1 << 30, dtype=cp.uint8)
    other = cp.empty_like(big)

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

    slot, numbers, took = gpu._slots[0], np.array(tasks), []
    for _ in range(4):
        began, ended = cp.cuda.Event(), cp.cuda.Event()
        began.record()
        gpu._launch(slot, (0, 0), numbers, least, jobs)
        ended.record()
        ended.synchronize()
        took.append(cp.cuda.get_elapsed_time(began, ended) / 1000)
    return float(min(took[1:]))


def sweeps(p: int, n: int, copied: float) -> dict[str, Any]:
    """Sweep random planes on the GPU with 1, 4 and 8 masks."""
    import cupy as cp

    words = 2 * -(-n // 2 // 512) * 8
    planes = cp.random.randint(0, 2**31, (p, 2 * words), dtype=cp.int32)
    masks = cp.random.randint(0, 2**31, (8, 2 * words), dtype=cp.int32)
    ends = cp.array([words // 16, words // 8], dtype=cp.int32)
    counts = cp.empty(2 * 8 * p, dtype=cp.int32)
    kernel = compiled(_native.CUDA_SWEEP, "sweep")
    shown: dict[str, Any] = {"planes": p, "rows": n}
    for n_masks in (1, 4, 8):
        took = seconds(
            lambda n_masks=n_masks: kernel(
                (-(-p // 128),),
                (256,),
                (
                    planes,
                    np.uint64(words * 8),
                    np.int32(p),
                    ends,
                    np.int32(2),
                    masks,
                    np.int32(n_masks),
                    counts,
                ),
            )
        )
        shown[f"seconds_{n_masks}"] = took
        shown[f"share_of_memory_{n_masks}"] = planes.nbytes / took / copied
    return shown


def search(p: int, n: int, jobs: int, limit: float) -> dict[str, Any]:
    """Search one table for a rule of two terms, on the GPU and on threads."""
    rng = np.random.default_rng(0)
    planes = rng.integers(0, 2**64, (p, -(-n // 64)), dtype=np.uint64)
    if n % 64:
        planes[:, -1] &= np.uint64((1 << n % 64) - 1)
    names = [f"x{j}" for j in range(p)]
    bits = BitMatrix(planes, LiteralTable.of_flags(names), [n])

    def column(j: int) -> NDArray[np.bool_]:
        return np.unpackbits(planes[j].view(np.uint8), bitorder="little", count=n).astype(bool)

    rule = (column(7) & column(p // 2) & column(p - 3)) | (column(11) & column(p // 3))
    y = rng.random(n) < np.where(rule, 0.8, 0.2)
    began = time.perf_counter()
    posterior = Posterior(bits, y)
    made = time.perf_counter() - began
    shown: dict[str, Any] = {"planes": p, "rows": n, "posterior": made}
    for device in ("cuda", "cpu"):
        began = time.perf_counter()
        found = hunt(posterior, n_jobs=jobs, random_state=0, time_limit=limit, device=device)
        shown[device] = {
            "seconds": time.perf_counter() - began, "function": str(found.function),
            "score": found.log_posterior, "stopped": found.stopped, "restarts": found.restarts,
        }  # fmt: skip
        masks = posterior.bits.view().all_rows()[None].repeat(4, axis=0)
        with on_device(posterior.bits, device, "hunt"):
            posterior.bits.view().literal_counts(masks)
            began = time.perf_counter()
            posterior.bits.view().literal_counts(masks)
            shown[device]["sweep_of_4"] = time.perf_counter() - began
        print(json.dumps({device: shown[device]}), flush=True)
    return shown


def measure(
    p: int, n: int, measure: str, jobs: int, n_strata: int = 1, missing: bool = False
) -> dict[str, Any]:
    """Scan on the GPU, and some tasks on the CPU too."""
    genotypes, y = study(p, n)
    strata = np.arange(n) % n_strata if n_strata > 1 else None
    if missing:  # 1 % of the calls of each variant
        genotypes.planes[:] &= ~pack_mask(np.arange(n) % 100 == 7, genotypes.planes.shape[2])
    given = {"measure": measure, "strata": strata, "n_jobs": jobs}
    options = ScanOptions(measure=measure, top=100)
    # Compilation at first use is not timed.
    few = genotypes.take(variants=np.arange(300))
    scan(few, y, device="cuda", top=5, **given)
    began = time.perf_counter()
    table = scan_table(genotypes, y, options, strata, jobs)
    margins = time.perf_counter()
    gpu = CudaPairs(genotypes, segments_of(y, strata), table, options)
    sent = time.perf_counter()
    best = _native.Findings(100)
    gpu.scan(best, range(table.n_tasks), jobs, lambda tasks: None)
    ended = time.perf_counter()
    some = range(max(1, min(table.n_tasks, 4_000_000_000 // n)))
    alone = one_launch(gpu, some, best.least, jobs)
    counted = table.size_of(0, some[-1] + 1) * n / alone
    phases = {"margins": margins - began, "transfer": sent - margins, "pairs": ended - sent}
    code = gpu._kernel.function
    kernel = {"registers": code.num_regs, "local": code.local_size_bytes, "left": gpu._left}
    del gpu
    began = time.perf_counter()
    found = scan(genotypes, y, device="cuda", top=100, **given)
    seconds = time.perf_counter() - began
    parts = max(1, p * (p - 1) // 2 * n // 4_000_000_000_000)
    few = [scan(genotypes, y, device=d, top=100, part=(1, parts), **given) for d in ("cuda", "cpu")]
    rate = p * (p - 1) / 2 * n / seconds
    shown = {
        "variants": p, "samples": n, "measure": measure, "strata": n_strata, "missing": missing,
        "seconds": seconds,
        "pair_samples_per_second": rate, "same_as_cpu": few[0].findings.equals(few[1].findings),
        "cpu_part": parts, "phases": phases, "kernel": kernel,
        "rate_of_kernel": counted,
        "rate_of_pairs": p * (p - 1) / 2 * n / phases["pairs"],
        "rate_with_transfer": p * (p - 1) / 2 * n / (phases["transfer"] + phases["pairs"]),
        "best": found.findings["marker"].head(2).tolist(),
    }  # fmt: skip
    return shown


def triples(chosen: int, n: int, jobs: int, n_strata: int = 1) -> dict[str, Any]:
    """Scan all triples of some variants on the GPU, and a part of them on the CPU too."""
    genotypes, y = study(chosen, n)
    given = {
        "size": 3, "among": range(chosen), "n_jobs": jobs, "top": 100,
        "strata": np.arange(n) % n_strata if n_strata > 1 else None,
    }  # fmt: skip
    scan(genotypes, y, device="cuda", **{**given, "among": range(50)})  # compile
    began = time.perf_counter()
    found = scan(genotypes, y, device="cuda", **given)
    took = time.perf_counter() - began
    total = chosen * (chosen - 1) * (chosen - 2) // 6
    parts = min(chosen, max(1, total * n // 1_000_000_000_000))
    few = []
    for device in ("cuda", "cpu"):
        began = time.perf_counter()
        few.append(scan(genotypes, y, device=device, part=(1, parts), **given))
    return {
        "chosen": chosen, "samples": n, "strata": n_strata, "triples": total, "seconds": took,
        "triple_samples_per_second": total * n / took, "cpu_part": parts,
        "cpu_seconds_of_part": time.perf_counter() - began,
        "same_as_cpu": few[0].findings.equals(few[1].findings),
        "best": found.findings["marker"].head(2).tolist(),
    }  # fmt: skip


def main() -> None:
    """Print one JSON object a line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--sizes", default="20000x5000,20000x20000,20000x100000,10000x500000")
    parser.add_argument("--measure", default="and,cells")
    parser.add_argument("--strata", default="20000x5000,20000x50000", help="In five strata.")
    parser.add_argument("--missing", default="20000x5000,20000x50000", help="Calls, cells.")
    parser.add_argument("--triples", default="1000x5000,1000x50000", help="Chosen variants.")
    parser.add_argument("--sweeps", default="1000000x10000,1000000x500000")
    parser.add_argument("--searches", default="1000000x10000")
    parser.add_argument("--limit", type=float, default=120, help="Seconds of a search.")
    parser.add_argument("--jobs", type=int, default=16)
    options = parser.parse_args()
    import cupy as cp

    def sizes(text: str) -> list[tuple[int, int]]:
        return [(int(p), int(n)) for p, n in (size.split("x") for size in text.split(",") if size)]

    name = cp.cuda.runtime.getDeviceProperties(0)["name"].decode()
    bound = limits()
    print(json.dumps({"device": name, **bound, "simd": _native.simd()}), flush=True)
    for p, n in sizes(options.sizes):
        for kind in options.measure.split(",") if p * n < 10**9 else ["and"]:
            got = measure(p, n, kind, options.jobs)
            got["share_of_limit"] = got["pair_samples_per_second"] * 4 / bound["bit_products"]
            print(json.dumps(got), flush=True)
    for p, n in sizes(options.strata):
        for kind in options.measure.split(","):
            print(json.dumps(measure(p, n, kind, options.jobs, n_strata=5)), flush=True)
    for p, n in sizes(options.missing):
        print(json.dumps(measure(p, n, "cells", options.jobs, missing=True)), flush=True)
    for p, n in sizes(options.triples):
        for n_strata in (1, 5):
            print(json.dumps(triples(p, n, options.jobs, n_strata)), flush=True)
    for p, n in sizes(options.sweeps):
        print(json.dumps(sweeps(p, n, bound["bytes_copied"])), flush=True)
        cp.get_default_memory_pool().free_all_blocks()
    for p, n in sizes(options.searches):
        print(json.dumps(search(p, n, options.jobs, options.limit)), flush=True)


if __name__ == "__main__":
    main()
