"""Truth tables from raw cases."""

import ast

import numpy as np
import pandas as pd
import polars as pl
import pytest

from bayesdnf.errors import InputError, ParameterError, SizeLimitError, UnknownColumnError
from bayesdnf.qca import truth_table
from tests.qca.published import lipset

CONDITIONS = ["DEV", "URB", "LIT", "IND", "STB"]


def test_lipset_as_published():
    frame = truth_table(lipset(), "SURV").frame
    rows = ["".join(map(str, row)) for row in frame[CONDITIONS].to_numpy()]
    published = {
        "11111": ("1", 4, 1.0, "BE, CZ, NL, UK"),
        "10101": ("1", 2, 1.0, "FI, IE"),
        "10111": ("1", 2, 1.0, "FR, SE"),
        "00000": ("0", 3, 0.0, "GR, PT, ES"),
        "00001": ("0", 2, 0.0, "IT, RO"),
        "00100": ("0", 2, 0.0, "HU, PL"),
        "00101": ("0", 1, 0.0, "EE"),
        "10110": ("0", 1, 0.0, "AU"),
        "11110": ("0", 1, 0.0, "DE"),
    }
    assert rows == list(published)
    columns = ["OUT", "n", "inclusion", "cases"]
    assert [tuple(row) for row in frame[columns].to_numpy()] == list(published.values())
    assert (frame["PRI"] == frame["inclusion"]).all()


def contradictory():
    return pd.DataFrame(
        {"A": [1, 1, 1, 1, 1, 0, 0], "B": [1, 1, 1, 1, 1, 0, 1], "Y": [1, 1, 1, 1, 0, 0, 1]}
    )


def test_cuts():
    def out(a, b, **cuts):
        frame = truth_table(contradictory(), "Y", **cuts).frame
        return frame[(frame["A"] == a) & (frame["B"] == b)]["OUT"].item()

    assert out(1, 1) == "1"
    assert out(1, 1, incl_cut=0.81) == "0"
    assert out(1, 1, incl_cut=(0.9, 0.5)) == "C"
    assert out(1, 1, incl_cut=(0.9, 0.85)) == "0"
    assert out(1, 1, pri_cut=0.9) == "0"
    assert out(1, 1, incl_cut=(0.8, 0.5), pri_cut=0.9) == "C"
    assert out(0, 1, n_cut=2) == "?"
    assert out(0, 0, n_cut=1) == "0"


def test_contradictory_configurations_are_reported():
    table = truth_table(contradictory(), "Y")
    [row] = table.contradictions.to_dict("records")
    assert (row["A"], row["B"], row["OUT"], row["n"]) == (1, 1, "1", 5)
    assert row["inclusion"] == pytest.approx(0.8)


def test_the_absence_of_the_outcome_and_one_of_its_values():
    absent = truth_table(lipset(), "~SURV").frame
    assert (absent["OUT"] == "1").sum() == 6
    cases = pd.DataFrame({"A": [0, 1, 2], "Y": ["low", "mid", "high"]})
    frame = truth_table(cases, "Y{mid}").frame
    assert frame.loc[frame["A"] == 1, "OUT"].item() == "1"
    assert truth_table(cases, "~Y{mid}").frame["OUT"].tolist() == ["1", "1", "0"]
    assert truth_table(cases, "Y = mid").outcome_text == "Y{mid}"


def test_polars_bools_texts_and_chosen_conditions():
    cases = pl.DataFrame({"A": [True, False], "B": ["x", "y"], "C": [3, 4], "Y": [1, 0]})
    table = truth_table(cases, "Y", conditions=["B", "A"])
    assert table.conditions == ("B", "A")
    assert table.cases.levels == (("x", "y"), (0, 1))
    assert table.frame["cases"].tolist() == ["0", "1"]


def test_whole_numbers_up_to_the_largest_are_possible():
    table = truth_table(pd.DataFrame({"A": [0, 3], "Y": [1, 0]}), "Y")
    assert table.cases.levels == ((0, 1, 2, 3),)
    assert table.n_configurations == 4


@pytest.mark.parametrize(
    ("cases", "message"),
    [
        ({"A": [0, 0.81], "Y": [0, 1]}, "Column 'A' holds 0.81 in row 1, a membership between 0"),
        ({"A": [0, 1], "Y": [0, 0.6]}, "Column 'Y' holds 0.6 in row 1.*fuzzy sets are not"),
        ({"A": [0, 2.5], "Y": [0, 1]}, "Column 'A' holds 2.5 in row 1; a crisp condition"),
        ({"A": [0, np.nan], "Y": [0, 1]}, "Column 'A' is missing in row 1"),
        ({"A": range(70), "Y": [0, 1] * 35}, "Column 'A' holds 70 different values"),
        ({"A": [0, 1], "Y": [0, 2]}, "outcome 'Y' holds other values than 0 and 1"),
    ],
)
def test_cases_that_are_not_crisp(cases, message):
    with pytest.raises(InputError, match=message):
        truth_table(pd.DataFrame(cases), "Y")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"outcome": "A*B"}, "'outcome' parameter of truth_table must be a column"),
        ({"outcome": 3}, "'outcome' parameter of truth_table must be a column"),
        ({"conditions": "A"}, "'conditions' parameter of truth_table must be a list"),
        ({"conditions": ["A", "A"]}, "must be different columns"),
        ({"conditions": ["Y"]}, "the outcome not among them"),
        ({"conditions": []}, "must be different columns"),
        ({"n_cut": 0}, "'n_cut' parameter of truth_table must be a whole number"),
        ({"incl_cut": 0}, "'incl_cut' parameter of truth_table must be above 0"),
        ({"incl_cut": (0.5, 0.6)}, "the larger first"),
        ({"pri_cut": 2}, "'pri_cut' parameter of truth_table must be between 0 and 1"),
    ],
)
def test_wrong_parameters(arguments, message):
    with pytest.raises(ParameterError, match=message):
        truth_table(contradictory(), **{"outcome": "Y", **arguments})


@pytest.mark.parametrize("name", ["OUT", "n", "inclusion", "PRI", "cases"])
def test_conditions_called_like_columns_of_the_table(name):
    """OUT ended in a TypeError, inclusion in a ValueError of pandas."""
    cases = pd.DataFrame({name: [1, 0], "B": [1, 1], "Y": [1, 0]})
    with pytest.raises(InputError, match=f"A condition is called '{name}'"):
        truth_table(cases, "Y")


@pytest.mark.parametrize("values", [["0", "1"], ["no", "well off"], [1, 2]])
def test_the_outcome_that_is_suggested_can_be_asked_for(values):
    cases = pd.DataFrame({"A": [1, 0], "Y": values})
    with pytest.raises(InputError) as caught:
        truth_table(cases, "Y")
    suggested = ast.literal_eval(str(caught.value).rpartition("outcome=")[2].rstrip("."))
    assert truth_table(cases, suggested).cases.has_outcome.sum() == 1


def test_unknown_columns():
    with pytest.raises(UnknownColumnError, match=r"no column 'Surv'\. Did you mean 'SURV'"):
        truth_table(lipset(), "Surv")
    with pytest.raises(UnknownColumnError, match="no column 'Z'"):
        truth_table(contradictory(), "Y", conditions=["A", "Z"])
    with pytest.raises(InputError, match="never holds 7"):
        truth_table(contradictory(), "Y{7}")


def test_too_many_configurations_to_list():
    rng = np.random.default_rng(0)
    cases = pd.DataFrame(rng.integers(0, 2, (30, 21)), columns=[f"c{j}" for j in range(21)])
    with pytest.raises(SizeLimitError, match="20 conditions have 1,048,576 configurations"):
        truth_table(cases, "c20").all_configurations()
