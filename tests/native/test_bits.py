"""Packed words against loops over bools, for every instruction set that this processor can run."""

import gc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesdnf import _native
from tests import reference

SIMD = _native.available_simd()
WIDTHS = [0, 1, 2, 5, 63, 64, 65, 127, 128, 200, 513, 600]
word_lists = st.lists(st.integers(0, 2**64 - 1), max_size=40)


def words(values):
    return np.array(values, dtype=np.uint64)


@given(pairs=st.lists(st.tuples(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1)), max_size=40))
@pytest.mark.parametrize("simd", SIMD)
def test_word_operations(simd, pairs):
    a, b = words([x for x, _ in pairs]), words([y for _, y in pairs])
    u, v = reference.as_int(a), reference.as_int(b)
    assert reference.as_int(_native.bits_and(a, b, simd)) == u & v
    assert reference.as_int(_native.bits_or(a, b, simd)) == u | v
    assert reference.as_int(_native.bits_and_not(a, b, simd)) == u & ~v
    assert _native.popcount(a, simd) == u.bit_count()
    if pairs:
        twice = np.concatenate([b, ~b])
        assert _native.and_popcount(a, b, 1, simd) == (u & v).bit_count()
        assert _native.and_popcount(a, twice, 3, simd) == 3 * u.bit_count()


class World:
    """A random table: columns of True, False or None, in segments, with weights; and masks."""

    def __init__(self, seed, segments, n_columns, n_masks, share_missing, weighted, slack, gap):
        rng = np.random.default_rng(seed)
        self.segments = segments
        n = sum(segments)
        density = rng.choice([0.02, 0.5, 0.98], size=n_columns + n_masks)
        bits = [rng.random(n) < d for d in density]
        self.masks = bits[n_columns:]
        self.weights = rng.integers(0, 2 ** rng.integers(1, 12), n) if weighted else None
        unknown = [rng.random(n) < share_missing * rng.integers(0, 2) for _ in range(n_columns)]
        self.values = [
            [None if u else bool(b) for b, u in zip(column, gone, strict=True)]
            for column, gone in zip(bits, unknown, strict=False)
        ]
        # The literals: each column and, in turn, its negation; validity planes come last.
        self.literals = [(j, negated) for j in range(n_columns) for negated in (False, True)]
        rng.shuffle(self.literals)
        partly = [j for j in range(n_columns) if unknown[j].any()]
        self.columns = [[v is True for v in column] for column in self.values]
        self.columns += [[v is not None for v in self.values[j]] for j in partly]
        self.valid = [n_columns + partly.index(j) if j in partly else -1 for j in range(n_columns)]
        self.offsets = [0]
        for rows in segments:
            self.offsets.append(self.offsets[-1] + -(-rows // 64) + gap)
        self.n_words = self.offsets[-1]
        self.stride = self.n_words + slack

    def lay_out(self, columns, n_words):
        return reference.lay_out(columns, self.segments, self.offsets, n_words)

    def packed_masks(self):
        return self.lay_out(self.masks, self.n_words)

    def view(self, simd=None):
        digits = None
        if self.weights is not None:
            n_digits = int(self.weights.max(initial=1)).bit_length()
            digits = self.lay_out([self.weights >> b & 1 for b in range(n_digits)], self.stride)
        return _native.BitView(
            self.lay_out(self.columns, self.stride),
            self.segments,
            self.offsets,
            digits,
            np.array([j for j, _ in self.literals], dtype=np.int32),
            np.array([negated for _, negated in self.literals], dtype=np.uint8),
            np.array([self.valid[j] for j, _ in self.literals], dtype=np.int32),
            simd,
        )

    def literal_columns(self):
        return [
            [reference.literal_truth(v, negated) for v in self.values[j]]
            for j, negated in self.literals
        ]


worlds = st.builds(
    World,
    seed=st.integers(0, 2**32),
    segments=st.lists(st.sampled_from(WIDTHS), min_size=1, max_size=4),
    n_columns=st.integers(0, 11),
    n_masks=st.integers(0, 9),
    share_missing=st.sampled_from([0, 0.3, 1]),
    weighted=st.booleans(),
    slack=st.integers(0, 3),
    gap=st.integers(0, 2),
)


@given(world=worlds)
def test_counts(world):
    segments, weights = world.segments, world.weights
    masks = world.packed_masks()
    by_plane = reference.sweep(world.masks, world.columns, segments, weights)
    by_literal = reference.sweep(world.masks, world.literal_columns(), segments, weights)
    of_mask = [reference.count(mask, segments, weights) for mask in world.masks]
    totals = reference.count([True] * sum(segments), segments, weights)
    for simd in SIMD:
        view = world.view(simd)
        assert view.simd == simd
        assert view.totals == totals
        np.testing.assert_array_equal(view.sweep(masks), by_plane)
        np.testing.assert_array_equal(view.literal_counts(masks), by_literal)
        np.testing.assert_array_equal(
            view.count(masks), np.reshape(of_mask, (len(of_mask), len(segments)))
        )


@given(world=worlds, data=st.data())
def test_term_masks(world, data):
    n_literals = len(world.literals)
    term = st.lists(st.integers(0, max(0, n_literals - 1)), max_size=4 if n_literals else 0)
    terms = data.draw(st.lists(term, max_size=4))
    columns, n = world.literal_columns(), sum(world.segments)
    expected = [[all(columns[x][i] for x in term) for i in range(n)] for term in terms]
    starts = np.cumsum([0, *map(len, terms)], dtype=np.int64)
    flat = np.array([x for term in terms for x in term], dtype=np.int32)
    for simd in SIMD:
        masks = world.view(simd).term_masks(starts, flat)
        np.testing.assert_array_equal(masks, world.lay_out(expected, world.n_words))
    [every_row] = world.lay_out([[True] * n], world.n_words)
    np.testing.assert_array_equal(world.view().all_rows(), every_row)


@given(world=worlds)
def test_equal_columns_have_equal_hashes(world):
    hashes = [tuple(h) for h in world.view().hash_literals().tolist()]
    columns = world.literal_columns()
    for a, column in enumerate(columns):
        for b, other in enumerate(columns):
            assert (hashes[a] == hashes[b]) == (column == other)


@pytest.mark.parametrize("n_threads", [1, 2, 4])
@pytest.mark.parametrize("simd", SIMD)
@pytest.mark.parametrize(("n_words", "n_masks"), [(1024, 1), (1031, 3), (4100, 40), (9000, 1)])
def test_sweeps_of_many_words(simd, n_threads, n_words, n_masks):
    """Past one cache block, past one piece of work, and with planes that come from memory."""
    rng = np.random.default_rng(n_words)
    n_planes = 203 if n_masks == 40 else 23
    planes = rng.integers(0, 2**64, (n_planes, n_words), dtype=np.uint64)
    masks = rng.integers(0, 2**64, (n_masks, n_words), dtype=np.uint64)
    none = np.zeros(0, dtype=np.int32)
    edge = n_words // 3
    view = _native.BitView(
        planes, [edge * 64, (n_words - edge) * 64], [0, edge, n_words], None,
        none, none.astype(np.uint8), none, simd,
    )  # fmt: skip
    counts = view.sweep(masks, n_threads)
    for m in (0, n_masks - 1):
        both = np.bitwise_count(planes & masks[m])
        np.testing.assert_array_equal(counts[0, m], both[:, :edge].sum(axis=1))
        np.testing.assert_array_equal(counts[1, m], both[:, edge:].sum(axis=1))


def small_view(**changes):
    none = np.zeros(1, dtype=np.int32)
    arguments = {
        "planes": np.array([[5, 0], [7, 1]], dtype=np.uint64),
        "rows_per_segment": [3, 1],
        "offsets": [0, 1, 2],
        "weights": None,
        "plane": none,
        "complement": none.astype(np.uint8),
        "valid": none - 1,
    }
    return _native.BitView(**{**arguments, **changes})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"offsets": [0, 1]}, "one entry more than there are segments"),
        ({"offsets": []}, "one entry more than there are segments"),
        ({"offsets": [1, 2, 3]}, "begin with 0"),
        ({"offsets": [0, 1, 3]}, "longer than the planes"),
        ({"rows_per_segment": [65, 1]}, "do not fit"),
        ({"rows_per_segment": [3, 2**64 - 1]}, "do not fit"),
        ({"offsets": [0, 2**64 - 1, 2], "rows_per_segment": [1, 1]}, "do not fit"),
        ({"weights": np.zeros((1, 1), dtype=np.uint64)}, "laid out like planes"),
        ({"plane": np.array([2], dtype=np.int32)}, "outside the planes"),
        ({"plane": np.array([-1], dtype=np.int32)}, "outside the planes"),
        ({"valid": np.array([2], dtype=np.int32)}, "outside the planes"),
        ({"plane": np.zeros(2, dtype=np.int32)}, "of one length"),
        # Counts past the rows there are, or below 0, would be looked up outside of tables.
        ({"planes": np.array([[13, 0], [7, 1]], dtype=np.uint64)}, "bits in the padding"),
        ({"planes": np.array([[5, 0], [7, 3]], dtype=np.uint64)}, "bits in the padding"),
        (
            {
                "planes": np.array([[5, 0], [6, 1]], dtype=np.uint64),
                "complement": np.ones(1, dtype=np.uint8),
                "valid": np.ones(1, dtype=np.int32),
            },
            "whose value is not known",
        ),
        ({"simd": "abacus"}, "Got 'abacus' instead"),
    ],
)
def test_impossible_views_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        small_view(**changes)


def test_impossible_requests_are_refused():
    view = small_view()
    starts = np.array([0, 1], dtype=np.int64)
    for method in (view.sweep, view.count, view.literal_counts):
        with pytest.raises(ValueError, match="as many words"):
            method(np.zeros((1, 3), dtype=np.uint64))
    for literal in (-1, 1, 2**31 - 1):
        with pytest.raises(ValueError, match="outside the literal table"):
            view.term_masks(starts, np.array([literal], dtype=np.int32))
    one = np.zeros(1, dtype=np.int32)
    for bad in ([0, 2], [1, 0], [-1, 1], []):
        with pytest.raises(ValueError, match="rise"):
            view.term_masks(np.array(bad, dtype=np.int64), one)
    with pytest.raises(ValueError, match="same number of words"):
        _native.bits_and(words([1]), words([1, 2]))
    with pytest.raises(ValueError, match="whole number of times"):
        _native.and_popcount(words([1, 2]), words([1, 2, 3]))
    with pytest.raises(ValueError, match="whole number of times"):
        _native.and_popcount(words([]), words([]))


def test_a_view_keeps_its_arrays():
    def make():
        planes = np.full((1, 5000), 2**64 - 1, dtype=np.uint64)
        return small_view(
            planes=planes, rows_per_segment=[320_000], offsets=[0, 5000], weights=planes.copy()
        )

    view = make()
    gc.collect()
    filler = [np.zeros((1, 5000), dtype=np.uint64) for _ in range(50)]  # takes freed room
    assert view.totals == [320_000]
    assert view.sweep(view.all_rows().reshape(1, -1)).tolist() == [[[320_000]]]
    assert len(filler) == 50
