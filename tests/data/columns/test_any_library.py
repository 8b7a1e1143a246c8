"""Columns of arrays and Series are read alike, whatever library holds them."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from bayesdnf import Literal
from bayesdnf.data.columns.any_library import read_column
from bayesdnf.data.tables import read_table


@pytest.mark.parametrize("dtype", ["U3", object, "T"])
def test_arrays_of_text(dtype):
    dtype = np.dtypes.StringDType() if dtype == "T" else dtype
    table = read_table(np.array([["a", "1"], ["", "22"]], dtype=dtype))
    assert table.truth(Literal("x0", "=", "a")).tolist() == [True, False]
    assert table.truth(Literal("x0", "!=", "b")).tolist() == [True, False]  # "" is missing
    assert table.truth(Literal("x1", "=", "1")).tolist() == [True, False]
    assert table.truth(Literal("x1", "=", 1)).tolist() == [False, False]
    assert table.truth(Literal("x1", "!=", 1)).tolist() == [True, True]


def test_masked_entries_are_missing():
    table = read_table(np.ma.MaskedArray([[1], [2], [3]], mask=[[0], [1], [0]]))
    assert table.truth(Literal("x0", ">=", 2)).tolist() == [False, False, True]
    assert table.truth(Literal("x0", "<", 2)).tolist() == [True, False, False]


def test_polars_numbers_that_numpy_lacks():
    decimals = pl.Series([1, None, 3]).cast(pl.Decimal(10, 2))
    frame = pl.DataFrame({"d": decimals, "i": pl.Series([1, None, 3], dtype=pl.Int128)})
    table = read_table(frame)
    for name in "di":
        assert table.truth(Literal(name, ">=", 2)).tolist() == [False, False, True]
        assert table.truth(Literal(name, "<", 2)).tolist() == [True, False, False]


CATEGORIES = {
    "pandas": pd.DataFrame({"c": pd.Categorical(["b", None, "a"], categories=["b", "a", "z"])}),
    "polars": pl.DataFrame({"c": pl.Series(["b", None, "a"], dtype=pl.Categorical)}),
    "enum": pl.DataFrame({"c": pl.Series(["b", None, "a"], dtype=pl.Enum(["b", "a", "z"]))}),
}


@pytest.mark.parametrize("frame", CATEGORIES.values(), ids=CATEGORIES)
def test_categories(frame):
    table = read_table(frame)
    assert table.truth(Literal("c", "=", "b")).tolist() == [True, False, False]
    assert table.truth(Literal("c", "!=", "b")).tolist() == [False, False, True]
    assert table.truth(Literal("c", "=", "z")).tolist() == [False, False, False]


def test_of_columns_that_numpy_holds_no_other_object_is_made(monkeypatch):
    import narwhals.stable.v2 as nw

    made = []
    monkeypatch.setattr(nw, "from_native", lambda *_, **__: made.append(1))
    for values in (pd.Series([1.0, np.nan]), pd.Series([True, False]), np.array(["a", "b"])):
        read_column(values, "Column 'a'")
    assert not made
