"""Which functions are allowed: the core against the twin, and the reasons people read."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesdnf import BitMatrix, BooleanFunction, LiteralEncoder, Prior, Support, _native
from bayesdnf.data.canonical import canonical
from tests import reference
from tests.model.literal_worlds import OFFERS, LiteralWorld, literal_worlds, terms_of

RULES = st.fixed_dictionaries(
    {
        "antichain": st.booleans(),
        "related": st.booleans(),
        "disjoint": st.booleans(),
        "min_cover": st.integers(0, 4),
        "max_terms": st.none() | st.integers(0, 3),
        "max_literals": st.none() | st.integers(1, 6),
    }
)


def support_of(world, prior=None):
    return Support(canonical(world.bits(), world.y, world.weights), prior or Prior())


@given(world=literal_worlds(), rules=RULES, data=st.data())
def test_allowed(world, rules, data):
    terms = data.draw(terms_of(world))
    support = support_of(world, Prior(**rules))
    expected = reference.is_allowed(terms, world.counted(), world.counted_weights(), **rules)
    function = BooleanFunction(terms)
    assert support.allowed(function) == expected
    assert (support.reason(function) is None) == expected


@given(world=literal_worlds(), data=st.data(), disjoint=st.booleans(), related=st.booleans())
def test_addable(world, data, disjoint, related):
    """A literal may be added when the longer term breaks no rule of its own or of its rest."""
    terms = data.draw(terms_of(world, max_terms=3))
    term, rest = (terms[0], terms[1:]) if terms else (frozenset(), [])
    most = data.draw(st.none() | st.integers(1, 6))
    prior = Prior(disjoint=disjoint, related=related, max_literals=most)
    columns = world.counted()
    expected = []
    for literal in world.literals:
        grown = [x for x in term if x != literal]
        fits = literal not in term
        fits &= related or not any(reference.are_related(literal, x, columns) for x in grown)
        taken = {name for other in rest for name in reference.attributes(other, columns)}
        fits &= not (disjoint and reference.attributes([literal], columns) & taken)
        fits &= most is None or len(term) + sum(map(len, rest)) < most
        expected.append(fits)
    found = support_of(world, prior).addable(term, BooleanFunction(rest))
    assert found.tolist() == expected


@pytest.mark.parametrize("seed", [0, 1])
def test_relations_of_all_pairs(seed):
    world = LiteralWorld(seed, 300, OFFERS, 0.1, weighted=False)
    native = support_of(world).native
    columns = world.counted()
    for (i, a), (j, b) in itertools.product(enumerate(OFFERS), repeat=2):
        assert native.implies(i, j) == reference.implies(a, b, columns), (a, b)
        assert native.excludes(i, j) == reference.excludes(a, b, columns), (a, b)


@pytest.fixture(scope="module")
def bits():
    table = {
        "colour": ["r", "g", "b", "r", "g", "b", "r", "b"],
        "age": [10, 20, 30, 40, 50, 60, 70, 80],
        "x0": [1, 0, 1, 0, 1, 0, 1, 0],
        "x1": [1, 0, 1, 0, 1, 0, 1, 0],
        "x2": [0, 0, 0, 1, 1, 1, 1, 1],
    }
    return LiteralEncoder(negations=True).fit_encode(table)


@pytest.mark.parametrize(
    ("rules", "function", "reason"),
    [
        ({}, "x0 OR x2", None),
        ({}, "FALSE", None),
        ({}, "x0 OR x0 AND x2", "the term 'x0 AND x2' is implied by another term"),
        ({}, "x0 OR x1", "the term 'x0' is implied by another term"),  # equal columns
        ({}, "colour = r OR colour != g", "the term 'colour = r' is implied by another term"),
        (
            {},
            "colour = r AND colour != g",
            "the term 'colour = r AND colour != g' holds literals that imply or exclude one "
            "another",
        ),
        ({}, "x0 AND NOT x0", "the term 'x0 AND NOT x0' holds literals that imply or exclude"),
        ({}, "x0 AND x1", "the term 'x0 AND x1' holds literals that imply or exclude one another"),
        ({}, "x2 AND NOT x0 AND colour = r OR x0", None),
        (
            {"min_cover": 2},
            "x2 AND NOT x0 AND colour = r",
            "the term 'colour = r AND NOT x0 AND x2' holds on 1 rows and min_cover is 2",
        ),
        ({"max_terms": 1}, "x0 OR x2", "it has 2 terms and max_terms is 1"),
        ({"max_literals": 2}, "x0 AND x2 OR NOT x0", "it has 3 literals and max_literals is 2"),
        (
            {"disjoint": True},
            "colour = r AND x0 OR colour = g AND x2",
            "it uses an attribute in two terms and disjoint is True",
        ),
        ({"antichain": False}, "x0 OR x0 AND x2", None),
        ({"related": True, "min_cover": 0}, "x0 AND NOT x0", None),
    ],
)
def test_reasons(bits, rules, function, reason):
    found = Support(bits, Prior(**rules)).reason(BooleanFunction(function))
    if reason is None:
        assert found is None
    else:
        assert found is not None
        assert found.startswith(reason)


def test_cover_is_of_weighted_rows():
    X = BitMatrix.from_table(np.array([[1, 0], [1, 1], [0, 1], [0, 0]]))
    y = np.array([True, False, True, False])
    for weights, allowed in (([1, 1, 1, 1], False), ([4, 0, 1, 1], True), ([2, 2, 1, 1], True)):
        support = Support(canonical(X, y, np.array(weights)), Prior(min_cover=3))
        assert support.allowed(BooleanFunction("x0")) is allowed


def test_impossible_questions():
    native = support_of(LiteralWorld(0, 9, OFFERS[:4], 0, weighted=False)).native
    for wrong in (-1, 4, 2**31 - 1):
        for ask in (
            lambda: native.implies(0, wrong),  # noqa: B023
            lambda: native.excludes(wrong, 0),  # noqa: B023
            lambda: native.addable([wrong], []),  # noqa: B023
            lambda: native.addable([0], [[1], [wrong]]),  # noqa: B023
            lambda: native.check([[wrong]], [1], [1], 0),  # noqa: B023
        ):
            with pytest.raises(ValueError, match="outside the literal table"):
                ask()
    with pytest.raises(ValueError, match="one cover per term"):
        native.check([[0]], [1], [], 0)
    four = np.zeros(4, dtype=np.int32)
    for change in ({"attribute": four - 1}, {"equal": four + 4}, {"op": np.full(4, 4, np.uint8)}):
        meaning = {"attribute": four, "rank": four, "op": four.astype(np.uint8), "equal": four}
        with pytest.raises(ValueError, match="out of range"):
            _native.Support(*{**meaning, **change}.values(), True, False, False, 1, None, None)
