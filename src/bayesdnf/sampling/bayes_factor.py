"""Bayes factors from draws: some rule against none, one layer against several."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..boolean import BooleanFunction
from ..model.posterior import Posterior
from ..model.prior_draws import log_null_odds, log_one_layer_odds
from .draws import Draws
from .tempered import log_evidence

_TOO_MUCH = 0.5  # maximum share of a chain's draws that no other chain drew, to use exact scores


class BayesFactor(NamedTuple):
    """A Bayes factor, such as "some rule" against "no rule", or a bound on it."""

    log: float
    """Natural logarithm, such as of P(y | some rule) / P(y | no rule); or a bound of it."""
    bound: str
    """"" for an estimate; ">" or "<" if the draws only give a lower or an upper bound."""
    spread: float
    """Standard deviation of the logarithm between chains; NaN if unknown."""
    source: str
    """"scores", "evidence", or "draws": from exact scores of what was drawn, from the evidence of a
    tempered run, or from how often either side was drawn."""

    def __str__(self) -> str:
        # exp overflows above 1e308: show only the logarithm.
        large = self.log > math.log(1e300)
        size = "> 1e300" if large else f"{self.bound} {math.exp(self.log):.3g}"
        log = f"{self.bound} {self.log:.2f}"
        return f"{size.strip()} (log {log.strip()})"


def bayes_factor(drawn: Draws, posterior: Posterior) -> BayesFactor | None:
    """Estimate the Bayes factor of "some rule" against "no rule".

    Let P0 be the posterior probability of the null function, by its exact score, and q0 its prior
    probability among the allowed functions. The factor is (1 - P0) / P0 · q0 / (1 - q0). If the
    chains drew few functions in common, so that P0 is uncertain, a tempered run gives it from the
    evidence P(y): (P(y) / P(y | null) - q0) / (1 - q0). Without a tempered run the result is a
    lower bound, from the upper bound of P0. If only the null function was drawn, the result is an
    upper bound: the factor if one other draw had occurred.

    Parameters
    ----------
    drawn : Draws
        Draws from this posterior.
    posterior : Posterior
        The posterior that was sampled.

    Returns
    -------
    BayesFactor or None
        None if there is nothing to compare: the null function has no prior mass, or the kernel
        never visits it, or its prior probability cannot be estimated.

    Examples
    --------
    >>> from bayesdnf import BitMatrix, Posterior, sample, simulate
    >>> from bayesdnf.sampling.bayes_factor import bayes_factor
    >>> X, y, truth = simulate(300, 10, random_state=0)
    >>> posterior = Posterior(BitMatrix.from_table(X), y)
    >>> drawn = sample(posterior, draws=1000, warmup=100, random_state=0)
    >>> bayes_factor(drawn, posterior).log > 20  # the null function was never drawn
    True
    """
    log_odds = log_null_odds(posterior)
    if log_odds is None or math.isinf(log_odds) or drawn.settings["kernel"] == "single_term":
        return None
    null = drawn.counts[:, drawn.n_terms == 0].sum(axis=1)
    # If all draws are of the null function, or scores of equal columns are not known, exact scores
    # cannot estimate the evidence. Frequencies give an estimate, or a bound.
    if null.sum() == drawn.index.size or math.isnan(drawn.exact.log_known):
        return _from_draws(drawn.n_draws - null, null, -log_odds)
    if drawn.unseen > _TOO_MUCH:
        by_evidence = _from_evidence(drawn, posterior, log_odds)
        if by_evidence is not None:
            return by_evidence
    return _from_scores(drawn, log_odds)


def _from_scores(drawn: Draws, log_odds: float) -> BayesFactor:
    """Compute the factor from the null's exact score; a lower bound if no draws are shared."""
    exact = drawn.exact
    if math.isnan(exact.log_evidence):
        log = _log_odds_against(drawn.log_null, exact.log_known)
        return BayesFactor(log + log_odds, ">", math.nan, "scores")
    by_chain = np.array([_log_odds_against(drawn.log_null, z) for z in exact.by_chain])
    log = _log_odds_against(drawn.log_null, exact.log_evidence)
    return BayesFactor(log + log_odds, "", _spread(by_chain), "scores")


def _log_odds_against(log_mass: float, log_evidence: float) -> float:
    """Return the log odds against a function with this log score."""
    # log((1 - P) / P) with P = exp(share); expm1 keeps the digits of 1 - P where P is near 1.
    # At P = 1 the odds against it would be the logarithm of 0.
    share = min(log_mass - log_evidence, -1e-15)
    return math.log(-math.expm1(share)) - share


def one_layer_bayes_factor(drawn: Draws, posterior: Posterior) -> BayesFactor | None:
    """Estimate the Bayes factor of lists of one layer against lists of two or more.

    It is the odds among the draws, without the null list, divided by the odds among the lists that
    the prior allows. Rates are unordered on both sides. If one side was never drawn, the result is
    a bound: the factor if one draw had been of this side.

    Parameters
    ----------
    drawn : Draws
        Draws from this posterior.
    posterior : Posterior
        The posterior that was sampled, with ``layers`` of 2 or more.

    Returns
    -------
    BayesFactor or None
        Above 1 (its logarithm above 0) if one layer is enough. None if there is nothing to
        compare: one layer at most, only the null list was drawn, the kernel never visits lists of
        two terms, or the prior odds cannot be estimated.

    Examples
    --------
    >>> from bayesdnf import BitMatrix, Posterior, sample, simulate
    >>> from bayesdnf.sampling.bayes_factor import one_layer_bayes_factor
    >>> X, y, truth = simulate(300, 10, random_state=0)
    >>> posterior = Posterior(BitMatrix.from_table(X), y, layers=2)
    >>> drawn = sample(posterior, draws=500, warmup=100, random_state=0)
    >>> -1 < one_layer_bayes_factor(drawn, posterior).log < 1  # weak evidence
    True
    """
    if posterior.layers == 1 or drawn.settings["kernel"] == "single_term":
        return None
    one, more = (
        drawn.exact.weights[:, of_side].sum(axis=1)
        for of_side in (drawn.n_layers == 1, drawn.n_layers > 1)
    )
    if not (one.any() or more.any()):
        return None
    log_odds = log_one_layer_odds(posterior)
    if log_odds is None:
        return None
    # Shares become numbers of draws, because the bounds of ``_from_draws`` assume one draw.
    return _from_draws(one * drawn.n_draws, more * drawn.n_draws, log_odds)


def _from_draws(first: NDArray[Any], second: NDArray[Any], log_prior_odds: float) -> BayesFactor:
    """Divide the odds of two sides among the draws of each chain by the prior odds."""
    n_first, n_second = float(first.sum()), float(second.sum())
    if n_first and n_second:
        with np.errstate(divide="ignore", invalid="ignore"):
            by_chain = np.log(first) - np.log(second) - log_prior_odds
        log = math.log(n_first) - math.log(n_second) - log_prior_odds
        return BayesFactor(log, "", _spread(by_chain), "draws")
    one_draw = math.log(max(1, n_first + n_second - 1))  # log odds if one draw were of the other
    if n_second == 0:
        return BayesFactor(one_draw - log_prior_odds, ">", math.nan, "draws")
    return BayesFactor(-one_draw - log_prior_odds, "<", math.nan, "draws")


def _from_evidence(drawn: Draws, posterior: Posterior, log_odds: float) -> BayesFactor | None:
    # Stepping stones need a chain at inverse temperature 0, where the constant is known: the
    # prior's mass on its support.
    if drawn.betas[-1] != 0:
        return None
    null = posterior.log_likelihood(BooleanFunction())
    log_q0, log_rest = -np.logaddexp(0, -log_odds), -np.logaddexp(0, log_odds)
    ratios = np.array([log_evidence(chain, drawn.betas) for chain in drawn.likelihoods]) - null
    if (ratios <= log_q0).any():  # the difference is below the error of the estimate
        return None
    # P(y) = q0 P(y | null) + (1 - q0) P(y | some rule), solved for P(y | some rule) / P(y | null),
    # in logs. ``ratios`` is log P(y) - log P(y | null).
    logs = ratios + np.log1p(-np.exp(log_q0 - ratios)) - log_rest
    return BayesFactor(float(logs.mean()), "", _spread(logs), "evidence")


def _spread(logs: NDArray[np.float64]) -> float:
    return float(logs.std(ddof=1)) if len(logs) > 1 and np.isfinite(logs).all() else math.nan
