"""The classifier that learns one rule: fitting, seeds, interruption, scikit-learn's tools."""

import inspect
import pickle

import joblib
import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from bayesdnf import (
    BooleanFunction,
    DNFClassifier,
    Poisson,
    datasets,
    hunt,
    simulate,
)
from tests.estimators.mixed_table import LABELS
from tests.estimators.rare_rule import noisy


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
