import itertools
from enum import StrEnum

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesdnf.boolean import Literal, Relation
from bayesdnf.boolean.parsing import parse_literal
from bayesdnf.errors import ParameterError
from tests.boolean.worlds import ODD, any_literals, holds, literals_of

# Points that tell apart all literals below: the named values, what lies between, other texts.
NAMED = [0, 1, True, 2.5, "a", "b", "1"]
POINTS = [-1, 0, 0.5, 1, 2, 2.5, 3, "a", "b", "1", "True", "no such", "other"]
LITERALS = literals_of("x", NAMED[:4], numeric=True) + literals_of("x", NAMED[4:], numeric=False)


def relation_of_sets(a, b):
    of_a = {i for i, v in enumerate(POINTS) if holds(v, a)}
    of_b = {i for i, v in enumerate(POINTS) if holds(v, b)}
    if of_a == of_b:
        return Relation.EQUAL
    if of_a < of_b:
        return Relation.IMPLIES
    if of_b < of_a:
        return Relation.IMPLIED_BY
    return Relation.NONE if of_a & of_b else Relation.EXCLUDES


@pytest.mark.parametrize("a", dict.fromkeys(LITERALS), ids=str)
def test_relation_is_the_relation_of_the_sets_of_values(a):
    for b in LITERALS:
        assert a.relation(b) == relation_of_sets(a, b), (a, b)


def test_other_attributes_are_unrelated():
    assert Literal("x", "true").relation(Literal("y", "true")) == Relation.NONE


@given(any_literals())
def test_text_parses_back(literal):
    parsed = parse_literal(str(literal))
    assert parsed == literal
    assert isinstance(parsed.value, bool) == isinstance(literal.value, bool)
    assert str(parsed) == str(literal)


@given(any_literals(), any_literals())
def test_order_is_total_and_agrees_with_equality(a, b):
    assert (a < b) + (b < a) + (a == b) == 1


def test_natural_order_survives_thousands_of_digits():
    long = Literal("x" + "9" * 5000, "true")
    assert Literal("x2", "true") < Literal("x10", "true") < long


class _Level(StrEnum):
    F = "f"


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (np.float64(1.5), 1.5),
        (np.int64(3), 3),
        (np.bool_(True), True),
        (np.str_("a"), "a"),
        (_Level.F, "f"),
    ],
)
def test_values_become_plain_python(value, plain):
    literal = Literal("x", "=", value)
    assert type(literal.value) is type(plain)
    assert literal == Literal("x", "=", plain)
    assert parse_literal(str(literal)) == literal


@pytest.mark.parametrize("value", [10**400, float("nan"), float("inf"), None, [1], b"x"])
def test_values_that_mean_nothing_are_refused(value):
    with pytest.raises(ParameterError, match="'value' parameter of Literal"):
        Literal("x", "=", value)


@given(st.sampled_from(ODD))
def test_double_negation(name):
    literal = Literal(name, "false")
    assert ~~literal == literal


# Categories, whose order a literal does not know ------------------------------------------------

CATEGORIES = ["a", "b", "c"]
OF_TEXTS = [Literal("x", o, v) for o in ("=", "!=", ">=", "<") for v in CATEGORIES[:2]]


def values_in(order, literal):
    place, bound = order.index, order.index(literal.value)
    asked = {
        "=": lambda v: v == literal.value,
        "!=": lambda v: v != literal.value,
        ">=": lambda v: place(v) >= bound,
        "<": lambda v: place(v) < bound,
    }[literal.operator]
    return {v for v in order if asked(v)}


@pytest.mark.parametrize("a", OF_TEXTS, ids=str)
def test_relations_of_categories_hold_in_every_order(a):
    orders = [*itertools.permutations(["a", "b", "c", "d"])]
    for b in OF_TEXTS:
        pairs = [(values_in(order, a), values_in(order, b)) for order in orders]
        within = all(of_a <= of_b for of_a, of_b in pairs)
        around = all(of_a >= of_b for of_a, of_b in pairs)
        apart = all(not of_a & of_b for of_a, of_b in pairs)
        wanted = (
            Relation.EQUAL
            if within and around
            else Relation.IMPLIES
            if within
            else Relation.IMPLIED_BY
            if around
            else Relation.EXCLUDES
            if apart
            else Relation.NONE
        )
        assert a.relation(b) == wanted, (a, b)


def test_categories_and_other_values():
    above = Literal("x", ">=", "b")
    assert above.relation(Literal("x", "false")) == Relation.NONE  # b may be below "1"
    assert above.relation(Literal("x", "=", 3)) == Relation.EXCLUDES
    assert above.relation(Literal("x", "!=", 3)) == Relation.IMPLIES
    assert above.relation(Literal("x", ">=", 3)) != Relation.IMPLIES
    assert str(above) == "x >= b"
    assert parse_literal('x < "3"') == Literal("x", "<", "3") != Literal("x", "<", 3)
    with pytest.raises(ParameterError, match="'value' parameter of Literal must be a number or a"):
        Literal("x", ">=", True)
