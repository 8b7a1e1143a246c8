"""The truth of literals on one column."""

import numpy as np
import pandas as pd
import pytest

from bayesdnf import BooleanFunction, Literal
from bayesdnf.data.columns.any_library import read_column
from bayesdnf.data.tables import read_table

NO_TIME = np.datetime64("NaT", "s")
MISSING = [None, np.nan, pd.NA, pd.NaT, float("nan"), np.float32("nan"), NO_TIME, ""]


@pytest.mark.parametrize("nothing", MISSING, ids=repr)
@pytest.mark.parametrize("value", ["a", 1, True])
def test_nothing_holds_where_a_value_is_missing(nothing, value):
    column = pd.Series([value, nothing, value], dtype=object)
    table = read_table({"c": column})
    literals = [Literal("c", op, v) for op in ("=", "!=") for v in ("a", 1, True, "b")]
    for literal in [*literals, Literal("c", "true"), Literal("c", "false")]:
        first, second, third = table.truth(literal).tolist()
        assert first == third != table.truth(~literal)[0]
        assert not second
        assert not table.truth(~literal)[1]


@pytest.mark.parametrize("column", [[None, None], [np.nan, ""], pd.Series([pd.NaT, pd.NaT])])
def test_a_column_without_values_suits_every_literal(column):
    table = read_table({"c": column})
    for literal in (Literal("c", ">=", 1), Literal("c", "=", "a"), Literal("c", "false")):
        assert table.truth(literal).tolist() == [False, False]
        assert table.truth(~literal).tolist() == [False, False]


def test_bools_count_as_0_and_1():
    table = read_table({"c": [True, False]})
    for literal in ("c", "c = 1", "c = true", "c >= 1", "c >= 0.5"):
        assert BooleanFunction(literal)(table).tolist() == [True, False]


def test_places_are_looked_up_once():
    """Once for each literal, they took time that grew with the cube of the number of levels."""
    sizes = ("small", "medium", "large")
    column = read_column(["large", None, "small"], "a").ordered(sizes)
    assert column.places == {"small": 0, "medium": 1, "large": 2}
    assert column.ranks is column.ranks
    assert column.ranks.tolist() == [2, 3, 0]
    # Without an order, and where every value is missing, there is nothing to rank.
    for values, order in ((["b", "a"], ()), ([None, None], sizes)):
        assert (read_column(values, "a").ordered(order or ("a", "b")).ranks >= 0).all()
        assert (read_column(values, "a").ranks == 0).all()
