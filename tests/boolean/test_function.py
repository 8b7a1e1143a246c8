import copy
import pickle

import numpy as np
import pytest
from hypothesis import given

from bayesdnf.boolean import BooleanFunction, Literal
from bayesdnf.errors import BayesDNFError, InputError, ParameterError
from tests.boolean.worlds import DictTable, any_functions, holds, worlds


def test_shape_of_a_function():
    f = BooleanFunction(
        [["odor = f"], ["gill-size = n", Literal("bruises", "=", "t")], ["odor = f", "odor = f"]]
    )
    assert f.terms == (("odor = f",), ("bruises = t", "gill-size = n"))
    assert f.literal_terms[0] == (Literal("odor", "=", "f"),)
    assert [str(x) for x in f.literals] == ["bruises = t", "gill-size = n", "odor = f"]
    assert f.attributes == ("bruises", "gill-size", "odor")
    assert (len(f), f.n_literals, f.is_null) == (2, 3, False)
    assert str(f) == f.to_text() == "(odor = f) OR (bruises = t AND gill-size = n)"
    assert repr(f) == "BooleanFunction('(odor = f) OR (bruises = t AND gill-size = n)')"


def test_the_null_function():
    null = BooleanFunction([])
    assert (len(null), null.n_literals, null.is_null, null.terms) == (0, 0, True, ())
    assert str(null) == "FALSE"
    assert null == BooleanFunction() == BooleanFunction.parse("false")
    assert bool(null)
    assert not null(DictTable({}, 3)).any()
    assert null(DictTable({}, 3)).shape == (3,)


def test_equality_is_of_sets_of_terms():
    f = BooleanFunction([["a", "b"], ["c"]])
    assert f == BooleanFunction([["c"], ["b", "a", "a"], ["c"]])
    assert hash(f) == hash(BooleanFunction([["c"], ["b", "a"]]))
    assert f != BooleanFunction([["a", "b"]])
    assert BooleanFunction([["x = 1"]]) != BooleanFunction([["x = true"]])
    assert f != "(c) OR (a AND b)"
    assert BooleanFunction("x") | BooleanFunction("y OR x") == BooleanFunction("x OR y")


def test_functions_cannot_be_changed():
    f = BooleanFunction("a")
    with pytest.raises(AttributeError):
        f.literal_terms = ()
    with pytest.raises((AttributeError, TypeError)):
        f.other = 1


@given(any_functions())
def test_copies_and_texts_are_the_same_function(f):
    assert eval(repr(f), {"BooleanFunction": BooleanFunction}) == f
    assert BooleanFunction(f.terms) == f
    assert pickle.loads(pickle.dumps(f)) == f
    assert copy.deepcopy(f) == f


@pytest.mark.parametrize(
    ("terms", "message"),
    [
        ([[]], "A term must hold at least one literal"),
        ([["a"], []], "A term must hold at least one literal"),
        (["odor = f"], "Each term must be a list of literals"),
        ([Literal("a", "true")], "Each term must be a list of literals"),
        (3, r"is made of a text or a list of terms, such as .* Got 3 instead"),
        ([3], "Each term must be a list of literals"),
        ([[3]], "A literal must be a Literal or its text"),
        ([["a AND b"]], "end of the literal"),
        ([["(a OR b)"]], "one literal"),
    ],
)
def test_bad_terms_are_named(terms, message):
    with pytest.raises(InputError, match=message):
        BooleanFunction(terms)


def test_html_is_escaped():
    text = BooleanFunction([[Literal("<script>", "=", "a&b")], ["x"]])._repr_html_()
    assert "<script>" not in text
    assert "&lt;script&gt;" in text
    assert "a&amp;b" in text


@pytest.mark.slow
@given(worlds())
def test_marks_the_rows_on_which_some_term_holds(world):
    f, table = world
    expected = [
        any(all(holds(row[x.attribute], x) for x in term) for term in f.literal_terms)
        for row in table.rows()
    ]
    marked = f(table)
    assert marked.dtype == bool
    assert marked.tolist() == expected
    assert len(table.asked) == len(set(table.asked))


def test_calling_on_something_else_is_an_error_of_ours(monkeypatch):
    monkeypatch.setattr("bayesdnf.table_reader._readers", [])
    with pytest.raises(BayesDNFError, match="list"):
        BooleanFunction("a")([1, 2])


# The perfect discriminator ------------------------------------------------------------------


def bits(matrix):
    matrix = np.asarray(matrix, dtype=bool)
    columns = {f"x{j}": [int(v) for v in column] for j, column in enumerate(matrix.T)}
    return DictTable(columns, len(matrix)), list(columns)


def contradictions(matrix, positive):
    return {
        (i, j)
        for i in np.flatnonzero(positive)
        for j in np.flatnonzero(~positive)
        if not (matrix[i] & ~matrix[j]).any()
    }


@pytest.mark.parametrize("block", [2, 1024])
@pytest.mark.parametrize("seed", range(30))
def test_discriminator_marks_exactly_the_positive_rows(seed, block, monkeypatch):
    monkeypatch.setattr("bayesdnf.boolean.algebra._BLOCK", block)
    rng = np.random.default_rng(seed)
    matrix = rng.random((rng.integers(1, 14), rng.integers(1, 12))) < 0.5
    positive = rng.random(len(matrix)) < 0.4
    table, names = bits(matrix)
    pairs = contradictions(matrix, positive)
    if pairs:
        with pytest.raises(BayesDNFError) as error:
            BooleanFunction.discriminator(table, positive, names)
        assert any(f"Row {i} is positive and row {j} is not" in str(error.value) for i, j in pairs)
    elif positive.any() and not matrix[positive].any(axis=1).all():
        with pytest.raises(BayesDNFError, match="satisfies none"):
            BooleanFunction.discriminator(table, positive, names)
    else:
        f = BooleanFunction.discriminator(table, positive, names)
        assert f(table).tolist() == positive.tolist()
        assert f.absorb() == f
        rows = {frozenset(np.flatnonzero(row)) for row in matrix[positive]}
        minimal = {r for r in rows if not any(other < r for other in rows)}
        assert f == BooleanFunction([[f"x{j}" for j in r] for r in minimal])


def test_discriminator_drops_what_other_literals_imply():
    table = DictTable({"odor": ["f", "n", None], "age": [50, 50, 20]}, 3)
    offered = ["odor = f", "odor = n", "odor != f", "odor != n", "age >= 45", "age >= 30"]
    f = BooleanFunction.discriminator(table, [True, False, False], offered)
    assert str(f) == "(age >= 45 AND odor = f)"


def test_discriminator_at_the_edges():
    table, names = bits([[0, 0], [1, 1]])
    none = np.zeros(2, dtype=bool)
    assert BooleanFunction.discriminator(table, none, names).is_null
    empty, _ = bits(np.zeros((0, 2)))
    assert BooleanFunction.discriminator(empty, np.zeros(0, dtype=bool), names).is_null
    with pytest.raises(BayesDNFError, match="Row 0 is positive and row 1 is not"):
        BooleanFunction.discriminator(table, np.array([True, False]), names)
    with pytest.raises(BayesDNFError, match="Row 0 is positive but satisfies none of the 2"):
        BooleanFunction.discriminator(table, ~none, names)
    with pytest.raises(BayesDNFError, match="Row 1 is positive and row 0 is not"):
        BooleanFunction.discriminator(table, np.array([False, True]), [])


@pytest.mark.parametrize("positive", [[1, 0], [True], [[True, False]], ["a", "b"]])
def test_discriminator_wants_one_bool_a_row(positive):
    table, names = bits([[0, 0], [1, 1]])
    with pytest.raises(ParameterError, match="boolean array with one entry for each of the 2 rows"):
        BooleanFunction.discriminator(table, positive, names)
