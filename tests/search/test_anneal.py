"""The paper's annealing against its slow twin, and what it promises whatever the data."""

import math
import threading

import numpy as np
import pandas as pd
import pytest

from bayesdnf import (
    BitMatrix,
    BooleanFunction,
    Effect,
    Geometric,
    LiteralEncoder,
    Poisson,
    Posterior,
    Prior,
    Uniform,
    _native,
    anneal,
    simulate,
)
from bayesdnf.errors import InputError, ParameterError
from tests.fewer import first
from tests.search.anneal_reference import SlowAnnealing, log_beta_density

PAPER = (0.05, 0.05, 0.4, 0.4, 0.05, 0.04, 0.01)
RESTLESS = (0.05, 0.05, 0.2, 0.2, 0.2, 0.15, 0.15)
FLAT = Prior.paper(0, 0)


def random_table(rng, n_rows, missing=0.0):
    """Flags, levels and an ordinal, sometimes missing; the first row has no flag set."""
    table = {f"x{j}": rng.integers(0, 2, n_rows).astype(object) for j in range(3)}
    table["level"] = rng.choice(["a", "b", "c"], n_rows).astype(object)
    table["stage"] = rng.integers(1, 4, n_rows).astype(object)
    for column in table.values():
        column[rng.random(n_rows) < missing] = None
    return pd.DataFrame(table)


def random_posterior(seed, prior, effect=None):
    """Small tables of every make: with negations, missing values, weights, merged rows."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(6, 30))
    y = np.arange(n) % 2 if seed % 5 else (np.arange(n) == 3)  # a single positive now and then
    if seed % 4 == 0:  # rows of zeros among them
        bits = BitMatrix.from_table(rng.integers(0, 2, (n, int(rng.integers(1, 4)))))
    else:
        table = random_table(rng, n, missing=0.2 * (seed % 2))
        bits = LiteralEncoder(negations=seed % 3 == 0).fit_encode(table)
    weights = [None, rng.integers(0, 3, n), rng.integers(1, 300, n)][seed % 3]
    if weights is not None:
        weights[:4] += 1  # both classes stay
    return Posterior(bits, y, prior, effect, sample_weight=weights)


def problem_of(posterior):
    return _native.AnnealProblem(posterior.native, posterior.effect.native(), posterior.individuals)


def chains_of(
    posterior, key, start_terms, draw, probabilities, log_lambda=1000.0, cooling=0.9, learning=0
):
    settings = start_terms, draw, list(probabilities), log_lambda, cooling
    stream = _native.Philox(key)
    fast = _native.AnnealChain(problem_of(posterior), stream, *settings, False, learning)
    return fast, SlowAnnealing(posterior, key, *settings, learning)


def assert_same_walk(fast, slow, n_steps):
    stop = _native.StopFlag()
    changes = 0
    for step in range(n_steps + 1):
        terms, pi0, pi1, objective = fast.last
        assert terms == slow.terms, step
        assert (pi0, pi1) == pytest.approx((slow.pi0, slow.pi1), rel=1e-12)
        assert fast.log_lambda == slow.log_lambda
        assert fast.probabilities == slow.probabilities
        if step % 20 == 0:  # the twin's objective is slow
            assert objective == pytest.approx(slow.objective, rel=1e-10)
        assert fast.advance(1, stop) == 1
        slow.step()
        changes += fast.last[0] != terms
    assert _native.Philox.resume(*fast.rng_state).raw(1)[0] == slow.stream.raw()
    return changes


# The author's prior breaks ties between sizes by rounding at whole θ; a drawn rate, which the twin
# has to the last digit but one only, would round them otherwise.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("prior", "draw"),
    [
        (Prior.paper(10, 0.5), False),
        (FLAT, False),
        (FLAT, True),
        (Prior.paper(2.5, 0.37), True),
    ],
)
@pytest.mark.parametrize("seed", first(range(12), 4))
def test_twin(prior, draw, seed):
    posterior = random_posterior(seed, prior)
    probabilities = PAPER if seed % 2 else RESTLESS
    start_terms = min(posterior.n, 1 + seed % 7)
    fast, slow = chains_of(posterior, [seed, 77], start_terms, draw, probabilities)
    assert_same_walk(fast, slow, 150)


@pytest.mark.slow
def test_twin_of_the_papers_data():
    X, y, _ = simulate(300, 12, random_state=5)
    posterior = Posterior(BitMatrix.from_table(X), y, Prior.paper(10, 0.5))
    fast, slow = chains_of(posterior, [1, 2], 10, False, PAPER)
    assert assert_same_walk(fast, slow, 150) > 10


@pytest.mark.parametrize("seed", first(range(8), 4))
def test_twin_that_learns_its_moves(seed):
    posterior = random_posterior(seed, [Prior.paper(10, 0.5), FLAT, Prior()][seed % 3])
    probabilities = PAPER if seed % 2 else (0.05, 0.05, 0.2, 0.2, 0.5, 0, 0)
    fast, slow = chains_of(posterior, [seed, 9], 1, False, probabilities, learning=60)
    assert_same_walk(fast, slow, 200)
    learned = fast.probabilities
    assert learned[:2] == list(probabilities[:2])
    assert learned[2:] != list(probabilities[2:])
    assert math.fsum(learned) == pytest.approx(1)
    assert [p > 0 for p in learned] == [p > 0 for p in probabilities]


@pytest.mark.parametrize("prior", [Prior.paper(2.5, 0.37), Prior()])
@pytest.mark.parametrize("seed", range(6))
def test_twin_with_known_rates(prior, seed):
    effect = Effect(pi0=(0.2, 1e-12)[seed % 2], pi1=0.7)
    posterior = random_posterior(seed, prior, effect)
    fast, slow = chains_of(posterior, [seed, 3], 2, seed % 3 == 0, RESTLESS, learning=seed % 2 * 40)
    assert_same_walk(fast, slow, 150)


def test_merged_rows_are_stored_merged():
    """Else the tests above would not see counted rows."""
    stored = [random_posterior(seed, FLAT).bits for seed in range(12)]
    assert any(bits.counts is not None and bits.counts.max() > 1 for bits in stored)
    assert any(bits.counts is None for bits in stored)
    assert any((bits.table.valid >= 0).any() and bits.table.complement.any() for bits in stored)


RESTRICTED = {
    "default": Prior(),
    "min_cover": Prior(min_cover=3, antichain=False, related=True),
    "disjoint": Prior(disjoint=True, related=True, antichain=False, min_cover=0),
    "max_terms": Prior(max_terms=2, related=True, antichain=False, min_cover=0),
    "max_literals": Prior(max_literals=4, related=True, antichain=False, min_cover=0),
    "related": Prior(related=False, antichain=False, min_cover=0),
    "antichain": Prior(antichain=True, related=True, min_cover=0),
    "small sizes": Prior(size=Uniform(2), count=Uniform(3)),
    "weighted": Prior(weights={"x0": 3.0}, count=Geometric(0.3)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", RESTRICTED)
@pytest.mark.parametrize("seed", first([1, 2, 3, 8], 2))
def test_twin_where_something_is_ruled_out(name, seed):
    posterior = random_posterior(seed, RESTRICTED[name], Effect(2, 3, 1.5, 0.5))
    fast, slow = chains_of(posterior, [seed, 5], 1 + seed % 4, False, RESTLESS)
    assert_same_walk(fast, slow, 100)


@pytest.mark.parametrize("name", RESTRICTED)
def test_restrictions_are_kept(name):
    """Chains start from rows, mostly outside the support; they find in, and stay."""
    posterior = random_posterior(13, RESTRICTED[name])
    found = anneal(posterior, chains=6, steps=3000, start_terms=4, random_state=1)
    for end in found.chains:
        assert posterior.support.reason(end.function) is None
        assert posterior.log_score(end.function) > -math.inf
    assert found.log_posterior == posterior.log_score(found.function)


@pytest.mark.parametrize("seed", range(8))
def test_nobody_and_everybody_are_never_marked_and_no_term_is_empty(seed):
    posterior = random_posterior(seed, FLAT)
    chain = chains_of(posterior, [seed, 1], 1, seed % 2 == 0, RESTLESS)[0]
    rows = posterior.bits.table
    stop = _native.StopFlag()
    for _ in range(300):
        before = chain.last[0]
        chain.advance(1, stop)
        terms = chain.last[0]
        assert all(terms)
        assert all(list(term) == sorted(set(term)) for term in terms)
        if terms != before:  # a start may mark everybody, a proposal may not
            function = BooleanFunction([[rows[j] for j in term] for term in terms])
            assert 0 < posterior.counts(function).n_marked < posterior.n


def test_terms_are_a_list():
    """Equal terms are allowed and counted in the prior, as in the author's code."""
    posterior = Posterior(BitMatrix.from_table(np.eye(3, dtype=int)), [1, 0, 1], FLAT)
    chain = chains_of(posterior, [3, 4], 1, False, (0, 0, 0, 0, 1, 0, 0))[0]
    chain.advance(9, _native.StopFlag())
    terms = chain.last[0]
    assert len(terms) > len({tuple(term) for term in terms})


def test_log_lambda_cools_at_every_attempt_to_change_the_number_of_terms():
    posterior = random_posterior(1, FLAT)
    stop = _native.StopFlag()
    for move, cools in enumerate((False, False, False, False, True, False, True)):
        probabilities = [float(i == move) for i in range(7)]
        chain = chains_of(posterior, [0, 0], 1, False, probabilities, 8.0, 0.5)[0]
        chain.advance(3, stop)  # one term: a merge is no attempt, a death is one
        assert chain.log_lambda == (1.0 if cools else 8.0)
    chain = chains_of(posterior, [0, 0], 5, False, (0, 0, 0, 0, 0, 1, 0), 8.0, 0.5)[0]
    chain.advance(1, stop)
    assert chain.log_lambda == 4.0


def test_conditional_means():
    X, y, _ = simulate(200, 5, random_state=0)
    posterior = Posterior(BitMatrix.from_table(X), y, FLAT, Effect(2, 3, 4, 5))
    chain = chains_of(posterior, [0, 0], 1, False, (0.5, 0.5, 0, 0, 0, 0, 0))[0]
    chain.advance(50, _native.StopFlag())
    terms, pi0, pi1, _ = chain.last
    function = BooleanFunction([[posterior.bits.table[j] for j in term] for term in terms])
    n, n_pos, n_marked, n_both = posterior.counts(function)
    assert pi0 == pytest.approx((2 + n_pos - n_both) / (5 + n - n_marked))
    assert pi1 == pytest.approx((4 + n_both) / (9 + n_marked))


@pytest.mark.parametrize("prior", [Prior.paper(10, 0.5), FLAT, Prior(size=Poisson(3))])
def test_objective(prior):
    X, y, _ = simulate(400, 8, random_state=3)
    effect = Effect(2, 3, 1.5, 0.5)
    posterior = Posterior(BitMatrix.from_table(X), y, prior, effect)
    found = anneal(posterior, chains=5, steps=2000, pi_moves="draw", random_state=0)
    expected = (
        posterior.log_prior(found.function)
        + posterior.log_likelihood(found.function, found.pi0, found.pi1)
        + log_beta_density(found.pi0, 2, 3)
        + log_beta_density(found.pi1, 1.5, 0.5)
    )
    assert found.objective == pytest.approx(expected, abs=1e-9)
    assert found.log_posterior == posterior.log_score(found.function)


def test_known_rates_stay_and_the_objective_is_the_score():
    X, y, truth = simulate(1000, 30, random_state=4)
    effect = Effect(pi0=0.1, pi1=0.9)
    posterior = Posterior(BitMatrix.from_table(X), y, Prior.paper(2, 0.9), effect)
    found = anneal(posterior, random_state=0, pi_moves="draw")
    assert set(truth.terms) <= set(found.function.terms)
    for end in found.chains:
        assert (end.pi0, end.pi1) == (0.1, 0.9)
    assert found.objective == pytest.approx(found.log_posterior, abs=1e-9)


def test_each_chain_learns_its_own_moves_from_its_first_quarter():
    X, y, _ = simulate(300, 20, random_state=1)
    posterior = Posterior(BitMatrix.from_table(X), y, Prior.paper(5, 0.5))
    settings = {"chains": 5, "steps": 2000, "random_state": 0}
    plain = anneal(posterior, **settings)
    assert {end.move_probabilities for end in plain.chains} == {PAPER}
    learned = anneal(posterior, adaptive=True, **settings)
    assert learned == anneal(posterior, adaptive=True, n_jobs=3, **settings)
    own = [end.move_probabilities for end in learned.chains]
    assert learned.move_probabilities in own
    assert len(set(own)) > 1
    # With the quarter's steps alone nothing was learned yet, and the walk was the same one.
    stop = _native.StopFlag()
    chain, other = (
        chains_of(posterior, [1, 1], 1, False, PAPER, learning=learning)[0] for learning in (0, 500)
    )
    for c in (chain, other):
        c.advance(499, stop)
    assert (chain.last, chain.probabilities) == (other.last, other.probabilities)
    for c in (chain, other):
        c.advance(1, stop)
    assert chain.last == other.last
    assert chain.probabilities != other.probabilities


@pytest.mark.parametrize("prior", [Prior.paper(10, 0.5), FLAT, Prior.paper(2, 0.9)])
def test_the_truth_is_found_on_the_papers_data(prior):
    """Both true terms are found; his prior adds others to them now and then."""
    X, y, truth = simulate(1000, 30, random_state=4)
    posterior = Posterior(BitMatrix.from_table(X), y, prior)
    found = anneal(posterior, random_state=0)
    assert set(truth.terms) <= set(found.function.terms)
    assert found.pi0 == pytest.approx(0.1, abs=0.05)
    assert found.pi1 == pytest.approx(0.9, abs=0.05)


def test_result_is_that_of_the_first_best_chain():
    X, y, _ = simulate(300, 10, random_state=1)
    posterior = Posterior(BitMatrix.from_table(X), y, Prior.paper(2, 0.9))
    found = anneal(posterior, chains=12, steps=3000, random_state=0)
    assert (found.restarts, found.stopped, found.proved) == (12, "restarts", False)
    best = max(end.objective for end in found.chains)
    first = next(end for end in found.chains if end.objective == best)
    assert (found.function, found.pi0, found.pi1, found.objective) == first[:4]
    assert found.agreement == sum(end.function == found.function for end in found.chains) > 1


def test_threads_chunks_and_later_chains_change_nothing():
    X, y, _ = simulate(200, 15, random_state=2)
    posterior = Posterior(BitMatrix.from_table(X), y, Prior.paper(5, 0.1))
    one = anneal(posterior, chains=7, steps=2500, start_terms=3, random_state=9)
    for n_jobs in (2, 5):
        assert one == anneal(
            posterior, chains=7, steps=2500, start_terms=3, random_state=9, n_jobs=n_jobs
        )
    fewer = anneal(posterior, chains=2, steps=2500, start_terms=3, random_state=9)
    assert fewer.chains == one.chains[:2]
    whole, parts = (chains_of(posterior, [1, 1], 3, True, PAPER)[0] for _ in range(2))
    stop = _native.StopFlag()
    whole.advance(3000, stop)
    for _ in range(30):
        parts.advance(100, stop)
    assert whole.last == parts.last


def test_row_order_and_repetition_change_nothing():
    X, y, _ = simulate(100, 6, random_state=2)
    times = np.random.default_rng(0).integers(0, 40, 100)
    order = np.random.default_rng(1).permutation(int(times.sum()))
    repeated, y_repeated = np.repeat(X.to_numpy(), times, axis=0)[order], np.repeat(y, times)[order]
    prior = Prior.paper(2, 0.5)
    settings = {"chains": 4, "steps": 2000, "start_terms": 5, "random_state": 0}
    weighted = anneal(Posterior(BitMatrix.from_table(X), y, prior, sample_weight=times), **settings)
    plain = anneal(Posterior(BitMatrix.from_table(repeated), y_repeated, prior), **settings)
    assert weighted == plain


def test_seeds():
    X, y, _ = simulate(100, 10, random_state=2)
    posterior = Posterior(BitMatrix.from_table(X), y, FLAT)
    few = {"chains": 3, "steps": 300}
    one = anneal(posterior, random_state=1, **few)
    assert one == anneal(posterior, random_state=np.random.SeedSequence(1), **few)
    assert one.chains != anneal(posterior, random_state=2, **few).chains
    assert anneal(posterior, **few).chains != anneal(posterior, **few).chains


def test_best_state_is_at_least_the_last():
    X, y, _ = simulate(300, 20, random_state=6)
    posterior = Posterior(BitMatrix.from_table(X), y, FLAT)
    settings = {"chains": 8, "steps": 1500, "pi_moves": "draw", "random_state": 0}
    last = anneal(posterior, **settings)
    best = anneal(posterior, keep="best", **settings)
    gains = [b.objective - e.objective for b, e in zip(best.chains, last.chains, strict=True)]
    assert min(gains) >= 0
    assert max(gains) > 0
    e = best.chains[0]
    expected = posterior.log_likelihood(e.function, e.pi0, e.pi1)  # flat priors, flat densities
    assert e.objective == pytest.approx(expected, abs=1e-9)


def test_time_limit():
    X, y, _ = simulate(500, 20, random_state=0)
    posterior = Posterior(BitMatrix.from_table(X), y, FLAT)
    found = anneal(posterior, chains=3, steps=10**12, time_limit=0.05, n_jobs=2, random_state=0)
    assert found.stopped == "time limit"
    assert 1 <= found.restarts == len(found.chains) <= 3
    assert found.objective > -math.inf


def test_ctrl_c_returns_the_best_so_far():
    X, y, _ = simulate(500, 20, random_state=0)
    posterior = Posterior(BitMatrix.from_table(X), y, FLAT)
    seen, before = [], threading.active_count()

    def progress(done, most, best):
        seen.append((done, most, best))
        if done == 3:
            raise KeyboardInterrupt

    found = anneal(posterior, chains=50, steps=500, random_state=0, progress=progress)
    assert found.stopped == "interrupted"
    assert 3 <= found.restarts < 50
    assert [done for done, _, _ in seen] == [1, 2, 3]
    assert seen[-1][1] == 50
    assert found.objective >= seen[-1][2] == max(e.objective for e in found.chains[:3])
    assert threading.active_count() < before + 10


BAD = {
    "chains": (0, "a whole number, 1 or more"),
    "steps": (2.5, "a whole number, 1 or more"),
    "start_terms": (101, "at most 100, the number of rows"),
    "pi_moves": ("median", "'mean' or 'draw'"),
    "move_probabilities": ((0.5, 0.5), "seven numbers, none negative, that sum to 1"),
    "log_lambda": (-1.0, "a finite number, 0 or more"),
    "cooling": (1.5, "above 0 and at most 1"),
    "keep": ("first", "'last' or 'best'"),
    "adaptive": (1, "True or False"),
    "n_jobs": (True, "a whole number, 1 or more"),
    "time_limit": (0, "a finite number of seconds above 0, or None"),
    "random_state": ("x", "a whole number, 0 or more, a SeedSequence or None"),
}


@pytest.mark.parametrize("name", BAD)
def test_wrong_parameters(name):
    X, y, _ = simulate(100, 4, random_state=0)
    posterior = Posterior(BitMatrix.from_table(X), y, FLAT)
    value, must = BAD[name]
    with pytest.raises(ParameterError) as error:
        anneal(posterior, **{name: value})
    assert str(error.value) == (
        f"The '{name}' parameter of anneal must be {must}. Got {value!r} instead."
    )


@pytest.mark.parametrize(
    "probabilities", [(0.5, 0.5, 0, 0, 0, 0, 0.1), (-0.5, 0.5, 1, 0, 0, 0, 0), [math.nan] * 7, 1.0]
)
def test_wrong_probabilities(probabilities):
    X, y, _ = simulate(100, 4, random_state=0)
    posterior = Posterior(BitMatrix.from_table(X), y, FLAT)
    with pytest.raises(ParameterError, match="sum to 1"):
        anneal(posterior, move_probabilities=probabilities)


def test_where_no_chain_comes_to_an_allowed_function_it_says_so():
    """Both literals are required and may not meet; rows have both, and shrinking loses them."""
    X, y = np.array([[1, 1, 0], [1, 1, 1], [0, 0, 1], [1, 1, 0]] * 5), [1, 1, 0, 0] * 5
    prior = Prior(apart=[["x0", "x1"]], required=["x0", "x1"])
    posterior = Posterior(BitMatrix.from_table(X), y, prior)
    with pytest.raises(InputError, match="None of the 3 chains of the annealing reached"):
        anneal(posterior, chains=3, steps=500, random_state=0)


def test_rows_without_a_true_literal():
    """They give no term, at the start or later; a chain may then have none to begin with."""
    posterior = Posterior(
        BitMatrix.from_table(np.array([[0, 0], [0, 0], [0, 0], [1, 0]])), [1, 0, 0, 0], FLAT
    )
    found = anneal(posterior, chains=8, steps=200, random_state=0)
    one = BooleanFunction("x0")
    assert {end.function for end in found.chains} == {BooleanFunction(), one}
    assert found.function == one
