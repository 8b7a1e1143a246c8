"""Which rows a rule was fitted on."""

import numpy as np
import pytest

from bayesdnf import DNFClassifier
from bayesdnf.errors import InputError
from bayesdnf.report.rows import outcome_on, roles_of
from tests.report.reported import mixed


@pytest.fixture(scope="module")
def model():
    X, y = mixed()
    return DNFClassifier(positive="ill", random_state=0).fit(X[:400], y[:400])


def roles(model, rows, held_out=None):
    X, y = mixed()
    bits = model.encoder_.encode(X.iloc[rows])
    return roles_of(model, bits, y[rows] == "ill", 400, held_out)


def test_rows_of_the_fit_are_known_in_any_order(model):
    for rows in (np.arange(400), np.arange(400)[::-1]):
        found = roles(model, rows)
        assert found.held_out is None
        assert found.fitted.all()
        assert "All 400 rows were in the fit" in found.note


def test_other_rows_are_held_out(model):
    found = roles(model, np.arange(400, 600))
    assert found.held_out.all()
    assert "None of these 200 rows was in the fit" in found.note


def test_a_table_with_most_rows_of_the_fit_is_not_held_out(model):
    found = roles(model, np.arange(390))
    assert found.held_out is None
    assert "cannot be called held out" in found.note


def test_rows_that_are_said_to_be_held_out(model):
    held = np.arange(600) >= 400
    found = roles(model, np.arange(600), held)
    assert (found.held_out == held).all()
    assert (found.fitted == ~held).all()
    assert "400 of 600 rows were in the fit" in found.note
    assert (
        "All 200 rows were held out" in roles(model, np.arange(400, 600), np.ones(200, bool)).note
    )


def test_rows_of_the_fit_are_not_held_out_whatever_is_said(model):
    assert roles(model, np.arange(400), np.ones(400, bool)).held_out is None


def test_weights_are_told():
    X, y = mixed(100)
    fitted = DNFClassifier(positive="ill", random_state=0).fit(X, y, sample_weight=np.full(100, 2))
    found = roles_of(fitted, fitted.encoder_.encode(X), y == "ill", 200)
    assert "weighted" in found.note


def test_labels_are_those_of_the_fit(model):
    assert outcome_on(model, ["ill", "well", "ill"], 3).tolist() == [True, False, True]
    with pytest.raises(InputError, match="y has 2 entries for 3 rows"):
        outcome_on(model, ["ill", "well"], 3)
    with pytest.raises(InputError, match=r"y holds 'dead' in row 1; .*ill.*well"):
        outcome_on(model, ["ill", "dead", "well"], 3)


def test_more_than_two_classes_are_numbered():
    X, _ = mixed(90)
    kind = np.array(["a", "b", "c"] * 30)
    fitted = DNFClassifier(random_state=0).fit(X, kind)
    assert outcome_on(fitted, ["c", "a", "b"], 3).tolist() == [2, 0, 1]
    with pytest.raises(InputError, match="y holds 'd' in row 2"):
        outcome_on(fitted, ["c", "a", "d"], 3)
