"""BitMatrix: the same bits from every kind of table, whole or in pieces, at its promised size."""

import pickle
import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from bayesdnf import BitMatrix, Literal, LiteralEncoder
from bayesdnf.data.bits import allocate_planes, segment_offsets
from bayesdnf.data.canonical import canonical
from bayesdnf.errors import InputError, OutOfMemoryError, UnknownColumnError
from tests import reference

ROWS = [1, 2, 63, 64, 65, 128, 150]


def random_table(seed, n_rows, n_columns, share_missing=0.0):
    """Values 0.0, 1.0 and NaN."""
    rng = np.random.default_rng(seed)
    X = (rng.random((n_rows, n_columns)) < rng.uniform(0.05, 0.95, n_columns)).astype(float)
    X[rng.random(X.shape) < share_missing * rng.integers(0, 2, n_columns)] = np.nan
    return X


tables = st.builds(
    random_table,
    st.integers(0, 2**32),
    st.sampled_from(ROWS),
    st.integers(1, 9),
    st.sampled_from([0, 0.3, 1]),
)


def check(bits, X, names=None):
    """Every literal and its negation hold where the raw values say so."""
    names = names or [f"x{j}" for j in range(X.shape[1])]
    assert bits.names == names
    assert (bits.n_rows, bits.n_stored, bits.n_literals) == (len(X), len(X), len(names))
    for j, name in enumerate(names):
        np.testing.assert_array_equal(bits.truth(Literal(name, "true")), X[:, j] == 1)
        np.testing.assert_array_equal(bits.truth(Literal(name, "false")), X[:, j] == 0)


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


# In pieces ---------------------------------------------------------------------------------------


@given(X=tables, data=st.data(), announced=st.booleans(), packed=st.booleans())
def test_chunks(X, data, announced, packed):
    n = len(X)
    cuts = sorted(data.draw(st.sets(st.integers(1, max(1, n - 1)), max_size=4)) - {n})
    pieces = np.split(X, cuts)
    if packed:
        pieces = [BitMatrix.from_table(piece) for piece in pieces]
    bits = BitMatrix.from_chunks(iter(pieces), n if announced else None)
    check(bits, X)


def test_missing_values_that_come_late():
    X = random_table(6, 300, 4)
    X[250, 2] = np.nan
    check(BitMatrix.from_chunks([X[:101], X[101:200], X[200:]], 300), X)


@pytest.mark.parametrize("announced", [True, False])
def test_encoded_chunks(announced):
    """Pieces of an encoder share planes between literals, and validity between attributes."""
    rng = np.random.default_rng(7)
    table = pd.DataFrame(
        {
            "colour": rng.choice(["r", "g", None], 200),
            "age": np.where(rng.random(200) < 0.1, np.nan, rng.normal(50, 9, 200)),
            "x": rng.integers(0, 2, 200),
        }
    )
    table.loc[:120, "age"] = 50.0  # missing from the second chunk on only
    encoder = LiteralEncoder(negations=True).fit(table)
    whole = encoder.encode(table)
    pieces = [encoder.encode(part) for part in (table[:77], table[77:78], table[78:])]
    joined = BitMatrix.from_chunks(pieces, 200 if announced else None)
    assert joined.names == whole.names
    for literal in whole.table:
        np.testing.assert_array_equal(joined.truth(literal), whole.truth(literal))


@pytest.mark.parametrize(
    ("chunks", "n_rows", "message"),
    [
        ([], None, "There are no chunks; at least one is needed."),
        ([], 5, "There are no chunks; at least one is needed."),
        ([np.eye(3)], 4, "The chunks hold 3 rows; n_rows announced 4."),
        ([np.eye(3)] * 2, 5, "The chunks hold more than the 5 rows that n_rows announced."),
        (
            [np.eye(3), np.ones((2, 2))],
            None,
            "The chunk at row 3 has other literals than the first chunk: 2 where 3 were.",
        ),
        (
            [pd.DataFrame({"a": [1], "b": [0]}), pd.DataFrame({"a": [1], "c": [0]})],
            2,
            "The chunk at row 1 has other literals than the first chunk: 'c' where 'b' was.",
        ),
        ([np.eye(2), np.array([[0, 3]])], 3, "Column 'x1' holds 3 in row 0; a BitMatrix packs"),
    ],
)
def test_impossible_chunks(chunks, n_rows, message):
    with pytest.raises(InputError) as caught:
        BitMatrix.from_chunks(iter(chunks), n_rows)
    assert message in str(caught.value)


def least_peak(make):
    """Make something three times: the last one made, and the least memory that it took.

    Other threads of the process may take memory too, now and then.
    """
    peaks = []
    for _ in range(3):
        tracemalloc.start()
        try:
            made = make()
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
    return made, min(peaks)


@pytest.mark.slow
def test_chunks_take_the_packed_size_and_one_chunk():
    n_chunks, rows, p = 25, 4000, 500

    def chunks():
        rng = np.random.default_rng(8)
        for _ in range(n_chunks):
            yield rng.integers(0, 2, (rows, p), dtype=np.uint8)

    packed = n_chunks * rows * p / 8
    BitMatrix.from_chunks([np.eye(2)])  # imports are no part of it
    bits, peak = least_peak(lambda: BitMatrix.from_chunks(chunks(), n_chunks * rows))
    assert bits.nbytes <= 1.05 * packed
    assert peak < 1.2 * packed + rows * p + 2_000_000  # and some blocks of 128 columns


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


@pytest.mark.parametrize("shape", [(10**15, 3), (10**9, 10**9), (3, 2**62)])
def test_too_large_is_refused_before_it_is_made(shape):
    n_rows, n_planes = shape
    tracemalloc.start()
    try:
        with pytest.raises(OutOfMemoryError, match=r"A packed table of .* rows by .* needs"):
            allocate_planes(n_planes, segment_offsets([n_rows])[-1])
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()
    if n_planes == 3:
        with pytest.raises(OutOfMemoryError):
            BitMatrix.from_chunks([np.eye(3)], n_rows)


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
        (pd.DataFrame([[0, 1]], columns=["a", "a"]), "Column name 'a' stands twice"),
        (pd.DataFrame([[0, 1]], columns=[1, "1"]), "Column name '1' stands twice"),
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
        (["a"], "There are 1 names for 2 columns."),
        (["a", "b", "c"], "There are 3 names for 2 columns."),
        ([], "There are 0 names for 2 columns."),
        (["a", "a"], "Column name 'a' stands twice; every column needs its own name."),
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


def test_planes_begin_on_a_cache_line():
    for shape in ((1, 1), (3, 64), (5, 200)):
        planes = allocate_planes(*shape)
        assert planes.ctypes.data % 64 == 0
        assert planes.shape == shape
        assert not planes.any()


@given(segments=st.lists(st.sampled_from([0, 1, 64, 65, 4000, 10_000]), min_size=1, max_size=4))
def test_segments_begin_on_words_or_cache_lines(segments):
    offsets = segment_offsets(segments)
    words = [-(-rows // 64) for rows in segments]
    unit = 8 if sum(words) >= 64 else 1
    assert offsets[0] == 0
    for first, end, needed in zip(offsets[:-1], offsets[1:], words, strict=True):
        assert first % unit == 0
        assert needed <= end - first < needed + unit
