"""PosteriorDNFClassifier: what it takes and refuses, how it runs, what it says."""

import dataclasses
import pickle
import sys

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from bayesdnf import (
    Draws,
    Geometric,
    Poisson,
    Prior,
    sample,
    simulate,
)
from bayesdnf.errors import InputError, ParameterError, UnknownColumnError
from tests.estimators.mixed_table import COLUMNS, LABELS
from tests.estimators.quick_posterior import quick

# Inputs -------------------------------------------------------------------------------------------


def test_weights_are_repetition_and_order_does_not_matter():
    rng = np.random.default_rng(3)
    X = np.column_stack([rng.normal(size=40), rng.integers(0, 4, 40), rng.integers(0, 2, 40)])
    y = (X[:, 0] + rng.normal(size=40) > 0).astype(int)
    weights = rng.integers(0, 4, 40)
    weights[[y.argmin(), y.argmax()]] = 1
    shuffled = rng.permutation(np.repeat(np.arange(40), weights))
    one = quick().fit(X, y, sample_weight=weights.astype(float))
    two = quick().fit(X[shuffled], y[shuffled])
    assert (one.draws_.index == two.draws_.index).all()
    assert (one.draws_.pi1 == two.draws_.pi1).all()
    assert one.functions_.equals(two.functions_)
    assert one.counts_ == two.counts_
    assert (one.predict_proba(X) == two.predict_proba(X)).all()


def test_positive_turns_the_rule_round():
    X, y, _ = simulate(200, 4, terms=(1,), random_state=0)
    labels = np.where(y == 1, "ill", "well")
    ill, well = (quick(positive=label, negations=True).fit(X, labels) for label in ("ill", "well"))
    for model in (ill, well):
        assert model.classes_.tolist() == ["ill", "well"]
        assert (model.predict(X) == labels).mean() > 0.8
    assert (ill.positive_, ill.negative_) == ("ill", "well")
    assert (str(ill.map_), str(well.map_)) == ("(x0)", "(NOT x0)")
    assert quick().fit(X, labels).positive_ == "well"
    with pytest.raises(ParameterError, match=r"'positive'.*one of the classes of y"):
        quick(positive="dead").fit(X, labels)


def test_missing_values_satisfy_nothing():
    odor = ["f", "n", "?", "n"] * 40
    model = quick(missing_values=["?"], negations=True, positive=1).fit(
        {"odor": odor}, [int(value == "f") for value in odor]
    )
    assert not any("?" in str(literal) for literal in model.encoder_.literals_)
    unmarked = model.marked_probability({"odor": ["?", None, "f"]})
    assert unmarked.tolist()[:2] == [0.0, 0.0]
    assert unmarked[2] > 0.9


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, dict])
def test_tables_of_every_library(library):
    columns = {**COLUMNS, "site": list(COLUMNS["site"])}
    model = quick(positive="bad").fit(library(columns), LABELS)
    assert str(model.map_) == "(odor = f)"
    assert model.feature_names_in_.tolist() == list(COLUMNS)
    assert model.predict(library(columns)).tolist() == LABELS


def test_which_columns_are_needed(mixed):
    table = pd.DataFrame(COLUMNS)
    assert mixed.predict(table[table.columns[::-1]].assign(extra=1)).tolist() == LABELS
    with pytest.raises(UnknownColumnError, match="no column 'site'"):
        mixed.predict(table[["odor"]])
    lenient = clone(mixed).set_params(allow_missing_columns=True).fit(table, LABELS)
    used = list(dict.fromkeys(x.attribute for x in lenient.draws_.literals))
    assert lenient.predict(table[used]).tolist() == LABELS
    with pytest.raises(UnknownColumnError, match="no column 'odor'"):
        lenient.predict(table[["site"]])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("prior", "flat"),
        ("effect", Prior()),
        ("draws", 0),
        ("warmup", -1),
        ("chains", 1.5),
        ("thin", True),
        ("kernel", "gibbs"),
        ("kernel", ["informed"]),
        ("time_limit", 0),
        ("n_jobs", 0),
        ("random_state", -1),
        ("checkpoint", 3),
        ("allow_missing_columns", "yes"),
        ("verbose", -1),
        ("thresholds", 0),
    ],
)
def test_wrong_parameters_are_told_in_fit_only(name, value):
    model = quick(**{name: value})
    with pytest.raises(ParameterError, match=f"The '{name}' parameter"):
        model.fit(pd.DataFrame(COLUMNS), LABELS)


# Runs ---------------------------------------------------------------------------------------------


def test_same_seed_same_draws_on_any_number_of_threads():
    X, y, _ = simulate(150, 8, random_state=5)
    runs = [quick(n_jobs=n, chains=3).fit(X, y) for n in (None, 2, -1)]
    for run in runs[1:]:
        assert (run.draws_.index == runs[0].draws_.index).all()
        assert (run.draws_.pi0 == runs[0].draws_.pi0).all()
        assert run.functions_.equals(runs[0].functions_)
    again = quick(random_state=None).fit(X, y)
    repeated = quick(random_state=again.seed_).fit(X, y)
    assert (repeated.draws_.pi0 == again.draws_.pi0).all()


def test_a_checkpoint_is_gone_on_from(tmp_path):
    X, y, _ = simulate(150, 8, random_state=5)
    path = tmp_path / "run"
    first = quick(checkpoint=path).fit(X, y)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["run.0"]
    again = quick(checkpoint=path).fit(X, y)
    assert (again.draws_.pi0 == first.draws_.pi0).all()
    with pytest.raises(InputError, match="is of another run"):
        quick(checkpoint=path, random_state=1).fit(X, y)
    with pytest.raises(ParameterError, match=r"'random_state'.*must be given when there is a"):
        quick(checkpoint=path, random_state=None).fit(X, y)


def test_a_time_limit_ends_it():
    X, y, _ = simulate(150, 8, random_state=5)
    model = quick(draws=10**7, time_limit=0.3).fit(X, y)
    assert model.stopped_ == "time limit"
    assert 0 < model.draws_.n_draws < 10**7
    assert "the time limit was reached" in model.summary()


def test_ctrl_c_stores_the_draws_and_goes_on(monkeypatch):
    def interrupted(posterior, **options):
        drawn = sample(posterior, **options)
        return dataclasses.replace(drawn, settings={**drawn.settings, "stopped": "interrupted"})

    monkeypatch.setattr("bayesdnf.estimators.posterior_classifier.sample", interrupted)
    model = quick(positive="bad")
    with pytest.raises(KeyboardInterrupt):
        model.fit(pd.DataFrame(COLUMNS), LABELS)
    assert model.stopped_ == "interrupted"
    assert model.predict(pd.DataFrame(COLUMNS)).tolist() == LABELS
    assert "it was interrupted" in model.summary()


def test_verbose_tells_on_standard_error(capsys):
    quick(verbose=1).fit(pd.DataFrame(COLUMNS), LABELS)
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.splitlines()[-1].startswith("Draw 150 of 150: log posterior -")
    assert 1 <= len(told.err.splitlines()) <= 10
    quick(verbose=2).fit(pd.DataFrame(COLUMNS), LABELS)
    assert "accepted" in capsys.readouterr().err


def test_fitting_again_forgets_what_was_drawn_before():
    X, y, _ = simulate(150, 6, terms=(2,), random_state=5)
    model = quick().fit(X, y)
    before = model.functions_, model.inclusion_, model.diagnostics_
    assert model.functions_ is before[0]
    model.fit(X, np.roll(y, 1))
    assert not model.functions_.equals(before[0])
    assert not model.inclusion_.equals(before[1])
    assert model.diagnostics_ is not before[2]


def test_fit_leaves_the_parameters_alone():
    prior = Prior(size=Poisson(3))
    model = quick(prior=prior).fit(pd.DataFrame(COLUMNS), LABELS)
    model.set_params(prior__size=Poisson(9))
    assert model.prior_ == Prior(size=Poisson(3))
    assert model.prior == Prior(size=Poisson(9))


# What it says -------------------------------------------------------------------------------------


def test_functions_are_a_table(four):
    _, _, model, exact = four
    table = model.functions_
    assert list(table.columns) == [
        "function", "probability", "at_most", "frequency", "log_posterior", "terms", "literals",
        "same_rows",
    ]  # fmt: skip
    assert table["probability"].is_monotonic_decreasing
    assert table["frequency"].sum() == pytest.approx(1)
    truth = dict(zip(exact["function"], exact["probability"], strict=True))
    for row in table.to_dict("records"):
        assert row["probability"] == pytest.approx(truth[row["function"]], abs=0.01)
        assert row["at_most"] >= truth[row["function"]] - 1e-12
    assert (table["same_rows"] >= table["probability"] - 1e-12).all()
    scores = dict(zip(exact["function"], exact["log_posterior"], strict=True))
    for row in table[:5].to_dict("records"):
        assert row["log_posterior"] == pytest.approx(scores[row["function"]])
        assert (row["terms"], row["literals"]) == (len(row["function"]), row["function"].n_literals)


def test_rules_and_counts_are_those_of_the_best_function(mixed):
    assert str(mixed.map_) == "(odor = f)"
    assert mixed.counts_ == (120, 24, 24, 24)
    [row] = mixed.rules_.to_dict("records")
    assert (row["rule"], row["rows"], row["positives"]) == ("odor = f", 24, 24)


def test_summary_tells_functions_terms_inclusion_risks_and_trust(mixed):
    text = mixed.summary()
    doubt = mixed.draws_.doubt
    assert doubt.startswith("The chains are too short")
    assert text.startswith(f"{doubt}\n\nPosterior of the rule for bad: 2 chains of 100 draws, ")
    for part in (
        "Most probable functions:",
        "(odor = f)",
        "Terms of the drawn function of highest log posterior:",
        "Probability that the rule contains:",
        "(in none of 200 draws)",
        "where the rule holds: 0.9",
        "Sampling (informed): all draws were made; ",
    ):
        assert part in text
    assert text.count(mixed.diagnostics_.verdict) == 1


def test_without_the_extra_everything_works_but_diagnostics(mixed, monkeypatch):
    for name in ("arviz_stats", "arviz_stats.base", "arviz_base"):
        monkeypatch.setitem(sys.modules, name, None)
    model = quick().fit(pd.DataFrame(COLUMNS), LABELS)
    model.predict_interval(pd.DataFrame(COLUMNS)[:2])
    what = "Diagnostics need arviz-stats: pip install 'bayesdnf[posterior]'."
    assert model.summary().endswith(what)
    with pytest.raises(AttributeError, match="Diagnostics need arviz-stats"):
        _ = model.diagnostics_
    assert "Diagnostics need" in model._repr_mimebundle_()["text/html"]
    with pytest.raises(ImportError, match=r"pip install 'bayesdnf\[posterior\]'"):
        model.to_datatree()


def test_notebooks_show_the_diagram_and_the_functions(mixed):
    shown = mixed._repr_mimebundle_()["text/html"]
    assert "sk-container" in shown
    assert "Posterior of the rule for bad" in shown
    assert "Posterior of" not in quick()._repr_mimebundle_()["text/html"]
    hostile = quick(positive="<b>").fit({"a": ["<script>", "x"] * 20}, ["<b>", "c"] * 20)
    from bayesdnf.estimators.presenting.posterior_summary import as_html

    assert "<script>" not in as_html(hostile)
    assert "<b>:" not in as_html(hostile)


def test_to_arviz(mixed):
    tree = mixed.to_datatree()
    assert tree["posterior"]["pi1"].shape == (2, 100)
    with_rows = mixed.to_datatree(log_likelihood=True)
    assert with_rows["log_likelihood"]["y"].shape == (2, 100, 120)
    copy = pickle.loads(pickle.dumps(mixed))
    assert (copy.to_datatree()["posterior"]["pi1"] == tree["posterior"]["pi1"]).all()
    with pytest.raises(InputError, match="pickled or loaded does not hold the rows"):
        copy.to_datatree(log_likelihood=True)


def test_draws_are_saved_and_the_classifier_is_pickled(tmp_path, mixed):
    mixed.draws_.save(tmp_path / "draws.nc")
    loaded = Draws.load(tmp_path / "draws.nc")
    assert (loaded.pi1 == mixed.draws_.pi1).all()
    joblib.dump(mixed, tmp_path / "model.joblib")
    rows = pd.DataFrame(COLUMNS)
    for copy in (pickle.loads(pickle.dumps(mixed)), joblib.load(tmp_path / "model.joblib")):
        assert (copy.predict_proba(rows) == mixed.predict_proba(rows)).all()
        assert copy.functions_.equals(mixed.functions_)
        assert copy.summary() == mixed.summary()


def test_unfitted():
    model = quick()
    rows = pd.DataFrame(COLUMNS)
    for method in (
        "predict", "predict_proba", "predict_interval", "marked_probability",
        "posterior_predictive",
    ):  # fmt: skip
        with pytest.raises(NotFittedError):
            getattr(model, method)(rows)
    for method in ("summary", "to_datatree"):
        with pytest.raises(NotFittedError):
            getattr(model, method)()
    for name in ("functions_", "inclusion_", "diagnostics_"):
        assert not hasattr(model, name)


def test_grid_search_pipeline_and_cross_validation():
    X, y, _ = simulate(200, 6, random_state=0)
    model = quick(prior=Prior())
    grid = {"prior__size": [Poisson(2), Poisson(5)], "prior__count": [Geometric(0.5, start=0)]}
    found = GridSearchCV(model, grid, cv=2, scoring="neg_log_loss").fit(X, y)
    assert found.best_estimator_.prior.size == found.best_params_["prior__size"]
    assert found.best_score_ < 0
    pipe = make_pipeline(FunctionTransformer(), model)
    with joblib.parallel_config("threading", n_jobs=2):
        scores = cross_val_score(pipe, X, y, cv=3, scoring="roc_auc")
    assert (scores > 0.7).all()
