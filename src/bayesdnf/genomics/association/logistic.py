"""Logistic regression by maximum likelihood, or with Firth's penalty under separation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_STEPS = 100  # maximum number of Newton steps; under separation they do not converge
_CLOSE = 1e-8  # convergence tolerance: largest change of a coefficient
_RUNAWAY = 15.0
"""A standard error this large, for columns of ordinary scale, is that of an infinite estimate."""


@dataclass(frozen=True, eq=False)
class LogisticFit:
    """A fitted model.

    Parameters
    ----------
    beta, error : ndarray of float
        Coefficients and their standard errors.
    log_likelihood : float
        The log likelihood, with the penalty if there is one.
    converged : bool
        Whether Newton's method converged.
    """

    beta: Floats
    error: Floats
    log_likelihood: float
    converged: bool


def fit_logistic(X: Floats, y: NDArray[np.bool_]) -> LogisticFit | None:
    """Maximise the likelihood by Newton's method; return None if there is no maximum.

    There is none if a combination of columns separates cases from controls (Albert and Anderson
    1984): coefficients then diverge, and standard errors faster. Columns should have a scale of
    about 1, as indicators and standardised covariates do.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.genomics.association.logistic import fit_logistic
    >>> X = np.array([[1, 0]] * 40 + [[1, 1]] * 40, dtype=float)
    >>> y = np.arange(80) % 40 < np.repeat([10, 20], 40)
    >>> fit_logistic(X, y).beta.round(4)  # log(10 / 30), log(20 / 20) - log(10 / 30)
    array([-1.0986,  1.0986])
    """
    fit = _climb(X, y, penalised=False)
    sound = fit.converged and bool((fit.error < _RUNAWAY).all())
    return fit if sound else None


def fit_firth(X: Floats, y: NDArray[np.bool_]) -> LogisticFit:
    """Maximise the penalised likelihood L(β) |I(β)|^½ (Firth 1993).

    The estimates are finite even under separation (Heinze and Schemper 2002).

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.genomics.association.logistic import fit_firth
    >>> fit = fit_firth(np.ones((10, 1)), np.zeros(10, dtype=bool))
    >>> fit.beta.round(4)  # as if half a case and half a control had been added
    array([-3.0445])
    """
    return _climb(X, y, penalised=True)


def firth_interval(
    X: Floats, y: NDArray[np.bool_], fit: LogisticFit, column: int, drop: float
) -> tuple[float, float]:
    """Return where the penalised profile log likelihood is at most ``drop`` below its maximum."""
    from scipy.optimize import brentq

    rest = [j for j in range(X.shape[1]) if j != column]

    def fallen(value: float) -> float:
        start = fit.beta.copy()
        start[column] = value
        # The penalty is that of all columns; only the other coefficients are maximised over
        # (Heinze and Schemper 2002).
        profile = _climb(X, y, penalised=True, free=rest, start=start)
        return fit.log_likelihood - profile.log_likelihood - drop

    ends = []
    for direction in (-1.0, 1.0):
        # Bracket the end of the interval: double the reach until the likelihood has fallen enough.
        reach = max(fit.error[column], 0.1)
        while fallen(fit.beta[column] + direction * reach) < 0:
            reach *= 2
            if reach > 1e3:  # the profile is flat: the interval has no end on this side
                reach = np.inf
                break
        if np.isinf(reach):
            ends.append(direction * np.inf)
        else:
            far = fit.beta[column] + direction * reach
            ends.append(float(brentq(fallen, fit.beta[column], far, xtol=1e-6)))
    return ends[0], ends[1]


def firth_test(X: Floats, y: NDArray[np.bool_], fit: LogisticFit, column: int) -> float:
    """Return the p-value of the penalised likelihood ratio test that a coefficient is 0."""
    from scipy.special import chdtrc

    rest = [j for j in range(X.shape[1]) if j != column]
    start = fit.beta.copy()
    start[column] = 0
    none = _climb(X, y, penalised=True, free=rest, start=start)
    return float(chdtrc(1, max(0.0, 2 * (fit.log_likelihood - none.log_likelihood))))


def _climb(
    X: Floats,
    y: NDArray[np.bool_],
    *,
    penalised: bool,
    free: Sequence[int] | None = None,
    start: Floats | None = None,
) -> LogisticFit:
    """Run Newton's method on the free coefficients, with step halving."""
    moves = np.arange(X.shape[1]) if free is None else np.asarray(free, dtype=np.intp)
    beta = np.zeros(X.shape[1]) if start is None else start
    value, slope, curve, information = _surface(X, y, beta, penalised)
    converged = not len(moves)
    for _ in range(_STEPS if len(moves) else 0):
        try:
            step = np.linalg.solve(curve[np.ix_(moves, moves)], slope[moves])
        except np.linalg.LinAlgError:
            break
        largest = np.abs(step).max()
        if not np.isfinite(largest):
            break
        if largest > 5:  # far from the maximum the quadratic approximation is poor
            step *= 5 / largest
        for _ in range(30):
            trial = beta.copy()
            trial[moves] += step
            found = _surface(X, y, trial, penalised)
            if found[0] >= value - 1e-12 * abs(value):  # accept equality up to rounding
                break
            step = step / 2
        gain = found[0] - value
        beta, (value, slope, curve, information) = trial, found
        if np.abs(step).max() < _CLOSE or (
            abs(gain) < 1e-13 * max(1, abs(value)) and np.abs(slope[moves]).max() < 1e-6
        ):
            converged = True
            break
    with np.errstate(invalid="ignore"):
        try:
            # Standard errors are from the unpenalised information, for Firth's fit too (Heinze and
            # Schemper 2002).
            error = np.sqrt(np.diag(np.linalg.inv(information)))
        except np.linalg.LinAlgError:
            error = np.full(len(beta), np.inf)
    return LogisticFit(beta, error, value, converged)


def _surface(
    X: Floats, y: NDArray[np.bool_], beta: Floats, penalised: bool
) -> tuple[float, Floats, Floats, Floats]:
    """Return the log likelihood at beta, its gradient, the Newton matrix, and the information.

    Firth's score is Σ [y - p + h (½ - p)] x, that of data to which each row of leverage h is added
    with weight h as half a case and half a control; the Newton matrix holds h fixed.
    """
    eta = X @ beta
    # -ln(1 + exp(∓η)) by logaddexp and the logistic function by tanh do not overflow.
    value = float(-np.logaddexp(0, np.where(y, -eta, eta)).sum())
    probability = 0.5 * (1 + np.tanh(eta / 2))
    weight = probability * (1 - probability)
    information = X.T @ (weight[:, None] * X)
    residual = y - probability
    if not penalised:
        return value, X.T @ residual, information, information
    sign, log_determinant = np.linalg.slogdet(information)
    if sign <= 0:
        return -np.inf, X.T @ residual, information, information
    # h is the diagonal of the hat matrix W^½ X I^-1 X' W^½, and the gradient of ½ ln |I| is
    # Σ h (½ - p) x.
    leverage = weight * np.einsum("ij,ij->i", X @ np.linalg.inv(information), X)
    residual = residual + leverage * (0.5 - probability)
    curve = X.T @ ((weight * (1 + leverage))[:, None] * X)
    return value + 0.5 * float(log_determinant), X.T @ residual, curve, information
