"""Strata in DNFClassifier: rates of their own, answers by stratum, and wrong strata refused."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import KFold, cross_validate

from bayesdnf import BooleanFunction, DNFClassifier, Effect, RuleList
from bayesdnf.errors import InputError, ParameterError
from tests.estimators.planted_list import confounded


@pytest.fixture(scope="module")
def table():
    return confounded()


@pytest.fixture(scope="module")
def stratified(table):
    X, y, site = table
    return DNFClassifier(random_state=0).fit(X, y, strata=site)


@pytest.mark.parametrize("layers", [1, 3])
def test_a_column_that_marks_the_stratum_is_not_chosen_once_strata_are_given(table, layers):
    X, y, site = table
    model = DNFClassifier(layers=layers, random_state=0)
    assert "dialect" in model.fit(X, y).function_.attributes
    assert model.strata_ is None
    assert model.fit(X, y, strata=site).function_.attributes == ("gene",)
    assert model.strata_ == ("north", "south")
    assert isinstance(model.function_, RuleList if layers > 1 else BooleanFunction)


def test_risks_are_those_of_the_stratum_or_pooled(table, stratified):
    X, y, site = table
    parts = stratified.parts(X)
    means, rows = np.empty((2, 2)), np.empty((2, 2))
    for s, name in enumerate(("north", "south")):
        for h in (0, 1):
            own = y[(parts == h) & (site == name)]
            means[s, h], rows[s, h] = (own.sum() + 1) / (len(own) + 2), len(own)
    number = (site == "south").astype(int)
    expected = means[number, parts]
    assert stratified.predict_proba(X, strata=site)[:, 1] == pytest.approx(expected, abs=1e-12)
    pooled = (means * rows).sum(axis=0) / rows.sum(axis=0)
    assert stratified.predict_proba(X)[:, 1] == pytest.approx(pooled[parts], abs=1e-12)
    assert [risk.mean for risk in stratified.risks_] == pytest.approx(pooled, abs=1e-12)
    for risk in stratified.risks_:
        assert risk.low < risk.mean < risk.high
    assert (stratified.predict(X, strata=site) == (expected > 0.5)).all()
    assert stratified.cells_.shape == (2, 2, 2)
    assert stratified.rates_ is None


def test_the_table_of_strata(stratified):
    by_stratum = stratified.stratum_layers_
    assert list(by_stratum["stratum"]) == ["north", "north", "south", "south"]
    assert list(by_stratum["part"]) == [1, 0, 1, 0]
    assert list(by_stratum["risk"]) == ["raised", "lowered"] * 2
    assert by_stratum["rows"].sum() == stratified.counts_.n
    assert list(stratified.layers_["rows"]) == [
        by_stratum.loc[by_stratum["part"] == part, "rows"].sum() for part in (1, 0)
    ]
    assert "Pooled over 2 strata" in stratified.summary()
    assert "north" in stratified.summary()
    assert "south" in stratified._repr_html_()


def test_explain_takes_the_stratum(table, stratified):
    X, _, site = table
    row = X.iloc[0].to_dict()
    told = stratified.explain(row, site[0])
    assert told.probability == stratified.predict_proba(X[:1], strata=site[:1])[0, 1]
    assert stratified.explain(row).probability == stratified.predict_proba(X[:1])[0, 1]
    listed = DNFClassifier(layers=2, random_state=0).fit(*table[:2], strata=site)
    assert listed.explain(row, "south").probability < listed.explain(row, "north").probability
    with pytest.raises(InputError, match="strata holds 'east'"):
        stratified.explain(row, "east")


def test_strata_may_come_in_many_forms(table, stratified):
    X, y, site = table
    number = (site == "south").astype(int)
    forms = [site.tolist(), pd.Series(site), pl.Series(site), pd.Categorical(site)]
    forms += [number, number.astype(float), number.astype(bool)]
    for strata in forms:
        model = DNFClassifier(random_state=0, restarts=8).fit(X, y, strata=strata)
        assert model.log_posterior_ == stratified.log_posterior_
        answers = model.predict_proba(X, strata=strata)
        assert (answers == stratified.predict_proba(X, strata=site)).all()


def test_the_order_of_rows_and_rows_of_weight_0_change_nothing(table, stratified):
    X, y, site = table
    order = np.random.default_rng(0).permutation(len(y))
    again = DNFClassifier(random_state=0).fit(X.iloc[order], y[order], strata=site[order])
    assert again.log_posterior_ == stratified.log_posterior_
    assert (again.cells_ == stratified.cells_).all()
    more = pd.concat([X, X[:3]]), [*y, 1, 0, 1], [*site, "east", None, "south"]
    weights = [*np.ones(len(y), dtype=int), 0, 0, 0]
    again = DNFClassifier(random_state=0).fit(*more[:2], sample_weight=weights, strata=more[2])
    assert again.strata_ == ("north", "south")
    assert again.log_posterior_ == stratified.log_posterior_
    assert again.record_ == stratified.record_


def test_one_stratum_is_as_none(table):
    X, y, _ = table
    model = DNFClassifier(random_state=0).fit(X, y, strata=["all"] * len(y))
    plain = DNFClassifier(random_state=0).fit(X, y)
    assert model.log_posterior_ == plain.log_posterior_
    assert model.risks_ == plain.risks_
    assert list(model.stratum_layers_["rate"]) == list(plain.layers_["rate"])
    assert (model.predict_proba(X, strata=["all"] * len(y)) == plain.predict_proba(X)).all()


def test_no_rule_with_strata(table):
    _, _, site = table
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (len(site), 3))
    y = rng.random(len(site)) < np.where(site == "north", 0.8, 0.3)
    for layers in (1, 2):
        model = DNFClassifier(layers=layers, random_state=0).fit(X, y, strata=site)
        assert model.function_.is_null
        north, south = model.predict_proba(X[:2], strata=["north", "south"])[:, 1]
        assert north > 0.7 > 0.4 > south
        assert 0.4 < model.predict_proba(X)[0, 1] < 0.7
        assert "beats the null" in model.summary()


@pytest.mark.parametrize(
    ("strata", "message"),
    [
        (["a", "b"], "strata has 2 entries for 800 rows of X."),
        (["a"] * 799 + [None], "strata is missing in row 799; every row needs a stratum."),
        (np.arange(800) / 7, "strata holds 800 different values, at most 20 are possible"),
        ([f"s{i}" for i in range(800)], "strata holds 800 different values, at most 20"),
        ("north", "strata must be a one-dimensional array, Series or list. Got str instead."),
        (np.zeros((800, 2)), "strata must have one dimension. Got 2 instead."),
        (["a", 1] * 400, "strata has mixed types"),
    ],
)
def test_wrong_strata_are_refused_in_fitting(table, strata, message):
    X, y, _ = table
    with pytest.raises(InputError) as caught:
        DNFClassifier().fit(X, y, strata=strata)
    assert str(caught.value).startswith(message)


def test_strata_that_leave_nothing_to_say_are_refused(table):
    X, y, _ = table
    with pytest.raises(InputError, match="strata settles the outcome"):
        DNFClassifier().fit(X, y, strata=y)
    with pytest.raises(InputError, match="every row into a stratum of its own"):
        DNFClassifier().fit(X[:6], [0, 1] * 3, strata=list("abcdef"))


@pytest.mark.parametrize(
    ("effect", "message"),
    [
        (Effect(ordered=True), "must be None or False with strata"),
        (Effect(pi0=0.1, pi1=0.9), "must be None with strata"),
        (Effect(prevalence=0.1, sampling="case-control"), "must be 'random' with strata"),
    ],
)
def test_what_is_known_of_two_rates_is_refused(table, effect, message):
    X, y, site = table
    with pytest.raises(ParameterError, match=message):
        DNFClassifier(effect=effect).fit(X, y, strata=site)


@pytest.mark.parametrize("layers", [1, 2])
def test_a_known_prevalence_moves_risks_and_not_the_rule(table, tmp_path, layers):
    X, y, site = table
    quick = DNFClassifier(layers=layers, random_state=0, restarts=8)
    plain = clone(quick).fit(X, y, strata=site)
    rare = clone(quick).set_params(effect=Effect(prevalence=0.01)).fit(X, y, strata=site)
    assert rare.function_ == plain.function_
    # Of many rows a risk is near ρ s1 / (ρ s1 + (1-ρ) s0), s the cell's share of each class.
    shares = rare.cells_ / rare.cells_.sum(axis=(0, 1)) * [0.01, 0.99]
    risks = shares[..., 0] / shares.sum(axis=-1)
    number = (site == "south").astype(int)
    told = rare.predict_proba(X, strata=site)[:, 1]
    assert told == pytest.approx(risks[number, rare.parts(X)], abs=0.01)
    assert set(rare.stratum_layers_["risk"]) == {"raised", "lowered"}
    assert "population" in rare.summary()
    rare.save(tmp_path / "model.json")
    again = DNFClassifier.load(tmp_path / "model.json")
    assert (again.predict_proba(X, strata=site)[:, 1] == told).all()
    assert again.layers_.equals(rare.layers_)


def test_wrong_strata_are_refused_after_fitting(table, stratified):
    X, y, site = table
    for strata, message in (
        (["east"] * len(y), "strata holds 'east', which no row had when the model was fitted"),
        ([None] * len(y), "strata is missing in row 0"),
        (["north"], "strata has 1 entry for 800 rows of X."),
        ([1] * len(y), "strata holds 1, which no row had"),
    ):
        with pytest.raises(InputError, match=message):
            stratified.predict_proba(X, strata=strata)
    plain = DNFClassifier(random_state=0, restarts=8).fit(X, y)
    with pytest.raises(InputError, match="the model was fitted without any; leave them out"):
        plain.predict(X, strata=site)


def test_scores_by_strata_can_be_cross_validated(table, stratified):
    X, y, site = table
    own = np.mean(stratified.predict(X, strata=site) == y)
    assert stratified.score(X, y, strata=site) == own
    weights = np.arange(len(y)) % 3
    right = stratified.predict(X, strata=site) == y
    assert stratified.score(X, y, weights, site) == np.average(right, weights=weights)
    with sklearn.config_context(enable_metadata_routing=True):
        model = clone(stratified).set_fit_request(strata=True).set_score_request(strata=True)
        told = cross_validate(model, X, y, params={"strata": site}, cv=KFold(2))
    for share, (train, test) in zip(told["test_score"], KFold(2).split(X), strict=True):
        fitted = clone(stratified).fit(X.iloc[train], y[train], strata=site[train])
        assert share == fitted.score(X.iloc[test], y[test], strata=site[test])
