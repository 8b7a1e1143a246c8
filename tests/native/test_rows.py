"""Rows of a packed table: hashed, gathered and appended as loops over bools say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesdnf import _native
from tests import reference

ROWS = [0, 1, 2, 63, 64, 65, 127, 128, 150]
PLANES = [0, 1, 2, 63, 64, 65, 130]


def random_rows(seed, n_rows, n_planes):
    """A bool matrix with many equal rows."""
    rng = np.random.default_rng(seed)
    kinds = rng.random((5, n_planes)) < 0.5
    rows = kinds[rng.integers(0, 5, n_rows)]
    if n_planes:
        for i in range(0, n_rows, 7):  # some rows differ in one place only
            rows[i, rng.integers(n_planes)] ^= True
    return rows


def packed(rows, slack=0, dirty=False):
    """Planes of a bool matrix; dirty: bits past the last row are set, and must not matter."""
    n_rows, n_planes = rows.shape
    n_words = -(-n_rows // 64) + slack
    planes = reference.lay_out(rows.T, [n_rows], [0, n_words], n_words)
    if dirty and n_words:
        past = ~reference.pack([True] * n_rows, n_words)
        planes |= past
    return planes.reshape(n_planes, n_words)


tables = st.builds(
    random_rows, st.integers(0, 2**32), st.sampled_from(ROWS), st.sampled_from(PLANES)
)


@given(rows=tables, slack=st.integers(0, 2), dirty=st.booleans())
def test_equal_hashes_mean_equal_rows(rows, slack, dirty):
    hashes = _native.hash_rows(packed(rows, slack, dirty), len(rows))
    assert hashes.shape == (len(rows), 2)
    by_content = {}
    for row, pair in zip(rows.tolist(), hashes.tolist(), strict=True):
        assert by_content.setdefault(tuple(row), pair) == pair
    assert len({tuple(pair) for pair in by_content.values()}) == len(by_content)


def test_hashes_do_not_depend_on_place():
    rows = random_rows(1, 130, 70)
    order = np.random.default_rng(2).permutation(130)
    there = _native.hash_rows(packed(rows), 130)
    np.testing.assert_array_equal(_native.hash_rows(packed(rows[order]), 130), there[order])


@given(rows=tables, segments=st.lists(st.sampled_from(ROWS), max_size=4), data=st.data())
def test_gather(rows, segments, data):
    n_rows = len(rows)
    if n_rows == 0:
        segments = [0 for _ in segments]
    gap = data.draw(st.integers(0, 2))
    seed = data.draw(st.integers(0, 2**32))
    sources = np.random.default_rng(seed).integers(0, max(1, n_rows), sum(segments))
    offsets = [0]
    for count in segments:
        offsets.append(offsets[-1] + -(-count // 64) + gap)
    out = np.full((rows.shape[1], offsets[-1]), 2**64 - 1, dtype=np.uint64)
    _native.gather_rows(packed(rows), n_rows, sources, segments, offsets, out)
    expected = reference.lay_out(rows[sources].T, segments, offsets, offsets[-1])
    np.testing.assert_array_equal(out, expected)


@given(
    before=st.sampled_from([0, 1, 5, 63, 64, 65, 128]),
    rows=tables,
    after=st.integers(0, 70),
)
def test_append(before, rows, after):
    n_rows, n_planes = rows.shape
    first = np.random.default_rng(before).random((before, n_planes)) < 0.5
    whole = np.concatenate([first, rows, np.zeros((after, n_planes), dtype=bool)])
    out = packed(np.concatenate([first, np.zeros((n_rows + after, n_planes), dtype=bool)]))
    _native.append_rows(out, before, packed(rows, dirty=True), n_rows)
    np.testing.assert_array_equal(out, packed(whole))


def planes_of(n_planes, n_words):
    return np.zeros((n_planes, n_words), dtype=np.uint64)


@pytest.mark.parametrize("n_rows", [65, 2**63, 2**64 - 1])
def test_more_rows_than_there_are(n_rows):
    with pytest.raises(ValueError, match="more than the planes hold"):
        _native.hash_rows(planes_of(1, 1), n_rows)
    with pytest.raises(ValueError, match="more than the planes hold"):
        _native.gather_rows(
            planes_of(1, 1), n_rows, np.zeros(0, dtype=np.int64), [0], [0, 0], planes_of(1, 1)
        )
    with pytest.raises(ValueError, match="do not fit"):
        _native.append_rows(planes_of(1, 4), 0, planes_of(1, 1), n_rows)


@pytest.mark.parametrize("first", [65, 128, 2**64 - 1, 2**64 - 64])
def test_append_past_the_end(first):
    with pytest.raises(ValueError, match="do not fit"):
        _native.append_rows(planes_of(1, 2), first, planes_of(1, 1), 64)


@pytest.mark.parametrize(
    ("sources", "segments", "offsets", "out", "message"),
    [
        ([0, 64], [2], [0, 1], (2, 1), "outside the planes"),
        ([0, -1], [2], [0, 1], (2, 1), "outside the planes"),
        ([0], [2], [0, 1], (2, 1), "one row per output row"),
        ([0, 0], [2], [0, 1], (3, 1), "shape"),
        ([0, 0], [2], [0, 2], (2, 1), "shape"),
        ([0, 0], [2], [0], (2, 1), "shape"),
        ([], [], [], (2, 1), "shape"),
        ([0, 0], [2], [1, 1], (2, 1), "do not fit"),
        ([0, 0], [2], [2**64 - 1, 1], (2, 1), "do not fit"),
    ],
)
def test_impossible_gathers(sources, segments, offsets, out, message):
    with pytest.raises(ValueError, match=message):
        _native.gather_rows(
            planes_of(2, 1), 64, np.array(sources, dtype=np.int64), segments, offsets,
            planes_of(*out),
        )  # fmt: skip


@pytest.mark.parametrize(
    "out",
    [
        np.zeros((1, 4), dtype=np.int64),
        np.zeros((1, 8), dtype=np.uint64)[:, ::2],
        np.asfortranarray(np.zeros((2, 4), dtype=np.uint64)),
    ],
    ids=["another type", "every second word", "columns first"],
)
def test_rows_are_never_written_to_a_copy(out):
    """nanobind would convert such arrays and throw the converted copy away."""
    source = np.ones((len(out), 1), dtype=np.uint64)
    with pytest.raises(TypeError):
        _native.append_rows(out, 0, source, 1)
    with pytest.raises(TypeError):
        _native.gather_rows(source, 1, np.zeros(1, dtype=np.int64), [1], [0, 1], out)


def test_appending_other_planes():
    with pytest.raises(ValueError, match="same planes"):
        _native.append_rows(planes_of(2, 1), 0, planes_of(1, 1), 1)
