"""Literals and values in words."""

import pytest

from bayesdnf import BooleanFunction, Literal
from bayesdnf.report.words import literal_words, value_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("odor = f", "odor is f"),
        ("odor != f", "odor is not f"),
        ("age >= 45", "age is 45 or more"),
        ("age < 45.5", "age is below 45.5"),
        ("x3", "x3 is 1"),
        ("NOT x3", "x3 is not 1"),
        ("rs1_A dominant", "at least one copy of rs1_A"),
        ("rs1_A recessive", "two copies of rs1_A"),
        ("rs1_A heterozygous", "exactly one copy of rs1_A"),
        ("NOT rs1_A dominant", "no copy of rs1_A"),
        ("NOT rs1_A recessive", "at most one copy of rs1_A"),
        ("NOT rs1_A heterozygous", "no copy or two of rs1_A"),
    ],
)
def test_every_operator_has_words(text, words):
    assert literal_words(BooleanFunction(text).literals[0]) == words


def test_texts_that_cannot_be_seen_are_put_in_quotation_marks():
    assert value_words("") == "“”"
    assert value_words(" f") == "“ f”"
    assert value_words("f") == "f"
    assert value_words(2.0) == value_words(2) == "2"
    assert literal_words(Literal("odor", "=", "")) == "odor is “”"
