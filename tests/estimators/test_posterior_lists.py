"""PosteriorDNFClassifier with lists and strata: answers, words, and what it refuses."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from bayesdnf import (
    BitMatrix,
    Effect,
    Posterior,
    PosteriorDNFClassifier,
    RuleList,
    simulate,
)
from bayesdnf.errors import InputError, ParameterError
from bayesdnf.estimators.presenting.posterior_summary import as_html
from bayesdnf.model.part_rates import mean_rates
from bayesdnf.model.rule import layers_of
from tests.estimators.planted_list import RISKS, TRUTH, confounded, planted, with_gaps
from tests.estimators.quick_posterior import quick

# What is averaged ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_averages_over_lists_are_the_exact_ones():
    X, y, _ = simulate(80, 3, terms=(2,), pi0=0.3, pi1=0.7, random_state=4)
    site = np.arange(80) % 2
    model = PosteriorDNFClassifier(
        layers=2, negations=False, draws=4000, warmup=200, chains=4, thin=15, random_state=1
    ).fit(X, y, strata=site)
    posterior = Posterior(BitMatrix.from_table(X), y, layers=2, strata=site)
    exact = posterior.enumerate()
    risk = np.zeros(len(X))
    for rule, probability in zip(exact["function"], exact["probability"], strict=True):
        cells = posterior.part_counts(rule)
        means = mean_rates(posterior.effect, cells[None], np.array([len(layers_of(rule))]))[0]
        risk += probability * means[site, rule(X)]
    assert exact["probability"].max() < 0.9
    assert np.abs(model.predict_proba(X, strata=site)[:, 1] - risk).max() < 0.01
    null = exact["probability"][[rule.is_null for rule in exact["function"]]].sum()
    assert model.null_probability_ == pytest.approx(null, abs=0.015)


def test_a_planted_list_is_found_and_answered(listed):
    X, _, model = listed
    assert isinstance(model.map_, RuleList)
    assert model.map_.attributes == TRUTH.attributes
    truth = np.array(RISKS)[TRUTH(X)]
    ill = model.classes_.tolist().index("ill")
    assert np.abs(model.predict_proba(X)[:, ill] - truth).mean() < 0.06
    assert model.marked_probability(X).max() <= 1
    gaps = with_gaps()
    table = model.encoder_.as_table(gaps)
    drawn = model.draws_
    rates = mean_rates(model.effect_, drawn.cells, drawn.n_layers)[:, 0]
    slow = sum(
        share * rates[f][drawn.function(f)(table)] for f, share in enumerate(drawn.frequency)
    )
    assert np.allclose(model.predict_proba(gaps)[:, ill], slow, atol=1e-12)
    assert np.allclose(model.predict_proba(gaps).sum(axis=1), 1)


def test_intervals_and_labels_of_lists(listed):
    X, _, model = listed
    interval = model.predict_interval(X[:50])
    assert (interval["low"] <= interval["mean"]).all()
    assert (interval["mean"] <= interval["high"]).all()
    ill = model.classes_.tolist().index("ill")
    assert np.allclose(interval["mean"], model.predict_proba(X[:50])[:, ill])
    labels = model.posterior_predictive(X[:50], size=400, random_state=0)
    assert np.abs((labels == "ill").mean(axis=0) - interval["mean"]).max() < 0.12


def test_strata_have_risks_of_their_own(stratified):
    X, _, site, model = stratified
    assert model.strata_ == ("north", "south")
    own = model.predict_proba(X, strata=site)[:, 1]
    assert own[site == "north"].mean() > own[site == "south"].mean() + 0.2
    turned = np.where(site == "north", "south", "north")
    assert (model.predict_proba(X, strata=turned)[site == "north", 1] < own[site == "north"]).all()
    pooled = model.predict_proba(X)[:, 1]
    both = model.predict_proba(X, strata=turned)[:, 1]
    assert ((np.minimum(own, both) < pooled) & (pooled < np.maximum(own, both))).all()
    assert (model.predict(X, strata=site) == (own > 0.5)).all()
    narrow = model.predict_interval(X[:5], strata=site[:5])
    assert np.allclose(narrow["mean"], own[:5])
    drawn = model.posterior_predictive(X[:5], 2000, random_state=0, strata=site[:5])
    assert np.abs(drawn.mean(axis=0) - own[:5]).max() < 0.06
    assert "dialect" not in model.representative_.attributes


@pytest.mark.slow
def test_weights_are_repetition_in_strata_too():
    X, y, site = confounded(150)
    weights = np.random.default_rng(0).integers(0, 3, 150)
    rows = np.repeat(np.arange(150), weights)
    one = quick(layers=2).fit(X, y, weights, strata=site)
    two = quick(layers=2).fit(X.iloc[rows], y[rows], strata=site[rows])
    assert (one.draws_.index == two.draws_.index).all()
    assert (one.predict_proba(X, strata=site) == two.predict_proba(X, strata=site)).all()
    assert one.representative_ == two.representative_
    assert one.representative_loss_ == pytest.approx(two.representative_loss_, abs=1e-12)


def test_a_known_prevalence_goes_with_lists_and_strata():
    X, y, site = confounded(200)
    plain = quick(layers=2).fit(X, y, strata=site)
    rare = quick(layers=2, effect=Effect(prevalence=0.01)).fit(X, y, strata=site)
    assert (plain.draws_.index == rare.draws_.index).all()
    assert rare.predict_proba(X, strata=site)[:, 1].max() < 0.2
    assert rare.predict_proba(X)[:, 1].mean() == pytest.approx(0.014, abs=0.01)
    assert max(risk.mean for risk in rare.risks_) < 0.1
    assert "raised" in rare.summary()


# What it says -------------------------------------------------------------------------------------


def test_functions_and_risks_of_lists(listed):
    _, _, model = listed
    table = model.functions_
    assert "layers" in table
    assert all(isinstance(rule, RuleList) for rule in table["function"])
    assert len(model.risks_) == len(model.map_) + 1
    assert model.one_layer_bayes_factor_ is not None
    assert model.one_layer_bayes_factor_.log < 0
    cells = model.draws_.cells[np.argmax(model.draws_.log_score)]
    for part, risk in enumerate(model.risks_):
        a, b = cells[0, part]
        assert risk.mean == pytest.approx((a + 1) / (a + b + 2))
        assert risk.low < risk.mean < risk.high


def test_summary_tells_the_rule_to_show_its_parts_and_what_is_lost(listed, stratified):
    _, _, model = listed
    text = model.summary()
    shown = model.representative()
    for part in (
        "distinct lists",
        "Most probable lists:",
        "same_rows: probability of all lists that have the same partition.",
        "Terms of the drawn list of highest log posterior:",
        f"Representative rule ({shown.rule.n_literals} literals, at most 15):",
        "  if   (odor = f)",
        "  layer 3 (",
        ", raised\n",
        ", lowered\n",
        "Log loss compared with the average: ",
        "Bayes factor of one layer against several: ",
    ):
        assert part in text, part
    assert text.startswith(model.diagnostics_.verdict)  # too short: said first
    assert "pi0" not in text
    assert "π" not in text
    assert "where the rule holds" not in text
    html = as_html(model)
    assert "Representative rule" in html
    assert "raised" in html
    assert "Risks are pooled over 2 strata" in stratified[3].summary()


def test_explanations(listed, stratified):
    X, _, model = listed
    ill = model.classes_.tolist().index("ill")
    row = X.iloc[0]
    told = model.explain(row)
    assert told.risk.mean == model.predict_proba(X[:1])[0, ill]
    assert tuple(told.risk[1:]) == tuple(model.predict_interval(X[:1]).iloc[0][["low", "high"]])
    assert told.base == model.counts_.n_pos / model.counts_.n
    assert told.part == model.representative_(X[:1])[0]
    assert told.rule_risk == model.representative_proba(X[:1])[0, ill]
    foul = model.explain({**row.to_dict(), "odor": "f"})
    assert foul.beside_all == "raised"
    assert foul.fired == ("odor = f",)
    assert f"layer {len(model.representative_)} decides by (odor = f), risk" in str(foul)
    assert "raised" in foul._repr_html_()
    X, _, _, model = stratified
    north, south = (model.explain(X.iloc[0], name) for name in ("north", "south"))
    assert north.risk.mean > model.explain(X.iloc[0]).risk.mean > south.risk.mean
    assert north.rule_risk > south.rule_risk
    with pytest.raises(InputError, match="strata holds 'east'"):
        model.explain(X.iloc[0], "east")
    with pytest.raises(InputError, match="explain takes one row"):
        model.explain(X[:2])


# What is refused ----------------------------------------------------------------------------------


@pytest.mark.parametrize("layers", [0, True, 1.5, 100, "3", -2])
def test_wrong_layers(layers):
    X, y = planted(60)
    with pytest.raises(
        ParameterError,
        match=r"^The 'layers' parameter of PosteriorDNFClassifier must be a whole number, from 1 "
        r"to 8, or None\. Got .* instead\.$",
    ):
        quick(layers=layers).fit(X, y)


def some_strata(n):
    return {
        r"strata has 59 entries for 60 rows of X\.": ["a", "b"] * 29 + ["a"],
        r"strata is missing in row 3; every row needs a stratum\.": ["a", "b", "a", None] * 15,
        r"60 different values, at most 20 .*; cut a numeric column into groups first\.": (
            np.linspace(0, 1, n)
        ),
        r"60 different values, at most 20 are possible": [f"row {i}" for i in range(n)],
    }


@pytest.mark.parametrize("wrong", some_strata(60))
def test_wrong_strata_in_fitting(wrong):
    X, y = planted(60)
    with pytest.raises(InputError, match=wrong) as caught:
        quick().fit(X, y, strata=some_strata(60)[wrong])
    assert "\n" not in str(caught.value)


def test_strata_that_leave_nothing_to_say():
    X, y = planted(60)
    with pytest.raises(InputError, match="strata settles the outcome"):
        quick().fit(X, y, strata=y)
    X, y = X[:12], np.array(["ill", "well"] * 6)
    with pytest.raises(InputError, match="every row into a stratum of its own"):
        quick().fit(X, y, strata=np.arange(12))


def test_wrong_strata_in_answering(listed, stratified):
    X, _, model = listed
    methods = ("predict", "predict_proba", "predict_interval", "representative_proba")
    for name in methods:
        with pytest.raises(InputError, match=r"^strata were given, and the model was fitted witho"):
            getattr(model, name)(X, strata=["a"] * len(X))
    X, _, site, model = stratified
    for wrong, text in (
        (
            np.where(site == "north", "north", "east"),
            r"^strata holds 'east', which no row had when",
        ),
        ([None, *site[1:]], r"^strata is missing in row 0; every row needs a stratum\.$"),
        (site[1:], r"^strata has 399 entries for 400 rows of X\.$"),
    ):
        for name in methods:
            with pytest.raises(InputError, match=text):
                getattr(model, name)(X, strata=wrong)
        with pytest.raises(InputError, match=text):
            model.posterior_predictive(X, strata=wrong)


@pytest.mark.parametrize(
    ("effect", "text"),
    [
        (Effect(pi0=0.1, pi1=0.9), r"^The 'pi0' and 'pi1' parameters of Effect must be None with"),
        (Effect(ordered=True), r"^The 'ordered' parameter of Effect must be None or False with"),
    ],
)
def test_what_is_known_of_two_rates_only(effect, text):
    X, y, site = confounded(80)
    with pytest.raises(ParameterError, match=f"{text} more than one layer"):
        quick(effect=effect, layers=2).fit(X, y)
    with pytest.raises(ParameterError, match=f"{text} strata"):
        quick(effect=effect).fit(X, y, strata=site)


def test_case_control_rows_in_strata_are_refused():
    X, y, site = confounded(80)
    matched = Effect(prevalence=0.1, sampling="case-control")
    with pytest.raises(ParameterError, match=r"^The 'sampling' .* must be 'random' with strata: "):
        quick(effect=matched).fit(X, y, strata=site)
    assert quick(effect=matched, layers=2).fit(X, y).effect_.prevalence == 0.1


def test_unfitted():
    model, rows = quick(layers=2), planted(5)[0]
    with pytest.raises(NotFittedError):
        model.representative()
    with pytest.raises(NotFittedError):
        model.explain(rows.iloc[0])
    with pytest.raises(NotFittedError):
        model.representative_proba(rows)
    for name in ("representative_", "representative_loss_"):
        assert not hasattr(model, name)


def test_strata_may_come_in_many_forms(stratified):
    X, _, site, model = stratified
    own = model.predict_proba(X, strata=site)
    for strata in (site.tolist(), pd.Series(site), pd.Categorical(site)):
        assert (model.predict_proba(X, strata=strata) == own).all()
