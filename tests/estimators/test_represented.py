"""The representative rule of an average: near it, short, and kept by copies."""

import pickle

import numpy as np
import pytest

from bayesdnf import (
    BooleanFunction,
    Prior,
    simulate,
)
from bayesdnf.errors import InputError, ParameterError
from bayesdnf.estimators.presenting.posterior_summary import as_html
from tests.estimators.planted_list import planted
from tests.estimators.quick_posterior import quick


def test_the_representative_rule(listed):
    X, y, model = listed
    shown = model.representative()
    assert model.representative() is shown
    assert model.representative_ == shown.rule
    assert model.representative_loss_ == shown.loss < 0.1 * shown.base_loss
    assert shown.rule.n_literals <= 15
    short = model.representative(3)
    assert short.rule.n_literals <= 3
    assert short.loss >= shown.loss
    ill = model.classes_.tolist().index("ill")
    parts = shown.rule(X)
    own, averaged = model.representative_proba(X)[:, ill], model.predict_proba(X)[:, ill]
    for part, risk in enumerate(shown.risks):
        assert np.allclose(own[parts == part], shown.predicted[0, part, 0])
        # Means over rows of the fit and crossed ones.
        assert own[parts == part][0] == pytest.approx(averaged[parts == part].mean(), abs=0.05)
        rows = y[parts == part] == "ill"
        assert risk.mean == pytest.approx((rows.sum() + 1) / (len(rows) + 2))
    assert len(set(model.representative_proba(X, max_literals=1)[:, ill])) == 2


def test_the_representative_rule_in_strata(stratified):
    X, y, site, model = stratified
    shown, numbers = model.representative(), (site == "south").astype(int)
    parts = shown.rule(X)
    for s in (0, 1):
        for part in range(len(shown.risks)):
            rows = y[(parts == part) & (numbers == s)]
            assert shown.cells[s, part].tolist() == [rows.sum(), len(rows) - rows.sum()]
    averaged = model.predict_proba(X, strata=site)[:, 1]
    own = model.representative_proba(X, strata=site)[:, 1]
    pooled = model.representative_proba(X)[:, 1]
    for part in range(len(shown.risks)):
        expected = 0.0
        for s in (0, 1):
            here = (parts == part) & (numbers == s)
            of_stratum = shown.predicted[s, part, 0]
            assert np.allclose(own[here], of_stratum)
            assert of_stratum == pytest.approx(averaged[here].mean(), abs=0.05)
            expected += of_stratum * here.sum() / (parts == part).sum()
        assert np.allclose(pooled[parts == part], expected)


def test_with_one_layer_the_representative_is_a_function(mixed):
    assert isinstance(mixed.representative_, BooleanFunction)
    assert str(mixed.representative_) == "(odor = f)"
    assert mixed.representative_loss_ < 0.1 * mixed.representative().base_loss


def test_copies_keep_the_representative_and_not_the_rows(listed):
    X, _, model = listed
    copy = pickle.loads(pickle.dumps(model))
    assert copy.representative_ == model.representative_
    assert copy.summary() == model.summary()
    assert str(copy.explain(X.iloc[0])) == str(model.explain(X.iloc[0]))
    with pytest.raises(InputError, match="finds no rule of at most 2 literals; fit it again"):
        copy.representative(2)


def test_a_prior_that_allows_no_rule_so_short():
    X, y, _ = simulate(200, 4, terms=(2,), random_state=0)
    model = quick(prior=Prior(required=["x0", "x1", "x2"]), max_literals=2).fit(X, y)
    with pytest.raises(InputError, match="allows no rule of at most 2 literals"):
        model.representative()
    with pytest.raises(AttributeError, match="allows no rule of at most 2 literals"):
        _ = model.representative_
    assert "allows no rule of at most 2 literals" in model.summary()
    assert "allows no rule of at most 2 literals" in as_html(model)
    assert model.representative(8).rule.n_literals >= 3
    pickle.dumps(model)


def test_parameters_of_the_fit_are_those_that_count():
    X, y = planted(200)
    model = quick(layers=2, max_literals=2).fit(X, y)
    model.set_params(max_literals=9)
    assert model.representative_.n_literals <= 2
    again = model.representative_
    assert model.fit(X, y).representative_.n_literals > 2
    assert model.representative(2).rule == again


@pytest.mark.parametrize("most", [-1, True, 2.5, "5", None])
def test_wrong_numbers_of_literals(most):
    X, y = planted(60)
    with pytest.raises(ParameterError, match=r"^The 'max_literals' parameter of PosteriorDNFClass"):
        quick(max_literals=most).fit(X, y)
    if most is not None:
        model = quick().fit(X, y)
        with pytest.raises(ParameterError, match=r"'max_literals' .*, 0 or more, or None\. Got"):
            model.representative(most)
