"""What one rule answers about rows, beside what its attributes say."""

import numpy as np

from bayesdnf import DNFClassifier, Effect, simulate
from tests.estimators.mixed_table import LABELS


def test_probabilities_are_the_posterior_means(table, model):
    unmarked, marked = (risk.mean for risk in model.risks_)
    assert model.classes_.tolist() == ["bad", "fine"]
    expected = np.where(model.marked(table), marked, unmarked)
    assert (model.predict_proba(table) == np.column_stack([expected, 1 - expected])).all()
    assert model.predict(table).tolist() == LABELS


def test_risks_are_on_the_populations_scale():
    X, y, truth = simulate(800, 6, terms=(2,), random_state=2)
    plain = DNFClassifier(random_state=0).fit(X, y)
    known = DNFClassifier(effect=Effect(prevalence=0.01), random_state=0).fit(X, y)
    assert plain.function_ == known.function_ == truth
    assert (known.predict_proba(X)[:, 1] < plain.predict_proba(X)[:, 1]).all()
    assert "in the population (prevalence 0.01)" in known.summary()


def test_answers_of_a_list_are_those_of_its_parts(fitted):
    model, X, _ = fitted
    parts = model.parts(X)
    assert (parts == model.function_(X)).all()
    assert (model.marked(X) == (parts > 0)).all()
    risks = np.array([risk.mean for risk in model.risks_])
    ill = model.classes_.tolist().index("ill")
    assert (model.predict_proba(X)[:, ill] == risks[parts]).all()
    for row, part in list(zip(X.to_dict("records"), parts.tolist(), strict=True))[:20]:
        explained = model.explain(row)
        assert explained.probability == risks[part]
        assert explained.prediction == model.predict(X)[list(parts).index(part)]
