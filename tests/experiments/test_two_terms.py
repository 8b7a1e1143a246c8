"""The simulated data of tables 1 to 3."""

import pytest

from bayesdnf import BooleanFunction
from bayesdnf.experiments.reproduction import FAITHFUL, OURS, Row
from bayesdnf.experiments.two_terms import (
    Cell,
    counted,
    described,
    draw,
    missed,
    prior_of,
    run_cells,
)
from tests.experiments.made import OneSet

TRUTH = BooleanFunction("x0 AND x1 OR x2 AND x3")


def test_a_zero_leaves_a_part_of_the_prior_constant():
    assert (prior_of(10, 0.5).size, prior_of(10, 0.5).count) != (prior_of(0, 0).size, None)
    assert prior_of(10, 0).size == prior_of(10, 0.5).size
    assert prior_of(10, 0).count == prior_of(0, 0).count != prior_of(10, 0.5).count


def test_every_data_set_is_its_own():
    first, again, other, later = (
        draw(100, *numbers).y for numbers in ((0, 0), (0, 0), (1, 0), (0, 1))
    )
    assert (first == again).all()
    assert (first != other).any()
    assert (first != later).any()


@pytest.mark.parametrize(
    ("text", "figures"),
    [
        ("x0 AND x1 OR x2 AND x3", (2, 4, 1, 1, 1, 1)),
        ("x0 AND x1 OR x2 AND x3 OR x9", (3, 5, 1, 1, 1, 0)),
        ("x2 AND x3", (1, 2, 0, 1, 0, 0)),
        ("x0 OR x1", (2, 2, 0, 0, 0, 0)),
    ],
)
def test_a_function_in_the_papers_figures(text, figures):
    assert described(BooleanFunction(text), TRUTH, 0.1, 0.9) == (0.1, 0.9, *figures)


def test_cells_and_our_defaults_run_on_the_same_data():
    cells = {("few",): Cell(1, 2, 10, 0.5, 200), ("fewer",): Cell(1, 1, 10, 0.5, 20)}
    rows = run_cells(OneSet(), 100, cells)
    assert [(row.cell, row.source) for row in rows] == [
        (("few",), FAITHFUL),
        (("fewer",), FAITHFUL),
        ((), OURS),
    ]
    found = [row.values for row in rows]
    assert found == [row.values for row in run_cells(OneSet(jobs=2), 100, cells)]
    assert found[0] != run_cells(OneSet(seed=1), 100, cells)[0].values
    assert missed(OneSet(), 100) in (0, 1)


def test_sets_are_counted_in_words():
    first = Row((), OURS, 10, {"both": 1.0, "exact": 0.9}, {})
    most = Row((), OURS, 200, {"both": 0.99, "exact": 0.905}, {})
    assert counted(first, most) == (
        "10 of 10 (with no other term 9), 198 of 200 (with no other term 181)"
    )
    assert counted(first, first) == "10 of 10 (with no other term 9)"
