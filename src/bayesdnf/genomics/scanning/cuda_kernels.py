"""Choice and launches of the GPU kernels that count and screen pairs.

Pairs without strata, relevant missing calls and negated literals have their own kernel
(native/cuda/pairs.cu); all other pairs, and triples, are counted segment by segment
(native/cuda/segments.cu).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ... import _native
from ...boolean.literal import CODINGS
from ...errors import InputError
from ...gpu.device import compiled, cupy
from .cuda_operands import Pass

if TYPE_CHECKING:
    from .scan_parts import ScanOptions

ROWS, COLUMNS = 64, 128
"""Variants of a block of a kernel."""

_STAGE_ROWS = 2 * (ROWS + COLUMNS)
_THREADS, _COUNTS, _TURNS = 256, 128, 3
_MOST_OWN = 22_528  # bytes of static shared memory for rules and segments, at most
_PACKED = 1 << 16  # counts below it are packed as 16 bits
_CODES = {code: at for at, code in enumerate([*CODINGS, *(f"not {c}" for c in CODINGS)])}
_MOST_FOUND = 1 << 20  # maximum number of pairs that pass the screen of one launch
_FOUND_NUMBERS = 1 << 25  # maximum number of integers in their buffer

_NO_BITS = 100  # compute capability, times ten, from which tensor cores have no bit products

_PLAIN = Pass((0, 1), (0, 1))
# Planes are 0 known calls, 1 carriers, 2 two copies. The three passes give all nine counts of a
# pair, three of them twice.
_NINE = (Pass((1, 2), (1, 2)), Pass((0, 1), (0, 2)), Pass((0, 2), (0, 1)))


class LaunchSlot:
    """Device buffers of one launch: pairs that passed the screen, and their number."""

    def __init__(self, kernel: ScanKernel) -> None:
        cp = cupy()
        self.found = cp.empty((kernel.capacity, kernel.numbers), dtype=cp.int32)
        self.n_found = cp.zeros(1, dtype=cp.uint32)
        self.done = cp.cuda.Event(disable_timing=True)
        self._copies = kernel.copies
        self.uses: Any = None  # references to input buffers, so that they outlive the launch

    def listed(self) -> NDArray[np.int32] | None:
        """Wait for the launch; return the pairs that passed, or None if the buffer overflowed."""
        self.done.synchronize()
        # A separate stream: on that of the launches ``get`` would wait for the next launch too.
        n = int(self.n_found.get(stream=self._copies)[0])
        return None if n > len(self.found) else self.found[:n].get(stream=self._copies)


class ScanKernel:
    """The compiled kernel of a scan.

    Parameters
    ----------
    table : ScanTable or TripleTable
        Table of genotypes to scan. Triples are counted as pairs among the carriers of a third
        variant.
    options : ScanOptions
        Scoring and ranking.
    segments : sequence of ndarray of bool
        The cases of each stratum, then the controls of each.
    """

    def __init__(
        self,
        table: _native.ScanTable | _native.TripleTable,
        options: ScanOptions,
        segments: Sequence[NDArray[np.bool_]],
    ) -> None:
        cp = cupy()
        triples = isinstance(table, _native.TripleTable)
        sizes = [int(who.sum()) for who in segments]
        strata = len(sizes) // 2
        cells = options.measure == "cells"
        codings = sum(1 << _CODES[coding] for coding in options.codings)
        needs_known = table.needs_known
        self.known = needs_known and not table.all_known
        """Whether known calls are counted."""
        self.general = strata > 1 or triples or self.known or (needs_known and not cells)
        self.passes: tuple[Pass, ...] = (_PLAIN,) * (2 if triples else 1)
        if self.known:
            self.passes = _NINE
        # Counts per segment: 2 x 2 for a pair of variants with two nested planes each (carriers,
        # two copies), 2 x 2 x 2 for a triple, 3 x 3 with the plane of known calls.
        raw = 8 if triples else 9 if self.general and needs_known else 4
        self.numbers = 2 + triples + len(sizes) * raw
        self.capacity = min(_MOST_FOUND, _FOUND_NUMBERS // self.numbers)
        self.blocks = int(cp.cuda.Device().attributes["MultiProcessorCount"])
        packed = max(sizes) < _PACKED
        n_segments = len(sizes) * len(self.passes)
        facts = 0 if self.general else _TURNS * (ROWS + COLUMNS) * (5 if cells else 1) * 4
        stages, stage_bytes, parked = _shape(facts, packed and not self.general)
        here = parked * _THREADS * _COUNTS // 2 * 4
        macros = {
            "STAGES": stages, "STAGE_BYTES": stage_bytes, "SEGMENTS": n_segments,
            "PLANES": 3 if self.known else 2, "GENERAL": self.general, "PACKED": packed,
            "PARKED_HERE": parked, "CELLS": cells, "CODINGS": codings, "STRATA": strata,
            "BOTH_DIRECTIONS": table.both_directions, "COMPLEMENTS": table.complements,
            "NEEDS_KNOWN": self.general and needs_known, "KNOWN": self.known, "TRIPLES": triples,
            "BYTES": products_of_bytes(int(cp.cuda.Device().compute_capability)),
        }  # fmt: skip
        name = "scan_segments" if self.general else "scan_pairs"
        source = _native.CUDA_SEGMENTS if self.general else _native.CUDA_PAIRS
        self.function = compiled(
            _native.CUDA_SCREENS + _native.CUDA_PRODUCTS + source,
            name,
            tuple((macro, int(value)) for macro, value in macros.items()),
        )
        self._shared = stages * _STAGE_ROWS * stage_bytes + facts + here
        self.function.max_dynamic_shared_size_bytes = self._shared
        # Global memory for counts that a block parks, and in pairs.cu for pairs screened twice.
        words = n_segments * (_COUNTS // 2 if packed else _COUNTS) if self.general else 2 * _COUNTS
        self._own = cp.empty(self.blocks * words * _THREADS, dtype=cp.uint32)
        self.copies = cp.cuda.Stream(non_blocking=True)
        """Stream for copies concurrent with the launches."""
        n = sum(sizes)
        rules = [sum(sizes[:strata]) / n, n + 1, *sizes, *table.cuts]
        # Integers below 2^24 are exact in single precision, and a scan on a GPU has fewer samples
        # (``_MOST_SAMPLES`` of ``on_gpu``).
        self._rules = cp.asarray(
            np.concatenate([np.array(rules, np.float32), table.stratum_bounds().ravel()])
        )

    def launch(
        self,
        slot: LaunchSlot,
        segments: NDArray[np.void],
        origins: tuple[int, int],
        n_variants: int,
        items: Any,
        levels: Any,
        margins: Any,
        blocks: int | None = None,
    ) -> None:
        """Count and screen blocks of pairs; pairs that pass are written to ``slot``.

        Parameters
        ----------
        slot : LaunchSlot
            Output buffers.
        segments : ndarray
            Descriptions of the operands.
        origins : tuple of int
            First variant of the rows and of the columns.
        n_variants : int
            Total number of variants.
        items, levels, margins : cupy.ndarray
            Blocks of pairs; thresholds of variants; counts of carriers and of two copies.
        blocks : int, optional
            Maximum number of thread blocks.
        """
        sent = self.sent(segments.view(np.uint8))
        slot.uses = (sent, items, levels)
        slot.n_found.fill(0)
        if len(items):
            self.function(
                (min(blocks or self.blocks, len(items)),), (_THREADS,),
                (sent, *map(np.uint64, origins), np.int32(n_variants), items, np.int32(len(items)),
                 levels, margins, self._rules, self._own, slot.found, slot.n_found,
                 np.uint32(self.capacity)),
                shared_mem=self._shared,
            )  # fmt: skip
        slot.done.record()

    def sent(self, array: NDArray[Any]) -> Any:
        """Copy an array to the GPU, concurrently with running kernels."""
        with self.copies:
            there = cupy().asarray(array)
        self.copies.synchronize()
        return there


def products_of_bytes(capability: int) -> bool:
    """Return whether to use tensor-core products of bytes in place of bits.

    GPUs of compute capability 10.0 and later have no bit products in hardware: the compiler
    emulates each by a call with eight dependent byte products. Byte products written directly need
    no call and are independent of each other. BAYESDNF_PRODUCTS overrides the choice.

    Parameters
    ----------
    capability : int
        Compute capability of the GPU, times ten.
    """
    name = os.environ.get("BAYESDNF_PRODUCTS", "bytes" if capability >= _NO_BITS else "bits")
    if name not in {"bits", "bytes"}:
        raise InputError(f"BAYESDNF_PRODUCTS must be 'bits' or 'bytes'. Got {name!r} instead.")
    return name == "bytes"


def _shape(facts: int, may_park: bool) -> tuple[int, int, bool]:
    """Return number of stages, bytes of a row in each, and whether counts are in shared memory."""
    room = int(cupy().cuda.Device().attributes["MaxSharedMemoryPerBlockOptin"])
    here = _THREADS * _COUNTS // 2 * 4
    stage = _STAGE_ROWS * 128
    if may_park and 3 * stage + facts + here + 512 <= room:
        return 3, 128, True
    if 3 * stage + facts + _MOST_OWN <= room:
        return min(4, (room - facts - _MOST_OWN) // stage), 128, False
    return 3, 64, False
