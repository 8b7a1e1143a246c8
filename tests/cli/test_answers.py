"""predict: a line for each row, by a rule or averaged over draws."""

import numpy as np
import pandas as pd
import pytest

from bayesdnf import Draws, PosteriorDNFClassifier

FEW = ("--draws", 200, "--warmup", 100, "--thin", 20, "--chains", 2)


def draw(*arguments):
    return ("sample", "plants.csv", "--target", "class", "--out", "d.nc", *FEW, *arguments)


@pytest.mark.parametrize("layers", [1, 4])
def test_draws_predict_what_the_classifier_predicts(run, plants, layers):
    given = ("--layers", layers, "--positive", "p", "--strata", "noise")
    assert run(*draw(*given)).status == 0
    model = PosteriorDNFClassifier.load("d.nc")
    X = plants.drop(columns="class")
    for strata, X_used in ((None, X.drop(columns="noise")), (X["noise"], X)):
        X_used.to_csv("new.csv", index=False)
        ran = run("predict", "d.nc", "new.csv", "--out", "a.csv")
        assert ran.status == 0
        answers = pd.read_csv("a.csv")
        assert [*answers] == ["predicted", "probability", "low", "high", "marked_probability"]
        known = model.predict_interval(X, strata=strata)
        for column, own in zip(
            ("probability", "low", "high"), ("mean", "low", "high"), strict=True
        ):
            assert answers[column].to_list() == known[own].to_list()
        assert answers["marked_probability"].to_list() == model.marked_probability(X).tolist()
        assert answers["predicted"].to_list() == model.predict(X, strata=strata).tolist()
        n = answers["marked_probability"].sum()
        assert f"new.csv: 300 rows, drawn rules hold on {n:,.1f} on average; predicted e" in (
            ran.out.replace("a.csv", "new.csv")
        )
    assert ("pooled over the strata" in ran.err) == (strata is None)
    told = run("predict", "d.nc", "new.csv", "--out", "a.csv", "--threshold", 0.01, "--json").json()
    probability = model.predict_proba(X, strata)[:, list(model.classes_).index("p")]
    assert told["predicted"]["p"] == (probability >= 0.01).sum()
    assert told["marked"] == pytest.approx(n)


def test_draws_of_several_classes_predict(run, plants):
    plants["class"] = np.where(plants["odor"] == "n", "x", plants["class"])
    plants.to_csv("plants.csv", index=False)
    assert run(*draw("--layers", 3)).status == 0
    assert run("predict", "d.nc", "plants.csv", "--out", "a.parquet").status == 0
    answers = pd.read_parquet("a.parquet")
    model = PosteriorDNFClassifier.load("d.nc")
    X = plants.drop(columns="class")
    known = model.predict_interval(X)
    for c, label in enumerate(("e", "p", "x")):
        assert answers[f"P({label})"].to_list() == model.predict_proba(X)[:, c].tolist()
        assert answers[f"low({label})"].to_list() == known[label]["low"].to_list()
        assert answers[f"high({label})"].to_list() == known[label]["high"].to_list()
    assert answers["predicted"].to_list() == model.predict(X).tolist()
    ran = run("predict", "d.nc", "plants.csv", "--out", "a.csv", "--threshold", 0.5)
    assert ran.status == 2
    assert "are for two classes" in ran.err


def test_predicting_by_doubtful_draws_warns(run, plants, monkeypatch):
    assert run(*draw("--layers", 1)).status == 0
    for doubt in ("", "The chains do not agree."):
        monkeypatch.setattr(Draws, "doubt", property(lambda self, doubt=doubt: doubt))
        ran = run("predict", "d.nc", "plants.csv", "--out", "a.csv")
        assert ran.err == (f"Warning: {doubt}\n" if doubt else "")


def test_draws_and_a_table_that_does_not_fit(run, plants):
    few = ("--draws", 10, "--warmup", 0, "--thin", 1)  # they use few of the columns
    assert run(*draw("--layers", 1, *few)).status == 0
    unused = next(
        name
        for name in ("noise", "cap", "age")
        if name not in {x.attribute for x in Draws.load("d.nc").literals}
    )
    plants.drop(columns=unused).to_csv("few.csv", index=False)
    ran = run("predict", "d.nc", "few.csv", "--out", "a.csv")
    ran.assert_one_sentence([f"few.csv has no column '{unused}'", "d.nc was fitted on"])
    allowed = ("--allow-missing-columns",)
    assert run("predict", "d.nc", "few.csv", "--out", "a.csv", *allowed).status == 0
    plants.drop(columns="odor").to_csv("few.csv", index=False)
    ran = run("predict", "d.nc", "few.csv", "--out", "a.csv", *allowed)
    ran.assert_one_sentence(["few.csv has no column 'odor'", "which the drawn rules of d.nc use."])


def test_rows_are_read_once(run, plants, monkeypatch):
    assert run(*draw("--layers", 1)).status == 0
    read, as_it_is = [], PosteriorDNFClassifier._read_rows
    monkeypatch.setattr(
        PosteriorDNFClassifier, "_read_rows", lambda *given: read.append(1) or as_it_is(*given)
    )
    assert run("predict", "d.nc", "plants.csv", "--out", "a.csv.gz").status == 0
    assert read == [1]
