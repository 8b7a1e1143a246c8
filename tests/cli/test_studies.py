"""What commands read of a study, and what they leave out and warn of."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bayesdnf.cli.studies import Stages, keeping
from bayesdnf.genomics import Genotypes, write_plink
from tests.beside import DATA, adds
from tests.cli.studies import markers
from tests.genomics.planted import TRUTH, study

pytestmark = pytest.mark.slow
SHARED = DATA / "genomics" / "plink"


def test_an_interruption_names_the_checkpoint_that_there_is(tmp_path, capsys):
    kept = tmp_path / "kept"
    for there in (False, True):
        if there:
            kept.touch()
        with pytest.raises(KeyboardInterrupt), keeping(kept):
            raise KeyboardInterrupt
        told = f"Progress is saved in {kept}; run the same command to resume.\n" if there else ""
        assert capsys.readouterr().err == told


def test_a_stage_has_a_bar_until_the_next_one_begins(monkeypatch):
    seen = []

    class Told:
        def __init__(self, title):
            self.title = title

        def __enter__(self):
            return self

        def __exit__(self, *_):
            seen.append(f"{self.title} ends")

        def show(self, done, total, text):
            seen.append(f"{self.title} {done}/{total} {text}".strip())

    monkeypatch.setattr("bayesdnf.display.bars.Bar", Told)
    with Stages() as stages:
        stages("reading", 0, 2)
        stages("reading", 2, 2)
        stages("pairs", 1, 9)
    assert seen == [
        "Reading 0/2", "Reading 2/2 2 of 2", "Reading ends", "Pairs 1/9 1 of 9", "Pairs ends"
    ]  # fmt: skip


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
    assert "Markers are scored within 2 strata" in ran.out
    assert "within 2 strata" in ran.out
    assert TRUTH in ran.out
    related = run("scan", "study", "--out", "t.tsv")
    assert "strata do not correct for relatedness" in related.err
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
