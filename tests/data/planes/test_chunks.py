"""Tables in pieces: the bits of the whole, in its packed size and one piece."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesdnf import BitMatrix, LiteralEncoder
from bayesdnf.errors import InputError
from tests.data.flag_tables import check, least_peak, random_table, tables


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
