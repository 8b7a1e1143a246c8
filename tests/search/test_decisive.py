"""Rows and literals that decide something."""

import numpy as np
import pandas as pd
import pytest

from bayesdnf import BitMatrix, LiteralEncoder, smallest_function
from bayesdnf.errors import ContradictionError
from bayesdnf.search.decisive import decisive_rows


def test_equal_rows_of_both_kinds_are_named_with_their_values():
    table = pd.DataFrame({"odor": ["f", "n", "n", "f"], "size": ["big", "big", "low", "big"]})
    with pytest.raises(ContradictionError) as error:
        smallest_function(table, ["p", "e", "e", "e"])
    assert str(error.value) == (
        "Row 0 is positive and row 3 is not, yet both hold the same literals (odor = f, "
        "size = big), so no function tells them apart."
    )


def test_a_row_within_a_negative_one_is_named():
    X = np.array([[0, 1, 0], [1, 0, 0], [1, 0, 1]])
    with pytest.raises(ContradictionError) as error:
        smallest_function(BitMatrix.from_table(X), [1, 1, 0])
    assert str(error.value) == (
        "Row 1 is positive and row 2 is not, yet every literal true in row 1 (x0) is also true in "
        "row 2, which only adds 'x2'; no function of these literals tells them apart. Encode with "
        "negations=True to offer more."
    )
    bits = LiteralEncoder(negations=True).fit_encode(X)
    assert (smallest_function(bits, [1, 1, 0]).function(bits) == [True, True, False]).all()


def test_a_positive_row_without_any_literal_is_named():
    X = np.array([[0, 1], [0, 0], [1, 0]])
    with pytest.raises(ContradictionError, match="Row 1 is positive but satisfies none of the 2"):
        smallest_function(BitMatrix.from_table(X), [1, 1, 0])
    with pytest.raises(ContradictionError, match="Row 1 is positive but satisfies none of the 2"):
        smallest_function(BitMatrix.from_table(X), [1, 1, 1])


def test_a_literal_true_on_every_negative_row_is_no_way_out():
    X = np.array([[1, 0], [1, 1], [1, 1]])
    with pytest.raises(ContradictionError, match="Row 0 is positive and row 1 is not"):
        smallest_function(BitMatrix.from_table(X), [1, 0, 0])


def test_missing_values_satisfy_neither_sign():
    table = pd.DataFrame({"a": [1, np.nan, 0], "b": [0, 1, 0]})
    bits = LiteralEncoder(negations=True).fit_encode(table)
    found = smallest_function(bits, [1, 1, 0])
    assert (found.function(table) == [True, True, False]).all()
    assert found.n_terms == 2


def test_rows_and_literals_that_decide_nothing_are_left_out():
    X = np.array(
        [
            [1, 1, 0, 1],  # holds all of the next row
            [1, 0, 0, 1],
            [0, 1, 1, 1],
            [0, 1, 0, 1],  # within the row before
        ]
    )
    rows, literals = decisive_rows(BitMatrix.from_table(X), np.array([True, True, False, False]))
    assert (rows.n_positive, rows.n_negative) == (1, 1)
    assert literals.tolist() == [0]
