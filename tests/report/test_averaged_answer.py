"""Averaged risks beside those of the rule that is shown."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import log_loss, roc_auc_score

from bayesdnf import BooleanFunction
from bayesdnf.estimators.averaging.representative import Representative
from bayesdnf.report.averaged_answer import averaged_facts

STANDS = Representative(
    BooleanFunction("a"),
    4,
    loss=0.05,
    base_loss=0.5,
    predicted=np.full((1, 2, 2), 0.5),
    cells=np.zeros((1, 2, 2)),
    risks=(),
)
RNG = np.random.default_rng(0)
RISK = RNG.random(200)
SHOWN = np.where(RISK > 0.5, 0.8, 0.2)
ILL = RNG.random(200) < RISK
SURE, HALF = np.array([0.0, 1.0]), np.array([0.5, 0.5])


def facts_of(risk, shown, ill, stands=STANDS):
    """Facts of two classes, the positive one first."""
    both = [np.column_stack([own, 1 - own]) for own in (risk, shown)]
    return averaged_facts(*both, np.where(ill, 0, 1), stands)


def test_rows_are_counted_in_bins_of_their_risk():
    facts = facts_of(RISK, SHOWN, ILL)
    assert len(facts.bins) == 20
    for low, high, positives, negatives in facts.bins:
        within = (low <= RISK) & (high > RISK)
        assert (positives, negatives) == ((within & ILL).sum(), (within & ~ILL).sum())
    assert facts.tallest == max(b.positives + b.negatives for b in facts.bins)


def test_a_risk_of_one_is_in_the_last_bin():
    facts = facts_of(SURE, HALF, np.array([False, True]))
    assert facts.bins[0][2:] == (0, 1)
    assert facts.bins[-1][2:] == (1, 0)


def test_measures_are_those_of_scikit_learn():
    facts = facts_of(RISK, SHOWN, ILL)
    table = {row.name: (row.averaged, row.shown) for row in facts.beside}
    assert table["Area under the ROC curve"] == tuple(
        f"{roc_auc_score(ILL, risk):.4f}" for risk in (RISK, SHOWN)
    )
    assert table["Log loss"] == tuple(f"{log_loss(ILL, risk):.4f}" for risk in (RISK, SHOWN))
    right = [f"{np.mean((risk > 0.5) == ILL):.1%}" for risk in (RISK, SHOWN)]
    assert [text.replace("\N{NO-BREAK SPACE}", "") for text in table["Right"]] == right


def test_a_sure_mistake_costs_no_more_than_one_in_a_million():
    facts = facts_of(SURE, HALF, np.array([True, True]))
    table = {row.name: row.averaged for row in facts.beside}
    assert float(table["Log loss"]) == pytest.approx(-np.log(1e-6) / 2, abs=1e-4)
    assert table["Area under the ROC curve"] == "–"  # one class alone


def test_what_the_shown_rule_keeps():
    assert facts_of(RISK, SHOWN, ILL).kept == pytest.approx(0.9)
    assert facts_of(RISK, SHOWN, ILL, replace(STANDS, base_loss=0)).kept is None
