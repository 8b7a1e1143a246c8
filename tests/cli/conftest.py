"""The command line, run inside the test's process and in an empty folder."""

import json
import sys

import numpy as np
import pandas as pd
import pytest

from bayesdnf.cli import main
from bayesdnf.genomics import write_plink
from tests.genomics.planted import study


class Ran:
    """Exit status and what was printed."""

    def __init__(self, status, captured):
        self.status, self.out, self.err = status, captured.out, captured.err

    def json(self):
        """Parse standard output, which must hold one JSON object and nothing else."""
        value = json.loads(self.out)
        assert isinstance(value, dict)
        return value

    def assert_one_sentence(self, named):
        """The input was wrong, and one sentence on standard error names these things."""
        assert self.status == 1
        assert self.out == ""
        assert self.err.startswith("Error: ")
        assert len(self.err.splitlines()) == 1
        assert self.err.endswith(".\n") or self.err.endswith("?\n")
        assert [text for text in named if text not in self.err] == []


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    """Run ``bayesdnf`` with arguments in an empty folder, inside this process."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["bayesdnf", *map(str, arguments)])
        capsys.readouterr()
        status = 0
        try:
            main()
        except SystemExit as end:
            status = end.code
        return Ran(status or 0, capsys.readouterr())

    return run


@pytest.fixture
def plants(run):
    """A table plants.csv whose rule is: odor = f, or age of 50 or more and cap = ?."""
    rng = np.random.default_rng(5)
    table = pd.DataFrame(
        {
            "odor": rng.choice(list("fna"), 300),
            "cap": rng.choice(["?", "w", "7"], 300),
            "age": rng.integers(20, 80, 300),
            "noise": rng.choice(["NA", "no"], 300),
        }
    )
    ill = (table["odor"] == "f") | ((table["age"] >= 50) & (table["cap"] == "?"))
    table = table.assign(**{"class": np.where(ill, "p", "e")})
    table.to_csv("plants.csv", index=False)
    return table


@pytest.fixture
def plink(run):
    """PLINK files study.bed/.bim/.fam, and pheno.txt with the same outcomes."""
    made = study()
    write_plink(made.genotypes, "study", made.y)
    samples = made.genotypes.samples
    table = samples[["FID", "IID"]].assign(ILL=made.y.astype(int), AGE=np.arange(len(samples)) % 50)
    table[["FID", "IID", "ILL"]].to_csv("pheno.txt", sep=" ", index=False)
    table[["FID", "IID", "AGE"]].to_csv("covar.txt", sep=" ", index=False)
    return made
