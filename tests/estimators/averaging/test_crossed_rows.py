"""Rows crossed with each other."""

import numpy as np
import pandas as pd
import pytest

from bayesdnf import Literal, LiteralEncoder
from bayesdnf.data.bits import BitMatrix
from bayesdnf.data.literal_table import LiteralTable
from bayesdnf.data.planes.plane_layout import allocate_planes, segment_offsets
from bayesdnf.estimators.averaging.crossed_rows import _parents, with_crossed_rows
from bayesdnf.estimators.averaging.drawn_on_rows import taken_planes

SEGMENTS = [70, 0, 3, 27]
CROSSED = 2000


def packed(truth, literals, segments, counts=None):
    """Pack truth[row, literal], a plane for each literal."""
    offsets = segment_offsets(segments)
    planes = allocate_planes(len(literals), offsets[-1])
    for offset, rows in zip(offsets, np.split(truth, np.cumsum(segments)[:-1]), strict=False):
        lines = np.packbits(rows.T, axis=1, bitorder="little")
        planes.view(np.uint8)[:, 8 * offset : 8 * offset + lines.shape[1]] = lines
    p = len(literals)
    table = LiteralTable.of_literals(literals, range(p), [False] * p, [-1] * p)
    return BitMatrix(planes, table, segments, None, counts)


@pytest.fixture
def table():
    """Three columns in twelve literals or so, with missing values; and a number for each value."""
    rng = np.random.default_rng(4)
    n = sum(SEGMENTS)
    columns = {
        "letter": rng.choice(np.array(["a", "b", "c", None], dtype=object), n),
        "flag": rng.integers(0, 2, n),
        "age": rng.normal(size=n).round(1),
    }
    encoder = LiteralEncoder()
    bits = encoder.fit_encode(pd.DataFrame(columns))
    return bits.to_numpy(), list(bits.table)


def slow_crossed_rows(bits, n_crossed):
    """The same with three tables of all rows: parents, other parents, and whose value it is."""
    weight = np.ones(bits.n_stored, np.int64) if bits.counts is None else bits.counts
    segment = np.repeat(np.arange(len(bits.segments)), bits.segments)
    rng = np.random.default_rng(0)
    one, other = _parents(weight, segment, n_crossed, rng)
    own = np.arange(bits.n_stored)
    one, other = np.concatenate([own, one]), np.concatenate([own, other])
    order = np.argsort(segment[one], kind="stable")
    segments = np.bincount(segment[one], minlength=len(bits.segments)).tolist()
    ones, others = (taken_planes(bits, rows[order], segments) for rows in (one, other))
    _, column = np.unique([literal.attribute for literal in bits.table], return_inverse=True)
    coins = np.zeros((int(column.max(initial=-1)) + 1, ones.shape[1]), np.uint64)
    for start, rows, most in zip(segment_offsets(segments), bits.segments, segments, strict=False):
        mixed = slice(start + rows // 64, start - (-most // 64))  # words with a crossed row
        shape = (len(coins), mixed.stop - mixed.start)
        coins[:, mixed] = rng.integers(0, 1 << 64, size=shape, dtype=np.uint64)
    from_other = coins[column]
    ones ^= (ones ^ others) & from_other
    return segments, ones, np.concatenate([weight, np.ones(n_crossed, np.int64)])[order]


@pytest.mark.parametrize(
    ("segments", "n"),
    [
        (SEGMENTS, 50), (SEGMENTS, 0), ([64], 64), ([0, 128, 63, 0], 1), ([1], 1), ([65, 1], 200),
        ([1000, 3000, 0, 63], 1000), ([9000], 3), ([4096, 5000], 999), ([50] * 40, 300),
    ],
)  # fmt: skip
@pytest.mark.parametrize("weighted", [False, True])
def test_crossed_rows_are_those_of_the_slow_twin(segments, n, weighted):
    rng = np.random.default_rng(6)
    literals = [Literal(name, ">=", value) for name in "cab" for value in (1, 2)]
    rows = sum(segments)
    truth = rng.random((rows, len(literals))) < 0.5
    counts = rng.integers(1, 9, rows) if weighted else None
    for p in (6, 1, 0):
        own = packed(truth[:, :p], literals[:p], segments, counts)
        whole, weight = with_crossed_rows(own, n)
        slow = slow_crossed_rows(own, n)
        assert list(whole.segments) == slow[0]
        assert (whole.planes == slow[1]).all()
        assert (weight == slow[2]).all()


def test_all_rows_are_there_once(monkeypatch):
    """Not thrice: a million rows of a thousand literals took 400 MiB more."""
    made = []
    for where in ("crossed_rows", "drawn_on_rows"):
        monkeypatch.setattr(
            f"bayesdnf.estimators.averaging.{where}.allocate_planes",
            lambda p, n_words: made.append(n_words) or allocate_planes(p, n_words),
        )
    literals = [Literal("a", ">=", 1)]
    with_crossed_rows(packed(np.ones((64_000, 1), bool), literals, [32_000, 32_000]), 100)
    assert sorted(made) == [2, 2, 1008]


def by_segment(bits):
    return np.split(bits.to_numpy(), np.cumsum(bits.segments)[:-1])


@pytest.mark.parametrize("weighted", [False, True])
def test_columns_come_whole_from_rows_of_the_segment(table, weighted):
    truth, literals = table
    counts = np.random.default_rng(5).integers(1, 9, len(truth)) if weighted else None
    own = packed(truth, literals, SEGMENTS, counts)
    whole, weight = with_crossed_rows(own, CROSSED)
    assert whole.counts is weight
    assert sum(whole.segments) == len(truth) + CROSSED
    columns = np.array([literal.attribute for literal in literals])
    mass = np.ones(len(truth)) if counts is None else counts
    of_segment = np.split(mass, np.cumsum(SEGMENTS)[:-1])
    starts = np.cumsum([0, *whole.segments])
    for number, (old, new) in enumerate(zip(by_segment(own), by_segment(whole), strict=True)):
        assert (new[: len(old)] == old).all()  # the rows themselves come first
        weights = weight[starts[number] : starts[number + 1]]
        assert (weights[: len(old)] == of_segment[number]).all()
        assert (weights[len(old) :] == 1).all()
        # As many as the segment has of all rows.
        n_new = len(new) - len(old)
        assert abs(n_new - CROSSED * of_segment[number].sum() / mass.sum()) <= 1
        for column in np.unique(columns):
            shown = {row.tobytes() for row in old[:, columns == column]}
            assert {row.tobytes() for row in new[:, columns == column]} <= shown


def test_a_crossed_row_has_two_parents_and_as_much_of_each():
    encoder = LiteralEncoder()
    letters = pd.DataFrame({f"x{j}": list("abcd") for j in range(6)})
    bits = encoder.fit_encode(letters)
    own = packed(bits.to_numpy(), list(bits.table), [4])
    whole, _ = with_crossed_rows(own, CROSSED)
    columns = np.array([literal.attribute for literal in bits.table])
    rows = whole.to_numpy()
    # Rows that share no value: a column says whose it is.
    same = [(rows[4:, None, own] == rows[None, :4, own]).all(axis=2) for own in
            (columns == name for name in letters.columns)]  # fmt: skip
    parent = np.stack([np.argmax(own, axis=1) for own in same], axis=1)
    n_parents = np.array([len(set(row)) for row in parent.tolist()])
    assert n_parents.max() == 2
    # Three pairs of four are two different rows, and one of 32 has all columns of one of them.
    assert np.mean(n_parents == 2) == pytest.approx(3 / 4 * 31 / 32, abs=0.04)
    one = np.arange(CROSSED) // (CROSSED // 4)  # taken evenly
    assert (parent == one[:, None]).mean(axis=0) == pytest.approx(5 / 8, abs=0.05)


def test_weights_say_how_often_a_row_is_a_parent(table):
    truth, literals = table
    own = packed(truth[:2] * 0 + [[0], [1]] > 0, literals, [2], np.array([1, 3]))
    whole, _ = with_crossed_rows(own, CROSSED)
    assert whole.to_numpy()[2:].mean() == pytest.approx(0.75, abs=0.03)


def test_the_same_rows_each_time(table):
    truth, literals = table
    first, again = (with_crossed_rows(packed(truth, literals, SEGMENTS), 50)[0] for _ in range(2))
    assert (first.planes == again.planes).all()
