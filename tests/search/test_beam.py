"""Beam and large-neighbourhood search, by themselves."""

import numpy as np
import pytest

from bayesdnf import (
    BitMatrix,
    BooleanFunction,
    Posterior,
    Prior,
    _native,
    best_term,
    simulate,
)
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


@pytest.mark.parametrize("seed", range(4))
def test_among_some_literals_it_takes_no_others(seed):
    posterior, stop = make(seed), _native.StopFlag()
    best, layers, top = _native.beam_search(posterior.native, [], 8, stop)
    offered = np.ones(30, dtype=np.uint8)
    assert _native.beam_search_among(posterior.native, offered, 8, stop) == (best, layers, top)
    offered[[literal for term in best for literal in term][::2]] = 0
    terms, _, found = _native.beam_search_among(posterior.native, offered, 8, stop)
    assert all(offered[literal] for term in terms for literal in term)
    assert score(posterior, terms) == found < top


def test_literals_on_offer_are_said_of_each_and_required_ones_stay():
    X, y, _ = simulate(400, 30, random_state=0)
    posterior = Posterior(BitMatrix.from_table(X), y, Prior(required=["x5"]))
    nothing = np.zeros(30, dtype=np.uint8)
    terms, *_ = _native.beam_search_among(posterior.native, nothing, 8, _native.StopFlag())
    assert terms == [[5]]
    with pytest.raises(ValueError, match="each literal must be on offer or not"):
        _native.beam_search_among(posterior.native, nothing[1:], 8, _native.StopFlag())


def test_weights_beyond_every_table_change_no_answer():
    X, y, _ = simulate(50, 20, pi0=0.0, pi1=1.0, random_state=0)
    heavy = Posterior(BitMatrix.from_table(X), y, sample_weight=np.full(50, 10**7))
    terms, _, found = _native.beam_search(heavy.native, [], 32, _native.StopFlag())
    assert found == score(heavy, terms)
    assert (BooleanFunction([[heavy.bits.table[i] for i in term] for term in terms])(X) == y).all()
