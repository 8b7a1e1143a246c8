"""The layout of rows in planes of bits: words, segments and cache lines."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..memory import require_memory

Words = NDArray[np.uint64]
_CACHE_LINE = 8  # words


def segment_offsets(rows_per_segment: Sequence[int]) -> list[int]:
    """First word of each segment, and the end.

    Segments start on a word; from 64 words on they start on a cache line, which costs at most an
    eighth more room and lets the core load whole lines.
    """
    words = [-(-rows // 64) for rows in rows_per_segment]
    unit = _CACHE_LINE if sum(words) >= 64 else 1
    offsets = [0]
    for w in words:
        offsets.append(offsets[-1] + -(-w // unit) * unit)
    return offsets


def allocate_planes(n_planes: int, n_words: int) -> Words:
    """Zeroed planes that start on a cache line; refused beforehand when they cannot fit."""
    require_memory(
        n_planes * n_words * 8,
        f"A packed table of {n_words * 64:,} rows by {n_planes:,} planes",
    )
    # numpy promises no alignment to cache lines: some words more, of which the first ones are
    # skipped.
    room = np.zeros(n_planes * n_words + _CACHE_LINE, dtype=np.uint64)
    skip = -(room.ctypes.data // 8) % _CACHE_LINE
    return room[skip : skip + n_planes * n_words].reshape(n_planes, n_words)


def pack_into(plane: Words, rows: NDArray[np.bool_]) -> None:
    """Write one column of truth values into a plane of a single segment."""
    packed = np.packbits(rows, bitorder="little")
    plane.view(np.uint8)[: len(packed)] = packed
