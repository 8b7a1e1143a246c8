"""PosteriorDNFClassifier: what it averages, what it says, what it takes and refuses."""

import dataclasses
import pickle
import sys

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import beta
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from bayesdnf import (
    BitMatrix,
    BooleanFunction,
    Draws,
    Effect,
    Geometric,
    Poisson,
    Posterior,
    PosteriorDNFClassifier,
    Prior,
    sample,
    simulate,
)
from bayesdnf.errors import InputError, OutOfMemoryError, ParameterError, UnknownColumnError
from estimators.mixed_table import COLUMNS, LABELS

QUICK = {"draws": 100, "warmup": 50, "chains": 2, "thin": 20}


def quick(**parameters):
    return PosteriorDNFClassifier(**{**QUICK, "random_state": 0, **parameters})


@pytest.fixture(scope="module")
def mixed():
    return quick(positive="bad").fit(pd.DataFrame(COLUMNS), LABELS)


@pytest.fixture(scope="module")
def four():
    """A table of four columns, a model with many draws of it, and the exact posterior."""
    X, y, _ = simulate(80, 4, terms=(2,), pi0=0.3, pi1=0.7, random_state=4)
    model = PosteriorDNFClassifier(
        prior=Prior(), draws=6000, warmup=200, chains=4, thin=15, random_state=1
    ).fit(X, y)
    return X, y, model, Posterior(BitMatrix.from_table(X), y).enumerate()


# What is averaged ---------------------------------------------------------------------------------


def test_probabilities_of_functions_are_the_exact_ones(four):
    _, _, model, exact = four
    drawn = dict(zip(model.functions_["function"], model.functions_["probability"], strict=True))
    apart = [
        abs(drawn.get(function, 0.0) - probability)
        for function, probability in zip(exact["function"], exact["probability"], strict=True)
    ]
    assert exact["probability"].max() < 0.9  # there is something to average over
    assert sum(apart) / 2 < 0.02
    assert max(apart) < 0.015
    null = exact["probability"][[function.is_null for function in exact["function"]]].sum()
    assert model.null_probability_ == pytest.approx(null, abs=0.015)
    assert model.map_ == exact["function"][0]


def test_predictions_are_the_exact_averages(four):
    X, y, model, exact = four
    posterior = Posterior(BitMatrix.from_table(X), y)
    risk, marked = np.zeros(len(X)), np.zeros(len(X))
    for function, probability in zip(exact["function"], exact["probability"], strict=True):
        truth = function(X)
        pi0, pi1 = (rate.mean for rate in posterior.rates(function).summary())
        risk += probability * np.where(truth, pi1, pi0)
        marked += probability * truth
    assert np.abs(model.predict_proba(X)[:, 1] - risk).max() < 0.01
    assert np.abs(model.marked_probability(X) - marked).max() < 0.015


def test_inclusion_is_the_exact_one(four):
    _, _, model, exact = four
    table = model.inclusion_
    assert list(table.columns) == ["kind", "what", "probability", "equal"]
    assert list(dict.fromkeys(table["kind"])) == ["literal", "attribute", "term", "pair"]
    assert (table["probability"] >= 0.001).all()

    for row in table.to_dict("records"):
        wanted = set(row["what"].split(" AND "))
        held = set.__eq__ if row["kind"] == "term" else set.__le__
        rows = [
            any(held(wanted, set(term)) for term in function.terms)
            for function in exact["function"]
        ]
        expected = exact["probability"][rows].sum()
        assert row["probability"] == pytest.approx(expected, abs=0.02)


def test_the_evidence_is_the_exact_one():
    X, y, _ = simulate(80, 4, terms=(2,), pi0=0.3, pi1=0.7, random_state=4)
    exact = Posterior(BitMatrix.from_table(X), y).enumerate(limit=1).attrs["log_evidence"]
    model = quick(kernel="tempered", draws=1500, chains=3).fit(X, y)
    assert model.evidence_.mean == pytest.approx(exact, abs=0.15)
    assert 0 < model.evidence_.spread < 0.3
    assert "Log evidence" in model.summary()
    assert np.isnan(quick(kernel="tempered", chains=1).fit(X, y).evidence_.spread)
    assert quick().fit(X, y).evidence_ is None


def test_predictions_are_means_and_quantiles_over_draws(mixed):
    rows = pd.DataFrame(COLUMNS)[:20]
    drawn, table = mixed.draws_, mixed.encoder_.as_table(rows)
    risk = np.array(
        [
            np.where(drawn.function(i)(table), pi1, pi0)
            for i, pi0, pi1 in zip(
                drawn.index.ravel(), drawn.pi0.ravel(), drawn.pi1.ravel(), strict=True
            )
        ]
    )
    bad = mixed.classes_.tolist().index("bad")
    assert np.allclose(mixed.predict_proba(rows)[:, bad], risk.mean(axis=0))
    assert np.allclose(mixed.predict_proba(rows).sum(axis=1), 1)
    interval = mixed.predict_interval(rows, level=0.8)
    assert np.allclose(interval["mean"], risk.mean(axis=0))
    assert np.allclose(interval[["low", "high"]].T, np.quantile(risk, [0.1, 0.9], axis=0))


def test_intervals_keep_the_index_and_widen_with_the_level(mixed):
    rows = pd.DataFrame(COLUMNS)[:7].set_axis(list("abcdefg"))
    narrow, wide = mixed.predict_interval(rows, 0.5), mixed.predict_interval(rows, 0.99)
    assert list(narrow.index) == list("abcdefg")
    assert (wide["low"] < narrow["low"]).all()
    assert (wide["high"] > narrow["high"]).all()
    assert list(mixed.predict_interval(rows.to_dict("list")).index) == list(range(7))
    for level in (0, 1, -0.5):
        with pytest.raises(ParameterError, match=r"'level'.*between 0 and 1"):
            mixed.predict_interval(rows, level)


def test_posterior_predictive_draws_labels(mixed):
    rows = pd.DataFrame(COLUMNS)
    once = mixed.posterior_predictive(rows, random_state=0)
    assert once.shape == (120,)
    assert once.dtype == mixed.classes_.dtype
    often = mixed.posterior_predictive(rows, size=2000, random_state=0)
    assert often.shape == (2000, 120)
    assert set(np.unique(often)) == {"bad", "fine"}
    bad = mixed.predict_proba(rows)[:, mixed.classes_.tolist().index("bad")]
    assert np.abs((often == "bad").mean(axis=0) - bad).max() < 0.05
    assert (often == mixed.posterior_predictive(rows, size=2000, random_state=0)).all()
    assert mixed.posterior_predictive(rows, size=0).shape == (0, 120)
    with pytest.raises(ParameterError, match="'size'"):
        mixed.posterior_predictive(rows, size=-1)
    with pytest.raises(ParameterError, match="'random_state'"):
        mixed.posterior_predictive(rows, random_state="seed")
    with pytest.raises(OutOfMemoryError, match="labels for each row"):
        mixed.posterior_predictive(rows, size=10**15)


# Special posteriors -------------------------------------------------------------------------------


def test_nothing_but_the_null_gives_the_base_rate():
    rng = np.random.default_rng(1)
    X, y = rng.integers(0, 2, size=(200, 5)), np.arange(200) % 4 == 0
    model = quick(prior=Prior(max_terms=0), draws=4000, thin=1).fit(X, y)
    assert model.null_probability_ == 1
    assert model.map_ == BooleanFunction()
    assert model.inclusion_.empty
    assert model.rules_.empty
    assert len(model.functions_) == 1
    assert (model.marked_probability(X) == 0).all()
    assert np.allclose(model.predict_proba(X)[:, 1], 51 / 202, atol=0.003)
    interval = model.predict_interval(X[:1])
    assert interval["low"][0] == pytest.approx(beta(51, 151).ppf(0.025), abs=0.01)
    assert interval["high"][0] == pytest.approx(beta(51, 151).ppf(0.975), abs=0.01)
    assert "on every row" in model.summary()
    lenient = quick(prior=Prior(max_terms=0), allow_missing_columns=True)
    named = pd.DataFrame(X, columns=list("abcde"))
    assert len(lenient.fit(named, y).predict(pd.DataFrame({"z": [1, 2]}))) == 2


def test_one_function_that_is_certain():
    table = {"odor": ["f", "n"] * 200}
    model = quick(positive="ill").fit(table, ["ill", "well"] * 200)
    assert list(model.functions_["probability"]) == [1.0]
    assert list(model.functions_["same_rows"]) == [1.0]
    assert model.marked_probability(table).tolist() == [1.0, 0.0] * 200
    assert model.predict(table).tolist() == ["ill", "well"] * 200
    assert "1 distinct function\n" in model.summary()


def test_risks_are_on_the_populations_scale():
    X, y, truth = simulate(800, 6, terms=(2,), random_state=2)
    plain = quick().fit(X, y)
    known = quick(effect=Effect(prevalence=0.01)).fit(X, y)
    assert plain.map_ == known.map_ == truth
    assert (plain.draws_.index == known.draws_.index).all()
    assert (known.predict_proba(X)[:, 1] < plain.predict_proba(X)[:, 1]).all()
    assert "in the population (prevalence 0.01)" in known.summary()
    exact = Posterior(BitMatrix.from_table(X), y, effect=Effect(prevalence=0.01)).rates(truth)
    for found, expected in zip(known.risks_, exact.summary(), strict=True):
        assert found.mean == pytest.approx(expected.mean, rel=0.1)


def test_equal_columns_are_named():
    X, y, _ = simulate(300, 4, terms=(2,), random_state=0)
    model = quick().fit(X.assign(twin=X["x0"]), y)
    literals = model.inclusion_[model.inclusion_["kind"] == "literal"].set_index("what")
    assert literals.loc["x0", "equal"] == "twin"
    assert "twin" not in literals.index
    assert "twin" in model.summary()


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
        "function", "probability", "log_posterior", "terms", "literals", "same_rows",
    ]  # fmt: skip
    assert table["probability"].is_monotonic_decreasing
    assert table["probability"].sum() == pytest.approx(1)
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
    assert text.startswith("Posterior of the rule for bad: 2 chains of 100 draws, ")
    for part in (
        "Most probable functions:",
        "(odor = f)",
        "Terms of the drawn function of highest log posterior:",
        "Probability that the rule holds:",
        "Probability that there is no rule at all: 0",
        "where the rule holds: 0.9",
        "Sampling (informed): all draws were made; ",
    ):
        assert part in text
    assert text.endswith(mixed.diagnostics_.verdict)


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
    from bayesdnf.estimators.posterior_presentation import as_html

    assert "<script>" not in as_html(hostile)
    assert "<b>:" not in as_html(hostile)


def test_to_arviz(mixed):
    tree = mixed.to_datatree()
    assert tree["posterior"]["pi1"].shape == (2, 100)
    with_rows = mixed.to_datatree(log_likelihood=True)
    assert with_rows["log_likelihood"]["y"].shape == (2, 100, 120)
    copy = pickle.loads(pickle.dumps(mixed))
    assert (copy.to_datatree()["posterior"]["pi1"] == tree["posterior"]["pi1"]).all()
    with pytest.raises(InputError, match="pickled does not hold the rows"):
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
