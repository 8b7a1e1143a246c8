import numpy as np
import pandas as pd
import pytest
import scipy.optimize
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from bayesdnf.errors import InputError
from bayesdnf.genomics import odds_ratios, refit_terms
from bayesdnf.genomics.association.logistic import firth_interval, fit_firth, fit_logistic


def log_likelihood(beta, X, y, penalised=False):
    eta = X @ beta
    value = -np.logaddexp(0, np.where(y, -eta, eta)).sum()
    if penalised:
        p = scipy.special.expit(eta)
        value += np.linalg.slogdet(X.T @ (X * (p * (1 - p))[:, None]))[1] / 2
    return value


def maximum(X, y, penalised=False):
    start = np.zeros(X.shape[1])
    loss = lambda beta: -log_likelihood(beta, X, y, penalised)  # noqa: E731
    return scipy.optimize.minimize(loss, start, method="BFGS", options={"gtol": 1e-7}).x


def example(seed, n=300):
    rng = np.random.default_rng(seed)
    holds = rng.random((n, 2)) < [0.4, 0.2]
    age, batch = rng.normal(50, 12, n), rng.choice(["a", "b", "c"], n)
    eta = -1 + holds @ [0.8, -0.5] + 0.03 * (age - 50) + (batch == "b")
    y = rng.random(n) < scipy.special.expit(eta)
    return y, holds, pd.DataFrame({"age": age, "batch": batch})


@pytest.mark.parametrize("seed", range(4))
def test_the_fit_is_the_maximum_of_the_likelihood(seed):
    y, holds, covariates = example(seed)
    X = np.column_stack(
        [np.ones(len(y)), holds, scipy.stats.zscore(covariates["age"])]
        + [covariates["batch"] == level for level in "bc"]
    ).astype(float)
    beta = maximum(X, y)
    p = scipy.special.expit(X @ beta)
    error = np.sqrt(np.diag(np.linalg.inv(X.T @ (X * (p * (1 - p))[:, None]))))
    found = refit_terms(y, holds, covariates)
    assert found.covariates == ("age", "batch_b", "batch_c")
    assert found.history == ()
    for j, row in enumerate(found.table.itertuples(), start=1):
        assert row.method == "maximum likelihood"
        assert np.log(row.odds_ratio) == pytest.approx(beta[j], abs=1e-4)
        assert np.log(row.low) == pytest.approx(beta[j] - 1.96 * error[j], abs=1e-3)
        assert np.log(row.high) == pytest.approx(beta[j] + 1.96 * error[j], abs=1e-3)
        assert row.p == pytest.approx(2 * scipy.stats.norm.sf(abs(beta[j] / error[j])), rel=1e-2)
        assert (row.n, row.cases, row.carriers) == (len(y), y.sum(), holds[:, j - 1].sum())


@pytest.mark.parametrize("seed", range(4))
def test_firths_fit_is_the_maximum_of_the_penalised_likelihood(seed):
    y, holds, covariates = example(seed, n=60)
    X = np.column_stack([np.ones(60), holds, scipy.stats.zscore(covariates["age"])])
    fit = fit_firth(X, y)
    np.testing.assert_allclose(fit.beta, maximum(X, y, penalised=True), atol=1e-4)
    # The interval's ends are where the best of the others is 1.92 lower.
    for end in firth_interval(X, y, fit, 1, 1.92):
        rest = scipy.optimize.minimize(
            lambda free, end=end: -log_likelihood(np.insert(free, 1, end), X, y, True),
            np.delete(fit.beta, 1),
        )
        assert fit.log_likelihood + rest.fun == pytest.approx(1.92, abs=1e-3)


@given(*[st.integers(0, 12) for _ in range(4)])
def test_firth_on_a_two_by_two_table_adds_half_to_each_cell(a, b, c, d):
    y = np.repeat([1, 0, 1, 0], [a, b, c, d])
    holds = np.repeat([1, 1, 0, 0], [a, b, c, d])[:, None]
    found = refit_terms(y, holds) if len(y) else None
    if found is None or not (a + b and c + d and a + c and b + d):
        if found is not None:
            assert found.table["method"][0].startswith("not estimable: ")
            assert np.isnan(found.table["odds_ratio"][0])
        return
    row = found.table.iloc[0]
    if min(a, b, c, d) > 0:
        assert row.method == "maximum likelihood"
        expected = a * d / (b * c)
    elif row.method == "not estimable: 2 samples for 2 coefficients":
        assert len(y) == 2
        return
    else:
        assert row.method == "Firth"
        expected = (a + 0.5) * (d + 0.5) / ((b + 0.5) * (c + 0.5))
    assert row.odds_ratio == pytest.approx(expected, rel=1e-4)
    assert row.low < row.odds_ratio < row.high


def test_smoking_and_lung_cancer():
    # Doll and Hill 1950: 647 of 649 men with lung cancer smoked, 622 of 649 without.
    y = np.repeat([1, 0], 649)
    smokes = np.concatenate([np.arange(649) < 647, np.arange(649) < 622])
    table = odds_ratios(y, smokes[:, None])
    assert table["odds_ratio"][0] == pytest.approx(14.04, abs=0.01)
    assert table["low"][0] == pytest.approx(3.33, abs=0.01)
    assert table["high"][0] == pytest.approx(59.3, abs=0.1)
    assert not table["corrected"][0]
    again = refit_terms(y, smokes[:, None]).table.iloc[0]
    assert again.odds_ratio == pytest.approx(table["odds_ratio"][0], rel=1e-6)
    assert again.low == pytest.approx(table["low"][0], rel=1e-5)


def test_an_empty_cell_is_corrected_and_an_empty_row_is_not_estimable():
    y = np.repeat([1, 0], 10)
    terms = pd.DataFrame({"all cases": np.arange(20) < 4, "nobody": False, "everybody": True})
    table = odds_ratios(y, terms).set_index("term")
    assert table["corrected"].tolist() == [True, False, False]
    assert table.loc["all cases", "odds_ratio"] == pytest.approx(4.5 * 10.5 / (0.5 * 6.5))
    assert table.loc[["nobody", "everybody"], ["odds_ratio", "low", "high"]].isna().all(axis=None)
    found = refit_terms(y, terms).table.set_index("term")
    assert found["method"].tolist() == [
        "Firth", "not estimable: no carriers", "not estimable: only carriers",
    ]  # fmt: skip
    assert 0 < found.loc["all cases", "low"] < found.loc["all cases", "high"] < np.inf


def test_separation_by_a_covariate_is_noticed():
    rng = np.random.default_rng(0)
    x = rng.normal(size=100)
    y = x > 0
    holds = (rng.random(100) < 0.5)[:, None]
    X = np.column_stack([np.ones(100), x, holds])
    assert fit_logistic(X, y) is None
    row = refit_terms(y, holds, pd.DataFrame({"x": x})).table.iloc[0]
    assert row.method == "Firth"
    assert np.isfinite([row.odds_ratio, row.p]).all()
    assert row.p > 0.01


def test_covariates_that_add_nothing_are_left_out_and_gaps_are_counted():
    y, holds, covariates = example(1)
    age = covariates["age"].to_numpy()
    covariates = pd.DataFrame(
        {
            "age": age,
            "months": 12 * age + 3,
            "site": 7.0,
            "bmi": np.random.default_rng(2).random(300),
        }
    )
    covariates.loc[:9, "bmi"] = np.nan
    found = refit_terms(y, holds, covariates)
    assert found.covariates == ("age", "bmi")
    assert found.history == (
        "10 of 300 samples left out of the refit: a covariate is missing (bmi 10).",
        "Covariate 'months' left out: the ones before it determine it.",
        "Covariate 'site' left out: it is constant.",
    )
    assert set(found.table["n"]) == {290}
    plain = refit_terms(y[10:], holds[10:], covariates[["age", "bmi"]][10:])
    np.testing.assert_allclose(found.table["odds_ratio"], plain.table["odds_ratio"])


def test_a_term_that_repeats_another_is_not_estimable_beside_it_but_is_alone():
    y, holds, covariates = example(2)
    terms = pd.DataFrame({"a": holds[:, 0], "b": holds[:, 1], "again": holds[:, 0]})
    found = refit_terms(y, terms, covariates).table
    assert found["method"][2] == "not estimable: covariates and terms before it determine it"
    alone = refit_terms(y, terms, covariates, together=False).table
    assert alone["odds_ratio"][0] == alone["odds_ratio"][2]
    one = refit_terms(y, terms[["b"]], covariates).table
    assert alone["odds_ratio"][1] == pytest.approx(one["odds_ratio"][0])
    sex = pd.DataFrame({"sex": holds[:, 0] + 1})
    assert refit_terms(y, terms[["a"]], sex).table["method"][0].startswith("not estimable: cov")


def test_adjustment_removes_what_ancestry_explains():
    rng = np.random.default_rng(5)
    north = rng.random(2000) < 0.5
    holds = rng.random(2000) < np.where(north, 0.7, 0.1)
    y = rng.random(2000) < np.where(north, 0.6, 0.2)
    crude = odds_ratios(y, holds[:, None]).iloc[0]
    component = north + rng.normal(0, 0.05, 2000)
    row = refit_terms(y, holds[:, None], pd.DataFrame({"PC1": component})).table.iloc[0]
    assert crude.low > 2
    assert row.low < 1 < row.high


@pytest.mark.parametrize(
    ("terms", "covariates", "said"),
    [
        ([[0.5]] * 4, None, "true or false"),
        ([True] * 4, None, "samples by terms"),
        ([[True]] * 4, pd.DataFrame({"a": [1.0]}), r"one row per sample, 4\. Got 1"),
    ],
)
def test_bad_input_is_named(terms, covariates, said):
    with pytest.raises(InputError, match=said):
        refit_terms([0, 1, 0, 1], terms, covariates)


def test_a_name_for_each_sample_is_no_category():
    y, holds, _ = example(0, n=80)
    with pytest.raises(InputError, match="Covariate 'IID' is text with 80 different values"):
        refit_terms(y, holds, pd.DataFrame({"IID": [f"s{i}" for i in range(80)]}))


def test_samples_on_which_a_term_is_undecided_do_not_count():
    y, holds, covariates = example(1)
    gaps = np.random.default_rng(0).random(len(y)) < 0.2
    terms = np.where(np.column_stack([gaps, np.zeros_like(gaps)]), np.nan, holds)
    crude = odds_ratios(y, terms)
    alone = odds_ratios(y[~gaps], holds[~gaps])
    assert crude["odds_ratio"].tolist() == [
        alone["odds_ratio"][0], odds_ratios(y, holds)["odds_ratio"][1],
    ]  # fmt: skip
    assert crude["cases"].tolist() == [y[~gaps].sum(), y.sum()]
    assert crude["controls"].tolist() == [(~y)[~gaps].sum(), (~y).sum()]
    found = refit_terms(y, terms, covariates)
    known = refit_terms(y[~gaps], holds[~gaps], covariates[~gaps])
    pd.testing.assert_frame_equal(found.table, known.table)
    assert found.table["n"].tolist() == [(~gaps).sum()] * 2
    assert found.history == (
        f"{gaps.sum()} of 300 samples left out of the refit: missing calls leave a term undecided.",
    )
    apart = refit_terms(y, terms, covariates, together=False)
    assert apart.table["n"].tolist() == [(~gaps).sum(), len(y)]
