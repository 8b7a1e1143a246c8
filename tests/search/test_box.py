"""Boxes of functions, and prices in whole units."""

from dataclasses import replace

import numpy as np
import pytest

from bayesdnf.search.box import Begun, Box, Range, RowPrices


def test_prices_are_within_half_a_unit():
    rows = np.random.default_rng(0).normal(size=200)
    for digits in (3, 14, 28):
        prices = RowPrices.rounded((1.0, -1.0), rows, 0.37, digits)
        assert np.abs(prices.unit * prices.rows - rows).max() <= prices.unit / 2
        assert prices.unit == np.abs(rows).max() / 2**digits
        assert abs(prices.unit * prices.negative_cost - 0.37) <= prices.unit / 2


def test_mixed_prices_lie_between():
    one = RowPrices.rounded((2.0, -1.0), np.array([1.0, 0.0, 3.0]), 0.5)
    other = RowPrices.rounded((4.0, -3.0), np.array([0.0, 2.0, 3.0]), 1.5)
    mixed = one.mixed(other, 0.25)
    assert mixed.slopes == (2.5, -1.5)
    assert mixed.unit * mixed.rows == pytest.approx([0.75, 0.5, 3.0], abs=1e-3)
    assert mixed.unit * mixed.negative_cost == pytest.approx(0.75, abs=1e-3)


def test_settled_terms_and_rows_are_not_left():
    box = Box(Range(2, 5), Range(3, 9), Range(0, 4))
    assert (box.n_begun, box.rest, box.left()) == (0, (2, 5), (9, 4))
    open_rows = np.array([True, False])
    begun = Begun(((0, 1),), -2.0, open_rows, np.zeros(1, dtype=np.uint64), (3, 1))
    part = replace(box, terms=Range(2, 3), begun=begun)
    assert (part.n_begun, part.rest, part.left()) == (1, (1, 2), (6, 3))
