"""Kernels as NVRTC compiles them for GPUs of all kinds that can run them; no GPU is needed.

``make gpu-kernels`` installs NVRTC, of about 100 MB for each CUDA; without it this is skipped.
"""

import sys

import numpy as np
import pytest

from bayesdnf import BitMatrix, Effect, Posterior, _native, simulate
from bayesdnf.genomics.scanning.cuda_kernels import ScanKernel
from bayesdnf.genomics.scanning.cuda_operands import Operands
from bayesdnf.genomics.scanning.scan_parts import ScanOptions
from bayesdnf.gpu import device
from bayesdnf.gpu.sweeping import GpuPlanes
from tests.genomics.scanning.paired import study, table_of

from .emulated import cupy, nvrtc

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not nvrtc.libraries(), reason="needs NVRTC: make gpu-kernels"),
]

# Compute capability, times ten, and bytes of shared memory that a block may have: A100; RTX 3090,
# RTX 4090 (99 KiB); H100, H200, B200 (227); RTX 5090 (99).
GPUS = {80: 163 << 10, 86: 99 << 10, 89: 99 << 10, 90: 227 << 10, 100: 227 << 10, 120: 99 << 10}


SPILLED = 64  # bytes of a thread; its counts alone take 512


@pytest.fixture(
    params=[(cuda, gpu) for cuda in sorted(nvrtc.libraries()) for gpu in GPUS],
    ids=lambda pair: f"CUDA {pair[0]}, {pair[1]}",
)
def compiled(request, monkeypatch):
    """Kernels that were compiled, by their names and options, for one GPU by one CUDA."""
    cuda, capability = request.param
    made = {}

    def kernel(source, name, options=()):
        library = nvrtc.libraries()[cuda]
        made[name, options] = nvrtc.Compiled(library, source, name, options, capability)
        return made[name, options]

    attributes = {"MultiProcessorCount": 3, "MaxSharedMemoryPerBlockOptin": GPUS[capability]}
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    monkeypatch.setattr(cupy, "RawKernel", kernel)
    monkeypatch.setattr(cupy.Device, "compute_capability", str(capability))
    monkeypatch.setattr(cupy.Device, "attributes", attributes)
    for cached in (device.cupy, device.compiled):
        cached.cache_clear()
    yield made
    for cached in (device.cupy, device.compiled):
        cached.cache_clear()


def test_kernels_of_scans_keep_counts_in_registers(compiled):
    genotypes, y = study(4, 400, missing=0.1)
    complete, _ = study(4, 400)
    strata = np.arange(400) % 3
    for calls, given in (
        (complete, {}), (complete, {"measure": "cells"}), (genotypes, {"measure": "cells"}),
        (complete, {"codings": ("not dominant",)}), (complete, {"effect": Effect(ordered=False)}),
        (complete, {"strata": strata}), (genotypes, {"strata": strata, "measure": "cells"}),
    ):  # fmt: skip
        table = table_of(calls, y, **given)
        options = {key: given[key] for key in ("measure", "codings") if key in given}
        groups = [who & (strata == s) for who in (y, ~y) for s in range(3)]
        kernel = ScanKernel(table, ScanOptions(**options), groups if "strata" in given else [y, ~y])
        assert kernel._shared <= cupy.Device.attributes["MaxSharedMemoryPerBlockOptin"]
    triples = _native.TripleTable(table_of(complete, y), np.arange(4, dtype=np.int32), 1)
    ScanKernel(triples, ScanOptions(), [y, ~y])
    assert {name for name, _ in compiled} == {"scan_pairs", "scan_segments"}
    for key, made in compiled.items():
        assert made.spilled <= SPILLED, key
        assert made.calls == set(), key


def test_other_kernels_keep_counts_in_registers(compiled):
    genotypes, y = study(4, 400)
    Operands(genotypes, [y, ~y], known=False)
    X, y, _ = simulate(100, 4, random_state=0)
    GpuPlanes(Posterior(BitMatrix.from_table(X), y).bits)
    assert {name for name, _ in compiled} == {"pick", "sweep", "select_literals"}
    for key, made in compiled.items():
        assert made.spilled <= SPILLED, key
        # On late GPUs a product of bits is a call: sweeps wait for memory anyway.
        assert not any(b"mma" not in call for call in made.calls), key
