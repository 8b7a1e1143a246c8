"""Scans of pairs on an NVIDIA GPU: the GPU counts and screens, the CPU scores the rest.

The kernels are in native/cuda. Counts are integers, the same on every device. Pairs are excluded
by the thresholds of the CPU's own screen, and all remaining pairs are scored by the code of the
CPU, so results do not depend on the device.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ... import _native
from ...errors import InputError
from ...gpu.device import cupy, free_memory
from ..genotypes import Genotypes
from .cuda_kernels import COLUMNS, ROWS, LaunchSlot, ScanKernel
from .cuda_operands import Operands, Panel, segments_of

if TYPE_CHECKING:
    from .scan_parts import ScanOptions

_ROUND = 0.25  # seconds of one launch, between looks at progress and Ctrl-C
_TILE = 256  # variants per row tile of a task
_NEVER = 3e38  # threshold that no pair exceeds
_FIRST = 1e9  # pairs times samples that each CPU thread scans before the first launch
_GUESS = 2e14  # assumed pairs times samples per second, for the size of the first launch
_SPARE = 16  # capacity of the buffer divided by the expected number of findings
_NEW_LEVELS = 16  # thresholds are updated after this many times more tasks
_PIECE = 1 << 31  # bytes of operands per transfer; the scan starts after the first one
_LEFT_FREE = 8  # multiprocessors left free for the kernel that prepares operands
_PANELS = 3  # panels in GPU memory: rows, columns, prefetched columns

Ints = NDArray[np.int32]
Tasks = NDArray[np.int64]
Done = Callable[[int], None]
"""Called with the number of pairs scanned since the last call."""


class CudaPairs:
    """Genotype calls of a study in GPU memory, and the scan of its pairs.

    Variants are transferred in pieces, and pairs of variants already transferred are scanned
    meanwhile. A study that does not fit into GPU memory is streamed in panels: while all pairs of
    two panels are scanned, the next panel is prefetched.

    Parameters
    ----------
    genotypes : Genotypes
        The calls in ``table``.
    segments : sequence of ndarray of bool
        The cases of each stratum, then the controls of each.
    table : ScanTable
        Table of genotypes to scan.
    options : ScanOptions
        Scoring and ranking.
    """

    def __init__(
        self,
        genotypes: Genotypes,
        segments: Sequence[NDArray[np.bool_]],
        table: _native.ScanTable,
        options: ScanOptions,
    ) -> None:
        cp = cupy()
        self._table = table
        self._n_variants, self._n, self._top = genotypes.n_variants, len(segments[0]), options.top
        self._kernel = ScanKernel(table, options, segments)
        self._operands = Operands(genotypes, segments, self._kernel.known)
        rows = _whole(self._n_variants, _TILE)
        margins = table.margins_by_segment()[:, :, 1:].reshape(self._n_variants, -1)
        self._margins = cp.zeros((rows, margins.shape[1]), dtype=cp.float32)
        self._margins[: self._n_variants] = cp.asarray(margins.astype(np.float32))
        self._slots = (LaunchSlot(self._kernel), LaunchSlot(self._kernel))
        self._levels: Any = None
        self._levels_at = self._seen = 0  # tasks scanned when levels were set, and until now
        self._left = 0.0  # pairs per task that passed the screen of the last launch
        # A task has 256 x 128 pairs.
        self._length = max(1, int(_ROUND * _GUESS / (_TILE * COLUMNS * self._n)))
        self._panel_size = self._fitting(rows)
        panels = 1 if self._panel_size == rows else _PANELS
        self._panels: list[Panel] = [self._operands.empty(self._panel_size) for _ in range(panels)]
        self._holds: list[int | None] = [None] * panels  # number of the panel in each place
        self._uploads = cp.cuda.Stream(non_blocking=True)
        cp.cuda.Device().synchronize()
        self._loader = ThreadPoolExecutor(1)
        self._coming: list[Future[None]] = []
        self._piece_size = rows
        if panels == 1:
            self._holds = [0]
            self._piece_size = max(
                _TILE, _PIECE // self._operands.bytes_of_variant // _TILE * _TILE
            )
            self._coming = [
                self._loader.submit(self._load, self._panels[0], 0, first, first + self._piece_size)
                for first in range(0, self._n_variants, self._piece_size)
            ]

    def _fitting(self, rows: int) -> int:
        """Return the number of variants per panel: all, or as many as fit three times."""
        free, variant = free_memory() - (64 << 20), self._operands.bytes_of_variant
        if rows * variant <= free:
            return rows
        size = free // (_PANELS * variant) // _TILE * _TILE
        if size < _TILE:
            raise InputError(
                f"{_PANELS * _TILE:,} variants at a time need "
                f"{_PANELS * _TILE * variant / 2**30:.1f} GiB of GPU memory, and "
                f"{max(0, free) / 2**30:.1f} GiB are free; use device='cpu'."
            )
        return int(size)

    def _load(self, panel: Panel, origin: int, first: int, last: int) -> None:
        last = min(last, self._n_variants)
        self._operands.load(panel, origin, first, last, self._uploads)

    def _load_panel(self, place: int, number: int) -> None:
        panel, first = self._panels[place], number * self._panel_size
        with self._uploads:
            for operand in panel:
                operand[max(0, self._n_variants - first) :] = 0
        self._load(panel, first, first, first + self._panel_size)
        self._holds[place] = number

    def scan(self, best: _native.Findings, tasks: range, n_jobs: int, done: Done) -> None:
        """Scan tasks and add the best findings to ``best``.

        The CPU scans the first tasks, because the thresholds of the screen come from findings. Then
        the CPU scores the pairs that passed one launch while the GPU runs the next.
        """
        first = tasks[: int(n_jobs * _FIRST / (_TILE * COLUMNS * self._n))]
        self._table.scan(
            first.start, first[-1] + 1 if first else 0, tasks.step, n_jobs, _native.StopFlag(), best
        )
        done(self._table.pairs_in(np.array(first, dtype=np.int64)))
        self._levels, self._seen = None, len(first)  # thresholds of an earlier scan may be too high
        left = tasks[len(first) :]
        every = np.arange(left.start, left.stop, left.step, dtype=np.int64)
        try:
            for rows, columns, some in self._steps(every):
                self._pass((rows, columns), some, best, n_jobs, done)
        except BaseException:
            self._loader.shutdown(wait=False, cancel_futures=True)
            raise

    def _steps(self, tasks: Tasks) -> Iterator[tuple[int, int, Tasks]]:
        """Yield the panels of rows and columns, and the tasks whose variants are in them."""
        if self._n_variants <= self._piece_size and len(self._panels) == 1:  # one piece: no order
            self._coming[0].result()
            yield 0, 0, tasks
            return
        places = self._table.places(tasks)
        if len(self._panels) == 1:
            last = np.minimum(places.max(axis=1, keepdims=True) + COLUMNS, self._n_variants) - 1
            for (piece,), some in _grouped(last // self._piece_size, tasks):
                self._coming[piece].result()
                yield 0, 0, some
            return
        steps = list(_grouped(places // self._panel_size, tasks))
        for number, ((rows, columns), some) in enumerate(steps):
            for coming in self._coming:
                coming.result()
            here = {rows, columns}
            self._bring(here, here)
            after = set(steps[number + 1][0]) if number + 1 < len(steps) else set()
            # Prefetch the next step's panels into the place that neither step needs.
            self._coming = [self._loader.submit(self._bring, after, here | after)]
            yield rows, columns, some

    def _bring(self, wanted: set[int], kept: set[int]) -> None:
        """Copy panels to places whose panels need not be kept, as far as there are any."""
        for number in sorted(wanted - set(self._holds)):
            places = [i for i, held in enumerate(self._holds) if held not in kept]
            if places:
                self._load_panel(places[0], number)

    def _pass(
        self,
        panels: tuple[int, int],
        tasks: Tasks,
        best: _native.Findings,
        n_jobs: int,
        done: Done,
    ) -> None:
        """Scan tasks whose operands are in GPU memory."""
        at, turn = 0, 0
        waiting: Tasks | None = None
        began = time.monotonic()

        def finish() -> None:
            nonlocal began
            assert waiting is not None
            self._finish(self._slots[(turn - 1) % 2], panels, waiting, best, n_jobs)
            done(self._table.pairs_in(waiting))
            self._seen += len(waiting)
            pace = _ROUND / max(1e-4, time.monotonic() - began) * len(waiting) / self._length
            began = time.monotonic()
            self._length = max(1, int(self._length * min(16.0, max(0.25, pace))))

        # Double buffering: the GPU counts one launch while the CPU scores the pairs of the other.
        while at < len(tasks) or waiting is not None:
            launched = None
            # No more tasks than the buffer has capacity for, estimated from earlier tasks.
            seen, room = self._room(best)
            if at < len(tasks):
                launched = tasks[at : at + min(self._length, room)]
                at += len(launched)
                self._launch(self._slots[turn % 2], panels, launched, best.least, n_jobs)
            if waiting is not None:
                finish()
            waiting = launched
            turn += 1
            if waiting is not None and seen < self._length:
                finish()  # more tasks seen allow a larger next launch
                waiting = None

    def _room(self, best: _native.Findings) -> tuple[int, int]:
        """Return how many tasks fit the buffer: by tasks seen, and also by pairs per task."""
        if best.least == -np.inf:
            return 1, 1
        capacity = self._kernel.capacity
        # ``top`` findings of the tasks seen exceed the threshold, so t more tasks are expected to
        # leave t / seen * top pairs, if findings are spread evenly.
        seen = max(1, self._seen * capacity // (_SPARE * self._top))
        return seen, max(1, int(min(seen, capacity / max(1e-9, 2 * self._left))))

    def _on_cpu(self, task: int, best: _native.Findings, n_jobs: int) -> None:
        self._table.scan(task, task + 1, 1, n_jobs, _native.StopFlag(), best)

    def _set_levels(self, least: float, n_jobs: int) -> None:
        given = self._table.levels(least, n_jobs)
        levels = np.full((len(self._margins), given.shape[1]), _NEVER, dtype=np.float32)
        levels[: self._n_variants] = given
        self._levels, self._levels_at = self._kernel.sent(levels), self._seen

    def _launch(
        self,
        slot: LaunchSlot,
        panels: tuple[int, int],
        tasks: Tasks,
        least: float,
        n_jobs: int,
    ) -> None:
        if self._levels is None or self._seen >= _NEW_LEVELS * self._levels_at:
            self._set_levels(least, n_jobs)
        items = self._table.blocks(tasks, ROWS)
        if self._kernel.general:  # for pairs: offset 0 of levels, and no first variant (-1)
            items = np.column_stack([items, np.tile(np.array([0, -1], np.int32), (len(items), 1))])
        rows, columns = (self._panels[self._holds.index(number)] for number in panels)
        loading = not all(coming.done() for coming in self._coming)
        self._kernel.launch(
            slot,
            segments_of(rows, columns, self._kernel.passes),
            (panels[0] * self._panel_size, panels[1] * self._panel_size),
            self._n_variants,
            self._kernel.sent(items),
            self._levels,
            self._margins,
            max(1, self._kernel.blocks - (_LEFT_FREE if loading else 0)),
        )

    def _finish(
        self,
        slot: LaunchSlot,
        panels: tuple[int, int],
        tasks: Tasks,
        best: _native.Findings,
        n_jobs: int,
    ) -> None:
        listed = slot.listed()
        if listed is not None:
            self._left = len(listed) / len(tasks)
            self._table.score(listed, n_jobs, best)
        elif len(tasks) == 1:
            self._on_cpu(int(tasks[0]), best, n_jobs)
        else:  # buffer overflow: scan halves, the second with the thresholds the first raised
            half = len(tasks) // 2
            for part in (tasks[:half], tasks[half:]):
                self._levels = None
                self._launch(slot, panels, part, best.least, n_jobs)
                self._finish(slot, panels, part, best, n_jobs)


def _grouped(numbers: Ints, tasks: Tasks) -> Iterator[tuple[tuple[int, ...], Tasks]]:
    """Group tasks by their rows of numbers, in ascending order of rows; keep order in a group."""
    order = np.lexsort(numbers.T[::-1])
    numbers, tasks = numbers[order], tasks[order]
    cuts = np.flatnonzero((np.diff(numbers, axis=0) != 0).any(axis=1)) + 1
    for some, group in zip(np.split(tasks, cuts), np.split(numbers, cuts), strict=True):
        if len(some):
            yield tuple(map(int, group[0])), some


def _whole(n: int, unit: int) -> int:
    return -(-n // unit) * unit
