"""Samples and variants that come twice."""

import pandas as pd
import pytest

from bayesdnf.errors import FileFormatError
from bayesdnf.genomics.files.duplicates import require_distinct_samples, require_distinct_variants


def line(row):
    return f"line {row + 1}"


def variants(*rows):
    return pd.DataFrame(rows, columns=["CHR", "ID", "POS", "A1", "A2"])


def test_a_sample_is_its_family_and_its_name():
    samples = pd.DataFrame({"FID": ["1", "2", "1"], "IID": ["ann", "ann", "bob"]})
    require_distinct_samples("a.fam", samples, line)
    with pytest.raises(FileFormatError, match=r"a\.fam, line 2: sample ann is already on line 1"):
        require_distinct_samples("a.fam", samples[["IID"]], line)
    again = pd.concat([samples, samples.iloc[[2]]])
    with pytest.raises(FileFormatError, match=r"line 4: sample 1 bob is already on line 3"):
        require_distinct_samples("a.fam", again, line)


@pytest.mark.parametrize(
    "second",
    [
        ("1", ".", 5, "A", "G"),
        ("chr1", ".", 5, "A", "G"),  # the same chromosome
        ("1", ".", 5, "G", "A"),  # alleles may be swapped
    ],
)
def test_the_same_place_and_alleles_without_a_name(second):
    with pytest.raises(FileFormatError, match=r"line 2: variant \. .* is already on line 1"):
        require_distinct_variants("a.bim", variants(("1", ".", 5, "A", "G"), second), line)


@pytest.mark.parametrize(
    "second",
    [
        ("1", ".", 6, "A", "G"),
        ("2", ".", 5, "A", "G"),
        ("1", ".", 5, "A", "T"),
        ("1", "rs1", 5, "A", "G"),  # has a name of its own
    ],
)
def test_variants_that_differ(second):
    require_distinct_variants("a.bim", variants(("1", ".", 5, "A", "G"), second), line)


def test_an_insertion_is_no_deletion():
    require_distinct_variants(
        "a.bim", variants(("1", ".", 5, "C", "CT"), ("1", ".", 5, "CT", "C")), line
    )


def test_a_name_that_comes_twice_is_no_name():
    rows = variants(("1", "rs1", 5, "A", "G"), ("1", "rs2", 5, "A", "G"), ("1", "rs1", 5, "A", "G"))
    with pytest.raises(FileFormatError, match=r"line 3: variant rs1 .* is already on line 1"):
        require_distinct_variants("a.bim", rows, line)
