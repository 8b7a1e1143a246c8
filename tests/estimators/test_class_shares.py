"""Targets of more than two classes."""

import json

import numpy as np
import pytest

from bayesdnf import BitMatrix, BooleanFunction, DNFClassifier, Effect, Posterior, RuleList
from bayesdnf.errors import InputError, ParameterError
from tests.estimators.quick_posterior import quick

N = 150
X = {"petal": list("abc") * 50, "colour": list("rg") * 75}
Y = np.array(["setosa", "versicolor", "virginica"] * 50)


@pytest.mark.parametrize(
    ("labels", "positive", "rest"),
    [
        (Y, "setosa", "other"),
        (Y.astype(object), "setosa", "other"),
        (np.arange(N) % 3, 0, "other"),
        (np.array(["other", "a", "b"] * 50), "other", "not other"),
    ],
)
def test_positive_names_one_class_against_the_others(labels, positive, rest, tmp_path):
    clf = DNFClassifier(positive=positive, random_state=0).fit(X, labels)
    both = DNFClassifier(random_state=0).fit(X, labels == positive)
    assert str(clf.function_) == str(both.function_) == "(petal = a)"
    assert clf.risks_ == both.risks_
    assert clf.classes_.tolist() == [rest, positive]
    assert clf.labels_.tolist() == np.unique(labels).tolist()
    assert clf.predict({"petal": ["a", "b"], "colour": ["r", "r"]}).tolist() == [positive, rest]
    assert clf.score(X, labels) == 1
    clf.save(tmp_path / "m.json")
    again = DNFClassifier.load(tmp_path / "m.json")
    assert again.classes_.tolist() == clf.classes_.tolist()
    assert again.labels_.tolist() == clf.labels_.tolist()
    assert again.predict(X).tolist() == clf.predict(X).tolist()


def test_positive_of_several_in_the_posterior():
    post = quick(positive="virginica").fit(X, Y)
    assert post.classes_.tolist() == ["other", "virginica"]
    assert post.score(X, Y) == 1


# Every class with its share ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def planted():
    """Three classes: a where x0 and x1 hold, else b where x2 does, else c; one in ten is wrong."""
    rng = np.random.default_rng(3)
    table = rng.integers(0, 2, (400, 6))
    part = RuleList(["x0 AND x1", "x2"])({f"x{j}": table[:, j] for j in range(6)})
    y = np.array(["c", "b", "a"])[part]
    wrong = rng.random(400) < 0.1
    return table, np.where(wrong, rng.choice(list("abc"), 400), y)


@pytest.fixture(scope="module")
def fitted(planted):
    return DNFClassifier(random_state=0).fit(*planted)


def test_lists_of_classes(planted, fitted):
    table, y = planted
    assert fitted.function_ == RuleList(["x0 AND x1", "x2"])
    assert fitted.classes_.tolist() == ["a", "b", "c"]
    assert fitted.positive_ is None
    assert fitted.cells_.sum(axis=(0, 1)).tolist() == [np.sum(y == label) for label in "abc"]
    parts = fitted.parts(table)
    for part in (0, 1, 2):  # the mean of a Dirichlet
        rows = [np.sum((parts == part) & (y == label)) for label in "abc"]
        assert fitted.cells_[0, part].tolist() == rows
        expected = (1 + np.array(rows)) / (3 + sum(rows))
        np.testing.assert_allclose(fitted.predict_proba(table[parts == part][:1]), [expected])
        shares = [share.mean for share in fitted.shares_[part]]
        np.testing.assert_allclose(shares, expected)
    assert fitted.predict(table).tolist() == np.array(["c", "b", "a"])[parts].tolist()
    assert fitted.layers_["class"].tolist() == ["a", "b", "c"]
    assert fitted.rules_["class"].tolist() == ["a", "b"]
    np.testing.assert_allclose(fitted.layers_[["P(a)", "P(b)", "P(c)"]].sum(axis=1), 1)


def test_what_is_said_of_classes(fitted):
    said = fitted.summary()
    assert "Rule list for 3 classes: 2 layers" in said
    assert "layer 2" in said
    assert "Rule list for 3 classes" in fitted._repr_html_()
    told = str(fitted.explain({f"x{j}": 0 for j in range(6)}))
    assert told.startswith("No layer holds on this row: P(c) = 0.9")
    assert "Nearest change to another class, b (0.9" in told


def test_exports_of_classes(fitted):
    shares = [dict(zip("abc", np.ravel(row), strict=True)) for row in fitted._share_means()[-1]]
    namespace = {}
    exec(fitted.function_.to_python(risks=shares), namespace)
    answer = namespace["rules"]({"x0": 1, "x1": 1, "x2": 0})
    assert next(iter(answer)) == "a"
    assert answer["a"] == shares[2]["a"]
    assert "THEN 'a'" in fitted.function_.to_sql(shares)
    assert r"\texttt{a}\ 0.89" in fitted.function_.to_latex(shares)
    assert "then a 0.89" in fitted.function_.to_text(shares)
    with pytest.raises(ParameterError, match="'risks' parameter of to_sql"):
        fitted.function_.to_sql([{"a": 2.0}] * 3)


def test_files_of_classes(planted, fitted, tmp_path):
    path = tmp_path / "m.json"
    fitted.save(path)
    again = DNFClassifier.load(path)
    assert again.function_ == fitted.function_
    assert again.shares_ == fitted.shares_
    assert again.layers_.equals(fitted.layers_)
    assert again.rules_.equals(fitted.rules_)
    np.testing.assert_array_equal(again.predict_proba(planted[0]), fitted.predict_proba(planted[0]))
    again.fit(*planted)  # with the parameters of the file
    assert again.function_ == fitted.function_
    document = json.loads(path.read_text())
    for change, message in [
        ({"classes": ["a", "b"]}, "field 'classes' must be from 3 to 20 labels"),
        ({"cells": [[[1, 2]] * 3]}, "field 'cells' must be whole numbers, 0 or more: 1 by 3 by 3"),
        ({"risks": document["risks"][1:]}, "field 'risks' must be a list of 3"),
        ({"cells": (1 + fitted.cells_).tolist()}, "must be what 'cells' say"),
        ({"version": 4}, "field 'classes' must be two labels"),
    ]:
        path.write_text(json.dumps(document | change))
        with pytest.raises(InputError, match=message):
            DNFClassifier.load(path)


def test_classes_in_strata_and_in_functions(planted):
    table, y = planted
    strata = np.arange(400) % 2
    clf = DNFClassifier(layers=1, random_state=0, restarts=8).fit(table, y, strata=strata)
    assert isinstance(clf.function_, BooleanFunction)
    assert clf.cells_.shape == (2, 2, 3)
    own = clf.predict_proba(table, strata=strata)
    pooled = clf.predict_proba(table)
    np.testing.assert_allclose(own.sum(axis=1), 1)
    np.testing.assert_allclose(pooled.sum(axis=1), 1)
    assert not np.allclose(own, pooled)
    assert len(clf.stratum_layers_) == 4
    assert "Shares by stratum" in clf.summary()


def test_one_row_of_a_class_and_noise():
    rng = np.random.default_rng(0)
    table = rng.integers(0, 2, (90, 4))
    y = np.array(["rare", *rng.choice(["a", "b"], 89)])
    clf = DNFClassifier(random_state=0, restarts=8).fit(table, y)
    assert clf.function_ == RuleList()
    assert clf.predict_proba(table)[0, 2] == 2 / 93
    assert "predict returns" in clf.summary()


@pytest.mark.parametrize(
    ("effect", "name"),
    [(Effect(a1=2), "a1"), (Effect(ordered=True), "ordered"), (Effect(pi0=0.1, pi1=0.9), "pi0")],
)
def test_what_is_known_of_two_rates_is_refused(planted, effect, name):
    with pytest.raises(ParameterError, match=f"'{name}'.* with more than two classes"):
        Posterior(BitMatrix.from_table(planted[0]), planted[1], effect=effect)
    with pytest.raises(InputError, match=r"Only binary .* 3 classes .*positive='c'"):
        DNFClassifier(effect=effect).fit(*planted)


# Averages ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def post(planted):
    return quick(layers=None).fit(*planted)


def test_averages_over_lists_of_classes(planted, post):
    table, _ = planted
    drawn = post.draws_
    assert drawn.rates.shape[2:] == (1, 5, 3)
    np.testing.assert_allclose(drawn.rates.sum(axis=-1)[~np.isnan(drawn.rates[..., 0])], 1)
    expected = np.zeros((400, 3))
    for number, share in enumerate(drawn.frequency):
        parts = drawn.function(number)({f"x{j}": table[:, j] for j in range(6)})
        cells = 1 + drawn.cells[number, 0]
        expected += share * (cells / cells.sum(axis=1, keepdims=True))[parts]
    np.testing.assert_allclose(post.predict_proba(table), expected)
    assert "Posterior of the rule for 3 classes" in post.summary()
    assert set(post.posterior_predictive(table, random_state=0)) == {"a", "b", "c"}


def test_intervals_of_classes(planted, post):
    rows = planted[0][:6]
    drawn = post.draws_
    found = post.predict_interval(rows)
    np.testing.assert_array_equal(found.xs("mean", axis=1, level=1), post.predict_proba(rows))
    shares = np.empty((drawn.index.size, len(rows), 3))
    for k, number in enumerate(drawn.index.ravel()):
        parts = drawn.function(int(number))({f"x{j}": rows[:, j] for j in range(6)})
        shares[k] = drawn.rates.reshape(-1, *drawn.rates.shape[2:])[k, 0, parts]
    ends = np.quantile(shares, [0.025, 0.975], axis=0)
    np.testing.assert_allclose(found.xs("low", axis=1, level=1), ends[0])
    np.testing.assert_allclose(found.xs("high", axis=1, level=1), ends[1])
    told = post.explain(rows[0])
    assert list(told.probabilities) == ["a", "b", "c"]
    for c, own in enumerate(told.probabilities.values()):
        np.testing.assert_allclose(own[1:], ends[:, 0, c])
    assert told.prediction == post.predict(rows)[0]
    assert list(told.by_rule.values()) == post.representative_proba(rows)[0].tolist()


def test_the_rule_that_stands_for_classes(planted, post, tmp_path):
    table, y = planted
    shown = post.representative()
    assert shown.rule == post.representative_ == RuleList(["x0 AND x1", "x2"])
    assert shown.loss < 0.1 * shown.base_loss
    parts = shown.rule({f"x{j}": table[:, j] for j in range(6)})
    averaged = post.predict_proba(table)
    for part in (0, 1, 2):
        rows = np.array([np.sum((parts == part) & (y == label)) for label in "abc"])
        assert shown.cells[0, part].tolist() == rows.tolist()
        expected = (1 + rows) / (3 + rows.sum())
        np.testing.assert_allclose([share.mean for share in shown.shares[part]], expected)
        predicted = averaged[parts == part].mean(axis=0)
        own = post.representative_proba(table[parts == part])
        np.testing.assert_allclose(own, np.broadcast_to(predicted, own.shape))
    assert post.representative(1).rule.n_literals == 1
    said = post.summary()
    assert "Representative rule (3 literals, at most 15)" in said
    assert "then a 0.8" in said
    told = str(post.explain({f"x{j}": int(j == 2) for j in range(6)}))
    assert "predicted b" in told
    assert "b raised from 0.3" in told
    assert "layer 1 decides by (x2), P(b) = 0.9" in told
    post.save(tmp_path / "p.nc")
    again = type(post).load(tmp_path / "p.nc")
    np.testing.assert_array_equal(again.predict_proba(table), post.predict_proba(table))
    assert again.representative().shares == shown.shares
    assert again.representative().rule == shown.rule


def test_representatives_of_classes_in_strata(planted):
    table, y = planted
    strata = np.arange(400) % 2
    post = quick(layers=2).fit(table, y, strata=strata)
    shown = post.representative()
    own = post.representative_proba(table, strata)
    parts = shown.rule({f"x{j}": table[:, j] for j in range(6)})
    averaged = post.predict_proba(table, strata)
    pooled = 0.0
    for s in (0, 1):
        same = (parts == parts[0]) & (strata == s)
        expected = averaged[same].mean(axis=0)
        np.testing.assert_allclose(own[same], np.broadcast_to(expected, own[same].shape))
        pooled = pooled + expected * same.sum() / (parts == parts[0]).sum()
    np.testing.assert_allclose(post.representative_proba(table)[0], pooled)


def test_the_tree_of_draws_of_classes(planted):
    table, y = planted
    post = quick(layers=None, draws=20).fit(table, y)
    tree = post.draws_.to_datatree(post._posterior, log_likelihood=True, predictive=True)
    logs = tree["log_likelihood"]["y"].to_numpy()
    drawn, number = post.draws_, post.draws_.index[0, 0]
    parts = drawn.function(number)({f"x{j}": table[:, j] for j in range(6)})
    own = drawn.rates[0, 0, 0][parts, np.searchsorted(["a", "b", "c"], y)]
    np.testing.assert_allclose(logs[0, 0], np.log(own))
    observed = tree["observed_data"]["y"].to_numpy()
    assert observed.tolist() == np.searchsorted(["a", "b", "c"], y).tolist()
    assert tree["posterior_predictive"]["y"].to_numpy().max() == 2


def test_a_proof_is_refused_for_what_it_is():
    with pytest.raises(
        ParameterError, match=r"must be False with more than two classes\. Got True"
    ):
        DNFClassifier(prove=True).fit(X, Y)
    with pytest.raises(ParameterError, match=r"must be False with layers or strata\. Got True"):
        DNFClassifier(prove=True).fit(X, Y == "setosa", strata=X["colour"])
