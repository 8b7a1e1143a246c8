"""One restart of a search, and the last look for a term that all of them may have missed."""

import pytest

from bayesdnf import BitMatrix, BooleanFunction, Posterior, RuleList, _native, hunt, simulate
from bayesdnf.model.streams import Streams
from bayesdnf.search.restarts.restart import Restart
from bayesdnf.search.restarts.tally import Tally
from benchmarks.list_regret import Setting, simulated

ROUNDING = 1e-8
TERMS = (2, 3, 4, 3, 2)


def problem(columns, seed):
    """Five terms among many columns."""
    X, y, truth = simulate(1000, columns, terms=TERMS, random_state=seed)
    return Posterior(BitMatrix.from_table(X), y), truth


def restart_of(posterior):
    return Restart(posterior, 100, Streams(0, "hunt"), _native.StopFlag())


def terms_of(posterior, function):
    return tuple((g, tuple(term)) for g, term in posterior.support.layered_ids(function))


def test_the_last_look_adds_the_term_that_is_missing_and_widens_the_beams_that_follow():
    posterior, truth = problem(1000, 4015)
    shorter = BooleanFunction([term for term in truth.terms if len(term) != 4])
    restart = restart_of(posterior)
    score = posterior.log_score(shorter)
    narrow = _native.beam_search(
        posterior.native, [list(t) for _, t in terms_of(posterior, shorter)], 32, restart.stop
    )
    assert narrow[2] < posterior.log_score(truth) - ROUNDING  # a beam of a first restart misses it
    end = restart.looked_further(terms_of(posterior, shorter), score)
    assert end.score >= posterior.log_score(truth) - ROUNDING
    before = restart.known.width
    restart.know(Tally(agree=2))
    assert restart.known.width > before


def test_a_look_that_finds_nothing_changes_nothing():
    posterior, _ = problem(1000, 4015)
    restart = restart_of(posterior)
    best = hunt(posterior, random_state=0).function
    terms = terms_of(posterior, best)
    end = restart.looked_further(terms, posterior.log_score(best))
    assert (set(end.terms), end.score) == (set(terms), posterior.log_score(best))
    before = restart.known.width
    restart.know(Tally(agree=2))
    assert restart.known.width == before


def test_few_literals_are_not_looked_at_again():
    X, y, _ = simulate(100, 20, random_state=0)
    restart = restart_of(Posterior(BitMatrix.from_table(X), y))
    assert restart.looked_further((), -70.0)[:2] == ((), -70.0)


def test_terms_of_a_list_that_pay_together_only_are_found():
    """No term of this list pays without the others: restarts agreed on the null list, 4.7 nats
    below the best."""
    X, y, truth = simulated(Setting(3, 500, 1), 5)
    posterior = Posterior(BitMatrix.from_table(X), y, layers=4)
    null = posterior.log_score(RuleList([]))
    assert posterior.log_score(truth) > null + 3
    for term in (term for layer in truth.layers for term in layer.terms):
        assert posterior.log_score(RuleList([BooleanFunction([term])])) < null
    restart = restart_of(posterior)
    alone = _native.add_terms(posterior.native, [], 50, restart.stop, [])
    assert alone[2] == null
    end = restart.looked_further((), null)
    assert end.score >= posterior.log_score(truth)
    assert end.score == restart.looked_further((), null).score
    assert hunt(posterior, random_state=5).log_posterior >= end.score


@pytest.mark.slow
def test_a_term_that_narrow_beams_miss_is_found_before_the_restarts_are_believed():
    posterior, truth = problem(10_000, 3005)
    found = hunt(posterior, random_state=3005)
    assert found.stopped == "agreement"
    assert found.log_posterior >= posterior.log_score(truth) - ROUNDING
    narrow = hunt(posterior, random_state=3005, restarts=15)  # nearly all end below it
    assert narrow.log_posterior < found.log_posterior
    assert hunt(posterior, random_state=3005, n_jobs=4) == found
