"""Speed of the sweep: as a share of the peak AND+popcount loop, and compared with numpy.

Run with ``make bench``. Every ratio is between things measured in the same run, on one thread,
with the planes at the same cache level. Results also go to benchmarks/results/sweep.json.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from bayesdnf import _native
from bayesdnf.data.bits import BitMatrix
from bayesdnf.data.literal_table import LiteralTable
from bayesdnf.data.planes.plane_layout import allocate_planes, segment_offsets
from bayesdnf.versions import versions

SIZES = [(116, 4062), (10_000, 5_000), (1_000, 1_000_000)]
RESULTS = Path(__file__).parent / "results"


def seconds(work: Callable[[], object], least: float = 0.05, rounds: int = 15) -> float:
    """Best time of one call, over rounds that each last at least ``least`` seconds."""
    work()
    start = time.perf_counter()
    work()
    calls = max(1, int(least / max(time.perf_counter() - start, 1e-9)))
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(calls):
            work()
        best = min(best, (time.perf_counter() - start) / calls)
    return best


def random_matrix(p: int, n: int, rng: np.random.Generator) -> BitMatrix:
    """Make a table of p random columns, half of the rows positive."""
    segments = [n // 2, n - n // 2]
    planes = allocate_planes(p, segment_offsets(segments)[-1])
    planes[:] = rng.integers(0, 2**63, planes.shape, dtype=np.uint64)
    return BitMatrix(planes, LiteralTable.of_flags([f"x{j}" for j in range(p)]), segments)


def measure(p: int, n: int, simd: str) -> dict[str, object]:
    """Time sweeps of one and of four masks, the peak loop, and numpy on unpacked rows."""
    rng = np.random.default_rng(0)
    matrix = random_matrix(p, n, rng)
    view = matrix.view(simd)
    words = matrix.planes.size
    masks = rng.integers(0, 2**63, (4, view.n_words), dtype=np.uint64)
    one = seconds(lambda: view.sweep(masks[:1]))
    four = seconds(lambda: view.sweep(masks)) / 4

    # The peak: the same planes as one stream, against a mask that stays in the first-level cache.
    block = 1024
    stream = np.resize(matrix.planes.reshape(-1), max(block, words // block * block))
    mask = rng.integers(0, 2**63, block, dtype=np.uint64)
    peak = seconds(lambda: _native.and_popcount(mask, stream, 1, simd)) * words / len(stream)

    result = {
        "p": p,
        "n": n,
        "simd": simd,
        "plane_bytes": matrix.nbytes,
        "microseconds_one_mask": one * 1e6,
        "microseconds_per_mask_of_four": four * 1e6,
        "words_per_second_one_mask": words / one,
        "words_per_second_of_four": words / four,
        "words_per_second_peak": words / peak,
        "share_of_peak_one_mask": peak / one,
        "share_of_peak_of_four": peak / four,
    }
    if p * n <= 10**9:
        unpacked = rng.integers(0, 2, (p, n), dtype=np.uint8)
        row = rng.integers(0, 2, n).astype(np.bool_)
        dense = seconds(lambda: unpacked[:, row].sum(axis=1, dtype=np.int64), 0.2, 3)
        result["numpy_seconds_over_ours"] = dense / one
    return result


def main() -> None:
    """Measure, print a table, write JSON."""
    results = [measure(p, n, simd) for p, n in SIZES for simd in _native.available_simd()]
    header = ("columns", "rows", "simd", "µs a mask", "of four", "share", "of four", "x numpy")
    print(
        f"{header[0]:>8}{header[1]:>10}  {header[2]:<9}" + "".join(f"{h:>11}" for h in header[3:])
    )
    for r in results:
        numbers = (
            f"{r['microseconds_one_mask']:.2f}",
            f"{r['microseconds_per_mask_of_four']:.2f}",
            f"{r['share_of_peak_one_mask']:.0%}",
            f"{r['share_of_peak_of_four']:.0%}",
            f"{r['numpy_seconds_over_ours']:.0f}" if "numpy_seconds_over_ours" in r else "",
        )
        print(f"{r['p']:>8,}{r['n']:>10,}  {r['simd']:<9}" + "".join(f"{v:>11}" for v in numbers))
    print("share: of the AND+popcount peak over as many bytes in the same run")
    RESULTS.mkdir(exist_ok=True)
    text = json.dumps({"versions": versions(), "sweep": results}, indent=2)
    (RESULTS / "sweep.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
