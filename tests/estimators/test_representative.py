"""The representative rule against its slow twin, and what it keeps to."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayesdnf import (
    BooleanFunction,
    Effect,
    Geometric,
    LiteralEncoder,
    Posterior,
    Prior,
    RuleList,
    Tabulated,
    sample,
    simulate,
)
from bayesdnf.data.bits import BitMatrix
from bayesdnf.errors import InputError
from bayesdnf.estimators.averaging import nearness, representative
from bayesdnf.estimators.averaging.nearness import AveragedRows
from bayesdnf.estimators.averaging.representative import find_representative
from bayesdnf.model.flat_functions import as_flat
from bayesdnf.model.part_rates import mean_rates
from estimators.slow_representative import SlowRows, neighbours

SETTINGS = {
    "functions": {},
    "lists": {"layers": 3},
    "strata": {"strata": True, "weights": True},
    "both": {"layers": 2, "strata": True, "weights": True},
    "classes": {"layers": 3, "classes": 3},
    "classes in strata": {"layers": 2, "strata": True, "weights": True, "classes": 3},
}


def world(seed, layers=1, strata=False, weights=False, n=70, effect=None, prior=None, classes=2):
    """A noisy table with missing values, its posterior, draws, and the slow twin of its rows."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "odor": rng.choice(np.array(["f", "n", None], dtype=object), n),
            "flag": rng.integers(0, 2, n),
            "other": rng.integers(0, 2, n),
        }
    )
    y = ((table["odor"] == "f") | (table["flag"] == 1)).to_numpy() ^ (rng.random(n) < 0.15)
    y[:2] = True, False
    if classes == 3:
        y = np.where(y, 0, 1 + (table["other"] == 1).to_numpy())
        y[:3] = 0, 1, 2
    stratum = rng.integers(0, 2, n) if strata else None
    weight = rng.integers(1, 4, n) if weights else None
    encoder = LiteralEncoder()
    posterior = Posterior(
        encoder.fit_encode(table),
        y,
        Prior(count=Geometric(0.3, start=0)) if prior is None else prior,
        Effect(ordered=False) if effect is None else effect,
        positive=True if classes == 2 else None,
        layers=layers,
        strata=stratum,
        sample_weight=weight,
    )
    drawn = sample(posterior, draws=60, warmup=20, chains=2, thin=20, random_state=seed)
    slow = SlowRows(drawn, posterior, encoder.as_table(table), y, stratum, weight)
    return drawn, posterior, slow


@pytest.mark.parametrize("name", SETTINGS)
@given(seed=st.integers(0, 10_000))
@settings(max_examples=3, deadline=None)
def test_losses_are_those_of_the_slow_twin(name, seed):
    drawn, posterior, slow = world(seed, **SETTINGS[name])
    rows = AveragedRows(drawn, posterior)
    chosen = np.arange(min(8, drawn.n_functions))
    losses = rows.losses(drawn.functions.take(chosen)) / rows.total
    [base] = rows.losses(as_flat([()])) / rows.total
    for i in chosen:
        expected = slow.loss(drawn.function(int(i)))
        assert rows.exact_loss(drawn.functions.take([i])) == pytest.approx(expected, abs=1e-12)
        # Rounded risks, and without the entropy of the averaged risks.
        same = slow.loss(BooleanFunction())
        assert losses[i] - base == pytest.approx(expected - same, abs=3e-4)


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("limit", [1, 3, 6])
def test_no_single_change_is_better(name, limit):
    layers = SETTINGS[name].get("layers", 1)
    drawn, posterior, slow = world(11, **SETTINGS[name])
    found = find_representative(drawn, posterior, limit)
    assert isinstance(found.rule, RuleList if layers > 1 else BooleanFunction)
    assert found.rule.n_literals <= limit
    assert slow.allowed(found.rule)
    assert found.loss == pytest.approx(slow.loss(found.rule), abs=1e-12)
    assert found.base_loss == pytest.approx(slow.loss(BooleanFunction()), abs=1e-12)
    worth = representative._WORTH * found.base_loss
    now = found.loss + worth * found.rule.n_literals
    for other in set(neighbours(found.rule, drawn.literals, layers)):
        if other.n_literals <= limit and slow.allowed(other):
            assert slow.loss(other) + worth * other.n_literals > now - 1e-4


def test_it_is_the_best_of_all_short_functions():
    X, y, _ = simulate(120, 3, terms=(2,), pi0=0.3, pi1=0.8, random_state=1)
    posterior = Posterior(BitMatrix.from_table(X), y, effect=Effect(ordered=False))
    drawn = sample(posterior, draws=200, warmup=20, chains=2, thin=20, random_state=0)
    slow = SlowRows(drawn, posterior, X, y)
    every = posterior.enumerate()["function"]
    for limit in (1, 2, 3):
        found = find_representative(drawn, posterior, limit)
        least = min(slow.loss(f) for f in every if f.n_literals <= limit)
        assert found.loss <= least + 0.01 * found.base_loss


def test_a_shorter_rule_is_never_nearer():
    drawn, posterior, _ = world(5, layers=3, n=200)
    losses = [find_representative(drawn, posterior, limit).loss for limit in (0, 2, 5, 15)]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < 0.5 * losses[0]
    none = find_representative(drawn, posterior, 0)
    assert none.rule == RuleList()
    assert none.loss == none.base_loss
    assert len(none.risks) == 1


def test_the_prior_is_kept_to():
    prior = Prior(count=Geometric(0.5), size=Tabulated([0, 0, 1]), apart=[["flag", "odor"]])
    drawn, posterior, slow = world(3, prior=prior)
    found = find_representative(drawn, posterior, 6)
    assert found.rule.terms
    for term in found.rule.terms:
        assert len(term) == 2
        assert not ("flag" in " ".join(term) and "odor" in " ".join(term))
    assert slow.allowed(found.rule)
    with pytest.raises(InputError, match=r"^The prior allows no rule of at most 1 literals"):
        find_representative(drawn, posterior, 1)


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


def test_of_large_tables_some_rows_are_looked_at(monkeypatch):
    drawn, posterior, slow = world(7, layers=2, n=400, strata=True)
    whole = find_representative(drawn, posterior, 4)
    monkeypatch.setattr(nearness, "_MOST_ROWS", 60)
    monkeypatch.setattr(nearness, "_MOST_OFFERED", 3)
    rows = AveragedRows(drawn, posterior)
    assert rows.total < 200
    assert len(rows.offered) == 3
    part = find_representative(drawn, posterior, 4)
    assert part.loss == pytest.approx(slow.loss(part.rule), abs=1e-12)
    assert part.loss < whole.base_loss
    assert part.cells.sum() == posterior.n


def test_nothing_but_the_null_was_drawn():
    drawn, posterior, _ = world(1, prior=Prior(max_terms=0))
    found = find_representative(drawn, posterior, 15)
    assert found.rule == BooleanFunction()
    assert found.loss == pytest.approx(0, abs=1e-4)


def test_the_same_rule_each_time():
    drawn, posterior, _ = world(9, layers=3)
    first, again = (find_representative(drawn, posterior, 5) for _ in range(2))
    assert repr(first) == repr(again)
