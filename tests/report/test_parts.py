"""What a report counts, against slow and obvious counting."""

import itertools

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score, roc_curve

from bayesdnf import BooleanFunction, DNFClassifier
from bayesdnf.report.performance import performance_of
from bayesdnf.report.terms import overlap_of
from bayesdnf.report.try_case import case_form
from report.reported import mixed


@pytest.fixture(scope="module")
def fitted():
    X, y = mixed()
    return DNFClassifier(positive="ill", negations=True, random_state=0).fit(X, y), X, y == "ill"


def test_overlaps_are_those_of_counting_row_by_row(fitted):
    model, X, ill = fitted
    counted = np.arange(len(X)) % 3 > 0
    table = model.encoder_.as_table(X)
    overlap = overlap_of(model.function_, table, ill, counted)
    holds = [BooleanFunction([term])(table) for term in model.function_.literal_terms]
    slow = {}
    for i in np.flatnonzero(counted):
        key = tuple(t + 1 for t, flags in enumerate(holds) if flags[i])
        rows, positives = slow.get(key, (0, 0))
        slow[key] = rows + 1, positives + int(ill[i])
    assert (overlap.unmarked, overlap.unmarked_positives) == slow.pop((), (0, 0))
    assert {s.terms: (s.rows, s.positives) for s in overlap.together} == slow
    assert [s.rows for s in overlap.together] == sorted((n for n, _ in slow.values()), reverse=True)
    assert list(overlap.alone) == [slow.get((t + 1,), (0, 0)) for t in range(len(holds))]


def test_of_many_sets_of_terms_the_rest_is_counted():
    X = {f"x{j}": [i >> j & 1 for i in range(1, 64)] for j in range(6)}
    rule = BooleanFunction([[f"x{j}"] for j in range(6)])
    model = DNFClassifier(random_state=0, restarts=1).fit(X, [0, 1] * 31 + [0])
    overlap = overlap_of(rule, model.encoder_.as_table(X), np.ones(63, bool), np.ones(63, bool))
    assert len(overlap.together) == 15
    assert (overlap.left_out, overlap.left_out_rows) == (48, 48)


@pytest.mark.parametrize("levels", [2, 7, 5000])
def test_the_curve_and_its_area_are_scikit_learns(levels):
    rng = np.random.default_rng(levels)
    risk = rng.integers(0, levels, 2000) / levels
    positive = rng.random(2000) < 0.2 + 0.6 * risk
    seen = performance_of(risk > 0.5, risk, positive)
    assert seen.auc == pytest.approx(roc_auc_score(positive, risk), abs=1e-12)
    x, y, _ = roc_curve(positive, risk)
    assert seen.roc[0] == (0, 0)
    assert seen.roc[-1] == (1, 1)
    assert len(seen.roc) <= 200
    if levels == 2:
        assert seen.roc == tuple((round(a, 5), round(b, 5)) for a, b in zip(x, y, strict=True))
    hits, alarms = (risk > 0.5) & positive, (risk > 0.5) & ~positive
    assert seen.marked == (alarms.sum(), hits.sum())
    assert sum(b.rows for b in seen.bins) == 2000
    assert performance_of(risk > 0.5, risk, positive, same_scale=False).bins == ()


def test_one_class_has_no_curve():
    ones = np.ones(4, dtype=bool)
    seen = performance_of(ones, np.full(4, 0.9), ones)
    assert (seen.auc, seen.roc, seen.accuracy) == (None, (), 1.0)


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
