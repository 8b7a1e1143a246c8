"""Options of commands that read a study."""

from pathlib import Path

import pandas as pd
import pytest

from tests.cli.studies import markers

pytestmark = pytest.mark.slow


def test_options_reach_what_they_name(run, plink):
    Path("few.txt").write_text("rs4\nrs8\nrs9\nrs20\n")
    Path("gone.txt").write_text("rs20\n")
    Path("who.txt").write_text("".join(f"s{i}\n" for i in range(1, 801)))
    Path("genes.bed").write_text("chr1\t3999000\t4001000\tALPHA\n")
    asked = (
        "--extract few.txt --exclude gone.txt --keep who.txt --json --codings dominant "
        "--no-negations --allele first --genes genes.bed --maf 0.05 --gap 1000 --region 1 "
        "--missing drop --ld-r2 0.9"
    )
    ran = run(*markers(*asked.split()))
    result = ran.json()
    assert result["variants"] == 3
    assert result["cases"] + result["controls"] == 800
    assert result["settings"]["codings"] == ["dominant"]
    assert result["settings"]["negations"] is False
    assert result["settings"]["gap"] == 1000
    table = pd.read_csv("results/markers.tsv", sep="\t")
    assert table["GENE"][0].startswith("ALPHA,")
    told = " ".join(result["history"])
    for wanted in ("The first allele", "below 0.05", "a call is missing", "r² above 0.9"):
        assert wanted in told


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("--maf", 0.7), ["--maf", "0.7"]),
        (("--prevalence", 1.5), ["--prevalence", "1.5"]),
        (("--pheno", "nobody.txt"), ["nobody.txt"]),
        (("--genes", "nobody.bed"), ["nobody.bed"]),
        (("--scan", "pheno.txt"), ["pheno.txt", "not a file of a scan"]),
        (("--codings", "additive"), ["--codings", "additive"]),
        (("--allele", "alt"), ["--allele", "alt"]),
        (("--region", "99"), ["99"]),
        (("--build", "hg19"), ["--build", "hg19"]),
        (("--missing", "mean"), ["--missing", "mean"]),
        (("--variants-kept", 0), ["--variants-kept"]),
    ],
)
def test_wrong_input_is_one_sentence_and_leaves_no_file(run, plink, arguments, named):
    run(*markers(*arguments)).assert_one_sentence(named)
    assert list(Path("results").glob("*")) == []
