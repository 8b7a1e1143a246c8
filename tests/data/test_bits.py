"""BitMatrix: the same bits from every kind of table, whole or in pieces, at its promised size."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from bayesdnf import BitMatrix, Literal
from bayesdnf.data.canonical import canonical
from bayesdnf.errors import InputError, UnknownColumnError
from tests import reference
from tests.data.flag_tables import check, least_peak, random_table, tables


def same(a, b):
    assert a.names == b.names
    assert a.segments == b.segments
    np.testing.assert_array_equal(a.planes, b.planes)
    np.testing.assert_array_equal(a.table.valid, b.table.valid)


@given(X=tables)
def test_truth_of_every_literal(X):
    bits = BitMatrix.from_table(X)
    check(bits, X)
    for plane, column in zip(bits.planes, X.T, strict=False):
        np.testing.assert_array_equal(plane, reference.pack(column == 1, len(plane)))


FORMS = {
    "uint8": lambda X: X.astype(np.uint8),
    "bool": lambda X: X.astype(bool),
    "float32": lambda X: X.astype(np.float32),
    "object": lambda X: X.astype(int).astype(object),
    "columns first": np.asfortranarray,
    "every second": lambda X: np.repeat(X, 2, axis=0)[::2],
    "lists": lambda X: X.astype(int).tolist(),
    "pandas": pd.DataFrame,
    "pandas bool": lambda X: pd.DataFrame(X.astype(bool)),
    "pandas Int64": lambda X: pd.DataFrame(X.astype(int)).astype("Int64"),
    "pandas boolean": lambda X: pd.DataFrame(X.astype(bool)).astype("boolean"),
    "polars": pl.DataFrame,
    "polars bool": lambda X: pl.DataFrame(X.astype(bool)),
    "csr matrix": lambda X: scipy.sparse.csr_matrix(X.astype(np.int8)),
    "csc array": lambda X: scipy.sparse.csc_array(X),
    "coo array of bools": lambda X: scipy.sparse.coo_array(X.astype(bool)),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("shape", [(1, 1), (65, 3), (200, 130)])
def test_every_kind_of_table(form, shape):
    X = random_table(3, *shape)
    names = [f"c{j}" for j in range(shape[1])]
    same(BitMatrix.from_table(FORMS[form](X), names), BitMatrix.from_table(X, names))


MISSING_FORMS = {
    "object None": lambda X: np.where(np.isnan(X), None, X),
    "masked": lambda X: np.ma.masked_array(np.nan_to_num(X, nan=1).astype(int), np.isnan(X)),
    "pandas": pd.DataFrame,
    "pandas Int64": lambda X: pd.DataFrame(X).astype("Int64"),
    "pandas boolean": lambda X: pd.DataFrame(X).astype("boolean"),
    "polars nulls": lambda X: pl.DataFrame(X).fill_nan(None),
    "polars Int8 nulls": lambda X: pl.DataFrame(X).fill_nan(None).cast(pl.Int8),
    "polars Boolean nulls": lambda X: pl.DataFrame(X).fill_nan(None).cast(pl.Boolean),
    "csr": scipy.sparse.csr_array,
}


@pytest.mark.parametrize("form", MISSING_FORMS)
def test_every_kind_of_missing_value(form):
    X = random_table(4, 70, 6, share_missing=0.4)
    names = [f"c{j}" for j in range(6)]
    same(BitMatrix.from_table(MISSING_FORMS[form](X), names), BitMatrix.from_table(X, names))


def test_columns_of_different_types():
    frame = pd.DataFrame(
        {"a": [True, False, True], "b": [1, 0, 0], "c": [0.0, np.nan, 1.0], "d": [1, None, 0]}
    ).astype({"d": "Int8"})
    bits = BitMatrix.from_table(frame)
    assert bits.names == ["a", "b", "c", "d"]
    check(bits, frame.astype(float).to_numpy(), bits.names)
    renamed = BitMatrix.from_table(frame, names=pd.Index(["w", "x", "y", "z"]))
    assert renamed.names == ["w", "x", "y", "z"]


def test_blocks_of_a_large_table():
    """Past 65,536 rows and 128 columns the table is read in several blocks."""
    X = random_table(5, 70_001, 130)
    X[69_000, 1] = X[5, 129] = np.nan
    bits = BitMatrix.from_table(X)
    for j in (0, 1, 127, 128, 129):
        np.testing.assert_array_equal(bits.truth(Literal(f"x{j}", "true")), X[:, j] == 1)
        np.testing.assert_array_equal(bits.truth(Literal(f"x{j}", "false")), X[:, j] == 0)


@pytest.mark.slow
def test_missing_values_cost_their_planes_and_no_copy():
    n, p = 4096, 8000
    X = np.zeros((n, p), dtype=np.float32)
    X[7, ::2] = np.nan
    packed = n * (p + p // 2) / 8
    bits, peak = least_peak(lambda: BitMatrix.from_table(X))
    assert packed <= bits.nbytes <= 1.05 * packed
    # Beside the planes: some unpacked blocks of 128 columns, and the names.
    assert peak < 1.05 * packed + 8 * 128 * n + 200 * p


# Errors ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.zeros((0, 3)), "X has no rows; at least one is needed."),
        (np.zeros((3, 0)), "X has no columns; at least one is needed."),
        (pd.DataFrame({"a": []}), "X has no rows"),
        (pd.DataFrame(index=[1, 2]), "X has no columns"),
        (np.array([[0, 1], [0, 2]]), "Column 'x1' holds 2 in row 1; a BitMatrix packs 0, 1 and"),
        (np.array([[0, 0.5]]), "Column 'x1' holds 0.5 in row 0"),
        (np.array([[0, np.inf]]), "Column 'x1' holds inf in row 0"),
        (np.array([[0, -1]]), "Column 'x1' holds -1 in row 0"),
        (np.array([["1", "0"]]), "Column 'x0' holds '1' in row 0"),
        (np.array([["a", "b"]]), "Encode other columns with LiteralEncoder."),
        (pd.DataFrame({"a": [0, 1], "b": [1, "yes"]}), "Column 'b' holds 'yes' in row 1"),
        (pl.DataFrame({"a": ["f", "n"]}), "Column 'a' holds 'f' in row 0"),
        (np.array([0, 1]), "X must be a table with two dimensions. Got an array with 1 instead."),
        (np.zeros((2, 2, 2)), "Got an array with 3 instead."),
        (np.array(1), "Got an array with 0 instead."),
        (pd.DataFrame([[0, 1]], columns=["a", "a"]), "Column name 'a' appears twice"),
        (pd.DataFrame([[0, 1]], columns=[1, "1"]), "Column name '1' appears twice"),
        (scipy.sparse.csr_array(np.array([[0, 7]])), "Column 'x1' holds 7 in row 0"),
    ],
    ids=lambda v: v if isinstance(v, str) else type(v).__name__,
)
def test_tables_that_are_not_flags(X, message):
    with pytest.raises(InputError) as caught:
        BitMatrix.from_table(X)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a"], "names has 1 entry for 2 columns of X."),
        (["a", "b", "c"], "names has 3 entries for 2 columns of X."),
        ([], "names has 0 entries for 2 columns of X."),
        (["a", "a"], "Column name 'a' appears twice; every column needs its own name."),
    ],
)
@pytest.mark.parametrize("form", [np.asarray, pd.DataFrame])
def test_names_that_do_not_fit(form, names, message):
    with pytest.raises(InputError) as caught:
        BitMatrix.from_table(form(np.eye(2)), names)
    assert message in str(caught.value)


def test_unknown_literals():
    bits = BitMatrix.from_table(np.eye(2), ["alpha", "beta"])
    with pytest.raises(UnknownColumnError, match=r"names column 'alfa'.* Did you mean 'alpha'"):
        bits.truth(Literal("alfa", "true"))
    with pytest.raises(UnknownColumnError, match="Literal 'alpha = x' is not among the 2 literals"):
        bits.truth(Literal("alpha", "=", "x"))


# Missing values ----------------------------------------------------------------------------------


def slow_missing(X, counted):
    """Missing values by column, and rows that have any, one cell after the other."""
    by_column, rows = {}, 0
    for row, counts in zip(X, counted, strict=True):
        gone = [f"x{j}" for j, value in enumerate(row) if np.isnan(value)]
        if counts:
            rows += bool(gone)
            for name in gone:
                by_column[name] = by_column.get(name, 0) + 1
    return by_column, rows


@given(X=tables, seed=st.integers(0, 2**32))
def test_missing_values_are_counted_as_read_and_when_rows_are_merged(X, seed):
    bits = BitMatrix.from_table(X)
    by_column, rows = bits.missing_values()
    assert ({k: n for k, n in by_column.items() if n}, rows) == slow_missing(X, np.ones(len(X)))
    rng = np.random.default_rng(seed)
    weights = rng.integers(0, 3, len(X))
    weights[0] += 1  # some row has to count
    by_column, rows = canonical(bits, rng.random(len(X)) < 0.5, weights).missing_values()
    assert ({k: n for k, n in by_column.items() if n}, rows) == slow_missing(X, weights > 0)


# The rest ----------------------------------------------------------------------------------------


@given(X=tables)
def test_equal_columns(X):
    X = np.concatenate([X, X[:, ::-1]], axis=1)
    bits = BitMatrix.from_table(X)
    truth = [tuple(column) for column in (X == 1).T.tolist()]
    firsts = [truth.index(column) for column in truth]
    assert bits.first_equal().tolist() == firsts
    classes = [
        [f"x{j}" for j, t in enumerate(firsts) if t == first] for first in sorted(set(firsts))
    ]
    found = [[str(literal) for literal in group] for group in bits.equal_literals()]
    assert found == [group for group in classes if len(group) > 1]


def test_pickling():
    X = random_table(9, 100, 5, share_missing=0.2)
    bits = BitMatrix.from_table(X)
    bits.view()  # the native view stays behind
    copied = pickle.loads(pickle.dumps(bits))
    same(copied, bits)
    check(copied, X)
    assert repr(copied) == "<BitMatrix: 100 rows x 5 literals>"
