"""Predictions of REGENIE as a covariate."""

import gzip

import numpy as np
import pandas as pd
import pytest

from bayesdnf.errors import FileFormatError, InputError
from bayesdnf.genomics import Genotypes, read_study, write_plink
from bayesdnf.genomics.association.adjustment import adjust
from bayesdnf.genomics.files.null_risk import read_null_risk

SAMPLES = pd.DataFrame({"FID": ["f_1", "g"], "IID": ["bob", "ann"]})
GOOD = "FID_IID g_ann f_1_bob h_cas\n1 0.5 -0.25 NA\n7 1e-1 0.75 NA\n23 2 4 NA\n"


@pytest.fixture
def write(tmp_path):
    def write(text, name="study_1.loco"):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return write


@pytest.mark.parametrize(
    ("chromosomes", "expected"),
    [
        (["1", "chr1"], [-0.25, 0.5]),
        (["chrX"], [4, 2]),
        (["7", "1", "7"], [0.25, 0.3]),  # each chromosome counts once
    ],
)
def test_rows_of_the_study_are_averaged_over_its_chromosomes(write, chromosomes, expected):
    found = read_null_risk(write(GOOD), SAMPLES, chromosomes)
    assert found.values == pytest.approx(expected)
    assert ("on average" in found.said) == (len(set(chromosomes)) > 1 and "7" in chromosomes)


def test_a_compressed_file_is_the_same(write, tmp_path):
    packed = tmp_path / "study_1.loco.gz"
    packed.write_bytes(gzip.compress(GOOD.encode()))
    plain = read_null_risk(write(GOOD), SAMPLES, ["7"]).values
    assert read_null_risk(packed, SAMPLES, ["7"]).values.tolist() == plain.tolist()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "line 1: it begins with '', and a .loco file with FID_IID"),
        ("FID IID v\n1 2 3\n", "line 1: it begins with 'FID'"),
        (GOOD.replace("g_ann", "g_eve"), "line 1: 1 sample of the study .*no predictions: g_ann"),
        (GOOD.replace("h_cas", "g_ann"), "line 1: two samples are called g_ann"),
        (GOOD.replace("\n7 ", "\n8 "), "no predictions that leave out chromosome 7.*it has 1, 8"),
        (GOOD.replace("1e-1", "high"), "line 3: 'high' is not a number"),
        (GOOD.replace("1e-1 ", ""), "line 3: it has 3 fields, and the first line has 4"),
        (GOOD.replace("1e-1", "NA"), "predictions of 1 sample are missing, of g_ann first"),
        (GOOD.replace("1e-1", "inf"), "predictions of 1 sample are missing, of g_ann first"),
    ],
)
def test_what_is_wrong_is_said(write, text, why):
    with pytest.raises(FileFormatError, match=why):
        read_null_risk(write(text), SAMPLES, ["7"])


def test_predictions_become_strata_of_a_study(write, tmp_path):
    rng = np.random.default_rng(3)
    n = 600
    risk = np.repeat([-1.5, 1.5], n // 2)
    y = rng.random(n) < 1 / (1 + np.exp(-risk))
    calls = Genotypes.from_copies(rng.binomial(2, 0.3, (40, n)))
    write_plink(calls, tmp_path / "study", y)
    head = " ".join(f"{name}_{name}" for name in calls.samples["IID"])
    loco = write(f"FID_IID {head}\n1 {' '.join(map(str, risk))}\n")
    covar = write("\n".join(["IID NULL_RISK", *(f"s{i + 1} 1" for i in range(n))]), "covar.txt")
    study = read_study(tmp_path / "study", null_risk=loco)
    assert study.covariates["NULL_RISK"].tolist() == risk.tolist()
    assert "NULL_RISK is what study_1.loco predicts without 1 chromosome." in study.history
    strata = adjust(study.genotypes, study.y, study.covariates).numbers
    assert strata.tolist() == (risk > 0).astype(int).tolist()
    with pytest.raises(InputError, match="has a covariate NULL_RISK"):
        read_study(tmp_path / "study", covar=covar, null_risk=loco)
