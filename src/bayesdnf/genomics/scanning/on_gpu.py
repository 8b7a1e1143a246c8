"""The scans that a GPU supports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ... import _native
from ...gpu.device import wants_gpu
from ..genotypes import Genotypes
from .cuda_pairs import CudaPairs
from .cuda_triples import CudaTriples

if TYPE_CHECKING:
    from .scan_parts import ScanOptions

WORTH_A_GPU = 1e12
"""Pairs or triples times samples from which "auto" takes a GPU: about where a core needs some
seconds and a GPU needs longer to start than to scan."""

_MOST_SAMPLES = 1 << 23  # counts below it are exact in single precision
_MOST_STRATA = 40  # whose bounds fit in shared memory

GpuScan = CudaPairs | CudaTriples


def gpu_scan(
    genotypes: Genotypes,
    segments: Sequence[NDArray[np.bool_]],
    table: _native.ScanTable | _native.TripleTable,
    options: ScanOptions,
    chosen: NDArray[np.int32] | None,
    device: str,
) -> GpuScan | None:
    """Return the GPU scan, or None if the CPU scans.

    Parameters
    ----------
    genotypes : Genotypes
        The calls.
    segments : sequence of ndarray of bool
        The cases of each stratum, then the controls of each.
    table, options
        Table of genotypes to scan; scoring and ranking.
    chosen : ndarray of int32 or None
        Variants of a scan of triples.
    device : {"cpu", "cuda", "auto"}
        The requested device.
    """
    worth_it = table.size_of(0, table.n_tasks) * len(segments[0]) >= WORTH_A_GPU
    if not wants_gpu(device, "scan", _not_on_gpus(segments, table, options), worth_it):
        return None
    if isinstance(table, _native.ScanTable):
        return CudaPairs(genotypes, segments, table, options)
    assert chosen is not None
    return CudaTriples(genotypes, segments, table, chosen, options)


def _not_on_gpus(
    segments: Sequence[NDArray[np.bool_]],
    table: _native.ScanTable | _native.TripleTable,
    options: ScanOptions,
) -> str | None:
    if isinstance(table, _native.TripleTable) and table.needs_known:
        return "counts triples for ANDs without negated literals only"
    if len(segments[0]) >= _MOST_SAMPLES:
        return f"counts fewer than {_MOST_SAMPLES:,} samples"
    if len(segments) > 2 * _MOST_STRATA:
        return f"counts within {_MOST_STRATA} strata at most"
    return None
