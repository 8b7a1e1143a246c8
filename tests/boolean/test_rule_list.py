import copy
import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesdnf.boolean import BooleanFunction, Literal, RuleList, renumbered_parts, same_partition
from bayesdnf.errors import BayesDNFError, InputError, ParameterError, SizeLimitError
from tests.boolean.worlds import DictTable, any_lists, holds, list_worlds

ODOR = BooleanFunction("odor = f OR bruises = t AND gill-size = n")
AGE = BooleanFunction("age >= 45")


def test_shape_of_a_list():
    rules = RuleList([ODOR, "age >= 45"])
    assert rules.layers == tuple(rules) == (ODOR, AGE)
    assert (len(rules), rules.n_terms, rules.n_literals) == (2, 3, 4)
    assert [str(x) for x in rules.literals] == [
        "age >= 45",
        "bruises = t",
        "gill-size = n",
        "odor = f",
    ]
    assert rules.attributes == ("age", "bruises", "gill-size", "odor")
    assert not rules.is_null
    assert repr(rules) == (
        "RuleList(['(odor = f) OR (bruises = t AND gill-size = n)', '(age >= 45)'])"
    )


def test_the_null_list():
    null = RuleList([])
    assert (len(null), null.n_terms, null.n_literals, null.is_null) == (0, 0, 0, True)
    assert null.literals == null.attributes == null.layers == ()
    assert null == RuleList() == RuleList.parse("else") == RuleList(iter(()))
    assert (str(null), repr(null)) == ("else part 0", "RuleList([])")
    assert bool(null)
    assert null(DictTable({}, 3)).tolist() == [0, 0, 0]


def test_equality_is_of_layers_in_their_order():
    rules = RuleList(["a AND b OR c", "d"])
    assert rules == RuleList([BooleanFunction([["c"], ["b", "a", "a"]]), "d"])
    assert hash(rules) == hash(RuleList(["c OR b AND a", "d"]))
    assert rules != RuleList(["d", "a AND b OR c"])
    assert rules != RuleList(["a AND b OR c"])
    assert RuleList(["x = 1"]) != RuleList(["x = true"])
    assert RuleList([AGE]) != AGE
    assert RuleList([AGE]).layers[0] == AGE
    assert RuleList(rules) == rules


def test_lists_cannot_be_changed():
    rules = RuleList(["a"])
    with pytest.raises(AttributeError):
        rules.layers = ()
    with pytest.raises((AttributeError, TypeError)):
        rules.other = 1


@given(any_lists())
def test_copies_and_texts_are_the_same_list(rules):
    assert eval(repr(rules), {"RuleList": RuleList}) == rules
    assert pickle.loads(pickle.dumps(rules)) == rules
    assert copy.deepcopy(rules) == rules


@pytest.mark.parametrize(
    ("layers", "message"),
    [
        (["a", BooleanFunction()], r"at least one term\. Got the null function as layers\[1\]"),
        (["FALSE"], r"at least one term\. Got the null function as layers\[0\]; leave it out"),
        ([3], "Each layer must be a BooleanFunction or its text.* Got 3 instead"),
        ([["a", "b"]], r"Each layer must be a BooleanFunction or its text.* Got \['a', 'b'\]"),
        (["a AND"], "expected a literal such as odor = f at position 5"),
        (AGE, "'layers' parameter of RuleList must be a list of Boolean functions"),
        (None, "'layers' parameter of RuleList must be a list of Boolean functions"),
        ("age >= 45", "expected if or else at position 0"),
    ],
)
def test_bad_layers_are_named(layers, message):
    with pytest.raises(InputError, match=message):
        RuleList(layers)


# Parts of rows --------------------------------------------------------------------------------


@pytest.mark.slow
@given(list_worlds())
def test_a_row_belongs_to_its_highest_layer(world):
    rules, _, table = world
    expected = []
    for row in table.rows():
        held = [
            len(rules) - i
            for i, layer in enumerate(rules)
            if any(all(holds(row[x.attribute], x) for x in term) for term in layer.literal_terms)
        ]
        expected.append(max(held, default=0))
    parts = rules(table)
    assert parts.dtype == np.intp
    assert parts.tolist() == expected
    assert len(table.asked) == len(set(table.asked))


@given(list_worlds())
def test_a_list_of_one_layer_parts_rows_as_its_function_marks_them(world):
    rules, _, table = world
    for layer in rules:
        assert (RuleList([layer])(table) == layer(table)).all()


def test_the_first_layer_that_holds_wins():
    table = DictTable({"a": [1, 1, 0, 0, None], "b": [1, 0, 1, 0, 1]}, 5)
    assert RuleList(["a", "b"])(table).tolist() == [2, 2, 1, 0, 1]
    assert RuleList(["b", "a"])(table).tolist() == [2, 1, 2, 0, 2]
    assert RuleList(["a AND b", "a OR b", "NOT a"])(table).tolist() == [3, 2, 2, 1, 2]
    assert RuleList(["NOT a", "a"])(table).tolist() == [1, 1, 2, 2, 0]


def test_lists_are_called_on_what_functions_are_called_on():
    columns = {"odor": ["f", "n", None], "age": [20, 50, 60]}
    assert RuleList(["odor = f", "age >= 45"])(columns).tolist() == [2, 1, 1]
    assert RuleList(["x1"])(np.array([[0, 1], [1, 0]])).tolist() == [1, 0]
    with pytest.raises(BayesDNFError, match="height"):
        RuleList(["height >= 2"])(columns)


# Equivalence ----------------------------------------------------------------------------------

OPTIONS = [
    *[Literal("n", op, v) for op in ("=", "!=", ">=", "<") for v in (1, 2)],
    *[Literal("t", op, v) for op in ("=", "!=") for v in ("a", "b")],
    *[Literal("b", op) for op in ("true", "false")],
]
DOMAIN = {"n": [0, 1, 1.5, 2, 3], "t": ["a", "b", "c"], "b": [0, 1, 2]}
ROWS = list(itertools.product(*DOMAIN.values()))
COMPLETE = DictTable({name: [row[i] for row in ROWS] for i, name in enumerate(DOMAIN)}, len(ROWS))


def small_lists():
    term = st.lists(st.sampled_from(OPTIONS), min_size=1, max_size=2)
    layer = st.lists(term, min_size=1, max_size=2).map(BooleanFunction)
    return st.lists(layer, max_size=3).map(RuleList)


def matched(one, other):
    """Whether some renumbering turns one vector of parts into the other."""
    numbers = sorted({*one, *other})
    return any(
        [dict(zip(numbers, order, strict=True))[part] for part in one] == other
        for order in itertools.permutations(numbers)
    )


@given(small_lists(), small_lists())
def test_equivalence_is_agreement_on_all_complete_rows(one, other):
    parts = [rules(COMPLETE).tolist() for rules in (one, other)]
    assert one.equivalent_to(other) == (parts[0] == parts[1])
    assert one.equivalent_to(other, up_to_order=True) == matched(*parts)


@given(small_lists(), st.randoms())
def test_layers_in_another_order(rules, random):
    layers = list(rules)
    random.shuffle(layers)
    other = RuleList(layers)
    parts = [x(COMPLETE).tolist() for x in (rules, other)]
    assert rules.equivalent_to(other) == (parts[0] == parts[1])
    assert rules.equivalent_to(other, up_to_order=True) == matched(*parts)


@pytest.mark.parametrize(
    ("one", "other", "same", "up_to_order"),
    [
        (["a", "b"], ["a", "a OR b"], True, True),
        (["a", "b"], ["a", "b AND NOT a"], True, True),
        (["a", "b"], ["b", "a"], False, False),
        (["odor = f", "odor = n"], ["odor = n", "odor = f"], False, True),
        (["age >= 60", "age >= 40"], ["age < 40", "age < 60"], False, True),
        (["a"], ["NOT a"], False, True),
        (["a", "b"], ["a OR b"], False, False),
        (["a AND NOT a", "b"], ["b"], True, True),
        (["b", "a AND NOT a"], ["b"], False, True),
        (["a OR NOT a"], [], False, True),
        (["a AND NOT a"], [], True, True),
        ([], [], True, True),
        ([], ["a"], False, False),
    ],
)
def test_equivalence_by_hand(one, other, same, up_to_order):
    one, other = RuleList(one), RuleList(other)
    for a, b in ((one, other), (other, one)):
        assert a.equivalent_to(b) is same
        assert a.equivalent_to(b, up_to_order=True) is up_to_order


def test_equivalence_looks_past_the_first_block_of_rows():
    names = [f"x{i}" for i in range(17)]
    rules = RuleList([BooleanFunction([names]), "x0"])
    assert not rules.equivalent_to(RuleList(["x0"]), up_to_order=True)
    assert rules.equivalent_to(RuleList([BooleanFunction([names]), "x0 OR x0 AND x1"]))
    with pytest.raises(SizeLimitError, match="131072 combinations of values, past the limit of 9"):
        rules.equivalent_to(RuleList(["x0"]), limit=9)


def test_equivalence_wants_a_list():
    with pytest.raises(ParameterError, match=r"'other' parameter of equivalent_to.* a RuleList"):
        RuleList(["a"]).equivalent_to(BooleanFunction("a"))


# Partitions -----------------------------------------------------------------------------------

PARTS = st.lists(st.integers(0, 3), max_size=7)


@given(PARTS.flatmap(lambda one: st.tuples(st.just(one), st.permutations(one) | PARTS)))
def test_same_partition_against_all_renumberings(pair):
    one, other = map(list, pair)
    expected = len(one) == len(other) and matched(one, other)
    assert same_partition(np.array(one, int), np.array(other, int)) is expected


def test_parts_are_renumbered_by_first_appearance():
    assert renumbered_parts([3, 0, 3, 2, 0]).tolist() == [0, 1, 0, 2, 1]
    assert renumbered_parts(np.zeros(0, dtype=int)).shape == (0,)
    one, other = (
        RuleList(x)(DictTable({"a": [1, 0, 0], "b": [0, 1, 0]}, 3))
        for x in (["a", "b"], ["b", "a"])
    )
    assert one.tolist() != other.tolist()
    assert same_partition(one, other)


# Notebooks ------------------------------------------------------------------------------------


def test_html_is_escaped_and_names_the_parts():
    text = RuleList(
        [BooleanFunction([[Literal("<script>", "=", "a&b")], ["x"]]), "y"]
    )._repr_html_()
    assert "<script>" not in text
    assert "&lt;script&gt;" in text
    assert "a&amp;b" in text
    assert [text.index(part) for part in ("part 2", "part 1", "part 0")] == sorted(
        text.index(part) for part in ("part 2", "part 1", "part 0")
    )
    assert text.count("<tr") == 3
    assert "else" in RuleList()._repr_html_()
