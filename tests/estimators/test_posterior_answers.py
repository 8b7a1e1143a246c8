"""PosteriorDNFClassifier: what it averages, against the exact posterior."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta

from bayesdnf import BitMatrix, BooleanFunction, Effect, Posterior, Prior, simulate
from bayesdnf.errors import OutOfMemoryError, ParameterError
from tests.estimators.mixed_table import COLUMNS
from tests.estimators.quick_posterior import quick

# What is averaged ---------------------------------------------------------------------------------


@pytest.mark.parametrize("layers", [1, 3])
def test_a_chain_that_is_stuck_where_there_is_no_mass_counts_nowhere(layers):
    """Means, intervals, labels drawn, the representative, importance and explanations."""
    X, y, _ = simulate(150, 5, terms=(2, 2), pi0=0.2, pi1=0.8, random_state=3)
    parameters = {"layers": layers, "chains": 3}
    model, few = (quick(**parameters).fit(X, y) for _ in range(2))
    drawn = model.draws_
    worst = int(np.argmin(drawn.log_mass))
    assert drawn.log_mass[worst] < drawn.log_mass.max() - 8
    index = np.concatenate([drawn.index, np.full((1, drawn.n_draws), worst)])
    times = [0, 1, 2, int(np.argmax((drawn.index == worst).any(axis=1)))]
    rates = drawn.rates[times]
    rates[3] = rates[3][np.argmax(drawn.index[times[3]] == worst)]
    rest = {name: getattr(drawn, name)[times] for name in ("likelihoods", "tried", "changed")}
    empty = {name: getattr(drawn, name)[times] for name in ("exchanges_tried", "exchanged")}
    model._store_draws(replace(drawn, index=index, rates=rates, **rest, **empty))
    assert model.draws_.counted.tolist() == [0, 1, 2]
    assert few.draws_.counted.tolist() == [0, 1, 2]
    np.testing.assert_array_equal(model.predict_proba(X), few.predict_proba(X))
    pd.testing.assert_frame_equal(model.predict_interval(X), few.predict_interval(X))
    np.testing.assert_array_equal(model.marked_probability(X), few.marked_probability(X))
    drawn_labels = [m.posterior_predictive(X, 5, random_state=0) for m in (model, few)]
    np.testing.assert_array_equal(*drawn_labels)
    assert model.representative_ == few.representative_
    assert model.representative_loss_ == few.representative_loss_
    assert model.risks_ == few.risks_
    pd.testing.assert_frame_equal(model.importance(X, y), few.importance(X, y))
    pd.testing.assert_frame_equal(model.risk_along(X, "x0"), few.risk_along(X, "x0"))
    pd.testing.assert_frame_equal(
        model.inclusion_.drop(columns="frequency"), few.inclusion_.drop(columns="frequency")
    )
    assert str(model.explain(X.head(1))) == str(few.explain(X.head(1)))
    said = "Averages exclude chain 4: by exact scores, the functions drawn there have less than"
    assert said in model.summary()
    assert "Averages exclude" not in few.summary()


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


@pytest.mark.slow
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
    assert list(table.columns) == ["kind", "what", "probability", "frequency", "equal"]
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
    model = quick(kernel="tempered", negations=False, draws=1500, chains=3).fit(X, y)
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
        mixed.posterior_predictive(rows, size=2 * 10**9)


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
