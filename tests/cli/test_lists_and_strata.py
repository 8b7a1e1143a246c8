"""--layers and --strata: the list on the terminal, in files and exports, and wrong options."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bayesdnf import DNFClassifier, RuleList
from bayesdnf.estimators.held_out import stratified_part
from tests.boolean.running import compiled
from tests.estimators.planted_list import confounded, planted


@pytest.fixture
def ill(run):
    """A table ill.csv whose outcome follows a list of three layers; half of it in test.csv."""
    X, y = planted()
    table = X.assign(ill=y)
    table[:800].to_csv("ill.csv", index=False)
    table[800:].to_csv("test.csv", index=False)
    return table


@pytest.fixture
def sites(run):
    """A table sites.csv that is confounded by its column site."""
    X, y, site = confounded()
    table = X.assign(site=site, y=y)
    table.to_csv("sites.csv", index=False)
    return table


def fit_list(*arguments):
    given = ("--target", "ill", "--positive", "ill", "--layers", 3, "--out", "m.json")
    return ("fit", "ill.csv", *given, *arguments)


def fit_sites(*arguments):
    return ("fit", "sites.csv", "--target", "y", "--out", "m.json", "--strata", "site", *arguments)


def test_a_list_is_printed_saved_shown_and_predicted(run, ill):
    ran = run(*fit_list("--test", "test.csv", "--report", "r.html"))
    assert (ran.status, ran.err) == (0, "")
    model = DNFClassifier.load("m.json")
    assert isinstance(model.function_, RuleList)
    assert "Rule list for ill:\n  if   (odor = f)\n  elif (" in ran.out
    assert "\n  else\n" in ran.out
    assert " layer 3 " in ran.out
    assert "lowered" in ran.out
    assert "Held out (test.csv): AUC" in ran.out
    shown = run("show", "m.json").out
    assert shown.splitlines()[:6] == ran.out.splitlines()[:6]
    assert "The rule list" in Path("r.html").read_text("utf-8")
    assert run("predict", "m.json", "test.csv", "--out", "a.csv").out.startswith(
        "a.csv: 400 rows, a"
    )
    answers = pd.read_csv("a.csv", dtype={"terms": str})
    X = ill[800:].drop(columns="ill")
    index = list(model.classes_).index("ill")
    assert list(answers["part"]) == list(model.parts(X))
    assert list(answers["marked"]) == list(model.marked(X).astype(int))
    assert np.allclose(answers["probability"], model.predict_proba(X)[:, index])
    assert list(answers["predicted"]) == list(model.predict(X))
    # The numbers of terms are those of rules_, of the layer that decides only.
    layers = dict(zip(range(1, 99), model.rules_["layer"], strict=False))
    for part, terms in zip(answers["part"], answers["terms"].fillna(""), strict=True):
        assert {layers[int(t)] for t in terms.split()} == ({part} if part else set())


def test_a_list_as_json_and_its_exports(run, ill):
    result = run(*fit_list("--json")).json()
    model = DNFClassifier.load("m.json")
    assert result["rule"] == str(model.function_)
    assert [layer["part"] for layer in result["layers"]] == [3, 2, 1, 0]
    assert result["layers"][0]["rate"] == model.risks_[3].mean
    assert result["risk_marked"] is None
    assert [term["layer"] for term in result["terms"]] == list(model.rules_["layer"])
    assert run("show", "m.json", "--json").json()["layers"] == result["layers"]
    rules, risks = model.function_, [risk.mean for risk in model.risks_]
    for to, text in {
        "sql": rules.to_sql(risks),
        "python": rules.to_python(risks=risks),
        "latex": rules.to_latex(risks),
        "text": rules.to_text(risks),
        "json": rules.to_json(),
    }.items():
        assert run("export", "m.json", "--to", to).out.rstrip("\n") == text.rstrip("\n")
    assert run("export", "m.json", "--to", "text", "--parts").out == f"{rules}\n"
    by_python = compiled(run("export", "m.json", "--to", "python").out, "rules")
    row = {"odor": "f", "age": None}
    assert by_python(row) == risks[3]


def test_a_function_exports_as_text(run, ill):
    run("fit", "ill.csv", "--target", "ill", "--out", "m.json")
    assert (
        run("export", "m.json", "--to", "text").out
        == f"{run('show', 'm.json', '--json').json()['rule']}\n"
    )


def test_strata_leave_the_table_and_come_back_in_predict(run, sites):
    ran = run(*fit_sites("--report", "r.html"))
    assert (ran.status, ran.err) == (0, "")
    assert "3 columns" in ran.out
    assert "(NOT gene)" in ran.out or "(gene)" in ran.out
    assert "north" in ran.out
    model = DNFClassifier.load("m.json")
    assert (model.strata_, model.record_.strata) == (("north", "south"), "site")
    assert "Compared with its stratum" in Path("r.html").read_text("utf-8")
    assert run("predict", "m.json", "sites.csv", "--out", "a.csv").err == ""
    expected = model.predict_proba(sites, strata=sites["site"])[:, 1]
    assert np.allclose(pd.read_csv("a.csv")["probability"], expected)
    sites.drop(columns="site").to_csv("less.csv", index=False)
    ran = run("predict", "m.json", "less.csv", "--out", "a.csv")
    assert ran.err == (
        "less.csv has no column of strata ('site'): risks are pooled over the strata.\n"
    )
    assert np.allclose(pd.read_csv("a.csv")["probability"], model.predict_proba(sites)[:, 1])
    sites.rename(columns={"site": "place"}).to_csv("other.csv", index=False)
    run("predict", "m.json", "other.csv", "--out", "a.csv", "--strata", "place")
    assert np.allclose(pd.read_csv("a.csv")["probability"], expected)
    result = run("show", "m.json", "--json").json()
    assert [row["stratum"] for row in result["strata"]] == ["north", "north", "south", "south"]
    ran = run("report", "m.json", "--data", "sites.csv", "--out", "r.html")
    assert (ran.status, ran.err) == (0, "")


def test_strata_that_look_like_numbers_stay_what_they_were(run, sites):
    sites.assign(site=sites["site"].map({"north": "1", "south": "2x"})).to_csv(
        "sites.csv", index=False
    )
    assert run(*fit_sites()).status == 0
    only = sites[sites["site"] == "north"].assign(site="1")
    only.to_csv("north.csv", index=False)
    ran = run("predict", "m.json", "north.csv", "--out", "a.csv")
    assert (ran.status, ran.err) == (0, "")


@pytest.mark.parametrize("how", [("--test-share", 0.5), ("--cv", 2), ("--test", "sites.csv")])
def test_strata_are_used_on_held_out_rows(run, sites, how):
    held_out = run(*fit_sites("--layers", 2, "--json", *how)).json()["held_out"]
    if how[0] == "--test":
        assert held_out is None  # the rows of the fit
    else:
        # Without the strata the rule would know the sites from the dialect only.
        assert held_out["auc"] > 0.75


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("--layers", 0), ["--layers", "from 1 to 8", "Got 0"]),
        (("--layers", 100), ["--layers", "from 1 to 8", "Got 100"]),
        (("--strata", "cite"), ["sites.csv", "'cite'", "--strata", "Did you mean 'site'?"]),
        (("--strata", "y"), ["'y'", "target", "--strata"]),
        (("--ignore", "site"), ["'site'", "--ignore", "--strata"]),
        (("--strata", "many"), ["--strata holds 800 different values", "at most 20"]),
        (("--strata", "gaps"), ["'gaps'", "sites.csv", "missing in line 3", "stratum"]),
        (("--strata", "copy"), ["--strata settles the outcome"]),
        (("--strata", "rare", "--test-share", 0.5), ["--test-share 0.5", "'once'"]),
        (("--strata", "rare", "--cv", 2), ["--cv 2", "'once'"]),
    ],
)
def test_wrong_options_are_one_sentence(run, sites, arguments, named):
    sites["many"] = np.arange(800) / 7
    sites["gaps"] = [*["a", None], *["b"] * 798]
    sites["copy"] = sites["y"].map({0: "no", 1: "yes"})
    held = stratified_part(sites["y"].to_numpy() == 1, 0.5, seed=0)
    sites["rare"] = np.where(np.arange(800) == np.argmax(held), "once", "often")
    sites.to_csv("sites.csv", index=False)
    run(*fit_sites(*arguments)).assert_one_sentence(named)
    assert sorted(os.listdir()) == ["sites.csv"]


@pytest.mark.parametrize("layers", ["two", "1.5", "True"])
def test_layers_that_are_no_number_are_wrong_usage(run, ill, layers):
    assert run(*fit_list("--layers", layers)).status == 2


def test_an_unknown_stratum_is_named(run, sites):
    run(*fit_sites())
    sites.assign(site="east").to_csv("east.csv", index=False)
    run("predict", "m.json", "east.csv", "--out", "a.csv").assert_one_sentence(
        ["'east'", "'north', 'south'"]
    )
    run("predict", "m.json", "sites.csv", "--out", "a.csv", "--strata", "cite").assert_one_sentence(
        ["sites.csv", "'cite'"]
    )
    ran = run("fit", "sites.csv", "--target", "y", "--out", "plain.json")
    assert ran.status == 0
    run(
        "predict", "plain.json", "sites.csv", "--out", "a.csv", "--strata", "site"
    ).assert_one_sentence(["strata were given", "without any"])
