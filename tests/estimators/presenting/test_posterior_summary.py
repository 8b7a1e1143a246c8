"""When many rules are about as good it is said first, and how sure each literal is."""

import numpy as np
import pytest

from bayesdnf import DNFClassifier, PosteriorDNFClassifier, simulate
from bayesdnf.estimators.presenting.posterior_summary import literal_certainty, none_stands_out
from bayesdnf.estimators.presenting.rule_summary import near_equal

FEW = {"draws": 100, "warmup": 50, "chains": 2, "thin": 20, "random_state": 0}


@pytest.fixture(scope="module")
def vague():
    """Eight noisy copies of one column: any of them may stand in the rule."""
    rng = np.random.default_rng(0)
    truth = rng.random(200) < 0.4
    X = np.column_stack([np.where(rng.random(200) < 0.1, ~truth, truth) for _ in range(8)])
    return X.astype(int), rng.random(200) < np.where(truth, 0.8, 0.2)


def test_a_clear_rule_is_shown_without_ado():
    X, y, _ = simulate(300, 6, random_state=0)
    model = DNFClassifier(random_state=0).fit(X, y)
    assert near_equal(model) is None
    assert model.summary().startswith("Rule for 1")
    assert none_stands_out(PosteriorDNFClassifier(**FEW).fit(X, y)) is None


def test_several_rules_are_told_first(vague):
    model = DNFClassifier(random_state=0, restarts=2).fit(*vague)
    model.near_ = 7
    assert "7 functions score within one nat" in near_equal(model)
    assert model.summary().startswith("This is one of several rules")
    model.proved_ = True
    assert near_equal(model) is None


def test_the_representative_comes_first_with_the_probability_of_its_literals(vague):
    model = PosteriorDNFClassifier(**FEW).fit(*vague)
    text = model.summary()
    assert "No rule stands out" in text
    assert text.index("Representative rule") < text.index("Most probable ")
    assert model._repr_html_().count("No rule stands out") == 1
    sure = literal_certainty(model)
    assert set(sure["literal"]) == set(map(str, model.representative_.literals))
    drawn = model.draws_
    for literal, probability, column in sure.itertuples(index=False):
        rules = [drawn.function(i) for i in range(drawn.n_functions)]
        holds = [literal in map(str, rule.literals) for rule in rules]
        assert probability == pytest.approx(drawn.weights[holds].sum())
        name = literal.removeprefix("NOT ")
        assert column == pytest.approx(drawn.weights[[name in r.attributes for r in rules]].sum())
