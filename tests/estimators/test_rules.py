"""The tables of rules."""

import math

import numpy as np
import pandas as pd
import pytest

from bayesdnf import (
    BooleanFunction,
    DNFClassifier,
    Effect,
    Geometric,
    LiteralEncoder,
    Posterior,
    Prior,
    simulate,
)
from bayesdnf.estimators.rules import parts_table
from bayesdnf.model.part_rates import cell_risks
from tests.estimators.mixed_table import LABELS


def test_the_score_and_the_counts_are_the_posteriors(table, model):
    posterior = Posterior(LiteralEncoder().fit_encode(table), LABELS, positive="bad")
    assert str(model.function_) == "(odor = f)"
    assert model.log_posterior_ == posterior.log_score(model.function_)
    assert model.counts_ == posterior.counts(model.function_) == (120, 24, 24, 24)
    assert model.risks_ == posterior.rates(model.function_).summary()
    assert model.stopped_ == "agreement"
    assert 8 <= model.agreement_ <= model.restarts_
    assert 3 <= model.ways_ <= model.agreement_
    assert model.proved_ is False


def test_rules_are_a_table():
    X, y, _ = simulate(600, 10, random_state=3)
    clf = DNFClassifier(random_state=0).fit(X, y)
    posterior = Posterior(clf.encoder_.encode(X), y)
    assert len(clf.rules_) == len(clf.function_) == 2
    for i, row in clf.rules_.iterrows():
        alone = BooleanFunction.parse(row["rule"])
        rest = BooleanFunction([t for t in clf.function_.terms if t != alone.terms[0]])
        counts = posterior.counts(alone)
        assert alone.terms[0] == clf.function_.terms[i]
        assert (row["size"], row["rows"], row["positives"]) == (
            alone.n_literals, counts.n_marked, counts.n_both,
        )  # fmt: skip
        assert row["rate"] == counts.n_both / counts.n_marked
        assert row["low"] < row["rate"] < row["high"]
        lost = posterior.log_score(clf.function_) - posterior.log_score(rest)
        assert row["log_gain"] == pytest.approx(lost)


def test_the_interval_of_a_rate_is_jeffreys(model):
    from scipy.stats import beta

    [row] = model.rules_.to_dict("records")
    assert row["rate"] == row["high"] == 1.0
    assert row["low"] == pytest.approx(beta(24.5, 0.5).ppf(0.025))


def test_a_prior_without_the_null_gives_an_infinite_gain(table):
    prior = Prior(count=Geometric(0.5))
    clf = DNFClassifier(prior=prior, positive="bad", random_state=0).fit(table, LABELS)
    assert len(clf.function_) == 1
    assert clf.rules_["log_gain"].tolist() == [math.inf]


def test_parts_of_a_stratum_with_one_class_are_neither_raised_nor_lowered():
    rng = np.random.default_rng(0)
    site = np.repeat(["x", "y", "z"], 40)
    a = rng.normal(size=120)
    for bare in (0, 1):
        y = np.where(site == "x", bare, a > 0)
        model = DNFClassifier(random_state=0).fit(pd.DataFrame({"a": a}), y, strata=site)
        table = model.stratum_layers_
        assert set(table["risk"][table["stratum"] == "x"]) == {"unclear"}
        assert set(table["risk"][table["stratum"] != "x"]) == {"raised", "lowered"}
        assert "raised" in model.summary()


@pytest.mark.parametrize(
    ("part", "others", "said"),
    [
        ((0, 0), (5, 995), "unclear"),  # no rows: what the prior says alone
        ((0, 5), (2, 993), "unclear"),  # its interval lies above 2 of 1,000
        ((5, 0), (993, 2), "unclear"),
        ((4, 1), (5, 990), "raised"),
        ((1, 4), (990, 5), "lowered"),
        ((4 * 10**9, 10**9), (10**9, 4 * 10**9), "raised"),  # products past 2^63
    ],
)
def test_the_prior_alone_raises_or_lowers_no_risk(part, others, said):
    cells = np.array([[others, part]])
    table = parts_table(BooleanFunction("a = 1"), cells[0], cell_risks(Effect(), cells)[0])
    assert table["risk"].tolist()[0] == said
