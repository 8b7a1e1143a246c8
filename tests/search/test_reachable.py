"""Possible counts of a box, against the sums of all sets of cells."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from bayesdnf.search.reachable import possible_counts

CELLS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=7)


def all_counts(cells, settled):
    every = itertools.product([0, 1], repeat=len(cells))
    rows = np.array(cells, dtype=np.int64).reshape(-1, 2)
    return np.unique(
        [np.array(chosen, dtype=np.int64) @ rows + settled for chosen in every], axis=0
    )


def in_hull(points, point):
    if len(points) == 0:
        return False
    sums = np.vstack([np.array(points, dtype=float).T, np.ones(len(points))])
    found = linprog(np.zeros(len(points)), A_eq=sums, b_eq=[*point, 1], method="highs")
    return found.status == 0


@given(
    cells=CELLS,
    settled=st.tuples(st.integers(0, 3), st.integers(0, 3)),
    spans=st.tuples(*[st.tuples(st.integers(0, 25), st.integers(0, 25)).map(sorted)] * 2),
)
@settings(deadline=None, max_examples=150)
def test_no_possible_count_is_outside(cells, settled, spans):
    rows = np.array(cells, dtype=float).reshape(-1, 2)
    points = possible_counts(rows, settled, *spans)
    (a1, a2), (b1, b2) = spans
    assert all(a1 <= a <= a2 and b1 <= b <= b2 for a, b in points)
    for a, b in all_counts(cells, settled).tolist():
        if a1 <= a <= a2 and b1 <= b <= b2:
            assert in_hull(points, (a, b))


@given(cells=CELLS)
@settings(deadline=None)
def test_without_a_box_every_corner_is_possible(cells):
    rows = np.array(cells, dtype=float).reshape(-1, 2)
    points = possible_counts(rows, (2, 1), (0, 99), (0, 99))
    possible = {tuple(count) for count in all_counts(cells, (2, 1)).tolist()}
    assert set(points) <= possible


@pytest.mark.parametrize(
    ("spans", "wanted"),
    [
        ([(3, 4), (0, 0)], set()),  # three of four positives, but none of two negatives
        ([(2, 2), (0, 2)], {(2, 0), (2, 2)}),
        ([(0, 4), (1, 1)], {(1, 1), (2, 1), (3, 1)}),  # half of a cell
        ([(3, 3), (1, 1)], {(3, 1)}),
    ],
)
def test_boxes_cut_the_polygon(spans, wanted):
    # Two positives alone; two that come with two negatives.
    cells = np.array([[2.0, 0.0], [2.0, 2.0]])
    assert set(possible_counts(cells, (0, 0), *spans)) <= wanted
