"""The representative rule: one short rule whose risks are nearest to the averaged ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict

import numpy as np

from ...model.effect import Effect
from ...model.flat_functions import as_flat
from ...model.part_rates import mean_rates, mean_shares, part_risks
from ...model.posterior import Posterior
from ...model.rates import Interval
from ...model.rule import Rule
from ...sampling.draws import Draws
from ..class_shares import Shares, pooled_shares
from .nearest_rule import nearest_rule
from .nearness import CROSSED, AveragedRows, Floats, Ints


@dataclass(frozen=True)
class Representative:
    """A short rule whose risks are nearest to the averaged ones.

    Attributes
    ----------
    rule : BooleanFunction or RuleList
        The rule.
    max_literals : int
        Maximum number of literals.
    loss : float
        Mean Kullback-Leibler divergence of the rule's probabilities from the averaged ones, in nats
        per row, over the rows of the fit and crossed rows.
    base_loss : float
        The same without a rule: one risk for all rows, or for all rows of a stratum.
    predicted : ndarray of shape (n_strata, n_parts, n_classes)
        The rule's predictions: means of the averaged probabilities over the rows of each part and
        stratum, crossed rows included; of two classes the positive one first.
    cells : ndarray of shape (n_strata, n_parts, n_classes)
        Weighted number of rows of the fit of each class in each part and stratum; of two classes
        the positive one first.
    risks : tuple of Interval
        Posterior means and 95 % intervals of the risk of each part, given that this rule is the
        true one, part 0 first; pooled over the strata. Empty with more than two classes.
    shares : tuple of tuples of Interval, or None
        The same for each class, in the order of ``classes_``, with more than two classes; else
        None.
    """

    rule: Rule
    max_literals: int
    loss: float
    base_loss: float
    predicted: Floats
    cells: Ints
    risks: tuple[Interval, ...]
    shares: Shares | None = None


def find_representative(
    draws: Draws, posterior: Posterior, max_literals: int, n_crossed: int = CROSSED
) -> Representative:
    """Find the rule of at most ``max_literals`` literals whose risks are nearest to the averages.

    The distance is the cross-entropy -Σ [p ln q + (1-p) ln(1-q)] over the rows of the fit and rows
    crossed from them (:func:`~.crossed_rows.with_crossed_rows`), where p is the averaged risk and q
    the mean of p over the row's part, which minimises the sum; with more than two classes it is
    -Σ Σ_c p_c ln q_c. Each literal must reduce the loss by 0.2 % of the loss without a rule, each
    layer by 0.02 %. On large tables the search uses about 20,000 rows; the result is evaluated on
    all rows.

    Parameters
    ----------
    draws : Draws
        Draws to average.
    posterior : Posterior
        The posterior that was sampled.
    max_literals : int
        Maximum number of literals.
    n_crossed : int, default=1000
        Number of crossed rows to add to the rows of the fit.

    Raises
    ------
    InputError
        If the prior allows no rule of this length.

    Examples
    --------
    >>> from bayesdnf import BitMatrix, Posterior, sample, simulate
    >>> from bayesdnf.estimators.averaging.representative import find_representative
    >>> X, y, truth = simulate(500, 10, terms=(2, 2), random_state=0)
    >>> posterior = Posterior(BitMatrix.from_table(X), y)
    >>> drawn = sample(posterior, draws=200, warmup=100, random_state=0)
    >>> find_representative(drawn, posterior, 15).rule == truth
    True
    >>> short = find_representative(drawn, posterior, 2)
    >>> print(short.rule)
    (x2 AND x3)
    >>> 0.05 < short.loss < 0.2
    True
    """
    # Rules are compared by averaged risks, so crossed rows need no outcomes (docs/layers.md, "The
    # representative rule").
    rows = AveragedRows(draws, posterior, n_crossed)
    terms = nearest_rule(draws, posterior, rows, max_literals)
    flat = as_flat([terms])
    own = rows.as_offered(flat)
    # The last axis has as many parts as the longest list allowed; keep those of this one.
    cells = posterior.scores_of(own).cells[0, :, : int(flat.n_layers[0]) + 1]
    return Representative(
        rule=posterior.spell(own, 0),
        max_literals=max_literals,
        loss=rows.exact_loss(flat),
        base_loss=rows.exact_loss(as_flat([()])),
        predicted=rows.predicted(flat),
        cells=cells,
        **outcomes_of(posterior.effect, cells, posterior.simple),
    )


class Outcomes(TypedDict):
    """The outcomes that a rule states for its parts."""

    risks: tuple[Interval, ...]
    shares: Shares | None


def outcomes_of(effect: Effect, cells: Ints, two_rates: bool) -> Outcomes:
    """Return the risks of the parts of a rule, or the shares of more than two classes.

    Parameters
    ----------
    effect : Effect
        The prior of the rates.
    cells : ndarray of shape (n_strata, n_parts, n_classes)
        Number of rows of each class; of two classes the positive one first.
    two_rates : bool
        Whether these are the two rates of a function without strata, which may be known or ordered.
    """
    if cells.shape[2] > 2:
        return {"risks": (), "shares": pooled_shares(cells)}
    return {"risks": part_risks(effect, cells, two_rates=two_rates), "shares": None}


def own_means(effect: Effect, cells: Ints, two_rates: bool) -> Floats:
    """Return posterior means of risks given that a rule is true: what files of version 5 predict.

    Parameters
    ----------
    effect : Effect
        The prior of the rates.
    cells : ndarray of shape (n_strata, n_parts, n_classes)
        Number of rows of each class; of two classes the positive one first.
    two_rates : bool
        Whether these are the two rates of a function without strata, which may be known or ordered.
    """
    if cells.shape[2] > 2:
        return mean_shares(cells)
    if two_rates:
        own = np.array([[risk.mean for risk in part_risks(effect, cells, two_rates=True)]])
    else:
        own = mean_rates(effect, cells[None], np.array([cells.shape[1] - 1]))[0]
    return np.stack([own, 1 - own], axis=-1)
