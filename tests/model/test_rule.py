"""Functions and lists: read, written, taken apart."""

import pytest
from hypothesis import given

from bayesdnf import BooleanFunction, RuleList
from bayesdnf.errors import ParseError
from bayesdnf.model.rule import as_rule, layers_of, one_line
from tests.boolean.worlds import any_functions, any_lists


@given(any_functions())
def test_a_function_on_one_line_is_read_again(function):
    assert as_rule(one_line(function)) == function


@given(any_lists())
def test_a_list_on_one_line_is_read_again(rules):
    assert as_rule(one_line(rules)) == rules
    assert layers_of(rules) == rules.layers[::-1]


def test_rules_pass_as_they_are():
    for rule in (BooleanFunction("a"), RuleList(["a", "b"])):
        assert as_rule(rule) is rule


def test_names_like_the_words_of_lists_are_names():
    assert as_rule("ifs OR elsewhere") == BooleanFunction([["ifs"], ["elsewhere"]])
    assert as_rule("else") == RuleList()
    with pytest.raises(ParseError):
        as_rule("if a")


def test_layers_of_functions():
    assert layers_of(BooleanFunction()) == ()
    assert layers_of(BooleanFunction("a OR b")) == (BooleanFunction("a OR b"),)
