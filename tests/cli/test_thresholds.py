"""What a miss costs: thresholds in the shell, and the measures that are printed."""

import pandas as pd
import pytest

from tests.estimators.rare_cases import rare_cases


def test_a_cost_ratio_changes_answers(run):
    rare_cases().to_csv("rare.csv", index=False)
    fitted = run("fit", "rare.csv", "--target", "y", "--out", "m.json")
    assert "Warning: predict never returns yes" in fitted.out
    assert "--cost-ratio" in fitted.out
    asked = run("fit", "rare.csv", "--target", "y", "--cost-ratio", 19)
    assert "predict from P = 0.05 on and marked: accuracy" in asked.out
    assert "Warning" not in asked.out
    for option in (("--cost-ratio", 19), ("--threshold", 0.05)):
        assert run("predict", "m.json", "rare.csv", "--out", "a.csv", *option).status == 0
        answers = pd.read_csv("a.csv")
        assert ((answers["predicted"] == "yes") == (answers["marked"] == 1)).all()
    held = run("fit", "rare.csv", "--target", "y", "--cv", 2, "--cost-ratio", 19, "--json").json()
    assert held["held_out"]["threshold"] == 0.05
    assert held["held_out"]["predict"]["recall"] > 0.5
    assert held["warning"] is None


@pytest.mark.parametrize(
    "options",
    [("--threshold", 1), ("--cost-ratio", 0), ("--threshold", 0.1, "--cost-ratio", 9)],
)
def test_wrong_thresholds(run, options):
    ran = run("predict", "m.json", "rare.csv", "--out", "a.csv", *options)
    assert ran.status == 2
