"""An upper bound on the posterior mass of a chain's region, from the exact scores of its draws.

A chain that does not reach other regions draws from the posterior of its own region R, of mass
Z = Σ_R exp(score). For any distribution ρ of functions

    ln Z = E[score] + H ≤ E[score - ln ρ],

with the mean over the chain's draws and H their entropy, which is at most their cross-entropy with
ρ (Gibbs' inequality). If the right side is far below the mass of all known functions, the chain is
stuck in a region with almost no posterior mass and is excluded from averages. The bound of a chain
that draws from the whole posterior is never below this mass, because Z is then the whole mass.

ρ is fitted to nine tenths of a chain and evaluated on the remaining tenth: every term is present
independently with its frequency, in one of its layers or in any; terms that were not seen are any
term.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ... import _native

if TYPE_CHECKING:
    from ..draws import Draws

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LEAST_SHARE = 1e-3
"""A chain whose region has certainly less than this share of the known mass is excluded."""
_FEWEST_DRAWS = 40  # with fewer draws the bound is useless
_BLOCKS = 10


def counted_chains(draws: Draws) -> Ints:
    """Return the chains that count in averages, by number.

    These are all chains but those whose region has less than a thousandth of the drawn mass.

    Examples
    --------
    >>> from bayesdnf import BitMatrix, Posterior, sample, simulate
    >>> from bayesdnf.sampling.judging.chain_limits import counted_chains
    >>> X, y, truth = simulate(300, 10, random_state=0)
    >>> posterior = Posterior(BitMatrix.from_table(X), y)
    >>> counted_chains(sample(posterior, draws=200, warmup=100, random_state=0))
    array([0, 1, 2, 3])
    """
    limits = log_share_limits(draws)
    counted = np.flatnonzero(limits >= np.log(LEAST_SHARE))
    # The region with the largest known mass is not below the limit, except for estimation errors.
    # If these exclude all chains, keep the one with the largest bound.
    return counted if len(counted) else np.array([int(np.argmax(limits))])


def log_share_limits(draws: Draws) -> Floats:
    """Bound the log share of each chain's region in the mass of all drawn functions.

    Infinite if there are too few draws or scores are not known.

    Examples
    --------
    >>> from bayesdnf import BitMatrix, Posterior, sample, simulate
    >>> from bayesdnf.sampling.judging.chain_limits import log_share_limits
    >>> X, y, truth = simulate(300, 10, random_state=0)
    >>> posterior = Posterior(BitMatrix.from_table(X), y)
    >>> drawn = sample(posterior, draws=200, warmup=100, random_state=0)
    >>> bool((log_share_limits(drawn) > 0).all())  # all chains are where the mass is
    True
    """
    log_mass = draws.log_mass
    if draws.n_draws < _FEWEST_DRAWS or np.isnan(log_mass).any():
        return np.full(draws.n_chains, np.inf)
    top = log_mass.max()
    known = top + np.log(np.exp(log_mass - top).sum())
    terms = _Terms(draws)
    return np.array([_limit(terms, log_mass, chain) - known for chain in draws.index])


def _limit(terms: _Terms, log_mass: Floats, chain: Ints) -> float:
    """Bound the log mass of one chain's region: the median over blocks of E[score - ln ρ]."""
    blocks = np.array_split(chain, _BLOCKS)
    means = []
    for i, judged in enumerate(blocks):
        # Cross-validation: on the draws to which it was fitted, ρ would be too high and the bound
        # too low.
        fitted = np.concatenate(blocks[:i] + blocks[i + 1 :])
        means.append((log_mass - terms.log_density(fitted))[judged].mean())
    # The median ignores a few blocks in which the chain was still moving to its region.
    return float(np.median(means))


class _Terms:
    """The terms of all drawn functions, with their layers, and the functions that contain them."""

    def __init__(self, draws: Draws) -> None:
        flat = draws.functions
        catalogue = _native.Catalogue()
        alone = np.arange(len(flat.literal_starts), dtype=np.int64)
        number = catalogue.number(
            alone, flat.literal_starts, flat.literals, np.ones_like(flat.layers)
        ).astype(np.int64)
        size = np.zeros(len(catalogue), dtype=np.int64)
        size[number] = np.diff(flat.literal_starts)
        self._log_any = _log_any_term(size, len(draws.literals))
        holder = np.repeat(np.arange(draws.n_functions), draws.n_terms)
        # Each term once: equal columns are replaced by the first, so two terms may become equal.
        _, once = np.unique(holder * len(catalogue) + number, return_index=True)
        self._of, self._holder = number[once], holder[once]
        self._layer, self._layers = flat.layers[once].astype(np.int64) - 1, draws.layers
        self._n_functions = draws.n_functions

    def log_density(self, fitted: Ints) -> Floats:
        """Return ln ρ of every function, ρ fitted to some draws."""
        often = np.bincount(fitted, minlength=self._n_functions)[self._holder]
        found = self._log_terms(often, len(fitted))
        return found if self._layers == 1 else found + self._log_layers(often)

    def _log_terms(self, often: Ints, n: int) -> Floats:
        """Return the log density of terms: seen ones independent, a Poisson number of others."""
        held = np.bincount(self._of, often, minlength=len(self._log_any))
        # Add half a draw to both counts (Krichevsky and Trofimov 1981): no share is 0 or 1.
        share = (held + 0.5) / (n + 1)
        seen = held > 0
        # Good-Turing estimate: the expected number of unseen terms in a new draw is the number of
        # terms seen once, divided by n. It is the mean ν of a Poisson number of unseen terms.
        new = (np.count_nonzero(held == 1) + 0.5) / n
        absent = np.log1p(-share)
        # A set of m unseen terms has the probability e^-ν ν^m / m! · m! Π P(T) = e^-ν Π ν P(T), so
        # each unseen term adds ln ν + ln P(T). The sum over all functions may be less than 1 (some
        # sets have equal terms); this only raises the bound.
        present = np.where(seen, np.log(share) - absent, np.log(new) + self._log_any)
        constant = float(absent[seen].sum()) - new
        return np.asarray(self._summed(present[self._of]) + constant)

    def _log_layers(self, often: Ints) -> Floats:
        """Return the log density of layers: a mixture of each term's frequencies and uniform.

        The uniform half is needed because a new layer below others changes the numbers of all
        terms above it.
        """
        places = self._of * self._layers + self._layer
        held = np.bincount(places, often, minlength=len(self._log_any) * self._layers)
        of_term = held.reshape(-1, self._layers).sum(axis=1)
        own = np.log((held[places] + 0.5) / (of_term[self._of] + 0.5 * self._layers))
        uniform = np.full(len(own), -np.log(self._layers))
        return np.asarray(np.logaddexp(self._summed(own), self._summed(uniform)) - np.log(2))

    def _summed(self, values: Floats) -> Floats:
        """Sum values of terms over the terms of each function."""
        return np.asarray(np.bincount(self._holder, values, minlength=self._n_functions))


def _log_any_term(sizes: Ints, n_literals: int) -> Floats:
    """Return the log probability of a term of size k: 2^-k for the size, uniform given the size."""
    from scipy.special import gammaln

    ways = gammaln(n_literals + 1) - gammaln(sizes + 1) - gammaln(n_literals - sizes + 1)
    return np.asarray(-sizes * np.log(2) - ways)
