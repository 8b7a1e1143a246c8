"""Names and regions, as texts or in files."""

import gzip

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesdnf.errors import FileFormatError, InputError
from bayesdnf.genomics.files.selection import Regions, find_names, parse_region, read_names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a\nb\n", ["a", "b"]),
        ("f a\nf b", ["a", "b"]),
        ("#FID IID\nf a\n", ["a"]),
        ("#IID SID\na 0\n", ["a"]),
        ("FID\tIID\r\nf\ta\r\n", ["a"]),
        ("\ufeffIID\na\n\n", ["a"]),
        ("# those of the first visit\na\n#b\nc\n", ["a", "c"]),
        ("", []),
    ],
)
def test_files_of_samples(tmp_path, text, names):
    path = tmp_path / "list"
    path.write_bytes(text.encode())
    assert read_names(path, "IID") == read_names(str(path), "IID") == names
    path.write_bytes(gzip.compress(text.encode()))
    assert read_names(path, "IID") == names


@pytest.mark.parametrize(
    ("text", "names"),
    [("rs1\nrs2 x\n", ["rs1", "rs2"]), ("#CHROM POS ID\n1 5 rs1\n", ["rs1"])],
)
def test_files_of_variants(tmp_path, text, names):
    path = tmp_path / "list"
    path.write_text(text)
    assert read_names(path, "ID") == names


def test_those_named_are_found_and_those_not_there_are_told():
    present = pd.Series(["s1", "s2", "s3"], name="IID")
    flags, clause = find_names({"s3", "z", "s1", "y"}, present)
    assert flags.tolist() == [True, False, True]
    assert clause == " (2 of 4 names are not in the data: y, z)"
    assert find_names(["s2"], present)[1] == ""


def included(chromosome, position, regions):
    return Regions.read(regions).included(pd.DataFrame({"CHR": chromosome, "POS": position}))


@given(st.integers(0, 2**32))
def test_regions_are_unions_of_intervals(seed):
    rng = np.random.default_rng(seed)
    chromosome = rng.choice(["1", "chr2", "X"], 60)
    position = rng.integers(1, 50, 60)
    ends = np.sort(rng.integers(1, 50, (5, 2)), axis=1)
    names = rng.choice(["chr1", "2", "23", "9"], 5)
    texts = [f"{c}:{a}-{b}" for c, (a, b) in zip(names, ends, strict=True)]
    same = {"1": "chr1", "chr2": "2", "X": "23"}
    expected = [
        any(same[c] == d and a <= p <= b for d, (a, b) in zip(names, ends, strict=True))
        for c, p in zip(chromosome, position, strict=True)
    ]
    assert included(chromosome, position, texts).tolist() == expected
    one_by_one = map(Regions.read(texts).include, chromosome, position.tolist())
    assert list(one_by_one) == expected


def test_a_bed_file_counts_from_zero(tmp_path):
    path = tmp_path / "genes.bed"
    path.write_text("track name=x\n# a comment\nchr1\t9\t20\tGENE\n")
    assert Regions.read(path) == Regions.read(str(path))
    assert Regions.read(path).listed == (("1", 10, 20),)
    both = Regions.read([str(path), "X:5"])
    assert both.listed == (("1", 10, 20), ("X", 5, 5))
    assert both.title == "genes.bed, X:5"
    zipped = tmp_path / "genes.bed.gz"
    zipped.write_bytes(gzip.compress(path.read_bytes()))
    assert Regions.read(str(zipped)).listed == (("1", 10, 20),)
    with pytest.raises(FileFormatError, match=r"absent\.bed: there is no such file"):
        Regions.read("absent.bed")


def test_a_region_without_end_or_start_is_a_whole_chromosome_or_one_place():
    assert included("7", [1, 5, 2**62], "chr7").all()
    assert included("7", [4, 5, 6], "7:5").tolist() == [False, True, False]
    assert included("7", [4, 5, 2**62], f"7:5-{10**30}").tolist() == [False, True, True]


@pytest.mark.parametrize("text", ["1:a-b", "1:5-", "1:9-3", ":3-4", "1:-5", "", " ", "1:"])
def test_regions_that_are_none_are_refused(text):
    with pytest.raises(InputError, match="Region"):
        parse_region(text)
