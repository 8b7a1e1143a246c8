"""Scans of pairs on an NVIDIA GPU: it counts and screens, the CPU scores what the screen leaves.

The kernels are in native/cuda. Counts are integers, the same on every device; pairs are ruled out
by the levels that the CPU's own screen uses, and every pair that is left is scored by the code of
the CPU: what is found is the same, whatever the device.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ... import _native
from ...boolean.literal import CODINGS
from ...errors import InputError
from ...gpu.device import Staging, compiled, cupy, free_memory, wants_gpu
from ..genotypes import Genotypes

if TYPE_CHECKING:
    from .scan_parts import ScanOptions

WORTH_A_GPU = 1e12
"""Pairs times samples from which "auto" takes a GPU: about where a core needs a second more than a
GPU needs to start."""

_ROUND = 0.25  # seconds of one launch, between looks at progress and Ctrl-C
_ROWS, _COLUMNS, _TILE = 64, 128, 256  # variants of a block of the kernel, and of a task's rows
_STAGE_ROWS = 2 * (_ROWS + _COLUMNS)
_ROW_WORDS = 16  # rows of operands are whole numbers of these, as stages of the kernel are
_THREADS, _COUNTS, _TURNS = 256, 128, 3
_STRIDE = 12  # of the levels of a variant
_NEVER = 3e38  # a level that nothing exceeds
_STAGING = 64 << 20  # bytes of planes on their way to the GPU
_FIRST = 1e9  # pairs times samples that a thread of the processor scans before the first launch
_GUESS = 2e14  # pairs times samples a second, for the length of the first launch
_SPARE = 16  # how many times more room there is for findings than are expected
_NEW_LEVELS = 16  # how many times more tasks must have been scanned for new levels
_PIECE = 1 << 31  # bytes of operands that are brought together; the scan begins with the first
_LEFT_FREE = 8  # multiprocessors that the scan leaves to what brings operands
_MOST_ROWS = 65_535  # that a launch of pick may have
_FOUND = 10  # numbers of a pair that is left: two variants, four counts of cases and of controls
_CAPACITY = 1 << 20  # pairs that one launch may leave
_PANELS = 3  # parts of a study that are on the GPU: rows, columns, the columns after them
_PLAIN = tuple(CODINGS)

Ints = NDArray[np.int32]
Tasks = NDArray[np.int64]
Operand = tuple[Any, Any, np.uint64]
Done = Callable[[int], None]
"""Called with the number of pairs that have been scanned since it was called last."""


def scans_on_gpu(
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
    worth_it = table.size_of(0, table.n_tasks) * n >= WORTH_A_GPU
    return wants_gpu(device, "scan", _not_on_gpus(table, options), worth_it)


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


class _Panel(NamedTuple):
    """Memory on the GPU for carriers and two copies of some variants, of cases and of controls."""

    cases: Any
    controls: Any

    def argument(self, first: int) -> Operand:
        """Return what the kernel takes for variants from a first one on."""
        return self.cases, self.controls, np.uint64(first)


class CudaPairs:
    """Calls of a study on a GPU, and the scan of its pairs.

    Variants come piece by piece, and pairs of those that are there are scanned meanwhile. A study
    that does not fit into the GPU's memory passes through it in panels: while all pairs of two
    panels are scanned, the one that comes next is on its way.

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
        cp = cupy()
        self._table, self._planes = table, genotypes.planes
        self._n_variants, self._n, self._top = genotypes.n_variants, len(y), options.top
        n_cases = int(y.sum())
        self._kernel, self._shared = _scan_kernel(table, options, n_cases)
        self._blocks = int(cp.cuda.Device().attributes["MultiProcessorCount"])
        self._groups = [cp.asarray(np.flatnonzero(who).astype(np.int32)) for who in (y, ~y)]
        self._words = [_words(len(group)) for group in self._groups]
        n_words = self._planes.shape[2]
        self._at_once = max(1, min(_MOST_ROWS // 2, _STAGING // (2 * n_words * 8)))
        self._staging = [Staging((self._at_once, 2, n_words)) for _ in range(2)]
        self._pick = compiled(_native.CUDA_PAIRS, "pick", _settings(3, 128, False, False, 0, 0, 0))
        rows = _whole(self._n_variants, _TILE)
        margins = np.zeros((rows, 4), dtype=np.float32)
        margins[: self._n_variants] = table.margins()[:, :, 1:].reshape(-1, 4)
        self._margins = cp.asarray(margins)
        self._rules = cp.asarray(_rules(table, n_cases, len(y) - n_cases))
        self._own = cp.empty(self._blocks * 2 * _THREADS * _COUNTS, dtype=cp.uint32)
        self._slots = (_Slot(cp), _Slot(cp))
        self._levels: Any = None
        self._levels_at = self._seen = 0  # tasks scanned before the levels, and before now
        self._length = max(1, int(_ROUND * _GUESS / (_TILE * _COLUMNS * self._n)))
        self._panel_size = self._fitting(rows)
        panels = 1 if self._panel_size == rows else _PANELS
        self._panels = [
            _Panel(*(cp.zeros((self._panel_size, 2, w), np.uint64) for w in self._words))
            for _ in range(panels)
        ]
        self._holds: list[int | None] = [None] * panels  # number of the panel that is there
        self._uploads, self._copies = (cp.cuda.Stream(non_blocking=True) for _ in range(2))
        cp.cuda.Device().synchronize()
        self._loader = ThreadPoolExecutor(1)
        self._coming: list[Future[None]] = []
        self._piece_size = rows
        if panels == 1:
            self._holds = [0]
            variant = 2 * sum(self._words) * 8
            self._piece_size = max(_TILE, _PIECE // variant // _TILE * _TILE)
            self._coming = [
                self._loader.submit(self._load, self._panels[0], 0, first, first + self._piece_size)
                for first in range(0, self._n_variants, self._piece_size)
            ]

    def _fitting(self, rows: int) -> int:
        """Return how many variants a panel has: all, or as many as fit three times."""
        free, variant = free_memory() - (64 << 20), 2 * sum(self._words) * 8
        if rows * variant <= free:
            return rows
        size = free // (_PANELS * variant) // _TILE * _TILE
        if size < _TILE:
            raise InputError(
                f"{_PANELS * _TILE:,} variants at a time need "
                f"{_PANELS * _TILE * variant / 2**30:.1f} GiB of GPU memory, and "
                f"{free / 2**30:.1f} GiB are free; use device='cpu'."
            )
        return int(size)

    def _load(self, panel: _Panel, origin: int, first: int, last: int) -> None:
        """Bring variants to a panel that begins with the variant ``origin``."""
        last = min(last, self._n_variants)
        words = self._planes.shape[2]
        with self._uploads:
            for turn, at in enumerate(range(first, last, self._at_once)):
                piece = self._planes[at : min(at + self._at_once, last), 1:]
                sent = self._staging[turn % 2].send(piece)
                for group, operand in zip(self._groups, panel, strict=True):
                    across = max(1, min(64, len(group) // 4096))
                    self._pick(
                        (across, 2 * len(piece)), (_THREADS,),
                        (sent, np.uint64(2 * words), group, np.int32(len(group)),
                         operand[at - origin :], np.uint64(2 * operand.shape[2])),
                    )  # fmt: skip
        self._uploads.synchronize()

    def _load_panel(self, place: int, number: int) -> None:
        panel, first = self._panels[place], number * self._panel_size
        with self._uploads:
            for operand in panel:
                operand[max(0, self._n_variants - first) :] = 0
        self._load(panel, first, first, first + self._panel_size)
        self._holds[place] = number

    def scan(self, best: _native.Findings, tasks: range, n_jobs: int, done: Done) -> None:
        """Scan tasks, and keep what is best.

        The CPU scans the first ones, since findings are needed to know what is worth a look. Then
        it scores what one launch left while the GPU is at the next.
        """
        first = tasks[: max(1, int(n_jobs * _FIRST / (_TILE * _COLUMNS * self._n)))]
        self._table.scan(
            first.start, first[-1] + 1 if first else 0, tasks.step, n_jobs, _native.StopFlag(), best
        )
        done(self._table.pairs_in(np.array(first, dtype=np.int64)))
        self._levels, self._seen = None, len(first)  # levels of an earlier scan may be too high
        left = tasks[len(first) :]
        every = np.arange(left.start, left.stop, left.step, dtype=np.int64)
        try:
            for rows, columns, some in self._steps(every):
                operands = (self._operand(rows), self._operand(columns))
                self._pass(operands, some, best, n_jobs, done)
        except BaseException:
            self._loader.shutdown(wait=False, cancel_futures=True)
            raise

    def _steps(self, tasks: Tasks) -> Iterator[tuple[int, int, Tasks]]:
        """Yield numbers of panels, of rows and of columns, and tasks whose variants are there."""
        if self._n_variants <= self._piece_size and len(self._panels) == 1:  # nothing to sort for
            self._coming[0].result()
            yield 0, 0, tasks
            return
        places = self._table.places(tasks)
        if len(self._panels) == 1:
            last = np.minimum(places.max(axis=1, keepdims=True) + _COLUMNS, self._n_variants) - 1
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
            self._coming = [self._loader.submit(self._bring, after, here | after)]
            yield rows, columns, some

    def _bring(self, wanted: set[int], kept: set[int]) -> None:
        """Bring panels to places that hold none of those that are kept, as far as there are any."""
        for number in sorted(wanted - set(self._holds)):
            places = [i for i, held in enumerate(self._holds) if held not in kept]
            if places:
                self._load_panel(places[0], number)

    def _operand(self, number: int) -> Operand:
        place = self._holds.index(number)
        return self._panels[place].argument(number * self._panel_size)

    def _pass(
        self,
        operands: tuple[Operand, Operand],
        tasks: Tasks,
        best: _native.Findings,
        n_jobs: int,
        done: Done,
    ) -> None:
        """Scan tasks whose operands are on the GPU."""
        at, turn = 0, 0
        waiting: Tasks | None = None
        began = time.monotonic()

        def finish() -> None:
            nonlocal began
            assert waiting is not None
            self._finish(self._slots[(turn - 1) % 2], operands, waiting, best, n_jobs)
            done(self._table.pairs_in(waiting))
            self._seen += len(waiting)
            pace = _ROUND / max(1e-4, time.monotonic() - began) * len(waiting) / self._length
            began = time.monotonic()
            self._length = max(1, int(self._length * min(16.0, max(0.25, pace))))

        # Two launches take turns: the GPU counts one while the CPU scores what the other left.
        while at < len(tasks) or waiting is not None:
            launched = None
            # As many tasks as there will be room for their findings, by what others had.
            room = self._seen * _CAPACITY // (_SPARE * self._top) if best.least > -np.inf else 1
            if at < len(tasks):
                launched = tasks[at : at + max(1, min(self._length, room))]
                at += len(launched)
                self._launch(self._slots[turn % 2], operands, launched, best.least, n_jobs)
            if waiting is not None:
                finish()
            waiting = launched
            turn += 1
            if waiting is not None and room < self._length:
                finish()  # the next one may be longer
                waiting = None

    def _on_cpu(self, task: int, best: _native.Findings, n_jobs: int) -> None:
        self._table.scan(task, task + 1, 1, n_jobs, _native.StopFlag(), best)

    def _set_levels(self, least: float, n_jobs: int) -> None:
        levels = np.full((len(self._margins), _STRIDE), _NEVER, dtype=np.float32)
        levels[: self._n_variants] = self._table.levels(least, n_jobs)
        self._levels, self._levels_at = self._sent(levels), self._seen

    def _sent(self, array: NDArray[Any]) -> Any:
        """Send an array beside what the GPU is at."""
        with self._copies:
            there = cupy().asarray(array)
        self._copies.synchronize()
        return there

    def _launch(
        self,
        slot: _Slot,
        operands: tuple[Operand, Operand],
        tasks: Tasks,
        least: float,
        n_jobs: int,
    ) -> None:
        if self._levels is None or self._seen >= _NEW_LEVELS * self._levels_at:
            self._set_levels(least, n_jobs)
        items = self._sent(self._table.blocks(tasks, _ROWS))
        slot.uses = (items, self._levels)
        slot.n_found.fill(0)
        loading = not all(coming.done() for coming in self._coming)
        blocks = max(1, self._blocks - (_LEFT_FREE if loading else 0))
        if len(items):
            self._kernel(
                (min(blocks, len(items)),),
                (_THREADS,),
                (
                    *operands[0], *operands[1],
                    *(np.uint64(words * 8) for words in self._words), np.int32(self._n_variants),
                    items, np.int32(len(items)), self._levels, self._margins, self._rules,
                    self._own, slot.found, slot.n_found, np.uint32(_CAPACITY),
                ),
                shared_mem=self._shared,
            )  # fmt: skip
        slot.done.record()

    def _finish(
        self,
        slot: _Slot,
        operands: tuple[Operand, Operand],
        tasks: Tasks,
        best: _native.Findings,
        n_jobs: int,
    ) -> None:
        slot.done.synchronize()
        n = int(slot.n_found.get()[0])
        if n <= _CAPACITY:
            self._table.score(slot.found[:n].get(), n_jobs, best)
        elif len(tasks) == 1:
            self._on_cpu(int(tasks[0]), best, n_jobs)
        else:  # too many: by halves, the second with what the first found
            half = len(tasks) // 2
            for part in (tasks[:half], tasks[half:]):
                self._levels = None
                self._launch(slot, operands, part, best.least, n_jobs)
                self._finish(slot, operands, part, best, n_jobs)


class _Slot:
    """Device buffers of one kernel launch: pairs that passed the screen, and their number."""

    def __init__(self, cp: Any) -> None:
        self.found = cp.empty((_CAPACITY, _FOUND), dtype=cp.int32)
        self.n_found = cp.zeros(1, dtype=cp.uint32)
        self.done = cp.cuda.Event(disable_timing=True)
        self.uses: Any = None  # what the launch reads, kept until the next one


def _grouped(numbers: Ints, tasks: Tasks) -> Iterator[tuple[tuple[int, ...], Tasks]]:
    """Yield equal rows of numbers, rising, with the tasks that have them, in their order."""
    order = np.lexsort(numbers.T[::-1])
    numbers, tasks = numbers[order], tasks[order]
    cuts = np.flatnonzero((np.diff(numbers, axis=0) != 0).any(axis=1)) + 1
    for some, group in zip(np.split(tasks, cuts), np.split(numbers, cuts), strict=True):
        if len(some):
            yield tuple(map(int, group[0])), some


def _whole(n: int, unit: int) -> int:
    return -(-n // unit) * unit


def _words(samples: int) -> int:
    """64-bit words of a row: whole stages, one at least."""
    return max(_ROW_WORDS, _whole(-(-samples // 64), _ROW_WORDS))


def _scan_kernel(table: _native.ScanTable, options: ScanOptions, n_cases: int) -> tuple[Any, int]:
    """Compile the scan for this GPU and these options; return it and its shared memory."""
    cells, packed = options.measure == "cells", n_cases < 1 << 16
    room = int(cupy().cuda.Device().attributes["MaxSharedMemoryPerBlockOptin"])
    facts = _TURNS * (_ROWS + _COLUMNS) * (5 if cells else 1) * 4
    here = _THREADS * _COUNTS // 2 * 4  # counts of cases that are parked
    fixed = 256  # of the kernel's own
    stage = _STAGE_ROWS * 128
    parked = packed and 3 * stage + facts + here + fixed <= room
    if parked:
        stages, stage_bytes = 3, 128
    elif 3 * stage + facts + fixed <= room:
        stages, stage_bytes = min(4, (room - facts - fixed) // stage), 128
    else:
        stages, stage_bytes = 3, 64
    codings = [_PLAIN.index(coding) for coding in options.codings if coding in _PLAIN]
    products = sum(1 << (3 * a + b) for a in codings for b in codings)
    macros = _settings(stages, stage_bytes, packed, parked, cells, products, table.both_directions)
    kernel = compiled(_native.CUDA_PAIRS, "scan_pairs", macros)
    shared = stages * _STAGE_ROWS * stage_bytes + facts + parked * here
    kernel.max_dynamic_shared_size_bytes = shared
    return kernel, shared


def _settings(*values: int) -> tuple[tuple[str, int], ...]:
    """Return the macros of native/cuda/pairs.cu."""
    macros = (
        "STAGES", "STAGE_BYTES", "PACKED", "PARKED_HERE", "CELLS", "PRODUCTS", "BOTH_DIRECTIONS",
    )  # fmt: skip
    return tuple(zip(macros, map(int, values), strict=True))


def _rules(table: _native.ScanTable, n_cases: int, n_controls: int) -> NDArray[np.float32]:
    """Return the settings of the screen as the kernel's struct Rules."""
    n = n_cases + n_controls
    return np.array([n_cases / n, n + 1, n_cases, n_controls, *table.cuts], dtype=np.float32)
