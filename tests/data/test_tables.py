"""read_table: the truth of literals on tables as people hold them."""

import datetime
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesdnf import BooleanFunction, Literal
from bayesdnf.boolean.table import Table
from bayesdnf.data.tables import read_table
from bayesdnf.errors import InputError, ParameterError, UnknownColumnError
from tests.data.raw_tables import FORMS, columns_of, expected, kind_of


def some_literals(name):
    kind = kind_of(name)
    literals = [Literal(name, op, v) for op in ("=", "!=") for v in ("a", "1", 1, 0.25, True, -3)]
    literals += [Literal(name, op, 2**53 + 1) for op in ("=", "!=")]
    literals += [Literal(name, "true"), Literal(name, "false")]
    if kind not in ("text", "said", "told", "pair"):
        literals += [Literal(name, op, v) for op in (">=", "<") for v in (1, 0.5, -7, 2**53 + 3)]
    return literals


@given(columns=columns_of(), form=st.sampled_from(sorted(FORMS)))
def test_truth_is_that_of_each_value(columns, form):
    # pandas makes floats of whole numbers with a gap, which lose the last digit past 2^53.
    if form == "pandas":
        columns = {c: v for c, v in columns.items() if kind_of(c) != "huge" or None not in v}
    table = read_table(FORMS[form](columns))
    for name in columns:
        for literal in some_literals(name):
            if form != "pandas" or literal.value not in (2**53 + 1, 2**53 + 3):
                truth = table.truth(literal)
                assert truth.dtype == bool
                np.testing.assert_array_equal(truth, expected(literal, columns), str(literal))


def test_it_is_a_table_for_boolean_functions():
    frame = pd.DataFrame({"odor": ["f", "n", None, "?"], "age": [10, 60, 70, 80]})
    table = read_table(frame, missing_values=["?"])
    assert isinstance(table, Table)
    assert table.n_rows == 4
    f = BooleanFunction("odor = f OR odor != f AND age >= 60")
    assert f(table).tolist() == [True, True, False, False]
    assert f(frame).tolist() == [True, True, False, True]
    assert f(frame[:0]).tolist() == []


ARRAYS = {
    "ints": np.array([[1, 0], [0, 2]]),
    "bytes": np.array([[1, 0], [0, 2]], dtype=np.uint8),
    "floats": np.array([[1.0, 0.0], [0.0, 2.0]], dtype=np.float32),
    "objects": np.array([[1, 0], [0, 2.0]], dtype=object),
    "lists": [[1, 0], [0, 2]],
    "transposed": np.array([[1, 0], [0, 2]]).T.copy().T,
}


@pytest.mark.parametrize("array", ARRAYS.values(), ids=ARRAYS)
def test_arrays_name_their_columns(array):
    table = read_table(array)
    assert table.names == ("x0", "x1")
    assert table.truth(Literal("x0", "true")).tolist() == [True, False]
    assert table.truth(Literal("x1", "=", 2)).tolist() == [False, True]
    assert table.truth(Literal("x1", "<", 2)).tolist() == [True, False]


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


MISSING = [None, np.nan, pd.NA, pd.NaT, float("nan"), np.float32("nan"), np.datetime64("NaT"), ""]


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


@pytest.mark.parametrize(
    ("column", "missing_values"),
    [
        (["a", "?"], ["?"]),
        ([1, -9], [-9]),
        ([1.5, -9.0], [-9]),
        ([1, "?"], ["?"]),
        ([2, True], [1]),
    ],
)
def test_named_missing_values(column, missing_values):
    table = read_table({"c": column}, missing_values)
    for literal in (Literal("c", "=", column[0]), Literal("c", "!=", column[0])):
        assert not table.truth(literal)[1]
    assert table.truth(Literal("c", "=", column[0]))[0]


@pytest.mark.parametrize("missing_values", ["?", 3, None, [["?"]], [np.inf], {"?": 1}])
def test_bad_missing_values(missing_values):
    message = "The 'missing_values' parameter of read_table must be a list of texts and finite"
    with pytest.raises(ParameterError, match=message):
        read_table({"c": [1]}, missing_values)


@pytest.mark.parametrize(
    "number", [Decimal("2.5"), Fraction(5, 2), np.float32(2.5), np.float64(2.5)], ids=repr
)
def test_numbers_of_other_types(number):
    table = read_table({"c": pd.Series([number, 1], dtype=object)})
    assert table.truth(Literal("c", "=", 2.5)).tolist() == [True, False]


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


def test_only_the_columns_asked_for_are_looked_at():
    frame = pd.DataFrame({"good": [1, 2], "bad": [object(), object()], "mixed": ["a", 1]})
    assert BooleanFunction("good >= 2")(frame).tolist() == [False, True]


def test_column_names_that_are_numbers():
    table = read_table(pd.DataFrame([[1, 2]], columns=[2020, 2021]))
    assert table.truth(Literal("2021", "=", 2)).tolist() == [True]


def test_bools_count_as_0_and_1():
    table = read_table({"c": [True, False]})
    for literal in ("c", "c = 1", "c = true", "c >= 1", "c >= 0.5"):
        assert BooleanFunction(literal)(table).tolist() == [True, False]


ERRORS = [
    (
        {"odour": [1]},
        "odor = f",
        UnknownColumnError,
        "The function needs column 'odor', which the table does not have. Did you mean 'odour'?",
    ),
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
        "Column 'c' holds -inf in row 1; numbers must be finite.",
    ),
    (
        {"c": pd.Series([None, [1]], dtype=object)},
        "c",
        InputError,
        "Column 'c' holds [1] (list) in row 1; values must be text, numbers, bools or categories.",
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
    ({"c": np.array([b"x"])}, "c", InputError, "Column 'c' holds b'x' (bytes_) in row 0; values"),
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


BAD_SOURCES = [
    (np.zeros(3), "X must be a table with two dimensions. Got an array with 1 instead."),
    (np.zeros((1, 1, 1)), "X must be a table with two dimensions. Got an array with 3 instead."),
    (pd.Series([1]), "X must be a table with two dimensions. Got an array with 1 instead."),
    (None, "X must be a DataFrame, a two-dimensional array or a dict of columns. Got NoneType"),
    ("table.csv", "X must be a DataFrame, a two-dimensional array or a dict of columns. Got str"),
    (pl.LazyFrame({"a": [1]}), "X is a LazyFrame, which holds no rows yet; pass X.collect()."),
    (pd.DataFrame([[1, 2]], columns=["a", "a"]), "Column name 'a' appears twice; every column"),
    (pd.DataFrame([[1, 2]], columns=[1, "1"]), "Column name '1' appears twice; every column"),
    ({"a": [1, 2], "b": [1]}, "Column 'b' has 1 row and column 'a' has 2; all columns must be"),
    ({"a": "text"}, "Column 'a' must be a one-dimensional array, Series or list. Got str instead."),
    ({"a": 3}, "Column 'a' must be a one-dimensional array, Series or list. Got int instead."),
]


@pytest.mark.parametrize(("source", "message"), BAD_SOURCES)
def test_errors_of_sources(source, message):
    with pytest.raises(InputError, match=re.escape(message)):
        read_table(source)
