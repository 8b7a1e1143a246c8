"""fit and predict: what texts of a table mean, such as NA, "1" and categories in an order."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bayesdnf import DNFClassifier, Literal
from tests.cli.arguments import files, fit


def test_cells_that_mean_missing_are_missing_when_fitting_and_predicting(run):
    rows = "".join(f"{'?' if i % 7 == 0 else i % 5},{int(i % 5 == 4)}\n" for i in range(200))
    Path("t.csv").write_text("dose,y\n" + rows)
    result = run(
        *fit("--missing", "?", "--kind", "dose=numeric", "--json", table="t.csv", target="y")
    ).json()
    assert result["rule"] == "(dose >= 4)"
    Path("new.csv").write_text("dose\n?\n4\n1\n")
    assert run("predict", "model.json", "new.csv", "--out", "a.csv").status == 0
    assert list(pd.read_csv("a.csv")["marked"]) == [0, 1, 0]


def test_texts_that_look_like_numbers_stay_texts(run, plants):
    assert run(*fit()).status == 0
    plants[plants["cap"] == "7"].to_csv("sevens.csv", index=False)
    ran = run("predict", "model.json", "sevens.csv", "--out", "a.csv")
    assert (ran.status, ran.err) == (0, "")


def test_texts_that_may_mean_missing_are_told(run):
    rng = np.random.default_rng(0)
    d = rng.integers(0, 4, 300)
    table = pd.DataFrame({"d": d.astype(str), "y": (d > 1).astype(int)})
    table.loc[::20, "d"] = "NA"
    table.to_csv("t.csv", index=False)
    said = "'d' holds numbers but for 'NA', so that each of its texts is a category. If 'NA' means "
    ran = run("fit", "t.csv", "--target", "y")
    assert f"{said}missing, say so (--missing NA; na_values in pandas)." in " ".join(
        ran.out.split()
    )
    ran = run("fit", "t.csv", "--target", "y", "--missing", "NA")
    assert "d >= 2" in ran.out
    assert "numbers but for" not in ran.out


def test_a_class_that_may_mean_missing_is_refused_or_told(run):
    table = pd.DataFrame({"a": range(300), "y": "NA"})
    table.loc[:150, "y"] = "1"
    table.to_csv("t.csv", index=False)
    run("fit", "t.csv", "--target", "y").assert_one_sentence(
        ["'y' of t.csv holds '1' and 'NA', which mostly means", "for example --positive 1."]
    )
    ran = run("fit", "t.csv", "--target", "y", "--positive", "1")
    assert ran.status == 0
    assert "'NA' is a class of 'y'; if it means missing, leave out its rows." in ran.out
    table.loc[:50, "y"] = "0"
    table.to_csv("t.csv", index=False)
    assert "'NA' is a class of 'y'" in run("fit", "t.csv", "--target", "y").out


def test_texts_that_differ_in_case_or_spaces_are_told_once(run, plants):
    plants.assign(cap=plants["cap"].replace("w", " W")).to_csv("new.csv", index=False)
    both = pd.concat([plants, pd.read_csv("new.csv", keep_default_na=False)])
    both.to_csv("both.csv", index=False)
    said = "case or spaces count as different: 'cap' has ' W' and 'w'"
    ran = run("fit", "both.csv", "--target", "class", "--out", "both.json")
    assert " ".join(ran.out.split()).count(said) == 1
    told = run("sample", "both.csv", "--target", "class", "--draws", 20, "--warmup", 10)
    assert " ".join(told.out.split()).count(said) == 1
    plants["class"] = np.where(plants["cap"] == "w", "e", "p")
    plants.to_csv("plants.csv", index=False)
    assert run(*fit()).status == 0
    ran = run("predict", "model.json", "new.csv", "--out", "a.csv")
    assert ran.err.startswith(
        f"Warning: new.csv: Texts that differ only in {said}. If they mean the same, "
        "make them equal.\nnew.csv: 'cap' has 1 value that was not seen in the fit (' W' in "
    )
    assert run("predict", "model.json", "plants.csv", "--out", "a.csv").err == ""


def test_categories_in_order(run, plants):
    rng = np.random.default_rng(0)
    places = rng.integers(0, 4, len(plants))
    sick = (places >= 2) & (plants["odor"] == "f")
    named = ["low", "mid", "high", "top"]
    for names, option in ((named, "low < mid<high<top"), ("1324", "1<3<2<4")):
        dose = np.array([*names])[places]
        plants.assign(dose=dose, **{"class": np.where(sick, "p", "e")}).to_csv("d.csv", index=False)
        kind = ("--kind", f"dose={option}", "--ignore", "age")
        assert run(*fit(*kind, table="d.csv")).status == 0
        rule = DNFClassifier.load("model.json").function_
        assert Literal("dose", ">=", names[2]) in rule.literals
        assert run("predict", "model.json", "d.csv", "--out", "a.csv").status == 0
        assert (pd.read_csv("a.csv")["predicted"] == np.where(sick, "p", "e")).all()
        exported = run("export", "model.json", "--to", "sql").out
        assert f"\"dose\" IN ('{names[2]}', '{names[3]}')" in exported
        exported = run("export", "model.json", "--to", "json").out
        assert json.loads(exported)["orders"] == {"dose": [*names]}
    pd.read_csv("d.csv").replace({"dose": {4: 9}}).to_csv("new.csv", index=False)
    line = 2 + int(np.argmax(places == 3))
    wrong = run("predict", "model.json", "new.csv", "--out", "a.csv")
    said = f"'dose' holds '9' in line {line}, which is not in its order '1' < '3'"
    wrong.assert_one_sentence([said])


@pytest.mark.parametrize(
    ("kind", "named"),
    [
        ("odor=f<n", ["'odor' holds 'a' in line", "not in its order 'f' < 'n'"]),
        ("odor=f<n<f", ["--kind", "column 'odor'", "'f' appears twice"]),
        ("odor=f<<a", ["--kind", "two or more different texts", "'odor'"]),
        ("odr=f<n", ["--kind names column 'odr'", "Did you mean 'odor'"]),
    ],
)
def test_wrong_orders_of_categories(run, plants, kind, named):
    run(*fit("--kind", kind)).assert_one_sentence(named)
    assert files() == ["plants.csv"]
