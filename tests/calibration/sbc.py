"""Simulation-based calibration: where true values rank among the draws of their posterior.

A function and its rates are drawn from the prior, an outcome from them, and then functions and
rates from the posterior given that outcome. If the posterior's draws are right, the truth is one
more of them, so its rank is uniform (Talts et al. 2018), for every number that can be reckoned from
a draw and the data; numbers that use the data, such as the log likelihood, also notice a sampler
that ignores them (Modrák et al. 2023).
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy import stats
from scipy.special import xlogy

from bayesdnf import BitMatrix, Effect, Posterior, Prior, _native
from bayesdnf.model.flat_functions import FlatFunctions
from bayesdnf.model.rates import draw_rates
from bayesdnf.sampling.samplers import informed

N_PROBES = 3
QUANTITIES = (
    "pi0",
    "pi1",
    "terms",
    "literals",
    "log likelihood",
    *(f"truth at probe {i}" for i in range(N_PROBES)),
)


class FunctionDraws(NamedTuple):
    """Functions by their terms, and which of them each draw is."""

    functions: FlatFunctions
    draws: np.ndarray


Sampler = Callable[[Posterior, "Design", np.random.SeedSequence], FunctionDraws]


@dataclass(frozen=True)
class Design:
    """What is simulated, and how its posterior is sampled.

    Draws are ``thin`` steps apart, far enough to be as good as independent: draws that hang
    together rank the truth too often first or last.
    """

    n_rows: int
    n_columns: int
    prior: Prior
    effect: Effect
    n_draws: int = 99
    thin: int = 300
    warm_up: int = 3000


def by_informed_chain(posterior, design, seed):
    """Draws of one chain that starts at a draw from the prior, not at the truth."""
    start_seed, chain_seed = seed.spawn(2)
    [start] = posterior.prior.sample(posterior.bits, random_state=start_seed)
    kernel, stop = informed(posterior), _native.StopFlag()
    snapshot = kernel.init(start, stream_of(chain_seed))
    snapshot, _ = kernel.advance(snapshot, design.warm_up, design.thin, stop)
    _, info = kernel.advance(snapshot, design.n_draws * design.thin, design.thin, stop)
    return FunctionDraws(info.functions, info.draws)


def ranks(design, replications, seed, sampler=by_informed_chain, prior=None, effect=None):
    """Rank the truth in each replication: shape (replications, quantities), from 0 to n_draws.

    ``prior`` and ``effect`` are what the posterior believes, if not what is true.
    """
    believed = prior or design.prior, effect or design.effect
    seeds = np.random.SeedSequence(seed).spawn(replications)
    return np.array([_replicate(design, child, sampler, *believed) for child in seeds])


def _replicate(design, seed, sampler, prior, effect):
    truth_seed, function_seed, chain_seed, rates_seed = seed.spawn(4)
    rng = np.random.default_rng(truth_seed)
    n, p = design.n_rows, design.n_columns
    X = rng.random((n, p)) < rng.uniform(0.2, 0.8, p)
    [truth] = design.prior.sample(BitMatrix.from_table(X), random_state=function_seed)
    pi0, pi1 = draw_prior_rates(design.effect, truth.is_null, rng)
    y = rng.random(n) < np.where(truth(X), pi1, pi0)
    posterior = posterior_of(X, y, prior, effect)

    flat, draws = sampler(posterior, design, chain_seed)
    assert len(draws) == design.n_draws
    scored = posterior.native.score(*flat)
    marked = scored[3][draws]
    n_terms = np.diff(flat.term_starts)
    rates = draw_rates(
        effect, posterior.n_pos, n - posterior.n_pos, marked, (n_terms == 0)[draws],
        stream_of(rates_seed),
    )  # fmt: skip
    n_literals = np.diff(flat.literal_starts[flat.term_starts])
    probes = rng.random((N_PROBES, p)) < 0.5
    [true_marked] = posterior.scores([truth]).marked
    true_values = [
        pi0,
        pi1,
        len(truth),
        truth.n_literals,
        log_likelihood(posterior, true_marked, pi0, pi1),
        *truth(probes),
    ]
    drawn_values = [
        rates.pi0,
        rates.pi1,
        n_terms[draws],
        n_literals[draws],
        log_likelihood(posterior, marked.T, rates.pi0, rates.pi1),
        *holds_on(flat, probes)[:, draws],
    ]
    return [
        int((drawn < true).sum()) + rng.integers((drawn == true).sum(), endpoint=True)  # ties
        for true, drawn in zip(true_values, drawn_values, strict=True)
    ]


def posterior_of(X, y, prior, effect):
    """Build the posterior, also where the outcome happens to be of one class.

    Such outcomes are part of what the model says and may not be left out. Two rows of weight 0
    name the classes; rows of weight 0 leave no other trace.
    """
    bits = BitMatrix.from_table(np.vstack([X, X[:2]]))
    weights = np.append(np.ones(len(y), dtype=int), [0, 0])
    return Posterior(bits, np.append(y, [False, True]), prior, effect, sample_weight=weights)


def draw_prior_rates(effect, is_null, rng):
    """Draw π0 and π1 from their prior, one rate for the null function; by plain rejection."""
    if is_null:
        rate = rng.beta(effect.a, effect.b)
        return rate, rate
    while True:
        pi0, pi1 = rng.beta(effect.a0, effect.b0), rng.beta(effect.a1, effect.b1)
        if pi0 <= pi1 or not effect.ordered:
            return pi0, pi1


def log_likelihood(posterior, marked, pi0, pi1):
    """Log P(y | function, rates) from marked positives and marked negatives."""
    both, false_marks = marked
    n_pos, n_neg = posterior.n_pos, posterior.n - posterior.n_pos
    return (
        xlogy(both, pi1)
        + xlogy(false_marks, 1 - pi1)
        + xlogy(n_pos - both, pi0)
        + xlogy(n_neg - false_marks, 1 - pi0)
    )


def holds_on(flat, probes):
    """Truth of each function at each probe row: shape (probes, functions)."""
    terms = [
        probes[:, flat.literals[first:last]].all(axis=1)
        for first, last in pairwise(flat.literal_starts)
    ]
    nowhere = np.zeros(len(probes), dtype=bool)
    return np.stack(
        [
            np.logical_or.reduce([nowhere, *terms[first:last]])
            for first, last in pairwise(flat.term_starts)
        ],
        axis=1,
    )


def stream_of(seed):
    return _native.Philox([int(word) for word in seed.generate_state(2, np.uint64)])


# Bands -------------------------------------------------------------------------------------------


class Band:
    """Where the distribution function of uniform ranks stays, at all its steps at once.

    Säilynoja, Bürkner and Vehtari (2022): at each step the number of ranks so far is binomial, and
    a band holds its central 1 - gamma there. The gamma at which given ranks just leave the band is
    compared with those of simulated uniform ranks; the band that holds 99 of 100 of these
    everywhere is left by ranks whose p-value is below .01.
    """

    def __init__(self, n, n_values, simulations=20_000, seed=0):
        self.n_values = n_values
        steps = np.arange(1, n_values) / n_values
        counts = np.arange(n + 1)[:, None]
        lower = stats.binom.cdf(counts, n, steps)
        upper = stats.binom.sf(counts - 1, n, steps)
        self._tail = 2 * np.minimum(lower, upper)
        rng = np.random.default_rng(seed)
        uniform = rng.multinomial(n, np.full(n_values, 1 / n_values), size=simulations)
        self._simulated = np.sort(self._least_tail(uniform))

    def _least_tail(self, histograms):
        so_far = np.cumsum(histograms, axis=1)[:, :-1]
        return self._tail[so_far, np.arange(self.n_values - 1)].min(axis=1)

    def p_value(self, ranks):
        """Share of uniform samples that somewhere go as far out as these ranks, or farther."""
        [least] = self._least_tail(np.bincount(ranks, minlength=self.n_values)[None])
        return np.searchsorted(self._simulated, least, side="right") / len(self._simulated)


def p_values(found, n_values):
    """By quantity: below .01 its ranks leave the band that holds 99 of 100 uniform samples."""
    band = Band(len(found), n_values)
    return {name: band.p_value(x) for name, x in zip(QUANTITIES, found.T, strict=True)}
