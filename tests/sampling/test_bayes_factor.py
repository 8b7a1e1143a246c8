"""The Bayes factor of some rule against none, beside the exact one."""

import math
from dataclasses import replace

import numpy as np
import pytest

from bayesdnf import (
    BitMatrix,
    BooleanFunction,
    Geometric,
    Posterior,
    Prior,
    sample,
    simulate,
)
from bayesdnf.model.prior_draws import log_null_odds, log_one_layer_odds
from bayesdnf.sampling import bayes_factor as module
from bayesdnf.sampling.bayes_factor import BayesFactor, bayes_factor, one_layer_bayes_factor
from tests.fewer import first
from tests.sampling.made_draws import made

pytestmark = pytest.mark.slow


PRIORS = {
    "default": Prior(),
    "many terms": Prior(count=Geometric(0.2, start=0)),
    "disjoint": Prior(disjoint=True, min_cover=10),
    "bounded": Prior(max_terms=2, max_literals=4, antichain=False, orderings=False),
    "weighted": Prior(weights={"x0": 9.0, "x1": 0.1}),
}


def posterior_of(n=80, pi0=0.3, pi1=0.7, prior=None):
    X, y, _ = simulate(n, 4, terms=(2,), pi0=pi0, pi1=pi1, random_state=4)
    return Posterior(BitMatrix.from_table(X), y, prior)


def exact_odds_and_factor(posterior):
    """Log prior odds of the null function, and log Bayes factor against it, by adding up."""
    functions = list(posterior.enumerate()["function"])
    scores = posterior.scores(functions)
    null = np.array([f.is_null for f in functions])
    prior, rules = scores.log_prior[null][0], np.logaddexp.reduce(scores.log_prior[~null])
    outcome = np.logaddexp.reduce(scores.log_score[~null]) - rules
    return prior - rules, outcome - scores.log_likelihood[null][0]


@pytest.mark.parametrize("name", PRIORS)
def test_prior_odds_are_the_exact_ones(name):
    posterior = posterior_of(prior=PRIORS[name])
    exact, _ = exact_odds_and_factor(posterior)
    assert log_null_odds(posterior) == pytest.approx(exact, abs=0.05)


@pytest.mark.parametrize("name", PRIORS)
def test_from_scores_it_is_the_exact_one(name):
    posterior = posterior_of(n=60, prior=PRIORS[name])
    _, exact = exact_odds_and_factor(posterior)
    drawn = sample(posterior, draws=1000, thin=15, warmup=200, random_state=1)
    found = bayes_factor(drawn, posterior)
    assert (found.bound, found.source) == ("", "scores")
    assert found.log == pytest.approx(exact, abs=0.06)
    assert found.spread < 0.1
    # Without scores, as of files that do not know them, the draws have to say it.
    unscored = replace(drawn, log_copies=np.full_like(drawn.log_copies, np.nan))
    by_draws = bayes_factor(unscored, posterior)
    assert (by_draws.bound, by_draws.source) == ("", "draws")
    assert by_draws.log == pytest.approx(exact, abs=0.4)


@pytest.mark.parametrize("name", first(PRIORS))
def test_it_is_the_exact_one_where_the_null_is_never_drawn(name, monkeypatch):
    posterior = posterior_of(n=250, pi0=0.1, pi1=0.9, prior=PRIORS[name])
    _, exact = exact_odds_and_factor(posterior)
    assert exact > math.log(1e9)  # draws alone would not come to that
    settings = {"draws": 1500, "thin": 15, "warmup": 200, "random_state": 1}
    drawn = sample(posterior, kernel="tempered", **settings)
    assert drawn.null_frequency == 0 < drawn.null_probability < 1e-8
    found = bayes_factor(drawn, posterior)
    assert (found.bound, found.source) == ("", "scores")
    assert found.log == pytest.approx(exact, abs=0.05)
    # Where the chains have next to nothing in common, the evidence tells it, or a bound is left.
    monkeypatch.setattr(module, "_TOO_MUCH", -1.0)
    found = bayes_factor(drawn, posterior)
    assert (found.bound, found.source) == ("", "evidence")
    assert found.log == pytest.approx(exact, abs=0.5)
    assert found.spread < 1
    wide = posterior_of(n=60, prior=PRIORS[name])
    drawn = sample(wide, draws=100, warmup=50, thin=15, random_state=1)
    bounded = bayes_factor(replace(drawn, index=np.array([[0] * 9, [1] * 9])), wide)
    _, exact = exact_odds_and_factor(wide)
    assert (bounded.bound, bounded.source) == (">", "scores")
    assert bounded.log < exact


@pytest.mark.parametrize("layers", [1, 2])
def test_prior_odds_are_those_of_literals_chosen_among_more(layers):
    X, y, _ = simulate(40, 3, terms=(2,), random_state=2)
    posterior = Posterior(BitMatrix.from_table(X), y, among=40, layers=layers)
    exact, factor = exact_odds_and_factor(posterior)
    assert log_null_odds(posterior) == pytest.approx(exact, abs=0.05)
    drawn = sample(posterior, draws=500, warmup=100, thin=10, random_state=0)
    assert bayes_factor(drawn, posterior).log == pytest.approx(factor, abs=0.1)
    if layers == 2:
        rules = list(posterior.enumerate()["function"])
        log_prior = posterior.scores(rules).log_prior
        one, more = (
            np.logaddexp.reduce([x for x, f in zip(log_prior, rules, strict=True) if of_side(f)])
            for of_side in (lambda f: len(f) == 1, lambda f: len(f) > 1)
        )
        assert log_one_layer_odds(posterior) == pytest.approx(one - more, abs=0.2)


def test_where_no_rule_was_drawn_it_is_bounded_from_above():
    X, y, _ = simulate(3000, 4, terms=BooleanFunction(), pi0=0.5, random_state=0)
    prior = Prior(count=Geometric(0.9999, start=0))
    posterior = Posterior(BitMatrix.from_table(X), y, prior)
    drawn = sample(posterior, draws=20, warmup=20, random_state=0)
    assert drawn.only_null
    found = bayes_factor(drawn, posterior)
    assert (found.bound, found.source) == ("<", "draws")
    assert found.log > exact_odds_and_factor(posterior)[1]


def test_where_there_is_nothing_to_compare_it_is_none():
    few = {"draws": 50, "warmup": 20, "random_state": 0}
    without_null = posterior_of(prior=Prior(count=Geometric(0.5)))
    assert log_null_odds(without_null) == -math.inf
    assert bayes_factor(sample(without_null, **few), without_null) is None
    posterior = posterior_of()
    assert bayes_factor(sample(posterior, kernel="single_term", **few), posterior) is None


def posterior_of_lists(n=60, layers=2, stratified=False, p=3, **options):
    X, y, _ = simulate(n, p, terms=(2,), pi0=0.3, pi1=0.7, random_state=4)
    strata = np.arange(n) % 2 if stratified else None
    return Posterior(BitMatrix.from_table(X), y, layers=layers, strata=strata, **options)


def exact_factors_of_lists(posterior):
    """Log Bayes factors of some list against none, and of one layer against more."""
    exact = posterior.enumerate()
    scores, layers = posterior.scores(list(exact["function"])), exact["layers"].to_numpy()

    def log_evidence(of_side):
        prior = np.logaddexp.reduce(scores.log_prior[of_side])
        return np.logaddexp.reduce(scores.log_score[of_side]) - prior

    null, one, more = (log_evidence(x) for x in (layers == 0, layers == 1, layers > 1))
    return log_evidence(layers > 0) - null, one - more


@pytest.mark.parametrize(
    ("layers", "stratified", "prior"),
    [
        (2, False, Prior(Geometric(0.2, start=0))),
        (3, True, Prior(Geometric(0.2, start=0))),
        (3, False, Prior(Geometric(0.2, start=0), min_cover=6)),
    ],
)
def test_factors_of_lists_are_the_exact_ones(layers, stratified, prior):
    posterior = posterior_of_lists(layers=layers, stratified=stratified, prior=prior)
    some, one = exact_factors_of_lists(posterior)
    drawn = sample(posterior, draws=4000, thin=15, warmup=200, random_state=1)
    found = bayes_factor(drawn, posterior)
    assert (found.bound, found.source) == ("", "scores")
    assert found.log == pytest.approx(some, abs=0.15)
    found = one_layer_bayes_factor(drawn, posterior)
    assert (found.bound, found.source) == ("", "draws")
    assert found.log == pytest.approx(one, abs=0.25)
    assert 0 < found.spread < 0.5


def three_risks(n=400):
    """Rows whose risk is one of three: no single layer can say that."""
    rng = np.random.default_rng(0)
    X = rng.random((n, 4)) < 0.5
    risk = np.where(X[:, 0] & X[:, 1], 0.95, np.where(X[:, 2], 0.5, 0.05))
    return BitMatrix.from_table(X.astype(int)), rng.random(n) < risk


def test_where_lists_of_one_layer_are_never_drawn_their_factor_is_bounded():
    posterior = Posterior(*three_risks(), layers=2)
    drawn = sample(posterior, draws=200, warmup=100, thin=20, random_state=0)
    assert (drawn.n_layers == 2).all()
    found = one_layer_bayes_factor(drawn, posterior)
    assert (found.bound, found.source) == ("<", "draws")
    assert found.log == pytest.approx(-math.log(799) - log_one_layer_odds(posterior))


def test_a_bound_says_what_one_draw_of_the_other_side_would_have():
    posterior = posterior_of_lists()
    odds = log_one_layer_odds(posterior)
    drawn = made([["if x0 else"] * 4 + ["else"] * 9] * 2, layers=2)  # the null is of neither side
    assert one_layer_bayes_factor(drawn, posterior)[:2] == (math.log(7) - odds, ">")
    drawn = made([["if x0 elif x1 else"] * 4 + ["else"] * 9] * 2, layers=2)
    assert one_layer_bayes_factor(drawn, posterior)[:2] == (-math.log(7) - odds, "<")


def test_without_several_layers_there_is_nothing_to_compare():
    few = {"draws": 20, "warmup": 5, "thin": 5, "random_state": 0}
    functions = posterior_of()
    assert one_layer_bayes_factor(sample(functions, **few), functions) is None
    lists = posterior_of_lists()
    single = sample(lists, kernel="single_term", starts=["if x0 else"] * 4, **few)
    assert one_layer_bayes_factor(single, lists) is None
    single_terms = posterior_of_lists(prior=Prior(max_terms=1))
    assert one_layer_bayes_factor(sample(single_terms, **few), single_terms) is None
    assert one_layer_bayes_factor(made([["else"] * 9], layers=2), lists) is None


def test_in_words():
    assert str(BayesFactor(math.log(250), "", 0.1, "draws")) == "250 (log 5.52)"
    assert str(BayesFactor(math.log(8000), ">", math.nan, "draws")) == "> 8e+03 (log > 8.99)"
    assert str(BayesFactor(2000.0, "", 0.1, "evidence")) == "> 1e300 (log 2000.00)"
