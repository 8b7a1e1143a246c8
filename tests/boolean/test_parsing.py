import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesdnf.boolean import BooleanFunction, Literal
from bayesdnf.errors import ParameterError, ParseError
from tests.boolean.worlds import any_functions


@given(any_functions())
def test_parse_is_the_inverse_of_str(f):
    parsed = BooleanFunction.parse(str(f))
    assert parsed == f
    assert parsed.terms == f.terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("a AND b OR c", [["a", "b"], ["c"]]),
        ("c or a and b", [["a", "b"], ["c"]]),
        ("  ( a\nAnd\tb )oR(c)", [["a", "b"], ["c"]]),
        ("((a) AND (b AND (c)))", [["a", "b", "c"]]),
        ("((a OR b) OR c)", [["a"], ["b"], ["c"]]),
        ("NOT (odor = f)", [[Literal("odor", "!=", "f")]]),
        ("NOT odor = f", [[Literal("odor", "!=", "f")]]),
        ("not age>=45", [[Literal("age", "<", 45)]]),
        ("NOT NOT x3", [[Literal("x3", "true")]]),
        ("NOT x3 AND not(y)", [[Literal("x3", "false"), Literal("y", "false")]]),
        ("odor = 'it\\'s'", [[Literal("odor", "=", "it's")]]),
        ("'cap colour' = \"a\\\\b\"", [[Literal("cap colour", "=", "a\\b")]]),
        ("x='1'", [[Literal("x", "=", "1")]]),
        ("x = 5-3", [[Literal("x", "=", "5-3")]]),
        ("x = 1.2.3", [[Literal("x", "=", "1.2.3")]]),
        ("5 = -5", [[Literal("5", "=", -5)]]),
        ('"AND" = "OR"', [[Literal("AND", "=", "OR")]]),
        ("FALSE", []),
        (" false ", []),
    ],
)
def test_friendly_forms(text, terms):
    assert BooleanFunction.parse(text) == BooleanFunction(terms)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1),
        ("-7", -7),
        ("+7", 7),
        ("1.0", 1.0),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("1e+16", 1e16),
        ("1E-7", 1e-7),
        ("0.1", 0.1),
        ("123456789012345678901", 123456789012345678901),
        ("true", True),
        ("FALSE", False),
        ("t", "t"),
        ("'true'", "true"),
        ("?", "?"),
        ("-", "-"),
    ],
)
def test_values_keep_their_type(text, value):
    ((literal,),) = BooleanFunction.parse(f"x = {text}").literal_terms
    assert literal.value == value
    assert type(literal.value) is type(value)


@pytest.mark.parametrize(
    ("text", "expected", "position"),
    [
        ("", "a literal", 0),
        ("TRUE", "a literal", 0),
        ("a AND", "a literal", 5),
        ("a AND OR b", "a literal", 6),
        ("()", "a literal", 1),
        ("a b", "AND, OR or the end", 2),
        ("a)", "AND, OR or the end", 1),
        ("(a OR b", "closing parenthesis", 7),
        ("x =", "a value", 3),
        ("x = AND", "a value", 4),
        ("x > 3", "one of the operators =, !=, >=, <", 2),
        ("x <= 3", "one of the operators", 2),
        ("x == 3", "one of the operators", 2),
        ("age >= true", "a number or a category after >=", 7),
        ("age < true", "a number or a category after <", 6),
        ("x = 1e999", "a finite number", 4),
        ("x = " + "9" * 5000, "a number of fewer digits", 4),
        ("x = " + "9" * 400, "a finite number", 4),
        ('x = "abc', 'a closing "', 8),
        ("x = 'a\\q'", "one of the escapes", 6),
        ("x = 'a\\x1'", "one of the escapes", 6),
        ("x = 'a\\U00110000'", "one of the escapes", 6),
        ("a AND (b OR c)", "an OR inside an AND", 6),
        ("(a OR b) AND c", "an OR inside an AND", 0),
        ("NOT (a AND b)", "NOT before one literal", 4),
        ("NOT", "a literal", 3),
        ("a AND FALSE", "a literal", 6),
        ("a + b", "AND, OR or the end", 2),
        ("(" * 100_000, "at most 50 nested", 50),
        ("not " * 100_000 + "a", "at most 50 nested", 200),
    ],
)
def test_errors_name_position_and_what_was_expected(text, expected, position):
    with pytest.raises(ParseError) as error:
        BooleanFunction.parse(text)
    message = str(error.value)
    assert expected in message
    assert f"at position {position}" in message
    assert len(message) < 300


@given(st.text(st.sampled_from("ab x3=!<>()'\"\\.-+e \nANDORNOT"), max_size=25))
def test_any_text_gives_a_function_or_a_parse_error(text):
    try:
        f = BooleanFunction.parse(text)
    except ParseError:
        return
    assert BooleanFunction.parse(str(f)) == f


def test_only_texts_are_parsed():
    with pytest.raises(ParameterError, match="'text' parameter"):
        BooleanFunction.parse(3)


@pytest.mark.parametrize(
    "name",
    ["\x1b[31mred", "\u202eevil", "a\nb\\x41", "\u2028", "\ud800", "\U000e0001", "\xa0", "é"],
)
def test_names_that_a_terminal_would_obey_are_written_as_escapes(name):
    function = BooleanFunction([[Literal(name, "=", name)]])
    assert str(function).isprintable()
    assert BooleanFunction.parse(str(function)) == function
