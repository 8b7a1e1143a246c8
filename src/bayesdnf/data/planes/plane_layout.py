"""The layout of rows in planes of bits: words, segments and cache lines."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..memory import require_memory

Words = NDArray[np.uint64]
_CACHE_LINE = 8  # words


def segment_offsets(rows_per_segment: Sequence[int]) -> list[int]:
    """Return the first word of each segment, and the end.

    Segments start on a word. Segments of 64 or more words start on a cache line, so that the core
    loads whole lines; the padding is at most an eighth of the memory.
    """
    words = [-(-rows // 64) for rows in rows_per_segment]
    unit = _CACHE_LINE if sum(words) >= 64 else 1
    offsets = [0]
    for w in words:
        offsets.append(offsets[-1] + -(-w // unit) * unit)
    return offsets


def allocate_planes(n_planes: int, n_words: int) -> Words:
    """Allocate zeroed planes aligned to a cache line, after checking for enough memory."""
    require_memory(
        n_planes * n_words * 8,
        f"A packed table of {n_words * 64:,} rows by {n_planes:,} planes",
    )
    # numpy does not guarantee alignment to cache lines: allocate extra words and skip the first.
    room = np.zeros(n_planes * n_words + _CACHE_LINE, dtype=np.uint64)
    skip = -(room.ctypes.data // 8) % _CACHE_LINE
    return room[skip : skip + n_planes * n_words].reshape(n_planes, n_words)


def pack_into(plane: Words, rows: NDArray[np.bool_]) -> None:
    """Write one column of truth values into a plane of a single segment."""
    packed = np.packbits(rows, bitorder="little")
    plane.view(np.uint8)[: len(packed)] = packed
