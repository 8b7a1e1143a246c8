"""Draws as a tree for ArviZ: tables, outcomes drawn anew, likelihoods of rows."""

import arviz_stats
import numpy as np
import pytest

from bayesdnf import (
    BitMatrix,
    Effect,
    LiteralEncoder,
    Posterior,
    RuleList,
    sample,
    simulate,
)
from bayesdnf.errors import InputError, OutOfMemoryError, ParameterError
from bayesdnf.sampling.drawn import draws_tree
from tests.sampling.draw_files import mixed_table, strata_of
from tests.sampling.made_draws import made


def test_outcomes_drawn_anew_have_the_rates_of_their_rows(posterior, drawn, lists):
    for sampled, draws in ((posterior, drawn), lists):
        tree = draws.to_datatree(sampled, log_likelihood=True, predictive=True)
        again = draws.to_datatree(sampled, predictive=True)["posterior_predictive"]["y"]
        y = tree["posterior_predictive"]["y"].to_numpy()
        assert (y == again.to_numpy()).all()
        assert set(np.unique(y)) == {0, 1}
        observed = tree["observed_data"]["y"].to_numpy()
        likelihood = np.exp(tree["log_likelihood"]["y"].to_numpy())
        rate = np.where(observed == 1, likelihood, 1 - likelihood)
        error = np.sqrt((rate * (1 - rate)).sum()) / rate.size
        assert abs(y.mean() - rate.mean()) < 5 * error
        prior = tree["prior"].to_dataset()
        assert prior["terms"].shape == draws.index.shape
        assert ("layers" in prior) == (draws.layers > 1)
        assert ((prior["terms"] == 0) == (prior["literals"] == 0)).all()
    with pytest.raises(ParameterError, match=r"'posterior' parameter .* predictive=True"):
        drawn.to_datatree(predictive=True)


def test_the_tree_holds_what_the_table_of_draws_does(drawn, posterior):
    tree = drawn.to_datatree(posterior)
    assert set(tree.children) == {"posterior", "sample_stats", "observed_data"}
    table = drawn.to_dataframe()
    group = tree["posterior"].to_dataset()
    assert group["chain"].to_numpy().tolist() == [1, 2, 3]
    for name in ("pi0", "pi1", "terms", "literals", "log_posterior"):
        assert (group[name].to_numpy().ravel() == table[name].to_numpy()).all()
    assert "function" not in group  # no summary may average over names
    numbers = tree["sample_stats"]["function"].to_numpy()
    functions = [drawn.function(i) for i in numbers.ravel()]
    assert [str(f) for f in functions] == table["function"].tolist()
    for literal in drawn.literals:
        held = group["inclusion"].sel(literal=str(literal)).to_numpy().ravel()
        assert held.tolist() == [literal in f.literals for f in functions]
    stats = tree["sample_stats"].to_dataset()
    assert (stats["lp"] == group["log_posterior"]).all()
    texts = table["function"].to_numpy().reshape(drawn.index.shape)
    moved = stats["moved"].to_numpy()
    assert (moved[:, 1:] == (texts[:, 1:] != texts[:, :-1])).all()
    assert not moved[:, 0].any()
    assert (stats["likelihoods"].to_numpy() == drawn.likelihoods).all()
    assert set(drawn.to_datatree().children) == {"posterior", "sample_stats"}
    empty = made([["FALSE"] * 4]).to_datatree()
    assert empty["posterior"]["inclusion"].shape == (1, 4, 0)


def test_the_tree_of_lists_has_a_rate_for_each_part_and_stratum(lists):
    posterior, draws = lists
    group = draws.to_datatree(posterior)["posterior"].to_dataset()
    assert group["rates"].dims == ("chain", "draw", "stratum", "part")
    assert group["stratum"].to_numpy().tolist() == ["new", "old"]
    assert group["part"].to_numpy().tolist() == [0, 1, 2, 3]
    assert np.array_equal(group["rates"].to_numpy(), draws.rates, equal_nan=True)
    assert "pi0" not in group
    table = draws.to_dataframe()
    assert (group["layers"].to_numpy().ravel() == table["layers"].to_numpy()).all()
    n_layers = group["layers"].to_numpy()[:, :, None, None]
    there = ~np.isnan(group["rates"].to_numpy())
    assert (there == (group["part"].to_numpy() <= n_layers)).all()
    rules = [RuleList.parse(text) for text in table["function"]]
    assert [len(rule) for rule in rules] == table["layers"].tolist()
    assert rules == [draws.function(i) for i in draws.index.ravel()]


def test_the_log_likelihood_of_each_row_by_its_definition():
    table, y = mixed_table()
    encoder = LiteralEncoder(negations=True)
    posterior = Posterior(encoder.fit_encode(table), y, positive="ill")
    draws = sample(posterior, draws=15, warmup=20, chains=2, random_state=0)
    tree = draws.to_datatree(posterior, log_likelihood=True)
    assert tree["observed_data"]["y"].to_numpy().tolist() == (y == "ill").tolist()
    values = tree["log_likelihood"]["y"].to_numpy()
    for chain in range(2):
        for draw in range(15):
            function = draws.function(draws.index[chain, draw])
            pi0, pi1 = draws.pi0[chain, draw], draws.pi1[chain, draw]
            rate = np.where(function(table), pi1, pi0)
            expected = np.log(np.where(y == "ill", rate, 1 - rate))
            assert values[chain, draw] == pytest.approx(expected)
            total = posterior.log_likelihood(function, pi0, pi1)
            assert values[chain, draw].sum() == pytest.approx(total)


def test_the_log_likelihood_of_each_row_of_lists(lists):
    posterior, draws = lists
    table, y = mixed_table()
    tree = draws.to_datatree(posterior, log_likelihood=True)
    assert tree["observed_data"]["y"].to_numpy().tolist() == (y == "ill").tolist()
    values = tree["log_likelihood"]["y"].to_numpy()
    stratum = (strata_of(table) == "old").astype(int)
    for chain, draw in np.ndindex(draws.index.shape):
        rule = draws.function(draws.index[chain, draw])
        rate = draws.rates[chain, draw][stratum, rule(table)]
        assert values[chain, draw] == pytest.approx(np.log(np.where(y == "ill", rate, 1 - rate)))


@pytest.mark.parametrize(("layers", "stratified"), [(1, True), (2, False)])
def test_the_log_likelihood_of_each_row_with_weights_of_0(layers, stratified):
    table, y = mixed_table()
    strata = strata_of(table) if stratified else None
    weights = (np.arange(80) % 4 > 0).astype(int)
    bits = LiteralEncoder().fit_encode(table)
    posterior = Posterior(
        bits, y, sample_weight=weights, positive="ill", layers=layers, strata=strata
    )
    draws = sample(posterior, draws=5, warmup=5, chains=2, thin=20, random_state=0)
    values = draws.to_datatree(posterior, log_likelihood=True)["log_likelihood"]["y"].to_numpy()
    assert values.shape == (2, 5, 60)
    number = draws.index[1, 4]
    cells, rates = draws.cells[number], draws.rates[1, 4]
    there = cells.sum(axis=-1) > 0
    total = (cells[there] * np.log(np.stack([rates, 1 - rates], axis=-1))[there]).sum()
    assert values[1, 4].sum() == pytest.approx(total)


def test_rows_of_no_weight_are_left_out():
    table, y = mixed_table()
    weights = np.arange(80) % 4 > 0
    posterior = Posterior(
        LiteralEncoder().fit_encode(table), y, sample_weight=weights.astype(int), positive="ill"
    )
    draws = sample(posterior, draws=5, warmup=5, chains=2, random_state=0)
    tree = draws.to_datatree(posterior, log_likelihood=True)
    assert tree["observed_data"]["row"].to_numpy().tolist() == np.flatnonzero(weights).tolist()
    assert tree["observed_data"]["y"].to_numpy().tolist() == (y == "ill")[weights].tolist()
    assert tree["log_likelihood"]["y"].shape == (2, 5, weights.sum())
    function, pi0, pi1 = draws.function(draws.index[1, 4]), draws.pi0[1, 4], draws.pi1[1, 4]
    total = posterior.log_likelihood(function, pi0, pi1)
    assert tree["log_likelihood"]["y"].to_numpy()[1, 4].sum() == pytest.approx(total)


def test_leave_one_out_through_arviz():
    X, y, _ = simulate(100, 4, terms=(2,), random_state=3)
    posterior = Posterior(BitMatrix.from_table(X), y)
    draws = sample(posterior, draws=500, warmup=100, random_state=0)
    tree = draws.to_datatree(posterior, log_likelihood=True)
    with np.errstate(all="ignore"):
        result = arviz_stats.loo(tree, reff=1.0)
    pointwise = tree["log_likelihood"]["y"].to_numpy().reshape(-1, 100)
    in_sample = np.logaddexp.reduce(pointwise, axis=0) - np.log(len(pointwise))
    assert result.elpd < in_sample.sum()
    assert result.elpd == pytest.approx(in_sample.sum(), abs=10)


def test_likelihoods_need_the_rows_and_rows_that_have_them(drawn, posterior, monkeypatch):
    with pytest.raises(ParameterError, match="'posterior' parameter of to_datatree"):
        drawn.to_datatree(log_likelihood=True)
    X, y, _ = simulate(120, 6, random_state=1)
    other = Posterior(BitMatrix.from_table(X), y)
    with pytest.raises(InputError, match="not the one that these draws are of"):
        drawn.to_datatree(other)
    weighted = Posterior(BitMatrix.from_table(X), y, sample_weight=np.full(120, 2))
    draws = sample(weighted, draws=2, warmup=0, chains=1, random_state=0)
    with pytest.raises(InputError, match="count several times"):
        draws.to_datatree(weighted, log_likelihood=True)
    known = Posterior(BitMatrix.from_table(X), y, effect=Effect(prevalence=0.1))
    draws = sample(known, draws=2, warmup=0, chains=1, random_state=0)
    assert "observed_data" in draws.to_datatree(known).children
    with pytest.raises(InputError, match="With a known prevalence"):
        draws.to_datatree(known, log_likelihood=True)
    monkeypatch.setattr(draws_tree, "available_memory", lambda: 100_000)
    with pytest.raises(OutOfMemoryError, match=r"180 draws on 120 rows need 168\.8 KiB"):
        drawn.to_datatree(posterior, log_likelihood=True)


def test_sizes_from_the_prior_are_those_of_literals_chosen_among_more():
    X, y, _ = simulate(40, 3, terms=(2,), random_state=2)
    posterior = Posterior(BitMatrix.from_table(X), y, among=40)
    draws = sample(posterior, draws=500, warmup=20, thin=1, random_state=0)
    terms = draws.to_datatree(posterior, predictive=True)["prior"]["terms"].to_numpy()
    exact = posterior.enumerate()
    log_prior = posterior.scores(list(exact["function"])).log_prior
    share = np.exp(log_prior - np.logaddexp.reduce(log_prior))
    assert terms.mean() == pytest.approx(float(share @ exact["terms"]), abs=0.01)
