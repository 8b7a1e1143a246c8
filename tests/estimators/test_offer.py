"""Which literals classifiers have on offer: both directions, copies of a flag, and the words."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer

from bayesdnf import DNFClassifier, PosteriorDNFClassifier

COPIES = {
    "bools": [True, False],
    "numbers": [1, 0],
    "texts": ["1", "0"],
    "texts of bools": ["True", "False"],
}


def flags(copy, gaps=True):
    """Make a table of flags in one of the ways to write them; y is NOT a, or b AND NOT c."""
    rng = np.random.default_rng(5)
    held = {name: rng.random(300) < 0.5 for name in "abc"}
    one, zero = COPIES[copy]
    table = pd.DataFrame(
        {name: pd.Series([one if v else zero for v in values]) for name, values in held.items()}
    )
    if gaps:
        table = table.astype(object)
        table.loc[::17, "c"] = None
    y = ~held["a"] | (held["b"] & ~held["c"]) ^ (rng.random(300) < 0.05)
    return table, np.where(y, "ill", "well")


@pytest.fixture(scope="module")
def models():
    return {copy: DNFClassifier(random_state=0).fit(*flags(copy)) for copy in COPIES}


def test_copies_of_flags_give_the_same_rule_and_score(models):
    first = models["numbers"]
    assert [str(x) for x in first.encoder_.literals_[:2]] == ["a", "NOT a"]
    assert "NOT" in str(first.function_)
    for model in models.values():
        assert model.encoder_.literals_ == first.encoder_.literals_
        assert model.function_ == first.function_
        assert model.log_posterior_ == first.log_posterior_


@pytest.mark.parametrize("fitted", COPIES)
@pytest.mark.parametrize("asked", COPIES)
def test_a_rule_answers_every_copy_alike(models, fitted, asked):
    table, _ = flags(asked)
    expected = models["numbers"].predict_proba(flags("numbers")[0])
    np.testing.assert_array_equal(models[fitted].predict_proba(table), expected)
    marked = models["numbers"].marked(flags("numbers")[0])
    function = models[fitted].function_
    np.testing.assert_array_equal(function(table), marked)
    rule = {}
    exec(function.to_python(), rule)
    assert [rule["rule"](row) for row in table.to_dict("records")] == marked.tolist()


@pytest.mark.parametrize("copy", COPIES)
def test_explanations_know_every_copy(models, copy):
    table, _ = flags(copy)
    for row in range(12):
        said = models[copy].explain(table.iloc[[row]])
        expected = models["numbers"].explain(flags("numbers")[0].iloc[[row]])
        assert said.fired == expected.fired
        assert [c.condition for c in said.change] == [c.condition for c in expected.change]


@pytest.fixture(scope="module")
def cancer():
    data = load_breast_cancer(as_frame=True)
    return data.data, np.where(data.target == 1, "benign", "malignant")


def test_there_is_a_rule_for_benign(cancer):
    """Low values mark the benign, which `>=` alone cannot say."""
    X, y = cancer
    model = DNFClassifier(positive="benign", restarts=2, time_limit=5, random_state=0).fit(X, y)
    assert "<" in str(model.function_)
    assert model.score(X, y) > 0.95


def test_no_rule_names_what_was_not_on_offer(cancer):
    X, y = cancer
    model = DNFClassifier(positive="benign", negations=False, random_state=0)
    model.fit(X.assign(site="A")[["worst area", "worst radius", "site"]], y)
    assert model.function_.is_null
    said = model.summary()
    assert "No rule for benign: no combination of the 16 literals on offer beats the null" in said
    assert "Negations, such as worst area < " not in said  # quoted: the name has a space
    assert 'Negations, such as "worst area" < ' in said
    assert "were not offered: fit with negations=True (--negations)." in said
    assert "1 column gave no literals: 'site' (constant: every value " in said
    assert "'worst area', 'worst radius' were cut at 8 numbers at most" in said
    assert "not offered" in model._repr_html_()


def test_no_rule_of_both_directions_has_nothing_to_add():
    X = np.random.default_rng(1).integers(0, 2, size=(200, 5))
    y = np.arange(200) % 4 == 0
    for model in (
        DNFClassifier(random_state=0),
        PosteriorDNFClassifier(draws=200, warmup=50, chains=2, random_state=0),
    ):
        assert "not offered" not in model.fit(X, y).summary()
    one_sided = PosteriorDNFClassifier(
        negations=False, draws=200, warmup=50, chains=2, random_state=0
    )
    said = one_sided.fit(X, y).summary()
    assert "Negations, such as NOT x0, were not offered" in said
