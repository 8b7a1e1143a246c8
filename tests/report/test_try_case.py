"""The form of a report answers as the rule does."""

import itertools

import numpy as np
import pytest

from bayesdnf import DNFClassifier
from bayesdnf.report.try_case import case_form


def test_every_case_of_the_form_is_answered_as_the_rule_answers(fitted):
    """The form knows options, not values; what they make of the terms must be the rule's truth."""
    model, X, _ = fitted
    function = model.function_
    form = case_form(function, model.encoder_, model.encoder_.as_table(X), np.ones(len(X), bool))
    values = {
        "odor": ["a", "f", "l", "n", "never seen", None],
        "flag": [0, 1, None],
        "other": [0, 1, None],
        "stage": [1, 2, 3, 4, None],
    }
    attributes = form["attributes"]
    assert [a["name"] for a in attributes] == list(function.attributes)
    cuts = next(a["cuts"] for a in attributes if a["name"] == "age")
    values["age"] = [cuts[0] - 1, *cuts, None]
    assert [len(a["options"]) for a in attributes] == [len(values[a["name"]]) for a in attributes]
    picks = list(itertools.product(*(range(len(a["options"])) for a in attributes)))
    rows = {
        a["name"]: [values[a["name"]][pick[i]] for pick in picks] for i, a in enumerate(attributes)
    }
    table = model.encoder_.as_table(
        {**{name: [None] * len(picks) for name in model.encoder_.kinds_}, **rows}
    )
    truth = function(table)
    for pick, marked in zip(picks, truth, strict=True):
        held = set().union(
            *(a["holds"][option] for a, option in zip(attributes, pick, strict=True))
        )
        assert any(held.issuperset(term) for term in form["terms"]) == marked


@pytest.mark.parametrize("copy", [[1, 0], [True, False], ["1", "0"], ["True", "False"]])
def test_a_flag_has_the_same_form_however_it_is_written(copy):
    one, zero = copy
    X = {"flag": [one, zero, one, None, one] * 20}
    y = [value != one for value in X["flag"]]
    model = DNFClassifier(random_state=0).fit(X, y)
    assert str(model.function_) == "(NOT flag)"
    table = model.encoder_.as_table(X)
    [flag] = case_form(model.function_, model.encoder_, table, np.ones(100, bool))["attributes"]
    assert flag["options"] == ["no (0)", "yes (1)", "not known"]
    assert flag["holds"] == [[0], [], []]
    assert flag["start"] == 1
