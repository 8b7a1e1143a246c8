import inspect
import math
import pickle

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from bayesdnf import (
    BooleanFunction,
    DNFClassifier,
    Effect,
    Geometric,
    LiteralEncoder,
    Poisson,
    Posterior,
    Prior,
    datasets,
    hunt,
    simulate,
)
from bayesdnf.errors import ParameterError
from estimators.mixed_table import LABELS


def noisy(n=300, seed=0):
    """A rule that holds rarely and raises the risk to a third only."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, size=(n, 6))
    marked = (X[:, 0] & X[:, 1]) == 1
    return X, (rng.random(n) < np.where(marked, 0.35, 0.02)).astype(int)


@pytest.mark.parametrize("name", ["restarts", "agree", "steps", "time_limit"])
def test_the_search_is_set_as_hunt_is(name):
    default = inspect.signature(hunt).parameters[name].default
    assert DNFClassifier().get_params()[name] == default


def test_mushrooms_by_half():
    X, y = datasets.load_mushroom()
    train, test, y_train, y_test = train_test_split(
        X, y, test_size=0.5, stratify=y, random_state=1910
    )
    clf = DNFClassifier(restarts=5, random_state=0).fit(train, y_train)
    assert roc_auc_score(y_test == "p", clf.predict_proba(test)[:, 1]) == 1.0
    assert clf.score(test, y_test) == 1.0
    assert clf.positive_ == "p"


def test_the_score_and_the_counts_are_the_posteriors(table, model):
    posterior = Posterior(LiteralEncoder().fit_encode(table), LABELS, positive="bad")
    assert str(model.function_) == "(odor = f)"
    assert model.log_posterior_ == posterior.log_score(model.function_)
    assert model.counts_ == posterior.counts(model.function_) == (120, 24, 24, 24)
    assert model.risks_ == posterior.rates(model.function_).summary()
    assert model.stopped_ == "agreement"
    assert 8 <= model.agreement_ <= model.restarts_
    assert 3 <= model.ways_ <= model.agreement_
    assert model.proved_ is False


def test_rules_are_a_table():
    X, y, _ = simulate(600, 10, random_state=3)
    clf = DNFClassifier(random_state=0).fit(X, y)
    posterior = Posterior(clf.encoder_.encode(X), y)
    assert len(clf.rules_) == len(clf.function_) == 2
    for i, row in clf.rules_.iterrows():
        alone = BooleanFunction.parse(row["rule"])
        rest = BooleanFunction([t for t in clf.function_.terms if t != alone.terms[0]])
        counts = posterior.counts(alone)
        assert alone.terms[0] == clf.function_.terms[i]
        assert (row["size"], row["rows"], row["positives"]) == (
            alone.n_literals, counts.n_marked, counts.n_both,
        )  # fmt: skip
        assert row["rate"] == counts.n_both / counts.n_marked
        assert row["low"] < row["rate"] < row["high"]
        lost = posterior.log_score(clf.function_) - posterior.log_score(rest)
        assert row["log_gain"] == pytest.approx(lost)


def test_the_interval_of_a_rate_is_jeffreys(model):
    from scipy.stats import beta

    [row] = model.rules_.to_dict("records")
    assert row["rate"] == row["high"] == 1.0
    assert row["low"] == pytest.approx(beta(24.5, 0.5).ppf(0.025))


def test_probabilities_are_the_posterior_means(table, model):
    unmarked, marked = (risk.mean for risk in model.risks_)
    assert model.classes_.tolist() == ["bad", "fine"]
    expected = np.where(model.marked(table), marked, unmarked)
    assert (model.predict_proba(table) == np.column_stack([expected, 1 - expected])).all()
    assert model.predict(table).tolist() == LABELS


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("prior", "flat"),
        ("effect", Prior()),
        ("restarts", 0),
        ("agree", 1.5),
        ("steps", True),
        ("time_limit", 0),
        ("n_jobs", 0),
        ("random_state", -1),
        ("random_state", "seed"),
        ("allow_missing_columns", "yes"),
        ("verbose", -1),
        ("negations", 3),
        ("thresholds", 0),
        ("kinds", {"odor": "weird"}),
        ("missing_values", "?"),
    ],
)
def test_wrong_parameters_are_told_in_fit_only(table, name, value):
    clf = DNFClassifier(**{name: value})
    with pytest.raises(ParameterError, match=f"The '{name}' parameter"):
        clf.fit(table, LABELS)


def test_when_nothing_beats_the_null_function():
    rng = np.random.default_rng(1)
    X, y = rng.integers(0, 2, size=(200, 5)), np.arange(200) % 4 == 0
    clf = DNFClassifier(random_state=0).fit(X, y)
    assert clf.function_ == BooleanFunction()
    assert clf.rules_.empty
    assert list(clf.rules_.columns)[:3] == ["rule", "size", "rows"]
    assert np.allclose(clf.predict_proba(X)[:, 1], 51 / 202)
    assert not clf.marked(X).any()
    assert "No rule for True" in clf.summary()


def test_risks_are_on_the_populations_scale():
    X, y, truth = simulate(800, 6, terms=(2,), random_state=2)
    plain = DNFClassifier(random_state=0).fit(X, y)
    known = DNFClassifier(effect=Effect(prevalence=0.01), random_state=0).fit(X, y)
    assert plain.function_ == known.function_ == truth
    assert (known.predict_proba(X)[:, 1] < plain.predict_proba(X)[:, 1]).all()
    assert "in the population (prevalence 0.01)" in known.summary()


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
    from bayesdnf.estimators.presentation import as_html

    assert "<script>" not in as_html(clf)
    assert "<b>:" not in as_html(clf)


def test_unfitted():
    for method in ("predict", "predict_proba", "marked", "explain", "save"):
        with pytest.raises(NotFittedError):
            getattr(DNFClassifier(), method)("anything")
    with pytest.raises(NotFittedError):
        DNFClassifier().summary()


def test_same_seed_same_result_on_any_number_of_threads():
    X, y = noisy(400, seed=5)
    runs = [DNFClassifier(random_state=7, n_jobs=n, agree=3).fit(X, y) for n in (None, 2, -1)]
    assert len({(run.function_, run.log_posterior_, run.agreement_) for run in runs}) == 1


def test_random_state_may_be_a_generator_and_is_kept():
    X, y = noisy(100)
    for state in (np.random.RandomState(3), np.random.default_rng(3), None):
        first = DNFClassifier(random_state=state).fit(X, y)
        again = DNFClassifier(random_state=first.seed_).fit(X, y)
        assert again.log_posterior_ == first.log_posterior_


def test_ctrl_c_stores_the_best_so_far_and_goes_on(monkeypatch, table):
    def interrupt(done, most, best):
        raise KeyboardInterrupt

    monkeypatch.setattr("bayesdnf.estimators.classifier.Teller", lambda verbose: interrupt)
    clf = DNFClassifier(positive="bad", verbose=1, random_state=0)
    with pytest.raises(KeyboardInterrupt):
        clf.fit(table, LABELS)
    assert clf.stopped_ == "interrupted"
    assert clf.predict(table).tolist() == LABELS


def test_verbose_tells_on_standard_error(capsys, table):
    DNFClassifier(verbose=2, random_state=0).fit(table, LABELS)
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("Restart 1 of at most 256: best log posterior -")
    assert len(told.err.splitlines()) == 16


def test_fit_leaves_the_parameters_alone(table):
    prior, effect = Prior(size=Poisson(3)), Effect(a1=2)
    clf = DNFClassifier(prior=prior, effect=effect, random_state=0).fit(table, LABELS)
    before = clf.log_posterior_, clf.predict_proba(table).tolist()
    clf.set_params(prior__size=Poisson(9), effect__a1=5)
    assert clf.prior_ == Prior(size=Poisson(3))
    assert clf.effect_ == Effect(a1=2)
    assert (clf.log_posterior_, clf.predict_proba(table).tolist()) == before


def test_nested_parameters():
    clf = DNFClassifier(prior=Prior(size=Poisson(2)))
    assert clf.get_params()["prior__size"] == Poisson(2)
    assert "prior__size" not in DNFClassifier().get_params()
    copy = clone(clf).set_params(prior__count=Geometric(0.1))
    assert copy.prior.count == Geometric(0.1)
    assert clf.prior.count == Prior().count
    assert DNFClassifier().set_params(effect__a1=3).effect == Effect(a1=3)
    assert DNFClassifier().set_params(prior=None, prior__max_terms=2).prior == Prior(max_terms=2)


def test_grid_search_pipeline_and_cross_validation():
    X, y, _ = simulate(200, 6, random_state=0)
    clf = DNFClassifier(random_state=0, restarts=2)
    grid = GridSearchCV(clf, {"prior__size": [Poisson(2), Poisson(5)]}, cv=2).fit(X, y)
    assert grid.best_params_["prior__size"] in (Poisson(2), Poisson(5))
    assert grid.best_estimator_.prior.size == grid.best_params_["prior__size"]
    pipe = make_pipeline(FunctionTransformer(), clf)
    with joblib.parallel_config("threading", n_jobs=2):
        scores = cross_val_score(pipe, X, y, cv=3, scoring="roc_auc")
    assert (scores > 0.7).all()


def test_pickle_and_joblib(tmp_path, table, model):
    joblib.dump(model, tmp_path / "model.joblib")
    for copy in (pickle.loads(pickle.dumps(model)), joblib.load(tmp_path / "model.joblib")):
        assert copy.function_ == model.function_
        assert (copy.predict_proba(table) == model.predict_proba(table)).all()
        assert copy.summary() == model.summary()


def test_a_prior_without_the_null_gives_an_infinite_gain(table):
    prior = Prior(count=Geometric(0.5))
    clf = DNFClassifier(prior=prior, positive="bad", random_state=0).fit(table, LABELS)
    assert len(clf.function_) == 1
    assert clf.rules_["log_gain"].tolist() == [math.inf]
