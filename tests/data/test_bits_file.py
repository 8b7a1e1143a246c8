"""BitMatrix.save and BitMatrix.open."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayesdnf import BitMatrix, LiteralEncoder
from bayesdnf.data.canonical import canonical
from bayesdnf.errors import InputError
from bayesdnf.files.packed import write_packed


@settings(max_examples=20)
@given(st.integers(0, 2**32), st.sampled_from([1, 63, 64, 65, 127, 128, 600]), st.booleans())
def test_a_matrix_comes_back(tmp_path_factory, seed, n, missing):
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 2, (n, 4)).astype(object)
    if missing:
        table[rng.random(table.shape) < 0.3] = None
    bits = BitMatrix.from_table(table, ["a", "b c", "ä", "x=1"])
    path = tmp_path_factory.mktemp("bits") / "table.pack"
    assert bits.save(path) == bits.save(path)
    opened = BitMatrix.open(path)
    np.testing.assert_array_equal(opened.planes, bits.planes)
    assert (opened.names, opened.segments) == (bits.names, bits.segments)
    for literal in bits.table:
        np.testing.assert_array_equal(opened.truth(literal), bits.truth(literal))


def test_values_of_all_kinds_and_merged_rows_come_back(tmp_path):
    table = pd.DataFrame(
        {"odor": list("fnaf") * 9, "age": [1.5, None, 3, 7] * 9, "ill": [0, 1, 1, 0] * 9}
    )
    read = LiteralEncoder(negations=True).fit_encode(table)
    merged = canonical(read, np.arange(36) % 3 == 0)
    for bits in (read, merged):
        bits.save(tmp_path / "table.pack")
        opened = BitMatrix.open(tmp_path / "table.pack", verify=False)
        assert list(opened.table) == list(bits.table)
        assert (opened.n_rows, opened.n_stored) == (bits.n_rows, bits.n_stored)
        for literal in bits.table:
            np.testing.assert_array_equal(opened.truth(literal), bits.truth(literal))


def test_a_mapped_table_is_learned_from_as_the_one_in_memory(tmp_path):
    rng = np.random.default_rng(0)
    bits = BitMatrix.from_table(rng.integers(0, 2, (300, 12)))
    y = bits.truth(bits.table[1]) & bits.truth(bits.table[4])
    bits.save(tmp_path / "table.pack")
    opened = BitMatrix.open(tmp_path / "table.pack")
    mapped = canonical(opened, y)
    np.testing.assert_array_equal(mapped.planes, canonical(bits, y).planes)


def test_arrays_that_do_not_fit_are_refused(tmp_path):
    path = tmp_path / "table.pack"
    bits = BitMatrix.from_table(np.eye(3, dtype=int))
    facts = {"segments": [3], "attributes": 3}
    arrays = {**bits.table.packed(), "planes": bits.planes}
    for change in (
        {"plane": np.array([0, 1, 3], np.int32)},
        {"attribute": np.array([0, 1, 3], np.int32)},
        {"rank": np.array([0, 1, 0], np.int32)},
        {"operator": np.array([0, 1, 99], np.uint8)},
        {"planes": bits.planes[0]},
        {"planes": bits.planes | np.uint64(8)},  # a fourth row
        {"valid": np.array([1, -1, -1], np.int32)},  # x0 is true where it is not known
        {"levels": np.frombuffer(b"[[1],", np.uint8)},
    ):
        write_packed(path, "table", facts, arrays | change)
        with pytest.raises(InputError, match=r"table\.pack is not a valid packed file"):
            BitMatrix.open(path)
