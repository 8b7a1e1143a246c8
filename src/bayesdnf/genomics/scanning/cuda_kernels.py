"""Kernels that count and screen pairs on a GPU: choice and launches.

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
_MOST_OWN = 22_528  # bytes of shared memory that rules and segments of a kernel take
_PACKED = 1 << 16  # a count below it takes half a word
_CODES = {code: at for at, code in enumerate([*CODINGS, *(f"not {c}" for c in CODINGS)])}
_MOST_FOUND = 1 << 20  # pairs that one launch may leave
_FOUND_NUMBERS = 1 << 25  # and numbers of all of them

_NO_BITS = 100  # compute capability, times ten, from which tensor cores multiply no bits

_PLAIN = Pass((0, 1), (0, 1))
# Of known calls, carriers and two copies: all nine counts, three of them twice.
_NINE = (Pass((1, 2), (1, 2)), Pass((0, 1), (0, 2)), Pass((0, 2), (0, 1)))


class LaunchSlot:
    """Device buffers of one launch: pairs that passed the screen, and their number."""

    def __init__(self, kernel: ScanKernel) -> None:
        cp = cupy()
        self.found = cp.empty((kernel.capacity, kernel.numbers), dtype=cp.int32)
        self.n_found = cp.zeros(1, dtype=cp.uint32)
        self.done = cp.cuda.Event(disable_timing=True)
        self._copies = kernel.copies
        self.uses: Any = None  # what the launch reads, kept until the next one

    def listed(self) -> NDArray[np.int32] | None:
        """Wait for the launch; return what it left, or None if there was no room for that."""
        self.done.synchronize()
        # The stream of the launches may have the next one already, which ``get`` would wait for.
        n = int(self.n_found.get(stream=self._copies)[0])
        return None if n > len(self.found) else self.found[:n].get(stream=self._copies)


class ScanKernel:
    """The kernel of a scan.

    Parameters
    ----------
    table : ScanTable or TripleTable
        What is scanned. Triples are pairs that are counted beside a third variant.
    options : ScanOptions
        How.
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
        # Counts of a segment: with two nested planes of each variant two by two for a pair and two
        # by two by two for a triple; with the known calls three by three.
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
        # Counts that a block parks, and in pairs.cu those of pairs that are looked at twice.
        words = n_segments * (_COUNTS // 2 if packed else _COUNTS) if self.general else 2 * _COUNTS
        self._own = cp.empty(self.blocks * words * _THREADS, dtype=cp.uint32)
        self.copies = cp.cuda.Stream(non_blocking=True)
        """What is copied beside the launches, to the GPU and back."""
        n = sum(sizes)
        rules = [sum(sizes[:strata]) / n, n + 1, *sizes, *table.cuts]
        # Whole numbers below 2^24 are exact in single precision, and a scan on a GPU has fewer
        # samples (``_MOST_SAMPLES`` of ``on_gpu``).
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
        """Count and screen blocks of pairs; what is left comes to ``slot``.

        Parameters
        ----------
        slot : LaunchSlot
            For what is found.
        segments : ndarray
            The operands.
        origins : tuple of int
            The variants that these begin with, of rows and of columns.
        n_variants : int
            How many there are in all.
        items, levels, margins : cupy.ndarray
            Blocks of pairs; what variants must exceed; carriers and two copies of each.
        blocks : int, optional
            At most so many blocks of threads.
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
        """Send an array beside what the GPU is at."""
        with self.copies:
            there = cupy().asarray(array)
        self.copies.synchronize()
        return there


def products_of_bytes(capability: int) -> bool:
    """Choose tensor-core products of bytes or of bits.

    GPUs of compute capability 10.0 and later have no products of bits: the compiler replaces each
    by a call that makes eight dependent products of bytes. Our own products of bytes need no call,
    and are independent of each other. BAYESDNF_PRODUCTS overrides the choice.

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
    """Return stages, bytes of a row in each, and whether counts of cases are parked beside them."""
    room = int(cupy().cuda.Device().attributes["MaxSharedMemoryPerBlockOptin"])
    here = _THREADS * _COUNTS // 2 * 4
    stage = _STAGE_ROWS * 128
    if may_park and 3 * stage + facts + here + 512 <= room:
        return 3, 128, True
    if 3 * stage + facts + _MOST_OWN <= room:
        return min(4, (room - facts - _MOST_OWN) // stage), 128, False
    return 3, 64, False
