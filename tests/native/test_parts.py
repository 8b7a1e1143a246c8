"""Parts of lists on packed rows against loops over rows, for every instruction set."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesdnf import _native
from bayesdnf.data.bits import BitMatrix
from bayesdnf.data.literal_table import LiteralTable
from bayesdnf.data.planes.plane_layout import segment_offsets
from bayesdnf.model.flat_functions import as_flat

SIMD = _native.available_simd()
N_PARTS = 4


def make(seed, segments, p=5):
    """A table in segments with weights, and what holds on which row."""
    rng = np.random.default_rng(seed)
    truth = rng.random((p, sum(segments))) < 0.5
    offsets = segment_offsets(segments)
    planes = np.zeros((p, offsets[-1]), dtype=np.uint64)
    places = np.concatenate(
        [64 * first + np.arange(n) for first, n in zip(offsets[:-1], segments, strict=True)]
    ).astype(int)
    for j, i in zip(*np.nonzero(truth), strict=True):
        planes[j, places[i] // 64] |= np.uint64(1 << int(places[i] % 64))
    weights = rng.integers(0, 9, sum(segments))
    table = LiteralTable.of_flags([f"x{j}" for j in range(p)])
    return BitMatrix(planes, table, segments, None, weights), truth, places


def slow_parts(lists, truth):
    """The highest layer with a term that holds, row by row."""
    found = np.zeros((len(lists), truth.shape[1]), dtype=int)
    for f, terms in enumerate(lists):
        for i in range(truth.shape[1]):
            holding = [g for g, term in terms if all(truth[j, i] for j in term)]
            found[f, i] = max(holding, default=0)
    return found


layered = st.lists(
    st.tuples(st.integers(1, N_PARTS - 1), st.lists(st.integers(0, 4), max_size=3, unique=True)),
    max_size=4,
)


@given(
    lists=st.lists(layered, min_size=1, max_size=4),
    segments=st.lists(st.sampled_from([0, 1, 5, 63, 64, 65, 130]), min_size=1, max_size=4),
    seed=st.integers(0, 1000),
)
def test_parts_counts_and_sums(lists, segments, seed):
    bits, truth, places = make(seed, segments)
    flat = as_flat(lists)
    expected = slow_parts(lists, truth)
    segment = np.repeat(np.arange(len(segments)), segments)
    values = np.random.default_rng(seed).normal(size=(len(lists), len(segments), N_PARTS))
    counts = np.zeros((len(lists), len(segments), N_PARTS), dtype=int)
    sums = np.zeros(len(segment))
    for f, row in enumerate(expected):
        for i, part in enumerate(row):
            counts[f, segment[i], part] += bits.counts[i]
            sums[i] += values[f, segment[i], part]
    for simd in SIMD:
        view = bits.view(simd)
        parts = _native.part_of_rows(view, *flat)
        np.testing.assert_array_equal(parts[:, places], expected)
        assert parts.sum() == expected.sum()  # nothing stands in the padding
        np.testing.assert_array_equal(_native.part_counts(view, *flat, N_PARTS), counts)
        found = _native.part_sums(view, *flat, values)
        np.testing.assert_allclose(found[places], sums, atol=1e-12)


def test_what_does_not_fit_is_refused():
    bits, _, _ = make(0, [70, 3])
    view, flat = bits.view(), as_flat([[(3, [0])], []])
    with pytest.raises(ValueError, match="more parts than there is room for"):
        _native.part_counts(view, *flat, 3)
    with pytest.raises(ValueError, match="at least one part"):
        _native.part_counts(view, *as_flat([[]]), 0)
    with pytest.raises(ValueError, match="more parts than there is room for"):
        _native.part_of_rows(view, *as_flat([[(256, [0])]]))
    with pytest.raises(ValueError, match="for each list and segment"):
        _native.part_sums(view, *flat, np.zeros((2, 1, 4)))
    with pytest.raises(ValueError, match="for each list and segment"):
        _native.part_sums(view, *flat, np.zeros((1, 2, 4)))
    with pytest.raises(ValueError, match="more parts than there is room for"):
        _native.part_sums(view, *flat, np.zeros((2, 2, 3)))
    with pytest.raises(ValueError, match="a literal id is outside the literal table"):
        _native.part_counts(view, *as_flat([[(1, [5])]]), 2)
