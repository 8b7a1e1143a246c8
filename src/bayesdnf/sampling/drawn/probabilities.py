"""Probabilities of functions from draws and exact scores.

Scores are known up to one constant, the evidence. The draws estimate this constant, and the mass
outside the drawn functions. For each chain let V be the functions that the other chains drew, and U
the share of its own draws outside V. Then (1 - U) · exp(score) / Σ_V exp(score) estimates the
probability of a function (George & McCulloch 1997, Statistica Sinica 7; Clyde & Ghosh 2012,
Biometrika 99), with less error than the share of its draws, and without the bias of dividing by all
drawn functions. Ratios between functions are exact. So is the upper bound
exp(score) / Σ exp(score) over all known functions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Probabilities:
    """Probabilities of functions from draws and exact scores.

    Parameters
    ----------
    log_evidence : float
        Estimate of the log evidence, the constant that scores lack; NaN if it cannot be estimated:
        no function was drawn by two chains, or the scores of equal columns are not known.
    log_known : float
        Logarithm of the mass of all known functions, a lower bound of the log evidence; NaN if
        scores are not known.
    by_chain : ndarray of shape (n_chains,)
        ``log_evidence`` by each chain alone; infinite if it drew no function of another chain.
    weights : ndarray of shape (n_chains, n_functions)
        Share of each function in averages over the posterior, by chain; those of a chain add up
        to 1.
    unseen : float
        Mean share of a chain's draws that no other chain drew.
    """

    log_evidence: float
    log_known: float
    by_chain: Floats
    weights: Floats
    unseen: float

    def of(self, log_mass: Floats | float) -> Floats:
        """Estimate the probability of functions from their log scores; NaN if not possible."""
        return np.asarray(np.exp(np.minimum(0.0, log_mass - self.log_evidence)))

    def at_most(self, log_mass: Floats | float) -> Floats:
        """Return the upper bound of the probability of known functions."""
        return np.asarray(np.exp(np.minimum(0.0, log_mass - self.log_known)))


def from_scores(index: Ints, log_mass: Floats, undrawn: Floats) -> Probabilities:
    """Estimate probabilities from draws and exact scores.

    Parameters
    ----------
    index : ndarray of shape (n_chains, n_draws)
        Number of the function of each draw. A single chain is compared by its halves.
    log_mass : ndarray
        By function: its log score, those of its copies on equal columns added; NaN: not known.
    undrawn : ndarray
        The same of functions that are known and were never drawn.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.sampling.drawn.probabilities import from_scores
    >>> log_mass, drawn = np.log([6.0, 3, 1]), np.array([[0, 0, 1, 0], [0, 1, 0, 2]])
    >>> found = from_scores(drawn, log_mass, undrawn=np.array([]))
    >>> found.of(log_mass).round(3)
    array([0.55 , 0.275, 0.092])
    >>> float(found.at_most(np.log(6.0)).round(3))
    0.6
    """
    n_functions = len(log_mass)
    # A single chain is split in halves, which count as two chains.
    chains = list(index) if len(index) > 1 else np.array_split(index[0], 2)
    counts = np.stack([np.bincount(chain, minlength=n_functions) for chain in chains])
    shares = counts / np.maximum(1, counts.sum(axis=1, keepdims=True))
    # Each chain estimates the mass of the functions that the *other* chains drew: a set chosen
    # without its own draws, so that its share of draws in it is an unbiased estimate.
    others = counts.sum(axis=0) > counts  # by chain and function: whether another drew it
    inside = np.where(others, shares, 0).sum(axis=1)
    unseen = float(1 - inside.mean())
    nothing = np.full(len(chains), np.nan)
    plain = np.stack([np.bincount(row, minlength=n_functions) for row in index]) / index.shape[1]
    if np.isnan(log_mass).any():
        return Probabilities(np.nan, np.nan, nothing, plain, unseen)
    top = max(log_mass.max(), undrawn.max(initial=-np.inf))
    mass = np.exp(log_mass - top)
    log_known = float(np.log(mass.sum() + np.exp(undrawn - top).sum()) + top)
    if not inside.any():
        return Probabilities(np.nan, log_known, nothing, plain, unseen)
    of_others = np.where(others, mass, 0)
    # If the mass of the others' functions underflows relative to the top one, avoid 0 / 0.
    held = np.maximum(of_others.sum(axis=1), np.finfo(float).tiny)
    # Inside this set the chain's share 1 - U is distributed by exact scores, without Monte Carlo
    # error; outside, its own frequencies are used.
    weights = np.where(others, (inside / held)[:, None] * of_others, shares)
    with np.errstate(divide="ignore"):
        by_chain = np.maximum(top - np.log(inside / held), log_known)
    # P(set) = mass(set) / Z, hence Z = mass / share. It can never be below the mass of the
    # functions that are known.
    log_evidence = max(float(top - np.log((inside / held).mean())), log_known)
    return Probabilities(log_evidence, log_known, by_chain, weights, unseen)
