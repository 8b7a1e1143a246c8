"""Ways of restarts: that they differ as they say, and what they find where one way would not."""

import math

import numpy as np
import pytest

from bayesdnf import LiteralEncoder, Posterior, hunt
from bayesdnf.search.restarts.ways import ROUND, Ways
from benchmarks.tree_tables import tree_table

ELITES = [((1, (0,)), (1, (1, 2)), (1, (3, 4))), ((1, (0,)), (1, (5, 6)))]


def way(number, elites=(), share=0.3, seed=0, promising=()):
    ways = Ways(share, np.array([0.2, 0.7]))
    return ways.way(number, list(elites), np.random.default_rng(seed), promising)


def test_the_first_round_looks_at_every_side():
    kinds = [way(number).kind for number in range(ROUND)]
    assert kinds[:2] == ["beam", "free"]
    assert set(kinds) == {"beam", "free", "long", "precise", "broad", "sparse"}


@pytest.mark.parametrize("share", [1e-9, 0.02, 0.5, 0.97])
def test_known_rates_lie_on_either_side_of_the_share(share):
    for number in range(2, 200):
        chosen = way(number, share=share)
        if chosen.kind in ("precise", "broad", "long"):
            pi0, pi1 = chosen.rates
            assert 0 < pi0 < share < pi1 < 1


def test_rates_of_later_rounds_never_come_again():
    tilted = ("precise", "broad", "long")
    rates = [w.rates for number in range(ROUND, 30 * ROUND) if (w := way(number)).kind in tilted]
    assert len(rates) > 150
    assert len(set(rates)) == len(rates)


@pytest.mark.parametrize("share", [0.02, 0.5, 0.97])
@pytest.mark.parametrize("reverse", [False, True], ids=["as they are", "reversed"])
def test_some_restarts_keep_near_to_rates_that_did_well(share, reverse):
    low, high = share / 5, 1 - (1 - share) / 50
    promising = [(high, low) if reverse else (low, high)]
    chosen = [
        way(number, ELITES, share, number, promising) for number in range(2 * ROUND, 20 * ROUND)
    ]
    tuned = np.array([w.rates for w in chosen if w.kind == "tuned"])
    assert len(tuned) > 40
    assert {w.kind for w in chosen} >= {"precise", "broad", "long", "free"}  # others look elsewhere
    # On the same side of the share, their distances spread around those that did well.
    logit = np.log(tuned / (1 - tuned)) - math.log(share / (1 - share))
    did_well = np.log(np.array(promising[0]) / (1 - np.array(promising[0])))
    did_well -= math.log(share / (1 - share))
    factors = np.log(logit / did_well)
    assert np.all(np.abs(factors.mean(axis=0)) < 0.2)
    assert np.all((factors.std(axis=0) > 0.1) & (factors.std(axis=0) < 0.6))


def test_rates_near_others_stay_within_what_scores_can_tell():
    share = 1e-9
    promising = [(share * 1e-6, 1 - 1e-12)]
    for number in range(ROUND, 10 * ROUND):
        chosen = way(number, ELITES, share, number, promising)
        if chosen.kind == "tuned":
            assert 0 < chosen.rates[0] < chosen.rates[1] < 1


def test_later_rounds_start_from_what_is_known():
    seen = set()
    for number in range(ROUND, 6 * ROUND):
        chosen = way(number, ELITES, seed=number)
        seen.add(chosen.kind)
        if chosen.kind == "varied":
            assert any(set(chosen.start) <= set(elite) for elite in ELITES)
        elif chosen.kind == "joined":
            assert set(chosen.start) <= set(ELITES[0]) | set(ELITES[1])
        else:
            assert chosen.start == ()
        assert chosen.cold == (chosen.kind == "varied")
    assert seen >= {"free", "long", "sparse", "varied", "joined"}
    assert seen & {"precise", "broad"}


def test_where_no_rule_is_known_nothing_is_varied():
    kinds = {way(number, [()]).kind for number in range(ROUND, 4 * ROUND)}
    assert kinds == {"free", "precise", "broad", "long", "sparse"}


def test_a_way_depends_on_its_number_and_stream_alone():
    assert way(13, ELITES, seed=5) == way(13, ELITES, seed=5)
    assert math.isnan(way(1).rates[0])


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("reverse", [False, True], ids=["as it is", "reversed"])
def test_trees_of_correlated_columns(seed, reverse):
    X, y, truth = tree_table(seed, n=400, reverse=reverse)
    posterior = Posterior(LiteralEncoder(negations=True).fit_encode(X), y)
    found = hunt(posterior, random_state=seed)
    assert found.log_posterior >= posterior.log_score(truth) - 1e-9
    again = hunt(posterior, random_state=seed + 100)
    if found.stopped == again.stopped == "agreement":
        assert found.log_posterior == pytest.approx(again.log_posterior, abs=1e-6)
