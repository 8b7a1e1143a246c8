import contextlib
import json
import math
import sqlite3

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bayesdnf.boolean import BooleanFunction, Literal, RuleList
from bayesdnf.errors import InputError, ParameterError, ParseError
from tests.boolean.running import asked, compiled, paired_surrogates
from tests.boolean.worlds import any_functions, orders_of, worlds

# SQL -----------------------------------------------------------------------------------------


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


# Text ----------------------------------------------------------------------------------------


@given(worlds())
def test_text_marks_the_same_rows(world):
    f, table = world
    assert BooleanFunction.parse(f.to_text())(table).tolist() == f(table).tolist()


# Python --------------------------------------------------------------------------------------


@pytest.mark.slow
@given(worlds())
def test_python_marks_the_same_rows(world):
    f, table = world
    rule = compiled(f.to_python())
    assert rule.__doc__ == str(f)
    expected = f(table).tolist()
    assert [rule(row) for row in table.rows()] == expected
    absent = [{k: v for k, v in row.items() if v is not None} for row in table.rows()]
    assert [rule(row) for row in absent] == expected


@given(any_functions())
def test_python_source_of_any_function_compiles(f):
    source = f.to_python("is_marked", orders_of(f))
    source.encode()
    assert compiled(source, "is_marked")({}) is False


def test_python_answers_are_bools_and_texts_are_not_ordered():
    rule = compiled(BooleanFunction("age >= 45 OR x3").to_python())
    assert rule({"age": "99"}) is False
    assert rule({"age": math.nan, "x3": True}) is True
    assert rule({"age": 45.0}) is True
    assert compiled(BooleanFunction().to_python())({}) is False


@pytest.mark.parametrize("name", ["", "a b", "class", "print", "1x", "x()", None, "__debug__"])
def test_python_names_are_checked(name):
    with pytest.raises(ParameterError, match="'name' parameter"):
        BooleanFunction("a").to_python(name)


# LaTeX ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("f", "latex"),
    [
        (
            BooleanFunction("odor = f OR NOT x_3 AND age >= 45"),
            r"(\texttt{odor} = \texttt{f}) \lor (\texttt{age} \geq 45 \land \lnot \texttt{x\_3})",
        ),
        (BooleanFunction("age < 1e-07"), r"(\texttt{age} < 1 \times 10^{-7})"),
        (BooleanFunction("a != true"), r"(\texttt{a} \neq \texttt{true})"),
        (BooleanFunction("a = '1'"), r"""(\texttt{a} = \texttt{"1"})"""),
        (
            BooleanFunction([[Literal("50% {a} $b^~#&", "true")]]),
            r"(\texttt{"
            r'"50\%\ \{a\}\ \$b\textasciicircum{}\textasciitilde{}\#\&"})',
        ),
        (
            BooleanFunction([[Literal("a\nb\x00", "true")]]),
            r'(\texttt{"a\textbackslash{}nb\textbackslash{}x00"})',
        ),
        (BooleanFunction(), r"\texttt{FALSE}"),
    ],
)
def test_latex_by_hand(f, latex):
    assert f.to_latex() == latex


@given(any_functions())
def test_latex_is_one_printable_line_with_balanced_braces(f):
    latex = f.to_latex()
    assert latex.isprintable()
    bare = latex.replace("\\{", "").replace("\\}", "")
    assert bare.count("{") == bare.count("}")
    for sign in "$&#_%":
        assert sign not in latex.replace("\\" + sign, "")


# JSON ----------------------------------------------------------------------------------------


@given(any_functions())
def test_json_round_trip_keeps_types(f):
    if paired_surrogates(f):
        with pytest.raises(InputError, match="surrogates"):
            f.to_json()
        return
    text = f.to_json()
    text.encode("utf-8")
    back = BooleanFunction.from_json(text)
    assert back == f
    assert [type(x.value) for x in back.literals] == [type(x.value) for x in f.literals]


def test_json_refuses_paired_surrogates():
    with pytest.raises(InputError, match="pair of surrogates"):
        BooleanFunction([[Literal("\ud83d\ude00", "true")]]).to_json()


def test_json_by_hand():
    f = BooleanFunction([["x3"], ["age >= 45", "é = 1.5"]])
    assert json.loads(f.to_json()) == {
        "format": "bayesdnf.boolean-function",
        "version": 1,
        "terms": [
            [{"attribute": "x3", "operator": "true"}],
            [
                {"attribute": "age", "operator": ">=", "value": 45},
                {"attribute": "é", "operator": "=", "value": 1.5},
            ],
        ],
    }
    assert "é" in f.to_json()
    assert BooleanFunction.from_json(BooleanFunction().to_json()).is_null


def document(terms="[]", version="1", form='"bayesdnf.boolean-function"', extra=""):
    return f'{{"format": {form}, "version": {version}, "terms": {terms}{extra}}}'


def one(literal):
    return document(f"[[{literal}]]")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("[]", "must be an object"),
        ("null", "must be an object"),
        ("{}", "exactly the keys format, terms, version"),
        (document(form='"other"'), "'format' must be"),
        (document(version="2"), "'version' must be 1"),
        (document(version="true"), "'version' must be 1"),
        (document(version='"1"'), "'version' must be 1"),
        (document(extra=', "more": 1'), "exactly the keys"),
        (document(extra=', "terms": []'), "repeats a key"),
        (document("3"), "'terms' must be a list"),
        (document("[3]"), "term 0 must be a list"),
        (document('["x"]'), "term 0 must be a list"),
        (document("[[3]]"), "literal 0 of term 0 must be an object"),
        (document('[["x3"]]'), "literal 0 of term 0 must be an object"),
        (document("[[]]"), "at least one literal"),
        (one('{"attribute": "x"}'), "exactly the keys"),
        (one('{"attribute": 1, "operator": "true"}'), "'attribute' parameter"),
        (one('{"attribute": "x", "operator": []}'), "exactly the keys"),
        (one('{"attribute": "x", "operator": [], "value": 1}'), "operator of literal 0"),
        (one('{"attribute": "x", "operator": ">", "value": 1}'), "'operator' parameter"),
        (one('{"attribute": "x", "operator": "true", "value": null}'), "exactly the keys"),
        (one('{"attribute": "x", "operator": "=", "value": null}'), "'value' parameter"),
        (one('{"attribute": "x", "operator": "=", "value": [1]}'), "'value' parameter"),
        (one('{"attribute": "x", "operator": ">=", "value": true}'), "'value' parameter"),
        (one('{"attribute": "x", "operator": "=", "value": NaN}'), "finite"),
        (one('{"attribute": "x", "operator": "=", "value": 1e999}'), "finite"),
        (one('{"attribute": "x", "operator": "=", "value": ' + "9" * 5000 + "}"), "not JSON"),
        ("[" * 200_000, "nested too deeply"),
    ],
)
def test_damaged_json_gets_a_clear_error(text, message):
    with pytest.raises(InputError, match=message) as error:
        BooleanFunction.from_json(text)
    assert len(str(error.value)) < 400


def test_json_must_be_a_text():
    with pytest.raises(ParameterError, match="'text' parameter"):
        BooleanFunction.from_json({"terms": []})


@given(any_functions(), st.data())
def test_json_cut_or_changed_anywhere_never_crashes(f, data):
    if paired_surrogates(f):
        return
    text = f.to_json()
    at = data.draw(st.integers(0, len(text)))
    patch = data.draw(st.sampled_from(["", '"', "[", "]", "{", "}", ",", "null", "1", "\\", "-"]))
    with contextlib.suppress(ParseError, ParameterError):
        BooleanFunction.from_json(text[:at] + patch + text[at + 1 :])


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
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE t (size TEXT, b TEXT)")
    database.execute("INSERT INTO t VALUES (?, ?)", [size, str(b)])
    where = ORDERED.to_sql(orders)
    assert database.execute(f"SELECT COUNT(*) FROM t WHERE {where}").fetchone() == (expected,)
    rules = RuleList([ORDERED])
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
