"""Scans of triples on an NVIDIA GPU: pairs among the carriers of a third variant.

Rows of operands are masked by the carriers of the first variant of a triple, and by the samples
with two copies of it; triples are then counted by the kernel for pairs (native/cuda/segments.cu).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ... import _native
from ...errors import InputError
from ...gpu.device import cupy, free_memory
from ..genotypes import Genotypes
from .cuda_kernels import COLUMNS, ROWS, LaunchSlot, ScanKernel
from .cuda_operands import Operands, segments_of

if TYPE_CHECKING:
    from .scan_parts import ScanOptions

_FIRST = 1e9  # triples times samples that each CPU thread scans before the first launch
_TRIPLES = 4e13  # triples times samples per launch, at least those of one first variant
_SHARE = 4  # masked operands take 1 / _SHARE of free memory
_NEVER = 3e38  # threshold that no triple exceeds


class CudaTriples:
    """The chosen variants of a study in GPU memory, and the scan of their triples.

    Parameters
    ----------
    genotypes : Genotypes
        The calls in the table of pairs.
    segments : sequence of ndarray of bool
        The cases of each stratum, then the controls of each.
    table : TripleTable
        Table of genotypes to scan.
    chosen : ndarray of int
        Numbers of the variants.
    options : ScanOptions
        Scoring and ranking.
    """

    def __init__(
        self,
        genotypes: Genotypes,
        segments: Sequence[NDArray[np.bool_]],
        table: _native.TripleTable,
        chosen: NDArray[np.int32],
        options: ScanOptions,
    ) -> None:
        cp = cupy()
        self._table, self._n, self._size = table, len(segments[0]), len(chosen)
        self._kernel = ScanKernel(table, options, segments)
        self._slots = (LaunchSlot(self._kernel), LaunchSlot(self._kernel))
        operands = Operands(genotypes.take(variants=chosen), segments, known=False)
        self._room = -(-self._size // COLUMNS) * COLUMNS  # capacity of operands, in variants
        # Rows masked by carriers of a first variant and by its two copies, and unmasked columns.
        first = 2 * self._room * operands.bytes_of_variant
        free = free_memory() - (64 << 20) - first // 2
        self._at_once = min(self._size, max(1, free // _SHARE // first))
        if first > free:
            raise InputError(
                f"Triples of {self._size:,} variants need {1.5 * first / 2**30:.1f} GiB of GPU "
                f"memory, and {max(0, free + first // 2) / 2**30:.1f} GiB are free; use "
                "device='cpu'."
            )
        self._columns = operands.empty(self._room)
        operands.load(self._columns, 0, 0, self._size, cp.cuda.Stream(non_blocking=True))
        self._rows = tuple(operands.empty(self._at_once * self._room) for _ in range(2))
        self._margins = cp.zeros(self._room * 2 * len(segments), dtype=cp.float32)  # not used

    def scan(
        self, best: _native.Findings, tasks: range, n_jobs: int, done: Callable[[int], None]
    ) -> None:
        """Scan tasks and add the best findings to ``best``.

        The CPU scans the last tasks, which are short, for the thresholds of the screen; see
        :meth:`CudaPairs.scan`.
        """
        triples, end = 0, len(tasks)
        while end > 0 and triples * self._n < n_jobs * _FIRST:
            end -= 1
            triples += self._table.size_of(tasks[end], tasks[end] + 1)
        self._on_cpu(tasks[end:], best, n_jobs)
        done(triples)
        waiting: list[int] = []
        for turn, launched in enumerate([*self._launches(tasks[:end]), []]):
            if launched:
                self._launch(self._slots[turn % 2], launched, best.least, n_jobs)
            if waiting:
                self._finish(self._slots[(turn - 1) % 2], waiting, best, n_jobs)
                done(sum(self._table.size_of(first, first + 1) for first in waiting))
            waiting = launched

    def _launches(self, tasks: range) -> Iterator[list[int]]:
        """Yield lists of first variants whose triples are scanned by one launch."""
        some: list[int] = []
        triples = 0
        for first in tasks:
            some.append(first)
            triples += self._table.size_of(first, first + 1)
            if len(some) == self._at_once or triples * self._n >= _TRIPLES:
                yield some
                some, triples = [], 0
        if some:
            yield some

    def _on_cpu(self, tasks: range, best: _native.Findings, n_jobs: int) -> None:
        if tasks:
            last = tasks[-1] + 1
            self._table.scan(tasks.start, last, tasks.step, n_jobs, _native.StopFlag(), best)

    def _launch(self, slot: LaunchSlot, firsts: list[int], least: float, n_jobs: int) -> None:
        cp = cupy()
        given = self._table.levels(np.array(firsts, dtype=np.int64), least, n_jobs)
        levels = np.full((len(firsts), self._room, given.shape[2]), _NEVER, dtype=np.float32)
        levels[:, : self._size] = given
        for at, first in enumerate(firsts):
            place = slice(at * self._room, (at + 1) * self._room)
            for plane, rows in enumerate(self._rows):
                for masked, operand in zip(rows, self._columns, strict=True):
                    cp.bitwise_and(operand, operand[first, plane], out=masked[place])
        items = np.concatenate([self._items(at, first) for at, first in enumerate(firsts)])
        self._kernel.launch(
            slot,
            self._segments(),
            (0, 0),
            self._size,
            self._kernel.sent(items),
            self._kernel.sent(levels),
            self._margins,
        )

    def _segments(self) -> NDArray[np.void]:
        """Describe segments: for each, rows masked by carriers, then rows masked by two copies."""
        of_plane = [
            segments_of(rows, self._columns, self._kernel.passes[:1]) for rows in self._rows
        ]
        return np.stack(of_plane, axis=1).ravel()

    def _items(self, at: int, first: int) -> NDArray[np.int32]:
        """Return blocks of pairs of the variants after ``first``, masked at place ``at``."""
        rows = np.arange((first + 1) // ROWS * ROWS, self._size - 1, ROWS)
        columns = np.arange((first + 2) // COLUMNS * COLUMNS, self._size, COLUMNS)
        row, column = (x.ravel() for x in np.meshgrid(rows, columns, indexing="ij"))
        # Blocks below the diagonal have no pair with column > row.
        row, column = row[column + COLUMNS - 1 > row], column[column + COLUMNS - 1 > row]
        shift = at * self._room
        made = [row + shift, column, np.full_like(row, shift), np.full_like(row, first)]
        return np.ascontiguousarray(np.stack(made, axis=1), dtype=np.int32)

    def _finish(
        self, slot: LaunchSlot, firsts: list[int], best: _native.Findings, n_jobs: int
    ) -> None:
        listed = slot.listed()
        if listed is not None:
            self._table.score(listed, n_jobs, best)
        elif len(firsts) == 1:
            self._on_cpu(range(firsts[0], firsts[0] + 1), best, n_jobs)
        else:  # buffer overflow: scan halves, the second with the thresholds the first raised
            for part in (firsts[: len(firsts) // 2], firsts[len(firsts) // 2 :]):
                self._launch(slot, part, best.least, n_jobs)
                self._finish(slot, part, best, n_jobs)
