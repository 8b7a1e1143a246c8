"""Outcomes and covariates: how they are coded, and how they are joined."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesdnf import BitMatrix
from bayesdnf.errors import FileFormatError, InputError, UnknownColumnError
from bayesdnf.genomics import (
    Filters,
    Genotypes,
    Study,
    read_covariates,
    read_phenotype,
    read_study,
    write_plink,
)
from tests.beside import DATA, adds
from tests.genomics.planted import study as planted_study

PLINK = DATA / "genomics/plink"
NAN = float("nan")


def phenotype(tmp_path, text, name=None, file="pheno.txt"):
    (tmp_path / file).write_text(text)
    read = read_phenotype(tmp_path / file, name)
    return read, read.table[read.names[0]].tolist()


@pytest.mark.parametrize(
    ("values", "expected", "coding"),
    [
        ("1 0 NA 1", [1, 0, NAN, 1], "0 control, 1 case"),
        ("1 0 -9 1", [1, 0, NAN, 1], "0 control, 1 case"),
        ("1 2 2 1", [0, 1, 1, 0], "1 control, 2 case"),
        ("1 2 0 -9", [0, 1, NAN, NAN], "1 control, 2 case"),
        ("2 1 nan .", [1, 0, NAN, NAN], "1 control, 2 case"),
        ("1.0 2.0 NA 2", [0, 1, NAN, 1], "1 control, 2 case"),
        ("0 1 1 0", [0, 1, 1, 0], "0 control, 1 case"),
    ],
)
@pytest.mark.parametrize("layout", ["FID IID Y", "#FID IID Y", "IID Y", "#IID Y", "fid iid Y", ""])
def test_codings_and_layouts(tmp_path, values, expected, coding, layout):
    family = "" if "FID" not in layout.upper() and layout else "f "
    lines = [f"{family}s{i}\t{value}" for i, value in enumerate(values.split())]
    read, found = phenotype(tmp_path, "\n".join([*([layout] if layout else []), *lines]) + "\n")
    np.testing.assert_equal(found, expected)
    assert coding in read.history[0]
    assert read.table["IID"].tolist() == ["s0", "s1", "s2", "s3"]
    assert read.names == (["Y"] if layout else ["PHENO"])


def test_a_fam_file_is_coded_as_plink_has_it(tmp_path):
    lines = "".join(f"f s{i} 0 0 0 {value}\n" for i, value in enumerate([1, 2, 0, -9, 2]))
    _, found = phenotype(tmp_path, lines, file="a.fam")
    np.testing.assert_equal(found, [0, 1, NAN, NAN, 1])


def test_one_of_several_outcomes_is_named(tmp_path):
    text = "FID IID Y1 Y2\r\nf a 0 1\r\nf b 1 2\r\n"
    _, found = phenotype(tmp_path, text, "Y2")
    assert found == [0, 1]
    with pytest.raises(UnknownColumnError, match=r"no column 'y1'; it has Y1, Y2\. Did you mean"):
        phenotype(tmp_path, text, "y1")
    with pytest.raises(FileFormatError, match=r"line 1: it has 2 phenotypes \(Y1, Y2\)"):
        phenotype(tmp_path, text)


def test_covariates_are_numbers_or_missing(tmp_path):
    (tmp_path / "c.txt").write_text("IID age sex PC1\na 30 1 1e-3\nb NA 2 -0.5\nc -9 1 0\n")
    read = read_covariates(tmp_path / "c.txt", ["PC1", "age"])
    assert read.names == ["PC1", "age"]
    np.testing.assert_equal(read.table["age"].tolist(), [30, NAN, NAN])
    assert "2 values are missing" in read.history[0]
    assert read_covariates(tmp_path / "c.txt").names == ["age", "sex", "PC1"]


@pytest.fixture
def folder(tmp_path):
    packed = Genotypes.from_copies(
        np.arange(24).reshape(3, 8) % 3, iids=[f"00{i}" for i in range(1, 9)]
    )
    write_plink(packed, tmp_path / "s", y=np.arange(8) % 2)
    return tmp_path


def test_outcomes_of_the_fam_file(folder):
    study = read_study(folder / "s")
    np.testing.assert_array_equal(study.y, np.arange(8) % 2 == 1)
    assert study.covariates is None
    assert repr(study) == "<Study: 4 cases and 4 controls x 3 variants>"


def test_only_samples_with_an_outcome_are_kept_in_the_order_of_the_genotypes(folder):
    (folder / "p.txt").write_text("IID Y\n008 1\n002 0\n003 NA\nx 1\n005 1\n")
    (folder / "c.txt").write_text("IID age\n002 20\n005 NA\n001 7\n")
    study = read_study(folder / "s", folder / "p.txt", covar=folder / "c.txt", allele="first")
    assert study.genotypes.samples["IID"].tolist() == ["002", "005", "008"]
    assert study.y.tolist() == [False, True, True]
    np.testing.assert_equal(study.covariates["age"].tolist(), [20, NAN, NAN])
    np.testing.assert_array_equal(
        study.genotypes.copies(range(3)), (np.arange(24).reshape(3, 8) % 3)[:, [1, 4, 7]]
    )
    history = " ".join(study.history)
    assert "4 of 8 samples were found in p.txt by IID; 4 were not: 001, 004, 006, …" in history
    assert "1 of its samples have no genotypes: x" in history
    assert "Left out: 1 sample without an outcome." in history
    assert "3 of 8 samples were found in c.txt" in history
    assert "Missing covariates in 2 samples: kept for the search" in history


def test_choices_go_with_outcomes(folder):
    study = read_study(folder / "s", samples=["001", "002", "004"], variants=["v2"])
    assert study.y.tolist() == [False, True, True]
    assert study.genotypes.variants["ID"].tolist() == ["v2"]
    with pytest.raises(InputError, match="0 are cases and 1 controls"):
        read_study(folder / "s", samples=["001"])


@pytest.mark.parametrize(
    ("ids", "why"),
    [
        ("1 2 3", "leading zeros differ: 3 more would match"),
        ("001.0 002.0 003.0", "some end with .0"),
        ("001_001 002_002 003_003", "the file calls them FID_IID: 3"),
    ],
)
def test_names_that_do_not_match_are_explained(folder, ids, why):
    lines = [f"{name} {i % 2}" for i, name in enumerate(ids.split())]
    (folder / "p.txt").write_text("\n".join(["IID Y", *lines]) + "\n")
    with pytest.raises(FileFormatError, match=rf"p\.txt, line 2: none of its 3 .*{why}"):
        read_study(folder / "s", folder / "p.txt")
    (folder / "p.txt").write_text("\n".join(["IID Y", *lines, "007 1", "008 0"]) + "\n")
    assert why in read_study(folder / "s", folder / "p.txt").history[-1]


def test_genotypes_with_glued_names_are_explained(tmp_path):
    write_plink(Genotypes.from_copies([[0, 1]], iids=["f_a", "f_b"]), tmp_path / "s")
    (tmp_path / "p.txt").write_text("FID IID Y\nf a 0\nf b 1\n")
    with pytest.raises(FileFormatError, match="the genotypes call them FID_IID: 2 more"):
        read_study(tmp_path / "s", tmp_path / "p.txt")
    (tmp_path / "p.txt").write_text("FID IID Y\nf_a 1 0\nf_b 2 1\n")
    with pytest.raises(FileFormatError, match="the file has them as FID: 2 more"):
        read_study(tmp_path / "s", tmp_path / "p.txt")


def test_families_count_where_iids_repeat(tmp_path):
    packed = Genotypes.from_copies([[0, 1, 2]], iids=["1", "1", "2"])
    packed.samples["FID"] = ["f", "g", "g"]
    write_plink(packed, tmp_path / "s")
    (tmp_path / "p.txt").write_text("FID IID Y\ng 1 1\nf 1 0\nh 2 1\n")
    study = read_study(tmp_path / "s", tmp_path / "p.txt")
    assert study.y.tolist() == [False, True]
    assert study.history[-1] == (
        "2 of 3 samples were found in p.txt by FID and IID; 1 were not: g 2; 1 of its samples "
        "have no genotypes: h 2 (FIDs differ: 1 more would match)."
    )
    (tmp_path / "p.txt").write_text("IID Y\n1 1\n2 0\n")
    with pytest.raises(FileFormatError, match="no FID column, and IID 1"):
        read_study(tmp_path / "s", tmp_path / "p.txt")


@given(seed=st.integers(0, 2**32))
def test_any_order_and_overlap_joins_as_a_dictionary_does(tmp_path_factory, seed):
    folder = tmp_path_factory.mktemp("study")
    rng = np.random.default_rng(seed)
    ours = rng.permutation(40)[:25]
    theirs = np.concatenate([rng.permutation(40)[:28], [98, 99]])
    write_plink(Genotypes.from_copies([ours % 3], iids=ours.astype(str)), folder / "s")
    outcome = dict(zip(theirs, rng.choice(["0", "1", "NA"], 30), strict=True))
    outcome[ours[0]], outcome[ours[1]] = "0", "1"
    lines = [f"{iid} {value}\n" for iid, value in outcome.items()]
    (folder / "p.txt").write_text("IID Y\n" + "".join(lines))
    study = read_study(folder / "s", folder / "p.txt", allele="first")
    kept = [i for i in ours if outcome.get(i, "NA") != "NA"]
    assert study.genotypes.samples["IID"].tolist() == [str(i) for i in kept]
    assert study.y.tolist() == [outcome[i] == "1" for i in kept]
    assert study.genotypes.copies([0]).tolist() == [[i % 3 for i in kept]]


def test_a_study_that_does_not_fit_together_is_refused():
    calls = Genotypes.from_copies([[0, 1]])
    with pytest.raises(InputError, match="each of 2 samples"):
        Study(calls, np.array([True]))
    with pytest.raises(InputError, match="each of 2 samples"):
        Study(calls, np.array([0, 1]))


def test_a_vcf_file_needs_outcomes(tmp_path):
    with pytest.raises(InputError, match=r"a\.vcf has no phenotypes; name a phenotype file"):
        read_study(tmp_path / "a.vcf")


@adds("study in the files of regenie's authors")
def test_the_phenotypes_of_regenie_are_joined():
    study = read_study(
        PLINK / "regenie_example", PLINK / "regenie_phenotype_bin.txt", pheno_name="Y1"
    )
    assert repr(study) == "<Study: 121 cases and 379 controls x 1,000 variants>"
    rows = (PLINK / "regenie_phenotype_bin.txt").read_text().split("\n")[1:-1]
    outcome = {row.split()[1]: row.split()[2] == "1" for row in rows}
    assert study.y.tolist() == [outcome[iid] for iid in study.genotypes.samples["IID"]]
    with pytest.raises(FileFormatError, match=r"regenie_example\.fam, line 1: PHENO is '-0\.42"):
        read_study(PLINK / "regenie_example")
    assert read_study(PLINK / "hapmap_ceu_yri").y.sum() == 60


def test_a_packed_study_comes_back(tmp_path):
    made = planted_study(n=130)
    covariates = pd.DataFrame({"age": np.arange(130.0), "site": np.arange(130) % 3})
    covariates["town"] = np.where(np.arange(130) % 7, "north", None)
    covariates.loc[4, "age"] = np.nan
    given = Study(
        made.genotypes, made.y, covariates, ("Read.", "Left out."), np.arange(130) % 4, ("Mind.",)
    )
    digest = given.save(tmp_path / "study.pack")
    opened = Study.open(tmp_path / "study.pack")
    assert digest == given.save(tmp_path / "again.pack")
    np.testing.assert_array_equal(opened.genotypes.planes, made.genotypes.planes)
    np.testing.assert_array_equal(opened.y, made.y)
    pd.testing.assert_frame_equal(opened.covariates, covariates, check_dtype=False)
    pd.testing.assert_frame_equal(
        opened.genotypes.variants, made.genotypes.variants, check_dtype=False
    )
    pd.testing.assert_frame_equal(
        opened.genotypes.samples, made.genotypes.samples, check_dtype=False
    )
    assert (opened.history, opened.warnings) == (given.history, given.warnings)
    np.testing.assert_array_equal(opened.families, given.families)
    assert opened.genotypes.history == made.genotypes.history
    assert repr(opened.filtered()) == repr(given.filtered())
    with pytest.raises(InputError, match=r"holds a packed study, where a table is asked for"):
        BitMatrix.open(tmp_path / "study.pack")


def test_texts_are_levels_of_a_covariate_and_gaps_stay_gaps(tmp_path):
    write_plink(Genotypes.from_copies([[0, 1, 2, 1]], iids=list("abcd")), tmp_path / "s",
                np.array([True, True, False, False]))  # fmt: skip
    covar = tmp_path / "covar.txt"
    covar.write_text("IID site age\nd south 50\na north NA\nc NA 41\n")
    study = read_study(tmp_path / "s", covar=covar)
    assert study.covariates["site"].tolist()[::3] == ["north", "south"]
    assert study.covariates["site"].isna().tolist() == [False, True, True, False]
    np.testing.assert_array_equal(study.covariates["age"], [np.nan, np.nan, 41, 50])
    covar.write_text("IID site\na north\nb 7\nc south\nd 8\n")
    with pytest.raises(FileFormatError, match=r"line 2.*site is 'north', and must be a number"):
        read_study(tmp_path / "s", covar=covar)


def test_sex_of_the_genotype_files_is_a_covariate_by_name(tmp_path):
    calls = Genotypes.from_copies([[0, 1, 2, 1]], iids=list("abcd"))
    calls.samples["SEX"] = [1, 2, 0, 1]
    write_plink(calls, tmp_path / "s", y=np.array([True, False, True, False]))
    (tmp_path / "age.txt").write_text("IID AGE\na 1\nb 2\nc 3\nd 4\n")
    (tmp_path / "both.txt").write_text("IID AGE SEX\na 1 F\nb 2 M\nc 3 F\nd 4 M\n")
    sexes = ["male", "female", "unknown", "male"]
    alone = read_study(tmp_path / "s", covar_names=["SEX"])
    assert alone.covariates.to_dict("list") == {"SEX": sexes}
    beside = read_study(tmp_path / "s", covar=tmp_path / "age.txt", covar_names=["SEX", "AGE"])
    assert beside.covariates.to_dict("list") == {"AGE": [1, 2, 3, 4], "SEX": sexes}
    own = read_study(tmp_path / "s", covar=tmp_path / "both.txt", covar_names=["SEX"])
    assert own.covariates.to_dict("list") == {"SEX": ["F", "M", "F", "M"]}
    with pytest.raises(InputError, match="No file of covariates is given, of which to read 'AGE'"):
        read_study(tmp_path / "s", covar_names=["AGE"])


def test_how_outcomes_were_read_can_be_a_warning(tmp_path):
    calls = Genotypes.from_copies([[0, 1, 2, 1]], iids=list("abcd"))
    write_plink(calls, tmp_path / "s")
    (tmp_path / "p.txt").write_text("IID ill\na 0\nb 1\nc 2\nd 1\n")
    [warning] = read_study(tmp_path / "s", tmp_path / "p.txt").warnings
    assert "0 is read as missing (1 sample)" in warning


def test_many_missing_covariates_are_a_warning(tmp_path):
    n = 40
    write_plink(Genotypes.from_copies([[0, 1] * 20]), tmp_path / "s", y=np.arange(n) < 20)
    ages = [f"s{i + 1} {50 + i}" for i in range(n)]
    for there, warned in ((38, False), (37, True)):  # of 40 a twentieth is 2
        (tmp_path / "c.txt").write_text("\n".join(["IID age", *ages[:there]]) + "\n")
        warnings = read_study(tmp_path / "s", covar=tmp_path / "c.txt").warnings
        told = [w for w in warnings if f"Missing covariates in {n - there} samples" in w]
        assert len(told) == len(warnings) == warned


def test_variants_left_out_for_want_of_sex_are_a_warning():
    calls = Genotypes.from_copies([[0, 1, 2, 1], [0, 2, 1, 1]])
    calls.variants["CHR"] = ["1", "X"]
    study = Study(calls, np.arange(4) < 2).filtered(Filters(hwe=0, sample_call_rate=0))
    [warning] = study.warnings
    assert warning == "1 variant on X and Y left out: no sample has a known sex."
