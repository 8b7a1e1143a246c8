"""Genotype calls in GPU memory: planes for counting, with separate samples for each segment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ... import _native
from ...gpu.device import Staging, compiled, cupy

if TYPE_CHECKING:
    from ..genotypes import Genotypes

_ROW_WORDS = 16  # rows of operands are padded to a multiple of this, the size of a kernel stage
_THREADS = 256  # threads per block of the kernel that picks samples
_STAGING = 64 << 20  # bytes of a staging buffer
_TOGETHER = 8  # rows per block
_MOST_ROWS = 65_535 * _TOGETHER  # maximum number of rows per launch: CUDA's limit of gridDim.y

SEGMENT = np.dtype(
    [("rows", "u8"), ("columns", "u8"), ("bytes", "u8"),
     ("row_planes", "u4", 2), ("column_planes", "u4", 2)]
)  # fmt: skip
"""The kernels' struct Segment."""

Panel = tuple[Any, ...]
"""Operands of some variants, an array of each segment: variants, planes, words of 64 samples."""


class Pass(NamedTuple):
    """The two planes of rows and the two of columns that one pass counts."""

    rows: tuple[int, int]
    columns: tuple[int, int]


class Operands:
    """Copy genotype calls from host memory to the GPU, split by segment.

    Parameters
    ----------
    genotypes : Genotypes
        The calls.
    segments : sequence of ndarray of bool
        Samples of each segment.
    known : bool
        Whether to include planes of known calls, besides those of carriers and of two copies.
    """

    def __init__(
        self, genotypes: Genotypes, segments: Sequence[NDArray[np.bool_]], known: bool
    ) -> None:
        cp = cupy()
        self._planes, self._first = genotypes.planes, 0 if known else 1
        self._who = [cp.asarray(np.flatnonzero(who).astype(np.int32)) for who in segments]
        self.planes = 3 - self._first
        self._words = [_words(len(who)) for who in self._who]
        shape = (self.planes, self._planes.shape[2])
        self._at_once = max(
            1, min(_MOST_ROWS // self.planes, _STAGING // (8 * int(np.prod(shape))))
        )
        # Double buffering: one is filled while the other is transferred.
        self._staging = [Staging((self._at_once, *shape)) for _ in range(2)]
        self._pick = compiled(_native.CUDA_OPERANDS, "pick", (("ROWS", _TOGETHER),))

    @property
    def bytes_of_variant(self) -> int:
        """Bytes of GPU memory per variant."""
        return 8 * self.planes * sum(self._words)

    def empty(self, n_variants: int) -> Panel:
        """Allocate a zeroed panel for ``n_variants`` variants."""
        cp = cupy()
        return tuple(cp.zeros((n_variants, self.planes, words), np.uint64) for words in self._words)

    def load(self, panel: Panel, origin: int, first: int, last: int, stream: Any) -> None:
        """Copy variants ``first`` to ``last - 1`` to a panel whose first variant is ``origin``."""
        words = self._planes.shape[2]
        with stream:
            for turn, at in enumerate(range(first, last, self._at_once)):
                piece = self._planes[at : min(at + self._at_once, last), self._first :]
                sent = self._staging[turn % 2].send(piece)
                rows = self.planes * len(piece)
                for who, operand in zip(self._who, panel, strict=True):
                    across = max(1, min(64, len(who) // 4096))
                    self._pick(
                        (across, -(-rows // _TOGETHER)), (_THREADS,),
                        (sent, np.uint64(2 * words), np.int32(rows), who, np.int32(len(who)),
                         operand[at - origin :], np.uint64(2 * operand.shape[2])),
                    )  # fmt: skip
        stream.synchronize()


def segments_of(rows: Panel, columns: Panel, passes: Sequence[Pass]) -> NDArray[np.void]:
    """Return the descriptions of segments for a kernel: one for each segment and pass."""
    made = np.zeros(len(columns) * len(passes), SEGMENT)
    for at, (row, column) in enumerate(zip(rows, columns, strict=True)):
        for number, planes in enumerate(passes):
            made[at * len(passes) + number] = (
                row.data.ptr, column.data.ptr, 8 * column.shape[2], planes.rows, planes.columns
            )  # fmt: skip
    return made


def _words(samples: int) -> int:
    """Return the 64-bit words of a row: a whole number of stages, at least one."""
    # A segment without samples has one stage of zeros, which adds nothing to the counts.
    return max(_ROW_WORDS, -(-samples // (64 * _ROW_WORDS)) * _ROW_WORDS)
