"""pack, scan and merge."""

import hashlib
import os
import re
from pathlib import Path

import pytest

from tests.cli.studies import markers
from tests.genomics.planted import TRUTH

pytestmark = pytest.mark.slow


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
    for command in (["scan", "study"], ["merge", "scan.1.tsv"]):
        told = run(*command, "--out", "scan.csv")
        told.assert_one_sentence(["scan.csv", "written to .tsv, .tab or .txt, not to .csv"])


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
