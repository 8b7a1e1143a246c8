"""More than two classes on the command line."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def irises(run):
    """A table irises.csv of three classes that follow a list, with some noise."""
    rng = np.random.default_rng(2)
    table = pd.DataFrame(
        {"petal": rng.choice(["short", "long"], 240), "colour": rng.choice(list("rgb"), 240)}
    )
    kind = np.where(table["petal"] == "short", "setosa", "virginica")
    kind = np.where((table["petal"] == "long") & (table["colour"] == "r"), "versicolor", kind)
    kind = np.where(rng.random(240) < 0.05, "setosa", kind)
    table.assign(kind=kind).to_csv("irises.csv", index=False)
    return run


SAMPLE = (
    "sample", "irises.csv", "--target", "kind", "--draws", 20, "--warmup", 10, "--chains", 2,
)  # fmt: skip
FIT = ("fit", "irises.csv", "--target", "kind", "--out", "m.json")


def test_fit_show_export_and_predict(irises):
    shown = irises(*FIT, "--cv", 2)
    assert "240 rows (" in shown.out
    assert "Rule list for 3 classes:" in shown.out
    assert "P(virginica)" in shown.out
    assert "Held out (2-fold cross-validation)" in shown.out
    result = irises(*FIT, "--report", "r.html", "--json").json()
    assert "separates\n3 classes." in Path("r.html").read_text("utf-8")
    assert result["classes"] == ["setosa", "versicolor", "virginica"]
    assert result["positive"] is None
    assert {part["class"] for part in result["layers"]} == set(result["classes"])
    assert "Rule list for 3 classes:" in irises("show", "m.json").out
    assert "THEN '" in irises("export", "m.json", "--to", "sql").out
    irises("predict", "m.json", "irises.csv", "--out", "answers.csv")
    answers, table = pd.read_csv("answers.csv"), pd.read_csv("irises.csv")
    assert list(answers) == [
        "predicted", "P(setosa)", "P(versicolor)", "P(virginica)", "part", "marked", "terms",
    ]  # fmt: skip
    assert (answers["predicted"] == table["kind"]).mean() > 0.9
    np.testing.assert_allclose(answers.filter(like="P(").sum(axis=1), 1)


def test_one_against_the_others_and_its_report(irises):
    result = irises(*FIT, "--positive", "setosa", "--report", "r.html", "--json").json()
    assert result["classes"] == ["other", "setosa"]
    done = irises("report", "m.json", "--data", "irises.csv", "--out", "again.html")
    assert done.status == 0
    assert irises(*SAMPLE, "--positive", "setosa", "--json").json()["positive"] == "setosa"


def test_sample(irises):
    shown = irises(*SAMPLE, "--out", "p.nc")
    assert "Posterior of the rule for 3 classes" in shown.out
    again = irises("show", "p.nc", "--json").json()
    assert again["classes"] == ["setosa", "versicolor", "virginica"]
    assert set(again["representative"]["parts"][0]["shares"]) == set(again["classes"])


def test_too_many_folds_are_refused(irises):
    irises(*FIT, "--cv", 500).assert_one_sentence(
        ["--cv must be a number from 2 to", "rarest class"]
    )
