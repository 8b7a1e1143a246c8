"""Interaction or additive effects: a term compared with other models of its variants.

All models are compared on the samples whose calls at the term's variants are known, each by its
Bayes factor against its own null model. Strata have their own rates or intercepts.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...boolean import Literal
from ...boolean.literal import comparison, satisfies
from ...model.effect import Effect
from ..genotypes import Genotypes

Floats = NDArray[np.float64]

_INTERCEPT = 10.0  # standard deviation of an intercept, on the logit scale
_SLOPE = 1.0  # standard deviation of the log odds ratio per copy
_STEPS = 100
_CLEAR = 3.0  # nats; a Bayes factor of 20


@dataclass(frozen=True)
class Acting:
    """Log Bayes factors of a term's AND against simpler models of its variants.

    Parameters
    ----------
    alone : float
        Against the best of its literals alone.
    separate : float
        Against the OR of its literals.
    additive : float
        Against a logistic model additive in copies, with Normal(0, 1) log odds ratios per copy.
    half, twice : float
        The same with half and with twice that standard deviation.
    """

    alone: float
    separate: float
    additive: float
    half: float
    twice: float

    @property
    def words(self) -> str:
        """Describe the comparison in one phrase, for the column ``ACTS``."""
        scales = (self.half, self.additive, self.twice)
        # Require all scales of the slopes' prior to agree: the phrase must not depend on one.
        if max(scales) <= -_CLEAR:
            return f"additive explains it better, by {-self.additive:.0f} nats"
        if min(scales) < _CLEAR:
            return f"additive explains it as well ({self.additive:+.1f} nats)"
        if self.separate < _CLEAR:
            return f"separate terms explain it as well ({self.separate:+.1f} nats)"
        return f"acts together: {self.additive:.0f} nats over additive"


def acting(
    genotypes: Genotypes,
    y: NDArray[np.bool_],
    term: Sequence[Literal],
    strata: NDArray[np.intp] | None = None,
    effect: Effect | None = None,
) -> Acting | None:
    """Compare an AND with single literals, their OR and an additive model; None for one variant.

    Parameters
    ----------
    genotypes : Genotypes
        The calls.
    y : ndarray of bool
        Cases.
    term : sequence of Literal
        The AND.
    strata : ndarray of int, optional
        The stratum of each sample.
    effect : Effect, optional
        Beta priors of the rates; an order between the rates is ignored here.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.boolean import BooleanFunction
    >>> from bayesdnf.genomics import Genotypes
    >>> from bayesdnf.genomics.association.additive import acting
    >>> rng = np.random.default_rng(0)
    >>> calls = rng.binomial(2, 0.4, (2, 2000))
    >>> [term] = BooleanFunction.parse("v1_B dominant AND v2_B dominant").literal_terms
    >>> both = (calls >= 1).all(axis=0)
    >>> acting(Genotypes.from_copies(calls), rng.random(2000) < 0.2 + 0.4 * both, term).words
    'acts together: 64 nats over additive'
    >>> sums = 1 / (1 + np.exp(2 - 0.8 * calls.sum(axis=0)))
    >>> acting(Genotypes.from_copies(calls), rng.random(2000) < sums, term).words
    'additive explains it better, by 24 nats'
    """
    names = list(dict.fromkeys(x.attribute for x in term))
    if len(names) < 2:
        return None
    cells = _Cells.of(genotypes, y, names, strata)
    place = {name: i for i, name in enumerate(names)}
    holds = [
        np.array([satisfies(int(c[place[x.attribute]]), *comparison(x)) for c in cells.copies])
        for x in term
    ]
    rates = effect or Effect()
    together = cells.two_rates(np.logical_and.reduce(holds), rates)
    added = {scale: cells.additive(scale * _SLOPE) for scale in (0.5, 1.0, 2.0)}
    return Acting(
        alone=together - max(cells.two_rates(own, rates) for own in holds),
        # The OR of the literals: each literal is one term.
        separate=together - cells.two_rates(np.logical_or.reduce(holds), rates),
        additive=together - added[1.0],
        half=together - added[0.5],
        twice=together - added[2.0],
    )


@dataclass(frozen=True)
class _Cells:
    """Samples by stratum and by the copies of some variants."""

    copies: NDArray[np.int64]  # (n_cells, n_variants)
    cases: Floats  # (n_strata, n_cells)
    total: Floats

    @classmethod
    def of(
        cls,
        genotypes: Genotypes,
        y: NDArray[np.bool_],
        names: Sequence[str],
        strata: NDArray[np.intp] | None,
    ) -> _Cells:
        calls = genotypes.copies([genotypes.place[name] for name in names])
        # All models use the same samples, because evidence is comparable on equal data only.
        known = (calls >= 0).all(axis=0)
        number = np.zeros(len(y), dtype=np.intp) if strata is None else strata
        copies, cell = np.unique(calls[:, known], axis=1, return_inverse=True)
        shape = (int(number.max()) + 1, copies.shape[1])
        # Binomial counts: samples of one stratum with the same copies form one cell.
        place = np.ravel_multi_index((number[known], cell.ravel()), shape)
        size = shape[0] * shape[1]
        cases, total = (
            np.asarray(np.bincount(place, w, size), dtype=np.float64).reshape(shape)
            for w in (y[known].astype(np.float64), np.ones(int(known.sum())))
        )
        return cls(copies.T.astype(np.int64), cases, total)

    def two_rates(self, marked: NDArray[np.bool_], effect: Effect) -> float:
        """Return the log Bayes factor of two rates in each stratum against one rate."""
        from scipy.special import betaln

        e, controls = effect, self.total - self.cases

        def part(some: NDArray[np.bool_], a: float, b: float) -> float:
            x, n = self.cases[:, some].sum(axis=1), controls[:, some].sum(axis=1)
            return float((betaln(a + x, b + n) - betaln(a, b)).sum())

        # Against its own null model, so that the priors of base rates (Beta here, normal intercepts
        # in ``additive``) nearly cancel.
        null = part(np.ones_like(marked), e.a, e.b)
        return part(marked, e.a1, e.b1) + part(~marked, e.a0, e.b0) - null

    def additive(self, scale: float) -> float:
        """Return the log Bayes factor of an additive logistic model against intercepts only."""
        n_strata = len(self.cases)
        ones = np.repeat(np.eye(n_strata), len(self.copies), axis=0)
        slopes = np.tile(self.copies.astype(np.float64), (n_strata, 1))
        spread = np.array([_INTERCEPT] * n_strata + [scale] * slopes.shape[1])
        cases, total = self.cases.ravel(), self.total.ravel()
        return log_evidence(np.hstack([ones, slopes]), cases, total, spread) - log_evidence(
            ones, cases, total, spread[:n_strata]
        )


def log_evidence(X: Floats, cases: Floats, total: Floats, spread: Floats) -> float:
    """Return the log evidence of a logistic model with Normal(0, spread²) priors, by Laplace.

    Parameters
    ----------
    X : ndarray of shape (n_cells, n_coefficients)
        Design matrix.
    cases, total : ndarray of shape (n_cells,)
        Cases and samples of each cell.
    spread : ndarray of shape (n_coefficients,)
        Standard deviations of the coefficients.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.genomics.association.additive import log_evidence
    >>> one = np.ones((1, 1))
    >>> value = log_evidence(one, np.array([40.0]), np.array([100.0]), np.array([10.0]))
    >>> grid = np.linspace(-8, 8, 20001)
    >>> logs = 40 * grid - 100 * np.log1p(np.exp(grid)) - grid**2 / 200
    >>> exact = np.log(np.exp(logs).sum() * (grid[1] - grid[0]) / np.sqrt(200 * np.pi))
    >>> bool(abs(value - exact) < 0.01)
    True
    """
    beta = np.zeros(X.shape[1])
    precision = 1 / spread**2

    def surface(b: Floats) -> tuple[float, Floats, Floats]:
        # Log likelihood Σ [cases η - total ln(1 + e^η)] over cells; logaddexp does not overflow.
        eta = X @ b
        value = cases @ eta - total @ np.logaddexp(0, eta) - 0.5 * precision @ b**2
        # The logistic function by tanh, which does not overflow.
        rate = 0.5 * (1 + np.tanh(eta / 2))
        slope = X.T @ (cases - total * rate) - precision * b
        curve = X.T @ ((total * rate * (1 - rate))[:, None] * X) + np.diag(precision)
        return float(value), slope, curve

    # The log posterior is strictly concave: Newton's method with step halving converges to its only
    # maximum.
    value, slope, curve = surface(beta)
    for _ in range(_STEPS):
        step = np.linalg.solve(curve, slope)
        for shrink in itertools.accumulate(itertools.repeat(0.5, 40), lambda x, y: x * y):
            found = surface(beta + 2 * shrink * step)
            # Accept equality up to rounding: at the maximum no step increases the value.
            if found[0] >= value - 1e-12 * abs(value):
                break
        beta, (value, slope, curve) = beta + 2 * shrink * step, found
        if np.abs(step).max() < 1e-9:
            break
    _, log_determinant = np.linalg.slogdet(curve)
    # Laplace: ln Z ≈ ln likelihood + ln prior + (d/2) ln 2π - ½ ln |H| at the mode. The 2π cancels
    # with that of the d normal priors.
    return value - float(np.log(spread).sum()) - 0.5 * float(log_determinant)
