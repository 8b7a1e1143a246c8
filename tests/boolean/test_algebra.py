import itertools

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bayesdnf.boolean import BooleanFunction, Literal, Relation
from bayesdnf.errors import InputError, ParameterError, SizeLimitError
from tests.boolean.worlds import DictTable, holds, worlds

OPTIONS = [
    *[Literal("n", op, v) for op in ("=", "!=", ">=", "<") for v in (1, 2)],
    *[Literal("t", op, v) for op in ("=", "!=") for v in ("a", "b")],
    *[Literal("b", op) for op in ("true", "false")],
    Literal("b", "=", 1),
    Literal("b", "=", True),
]
# Values that tell apart every literal above; a number column holds numbers.
DOMAIN = {"n": [0, 1, 1.5, 2, 3], "t": ["a", "b", "c"], "b": [0, 1]}


def functions(min_size=0, max_size=4, options=OPTIONS):
    term = st.lists(st.sampled_from(options), min_size=1, max_size=3)
    return st.lists(term, min_size=min_size, max_size=max_size).map(BooleanFunction)


def everything(domain):
    rows = list(itertools.product(*domain.values()))
    columns = {name: [row[i] for row in rows] for i, name in enumerate(domain)}
    return DictTable(columns, len(rows))


COMPLETE = everything(DOMAIN)
WITH_MISSING = everything({name: [*values, None] for name, values in DOMAIN.items()})
MIXED = everything({name: [*values, None, "z", 7] for name, values in DOMAIN.items()})


# Absorption ---------------------------------------------------------------------------------


@pytest.mark.parametrize("block", [1, 1024])
@given(f=functions())
def test_absorb_marks_the_same_rows_and_leaves_nothing_redundant(f, block):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bayesdnf.boolean.algebra._BLOCK", block)
        small = f.absorb()
    assert (small(MIXED) == f(MIXED)).all()
    assert small.absorb() == small
    implied = (Relation.IMPLIES, Relation.EQUAL)
    for term in small.literal_terms:
        for a, b in itertools.permutations(term, 2):
            assert a.relation(b) == Relation.NONE
    for a, b in itertools.permutations(small.literal_terms, 2):
        assert not all(any(y.relation(x) in implied for y in b) for x in a)


@given(worlds())
def test_absorb_marks_the_same_rows_of_odd_tables(world):
    f, table = world
    assert (f.absorb()(table) == f(table)).all()


@pytest.mark.parametrize(
    ("text", "absorbed"),
    [
        ("a OR a AND b", "a"),
        ("age >= 45 OR age >= 50", "age >= 45"),
        ("age >= 45 AND age >= 50", "age >= 50"),
        ("odor = f AND odor != n", "odor = f"),
        ("odor != n OR odor = f AND b", "odor != n"),
        ("odor = f AND odor = n", "FALSE"),
        ("x AND NOT x OR y", "y"),
        ("x >= 3 AND x < 3", "FALSE"),
        ("x >= 3 AND x = abc", "FALSE"),
        ("x3 AND x3 = 1", "x3 = 1"),
        ("x3 OR x3 = 1", "x3"),
        ("x3 OR x3 = 'True'", "x3"),
        ("a AND b OR b AND c OR a AND c", "a AND b OR b AND c OR a AND c"),
    ],
)
def test_absorb_by_hand(text, absorbed):
    assert BooleanFunction(text).absorb() == BooleanFunction(absorbed)


def test_antichains_are_counted_by_dedekind():
    names = "abc"
    terms = [c for k in (1, 2, 3) for c in itertools.combinations(names, k)]
    sets = itertools.chain.from_iterable(
        itertools.combinations(terms, m) for m in range(len(terms) + 1)
    )
    antichains = {BooleanFunction(s).absorb() for s in sets}
    assert len(antichains) == 19
    for f in antichains:
        assert BooleanFunction.from_cnf(f.to_cnf()) == f


# Complement ---------------------------------------------------------------------------------


@given(functions(min_size=1))
def test_complement_negates_complete_rows(f):
    negation = f.complement()
    assert (negation(COMPLETE) == ~f(COMPLETE)).all()
    assert negation.absorb() == negation


@given(functions(min_size=1))
def test_complement_follows_three_valued_logic(f):
    """True where every term has a literal that is known to be false."""
    expected = [
        all(any(holds(row[x.attribute], ~x) for x in term) for term in f.literal_terms)
        for row in WITH_MISSING.rows()
    ]
    negation = f.complement()(WITH_MISSING)
    assert negation.tolist() == expected
    assert not (negation & f(WITH_MISSING)).any()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", "NOT a"),
        ("a AND b", "NOT a OR NOT b"),
        ("a OR b", "NOT a AND NOT b"),
        ("a OR NOT a", "FALSE"),
        ("a AND NOT a", "a OR NOT a"),
        ("age >= 45 OR age < 30", "age < 45 AND age >= 30"),
        ("odor = f OR odor = n", "odor != f AND odor != n"),
        ("odor != f OR odor = n", "odor = f"),
    ],
)
def test_complement_by_hand(text, expected):
    assert BooleanFunction(text).complement() == BooleanFunction(expected)


def test_the_null_function_has_no_complement():
    with pytest.raises(InputError, match="null function marks every row"):
        BooleanFunction().complement()


# Limits -------------------------------------------------------------------------------------


def pairs(n):
    return BooleanFunction([[f"a{i}", f"b{i}"] for i in range(n)])


@pytest.mark.slow
def test_limits_are_exact_and_clear():
    f = pairs(6)
    assert len(f.complement(limit=64)) == 64
    assert len(f.to_cnf(limit=64)) == 64
    for grow in (f.complement, f.to_cnf):
        with pytest.raises(SizeLimitError, match="limit of 63 terms"):
            grow(limit=63)
    with pytest.raises(SizeLimitError, match="limit of 10000"):
        pairs(40).complement()
    with pytest.raises(SizeLimitError, match="limit of 5"):
        BooleanFunction.from_cnf(f.literal_terms, limit=5)
    other = BooleanFunction([[f"c{i}"] for i in range(30)])
    with pytest.raises(SizeLimitError, match="combinations"):
        other.equivalent_to(BooleanFunction("c1"))


@pytest.mark.parametrize("limit", [0, -1, 2.5, True, "10", None])
def test_limits_must_be_whole_numbers(limit):
    f = BooleanFunction("a")
    for call in (f.complement, f.to_cnf, lambda limit: f.equivalent_to(f, limit=limit)):
        with pytest.raises(ParameterError, match="'limit' parameter"):
            call(limit=limit)


# DNF and CNF --------------------------------------------------------------------------------

VARIABLES = [Literal(name, "true") for name in "abcde"]


@given(functions(options=VARIABLES, max_size=5))
def test_cnf_is_the_same_function_with_minimal_clauses(f):
    clauses = f.to_cnf()
    for values in itertools.product([False, True], repeat=5):
        true = {x for x, v in zip(VARIABLES, values, strict=True) if v}
        dnf = any(true >= set(term) for term in f.literal_terms)
        assert all(true & set(clause) for clause in clauses) == dnf
    for a, b in itertools.permutations(clauses, 2):
        assert not set(a) <= set(b)
    assert all(list(clause) == sorted(clause) for clause in clauses)
    assert BooleanFunction.from_cnf(clauses) == f.absorb()


@given(functions())
def test_cnf_round_trip_of_related_literals(f):
    f = f.absorb()
    assert BooleanFunction.from_cnf(f.to_cnf()) == f


def test_cnf_at_the_edges():
    assert BooleanFunction().to_cnf() == ((),)
    assert BooleanFunction.from_cnf([[]]).is_null
    assert BooleanFunction.from_cnf([["a", "b"], []]).is_null
    with pytest.raises(ParameterError, match="at least one clause"):
        BooleanFunction.from_cnf([])
    with pytest.raises(ParameterError, match="Each clause must be a list"):
        BooleanFunction.from_cnf(["a"])


# Equivalence --------------------------------------------------------------------------------


@given(functions(), functions())
def test_equivalence_is_agreement_on_all_complete_rows(f, g):
    # `b` holds 0 and 1 only in DOMAIN; equivalence must also think of other values.
    table = everything({**DOMAIN, "b": [0, 1, 2, "1", "z"]})
    assert f.equivalent_to(g) == bool((f(table) == g(table)).all())


@given(functions(min_size=1))
def test_equivalent_rewritings_are_recognised(f):
    assert f.equivalent_to(f.absorb())
    negation = f.complement()
    if not negation.is_null:
        assert negation.complement().equivalent_to(f)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("a AND b OR NOT a AND b", "b", True),
        ("a AND b OR NOT a AND c OR b AND c", "a AND b OR NOT a AND c", True),
        ("x3", "x3 = 1", False),  # of texts "1" is one too
        ("x3", "x3 = true", False),
        ("NOT x3", "x3 != 1", False),
        ("x3 OR x3 = '1'", "x3", True),
        ("x3 AND x3 < 2", "x3 = 1", True),
        ("NOT x3", "x3 = 0", False),
        ("x = 1", "x = '1'", False),
        ("age >= 45 OR age < 45 AND z", "age >= 45 OR z", True),
        ("age >= 30 AND age < 45 OR age >= 45", "age >= 30", True),
        ("age >= 45", "age >= 45.5", False),
        ("age >= 9007199254740993", "age >= 9007199254740992", False),
        ("odor = f OR odor = n", "odor != x", False),
        ("odor = f OR odor != f", "x OR NOT x", True),
        ("x >= 3 OR x = abc", "x >= 3", False),
        ("a AND NOT a", "FALSE", True),
        ("a", "FALSE", False),
    ],
)
def test_equivalence_by_hand(one, other, same):
    one, other = BooleanFunction(one), BooleanFunction(other)
    assert one.equivalent_to(other) is same
    assert other.equivalent_to(one) is same


def test_equivalence_looks_past_the_first_block_of_rows():
    names = [f"x{i}" for i in range(17)]
    f = BooleanFunction([names])
    assert not f.equivalent_to(BooleanFunction())
    rest = [[*names[1:], "NOT x0"]]
    assert (f | BooleanFunction(rest)).equivalent_to(BooleanFunction([names[1:]]))


def test_equivalence_wants_a_function():
    with pytest.raises(ParameterError, match="'other' parameter"):
        BooleanFunction("a").equivalent_to("a")


def test_marks_are_new_arrays():
    column = np.array([True, False])

    class Fixed:
        n_rows = 2

        def truth(self, literal):
            return column

    BooleanFunction("a OR b")(Fixed())[:] = False
    assert column.tolist() == [True, False]


class InOrder:
    """A column of categories in a given order, as a Table."""

    def __init__(self, order):
        self.order, self.n_rows = order, len(order)

    def truth(self, literal):
        bound = self.order.index(literal.value)
        asked = {"=": "__eq__", "!=": "__ne__", ">=": "__ge__", "<": "__lt__"}[literal.operator]
        return np.array([getattr(i, asked)(bound) for i in range(len(self.order))])


ABOUT_CATEGORIES = [
    Literal("x", operator, value) for operator in ("=", "!=", ">=", "<") for value in "ab"
]


@given(
    st.lists(st.lists(st.sampled_from(ABOUT_CATEGORIES), min_size=1, max_size=3), max_size=3),
    st.lists(st.lists(st.sampled_from(ABOUT_CATEGORIES), min_size=1, max_size=3), max_size=3),
)
@example(
    [[Literal("x", "=", "a")], [Literal("x", "!=", "a")]],
    [[Literal("x", ">=", "b")], [Literal("x", "<", "b")]],
)
def test_functions_of_categories_are_equivalent_when_they_are_in_every_order(one, other):
    f, g = BooleanFunction(one), BooleanFunction(other)
    tables = [InOrder("".join(order)) for order in itertools.permutations("abcde")]
    alike = all((f(table) == g(table)).all() for table in tables)
    assert f.equivalent_to(g) == alike
    for table in tables[::17]:
        assert (f.absorb()(table) == f(table)).all()


def test_too_many_categories_to_compare_are_refused():
    many = BooleanFunction([[Literal("x", ">=", f"c{i:02}")] for i in range(13)])
    with pytest.raises(SizeLimitError, match="13 categories of one column, whose order is not"):
        many.equivalent_to(BooleanFunction("x >= c01"))
