"""Rules in words, in notebooks and as tables."""

from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from bayesdnf import (
    DNFClassifier,
)
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
