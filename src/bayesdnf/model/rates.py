"""Posterior of the two rates given a function: exact, ordered or not, sample or population."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import _native
from ..errors import ParameterError
from .effect import Effect

Floats = NDArray[np.float64]
_MOST_SUMMED = 10**6  # terms of a sum over whole numbers


class Counts(NamedTuple):
    """The four integers that a likelihood depends on."""

    n: int
    n_pos: int
    n_marked: int
    n_both: int


class RateDraws(NamedTuple):
    """Draws of π0, π1 and, with a known prevalence, of θ = P(marked) in the population."""

    pi0: Floats
    pi1: Floats
    theta: Floats | None


class Interval(NamedTuple):
    """A mean with the bounds of a central credible interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class _BetaPair:
    """Two independent Beta variables, or that pair conditioned on first <= second."""

    alpha0: float
    beta0: float
    alpha1: float
    beta1: float
    ordered: bool

    def _log_order(self, up0: int = 0, up1: int = 0) -> float:
        return _native.log_order_probability(
            self.alpha0 + up0, self.beta0, self.alpha1 + up1, self.beta1
        )

    def means(self) -> tuple[float, float]:
        mean0 = self.alpha0 / (self.alpha0 + self.beta0)
        mean1 = self.alpha1 / (self.alpha1 + self.beta1)
        if not self.ordered:
            return mean0, mean1
        # x Beta(x; α, β) = α / (α + β) Beta(x; α + 1, β), so E[X; X <= Y] is E[X] times the
        # probability of the order with α0 + 1; E[Y; X <= Y] likewise with α1 + 1.
        order = self._log_order()
        return (
            float(mean0 * np.exp(self._log_order(up0=1) - order)),
            float(mean1 * np.exp(self._log_order(up1=1) - order)),
        )

    def quantiles(self, probabilities: Floats) -> tuple[Floats, Floats]:
        from scipy.special import betaincinv

        if not self.ordered:
            return (
                betaincinv(self.alpha0, self.beta0, probabilities),
                betaincinv(self.alpha1, self.beta1, probabilities),
            )
        second = _ordered_upper_quantiles(
            self.alpha0, self.beta0, self.alpha1, self.beta1, probabilities
        )
        # X given X <= Y is 1 - V, with V = 1 - X the upper one of the pair 1 - Y <= 1 - X. The
        # complement of a Beta(α, β) variable is Beta(β, α).
        first = 1 - _ordered_upper_quantiles(
            self.beta1, self.alpha1, self.beta0, self.alpha0, 1 - probabilities
        )
        return first, second

    def sample(self, size: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        if not self.ordered:
            return (
                rng.beta(self.alpha0, self.beta0, size),
                rng.beta(self.alpha1, self.beta1, size),
            )
        whole = self.alpha1 == int(self.alpha1) and self.beta1 == int(self.beta1)
        if whole and self.alpha1 <= _MOST_SUMMED:
            return self._sample_whole(size, rng)
        # Rejection needs 1 / P(order) pairs on average, inversion one quadrature.
        if self._log_order() < np.log(0.01):
            return self._sample_inverse(size, rng)
        return self._sample_rejecting(size, rng)

    def _sample_whole(self, size: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Draw an ordered pair, Y having whole parameters, by order statistics of uniforms."""
        from scipy.special import betaln, gammaln

        # Y ~ Beta(α1, β1) with whole parameters is the α1-th smallest of n = α1 + β1 - 1 uniforms,
        # so X <= Y means that fewer than α1 of them lie below X. Given X, their number is
        # binomial; with X integrated out, beta-binomial. Drawing it first makes the order hold by
        # construction, without rejection.
        n = self.alpha1 + self.beta1 - 1
        i = np.arange(int(self.alpha1), dtype=np.float64)
        logs = (
            gammaln(n + 1)
            - gammaln(i + 1)
            - gammaln(n - i + 1)
            + betaln(i + self.alpha0, n - i + self.beta0)
        )
        weights = np.exp(logs - logs.max())
        below = rng.choice(i, size=size, p=weights / weights.sum())
        # Given that i uniforms lie below X, X is a Beta updated by i of n, and Y is an order
        # statistic of the n - i uniforms on (X, 1).
        first = rng.beta(self.alpha0 + below, self.beta0 + n - below)
        return first, first + (1 - first) * rng.beta(self.alpha1 - below, self.beta1)

    def _sample_rejecting(self, size: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        kept: list[Floats] = [np.empty((0, 2))]
        while sum(len(k) for k in kept) < size:
            pair = np.stack(
                [rng.beta(self.alpha0, self.beta0, size), rng.beta(self.alpha1, self.beta1, size)],
                axis=1,
            )
            kept.append(pair[pair[:, 0] <= pair[:, 1]])
        pairs = np.concatenate(kept)[:size]
        return pairs[:, 0], pairs[:, 1]

    def _sample_inverse(self, size: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        from scipy.special import betainc, betaincinv

        second = _ordered_upper_quantiles(
            self.alpha0, self.beta0, self.alpha1, self.beta1, rng.random(size)
        )
        # Given Y, X is its Beta truncated to [0, Y]: invert its distribution function on that
        # part.
        room = betainc(self.alpha0, self.beta0, second)
        return betaincinv(self.alpha0, self.beta0, rng.random(size) * room), second


def _ordered_upper_quantiles(
    alpha0: float, beta0: float, alpha1: float, beta1: float, probabilities: Floats
) -> Floats:
    """Invert the distribution of Y given X <= Y: the density of Y times the cdf of X."""
    from scipy.integrate import cumulative_simpson
    from scipy.interpolate import PchipInterpolator

    def log_density(t: Floats) -> Floats:
        # The density in t = logit x has exponents α and β, not α - 1 and β - 1: dx = x (1 - x) dt.
        # It is smooth and bounded even where the density in x is infinite at 0 or 1.
        log_x, log_1mx = -np.log1p(np.exp(-t)), -np.log1p(np.exp(t))
        return np.asarray(
            alpha1 * log_x + beta1 * log_1mx + _native.log_beta_cdf(t, alpha0, beta0),
            dtype=np.float64,
        )

    # In logit x: a coarse look for where the mass is, then a fine grid on just that stretch.
    # e^700 is still finite in float64; what is 45 nats below the peak is lost in rounding.
    t = np.linspace(-700, 700, 14001)
    # Each look cuts to what is within 45 nats of the peak, so the third grid is fine also where the
    # mass is narrow in logit x.
    for _ in range(3):
        logs = log_density(t)
        near = np.flatnonzero(logs > logs.max() - 45)
        first, last = max(near[0] - 1, 0), min(near[-1] + 1, len(t) - 1)
        t = np.linspace(t[first], t[last], 4001)
    logs = log_density(t)
    mass = cumulative_simpson(np.exp(logs - logs.max()), x=t, initial=0)
    # The interpolation from mass to t needs strictly rising mass; in the flat tails it is equal to
    # machine precision.
    mass, kept = np.unique(mass, return_index=True)
    where = PchipInterpolator(mass, t[kept])(probabilities * mass[-1])
    return np.asarray(1 / (1 + np.exp(-where)), dtype=np.float64)


def draw_rates(
    effect: Effect,
    n_pos: int,
    n_neg: int,
    marked: NDArray[np.int64],
    is_null: NDArray[np.bool_],
    stream: _native.Philox,
) -> RateDraws:
    """Draw the rates once for each of many functions, given what each of them marks.

    Parameters
    ----------
    effect : Effect
        Priors of the rates.
    n_pos, n_neg : int
        Positives and negatives of the table.
    marked : ndarray of shape (n, 2)
        Marked positives and marked negatives.
    is_null : ndarray of bool
        Whether it is the null function.
    stream : Philox
        The random stream.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf import Effect, _native
    >>> from bayesdnf.model.rates import draw_rates
    >>> marked = np.array([[40, 5], [0, 0]])
    >>> drawn = draw_rates(
    ...     Effect(), 50, 50, marked, np.array([False, True]), _native.Philox([1, 2])
    ... )
    >>> bool(drawn.pi0[0] < drawn.pi1[0]), bool(drawn.pi0[1] == drawn.pi1[1])
    (True, True)
    """
    both, false_marks = marked[:, 0], marked[:, 1]
    ordered = effect.ordered is not False
    rho = effect.prevalence
    if effect.known:
        drawn = _known(effect, len(both))
        return _with_null(drawn, effect, n_pos, n_neg, is_null, stream)
    a0, b0, a1, b1 = (
        x.astype(np.float64)
        for x in _pair_parameters(effect, n_pos + n_neg, n_pos, both + false_marks, both)
    )
    first, second = _native.draw_beta_pairs(a0, b0, a1, b1, ordered, stream)
    missed = np.flatnonzero(np.isnan(first))  # too improbable for rejection
    if len(missed):
        # Seeded by the stream, so that these draws too depend on nothing but its key and its place.
        rng = np.random.default_rng([int(x) for x in stream.raw(2)])
        for i in missed:
            pair = _BetaPair(float(a0[i]), float(b0[i]), float(a1[i]), float(b1[i]), ordered)
            (first[i],), (second[i],) = pair.sample(1, rng)
    drawn = _on_scale(first, second, rho)
    return _with_null(drawn, effect, n_pos, n_neg, is_null, stream)


def _known(effect: Effect, size: int) -> RateDraws:
    return RateDraws(np.full(size, effect.pi0, float), np.full(size, effect.pi1, float), None)


def _with_null(
    drawn: RateDraws,
    effect: Effect,
    n_pos: int,
    n_neg: int,
    is_null: NDArray[np.bool_],
    stream: _native.Philox,
) -> RateDraws:
    """Replace both rates of null functions by their single rate."""
    if not is_null.any():
        return drawn
    size = len(is_null)
    if effect.prevalence is None:
        a, b = np.full(size, float(n_pos + effect.a)), np.full(size, float(n_neg + effect.b))
        rate, _ = _native.draw_beta_pairs(a, b, a, b, False, stream)
    else:
        # The null function marks no row: θ = 0 and ρ = π1 θ + π0 (1 - θ) = π0, so its single rate
        # is the known prevalence.
        rate = np.full(size, float(effect.prevalence))
    return RateDraws(
        np.where(is_null, rate, drawn.pi0),
        np.where(is_null, rate, drawn.pi1),
        None if drawn.theta is None else np.where(is_null, 0.0, drawn.theta),
    )


def _pair_parameters(effect: Effect, n: Any, n_pos: Any, n_marked: Any, n_both: Any) -> Any:
    """Return the Beta parameters of (π0, π1), or of (θ0, θ1) with a known prevalence."""
    # Section "Known prevalence" of docs/model.md: with a prevalence the pair is θ0 = P(marked |
    # negative) and θ1 = P(marked | positive), both uniform a priori.
    others = n - n_marked - n_pos + n_both
    if effect.prevalence is not None:
        # θ0 <= θ1 exactly where π0 <= π1 (compare the odds θ1 / (1 - θ1) and θ0 / (1 - θ0)), so
        # that the order is kept by the same condition on this pair.
        return 1 + n_marked - n_both, 1 + others, 1 + n_both, 1 + n_pos - n_both
    return (
        effect.a0 + n_pos - n_both,
        effect.b0 + others,
        effect.a1 + n_both,
        effect.b1 + n_marked - n_both,
    )


def _on_scale(first: Floats, second: Floats, rho: float | None) -> RateDraws:
    """Convert draws of the pair to rates; with a prevalence, to those of the population."""
    if rho is None:
        return RateDraws(first, second, None)
    # Bayes' rule with P(positive) = ρ; θ is the share of the population that the function marks.
    theta = rho * second + (1 - rho) * first
    return RateDraws(
        pi0=rho * (1 - second) / (rho * (1 - second) + (1 - rho) * (1 - first)),
        pi1=rho * second / theta,
        theta=theta,
    )


class Rates:
    """Posterior of π0 and π1 given one function's counts.

    With a known prevalence ρ both are on the population's scale, by the retrospective form:
    P(marked | positive) and P(marked | negative) have Beta posteriors and π0, π1 and
    θ = P(marked) follow from them and ρ. Otherwise they are two Betas, conditioned on π0 <= π1
    when the effect is ordered. For the null function both are its single rate.

    Made by :meth:`Posterior.rates`.
    """

    # π1 = ρ θ1 / θ is a ratio of sums of Betas, whose quantiles have no closed form: they are those
    # of so many draws, with a fixed seed, so that equal counts have equal intervals.
    _POPULATION_DRAWS = 100_000

    def __init__(self, counts: Counts, effect: Effect, null: bool = False) -> None:
        self.counts = counts
        self.effect = effect
        self.null = null
        a0, b0, a1, b1 = _pair_parameters(effect, *counts)
        self._pair = _BetaPair(a0, b0, a1, b1, effect.ordered is not False)

    def sample(self, size: int, random_state: int | np.random.Generator | None = None) -> RateDraws:
        """Draw from the joint posterior of the rates."""
        rng = np.random.default_rng(random_state)
        rho = self.effect.prevalence
        if self.effect.known and not self.null:
            return _known(self.effect, size)
        if self.null:
            rate = self._null_sample(size, rng)
            return RateDraws(rate, rate, None if rho is None else np.zeros(size))
        return _on_scale(*self._pair.sample(size, rng), rho)

    def _null_sample(self, size: int, rng: np.random.Generator) -> Floats:
        if self.effect.prevalence is not None:
            return np.full(size, float(self.effect.prevalence))
        n, n_pos = self.counts.n, self.counts.n_pos
        return rng.beta(self.effect.a + n_pos, self.effect.b + n - n_pos, size)

    def summary(self, level: float = 0.95) -> tuple[Interval, Interval]:
        """Return the means and central credible intervals of π0 and π1.

        Exact, except with a known prevalence, where they come from 100,000 draws of one fixed
        stream.
        """
        if not 0 < level < 1:
            raise ParameterError.of("level", "Rates.summary", "between 0 and 1", level)
        ends = np.array([(1 - level) / 2, (1 + level) / 2])
        rho = self.effect.prevalence
        if self.null:
            one = self._null_interval(ends)
            return one, one
        if self.effect.known:
            pi0, pi1 = float(self.effect.pi0 or 0), float(self.effect.pi1 or 0)
            return Interval(pi0, pi0, pi0), Interval(pi1, pi1, pi1)
        if rho is not None:
            draws = self.sample(self._POPULATION_DRAWS, 0)
            return (
                Interval(float(draws.pi0.mean()), *map(float, np.quantile(draws.pi0, ends))),
                Interval(float(draws.pi1.mean()), *map(float, np.quantile(draws.pi1, ends))),
            )
        means, quantiles = self._pair.means(), self._pair.quantiles(ends)
        return (
            Interval(means[0], float(quantiles[0][0]), float(quantiles[0][1])),
            Interval(means[1], float(quantiles[1][0]), float(quantiles[1][1])),
        )

    def _null_interval(self, ends: Floats) -> Interval:
        from scipy.special import betaincinv

        if self.effect.prevalence is not None:
            return Interval(*(float(self.effect.prevalence),) * 3)
        a = self.effect.a + self.counts.n_pos
        b = self.effect.b + self.counts.n - self.counts.n_pos
        low, high = betaincinv(a, b, ends)
        return Interval(a / (a + b), float(low), float(high))


def jeffreys(positives: int, rows: int, level: float = 0.95) -> tuple[float, float, float]:
    """Return the share of positives and its Jeffreys interval, from Beta(1/2, 1/2) and counts.

    Parameters
    ----------
    positives, rows : int
        Positive rows among how many.
    level : float, default=0.95
        Probability of the interval.

    Returns
    -------
    tuple of float
        The share (NaN of no rows), and the lower and the upper end of its interval.

    Notes
    -----
    Where no row or every row is positive the interval reaches 0 or 1, so that it always holds
    the share itself.

    Examples
    --------
    >>> from bayesdnf.model.rates import jeffreys
    >>> [round(x, 3) for x in jeffreys(9, 10)]
    [0.9, 0.619, 0.989]
    """
    from scipy.special import betaincinv

    if rows == 0:
        return float("nan"), 0.0, 1.0
    ends = np.array([(1 - level) / 2, (1 + level) / 2])
    low, high = betaincinv(positives + 0.5, rows - positives + 0.5, ends)
    return (
        positives / rows,
        0.0 if positives == 0 else float(low),
        1.0 if positives == rows else float(high),
    )
