"""Simulation-based calibration: where true values rank among the draws of their posterior.

A function or list and its rates are drawn from the prior, an outcome from them, and then functions
and rates from the posterior given that outcome. If the posterior's draws are right, the truth is
one more of them, so its rank is uniform (Talts et al. 2018), for every number that can be reckoned
from a draw and the data; numbers that use the data, such as the log likelihood, also notice a
sampler that ignores them (Modrák et al. 2023).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy import stats
from scipy.special import xlogy

from bayesdnf import BitMatrix, Effect, Posterior, Prior, _native
from bayesdnf.model.flat_functions import FlatFunctions
from bayesdnf.model.part_rates import draw_part_rates
from bayesdnf.model.rule import layers_of
from bayesdnf.sampling.samplers import informed

N_PROBES = 3


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
    layers: int = 1
    n_strata: int = 1

    @property
    def simple(self):
        return self.layers == 1 and self.n_strata == 1

    @property
    def quantities(self):
        """What is ranked: of two rates both, of more the one at each of some rows."""
        names = ["terms", "literals", "log likelihood"]
        if self.simple:
            return ["pi0", "pi1", *names, *(f"truth at probe {i}" for i in range(N_PROBES))]
        layers = ["layers"] if self.layers > 1 else []
        return [*names, *layers, *(f"rate at probe {i}" for i in range(N_PROBES))]


def by_informed_chain(posterior, design, seed):
    """Draws of one chain that starts at a draw from the prior, not at the truth."""
    start_seed, chain_seed = seed.spawn(2)
    [start] = posterior.prior.sample(
        posterior.bits, layers=posterior.layers, random_state=start_seed
    )
    kernel, stop = informed(posterior), _native.StopFlag()
    snapshot = kernel.init(start, stream_of(chain_seed))
    snapshot, _ = kernel.advance(snapshot, design.warm_up, design.thin, stop)
    _, info = kernel.advance(snapshot, design.n_draws * design.thin, design.thin, stop)
    return FunctionDraws(info.functions, info.draws)


def ranks(design, replications, seed, sampler=by_informed_chain, **believed):
    """Rank the truth in each replication: shape (replications, quantities), from 0 to n_draws.

    ``believed`` is what the posterior takes for true: a field of the design other than its own.
    """
    seeds = np.random.SeedSequence(seed).spawn(replications)
    wrong = replace(design, **believed)
    return np.array([_replicate(design, child, sampler, wrong) for child in seeds])


def _replicate(design, seed, sampler, believed):
    truth_seed, function_seed, chain_seed, rates_seed = seed.spawn(4)
    rng = np.random.default_rng(truth_seed)
    n, p = design.n_rows, design.n_columns
    X = rng.random((n, p)) < rng.uniform(0.2, 0.8, p)
    [truth] = design.prior.sample(
        BitMatrix.from_table(X), layers=design.layers, random_state=function_seed
    )
    true_rates = draw_prior_rates(design, len(layers_of(truth)), rng)
    stratum = rng.integers(design.n_strata, size=n) if design.n_strata > 1 else np.zeros(n, int)
    y = rng.random(n) < true_rates[stratum, truth(X).astype(int)]
    posterior = posterior_of(X, y, believed, stratum)

    flat, draws = sampler(posterior, design, chain_seed)
    assert len(draws) == design.n_draws
    cells = posterior.native.score(*flat)[3]
    rates = draw_part_rates(posterior, flat, cells, draws, stream_of(rates_seed))
    n_literals = np.diff(flat.literal_starts[flat.term_starts])
    probes = rng.random((N_PROBES, p)) < 0.5
    probe_stratum = np.arange(N_PROBES) % design.n_strata
    [true_cells] = posterior.scores([truth]).cells
    parts, true_parts = parts_at(flat, probes)[:, draws], truth(probes).astype(int)
    known = {
        "pi0": (true_rates[0, 0], rates[:, 0, 0]),
        "pi1": (true_rates[0, 1], rates[:, 0, 1]),
        "terms": (sum(map(len, layers_of(truth))), np.diff(flat.term_starts)[draws]),
        "literals": (truth.n_literals, n_literals[draws]),
        "layers": (len(layers_of(truth)), flat.n_layers[draws]),
        "log likelihood": (
            log_likelihood(true_cells, true_rates),
            log_likelihood(cells[draws], rates),
        ),
    }
    for i, s in enumerate(probe_stratum % posterior.n_strata):
        known[f"truth at probe {i}"] = true_parts[i] > 0, parts[i] > 0
        true = true_rates[probe_stratum[i], true_parts[i]]
        known[f"rate at probe {i}"] = true, rates[np.arange(len(draws)), s, parts[i]]
    pairs = [known[name] for name in design.quantities]
    return [
        int((drawn < true).sum()) + rng.integers((drawn == true).sum(), endpoint=True)  # ties
        for true, drawn in pairs
    ]


def posterior_of(X, y, design, stratum=None):
    """Build the posterior, also where the outcome happens to be of one class.

    Such outcomes are part of what the model says and may not be left out. Two rows of weight 0 in
    every stratum name the classes; rows of weight 0 leave no other trace.
    """
    n_idle = 2 * design.n_strata
    bits = BitMatrix.from_table(np.vstack([X, X[np.arange(n_idle) % len(X)]]))
    idle = np.arange(n_idle)
    return Posterior(
        bits,
        np.append(y, idle % 2 == 0),
        design.prior,
        design.effect,
        sample_weight=np.append(np.ones(len(y), dtype=int), np.zeros(n_idle, dtype=int)),
        layers=design.layers,
        strata=None if design.n_strata == 1 else np.append(stratum, idle // 2),
    )


def draw_prior_rates(design, n_layers, rng):
    """Draw the rates of every stratum and part from their prior, those in order by rejection.

    Both rates of a null function without strata are its single one; other lists have NaN for
    parts that they do not have.
    """
    effect = design.effect
    rates = np.full((design.n_strata, design.layers + 1), np.nan)
    if n_layers == 0:
        rates[:, 0] = rng.beta(effect.a, effect.b, size=design.n_strata)
        return np.repeat(rates[:, :1], 2, axis=1) if design.simple else rates
    while True:
        rates[:, 0] = rng.beta(effect.a0, effect.b0, size=design.n_strata)
        rates[:, 1 : n_layers + 1] = rng.beta(
            effect.a1, effect.b1, size=(design.n_strata, n_layers)
        )
        if not design.simple or effect.ordered is False or rates[0, 0] <= rates[0, 1]:
            return rates


def log_likelihood(cells, rates):
    """Log P(y | function, rates) from the positives and negatives of each stratum and part."""
    rates = np.where(np.isnan(rates), 0.5, rates)  # of parts that are not there, without rows
    values = xlogy(cells[..., 0], rates) + xlogy(cells[..., 1], 1 - rates)
    return values.sum(axis=(-1, -2))


def parts_at(flat, probes):
    """Part of each probe row by each function or list: shape (probes, functions)."""
    found = np.zeros((len(probes), len(flat.term_starts) - 1), dtype=int)
    for function, (first, last) in enumerate(pairwise(flat.term_starts)):
        for term in range(first, last):
            literals = flat.literals[flat.literal_starts[term] : flat.literal_starts[term + 1]]
            layer = np.where(probes[:, literals].all(axis=1), flat.layers[term], 0)
            found[:, function] = np.maximum(found[:, function], layer)
    return found


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


def p_values(found, design):
    """By quantity: below .01 its ranks leave the band that holds 99 of 100 uniform samples."""
    band = Band(len(found), design.n_draws + 1)
    return {name: band.p_value(x) for name, x in zip(design.quantities, found.T, strict=True)}
