"""The Bayes factor of some rule against none, beside the exact one."""

import math

import numpy as np
import pytest

from bayesdnf import BitMatrix, BooleanFunction, Geometric, Posterior, Prior, sample, simulate
from bayesdnf.model.prior_draws import log_null_odds
from bayesdnf.sampling.bayes_factor import BayesFactor, bayes_factor

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
def test_from_draws_it_is_the_exact_one(name):
    posterior = posterior_of(n=60, prior=PRIORS[name])
    _, exact = exact_odds_and_factor(posterior)
    drawn = sample(posterior, draws=5000, thin=15, warmup=200, random_state=1)
    found = bayes_factor(drawn, posterior)
    assert (found.bound, found.source) == ("", "draws")
    assert found.log == pytest.approx(exact, abs=0.2)
    assert 0 < found.spread < 0.5


@pytest.mark.parametrize("name", PRIORS)
def test_from_the_evidence_it_is_the_exact_one_where_the_null_is_never_drawn(name):
    posterior = posterior_of(n=250, pi0=0.1, pi1=0.9, prior=PRIORS[name])
    _, exact = exact_odds_and_factor(posterior)
    assert exact > math.log(1e9)  # draws alone would not come to that
    settings = {"draws": 1500, "thin": 15, "warmup": 200, "random_state": 1}
    drawn = sample(posterior, kernel="tempered", **settings)
    assert drawn.null_probability == 0
    found = bayes_factor(drawn, posterior)
    assert (found.bound, found.source) == ("", "evidence")
    assert found.log == pytest.approx(exact, abs=0.5)
    assert found.spread < 1
    # Without the evidence there is a bound, below the truth and not beyond what draws can say.
    plain = sample(posterior, **settings)
    bounded = bayes_factor(plain, posterior)
    assert (bounded.bound, bounded.source) == (">", "draws")
    odds, _ = exact_odds_and_factor(posterior)
    assert bounded.log == pytest.approx(math.log(plain.index.size - 1) + odds, abs=0.05)
    assert bounded.log < exact


def test_where_no_rule_was_drawn_it_is_bounded_from_above():
    X, y, _ = simulate(3000, 4, terms=BooleanFunction(), pi0=0.5, random_state=0)
    prior = Prior(count=Geometric(0.9999, start=0))
    posterior = Posterior(BitMatrix.from_table(X), y, prior)
    drawn = sample(posterior, draws=20, warmup=20, random_state=0)
    assert drawn.null_probability == 1
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


def test_in_words():
    assert str(BayesFactor(math.log(250), "", 0.1, "draws")) == "250 (log 5.52)"
    assert str(BayesFactor(math.log(8000), ">", math.nan, "draws")) == "> 8e+03 (log > 8.99)"
    assert str(BayesFactor(2000.0, "", 0.1, "evidence")) == "> 1e300 (log 2000.00)"
