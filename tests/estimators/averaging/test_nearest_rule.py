"""The search for the nearest short rule, against its slow twin and against all short rules."""

from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest

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
from bayesdnf.estimators.averaging import nearest_rule
from bayesdnf.estimators.averaging.nearness import AveragedRows
from bayesdnf.estimators.averaging.representative import find_representative
from bayesdnf.model.flat_functions import as_flat
from bayesdnf.model.posterior import Scores
from bayesdnf.model.rule import layers_of
from tests.estimators.averaging.averaged_worlds import SETTINGS, slow_rows, world
from tests.estimators.slow_representative import neighbours
from tests.fewer import first


def size(rule):
    n_layers = sum(not layer.is_null for layer in layers_of(rule))
    return rule.n_literals + nearest_rule._LAYER * n_layers


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("limit", first([3, 1, 6]))
def test_no_single_change_is_better(name, limit):
    layers = SETTINGS[name].get("layers", 1)
    drawn, posterior, slow = world(11, **SETTINGS[name])
    found = find_representative(drawn, posterior, limit)
    assert isinstance(found.rule, RuleList if layers > 1 else BooleanFunction)
    assert found.rule.n_literals <= limit
    assert slow.allowed(found.rule)
    assert found.loss == pytest.approx(slow.loss(found.rule), abs=1e-12)
    assert found.base_loss == pytest.approx(slow.loss(BooleanFunction()), abs=1e-12)
    worth = max(nearest_rule._WORTH * found.base_loss, nearest_rule._LEAST / posterior.n)
    now = found.loss + worth * size(found.rule)
    for other in set(neighbours(found.rule, drawn.literals, layers)):
        if other.n_literals <= limit and slow.allowed(other):
            assert slow.loss(other) + worth * size(other) > now - 1e-4


def test_it_is_the_best_of_all_short_functions():
    X, y, _ = simulate(120, 3, terms=(2,), pi0=0.3, pi1=0.8, random_state=1)
    posterior = Posterior(BitMatrix.from_table(X), y, effect=Effect(ordered=False))
    drawn = sample(posterior, draws=200, warmup=20, chains=2, thin=20, random_state=0)
    slow = slow_rows(drawn, posterior)
    every = posterior.enumerate()["function"]
    for limit in (1, 2, 3):
        found = find_representative(drawn, posterior, limit)
        least = min(slow.loss(f) for f in every if f.n_literals <= limit)
        assert found.loss <= least + 0.01 * found.base_loss


@pytest.mark.parametrize("seed", first([3, 4, 5]))
def test_it_is_the_best_of_all_short_lists(seed):
    X, y, _ = simulate(120, 4, terms=(1, 2), pi0=0.3, pi1=0.8, random_state=seed)
    posterior = Posterior(BitMatrix.from_table(X), y, layers=3)
    drawn = sample(posterior, draws=100, warmup=50, chains=2, thin=20, random_state=seed)
    rows = AveragedRows(drawn, posterior)
    least = nearest_rule._LEAST / posterior.n
    price = max(least, nearest_rule._WORTH * rows.exact_loss(as_flat([()])))
    terms = [t for k in (1, 2, 3) for t in combinations(range(len(drawn.literals)), k)]
    lists = [
        list(zip(layers, chosen, strict=True))
        for n in (1, 2, 3)
        for chosen in combinations(terms, n)
        if sum(map(len, chosen)) <= 3
        for layers in product(range(1, n + 1), repeat=n)
        if set(layers) == set(range(1, max(layers) + 1))
    ]
    flat = as_flat(lists)
    may = np.isfinite(Scores(*posterior.native.score(*rows.as_offered(flat))).log_score)
    sizes = np.array([sum(len(term) for _, term in one) for one in lists])
    sizes = sizes + nearest_rule._LAYER * flat.n_layers
    costs = rows.losses(flat) / rows.total + price * sizes
    entropy = rows.losses(as_flat([()]))[0] / rows.total - rows.exact_loss(as_flat([()]))
    found = find_representative(drawn, posterior, 3)
    now = found.loss + entropy + price * size(found.rule)
    assert now == pytest.approx(costs[may].min(), abs=1e-4)


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


def test_of_noise_nothing_is_shown():
    rng = np.random.default_rng(3)
    table = pd.DataFrame({"size": rng.normal(size=200), "kind": rng.choice(list("xyz"), 200)})
    posterior = Posterior(LiteralEncoder().fit_encode(table), rng.random(200) < 0.5, layers=4)
    drawn = sample(posterior, draws=300, warmup=100, random_state=0)
    assert drawn.null_probability > 0.8
    found = find_representative(drawn, posterior, 15)
    assert found.base_loss > 0
    assert found.rule == RuleList()
