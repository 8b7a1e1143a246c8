"""Scans of pairs on an NVIDIA GPU: it counts and screens, the CPU scores what the screen leaves.

The kernels are in native/cuda. Counts are integers, the same on every device; pairs are ruled out
by the levels that the CPU's own screen uses, and every pair that is left is scored by the code of
the CPU: what is found is the same, whatever the device.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ... import _native
from ...boolean.literal import CODINGS
from ...errors import InputError, MissingExtraError, ParameterError
from ..genotypes import Genotypes

if TYPE_CHECKING:
    from .scan_parts import ScanOptions

DEVICES = ("cpu", "cuda", "auto")
WORTH_A_GPU = 1e12
"""Pairs times samples from which "auto" takes a GPU. A choice: where the two are even depends on
the machine, and on seconds that a GPU takes to start."""

_ROUND = 0.25  # seconds of one launch, between looks at progress and Ctrl-C
_ROWS, _COLUMNS, _TILE = 64, 128, 256  # variants of a block of the kernel, and of a task's rows
_STAGE_WORDS, _STAGE_BYTES = 16, (128 + 256) * 128
_THREADS, _COUNTS = 256, 128
_STRIDE, _AND_LEVELS = 12, 6  # of the levels of a variant
_STAGING = 64 << 20  # bytes of planes on their way to the GPU
_RAMP = 1 << 14  # tasks of a launch from which the next one need not wait for its findings
_FINER = 0.1  # what the best must gain in nats for new levels
_COPIERS = 4  # threads that fill page-locked memory
_MOST_ROWS = 65_535  # that a launch of pick may have
_FOUND = 10  # numbers of a pair that is left: two variants, four counts of cases and of controls
_CAPACITY = 1 << 20  # pairs that one launch may leave
_OLDEST = 80  # compute capability, times ten, that has binary products of this shape
_PLAIN = tuple(CODINGS)

Ints = NDArray[np.int32]


@cache
def _cupy() -> Any:
    """Return CuPy, with a GPU that can run the kernels, or say what is missing."""
    try:
        cupy = import_module("cupy")
    except ImportError as error:
        raise MissingExtraError(
            "device='cuda' needs CuPy: pip install \"bayesdnf[cuda12]\", or cuda13 for CUDA 13."
        ) from error
    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise InputError(
            f"device='cuda' finds no GPU that can be used ({error}); install NVIDIA's driver, or "
            "use device='cpu'."
        ) from error
    if count == 0:
        raise InputError("device='cuda' finds no GPU on this machine; use device='cpu'.")
    device = cupy.cuda.Device()
    capability = int(device.compute_capability)
    if capability < _OLDEST:
        raise InputError(
            f"device='cuda' needs a GPU of compute capability 8.0 or more (Ampere, 2020). This one "
            f"has {capability / 10:.1f}; use device='cpu'."
        )
    return cupy


def wants_gpu(
    device: str, table: _native.ScanTable | _native.TripleTable, options: ScanOptions, n: int
) -> bool:
    """Decide whether a scan is done on a GPU.

    Parameters
    ----------
    device : {"cpu", "cuda", "auto"}
        What was asked for.
    table, options
        The scan.
    n : int
        Samples.
    """
    if device not in DEVICES:
        raise ParameterError.of("device", "scan", f"one of {', '.join(DEVICES)}", device)
    if device == "cpu":
        return False
    reason = _not_on_gpus(table, options)
    if device == "cuda":
        if reason:
            raise InputError(f"device='cuda' {reason}; use device='cpu'.")
        _cupy()
        return True
    if reason or table.size_of(0, table.n_tasks) * n < WORTH_A_GPU:
        return False
    try:
        _cupy()
    except (InputError, MissingExtraError):
        return False
    return True


def _not_on_gpus(
    table: _native.ScanTable | _native.TripleTable, options: ScanOptions
) -> str | None:
    if isinstance(table, _native.TripleTable):
        return "scans pairs, not triples"
    if options.measure == "and" and not set(options.codings) <= set(_PLAIN):
        return f"knows the codings {', '.join(_PLAIN)} only"
    if options.measure == "cells" and not table.all_known:
        return "counts cells only where no call is missing"
    return None


class CudaPairs:
    """Calls of a study on a GPU, and the scan of its pairs.

    Parameters
    ----------
    genotypes, y
        What ``table`` was made of.
    table : ScanTable
        What is scanned.
    options : ScanOptions
        How.
    """

    def __init__(
        self,
        genotypes: Genotypes,
        y: NDArray[np.bool_],
        table: _native.ScanTable,
        options: ScanOptions,
    ) -> None:
        self._cp = cp = _cupy()
        self._table, self._n_variants = table, genotypes.n_variants
        self._cells = options.measure == "cells"
        n_cases = int(y.sum())
        device = cp.cuda.Device()
        stages = min(4, device.attributes["MaxSharedMemoryPerBlockOptin"] // _STAGE_BYTES)
        self._kernel = _compiled("scan_pairs", stages, n_cases < 1 << 16, self._cells)
        self._shared = stages * _STAGE_BYTES
        self._kernel.max_dynamic_shared_size_bytes = self._shared
        self._blocks = int(device.attributes["MultiProcessorCount"])
        self._require_memory(n_cases, len(y) - n_cases)
        self._cases, self._controls = self._operands(genotypes, y)
        margins = table.margins()[:, :, 1:].reshape(-1, 4)
        self._margins = cp.asarray(margins.astype(np.float32))
        self._rules = cp.asarray(_rules(table, options, n_cases, len(y) - n_cases))
        self._parked = cp.empty(self._blocks * 2 * _THREADS * _COUNTS, dtype=cp.uint32)
        self._least = -np.inf
        self._levels: Any = None

    def _require_memory(self, n_cases: int, n_controls: int) -> None:
        free, _ = self._cp.cuda.runtime.memGetInfo()
        row = _words(n_cases) + _words(n_controls)
        needed = (
            2 * (self._n_variants + _TILE) * row * 8 + 2 * _CAPACITY * _FOUND * 4 + 3 * _STAGING
        )
        if needed > free:
            raise InputError(
                f"The study needs {needed / 2**30:.1f} GiB of GPU memory, and {free / 2**30:.1f} "
                f"GiB are free; scan fewer variants, or use device='cpu'."
            )

    def _operands(self, genotypes: Genotypes, y: NDArray[np.bool_]) -> tuple[Any, Any]:
        """Carriers and two copies of every variant, a row each, of cases and of controls."""
        cp, planes = self._cp, genotypes.planes
        groups = [cp.asarray(np.flatnonzero(who).astype(np.int32)) for who in (y, ~y)]
        rows = -(-self._n_variants // _TILE) * _TILE
        operands = tuple(cp.zeros((rows, 2, _words(len(group))), np.uint64) for group in groups)
        words = planes.shape[2]
        length = max(1, min(_MOST_ROWS // 2, _STAGING // (2 * words * 8)))
        slots = [_Staging(cp, length, words), _Staging(cp, length, words)]
        pick = _compiled("pick", 2, False, False)
        for turn, first in enumerate(range(0, self._n_variants, length)):
            piece = planes[first : first + length, 1:]
            sent = slots[turn % 2].send(piece)
            for group, operand in zip(groups, operands, strict=True):
                across = max(1, min(64, len(group) // 4096))
                pick(
                    (across, 2 * len(piece)), (_THREADS,),
                    (sent, np.uint64(2 * words), group, np.int32(len(group)),
                     operand[first:], np.uint64(2 * operand.shape[2])),
                )  # fmt: skip
        cp.cuda.get_current_stream().synchronize()
        return operands

    def _levels_of(self, least: float, n_jobs: int) -> Any:
        levels = np.empty((self._n_variants, _STRIDE), dtype=np.float32)
        levels[:, :-1] = self._table.levels(least, n_jobs)
        used = levels[:, :-1] if self._cells else levels[:, :_AND_LEVELS]
        levels[:, -1] = used.min(axis=1)
        return self._cp.asarray(levels)

    def scan(
        self, best: _native.Findings, tasks: range, n_jobs: int, done: Callable[[range], None]
    ) -> None:
        """Scan tasks, and keep what is best; ``done`` is told which are.

        The CPU scores what one launch left while the GPU is at the next.
        """
        at, length, turn = 0, 64, 0
        self._least, self._levels = -np.inf, None  # those of an earlier scan may be too high
        # A heap that is not full lets everything pass: the first tasks are the CPU's.
        while at < len(tasks) and best.least == -np.inf:
            self._on_cpu(tasks[at], best, n_jobs)
            done(tasks[at : at + 1])
            at += 1
        slots = (_Slot(self._cp), _Slot(self._cp))
        waiting: range | None = None
        began = time.monotonic()
        while at < len(tasks) or waiting is not None:
            launched = None
            if at < len(tasks):
                launched = tasks[at : at + length]
                at += len(launched)
                self._launch(slots[turn % 2], launched, best.least, n_jobs)
            if waiting is not None:
                self._finish(slots[(turn - 1) % 2], waiting, best, n_jobs)
                done(waiting)
                pace = _ROUND / max(1e-4, time.monotonic() - began)
                began = time.monotonic()
                length = max(1, int(length * min(16.0, max(0.25, pace))))
            waiting = launched
            turn += 1
            if waiting is not None and length < _RAMP:  # first find out what is worth a look
                self._finish(slots[(turn - 1) % 2], waiting, best, n_jobs)
                done(waiting)
                waiting, length = None, 4 * length

    def _on_cpu(self, task: int, best: _native.Findings, n_jobs: int) -> None:
        self._table.scan(task, task + 1, 1, n_jobs, _native.StopFlag(), best)

    def _launch(self, slot: _Slot, tasks: range, least: float, n_jobs: int) -> None:
        if least > self._least + _FINER or self._levels is None:
            self._least, self._levels = least, self._levels_of(least, n_jobs)
        items = self._cp.asarray(self._items(tasks))
        slot.n_found.fill(0)
        self._kernel(
            (min(self._blocks, len(items)),),
            (_THREADS,),
            (
                self._cases, np.uint64(self._cases.shape[2] * 8),
                self._controls, np.uint64(self._controls.shape[2] * 8),
                np.int32(self._n_variants), items, np.int32(len(items)), self._levels,
                self._margins, self._rules, self._parked, slot.found, slot.n_found,
                np.uint32(_CAPACITY),
            ),
            shared_mem=self._shared,
        )  # fmt: skip
        slot.done.record()

    def _items(self, tasks: range) -> Ints:
        """First row and column of the blocks of tasks; blocks without any pair are left out."""
        places = self._table.places(tasks.start, tasks[-1] + 1, tasks.step)
        items = np.repeat(places, _TILE // _ROWS, axis=0)
        items[:, 0] += np.tile(np.arange(0, _TILE, _ROWS, dtype=np.int32), len(places))
        last = np.minimum(items[:, 1] + _COLUMNS, self._n_variants) - 1
        return np.ascontiguousarray(items[items[:, 0] < last])

    def _finish(self, slot: _Slot, tasks: range, best: _native.Findings, n_jobs: int) -> None:
        slot.done.synchronize()
        n = int(slot.n_found.get()[0])
        if n <= _CAPACITY:
            self._table.score(slot.found[:n].get(), n_jobs, best)
        elif len(tasks) == 1:
            self._on_cpu(tasks[0], best, n_jobs)
        else:  # too many: by halves, the second with what the first found
            half = len(tasks) // 2
            for part in (tasks[:half], tasks[half:]):
                self._launch(slot, part, best.least, n_jobs)
                self._finish(slot, part, best, n_jobs)


class _Staging:
    """Memory by which planes travel to the GPU: page-locked on this side."""

    def __init__(self, cp: Any, variants: int, words: int) -> None:
        shape, size = (variants, 2, words), variants * 2 * words
        self._host = np.frombuffer(cp.cuda.alloc_pinned_memory(size * 8), np.uint64, size)
        self._host = self._host.reshape(shape)
        self._there = cp.empty(shape, dtype=np.uint64)
        self._sent = cp.cuda.Event(disable_timing=True)

    def send(self, planes: NDArray[np.uint64]) -> Any:
        """Send planes once the last ones have left; what follows on the GPU waits for them."""
        self._sent.synchronize()
        pieces = np.array_split(np.arange(len(planes)), _COPIERS)
        with ThreadPoolExecutor(_COPIERS) as pool:
            list(pool.map(lambda piece: self._copy(planes, piece), pieces))
        self._there[: len(planes)].set(self._host[: len(planes)])
        self._sent.record()
        return self._there

    def _copy(self, planes: NDArray[np.uint64], piece: NDArray[np.intp]) -> None:
        if len(piece):
            part = slice(int(piece[0]), int(piece[-1]) + 1)
            np.copyto(self._host[part], planes[part])


class _Slot:
    """Device buffers of one kernel launch: pairs that passed the screen, and their number."""

    def __init__(self, cp: Any) -> None:
        self.found = cp.empty((_CAPACITY, _FOUND), dtype=cp.int32)
        self.n_found = cp.zeros(1, dtype=cp.uint32)
        self.done = cp.cuda.Event(disable_timing=True)


def _words(samples: int) -> int:
    """64-bit words of a row: whole stages, one at least."""
    return max(1, -(-samples // (64 * _STAGE_WORDS))) * _STAGE_WORDS


def _rules(
    table: _native.ScanTable, options: ScanOptions, n_cases: int, n_controls: int
) -> NDArray[np.uint32]:
    """Return the settings of the screen as the kernel's struct Rules."""
    n = n_cases + n_controls
    codings = [_PLAIN.index(coding) for coding in options.codings if coding in _PLAIN]
    products = sum(1 << (3 * a + b) for a in codings for b in codings)
    numbers = np.array([n_cases / n, n + 1, n_cases, n_controls, *table.cuts], dtype=np.float32)
    flags = np.array([table.both_directions, products], dtype=np.uint32)
    return np.concatenate([numbers.view(np.uint32), flags])


@cache
def _compiled(name: str, stages: int, packed: bool, cells: bool) -> Any:
    """Compile a kernel; CuPy keeps what it compiled for later runs."""
    options = ("-std=c++17", f"-DSTAGES={stages}", f"-DPACKED={packed:d}", f"-DCELLS={cells:d}")
    return _cupy().RawKernel(_native.CUDA_SOURCE, name, options=options)
