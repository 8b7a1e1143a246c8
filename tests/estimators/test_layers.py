"""Lists of layers by DNFClassifier: what is found, the tables, the answers, the exports."""

import pickle
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from bayesdnf import BooleanFunction, DNFClassifier, Effect, RuleList
from bayesdnf.errors import ParameterError
from tests.boolean.running import asked, compiled
from tests.estimators.planted_list import RISKS, TRUTH, planted, with_gaps


def test_the_planted_list_is_found(fitted):
    model, X, y = fitted
    assert isinstance(model.function_, RuleList)
    assert model.function_.equivalent_to(TRUTH)
    for risk, truth in zip(model.risks_, RISKS, strict=True):
        assert abs(risk.mean - truth) < 0.05
    parts = model.parts(X)
    assert (parts == TRUTH(X)).all()
    assert (model.marked(X) == (parts > 0)).all()
    assert model.counts_.n_marked == int((parts > 0).sum())
    positive = np.bincount(parts, weights=y == "ill")
    assert (model.cells_[0] == np.column_stack([positive, np.bincount(parts) - positive])).all()


def test_the_tables_of_layers_and_terms_count_rows(fitted):
    model, X, y = fitted
    parts, ill = model.parts(X), y == "ill"
    assert list(model.layers_["part"]) == [3, 2, 1, 0]
    assert list(model.layers_["rule"]) == [*map(str, model.function_.layers), "else"]
    assert list(model.layers_["risk"]) == ["raised", "raised", "lowered", "lowered"]
    for row in model.layers_.itertuples():
        own = parts == row.part
        a, b = 1 + int((own & ill).sum()), 1 + int((own & ~ill).sum())
        assert (row.rows, row.positives) == (own.sum(), (own & ill).sum())
        assert row.rate == pytest.approx(a / (a + b), abs=1e-12)
        assert (row.low, row.high) == pytest.approx(beta.ppf([0.025, 0.975], a, b), abs=1e-9)
    assert [risk.mean for risk in model.risks_] == list(model.layers_["rate"][::-1])
    assert list(model.rules_.columns)[:3] == ["layer", "rule", "size"]
    for row in model.rules_.itertuples():
        decided = BooleanFunction(row.rule)(X) & (parts <= row.layer)
        assert (row.rows, row.positives) == (decided.sum(), (decided & ill).sum())
        assert row.log_gain > 3
    assert "Rule list for ill: 3 layers" in model.summary()
    assert "raised" in model._repr_html_()


def test_the_parameter_decides_what_kind_of_rule_it_is():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (300, 3))
    y = rng.random(300) < np.where(X[:, 0], 0.9, 0.1)
    for layers, kind in ((None, BooleanFunction), (1, BooleanFunction), (3, RuleList)):
        rule = DNFClassifier(layers=layers, random_state=0).fit(X, y).function_
        assert isinstance(rule, kind)
        assert len(rule) == 1
    null = DNFClassifier(layers=2, random_state=0).fit(X, rng.permutation(np.arange(300) % 2))
    assert isinstance(null.function_, RuleList)
    assert null.function_.is_null
    assert len(null.risks_) == len(null.layers_) == 1
    assert (null.predict_proba(X)[:, 1] == null.risks_[0].mean).all()
    assert "beats the null list" in null.summary()
    assert null.explain(X[0]).lower is None
    assert "no part has a higher one" in str(null.explain(X[0]))


def test_functions_keep_their_tables_and_have_two_parts():
    X, y = planted()
    model = DNFClassifier(positive="ill", random_state=0).fit(X, y)
    assert "layer" not in model.rules_
    assert list(model.layers_["part"]) == [1, 0]
    assert list(model.layers_["rate"]) == [risk.mean for risk in model.risks_[::-1]]
    assert (model.parts(X) == model.marked(X)).all()
    assert model.stratum_layers_ is None
    assert model.effect_.ordered is not False


def test_all_exports_agree_with_predict_on_rows_with_gaps(fitted):
    model, *_ = fitted
    rows = with_gaps()
    expected = model.predict_proba(rows)[:, list(model.classes_).index("ill")]
    rules, risks = model.function_, [risk.mean for risk in model.risks_]
    assert len(set(expected)) == 4
    dicts = rows.astype(object).where(rows.notna(), None).to_dict("records")
    by_python = compiled(rules.to_python(risks=risks), "rules")
    assert [by_python(row) for row in dicts] == list(expected)

    table = SimpleNamespace(columns=list(rows.columns), rows=lambda: dicts)
    assert asked(table, rules.to_sql(risks)) == list(expected)
    again = RuleList.parse(rules.to_text(risks))
    assert [risks[part] for part in again(rows)] == list(expected)
    assert RuleList.from_json(rules.to_json()) == rules
    assert r"\begin{cases}" in rules.to_latex(risks)


def test_layers_are_a_parameter_like_others(fitted):
    model, X, y = fitted
    assert clone(model).layers == 4
    again = pickle.loads(pickle.dumps(model))
    assert (again.predict_proba(X) == model.predict_proba(X)).all()
    X, y = X[:300], y[:300]
    few = {"restarts": 8, "random_state": 0, "positive": "ill"}
    grid = GridSearchCV(DNFClassifier(**few), {"layers": [1, 3]}, cv=2, scoring="neg_log_loss").fit(
        X, y
    )
    assert grid.best_params_ == {"layers": 3}
    repeated = DNFClassifier(**few, layers=2).fit(pd.concat([X, X]), [*y, *y])
    weighted = DNFClassifier(**few, layers=2).fit(X, y, sample_weight=np.full(300, 2))
    assert repeated.function_ == weighted.function_
    assert repeated.log_posterior_ == weighted.log_posterior_


@pytest.mark.parametrize("layers", [0, True, 1.5, 100, "2", -1])
def test_layers_outside_their_meaning_are_refused(layers):
    with pytest.raises(ParameterError) as caught:
        DNFClassifier(layers=layers).fit([[0], [1]], [0, 1])
    assert str(caught.value) == (
        "The 'layers' parameter of DNFClassifier must be a whole number, from 1 to 8, or None. "
        f"Got {layers!r} instead."
    )


@pytest.mark.parametrize(
    ("effect", "message"),
    [
        (Effect(ordered=True), "'ordered' parameter of Effect must be None or False with more"),
        (Effect(pi0=0.1, pi1=0.9), "'pi0' and 'pi1' parameters of Effect must be None with more"),
    ],
)
def test_what_is_known_of_two_rates_is_refused(effect, message):
    with pytest.raises(ParameterError, match=message):
        DNFClassifier(layers=2, effect=effect).fit([[0], [1]] * 9, [0, 1] * 9)
