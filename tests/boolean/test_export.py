import contextlib
import json
import sqlite3

import pytest
from hypothesis import given

from bayesdnf import LiteralEncoder
from bayesdnf.boolean import BooleanFunction, Literal, RuleList
from bayesdnf.errors import InputError
from tests.boolean.running import asked, compiled
from tests.boolean.worlds import DictTable, worlds

# Text ----------------------------------------------------------------------------------------


@given(worlds())
def test_text_marks_the_same_rows(world):
    f, table = world
    assert BooleanFunction.parse(f.to_text())(table).tolist() == f(table).tolist()


# Categories in order -------------------------------------------------------------------------

SIZES = ["small", "it's", 'say "hi"', "large"]
ORDERED = BooleanFunction([['size >= "it\'s"', "b"], ["size < large", "size != small"]])


def marked_by_hand(size, b):
    if not size:
        return False
    place = SIZES.index(size)
    return (place >= 1 and b == 1) or (place < 3 and place != 0)


@pytest.mark.parametrize("size", [*SIZES, None, ""])
@pytest.mark.parametrize("b", [0, 1])
def test_exports_of_ordered_categories(size, b):
    orders = {"size": SIZES, "other": ["x"]}
    expected = marked_by_hand(size, b)
    assert compiled(ORDERED.to_python(orders=orders))({"size": size, "b": b}) is expected
    rules = RuleList([ORDERED])
    with contextlib.closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE TABLE t (size TEXT, b TEXT)")
        database.execute("INSERT INTO t VALUES (?, ?)", [size, str(b)])
        where = ORDERED.to_sql(orders)
        assert database.execute(f"SELECT COUNT(*) FROM t WHERE {where}").fetchone() == (expected,)
        value = database.execute(f"SELECT {rules.to_sql(orders=orders)} FROM t").fetchone()
        assert value == (expected,)
    assert compiled(rules.to_python(orders=orders), "rules")({"size": size, "b": b}) == expected


@pytest.mark.parametrize("size", [*SIZES, "unknown", None, ""])
@pytest.mark.parametrize("text", ["size < small", "size >= small", "size != large", "size < large"])
def test_texts_outside_an_order_and_missing_ones_satisfy_nothing(text, size):
    """Below the lowest category is none at all; an empty list would be refused by PostgreSQL."""
    rule, orders = BooleanFunction(text), {"size": SIZES}
    holds = {"<": SIZES[:0], ">=": SIZES, "!=": SIZES[:3]}[text.split()[1]]
    holds = SIZES[:3] if text == "size < large" else holds
    where = rule.to_sql(orders)
    assert "()" not in where
    with contextlib.closing(sqlite3.connect(":memory:")) as base:
        base.execute("CREATE TABLE t (size TEXT)")
        base.execute("INSERT INTO t VALUES (?)", [size])
        assert base.execute(f"SELECT COUNT(*) FROM t WHERE {where}").fetchone() == (size in holds,)
        if size is None or (size == "" and not holds):  # neither true nor false
            assert base.execute(f"SELECT {where} FROM t").fetchone() == (None,)
    assert compiled(rule.to_python(orders=orders))({"size": size}) is (size in holds)
    assert json.loads(rule.to_json(orders))["orders"] == orders
    assert rule.to_json({"other": ["a", "b"], **orders}) == rule.to_json(orders)


def test_json_keeps_the_orders_that_are_needed():
    for rule in (ORDERED, RuleList([ORDERED])):
        text = rule.to_json({"size": SIZES, "other": ["x"]})
        assert json.loads(text)["orders"] == {"size": SIZES}
        assert type(rule).from_json(text) == rule
        assert "orders" not in json.loads(rule.to_json())
    plain = BooleanFunction("size = small")
    assert plain.to_json({"size": SIZES}) == plain.to_json()


def test_an_order_that_is_not_known_is_refused():
    for write in (ORDERED.to_sql, ORDERED.to_python, lambda: ORDERED.to_json({})):
        with pytest.raises(InputError, match=r"needs the order of the categories of 'size': pass"):
            write()
    with pytest.raises(InputError, match="with 'large' in it"):
        ORDERED.to_sql(orders={"size": SIZES[:3]})


# Missing values that the table names -----------------------------------------------------------

NAMED = ["?", "not known, or not asked for", "huge", -9, 0.5]
SHOWN = {
    "text": ["a", "b", "c", "?", "not known, or not asked for", "", None],
    "pair": ["yes", "no", "?", "yes", "no", "", None],
    "said": ["0", "1", "1", "?", "not known, or not asked for", "", None],
    "flag": [0, 1, 1, 0, -9, -9.0, None],
    "part": [0.0, 1.0, 1.0, 0.5, -9.0, 0.5, None],
    "told": [True, False, True, False, None, None, None],
    "age": [10.5, 20.0, 30.0, 0.5, -9.0, -8.5, None],
    "stage": [1, 2, 3, 4, -9, 2, None],
    "size": ["small", "large", "huge", "small", "", None, "large"],
}


def test_what_counts_as_missing_satisfies_nothing_in_any_export():
    orders = {"size": ["small", "large", "huge"]}
    encoder = LiteralEncoder(kinds=orders, missing_values=NAMED).fit(SHOWN)
    literals = {y for x in encoder.literals_ for y in (x, ~x)}
    literals |= {Literal("text", op, "?") for op in ("=", "!=")}
    literals |= {Literal("age", op, value) for op in (">=", "<", "=") for value in (-9, -10, 0.5)}
    table, given = encoder.as_table(SHOWN), {"orders": orders, "missing_values": NAMED}
    rows = [dict(zip(SHOWN, row, strict=True)) for row in zip(*SHOWN.values(), strict=True)]
    assert {x.attribute for x in literals} == set(SHOWN)
    seen = DictTable(SHOWN, len(rows))
    for literal in literals:
        f = BooleanFunction([[literal]])
        expected = f(table).tolist()
        assert asked(seen, f"CASE WHEN {f.to_sql(**given)} THEN 1 ELSE 0 END") == expected, literal
        assert [compiled(f.to_python(**given))(row) for row in rows] == expected, literal
        rules = RuleList([f])
        assert asked(seen, rules.to_sql(**given)) == expected, literal
        part = compiled(rules.to_python(**given), "rules")
        assert [part(row) for row in rows] == expected, literal
        for rule in (f, rules):
            text = rule.to_json(**given)
            assert json.loads(text)["missing_values"] == [-9, 0.5, *sorted(NAMED[:3])]
            assert type(rule).from_json(text) == rule


def test_sql_asks_only_for_missing_values_that_would_satisfy():
    f = BooleanFunction("text = a AND age >= 45 AND said")
    assert f.to_sql(missing_values=NAMED) == f.to_sql()
    f = BooleanFunction("told != true AND stage != 3")
    told = f.to_sql(missing_values=[0, "?"])
    assert told == '(NULLIF("stage", 0) <> 3 AND NULLIF("told", FALSE) <> TRUE)'
    said = BooleanFunction("NOT said").to_sql(missing_values=["-9", -9])
    assert said.startswith("(NULLIF(NULLIF(NULLIF(CAST(")  # '', '-9' and '-9.0', once each
    long = BooleanFunction("NOT said").to_sql(missing_values=[NAMED[1]])
    assert "'not known, or not as')" in long  # what PostgreSQL leaves of it in 20 characters
