"""hunt, for lists of layers and with strata."""

import numpy as np
import pytest

from bayesdnf import BitMatrix, BooleanFunction, Posterior, RuleList, hunt, simulate
from tests.fewer import first


def small(seed, n=60, p=3):
    rng = np.random.default_rng(seed)
    X = rng.random((n, p)) < rng.uniform(0.3, 0.7, p)
    rates = rng.random((2,) * p)
    y = rng.random(n) < rates[tuple(X.T.astype(int))]
    y[:2] = True, False
    return X, y, rng.integers(0, 2, n)


@pytest.mark.parametrize("strata", [False, True])
@pytest.mark.parametrize("layers", first([2, 3, 1], 2))
def test_finds_the_best_of_all_lists(layers, strata):
    several = 0
    for seed in range(12):
        X, y, groups = small(seed)
        posterior = Posterior(
            BitMatrix.from_table(X), y, layers=layers, strata=groups if strata else None
        )
        best = posterior.enumerate(limit=1).iloc[0]
        found = hunt(posterior, random_state=seed)
        assert found.log_posterior == pytest.approx(best["log_posterior"], abs=1e-9)
        assert found.log_posterior == posterior.log_score(found.function)
        assert isinstance(found.function, RuleList if layers > 1 else BooleanFunction)
        several += layers > 1 and len(found.function) > 1
    assert several > 0 or layers == 1


def planted(seed, n=1500, p=30):
    """Two terms at .9, what is left of a third at .1, all others at .5."""
    X = np.random.default_rng(seed).random((n, p)) < 0.5
    truth = RuleList(["x0 AND x1 OR x2 AND x3", "x4 AND x5"])
    part = truth({f"x{j}": X[:, j] for j in range(p)})
    y = np.random.default_rng(seed + 1).random(n) < np.array([0.5, 0.1, 0.9])[part]
    return X, y, truth


@pytest.mark.parametrize("seed", range(3))
def test_planted_lists_come_out(seed):
    X, y, truth = planted(seed)
    posterior = Posterior(BitMatrix.from_table(X), y, layers=4)
    found = hunt(posterior, random_state=seed)
    assert found.stopped == "agreement"
    assert found.log_posterior >= posterior.log_score(truth) - 1e-9
    assert found.function.equivalent_to(truth, up_to_order=True) or found.near > 1


def test_the_result_does_not_depend_on_threads():
    X, y, _ = planted(7)
    posterior = Posterior(BitMatrix.from_table(X), y, layers=3)
    one, two = (hunt(posterior, random_state=5, n_jobs=n) for n in (1, 2))
    assert (one.function, one.log_posterior) == (two.function, two.log_posterior)
    assert (one.agreement, one.restarts) == (two.agreement, two.restarts)


def test_noise_gives_the_null_list_and_a_function_one_layer():
    for seed in range(3):
        X, y, _ = simulate(500, 30, terms=BooleanFunction(), pi0=0.5, random_state=seed)
        noise = hunt(Posterior(BitMatrix.from_table(X), y, layers=4), random_state=0)
        assert noise.function == RuleList([])
        X, y, truth = simulate(500, 30, random_state=seed)
        found = hunt(Posterior(BitMatrix.from_table(X), y, layers=4), random_state=0)
        assert found.function == RuleList([truth])


def test_a_search_may_start_from_lists():
    X, y, truth = planted(3)
    posterior = Posterior(BitMatrix.from_table(X), y, layers=2)
    found = hunt(posterior, starts=[truth], restarts=1, random_state=0)
    assert found.log_posterior >= posterior.log_score(truth) - 1e-9


def test_a_column_that_only_marks_the_stratum_is_no_rule_within_strata():
    rng = np.random.default_rng(0)
    n = 1200
    group = rng.integers(0, 2, n)
    X = rng.random((n, 8)) < 0.5
    X[:, 0] = group ^ (rng.random(n) < 0.1)  # a proxy of the group, and nothing else
    y = rng.random(n) < np.where(group, 0.7, 0.2)
    bits = BitMatrix.from_table(X)
    assert "x0" in str(hunt(Posterior(bits, y), random_state=0).function)
    assert hunt(Posterior(bits, y, strata=group), random_state=0).function.is_null
