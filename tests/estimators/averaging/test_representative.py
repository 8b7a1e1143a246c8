"""What is told of the representative rule: its risks, and what is lost."""

import numpy as np
import pytest

from bayesdnf import BooleanFunction, Effect, Prior
from bayesdnf.estimators.averaging.representative import find_representative
from bayesdnf.model.part_rates import mean_rates
from tests.estimators.averaging.averaged_worlds import world


def test_risks_that_are_known_ordered_or_of_a_population():
    known = Effect(pi0=0.2, pi1=0.7)
    found = find_representative(*world(2, effect=known)[:2], 4)
    assert [risk.mean for risk in found.risks] == [0.2, 0.7]
    drawn, posterior, _ = world(2, effect=Effect(ordered=True))
    ordered = find_representative(drawn, posterior, 4)
    assert ordered.risks == posterior.rates(ordered.rule).summary()
    assert ordered.risks[0].mean < ordered.risks[1].mean
    rare = Effect(prevalence=0.05)
    drawn, posterior, _ = world(2, layers=2, strata=True, effect=rare)
    shown = find_representative(drawn, posterior, 4)
    assert all(risk.mean < 0.3 for risk in shown.risks)
    own = mean_rates(posterior.effect, shown.cells[None], np.array([len(shown.risks) - 1]))
    assert own.min() < shown.risks[0].mean < own.max()
    assert 0 <= shown.loss < shown.base_loss


def test_nothing_but_the_null_was_drawn():
    drawn, posterior, _ = world(1, prior=Prior(max_terms=0))
    found = find_representative(drawn, posterior, 15)
    assert found.rule == BooleanFunction()
    assert found.loss == pytest.approx(0, abs=1e-4)


def test_the_same_rule_each_time():
    drawn, posterior, _ = world(9, layers=3)
    first, again = (find_representative(drawn, posterior, 5) for _ in range(2))
    assert repr(first) == repr(again)
