"""predict says which values were not there in the fit."""

import pandas as pd
import pytest

from bayesdnf import LiteralEncoder
from bayesdnf.cli.unseen import Unseen, unseen_values

FITTED = {
    "odor": ["f", "n", "a", "f"],
    "cap": ["x", "y", "x", "y"],
    "flag": ["0", "1", "1", "0"],
    "bool": [True, False, True, False],
    "code": pd.Categorical([3, 5, 7, 5]),
    "stage": [1, 2, 3, 1],
    "age": [1.5, 2.5, 3.5, 4.5],
}


def unseen(later, **parameters):
    encoder = LiteralEncoder(**parameters).fit(pd.DataFrame(FITTED))
    table = pd.DataFrame(FITTED | later)
    return unseen_values(encoder, encoder.as_table(table), list(FITTED))


def test_rows_of_the_fit_have_none():
    assert unseen({}) == []
    assert unseen({name: FITTED[name][::-1] for name in ("odor", "cap", "flag", "bool")}) == []


@pytest.mark.parametrize("negations", [True, False])
@pytest.mark.parametrize(
    ("name", "values", "strange"),
    [
        ("odor", ["f", "q", "q", "z"], [("q", 2), ("z", 1)]),
        ("odor", ["f", None, "", "n"], []),
        ("cap", ["x", "q", "q", "q"], [("q", 3)]),
        ("flag", ["True", "maybe", "1", "0"], [("maybe", 1)]),
        ("flag", [1, 0, 0, 2], [(2, 1)]),
        ("bool", ["True", "False", "False", "True"], []),
        ("code", [3, 4, 7, 5], [(4, 1)]),
        ("stage", [1, 9, 3, 1], []),  # compared by size
        ("age", [1.5, 99.5, 3.5, 1], []),
    ],
)
def test_strange_values_are_counted(name, values, strange, negations):
    found = unseen({name: values}, negations=negations)
    assert found == [Unseen(name, value, rows) for value, rows in strange]


def test_what_is_not_known_is_not_said():
    assert unseen({"odor": ["a", "q", "n", "f"]}, drop_first=True) == []
    assert unseen({"cap": ["x", "q", "x", "y"]}, kinds={"cap": "binary"}) == []


def test_such_values_satisfy_what_is_said():
    encoder = LiteralEncoder().fit(FITTED)
    table = encoder.as_table(FITTED | {"odor": ["q"] * 4, "flag": ["maybe"] * 4})
    for literal in encoder.literals_:
        if literal.attribute in ("odor", "flag"):
            assert set(table.truth(literal)) == {literal.operator in ("!=", "false")}


@pytest.fixture
def model(run, plants):
    """The rule of plants: odor = f, or age of 50 or more and cap = ?."""
    assert run("fit", "plants.csv", "--target", "class", "--out", "m.json").status == 0
    assert run("predict", "m.json", "plants.csv", "--out", "known.csv").err == ""
    strange = plants.assign(odor=["q"] * 4 + ["f"] * 296, noise="never")
    strange.to_csv("new.csv", index=False)
    return strange


def test_values_that_were_not_seen_are_told(run, model):
    ran = run("predict", "m.json", "new.csv", "--out", "a.csv")
    assert ran.status == 0
    said = "'odor' has 1 value that was not seen in the fit ('q' in 4 rows); there odor = f does"
    assert ran.err == f"new.csv: {said} not hold.\n"  # noise is in no term
    told = run("predict", "m.json", "new.csv", "--out", "a.csv", "--json").json()
    assert told["unseen"] == [{"column": "odor", "value": "q", "rows": 4}]
    told = run("predict", "m.json", "plants.csv", "--out", "a.csv", "--json").json()
    assert told["unseen"] == []


def test_negations_hold_on_them(run, plants):
    ill = (plants["odor"] != "f") & (plants["cap"] != "w")
    plants.assign(**{"class": ill.map({True: "p", False: "e"})}).to_csv("not.csv", index=False)
    assert "odor != f" in run("fit", "not.csv", "--target", "class", "--out", "m.json").out
    plants.assign(odor=pd.Series(list("qrst")).repeat(75).to_numpy()).to_csv("new.csv", index=False)
    err = run("predict", "m.json", "new.csv", "--out", "a.csv").err
    few = "'q' in 75 rows, 'r' in 75 rows, 's' in 75 rows, …"
    said = f"'odor' has 4 values that were not seen in the fit ({few}); there odor != f holds"
    assert err.startswith(f"new.csv: {said}")


def test_drawn_rules_say_it_too(run, plants):
    few = ("--draws", 50, "--warmup", 50, "--thin", 20, "--chains", 2)
    assert run("sample", "plants.csv", "--target", "class", "--out", "d.nc", *few).status == 0
    plants.assign(odor="q").to_csv("new.csv", index=False)
    err = run("predict", "d.nc", "new.csv", "--out", "a.csv").err
    assert "not seen in the fit ('q' in 300 rows); there each != holds, and no =." in err
