"""Rules in words, in notebooks and as tables."""

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from bayesdnf import (
    DNFClassifier,
)
from bayesdnf.errors import BayesDNFWarning
from tests.estimators.rare_rule import noisy


def test_summary_warns_when_the_answer_is_always_the_same():
    X, y = noisy(600)
    clf = DNFClassifier(random_state=0).fit(X, y)
    assert not clf.function_.is_null
    assert (clf.predict(X) == 0).all()
    assert "Warning: predict never returns 1" in clf.summary()


def test_summary_tells_the_rule_the_table_and_the_trust(model):
    text = model.summary()
    assert text.startswith("Rule for bad: 1 term, 1 literal\n     (odor = f)")
    assert "where the rule holds (24 of 120 rows): 0.96" in text
    assert " of 16 restarts, by " in text
    assert text.endswith("they agree, which is not a proof.")
    assert "Warning" not in text


def test_notebooks_show_the_diagram_and_the_rule(model):
    shown = model._repr_mimebundle_()["text/html"]
    assert "sk-container" in shown
    assert "Rule for bad" in shown
    assert model._repr_html_() is not None
    assert "Rule for" not in DNFClassifier()._repr_mimebundle_()["text/html"]
    pipe = make_pipeline(FunctionTransformer(), model)
    assert "DNFClassifier" in pipe._repr_html_()
    assert "Rule for" not in pipe._repr_html_()


def test_html_is_escaped():
    table = {"a": ["<script>", "x"] * 20}
    clf = DNFClassifier(random_state=0, positive="<b>").fit(table, ["<b>", "c"] * 20)
    from bayesdnf.estimators.presenting.rule_summary import as_html

    assert "<script>" not in as_html(clf)
    assert "<b>:" not in as_html(clf)


def wide():
    X = np.random.default_rng(0).integers(0, 2, (2000, 400))
    return X, (X[:, 5] & X[:, 7]) | (X[:, 9] & X[:, 11])


def test_a_search_that_was_cut_off_does_not_say_that_there_is_no_rule():
    with pytest.warns(BayesDNFWarning, match="No rule: the search was stopped by its time limit"):
        model = DNFClassifier(time_limit=1e-5, random_state=0).fit(*wide())
    ended = "the search was stopped by its time limit before a rule was found."
    assert model.function_.is_null
    for text in (model.summary(), model._as_html()):
        assert f"No rule for 1: {ended}" in text
        assert "beats the null" not in text


def test_without_a_rule_nothing_is_said_of_where_it_holds():
    X = pd.DataFrame({"a": [1, 2, 3, 4]})
    even = DNFClassifier(random_state=0).fit(X, [0, 1, 0, 1]).summary()
    assert "because there is no rule and both classes are equally probable: 0 comes first;" in even
    uneven = DNFClassifier(random_state=0).fit(X, [0, 1, 0, 0]).summary()
    assert "because there is no rule and 0 is the more probable class; use predict_proba," in uneven
    classes = DNFClassifier(random_state=0).fit(X, [0, 1, 0, 2]).summary()
    assert "on every row, the most probable class: there is no rule; use predict_proba." in classes
    for text in (even, uneven, classes):
        assert "whether or not the rule holds" not in text


def test_a_rule_of_lower_risk_is_announced_as_one():
    """Within strata the rates have no order."""
    X = np.tile([[0, 0], [0, 1], [1, 0], [1, 1]], (25, 1))
    y = 1 - X.all(axis=1)
    clf = DNFClassifier(negations=False, random_state=0).fit(X, y, strata=np.arange(100) % 2)
    assert clf.summary().startswith("Rule for a lower risk of 1: 1 term, 2 literals\n")
