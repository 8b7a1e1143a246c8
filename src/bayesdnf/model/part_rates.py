"""Posterior rates of the parts of lists, in every stratum."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .. import _native
from .effect import Effect
from .flat_functions import FlatFunctions
from .rates import Counts, Interval, Rates, draw_rates

if TYPE_CHECKING:
    from .posterior import Posterior

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Cells = Ints | Floats
"""Positives and negatives: [list, stratum, part, class]."""

_ENDS = (0.025, 0.975)
_POINTS = 48  # of a quadrature in each direction

POOLED_DRAWS = 100_000
"""Draws of which intervals of pooled risks are made."""


def beta_parameters(
    effect: Effect, cells: Cells, n_layers: NDArray[np.integer]
) -> tuple[Floats, Floats]:
    """Return the parameters of the Beta posterior of every rate; NaN for parts not in a list.

    Parameters
    ----------
    effect : Effect
        Priors of the rates, which must be unordered.
    cells : ndarray of shape (n, n_strata, n_parts, 2)
        Positives and negatives.
    n_layers : ndarray of shape (n,)
        Layers of each list; 0 of the null function.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf import Effect
    >>> from bayesdnf.model.part_rates import beta_parameters
    >>> cells = np.array([[[[1, 9], [8, 2], [0, 0]]]])
    >>> beta_parameters(Effect(), cells, np.array([1]))[0]
    array([[[ 2.,  9., nan]]])
    """
    part = np.arange(cells.shape[2])
    null, lowest = (n_layers == 0)[:, None], (part == 0)[None, :]
    there = part[None, :] <= n_layers[:, None]

    def prior(of_null: float, of_lowest: float, of_others: float) -> Floats:
        value = np.where(lowest, np.where(null, of_null, of_lowest), of_others)
        return np.where(there, value, np.nan)[:, None, :]

    alpha = cells[..., 0] + prior(effect.a, effect.a0, effect.a1)
    beta = cells[..., 1] + prior(effect.b, effect.b0, effect.b1)
    return alpha, beta


def mean_shares(cells: NDArray[np.integer | np.floating]) -> Floats:
    """Return posterior means of the shares of more than two classes, with a uniform prior.

    Parameters
    ----------
    cells : ndarray of shape (..., n_classes)
        Rows of each class.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.model.part_rates import mean_shares
    >>> mean_shares(np.array([6, 0, 1]))
    array([0.7, 0.1, 0.2])
    """
    # A uniform Dirichlet updated by the rows of each class has the means (n_c + 1) / (n + C).
    own = 1.0 + cells
    return np.asarray(own / own.sum(axis=-1, keepdims=True))


def mean_rates(effect: Effect, cells: Cells, n_layers: NDArray[np.integer]) -> Floats:
    """Return the posterior mean of every rate of lists or strata: shape (n, n_strata, n_parts).

    With a known prevalence they are the population's, by the retrospective form: the cells (stratum
    and part) of positives and those of negatives each have Dirichlet(1, …) shares θ1 and θ0, and a
    rate is ρ θ1 / (ρ θ1 + (1-ρ) θ0). Its mean is a sum over a grid, right to six digits.

    Parameters
    ----------
    effect : Effect
        Priors of the rates, which must be unordered.
    cells : ndarray of shape (n, n_strata, n_parts, 2)
        Positives and negatives.
    n_layers : ndarray of shape (n,)
        Layers of each list; 0 of the null function.

    Returns
    -------
    ndarray of shape (n, n_strata, n_parts)
        NaN for parts that a list does not have.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf import BitMatrix, Effect, Posterior, simulate
    >>> from bayesdnf.model.part_rates import mean_rates
    >>> X, y, truth = simulate(100, 4, random_state=1)
    >>> posterior = Posterior(BitMatrix.from_table(X), y, layers=2)
    >>> scores = posterior.scores(["if x0 AND x1 elif x2 AND x3 else"])
    >>> mean_rates(posterior.effect, scores.cells, np.array([2])).round(2)
    array([[[0.08, 0.71, 0.84]]])
    >>> mean_rates(Effect(prevalence=0.05), scores.cells, np.array([2])).round(2)
    array([[[0.01, 0.26, 0.43]]])
    """
    if effect.prevalence is None:
        alpha, beta = beta_parameters(effect, cells, n_layers)
        return alpha / (alpha + beta)
    shares = _dirichlet_parameters(cells, n_layers)
    # One share of a Dirichlet by itself is Beta(own parameter, sum of the others).
    rest = shares.sum(axis=(1, 2), where=~np.isnan(shares), keepdims=True) - shares
    return _mean_of_population(effect.prevalence, shares, rest)


def _dirichlet_parameters(cells: Cells, n_layers: NDArray[np.integer]) -> Floats:
    """Return Dirichlet parameters of positives and of negatives by cell; NaN where there is none.

    Of shape (n, n_strata, n_parts, 2).
    """
    there = np.arange(cells.shape[2]) <= n_layers[:, None]
    return np.where(there[:, None, :, None], 1.0 + cells, np.nan)


def _mean_of_population(rho: float, shares: Floats, rest: Floats) -> Floats:
    """Integrate ρ θ1 / (ρ θ1 + (1-ρ) θ0) over θ ~ Beta(share, rest), on grids of ln θ."""
    means = np.full(shares.shape[:-1], np.nan)
    means[(rest <= 0).all(axis=-1)] = rho  # the one cell there is
    # Comparisons with NaN are false: parts that a list does not have stay NaN.
    several = (rest > 0).all(axis=-1)
    if several.any():
        (log1, weight1), (log0, weight0) = (
            _log_share_grid(shares[several, c], rest[several, c]) for c in (0, 1)
        )
        # θ1 and θ0 are independent, so a product of two grids integrates over both. Odds in logs:
        # shares of rare cells are too small for their quotient.
        odds = np.log(rho) - np.log1p(-rho) + log1[:, :, None] - log0[:, None, :]
        rates = 1 / (1 + np.exp(-odds))
        means[several] = np.einsum("ni,nij,nj->n", weight1, rates, weight0)
    return means


def _log_share_grid(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return points of ln θ for θ ~ Beta(a, b) and their weights: trapezoid rule in logit θ.

    That density is smooth and falls off at both ends at least as fast as an exponential, so that
    evenly spaced points are as good as any.
    """
    from scipy.special import polygamma, psi

    # Mean and variance of logit θ for θ ~ Beta(a, b).
    centre = psi(a) - psi(b)
    spread = np.sqrt(polygamma(1, a) + polygamma(1, b))
    # The tails of logit θ fall like exp(a t) and exp(-b t), those of a normal faster.
    # Where 7 standard deviations end too early, points go on until exp(a t) is down to e^-20 of
    # what it is at the centre.
    low = np.minimum(-7 * spread, -20 / a)
    high = np.maximum(7 * spread, 20 / b)
    steps = np.linspace(0, 1, _POINTS)
    t = (centre + low)[:, None] + (high - low)[:, None] * steps
    log_share, log_other = -np.logaddexp(0, -t), -np.logaddexp(0, t)
    # In t = logit θ the density is θ^a (1-θ)^b, not θ^(a-1) (1-θ)^(b-1): dθ = θ (1-θ) dt.
    logs = a[:, None] * log_share + b[:, None] * log_other
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    return log_share, weights / weights.sum(axis=1, keepdims=True)


def stratum_weights(effect: Effect, cells: Ints) -> Floats:
    """Return the share of each stratum in each part: the weights of rates pooled over strata.

    These are shares of the part's rows; with a known prevalence, the shares expected in the
    population. A part without rows has equal weights.

    Parameters
    ----------
    effect : Effect
        Priors of the rates.
    cells : ndarray of shape (..., n_strata, n_parts, 2)
        Positives and negatives.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf import Effect
    >>> from bayesdnf.model.part_rates import stratum_weights
    >>> cells = np.array([[[5, 5], [0, 0]], [[20, 10], [0, 0]]])
    >>> stratum_weights(Effect(), cells)
    array([[0.25, 0.5 ],
           [0.75, 0.5 ]])
    """
    if effect.prevalence is None:
        sizes = cells.sum(axis=-1).astype(np.float64)
    else:
        # P(stratum, part) in the population is ρ P(cell | positive) + (1 - ρ) P(cell | negative);
        # cases and controls are normalised apart because their numbers were chosen.
        totals = np.maximum(1, cells.sum(axis=(-3, -2), keepdims=True))
        sizes = (cells / totals) @ np.array([effect.prevalence, 1 - effect.prevalence])
    whole = sizes.sum(axis=-2, keepdims=True)
    shares = sizes / np.where(whole > 0, whole, 1)
    return np.asarray(np.where(whole > 0, shares, 1 / cells.shape[-3]), dtype=np.float64)


def part_risks(effect: Effect, cells: Ints, two_rates: bool = False) -> tuple[Interval, ...]:
    """Compute the risk of each part of one rule, pooled over strata: mean and 95 % interval.

    With strata or a known prevalence intervals come from 100,000 draws of one fixed stream; all
    else is exact.

    Parameters
    ----------
    effect : Effect
        Priors of the rates.
    cells : ndarray of shape (n_strata, n_parts, 2)
        Positives and negatives of the parts that the rule has; one part means the null function.
    two_rates : bool, default=False
        Whether these are the two rates of a function without strata, which may be known or ordered.

    Returns
    -------
    tuple of Interval
        Intervals by part, part 0 first.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf import Effect
    >>> from bayesdnf.model.part_rates import part_risks
    >>> [risk] = part_risks(Effect(), np.array([[[8, 0]], [[0, 8]]]))
    >>> round(risk.mean, 2), round(risk.low, 1), round(risk.high, 1)
    (0.5, 0.4, 0.6)
    """
    n_parts = cells.shape[1]
    if two_rates:
        n_pos, n_neg = map(int, cells.sum(axis=(0, 1)))
        marked = cells[0, 1] if n_parts > 1 else np.zeros(2, dtype=np.int64)
        counts = Counts(n_pos + n_neg, n_pos, int(marked.sum()), int(marked[0]))
        return Rates(counts, effect, null=n_parts == 1).summary()[:n_parts]
    if len(cells) == 1:
        return cell_risks(effect, cells)[0]
    weights = stratum_weights(effect, cells)
    # The mean of a weighted sum is the weighted sum of the means, hence exact; its quantiles follow
    # from those of the summands by no formula and are taken from draws.
    means = (weights * _means_of_one(effect, cells)).sum(axis=0)
    drawn = (weights * _draws_of_one(effect, cells)).sum(axis=1)
    return _intervals(means, *np.quantile(drawn, _ENDS, axis=0))


def cell_risks(effect: Effect, cells: Ints) -> tuple[tuple[Interval, ...], ...]:
    """Compute the risk of each part of one rule in each stratum: mean and 95 % interval.

    Exact, but for intervals with a known prevalence, which come from 100,000 draws.

    Parameters
    ----------
    effect : Effect
        Priors of the rates, which must be unordered.
    cells : ndarray of shape (n_strata, n_parts, 2)
        Positives and negatives of the parts that the rule has.

    Returns
    -------
    tuple of tuples of Interval
        By stratum, and from part 0 up.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf import Effect
    >>> from bayesdnf.model.part_rates import cell_risks
    >>> [[risk]] = cell_risks(Effect(), np.array([[[4, 4]]]))
    >>> round(risk.mean, 2), round(risk.low, 2), round(risk.high, 2)
    (0.5, 0.21, 0.79)
    """
    from scipy.special import betaincinv

    means = _means_of_one(effect, cells)
    if effect.prevalence is None:
        alpha, beta = (x[0] for x in beta_parameters(effect, cells[None], _layers_of_one(cells)))
        low, high = (np.asarray(betaincinv(alpha, beta, end), dtype=np.float64) for end in _ENDS)
    else:
        low, high = np.quantile(_draws_of_one(effect, cells), _ENDS, axis=0)
    return tuple(_intervals(*own) for own in zip(means, low, high, strict=True))


def _layers_of_one(cells: Ints) -> Ints:
    return np.array([cells.shape[1] - 1])


def _means_of_one(effect: Effect, cells: Ints) -> Floats:
    return np.asarray(mean_rates(effect, cells[None], _layers_of_one(cells))[0])


def _draws_of_one(effect: Effect, cells: Ints) -> Floats:
    """Draw the rates of one rule: shape (n_draws, n_strata, n_parts)."""
    index = np.zeros(POOLED_DRAWS, dtype=np.int64)
    # A fixed stream: equal counts have equal intervals, in every process.
    stream = _native.Philox([0, 0])
    return _draw(effect, cells[None], _layers_of_one(cells), index, stream)


def _intervals(means: Floats, low: Floats, high: Floats) -> tuple[Interval, ...]:
    return tuple(Interval(*map(float, risk)) for risk in zip(means, low, high, strict=True))


def draw_part_rates(
    posterior: Posterior,
    functions: FlatFunctions,
    cells: Ints,
    index: Ints,
    stream: _native.Philox,
) -> Floats:
    """Draw the rates of every part in every stratum, once for each draw of a function or list.

    Parameters
    ----------
    posterior : Posterior
        The posterior that was sampled.
    functions : FlatFunctions
        The distinct functions or lists.
    cells : ndarray of shape (n_functions, n_strata, n_parts, n_classes)
        Their positives and negatives, or the rows of each of more classes.
    index : ndarray of int
        The function of each draw.
    stream : Philox
        The random stream.

    Returns
    -------
    ndarray of shape (n_draws, n_strata, n_parts)
        NaN for parts that a list does not have; both rates of the null function are its single one.
        With more than two classes a last axis has the share of each.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf import BitMatrix, Posterior, _native, simulate
    >>> from bayesdnf.model.flat_functions import as_flat
    >>> from bayesdnf.model.part_rates import draw_part_rates
    >>> X, y, truth = simulate(100, 4, random_state=1)
    >>> posterior = Posterior(BitMatrix.from_table(X), y, layers=2)
    >>> flat = as_flat([[(1, [0, 1])]])
    >>> cells = posterior.scores(["x0 AND x1"]).cells
    >>> rates = draw_part_rates(posterior, flat, cells, np.zeros(3, int), _native.Philox([1, 2]))
    >>> rates.shape, bool(np.isnan(rates[0, 0, 2]))
    ((3, 1, 3), True)
    """
    n_layers = functions.n_layers
    if posterior.simple:
        n_neg = posterior.n - posterior.n_pos
        drawn = draw_rates(
            posterior.effect, posterior.n_pos, n_neg, cells[index, 0, 1], n_layers[index] == 0,
            stream,
        )  # fmt: skip
        return np.stack([drawn.pi0, drawn.pi1], axis=1)[:, None, :]
    if posterior.n_classes > 2:
        shares = _dirichlet_parameters(cells, n_layers)[index]
        # Of each cell a distribution of its own.
        return _draw_shares(shares.reshape(-1, posterior.n_classes), stream).reshape(shares.shape)
    return _draw(posterior.effect, cells, n_layers, index, stream)


def _draw(
    effect: Effect,
    cells: Ints,
    n_layers: NDArray[np.integer],
    index: Ints,
    stream: _native.Philox,
) -> Floats:
    """Draw the rates of lists, or with strata."""
    if effect.prevalence is not None:
        shares = _dirichlet_parameters(cells, n_layers)[index]
        # Bayes' rule with P(positive) = ρ: docs/model.md, "Known prevalence", with a cell of
        # stratum and part in the place of "marked".
        cases, controls = (_draw_shares(shares[..., c], stream) for c in (0, 1))
        rho = effect.prevalence
        return rho * cases / (rho * cases + (1 - rho) * controls)
    alpha, beta = (x[index] for x in beta_parameters(effect, cells, n_layers))
    return _draw_betas(alpha, beta, stream)


def _draw_shares(parameters: Floats, stream: _native.Philox) -> Floats:
    """Draw from Dirichlet distributions by stick breaking.

    Of shape (n, n_strata, n_parts); NaN parameters, of cells that are not there, stay NaN.
    """
    a = parameters.reshape(len(parameters), -1)
    # Stick breaking: share j of what is left is Beta(a_j, a_{j+1} + a_{j+2} + …). The last share
    # takes all that is left, and cells that are not there take nothing.
    known = np.nan_to_num(a)
    after = np.cumsum(known[:, ::-1], axis=1)[:, ::-1] - known  # what comes later in the row
    broken = _draw_betas(np.where(after > 0, a, np.nan), after, stream)
    broken = np.where(np.isnan(a), 0.0, np.where(after > 0, broken, 1.0))
    left = np.cumprod(1 - broken, axis=1)
    shares = broken * np.concatenate([np.ones((len(a), 1)), left[:, :-1]], axis=1)
    return np.where(np.isnan(a), np.nan, shares).reshape(parameters.shape)


def _draw_betas(alpha: Floats, beta: Floats, stream: _native.Philox) -> Floats:
    """Draw one Beta variable for each pair of parameters; NaN where they are."""
    there = ~np.isnan(alpha)
    drawn = np.full(alpha.shape, np.nan)
    one = np.ones(int(there.sum()))
    # The core draws pairs; a Beta(1, 1) that is not used completes each pair.
    drawn[there], _ = _native.draw_beta_pairs(alpha[there], beta[there], one, one, False, stream)
    return drawn
