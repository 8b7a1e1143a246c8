"""explain: which terms hold, and the smallest change, against trying every change there is."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from bayesdnf import BooleanFunction, DNFClassifier
from bayesdnf.errors import InputError, UnknownColumnError
from bayesdnf.estimators.explaining.explanation import fired_terms
from tests.estimators.explaining.explained import ROWS, functions, holds


@given(functions(), ROWS)
def test_the_terms_that_hold_are_named(given_function, row):
    encoder, function = given_function
    table = encoder.as_table({name: [value] for name, value in row.items()})
    fired = fired_terms(function, table)
    for term in function.terms:
        text = " AND ".join(term)
        assert (text in fired) == holds(BooleanFunction.parse(text), encoder, row)


@pytest.fixture(scope="module")
def model():
    table = pd.DataFrame({"odor": list("fnnaf") * 20, "size": list("bbcbc") * 20})
    y = ["bad" if odor == "f" else "fine" for odor in table["odor"]]
    return DNFClassifier(positive="bad", random_state=0, negations=False).fit(table, y)


def test_a_marked_row_in_words(model):
    told = model.explain({"odor": "f", "size": "b"})
    assert told.marked
    assert told.fired == ("odor = f",)
    assert told.prediction == "bad"
    assert [str(change) for change in told.change] == ["odor, now f, to odor != f"]
    assert str(told).startswith("The rule holds on this row: P(bad) = 0.9762, predicted bad.\n")
    assert "<td" in told._repr_html_()
    assert "odor != f" in told._repr_html_()


@pytest.mark.parametrize(
    "row",
    [
        {"odor": "n", "size": "b"},
        pd.Series({"odor": "n", "size": "b"}),
        pd.DataFrame({"odor": ["n"], "size": ["b"]}),
        ["n", "b"],
        np.array(["n", "b"]),
    ],
)
def test_a_row_may_come_in_many_forms(model, row):
    told = model.explain(row)
    assert not told.marked
    assert told.fired == ()
    assert [str(change) for change in told.change] == ["odor, now n, to odor = f"]


def test_a_missing_value_is_called_missing(model):
    told = model.explain({"odor": None, "size": "b"})
    assert [str(change) for change in told.change] == ["odor, now missing, to odor = f"]


def test_html_is_escaped():
    table = {"a<b": ["<i>", "x"] * 20}
    told = DNFClassifier(random_state=0).fit(table, [1, 0] * 20).explain({"a<b": "x"})
    assert "<i>" not in told._repr_html_()
    assert "&lt;i&gt;" in told._repr_html_()


def test_wrong_rows_are_refused(model):
    with pytest.raises(InputError, match="takes one row"):
        model.explain(pd.DataFrame({"odor": ["n", "f"], "size": ["b", "b"]}))
    with pytest.raises(InputError, match="has 1 value; the classifier was fitted on 2 columns"):
        model.explain(["n"])
    with pytest.raises(UnknownColumnError, match="no column 'size'"):
        model.explain({"odor": "n"})


def test_only_the_rules_columns_are_needed_when_allowed(model):
    table = pd.DataFrame({"odor": list("fn") * 20, "size": list("bbcc") * 10})
    lenient = DNFClassifier(allow_missing_columns=True, random_state=0)
    lenient.fit(table, [1, 0] * 20)
    assert lenient.explain({"odor": "f"}).marked
