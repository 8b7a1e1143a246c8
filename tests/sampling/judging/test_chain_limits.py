"""Limits of the mass where chains are: against a slow twin, and against enumeration."""

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from bayesdnf import BitMatrix, Posterior, sample, simulate
from bayesdnf.model.rule import layers_of, one_line
from bayesdnf.sampling.judging.chain_limits import LEAST_SHARE, log_share_limits
from tests.sampling.made_draws import made
from tests.sampling.scored_draws import noisy


def scored(chains, score, layers=1):
    """Draws whose chains drew these functions, with scores given by their texts."""
    draws = made(chains, layers=layers)
    log_score = np.array([score[draws.text(i)] for i in range(draws.n_functions)])
    zero = np.zeros(draws.n_functions)
    return replace(draws, log_prior=zero, log_likelihood=log_score, log_copies=zero)


def scores_of(posterior):
    """Every function, its probability, and log scores by text."""
    listed = posterior.enumerate()
    texts = [one_line(rule) for rule in listed["function"]]
    score = dict(zip(texts, listed["log_posterior"], strict=True))
    return listed["function"].to_numpy(), listed["probability"].to_numpy(), score


def slow_limits(draws):
    """The same term by term and draw by draw."""
    known = math.log(sum(math.exp(x) for x in draws.log_mass))
    rules = [
        {
            frozenset(map(str, term)): g
            for g, layer in enumerate(layers_of(draws.function(i)), start=1)
            for term in layer.literal_terms
        }
        for i in range(draws.n_functions)
    ]
    p, found = len(draws.literals), []
    for chain in draws.index:
        blocks, means = np.array_split(chain, 10), []
        for i, judged in enumerate(blocks):
            fitted = [rules[f] for j, block in enumerate(blocks) if j != i for f in block]
            n = len(fitted)
            held = Counter(term for rule in fitted for term in rule)
            in_layer = Counter(pair for rule in fitted for pair in rule.items())
            new = (sum(times == 1 for times in held.values()) + 0.5) / n
            values = []
            for f in judged:
                rule, log_density = rules[f], -new
                for term, times in held.items():
                    share = (times + 0.5) / (n + 1)
                    log_density += math.log(share if term in rule else 1 - share)
                for term in rule.keys() - held.keys():
                    log_density += math.log(new / 2 ** len(term) / math.comb(p, len(term)))
                own = math.prod(
                    (in_layer[term, g] + 0.5) / (held[term] + 0.5 * draws.layers)
                    for term, g in rule.items()
                )
                log_density += math.log(own / 2 + draws.layers ** -len(rule) / 2)
                values.append(draws.log_mass[f] - log_density)
            means.append(np.mean(values))
        found.append(np.median(means) - known)
    return found


@pytest.mark.parametrize("layers", [1, 3])
@pytest.mark.parametrize("seed", range(3))
def test_limits_are_those_of_the_slow_twin(seed, layers):
    drawn = sample(noisy(seed, layers=layers), draws=57, warmup=5, thin=5, random_state=seed)
    np.testing.assert_allclose(log_share_limits(drawn), slow_limits(drawn))


@pytest.mark.parametrize("n_draws", [40, 100, 1000])
@pytest.mark.parametrize(("p", "layers"), [(4, 1), (3, 3)])
def test_chains_that_draw_from_the_posterior_all_count(p, layers, n_draws):
    """Their limit is never below the mass that is known, whatever the shape of the posterior."""
    for seed in range(12 if layers == 1 else 4):
        rng = np.random.default_rng(seed)
        X, y, _ = simulate(30 * (1 + seed % 4), p, terms=(2,), pi0=0.3, pi1=0.8, random_state=seed)
        functions, shares, score = scores_of(Posterior(BitMatrix.from_table(X), y, layers=layers))
        drawn = rng.choice(len(functions), size=(4, n_draws), p=shares / shares.sum())
        draws = scored(functions[drawn], score, layers)
        assert log_share_limits(draws).min() > -1
        assert draws.averaged is draws


@pytest.mark.parametrize("layers", [1, 3])
def test_the_limit_of_a_region_is_above_its_mass_and_tells_where_there_is_none(layers):
    """A chain that draws from a part of the posterior: what a literal is in every term of."""
    X, y, _ = simulate(250, 3, terms=(2,), pi0=0.1, pi1=0.9, random_state=0)
    functions, shares, score = scores_of(Posterior(BitMatrix.from_table(X), y, layers=layers))
    lacks = np.array(["x0" not in one_line(f) and not f.is_null for f in functions])
    region = shares[lacks].sum() / shares.sum()
    assert region < 1e-6
    rng = np.random.default_rng(1)
    everywhere = rng.choice(len(functions), size=(3, 400), p=shares / shares.sum())
    stuck = rng.choice(np.flatnonzero(lacks), size=(1, 400), p=shares[lacks] / shares[lacks].sum())
    draws = scored(functions[np.concatenate([everywhere, stuck])], score, layers)
    limits = log_share_limits(draws)
    assert limits[3] > np.log(region)
    assert limits[3] < np.log(LEAST_SHARE)
    assert draws.counted.tolist() == [0, 1, 2]
    assert draws.averaged.n_chains == 3
    # A chain on its way for a part of the run is judged by the rest of it.
    late = np.concatenate([everywhere[2:, :150], stuck[:, 150:]], axis=1)
    draws = scored(functions[np.concatenate([everywhere, late])], score, layers)
    assert draws.counted.tolist() == [0, 1, 2]


def test_a_region_of_some_mass_counts():
    score = {"(a)": 0.0, "(b)": math.log(0.05), "(c)": math.log(1e-5)}
    chains = [["a"] * 100, ["b"] * 100, ["c"] * 100]
    assert scored(chains, score).counted.tolist() == [0, 1]


def test_few_draws_and_unknown_scores_leave_nothing_out():
    score = {"(a)": 0.0, "(c)": -50.0}
    few = scored([["a"] * 39, ["c"] * 39], score)
    assert np.isinf(log_share_limits(few)).all()
    assert few.averaged is few
    many = scored([["a"] * 40, ["c"] * 40], score)
    assert many.counted.tolist() == [0]
    unknown = replace(many, log_copies=np.full(2, np.nan))
    assert unknown.counted.tolist() == [0, 1]


def test_averages_of_functions_are_of_the_chains_that_count():
    score = {"(a)": 0.0, "(b)": -1.0, "(c)": -50.0}
    draws = scored([["a", "b"] * 50, ["b", "a", "a", "a"] * 25, ["c"] * 100], score)
    assert draws.inclusion("literal").set_index("what")["probability"]["c"] == 0
    np.testing.assert_allclose(draws.weights, draws.averaged.weights)
    assert draws.probability.sum() == pytest.approx(1)
    assert draws.frequency.sum() == pytest.approx(1)
    assert draws.frequency[draws.numbers_of(draws.function(2))] > 0  # of all that was drawn
