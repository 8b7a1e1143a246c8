"""Outcomes and covariates in text files."""

import gzip

import numpy as np
import pytest

from bayesdnf.errors import FileFormatError, UnknownColumnError
from bayesdnf.genomics import read_covariates, read_phenotype


@pytest.fixture
def write(tmp_path):
    def write(text, name="p.txt"):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return write


NAN = np.nan


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ("1 2 0 -9 NA", [0, 1, NAN, NAN, NAN]),  # a 2 makes it PLINK's coding
        ("0 1 1 -9 NA", [0, 1, 1, NAN, NAN]),
        ("1.0 2.0 2 . nan", [0, 1, 1, NAN, NAN]),
    ],
)
def test_two_codings_are_told_apart_by_all_values(write, values, expected):
    rows = "".join(f"{i} s{i} {value}\n" for i, value in enumerate(values.split()))
    for header, name in (("#FID IID ill\n", "ill"), ("", "PHENO")):
        found = read_phenotype(write(header + rows))
        np.testing.assert_array_equal(found.table[name], expected)
        assert found.names == [name]
        assert found.first_line == 1 + bool(header)


def test_files_of_plink_always_have_its_coding(write):
    fam = write("1 a 0 0 1 1\n1 b 0 0 2 1\n1 c 0 0 2 2\n1 d 0 0 2 0\n", "s.fam")
    assert read_phenotype(fam).table.iloc[:, -1].tolist()[:3] == [0, 0, 1]
    ones = write("#IID SEX ill\na 1 1\nb 2 0\n", "s.psam")
    with pytest.raises(FileFormatError, match="0 cases and 1 control,"):
        read_phenotype(ones)


def test_compressed_files_and_files_without_families(tmp_path):
    (tmp_path / "p.gz").write_bytes(gzip.compress(b"IID ill\na 0\nb 1\n"))
    found = read_phenotype(tmp_path / "p.gz")
    assert list(found.table) == ["IID", "ill"]
    assert "1 cases, 1 controls, 0 missing" in found.history[0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("FID IID ill\n1 a 3\n1 b 1\n", "line 2: ill is '3'"),
        ("FID IID ill\n1 a x\n1 b 1\n", "line 2: ill is 'x'"),
        ("1 a ill\n1 b 1\n", "a header must begin with FID and IID"),
        ("FID IID ill\n1 a 1\n1 b 1\n", "2 cases and 0 controls"),
        ("FID IID a b\n1 a 1 0\n", "it has 2 phenotypes"),
        ("FID ill IID\n1 1 a\n", "IID must follow FID"),
        ("FID IID ill\n", "no sample follows the header"),
        ("FID IID\n1 a\n", "only identifiers"),
        ("a 1\nb 0\n", "2 fields and is no header"),
        ("FID IID ill\n1 a 1\n1 a 0\n", "line 3: sample 1 a is already on line 2"),
        ('"FID" "IID" "ill"\n"1" "a" 1\n', "line 1: its fields are in quotation marks"),
        ("FID IID ill ill\n1 a 1 0\n", "two columns are called 'ill'"),
    ],
)
def test_what_cannot_be_read_is_named_by_line(write, text, said):
    with pytest.raises(FileFormatError, match=said):
        read_phenotype(write(text))


def test_one_of_several_columns(write):
    path = write("FID IID asthma BMI\n1 a 1 2\n1 b 0 1\n")
    assert read_phenotype(path, "asthma").table["asthma"].tolist() == [1, 0]
    with pytest.raises(UnknownColumnError, match=r"no column 'asthna'.*Did you mean 'asthma'"):
        read_phenotype(path, "asthna")


def test_covariates_are_numbers_or_levels(write):
    path = write("IID age site x\na 31 north 1e3\nb NA south -9\nc 40 NA 2\n")
    found = read_covariates(path)
    np.testing.assert_array_equal(found.table["age"], [31, NAN, 40])
    assert found.table["site"].tolist()[:2] == ["north", "south"]
    assert found.table["site"].isna().tolist() == [False, False, True]
    np.testing.assert_array_equal(found.table["x"], [1000, NAN, 2])
    assert "3 covariates" in found.history[0]
    assert "3 values are missing" in found.history[0]
    assert read_covariates(path, ["site"]).names == ["site"]


def test_numbers_and_texts_in_one_column_are_refused(write):
    with pytest.raises(FileFormatError, match="line 3: age is 'old'"):
        read_covariates(write("IID age\na 31\nb old\n"))
    with pytest.raises(FileFormatError, match="line 3: age is 'inf'"):
        read_covariates(write("IID age\na 31\nb inf\n"))


def test_sex_is_a_covariate_like_others(write):
    found = read_covariates(write("FID IID SEX AGE\n1 a M 41\n1 b F 42\n"))
    assert found.names == ["SEX", "AGE"]
    assert found.table["SEX"].tolist() == ["M", "F"]
    assert read_covariates(write("FID IID SEX\n1 a 1\n1 b 2\n")).names == ["SEX"]


def test_sex_of_a_psam_is_a_covariate_where_it_is_named(write):
    path = write("#IID SEX age\na 1 31\nb 0 40\n", "s.psam")
    assert read_covariates(path).names == ["age"]
    np.testing.assert_array_equal(read_covariates(path, ["SEX"]).table["SEX"], [1, NAN])


def test_sex_is_an_outcome_only_where_it_is_named(write):
    path = write("FID IID SEX ill\n1 a 1 0\n1 b 2 1\n")
    assert read_phenotype(path).names == ["ill"]
    assert read_phenotype(path, "SEX").table["SEX"].tolist() == [0, 1]
    with pytest.raises(FileFormatError, match="only identifiers and SEX"):
        read_phenotype(write("FID IID SEX\n1 a 1\n1 b 2\n"))


def test_a_stray_2_among_zeros_and_ones_is_refused(write):
    rows = [f"1 s{i} {i % 2}" for i in range(60)]
    rows[33] = "1 s33 2"
    with pytest.raises(FileFormatError) as told:
        read_phenotype(write("\n".join(["FID IID ill", *rows]) + "\n"))
    for said in (
        "line 35: ill is 2 (1 sample)", "0 (30 samples) and 1 (29 samples)",
        "1 control, 2 case, 0, -9 or NA missing", "0 control, 1 case, -9 or NA missing",
    ):  # fmt: skip
        assert said in str(told.value)


def test_zeros_of_plink_are_missing_and_warned_about(write):
    rows = "".join(f"1 s{i} {i % 3}\n" for i in range(30))
    found = read_phenotype(write(f"FID IID ill\n{rows}"))
    assert found.warnings == (
        "ill of p.txt holds 0, 1 and 2: 0 is read as missing (10 samples), 1 as control, "
        "2 as case.",
    )
    assert found.warnings[0] in found.history
    fam = "".join(f"1 s{i} 0 0 1 {i % 3}\n" for i in range(30))
    assert read_phenotype(write(fam, "s.fam")).warnings == ()


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ("0 1 0 1", "outcomes coded 0 and 1 must be given in a file of their own (pheno, --pheno)"),
        ("-9 -9 -9 -9", "both are needed; give outcomes in a file of their own (pheno, --pheno)"),
        ("1.5 3 4 2", "must be 1, 2, or 0, -9 or NA for missing; quantitative traits are not supp"),
    ],
)
def test_what_to_do_where_a_fam_file_has_no_outcomes(write, values, said):
    rows = [f"1 s{i} 0 0 1 {value}\n" for i, value in enumerate(values.split())]
    with pytest.raises(FileFormatError) as told:
        read_phenotype(write("".join(rows), "s.fam"))
    assert said in str(told.value)
