"""Planes begin on cache lines, segments on words; planes too large for memory are refused."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesdnf import BitMatrix
from bayesdnf.data.planes.plane_layout import allocate_planes, segment_offsets
from bayesdnf.errors import OutOfMemoryError


@pytest.mark.parametrize("shape", [(10**15, 3), (10**9, 10**9), (3, 2**62)])
def test_too_large_is_refused_before_it_is_made(shape):
    n_rows, n_planes = shape
    tracemalloc.start()
    try:
        with pytest.raises(OutOfMemoryError, match=r"A packed table of .* rows by .* needs"):
            allocate_planes(n_planes, segment_offsets([n_rows])[-1])
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()
    if n_planes == 3:
        with pytest.raises(OutOfMemoryError):
            BitMatrix.from_chunks([np.eye(3)], n_rows)


def test_planes_begin_on_a_cache_line():
    for shape in ((1, 1), (3, 64), (5, 200)):
        planes = allocate_planes(*shape)
        assert planes.ctypes.data % 64 == 0
        assert planes.shape == shape
        assert not planes.any()


@given(segments=st.lists(st.sampled_from([0, 1, 64, 65, 4000, 10_000]), min_size=1, max_size=4))
def test_segments_begin_on_words_or_cache_lines(segments):
    offsets = segment_offsets(segments)
    words = [-(-rows // 64) for rows in segments]
    unit = 8 if sum(words) >= 64 else 1
    assert offsets[0] == 0
    for first, end, needed in zip(offsets[:-1], offsets[1:], words, strict=True):
        assert first % unit == 0
        assert needed <= end - first < needed + unit
