"""Importance, risks along an attribute and pairs, each against a loop over rows and draws."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import log_loss

from bayesdnf import BitMatrix, Effect, LiteralEncoder, PosteriorDNFClassifier
from bayesdnf.errors import InputError

N = 60


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(4)
    X = pd.DataFrame(
        {
            "age": np.where(rng.random(N) < 0.1, np.nan, rng.integers(20, 80, N)),
            "odor": rng.choice(list("fna"), N),
            "dose": rng.integers(0, 4, N),
            "noise": rng.integers(0, 2, N),
        }
    )
    risk = np.where((X["age"] >= 45) & (X["odor"] != "f"), 0.9, np.where(X["dose"] == 2, 0.6, 0.1))
    return X, np.where(rng.random(N) < risk, "ill", "well")


@pytest.fixture(scope="module", params=[{}, {"layers": 2}, {"effect": Effect(prevalence=0.2)}])
def model(request, rows):
    settings = {"draws": 40, "warmup": 40, "chains": 2, "thin": 20, "random_state": 0}
    return PosteriorDNFClassifier(positive="ill", **settings, **request.param).fit(*rows)


def risks(model, X):
    return model.predict_proba(X)[:, list(model.classes_).index("ill")]


def with_values(X, attribute):
    """The rows once for every value that the attribute has on some row."""
    for value in X[attribute]:
        yield X.assign(**{attribute: pd.Series([value] * len(X), dtype=X[attribute].dtype)})


def test_importance(model, rows):
    X, y = rows
    found = model.importance(X, y).set_index("attribute")
    assert set(found.index) == {x.attribute for x in model.draws_.literals}
    whole = log_loss(y == "ill", risks(model, X))
    for name in found.index:
        unknown = np.mean([risks(model, changed) for changed in with_values(X, name)], axis=0)
        assert found["log_loss"][name] == pytest.approx(log_loss(y == "ill", unknown) - whole)
    assert found["log_loss"].is_monotonic_decreasing
    with pytest.raises(InputError, match="entries"):
        model.importance(X, y[:-1])


def slow_band(model, X):
    """Ends of the interval over draws of the mean risk of rows."""
    drawn = model.draws_
    table = model.encoder_.as_table(X)
    means = []
    for chain in range(drawn.n_chains):
        for draw in range(drawn.n_draws):
            parts = drawn.function(int(drawn.index[chain, draw]))(table).astype(int)
            means.append(drawn.rates[chain, draw, 0][parts].mean(axis=0))
    return np.quantile(means, [0.025, 0.975], axis=0)


@pytest.mark.parametrize("attribute", ["age", "odor"])
def test_risk_along(model, rows, attribute):
    X, _ = rows
    found = model.risk_along(X, attribute)
    assert found["rows"].sum() == N
    for _, stretch in found.iterrows():
        if stretch["values"] == "missing":
            own = X[attribute].isna()
        elif attribute == "odor":
            own = X[attribute].isin(stretch["values"].split(", "))
        else:
            own = X[attribute].between(stretch["first"], stretch["last"])
        assert own.sum() == stretch["rows"]
        for value in {*X[attribute][own].head(2)}:
            changed = X.assign(**{attribute: pd.Series([value] * N, dtype=X[attribute].dtype)})
            assert risks(model, changed).mean() == pytest.approx(stretch["risk"])
        assert slow_band(model, changed) == pytest.approx([stretch["low"], stretch["high"]])
    with pytest.raises(InputError, match="No drawn rule uses column 'agee'"):
        model.risk_along(X, "agee")


def test_more_than_two_classes(rows):
    X, _ = rows
    rng = np.random.default_rng(1)
    part = np.where(X["age"] >= 45, 2, X["dose"] == 2)
    y = np.where(rng.random(N) < 0.2, rng.integers(0, 3, N), part)
    few = {"draws": 40, "warmup": 40, "chains": 2, "thin": 20, "random_state": 0}
    model = PosteriorDNFClassifier(layers=3, **few).fit(X, y)
    found = model.importance(X, y).set_index("attribute")
    for name in found.index[:2]:
        changed = [model.predict_proba(x) for x in with_values(X, name)]
        rise = log_loss(y, np.mean(changed, axis=0)) - log_loss(y, model.predict_proba(X))
        assert found["log_loss"][name] == pytest.approx(rise)
    along = model.risk_along(X, "odor")
    assert along["class"].tolist() == [0, 1, 2] * (len(along) // 3)
    first = along[:3]
    value = first["values"][0].split(", ")[0]
    changed = X.assign(odor=value)
    assert first["risk"].tolist() == pytest.approx(model.predict_proba(changed).mean(axis=0))
    ends = slow_band(model, changed)
    assert first["low"].tolist() == pytest.approx(ends[0])
    assert first["high"].tolist() == pytest.approx(ends[1])


def test_pairs_of_attributes(model):
    drawn = model.draws_
    found = drawn.inclusion("attribute pair").set_index("what")["frequency"]
    expected = {}
    for number, share in enumerate(drawn.frequency):
        rule = drawn.function(number)
        layers = [rule] if drawn.layers == 1 else rule.layers
        terms = [t for layer in layers for t in layer.literal_terms]
        uses = [sorted({x.attribute for x in term}) for term in terms]
        for pair in {pair for names in uses for pair in combinations(names, 2)}:
            expected[" AND ".join(pair)] = expected.get(" AND ".join(pair), 0) + share
    assert found.to_dict() == pytest.approx(expected)


def test_bits_as_numpy(rows):
    X, _ = rows
    bits = LiteralEncoder().fit_encode(X)
    slow = np.column_stack([bits.truth(literal) for literal in bits.table])
    assert (bits.to_numpy() == slow).all()
    chunks = BitMatrix.from_chunks([np.eye(3, dtype=int), np.ones((70, 3), dtype=int)])
    assert (chunks.to_numpy() == np.vstack([np.eye(3), np.ones((70, 3))])).all()
