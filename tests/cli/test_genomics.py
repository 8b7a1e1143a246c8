"""markers, scan, merge, and predict with a model of markers."""

import hashlib
import os
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bayesdnf import Effect
from bayesdnf.genomics import Genotypes, MarkerModel, find_markers, read_plink, write_plink
from tests.beside import DATA, adds
from tests.cli.studies import markers
from tests.genomics.planted import TRUTH, study

pytestmark = pytest.mark.slow


SHARED = DATA / "genomics" / "plink"


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
        "Close relatives were not looked for",
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


def test_close_relatives_are_warned_about(run, tmp_path):
    rng = np.random.default_rng(0)
    calls = rng.binomial(2, 0.4, (700, 60))
    calls[:, 1] = calls[:, 0]
    genotypes = Genotypes.from_copies(calls)
    genotypes.variants["POS"] = 1_000_000 * np.arange(1, 701)
    write_plink(genotypes, "study", np.arange(60) < 30)
    ran = run(*markers("--variants-kept", 20, "--no-negations"))
    assert ran.status == 0
    assert ran.err.startswith("Warning: 1 pair of close relatives")
    assert "s1 and s2" in Path("results/markers.log").read_text()


def test_parts_of_a_scan_merge_and_serve(run, plink):
    for k in (1, 2, 3):
        ran = run("scan", "study", "--part", f"{k}/3", "--out", f"scan.{k}.tsv", "--top", 50)
        assert (ran.status, ran.err) == (0, "")
        assert f"part {k} of 3" in ran.out
        assert "Read 30 variants" in Path(f"scan.{k}.tsv.log").read_text()
    assert run("merge", "scan.1.tsv", "scan.2.tsv", "scan.3.tsv", "--out", "scan.tsv").status == 0
    assert run("scan", "study", "--out", "whole.tsv", "--top", 50).status == 0
    assert Path("scan.tsv").read_bytes() == Path("whole.tsv").read_bytes()
    cells = run("scan", "study", "--measure", "cells", "--out", "cells.tsv", "--json").json()
    assert cells["measure"] == "cells"
    ran = run(*markers("--scan", "scan.tsv", "--scan", "cells.tsv", "--json"))
    assert ran.json()["rule"] == TRUTH
    run("scan", "study", "--part", "1/2", "--out", "half.tsv")
    run(*markers("--scan", "half.tsv")).assert_one_sentence(["merge all parts"])
    Path("gone.txt").write_text("rs20\n")
    wrong = run(*markers("--scan", "whole.tsv", "--exclude", "gone.txt"))
    wrong.assert_one_sentence(["not one of this study", "same files, filters"])
    run("merge", "scan.1.tsv", "scan.3.tsv", "--out", "x.tsv").assert_one_sentence(["part 2 of 3"])
    run("merge", "scan.1.tsv", "--out", "scan.1.tsv").assert_one_sentence(["name another"])
    run("scan", "study", "--out", "study.bim").assert_one_sentence(["study.bim", "name another"])


def test_a_packed_study_serves_as_its_files_do(run, plink):
    said = run("pack", "study", "--out", "study.pack", "--covar", "covar.txt", "--maf", 0.02)
    assert said.status == 0
    assert "study.pack: <Study: " in said.out
    assert "sha256" in said.out
    assert "minor allele frequency below 0.02" in Path("study.pack.log").read_text()
    given = ("--covar", "covar.txt", "--maf", 0.02)
    assert run("scan", "study", "--out", "files.tsv", *given).status == 0
    for name in ("study.bed", "study.bim", "study.fam", "covar.txt"):
        Path(name).unlink()
    for k in (1, 2):
        part = ("--part", f"{k}/2")
        assert run("scan", "study.pack", "--out", f"part{k}.tsv", *part).status == 0
    assert run("merge", "part1.tsv", "part2.tsv", "--out", "packed.tsv").status == 0
    assert Path("packed.tsv").read_text() == Path("files.tsv").read_text()
    said = run(*markers("--scan", "packed.tsv", files="study.pack"))
    assert said.status == 0, said.err
    assert TRUTH in Path("results/summary.txt").read_text()
    digest = hashlib.sha256(Path("study.pack").read_bytes()).hexdigest()
    assert f"study.pack: sha256 {digest}" in Path("results/markers.log").read_text()
    refused = run("scan", "study.pack", "--out", "no.tsv", "--maf", 0.1)
    assert refused.status == 2
    assert "--maf" in refused.err
    assert not Path("no.tsv").exists()
    os.truncate("study.pack", 5000)
    refused = run("scan", "study.pack", "--out", "no.tsv")
    assert (refused.status, refused.out) == (1, "")
    assert "study.pack is truncated or damaged" in refused.err
    assert not Path("no.tsv").exists()


def test_triples_of_blocks_of_linkage_in_parts(run, plink):
    given = ("--size", 3, "--among", 20)
    ran = run("scan", "study", "--out", "all.tsv", *given)
    assert (ran.status, ran.out.split(".tsv: ")[1][:18]) == (0, "the best 1,000 tri")
    assert re.search(r"1,140 triples of 20 blocks of linkage: about .* on 1 thread\.", ran.err)
    for k in (1, 2, 3):
        assert run("scan", "study", "--out", f"{k}.tsv", *given, "--part", f"{k}/3").status == 0
    assert run("merge", "1.tsv", "2.tsv", "3.tsv", "--out", "merged.tsv").status == 0
    assert Path("merged.tsv").read_text() == Path("all.tsv").read_text()
    assert run("scan", "study", "--out", "other.tsv", "--size", 3, "--part", "1/3").status == 0
    refused = run("merge", "other.tsv", "2.tsv", "3.tsv", "--out", "no.tsv")
    assert refused.status == 1
    assert "different scans: among" in refused.err


@pytest.mark.parametrize("part", ["0/3", "4/3", "2", "a/b"])
def test_a_wrong_part_is_wrong_usage(run, plink, part):
    ran = run("scan", "study", "--part", part, "--out", "scan.tsv")
    assert ran.status == 2
    assert "--part must be k/n" in ran.err


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
    assert "NA" in Path("answers.tsv").read_text()


def test_predict_refuses_a_study_that_is_not_there(run, model):
    ran = run("predict", "model.json", "nowhere", "--out", "answers.tsv")
    ran.assert_one_sentence(["nowhere"])
    ran = run("predict", "model.json", "study", "--out", "model.json")
    ran.assert_one_sentence(["name another"])
    assert MarkerModel.load("model.json").function


@adds("file of phenotypes that regenie's authors wrote")
def test_phenotypes_of_a_file_of_their_own(run):
    pheno = SHARED / "regenie_phenotype_bin.txt"
    files = SHARED / "regenie_example"
    run(*markers("--pheno", pheno, files=files)).assert_one_sentence(["Y1, Y2"])
    ran = run(*markers("--pheno", pheno, "--pheno-name", "Y1", "--json", files=files))
    result = ran.json()
    assert result["cases"] + result["controls"] == 500
    assert any("500 of 500 samples were found" in sentence for sentence in result["history"])
    assert "No marker" in Path("results/summary.txt").read_text()


def test_structure_relatives_and_levels_from_the_shell(run):
    rng = np.random.default_rng(0)
    made = study(n=600, variants=510, pi0=0.1, pi1=0.6)
    calls = made.genotypes.copies(range(510))
    calls[:, 599] = calls[:, 0]  # the same person twice
    packed = replace(made.genotypes, planes=Genotypes.from_copies(calls).planes)
    site = rng.choice(["north", "south"], 600)
    ill = made.y | ((site == "south") & (rng.random(600) < 0.4))
    write_plink(packed, "study", ill)
    table = packed.samples[["FID", "IID"]].assign(SITE=site, AGE=rng.normal(50, 9, 600).round())
    table.to_csv("covar.txt", sep=" ", index=False)
    scanned = run("scan", "study", "--covar", "covar.txt", "--king-cutoff", 0.2, "--out", "s.tsv")
    assert (scanned.status, scanned.err) == (0, "")
    assert "make 2 strata" in Path("s.tsv.log").read_text()
    ran = run(*markers("--covar", "covar.txt", "--king-cutoff", 0.2, "--scan", "s.tsv"))
    assert (ran.status, ran.err) == (0, "")
    assert (
        "1 of 600 samples left out: kinship of 0.2 or more"
        in Path("results/markers.log").read_text()
    )
    assert "Markers are judged within 2 strata" in ran.out
    assert "within 2 strata" in ran.out
    assert TRUTH in ran.out
    related = run("scan", "study", "--out", "t.tsv")
    assert "strata do not cure that" in related.err
    people = " ".join(packed.samples["FID"] + "_" + packed.samples["IID"])
    risk = " ".join("1" if south else "0" for south in site == "south")
    rows = [f"{chromosome} {risk}" for chromosome in packed.variants["CHR"].unique()]
    Path("s_1.loco").write_text("\n".join([f"FID_IID {people}", *rows]))
    predicted = run("scan", "study", "--null-risk", "s_1.loco", "--out", "n.tsv")
    assert predicted.status == 0
    assert "make 2 strata" in Path("n.tsv.log").read_text()
    named = run(*markers("--covar", "covar.txt", "--strata", "SIDE"))
    assert named.status == 1
    assert "The covariates have no column 'SIDE' for strata; they have SITE, AGE." in named.err


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
