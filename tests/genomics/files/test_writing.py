"""Genotypes into PLINK 1 files."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesdnf.errors import InputError
from bayesdnf.genomics import Genotypes, write_plink
from bayesdnf.genomics.files.writing import _write_bed


@given(st.integers(0, 2**32), st.sampled_from([1, 2, 3, 4, 5, 63, 64, 65]), st.integers(0, 4))
def test_two_bits_a_call_as_plink_has_them(seed, n, variants):
    import io

    copies = np.random.default_rng(seed).integers(-1, 3, (variants, n))
    file = io.BytesIO()
    _write_bed(Genotypes.from_copies(copies), file)
    data = file.getvalue()
    assert data[:3] == b"\x6c\x1b\x01"
    width = -(-n // 4)
    assert len(data) == 3 + variants * width
    codes = {2: 0b00, -1: 0b01, 1: 0b10, 0: 0b11}
    for v in range(variants):
        for i in range(n):
            byte = data[3 + v * width + i // 4]
            assert byte >> 2 * (i % 4) & 0b11 == codes[copies[v, i]]


def test_outcomes_and_alleles_stand_where_plink_looks(tmp_path):
    genotypes = Genotypes.from_copies([[0, 1, 2]])
    write_plink(genotypes, tmp_path / "s.bed", y=[False, True, 1])
    assert [row.split()[5] for row in (tmp_path / "s.fam").read_text().splitlines()] == [
        "1",
        "2",
        "2",
    ]
    [bim] = (tmp_path / "s.bim").read_text().splitlines()
    about = genotypes.variants.iloc[0]
    assert bim.split("\t") == [about["CHR"], about["ID"], "0", str(about["POS"]), "B", "A"]
    write_plink(genotypes, tmp_path / "t")
    assert all(row.endswith("-9") for row in (tmp_path / "t.fam").read_text().splitlines())


@pytest.mark.parametrize("y", [[0, 1], [0, 1, 2], [[0, 1, 1]], ["a", "b", "c"]])
def test_outcomes_that_are_none_are_refused(tmp_path, y):
    with pytest.raises(InputError, match="True or False for each of 3 samples"):
        write_plink(Genotypes.from_copies([[0, 1, 2]]), tmp_path / "s", y)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("table", "column"), [("samples", "IID"), ("variants", "ID")])
@pytest.mark.parametrize("name", ["", "a b", "a\tb"])
def test_names_that_plink_cannot_hold_are_refused(tmp_path, table, column, name):
    genotypes = Genotypes.from_copies([[0, 1, 2]])
    getattr(genotypes, table).loc[0, column] = name
    with pytest.raises(InputError, match=f"{column} of row 0"):
        write_plink(genotypes, tmp_path / "s")
    assert list(tmp_path.iterdir()) == []
