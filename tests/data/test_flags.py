"""Tables of 0/1 columns, block by block."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from bayesdnf.data import flags
from bayesdnf.data.flags import FlagColumns
from bayesdnf.errors import InputError

VALUES = np.array([[0, 1, 1], [1, 1, 0], [0, 0, 1], [1, 0, 1]])


def whole(columns):
    """Put blocks together: truth and known of every cell."""
    truth = np.zeros((columns.n_rows, len(columns.names)), bool)
    known = np.ones_like(truth)
    for row, column, block, there in columns.blocks():
        place = slice(row, row + block.shape[1]), slice(column, column + block.shape[0])
        truth[place] = block.T
        if there is not None:
            known[place] = there.T
    return truth, known


@pytest.mark.parametrize(
    "make",
    [
        np.asarray,
        lambda x: x.astype(bool),
        lambda x: x.astype(float),
        lambda x: x.astype(object),
        lambda x: x.tolist(),
        sparse.csr_array,
        lambda x: pd.DataFrame(x, columns=list("abc")),
        lambda x: pl.DataFrame(x, schema=list("abc")),
    ],
)
@pytest.mark.parametrize("room", [(1 << 16, 128), (3, 2)])
def test_every_kind_of_table_in_blocks_of_any_size(make, room, monkeypatch):
    monkeypatch.setattr(flags, "_ROWS", room[0])
    monkeypatch.setattr(flags, "_COLUMNS", room[1])
    columns = FlagColumns.of(make(VALUES), None)
    truth, known = whole(columns)
    assert (truth == (VALUES == 1)).all()
    assert known.all()
    assert columns.missing_columns() == []
    assert columns.names in (["a", "b", "c"], ["x0", "x1", "x2"])


@pytest.mark.parametrize("dtype", [float, object])
def test_missing_values_are_known_to_be(dtype, monkeypatch):
    monkeypatch.setattr(flags, "_ROWS", 2)
    values = VALUES.astype(dtype)
    values[3, 1] = np.nan
    columns = FlagColumns.of(values, list("abc"))
    truth, known = whole(columns)
    assert columns.missing_columns() == [1]
    assert known.sum() == 11
    assert not known[3, 1]
    assert not truth[3, 1]


@pytest.mark.parametrize("wrong", [2, -1, 0.5, "1", np.inf])
def test_other_values_are_named_with_their_place(wrong, monkeypatch):
    monkeypatch.setattr(flags, "_ROWS", 2)
    values = VALUES.astype(object)
    values[2, 1] = wrong
    said = wrong if isinstance(wrong, str) else float(wrong)
    with pytest.raises(InputError, match=rf"Column 'b' holds {said!r} in row 2"):
        whole(FlagColumns.of(values, list("abc")))


@pytest.mark.parametrize("value", [[0, 1], {"a": 1}])
def test_nested_columns_of_polars_are_refused(value):
    kind = pl.Array(pl.Int64, 2) if isinstance(value, list) else pl.Struct({"a": pl.Int64})
    table = pl.DataFrame({"a": [0, 1], "b": pl.Series([None, value], dtype=kind)})
    with pytest.raises(InputError, match=rf"Column 'b' holds {re.escape(repr(value))} in row 1"):
        whole(FlagColumns.of(table, None))


def test_tables_of_other_shapes_are_refused():
    with pytest.raises(InputError, match=r"two dimensions\. Got an array with 1"):
        FlagColumns.of(np.array([0, 1]), None)
    with pytest.raises(InputError, match="no columns"):
        FlagColumns.of(np.zeros((3, 0)), None)
    with pytest.raises(InputError, match="no rows"):
        FlagColumns.of(np.zeros((0, 3)), None)
    with pytest.raises(InputError, match="names has 2 entries for 3 columns of X"):
        FlagColumns.of(VALUES, ["a", "b"])
