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

_TOO_MUCH = 0.5  # of a chain's draws that no other chain drew: what is left says little


class BayesFactor(NamedTuple):
    """A Bayes factor, such as some rule against no rule, or a bound on it."""

    log: float
    """Natural logarithm, such as of P(y | some rule) / P(y | no rule); or a bound of it."""
    bound: str
    """"" for an estimate; ">" or "<" where the draws only say that it is above or below."""
    spread: float
    """Standard deviation of the logarithm between chains; NaN where it is not known."""
    source: str
    """"scores", "evidence", or "draws": from exact scores of what was drawn, from the evidence of a
    tempered run, or from how often either side was drawn."""

    def __str__(self) -> str:
        # Past 1e300 only the logarithm can be written down.
        large = self.log > math.log(1e300)
        size = "> 1e300" if large else f"{self.bound} {math.exp(self.log):.3g}"
        log = f"{self.bound} {self.log:.2f}"
        return f"{size.strip()} (log {log.strip()})"


def bayes_factor(drawn: Draws, posterior: Posterior) -> BayesFactor | None:
    """Bayes factor of "some rule" against "no rule".

    With P0 the null function's probability, by its exact score, and q0 its share of the prior,
    restricted to what it allows, the factor is (1 - P0) / P0 · q0 / (1 - q0). Where the chains drew
    little in common, so that P0 is not known well, a tempered run still gives it from the evidence
    P(y): it is (P(y) / P(y | null) - q0) / (1 - q0). Without one only a lower bound is known, from
    the upper limit of P0. Where nothing but the null function was drawn, only an upper bound is:
    the factor if there had been one other draw.

    Parameters
    ----------
    drawn : Draws
        From this posterior.
    posterior : Posterior
        What was sampled.

    Returns
    -------
    BayesFactor or None
        None where there is nothing to compare: the prior gives the null function no mass or the
        kernel never visits it, or the prior's share of it cannot be reckoned.

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
    """By the null function's exact score; a lower bound where chains drew nothing in common."""
    exact = drawn.exact
    if math.isnan(exact.log_evidence):
        log = _log_odds_against(drawn.log_null, exact.log_known)
        return BayesFactor(log + log_odds, ">", math.nan, "scores")
    by_chain = np.array([_log_odds_against(drawn.log_null, z) for z in exact.by_chain])
    log = _log_odds_against(drawn.log_null, exact.log_evidence)
    return BayesFactor(log + log_odds, "", _spread(by_chain), "scores")


def _log_odds_against(log_mass: float, log_evidence: float) -> float:
    """Log odds against a function of this log score."""
    # log((1 - P) / P) with P = exp(share); expm1 keeps the digits of 1 - P where P is near 1.
    # At P = 1 the odds against it would be the logarithm of 0.
    share = min(log_mass - log_evidence, -1e-15)
    return math.log(-math.expm1(share)) - share


def one_layer_bayes_factor(drawn: Draws, posterior: Posterior) -> BayesFactor | None:
    """Bayes factor of lists of one layer against lists of two or more.

    The odds of the draws, the null list left out, over those of the prior, restricted to what it
    allows. Both sides have rates without an order between them. Where one side was never drawn,
    only a bound is known: the factor if one draw had been of it.

    Parameters
    ----------
    drawn : Draws
        From this posterior.
    posterior : Posterior
        What was sampled, with ``layers`` of 2 or more.

    Returns
    -------
    BayesFactor or None
        Above 1 (its logarithm above 0) where one layer is enough. None where there is nothing to
        compare: one layer at most, no draw but of the null list, a kernel that never visits lists
        of two terms, or a prior whose odds cannot be reckoned.

    Examples
    --------
    >>> from bayesdnf import BitMatrix, Posterior, sample, simulate
    >>> from bayesdnf.sampling.bayes_factor import one_layer_bayes_factor
    >>> X, y, truth = simulate(300, 10, random_state=0)
    >>> posterior = Posterior(BitMatrix.from_table(X), y, layers=2)
    >>> drawn = sample(posterior, draws=500, warmup=100, random_state=0)
    >>> -1 < one_layer_bayes_factor(drawn, posterior).log < 1  # these rows hardly say
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
    # In draws, because the bounds of ``_from_draws`` count one.
    return _from_draws(one * drawn.n_draws, more * drawn.n_draws, log_odds)


def _from_draws(first: NDArray[Any], second: NDArray[Any], log_prior_odds: float) -> BayesFactor:
    """Divide the odds of two sides, by how often each chain drew each, by those of the prior."""
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
    if (ratios <= log_q0).any():  # lost in the estimate's error: next to no rule fits
        return None
    # P(y) = q0 P(y | null) + (1 - q0) P(y | some rule), solved for the last factor relative to P(y
    # | null), in logs.
    logs = ratios + np.log1p(-np.exp(log_q0 - ratios)) - log_rest
    return BayesFactor(float(logs.mean()), "", _spread(logs), "evidence")


def _spread(logs: NDArray[np.float64]) -> float:
    return float(logs.std(ddof=1)) if len(logs) > 1 and np.isfinite(logs).all() else math.nan
