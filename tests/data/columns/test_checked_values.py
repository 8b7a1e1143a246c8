"""Values of a column: numbers of all kinds, and those that are refused."""

import datetime
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest

from bayesdnf import BooleanFunction, Literal, LiteralEncoder
from bayesdnf.data.columns.any_library import read_column
from bayesdnf.data.tables import read_table
from bayesdnf.errors import InputError


@pytest.mark.parametrize(
    "number", [Decimal("2.5"), Fraction(5, 2), np.float32(2.5), np.float64(2.5)], ids=repr
)
def test_numbers_of_other_types(number):
    table = read_table({"c": pd.Series([number, 1], dtype=object)})
    assert table.truth(Literal("c", "=", 2.5)).tolist() == [True, False]


def test_a_decimal_may_be_missing():
    """As NULL and NaN of databases are; it was taken for a number, and cuts failed an assertion."""
    column = read_column([Decimal("1.5"), Decimal("NaN"), Decimal(2), None] * 20, "c")
    assert column.missing.tolist() == [False, True, False, True] * 20
    cuts = LiteralEncoder().fit({"c": [Decimal("1.5"), Decimal("NaN"), Decimal(2)] * 20})
    assert [str(x) for x in cuts.literals_] == ["c >= 2", "c < 2"]


ERRORS = [
    (
        {"c": ["a", "b"]},
        "c >= 3",
        InputError,
        "Column 'c' holds text, such as 'a' in row 0; the literal 'c >= 3' needs numbers.",
    ),
    (
        {"c": [None, "a", 3]},
        "c = 3",
        InputError,
        "Column 'c' has mixed types: the text 'a' in row 1 and the number 3 in row 2; "
        "make it all text or all numbers.",
    ),
    (
        {"c": pd.Series([pd.NA, np.True_, "a"], dtype=object)},
        "c = a",
        InputError,
        "Column 'c' has mixed types: the text 'a' in row 2 and the number True in row 1; "
        "make it all text or all numbers.",
    ),
    (
        {"c": [1.0, np.inf]},
        "c >= 3",
        InputError,
        "Column 'c' holds inf in row 1; numbers must be finite.",
    ),
    (
        {"c": [1, -(10**400)]},
        "c >= 3",
        InputError,
        "Column 'c' holds a number beyond 1.8e308 in row 1; numbers must fit in double precision.",
    ),
    (
        {"c": pd.Series([1, float("-inf")], dtype=object)},
        "c >= 3",
        InputError,
        "Column 'c' holds -inf in row 1; numbers must be finite.",
    ),
    (
        {"c": pd.Series([None, [1]], dtype=object)},
        "c",
        InputError,
        "Column 'c' holds [1] (list) in row 1; values must be text, numbers, bools or categories: "
        "make a column of each of its values.",
    ),
    (
        {"c": pd.Series(["a", ([1],)], dtype=object)},
        "c",
        InputError,
        "Column 'c' holds ([1],) (tuple) in row 1; values must be text, numbers, bools or",
    ),
    (
        {"c": pd.to_datetime(pd.Series([None, "2020-01-02"]))},
        "c",
        InputError,
        "Column 'c' holds a date, 2020-01-02T00:00:00.000000, in row 1; give numbers",
    ),
    (
        {"c": [datetime.date(2020, 1, 2)]},
        "c",
        InputError,
        "Column 'c' holds a date, datetime.date(2020, 1, 2), in row 0; give numbers",
    ),
    ({"c": np.array([1j])}, "c", InputError, "Column 'c' holds 1j (complex128) in row 0; values"),
    (
        {"c": [b"x"]},
        "c",
        InputError,
        "categories: decode them, as .str.decode('utf-8') does in pandas.",
    ),
    ({"c": np.array([b"x"])}, "c", InputError, "Column 'c' holds b'x' (bytes_) in row 0; values"),
    (
        pl.DataFrame({"c": pl.Series([None, [0, 1]], dtype=pl.Array(pl.Int64, 2))}),
        "c",
        InputError,
        "Column 'c' holds [0, 1] (list) in row 1; values must be text, numbers, bools or",
    ),
    (
        pl.DataFrame({"c": [None, {"a": 1}]}),
        "c",
        InputError,
        "Column 'c' holds {'a': 1} (dict) in row 1; values must be text, numbers, bools or",
    ),
    (
        pl.DataFrame({"c": [None, [1]]}),
        "c",
        InputError,
        "Column 'c' holds [1] (list) in row 1; values must be text, numbers, bools or",
    ),
    (
        pl.DataFrame({"c": [datetime.time(7, 30)]}),
        "c",
        InputError,
        "values must be text, numbers, bools or categories: give numbers that can matter, such as "
        "the hour (.dt.hour() in polars).",
    ),
    (
        {"c": pd.Series(pd.period_range("2020-01", periods=2, freq="M"))},
        "c",
        InputError,
        "give numbers that can matter, such as the year (.dt.year in pandas), or texts, as "
        ".astype(str) makes them.",
    ),
    (
        {"c": pd.Series(pd.interval_range(0, 2))},
        "c",
        InputError,
        "give their texts, as .astype(str) makes them in pandas, or the ordered Categorical that",
    ),
    (
        {"c": np.zeros((2, 2))},
        "c",
        InputError,
        "Column 'c' must have one dimension. Got 2 instead.",
    ),
]


@pytest.mark.parametrize(("source", "function", "error", "message"), ERRORS)
def test_errors_of_columns(source, function, error, message):
    with pytest.raises(error, match=re.escape(message)):
        BooleanFunction(function)(source)
