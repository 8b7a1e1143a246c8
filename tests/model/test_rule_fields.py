"""Rules, risks and counts in JSON documents."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesdnf import BooleanFunction, RuleList
from bayesdnf.errors import InputError
from bayesdnf.files.checked_json import parse_json
from bayesdnf.model.rates import Counts
from bayesdnf.model.rule_fields import (
    cells_of,
    counts_of,
    read_cells,
    read_class_cells,
    read_counts,
    read_function,
    read_list,
    read_risk,
    read_risks,
)


def fields(**values):
    return parse_json(json.dumps(values).encode(), "m.json", "model file")


def written(rule, text=None):
    return fields(function=json.loads(rule.to_json()), rule=text or str(rule))


def allowed(literal):
    return literal.attribute != "z"


def test_functions_and_lists_come_back():
    function, rules = BooleanFunction("a OR b"), RuleList(["a", "b"])
    assert read_function(written(function), allowed, "columns") == function
    assert read_list(written(rules), allowed, "columns", 2) == rules


@pytest.mark.parametrize(
    ("read", "said"),
    [
        (
            lambda: read_function(written(BooleanFunction("z")), allowed, "columns"),
            "made of columns",
        ),
        (lambda: read_function(written(BooleanFunction("a"), "b"), allowed, "c"), "'rule' must be"),
        (lambda: read_list(written(RuleList(["a", "b"])), allowed, "c", 1), "at most 1 layer[.]"),
        (lambda: read_function(fields(function={}, rule=""), allowed, "c"), "field 'function'"),
    ],
)
def test_forged_rules_are_refused(read, said):
    with pytest.raises(InputError, match=said):
        read()


@given(st.lists(st.integers(0, 50), min_size=4, max_size=4))
def test_cells_and_counts_are_each_other(numbers):
    cells = np.array(numbers).reshape(1, 2, 2)
    counts = counts_of(cells)
    assert counts.n == sum(numbers)
    assert cells_of(counts, is_null=False).tolist() == cells.tolist()


def test_the_cells_of_the_null_function():
    assert cells_of(Counts(20, 9, 0, 0), is_null=True).tolist() == [[[9, 11]]]


def test_cells_add_up_to_the_counts():
    cells = [[[1, 9], [8, 2]]]
    assert read_cells(fields(cells=cells), 1, 2, Counts(20, 9, 10, 8)).tolist() == cells
    with pytest.raises(InputError, match="add up to 'counts'"):
        read_cells(fields(cells=cells), 1, 2, Counts(20, 9, 10, 7))


@pytest.mark.parametrize(
    "cells", [None, 5, [[1, 2]], [[[1, 2], [3]]], [[[1, 2.5], [3, 4]]], [[[1, -2], [3, 4]]], "ab"]
)
def test_cells_of_another_shape_are_refused(cells):
    with pytest.raises(InputError, match="1 by 2 by 2"):
        read_class_cells(fields(cells=cells), 1, 2, 2)


@pytest.mark.parametrize(
    "counts",
    [
        {"n": 10, "n_pos": 11, "n_marked": 5, "n_both": 5},
        {"n": 10, "n_pos": 8, "n_marked": 8, "n_both": 5},  # 8 + 8 - 10 are both at least
        {"n": 10, "n_pos": 3, "n_marked": 8, "n_both": 4},
        {"n": -1, "n_pos": 0, "n_marked": 0, "n_both": 0},
    ],
)
def test_counts_that_cannot_be(counts):
    with pytest.raises(InputError, match="must be a whole number"):
        read_counts(fields(**counts))


def test_risks_stand_highest_layer_first():
    def risk(mean, **more):
        return {"mean": mean, "low": 0.0, "high": 1.0, **more}

    assert read_risk(fields(**risk(0.5))).mean == 0.5
    top = fields(risks=[risk(0.9, part=1), risk(0.1, part=0)])
    assert [one.mean for one in read_risks(top, 2)] == [0.1, 0.9]
    with pytest.raises(InputError, match="a list of 3"):
        read_risks(top, 3)
    with pytest.raises(InputError, match="part"):
        read_risks(fields(risks=[risk(0.9, part=0), risk(0.1, part=1)]), 2)
    with pytest.raises(InputError, match="from 0 to 1"):
        read_risk(fields(**risk(1.5)))
