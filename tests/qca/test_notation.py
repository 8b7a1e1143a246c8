"""A*~B + C, in and out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesdnf import BooleanFunction, Literal
from bayesdnf.errors import ParameterError, ParseError
from bayesdnf.qca import parse_qca, to_qca


@pytest.mark.parametrize(
    ("text", "function"),
    [
        ("A*~B + C", "A AND NOT B OR C"),
        ("A", "A"),
        ("~A", "NOT A"),
        ("~~A", "A"),
        (" A * B+C ", "A AND B OR C"),
        ("A{1}*B[0]", "A = 1 AND B = 0"),
        ("~A{1}", "A != 1"),
        ("odor{f} + ~odor{n}*x", "odor = f OR odor != n AND x"),
        ("odor = f * x", "odor = f AND x"),
        ("odor != f", "odor != f"),
        ('"cap colour"{"deep * red"}*B', '"cap colour" = "deep * red" AND B'),
        ("a*A", "a AND A"),
        ("FALSE", "FALSE"),
    ],
)
def test_reading(text, function):
    assert parse_qca(text) == BooleanFunction(function)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a condition such as A or ~A{1} at position 0, got the end of the text"),
        ("A*", "expected a condition such as A or ~A{1} at position 2"),
        ("+ A", "expected a condition such as A or ~A{1} at position 0"),
        ("A B", "expected a condition"),
        ("A ** B", "expected a condition such as A or ~A{1} at position 3"),
        ("A*(B + C)", "multiply them out"),
        ("~", "expected a condition"),
        ("A{", "expected a condition"),
        ("A >= 3 }", "expected a condition"),
        ('A*"b', "expected a condition"),
    ],
)
def test_what_is_not_the_notation(text, message):
    with pytest.raises(ParseError) as error:
        parse_qca(text)
    assert message in str(error.value)


def test_only_texts_are_read():
    with pytest.raises(ParameterError, match="'text' parameter of parse_qca must be a string"):
        parse_qca(3)


def test_writing_in_the_order_of_the_conditions():
    function = BooleanFunction("A AND NOT B AND C OR D = 2")
    assert to_qca(function) == "D{2} + A*~B*C"
    assert to_qca(function, ["C", "B"]) == "D{2} + C*~B*A"
    assert to_qca(BooleanFunction()) == "FALSE"


def test_thresholds_have_no_notation():
    with pytest.raises(ParameterError, match="age >= 45"):
        to_qca(BooleanFunction("age >= 45"))


names = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=6)
literals = st.one_of(
    st.builds(Literal, names, st.sampled_from(["true", "false"])),
    st.builds(Literal, names, st.sampled_from(["=", "!="]), st.integers(-5, 99) | names),
)


@given(st.lists(st.lists(literals, min_size=1, max_size=3), max_size=3))
def test_reading_is_the_inverse_of_writing(terms):
    function = BooleanFunction(terms)
    assert parse_qca(to_qca(function)) == function
