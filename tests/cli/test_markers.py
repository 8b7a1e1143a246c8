"""markers, and predict with a model of markers."""

import hashlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bayesdnf import Effect
from bayesdnf.genomics import Genotypes, MarkerModel, find_markers, read_plink, write_plink
from tests.cli.studies import markers
from tests.genomics.planted import TRUTH, study

pytestmark = pytest.mark.slow


FILES = {
    "draws.nc", "manhattan.png", "marker1.png", "markers.log", "markers.tsv", "model.json",
    "pairs.tsv", "qq.png", "regions.tsv", "report.html", "summary.txt", "variants.tsv",
}  # fmt: skip


@pytest.fixture(scope="module")
def found():
    effect = Effect(prevalence=0.01, sampling="case-control")
    return find_markers(study(), effect=effect, draws=100, chains=2, random_state=0)


@pytest.fixture
def model(plink, found):
    """The file model.json, as the command writes it, of what was found in the study."""
    MarkerModel.of(found).save("model.json")


def test_markers_writes_a_folder_and_prints_the_summary(run, plink):
    ran = run(*markers("--pheno", "pheno.txt", "--prevalence", 0.01, "--covar", "covar.txt"))
    assert (ran.status, ran.err) == (0, "")
    assert {file.name for file in Path("results").iterdir()} == FILES
    text = Path("results/summary.txt").read_text()
    assert ran.out == f"{text}\n12 files written to results.\n"
    assert TRUTH in text
    assert "of a population with 0.01 cases" in text
    log = Path("results/markers.log").read_text()
    page = Path("results/report.html").read_text()
    for name in ("study.bed", "study.bim", "study.fam", "pheno.txt", "covar.txt"):
        digest = hashlib.sha256(Path(name).read_bytes()).hexdigest()
        assert f"{name}: sha256 {digest}" in log
        assert digest in page
    for wanted in (
        "bayesdnf markers study --out results --draws 100",
        "Read 30 variants of 900 samples from study.bed.",
        "900 of 900 samples were found in pheno.txt by IID",
        "variants left out: minor allele frequency below 0.01.",
        "Filters(",
        "Close relatives were not identified",
        "reading: ",
        "filters: ",
        "relatives: ",
        "single variants: ",
        "pairs: ",
        "pairs, by genotype cells: ",
        "sweeps of all variants: ",
        "tables, pictures and report: ",
    ):
        assert wanted in log
    assert "ADJ_OR" in pd.read_csv("results/markers.tsv", sep="\t").columns


def test_without_a_prevalence_risks_are_the_samples(run, plink):
    kept = ("--checkpoint", "kept")  # removed when the results are saved
    ran = run(*markers("--json", "--seed", 5, "--pcs", 2, "--permutations", 1, *kept))
    result = ran.json()
    assert not Path("kept").exists()
    assert result["rule"] == TRUTH
    assert result["prevalence"] is None
    assert result["settings"]["draws"] == 100
    assert result["terms"][0]["P_FWE"] == 0.5
    assert "ADJ_OR" in result["terms"][0]
    assert {Path(file).name for file in result["files"]} == FILES
    assert "Without a prevalence" in Path("results/summary.txt").read_text()


def test_predict_in_another_cohort(run, model):
    other = study(seed=9, n=200)
    turned = other.genotypes.swapped(np.array([name == "rs4_A" for name in other.genotypes.names]))
    calls = turned.copies(range(turned.n_variants))
    calls[7, :10] = -1  # rs8
    packed = Genotypes.from_copies(calls)
    write_plink(replace(packed, variants=turned.variants), "study2")
    ran = run("predict", "model.json", "study2", "--out", "answers.tsv")
    assert (ran.status, ran.err) == (0, "")
    assert "rs4_A swapped" in " ".join(ran.out.split())
    assert "2 of 2 variants of the model found" in ran.out
    assert "risks are of a population with 0.01 cases" in ran.out
    answers = pd.read_csv("answers.tsv", sep="\t", dtype={"TERMS": str})
    assert list(answers.columns) == ["FID", "IID", "MARKED", "TERMS", "RISK"]
    original = other.genotypes.copies([3, 7])
    expected = ((original[0] >= 1) & (original[1] >= 1)).astype(float)
    expected[:10] = np.where(original[0][:10] >= 1, np.nan, 0)
    np.testing.assert_array_equal(answers["MARKED"], expected)
    np.testing.assert_array_equal(answers["RISK"].isna(), np.isnan(expected))
    assert "variants of the model found" in Path("answers.tsv.log").read_text()


def test_predict_lists_what_it_does_not_guess(run, model):
    here = read_plink("study")
    variants = here.variants.copy()
    variants.loc[variants["ID"] == "rs4", ["A1", "A2"]] = ["A", "T"]
    kept = variants["ID"] != "rs8"
    write_plink(replace(here, variants=variants).take(variants=kept.to_numpy()), "study2")
    ran = run("predict", "model.json", "study2", "--out", "answers.tsv", "--json")
    result = ran.json()
    status = {row["variant"]: row["status"] for row in result["variants"]}
    assert status == {"rs4_A": "other alleles", "rs8_A": "absent"}
    assert (result["marked"], result["undecided"]) == (0, 900)
    assert "Warning: no sample is decided" in ran.err
    assert "NA" in Path("answers.tsv").read_text()


def test_predict_refuses_a_study_that_is_not_there(run, model):
    ran = run("predict", "model.json", "nowhere", "--out", "answers.tsv")
    ran.assert_one_sentence(["nowhere"])
    ran = run("predict", "model.json", "study", "--out", "model.json")
    ran.assert_one_sentence(["name another"])
    assert MarkerModel.load("model.json").function


def test_a_model_knows_the_file_that_it_comes_from(run, plink):
    half = np.random.default_rng(1).binomial(2, 0.5, len(plink.y))
    calls = plink.genotypes.copies(range(30))
    calls[20] = half
    marked = (half >= 1) & (calls[7] >= 1)
    ill = np.random.default_rng(2).random(len(half)) < np.where(marked, 0.8, 0.1)
    packed = replace(plink.genotypes, planes=Genotypes.from_copies(calls).planes)
    packed.variants.loc[20, ["A1", "A2"]] = ["C", "G"]  # frequency 1/2: no strand can be told
    write_plink(packed, "study", ill)
    assert run(*markers()).status == 0
    same = run("predict", "results/model.json", "study", "--out", "a.tsv", "--json").json()
    assert same["undecided"] == 0
    write_plink(packed.take(samples=np.arange(len(ill)) < 800), "fewer", ill[:800])
    Path("fewer.bim").write_text(Path("fewer.bim").read_text().replace("rs1\t", "rs999\t"))
    other = run("predict", "results/model.json", "fewer", "--out", "b.tsv", "--json").json()
    assert other["undecided"] > 300
    accept = ("--ambiguous", "accept", "--json")
    taken = run("predict", "results/model.json", "fewer", "--out", "c.tsv", *accept).json()
    assert taken["undecided"] == 0
