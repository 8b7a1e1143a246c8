"""SQL asked of a database marks the rows of the function."""

import contextlib
import sqlite3

import pytest
from hypothesis import assume, given

from bayesdnf.boolean import BooleanFunction, Literal
from bayesdnf.errors import InputError
from tests.boolean.running import asked
from tests.boolean.worlds import worlds


def selected(table, condition):
    chosen = asked(table, f"_rowid_ IN (SELECT _rowid_ FROM t WHERE {condition})")
    return [value == 1 for value in chosen]


@pytest.mark.slow
@given(worlds(storable=True))
def test_sql_selects_the_marked_rows(world):
    f, table = world
    assert selected(table, f.to_sql()) == f(table).tolist()


@pytest.mark.slow
@given(worlds(storable=True, min_terms=1, max_terms=3))
def test_complement_is_what_sql_calls_not(world):
    f, table = world
    assume(not any("" in cells for cells in table.columns.values()))  # a value, to "=" in SQL
    assert selected(table, f"NOT ({f.to_sql()})") == f.complement()(table).tolist()


def test_sql_by_hand():
    f = BooleanFunction([[Literal("odor", "!=", "it's")], ["NOT x3", "age >= 45", "b = true"]])
    ones = "IN ('1', '1.0', 'True', 'true', 'TRUE')"
    assert f.to_sql() == (
        """(NULLIF("odor", '') <> 'it''s') OR ("age" >= 45 AND "b" = TRUE AND """
        f"""NULLIF(CAST("x3" AS CHAR(20)), '') NOT {ones})"""
    )
    odd = BooleanFunction([[Literal('a"b', "true")]])
    assert odd.to_sql() == f'(CAST("a""b" AS CHAR(20)) {ones})'
    assert BooleanFunction().to_sql() == "1 = 0"


@pytest.mark.parametrize(
    ("declared", "values"),
    [
        ("INTEGER", [1, 0, None]),
        ("REAL", [1.0, 0.0, None]),
        ("BOOLEAN", [True, False, None]),
        ("TEXT", ["1", "0", None]),
        ("TEXT", ["True", "False", None]),
        ("VARCHAR(9)", ["TRUE", "FALSE", None]),
    ],
)
def test_sql_of_a_flag_suits_columns_of_every_type(declared, values):
    with contextlib.closing(sqlite3.connect(":memory:")) as base:
        base.execute(f"CREATE TABLE t (x {declared})")
        base.executemany("INSERT INTO t VALUES (?)", [(value,) for value in values])
        for function, row in (("x", 1), ("NOT x", 2)):
            condition = BooleanFunction(function).to_sql()
            assert [*base.execute(f"SELECT _rowid_ FROM t WHERE {condition}")] == [(row,)]


@pytest.mark.parametrize("text", ["\x00", "a\x00b", "\ud800"])
def test_sql_refuses_what_databases_cannot_hold(text):
    for literal in (Literal(text, "true"), Literal("x", "=", text)):
        with pytest.raises(InputError, match="NUL characters or lone surrogates"):
            BooleanFunction([[literal]]).to_sql()
