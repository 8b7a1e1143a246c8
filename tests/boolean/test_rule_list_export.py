import contextlib
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesdnf.boolean import BooleanFunction, Literal, RuleList
from bayesdnf.errors import InputError, ParameterError, ParseError
from tests.boolean.running import asked, compiled, paired_surrogates
from tests.boolean.worlds import any_lists, list_worlds, orders_of

RULES = RuleList(["odor = f OR bruises = t AND gill-size = n", "age >= 45"])

# Text -----------------------------------------------------------------------------------------


@given(any_lists())
def test_parse_is_the_inverse_of_str(rules):
    assert RuleList.parse(str(rules)) == RuleList(str(rules)) == rules


@pytest.mark.slow
@given(list_worlds())
def test_texts_with_risks_part_rows_the_same_way(world):
    rules, risks, table = world
    text = rules.to_text(risks)
    assert RuleList.parse(text) == rules
    assert RuleList.parse(text)(table).tolist() == rules(table).tolist()


def test_risks_are_aligned():
    assert RULES.to_text([0.02, 0.43, 0.98]) == (
        "if   (odor = f) OR (bruises = t AND gill-size = n)   then 0.98\n"
        "elif (age >= 45)                                     then 0.43\n"
        "else                                                      0.02"
    )
    assert RuleList(["a", "bcd"]).to_text(np.array([1, 1e-5, 1 / 3], dtype=np.float32)) == (
        "if   (a)     then 0.3333\nelif (bcd)   then 1e-05\nelse              1"
    )
    assert RuleList().to_text([0.25]) == "else 0.25"


def test_long_layers_have_a_line_for_each_term():
    long = BooleanFunction([[f"attribute-{i} = value-{i}", f"x{i}"] for i in range(3)])
    assert str(RuleList(["odor = f", long, "age >= 45 OR x"])) == (
        "if   (odor = f)                          then part 3\n"
        "elif (attribute-0 = value-0 AND x0)\n"
        "     OR (attribute-1 = value-1 AND x1)\n"
        "     OR (attribute-2 = value-2 AND x2)   then part 2\n"
        "elif (age >= 45) OR (x)                  then part 1\n"
        "else                                          part 0"
    )


def test_one_very_long_term_does_not_push_the_others_aside():
    term = BooleanFunction([[f"attribute-{i}" for i in range(20)]])
    first, second, third = str(RuleList(["odor = f", term])).split("\n")
    assert first == "if   (odor = f)   then part 2"
    assert second.endswith("attribute-19)   then part 1")
    assert third == "else                   part 0"


@pytest.mark.parametrize(
    ("text", "layers"),
    [
        ("if a else", ["a"]),
        ("if a elif b AND c OR d else", ["a", "b AND c OR d"]),
        ("IF(a)THEN 0.5 ELIF(b)Then 1e-3 ELSE 0", ["a", "b"]),
        ("if a then part 2 elif b else 0.5", ["a", "b"]),
        ("  if a\nOR b\n\tthen\npart 1\nelse part 0 ", ["a OR b"]),
        ("if then then 0.5 elif else else 0.25", ["then", "else"]),
        ("if if = elif elif part = part then part 1 else part 0", ["if = elif", "part = part"]),
        ("if not then elif x = then then .5 else 1", ["NOT then", "x = then"]),
        ("if x >= 5 then .5 else 1", ["x >= 5"]),
        ("if 'a) then 0.5 else' else", ["'a) then 0.5 else'"]),
        ("else 0.25", []),
        ("else part 0", []),
    ],
)
def test_friendly_forms(text, layers):
    assert RuleList.parse(text) == RuleList(layers)


@pytest.mark.parametrize(
    ("text", "expected", "position"),
    [
        ("", "if or else", 0),
        ("a", "if or else", 0),
        ("elif a else", "if or else", 0),
        ("if", "a literal", 2),
        ("if FALSE else", "a literal", 3),
        ("if a", "AND, OR, then, elif or else", 4),
        ("if a b else", "AND, OR, then, elif or else", 5),
        ("if a if b else", "AND, OR, then, elif or else", 5),
        ("if (a", "AND, OR or a closing parenthesis", 5),
        ("if a AND (b OR c) else", "an OR inside an AND", 9),
        ("if a then", "a risk such as 0.25, or part 1", 9),
        ("if a then b else", "a risk such as 0.25, or part 1", 10),
        ("if a then 0.5x else", "a risk such as 0.25, or part 1", 10),
        ("if a then 0.5", "elif or else", 13),
        ("if a then 0.5 AND b else", "elif or else", 14),
        ("if a then 2 else 0", "a risk from 0 to 1", 10),
        ("if a then -0.1 else 0", "a risk from 0 to 1", 10),
        ("if a then 1e999 else 0", "a risk from 0 to 1", 10),
        ("if a then " + "9" * 5000 + " else 0", "a number of fewer digits", 10),
        ("if a then part else", "the number of a part", 15),
        ("if a then part 2 else", "1, the number of this part", 15),
        ("if a then part 1 elif b else", "2, the number of this part", 15),
        ("if a else part 1", "0, the number of this part", 15),
        ("if a else b", "a risk such as 0.25, or part 1", 10),
        ("if a else 0.5 0.5", "the end of the text", 14),
        ("if a else 0.5 elif b", "the end of the text", 14),
        ("if a elif else", "AND, OR, then, elif or else", 14),
        ("if " + "(" * 100_000, "at most 50 nested", 53),
    ],
)
def test_errors_name_position_and_what_was_expected(text, expected, position):
    with pytest.raises(ParseError) as error:
        RuleList.parse(text)
    message = str(error.value)
    assert f"expected {expected}" in message or expected in message
    assert f"at position {position}" in message
    assert len(message) < 300


WORDS = [
    "if", "if a", "elif", "elif b", "then", "then 1", "else", "part", "x3", "=", ">=", "(", ")",
    "'", "AND", "OR", "NOT", "0", ".5",
]  # fmt: skip


@given(st.lists(st.sampled_from(WORDS)))
def test_any_text_gives_a_list_or_a_parse_error(words):
    try:
        rules = RuleList.parse(" ".join(words))
    except ParseError:
        return
    assert RuleList.parse(str(rules)) == rules


def test_only_texts_are_parsed():
    with pytest.raises(ParameterError, match=r"'text' parameter of RuleList\.parse"):
        RuleList.parse(3)


# Risks ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "risks",
    [
        [],
        [0.5, 0.5],
        [0.5] * 4,
        [0.1, 0.2, 1.5],
        [0.1, -0.2, 0.5],
        [0.1, 0.2, float("nan")],
        ["0.1", "0.2", "0.3"],
        [None] * 3,
        0.5,
        np.zeros((3, 2)),
        iter([0.1, 0.2, 0.3]),
    ],
)
@pytest.mark.parametrize("export", ["to_text", "to_latex", "to_sql", "to_python"])
def test_risks_are_checked(risks, export):
    message = (
        rf"'risks' parameter of {export} must be a list of 3 numbers .* part 0 to part 2\. Got"
    )
    with pytest.raises(ParameterError, match=message):
        getattr(RULES, export)(risks=risks)


def test_the_null_list_has_one_risk():
    with pytest.raises(ParameterError, match="must be a list of one number from 0 to 1"):
        RuleList().to_text([0.1, 0.2])


# SQL ------------------------------------------------------------------------------------------


@pytest.mark.slow
@given(list_worlds(storable=True))
def test_sql_gives_parts_and_risks(world):
    rules, risks, table = world
    parts = rules(table)
    assert asked(table, rules.to_sql()) == parts.tolist()
    assert asked(table, rules.to_sql(risks)) == pytest.approx([risks[part] for part in parts])


def test_sql_by_hand():
    rules = RuleList([BooleanFunction([[Literal("odor", "!=", "it's")], ["cap = x"]]), "age >= 45"])
    assert rules.to_sql() == (
        "CASE\n"
        """  WHEN ("cap" = 'x') OR (NULLIF("odor", '') <> 'it''s') THEN 2\n"""
        '  WHEN ("age" >= 45) THEN 1\n'
        "  ELSE 0\n"
        "END"
    )
    assert "THEN 0.98\n" in rules.to_sql(np.array([0.02, 0.43, 0.98]))
    assert (RuleList().to_sql(), RuleList().to_sql([1])) == ("0", "1.0")


@pytest.mark.parametrize("text", ["\x00", "a\x00b", "\ud800"])
def test_sql_refuses_what_databases_cannot_hold(text):
    with pytest.raises(InputError, match="NUL characters or lone surrogates"):
        RuleList([BooleanFunction([[Literal("x", "=", text)]])]).to_sql()


# Python ---------------------------------------------------------------------------------------


@pytest.mark.slow
@given(list_worlds())
def test_python_gives_parts_and_risks(world):
    rules, risks, table = world
    parts = rules(table).tolist()
    part = compiled(rules.to_python(), "rules")
    assert part.__doc__ == str(rules)
    assert [part(row) for row in table.rows()] == parts
    absent = [{k: v for k, v in row.items() if v is not None} for row in table.rows()]
    assert [part(row) for row in absent] == parts
    risk = compiled(rules.to_python(risks, name="risk"), "risk")
    assert RuleList.parse(risk.__doc__) == rules
    assert [risk(row) for row in table.rows()] == [risks[part] for part in parts]


@given(any_lists())
def test_python_source_of_any_list_compiles(rules):
    source = rules.to_python(name="part_of", orders=orders_of(rules))
    source.encode()
    assert compiled(source, "part_of")({}) == 0


@pytest.mark.parametrize("name", ["", "a b", "class", "print", "1x", "x()", None, "__debug__"])
def test_python_names_are_checked(name):
    with pytest.raises(ParameterError, match="'name' parameter"):
        RULES.to_python(name=name)


# LaTeX ----------------------------------------------------------------------------------------


def test_latex_by_hand():
    rules = RuleList(["odor = f OR NOT x_3 AND age >= 45", "a AND b", "c"])
    assert rules.to_latex([0.00001, 0.25, 0.5, 1]) == (
        "\\begin{cases}\n"
        r"1 & \text{if } (\texttt{odor} = \texttt{f}) \lor "
        r"(\texttt{age} \geq 45 \land \lnot \texttt{x\_3}) \\" + "\n"
        r"0.5 & \text{else if } (\texttt{a} \land \texttt{b}) \\" + "\n"
        r"0.25 & \text{else if } (\texttt{c}) \\" + "\n"
        r"1 \times 10^{-5} & \text{otherwise}" + "\n"
        r"\end{cases}"
    )
    assert RuleList().to_latex() == "\\begin{cases}\n0 & \\text{otherwise}\n\\end{cases}"


@given(any_lists())
def test_latex_has_a_line_for_each_part(rules):
    begin, *cases, end = rules.to_latex().split("\n")
    assert (begin, end) == (r"\begin{cases}", r"\end{cases}")
    assert [case.split(" & ")[0] for case in cases] == [str(h) for h in range(len(rules), -1, -1)]
    written = [r"\text{if } ", *[r"\text{else if } "] * (len(rules) - 1)]
    for case, word, function in zip(cases, written, rules, strict=False):
        assert case.split(" & ", 1)[1] == word + function.to_latex() + r" \\"
    assert all(case.isprintable() for case in cases)


# JSON -----------------------------------------------------------------------------------------


@pytest.mark.slow
@given(any_lists())
def test_json_round_trip_keeps_types(rules):
    if paired_surrogates(rules):
        with pytest.raises(InputError, match="surrogates"):
            rules.to_json()
        return
    text = rules.to_json()
    text.encode("utf-8")
    back = RuleList.from_json(text)
    assert back == rules
    assert [type(x.value) for x in back.literals] == [type(x.value) for x in rules.literals]


@given(list_worlds(storable=True))
def test_json_parts_rows_the_same_way(world):
    rules, _, table = world
    assert RuleList.from_json(rules.to_json())(table).tolist() == rules(table).tolist()


def test_json_by_hand():
    assert json.loads(RuleList(["x3 OR é = 1.5", "age >= 45"]).to_json()) == {
        "format": "bayesdnf.rule-list",
        "version": 1,
        "layers": [
            [
                [{"attribute": "x3", "operator": "true"}],
                [{"attribute": "é", "operator": "=", "value": 1.5}],
            ],
            [[{"attribute": "age", "operator": ">=", "value": 45}]],
        ],
    }
    assert RuleList.from_json(RuleList().to_json()).is_null
    for layer, function in zip(json.loads(RULES.to_json())["layers"], RULES, strict=True):
        assert layer == json.loads(function.to_json())["terms"]


def document(layers="[]", version="1", form='"bayesdnf.rule-list"', extra=""):
    return f'{{"format": {form}, "version": {version}, "layers": {layers}{extra}}}'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "text of a rule list is not JSON"),
        ("[]", "must be an object"),
        ("{}", "exactly the keys format, layers, version"),
        (BooleanFunction("a").to_json(), "exactly the keys format, layers, version"),
        (document(form='"bayesdnf.boolean-function"'), "'format' must be 'bayesdnf.rule-list'"),
        (document(form='"' + "x" * 1000 + '"'), "'format' must be 'bayesdnf.rule-list'"),
        (document(version="2"), "'version' must be 1"),
        (document(version="[" + "1," * 1000 + "1]"), "'version' must be 1"),
        (document(extra=', "more": 1'), "exactly the keys"),
        (document(extra=', "layers": []'), "repeats a key"),
        (document("3"), "'layers' must be a list"),
        (document("[3]"), r"layers\[0\] must be a list"),
        (document("[[3]]"), r"term 0 of layers\[0\] must be a list"),
        (document('[[[{"attribute": "a", "operator": "true"}], [3]]]'),
         r"literal 0 of term 1 of layers\[0\] must be an object"),
        (document("[[[]]]"), "at least one literal"),
        (document("[[]]"), r"at least one term\. Got the null function as layers\[0\]"),
        (document('[[[{"attribute": "x", "operator": "<", "value": true}]]]'), "'value' parameter"),
        (document('[[[{"attribute": "x", "operator": "=", "value": NaN}]]]'), "finite"),
        ("[" * 200_000, "JSON text of a rule list is nested too deeply"),
    ],
)  # fmt: skip
def test_damaged_json_gets_a_clear_error(text, message):
    with pytest.raises(InputError, match=message) as error:
        RuleList.from_json(text)
    assert len(str(error.value)) < 400


def test_json_must_be_a_text():
    with pytest.raises(ParameterError, match=r"'text' parameter of RuleList\.from_json"):
        RuleList.from_json({"layers": []})


@pytest.mark.slow
@given(any_lists(), st.data())
def test_json_cut_or_changed_anywhere_never_crashes(rules, data):
    if paired_surrogates(rules):
        return
    text = rules.to_json()
    at = data.draw(st.integers(0, len(text)))
    patch = data.draw(st.sampled_from(["", '"', "[", "]", "{", "}", ",", "null", "1", "\\", "-"]))
    with contextlib.suppress(ParseError, ParameterError):
        RuleList.from_json(text[:at] + patch + text[at + 1 :])


def test_risks_come_first_in_every_language():
    rules = RuleList(["a", "b"])
    for write in (rules.to_text, rules.to_latex, rules.to_sql, rules.to_python):
        assert write([0.1, 0.2, 0.9]) == write(risks=[0.1, 0.2, 0.9])
        assert "0.9" in write([0.1, 0.2, 0.9])
