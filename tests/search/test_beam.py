"""Beam and large-neighbourhood search, by themselves."""

import time

import numpy as np
import pytest

from bayesdnf import BitMatrix, BooleanFunction, Posterior, _native, best_term, simulate
from bayesdnf.model.flat_functions import as_flat


def make(seed, n=400, p=30, terms=(2, 3, 3)):
    X, y, _ = simulate(n, p, terms=terms, random_state=seed)
    return Posterior(BitMatrix.from_table(X), y)


def score(posterior, terms):
    _, prior, likelihood, _ = posterior.native.score(*as_flat([[(1, term) for term in terms]]))
    return float((prior + likelihood)[0])


@pytest.mark.parametrize("width", [1, 4, 32])
@pytest.mark.parametrize("seed", range(6))
def test_never_below_its_start_and_the_score_is_that_of_its_terms(seed, width):
    posterior = make(seed)
    rng = np.random.default_rng(seed)
    for start in ([], [[seed]], [sorted(rng.choice(30, 3, replace=False).tolist())]):
        terms, _, found = _native.beam_search(posterior.native, start, width, _native.StopFlag())
        assert found == score(posterior, terms)
        assert found >= score(posterior, start)


@pytest.mark.parametrize("seed", range(6))
def test_stays_at_the_best_function_and_comes_back_to_it(seed):
    posterior = make(seed)
    best, _, top = _native.beam_search(posterior.native, [], 64, _native.StopFlag())
    again, _, same = _native.beam_search(posterior.native, best, 64, _native.StopFlag())
    assert (sorted(again), same) == (sorted(best), top)
    for i in range(len(best)):
        damaged = best[:i] + best[i + 1 :]
        *_, repaired = _native.beam_search(posterior.native, damaged, 64, _native.StopFlag())
        assert repaired >= top - 1e-9


@pytest.mark.parametrize("seed", range(4))
def test_is_no_worse_than_the_best_single_term(seed):
    posterior = make(seed, terms=(3,))
    *_, found = _native.beam_search(posterior.native, [], 64, _native.StopFlag())
    assert found >= best_term(posterior).log_posterior - 1e-9


def test_stops_when_told():
    posterior = make(0)
    stop = _native.StopFlag()
    stop.stop()
    assert _native.beam_search(posterior.native, [[3, 4]], 8, stop)[0] == [[3, 4]]


def test_weights_beyond_every_table_cost_little():
    X, y, _ = simulate(50, 20, pi0=0.0, pi1=1.0, random_state=0)
    heavy = Posterior(BitMatrix.from_table(X), y, sample_weight=np.full(50, 10**7))
    began = time.process_time()
    terms, _, found = _native.beam_search(heavy.native, [], 32, _native.StopFlag())
    assert time.process_time() - began < 1  # seconds, where every count up to 10**8 is tabled
    assert found == score(heavy, terms)
    assert (BooleanFunction([[heavy.bits.table[i] for i in term] for term in terms])(X) == y).all()
