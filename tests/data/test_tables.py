"""read_table: the truth of literals on tables as people hold them."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesdnf import BooleanFunction, Literal
from bayesdnf.boolean.table import Table
from bayesdnf.data.tables import read_table
from bayesdnf.errors import InputError, UnknownColumnError
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


def test_only_the_columns_asked_for_are_looked_at():
    frame = pd.DataFrame({"good": [1, 2], "bad": [object(), object()], "mixed": ["a", 1]})
    assert BooleanFunction("good >= 2")(frame).tolist() == [False, True]


def test_column_names_that_are_numbers():
    table = read_table(pd.DataFrame([[1, 2]], columns=[2020, 2021]))
    assert table.truth(Literal("2021", "=", 2)).tolist() == [True]


def test_a_column_that_is_not_there():
    said = "The function needs column 'odor', which the table does not have. Did you mean 'odour'?"
    with pytest.raises(UnknownColumnError, match=re.escape(said)):
        BooleanFunction("odor = f")({"odour": [1]})


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
