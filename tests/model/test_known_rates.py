"""Rates that are known: scores, searches, samples and answers with them."""

import math

import numpy as np
import pytest

from bayesdnf import (
    BitMatrix,
    BooleanFunction,
    DNFClassifier,
    Effect,
    Posterior,
    PosteriorDNFClassifier,
    best_function,
    best_term,
    hunt,
    sample,
    simulate,
)
from bayesdnf.errors import ParameterError

KNOWN = Effect(pi0=0.1, pi1=0.9)


def posterior_of(effect=KNOWN, seed=0, n=60, p=4):
    X, y, _ = simulate(n, p, random_state=seed)
    return Posterior(BitMatrix.from_table(X), y, effect=effect)


@pytest.mark.parametrize("effect", [KNOWN, Effect(pi0=0.4, pi1=0.3, ordered=False)])
def test_the_likelihood_is_that_of_the_rates(effect):
    posterior = posterior_of(effect)
    for text in ("x0", "x0 AND x1 OR x2", "x0 OR x1 OR x2 OR x3"):
        explicit = posterior.log_likelihood(text, pi0=effect.pi0, pi1=effect.pi1)
        assert posterior.log_likelihood(text) == pytest.approx(explicit, abs=1e-9)


def test_the_null_function_keeps_its_own_rate():
    null = BooleanFunction()
    assert posterior_of().log_likelihood(null) == posterior_of(Effect()).log_likelihood(null)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("effect", [KNOWN, Effect(pi0=0.6, pi1=0.2, ordered=False)])
def test_searches_find_the_best(effect, seed):
    posterior = posterior_of(effect, seed)
    exact = posterior.enumerate()
    top = exact["log_posterior"].iloc[0]
    assert hunt(posterior, random_state=0).log_posterior == pytest.approx(top, abs=1e-9)
    assert best_function(posterior).log_posterior == pytest.approx(top, abs=1e-9)
    single = exact[exact["terms"] <= 1]["log_posterior"].iloc[0]
    found = best_term(posterior)
    assert found.proved
    assert found.log_posterior == pytest.approx(single, abs=1e-9)


def test_several_terms_are_found_where_each_alone_is_worse_than_none():
    rng = np.random.default_rng(0)
    X = rng.random((600, 8)) < 0.3
    marked = (X[:, 0] & X[:, 1]) | (X[:, 2] & X[:, 3]) | (X[:, 4] & X[:, 5])
    y = rng.random(600) < np.where(marked, 0.98, 0.02)
    posterior = Posterior(BitMatrix.from_table(X), y, effect=Effect(pi0=0.02, pi1=0.98))
    truth = BooleanFunction("x0 AND x1 OR x2 AND x3 OR x4 AND x5")
    null = posterior.log_score("FALSE")
    for term in truth.literal_terms:
        assert posterior.log_score(BooleanFunction([term])) < null
    assert hunt(posterior, random_state=0).log_posterior >= posterior.log_score(truth) > null


def test_samples_have_the_exact_probabilities_and_the_known_rates():
    posterior = posterior_of(Effect(pi0=0.3, pi1=0.6), n=25)
    exact = posterior.enumerate()
    drawn = sample(posterior, draws=2000, warmup=200, thin=20, random_state=0)
    found = {drawn.function(i): drawn.frequency[i] for i in range(drawn.n_functions)}
    shares = np.array([found.get(f, 0.0) for f in exact["function"]])
    assert abs(shares - exact["probability"]).sum() / 2 < 0.1
    marked = drawn.n_terms[drawn.index] > 0
    assert (drawn.pi0[marked] == 0.3).all()
    assert (drawn.pi1[marked] == 0.6).all()
    assert (drawn.pi0[~marked] == drawn.pi1[~marked]).all()


def test_classifiers_answer_with_them(tmp_path):
    X, y, truth = simulate(200, 5, random_state=1)
    clf = DNFClassifier(effect=KNOWN, random_state=0).fit(X, y)
    risk = clf.predict_proba(X)[:, 1]
    assert clf.function_ == truth
    assert risk == pytest.approx(np.where(clf.marked(X), 0.9, 0.1))
    assert clf.risks_[1] == (0.9, 0.9, 0.9)
    clf.save(tmp_path / "model.json")
    assert DNFClassifier.load(tmp_path / "model.json").effect_ == KNOWN
    averaged = PosteriorDNFClassifier(effect=KNOWN, draws=200, warmup=50, thin=5, random_state=0)
    answers = averaged.fit(X, y).predict_proba(X)[:, 1]
    assert 0.1 - 1e-9 <= answers.min() <= answers.max() <= 0.9 + 1e-9


@pytest.mark.parametrize(
    ("settings", "must"),
    [
        ({"pi0": 0.1}, "'pi1' parameter of Effect must be .*both rates or none"),
        ({"pi0": 0.0, "pi1": 1.0}, "'pi0' parameter .*smallest_function"),
        ({"pi0": 0.5, "pi1": math.nan}, "'pi1' parameter"),
        ({"pi0": 0.5, "pi1": 0.4}, "at least pi0 unless ordered=False"),
        ({"pi0": 0.1, "pi1": 0.4, "prevalence": 0.1}, "'prevalence' parameter .*known"),
    ],
)
def test_what_makes_no_sense_is_refused(settings, must):
    with pytest.raises(ParameterError, match=must):
        Effect(**settings)
