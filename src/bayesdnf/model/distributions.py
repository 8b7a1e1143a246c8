"""Distributions of the number of terms and of the number of literals in a term.

The native core gets each distribution as a table of log probabilities.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..checks import is_finite, is_whole, whole
from ..errors import ParameterError

Logs = NDArray[np.float64]


class Distribution(Protocol):
    """A distribution on 0, 1, 2, … as log probabilities; -inf without mass."""

    def log_table(self, largest: int) -> Logs:
        """Return the log weights of 0..largest, without renormalising them."""
        ...

    @property
    def truncates(self) -> bool:
        """Whether the prior renormalises it to 1..p as the size of a term."""
        ...


def _positive(owner: str, name: str, value: float) -> None:
    if isinstance(value, bool) or not is_finite(value) or not value > 0:
        raise ParameterError.of(name, owner, "a finite number above 0", value)


@dataclass(frozen=True)
class Poisson:
    """One more than a Poisson variable: k - 1 ~ Poisson(mean), on 1, 2, ….

    Parameters
    ----------
    mean : float
        The paper's θ; the expected number of literals beyond the first.
    truncate : bool, default=True
        Renormalise to what is possible (1..p for sizes); the paper's code does not.

    Examples
    --------
    >>> from bayesdnf import Poisson
    >>> import numpy as np
    >>> np.exp(Poisson(2).log_table(3)).round(4)
    array([0.    , 0.1353, 0.2707, 0.2707])
    """

    mean: float
    truncate: bool = True

    def __post_init__(self) -> None:
        _positive("Poisson", "mean", self.mean)

    @property
    def truncates(self) -> bool:
        """Whether the prior renormalises it as the size of a term."""
        return self.truncate

    def log_table(self, largest: int) -> Logs:
        """Return the log probabilities of 0..largest."""
        from scipy.special import gammaln

        k = np.arange(largest + 1, dtype=np.float64)
        # P(k) = θ^(k-1) e^-θ / (k-1)!, and gammaln(k) is log (k-1)!
        logs = (k - 1) * math.log(self.mean) - self.mean - gammaln(np.maximum(k, 1))
        logs[0] = -np.inf
        return np.asarray(logs, dtype=np.float64)


@dataclass(frozen=True)
class Geometric:
    """Geometric distribution on ``start``, ``start`` + 1, …: P = p (1 - p)^(m - start).

    Parameters
    ----------
    p : float
        Probability of stopping at each step, above 0 and below 1.
    start : int, default=1
        Smallest value; for the number of terms, 0 gives the null function prior mass.

    Examples
    --------
    >>> from bayesdnf import Geometric
    >>> import numpy as np
    >>> np.exp(Geometric(0.5, start=0).log_table(3))
    array([0.5   , 0.25  , 0.125 , 0.0625])
    """

    p: float
    start: int = 1

    def __post_init__(self) -> None:
        _positive("Geometric", "p", self.p)
        if self.p >= 1:
            raise ParameterError.of("p", "Geometric", "below 1", self.p)
        if not is_whole(self.start, 0, 1):
            raise ParameterError.of("start", "Geometric", "0 or 1", self.start)

    @property
    def truncates(self) -> bool:
        """Whether the prior renormalises it as the size of a term."""
        return True

    def log_table(self, largest: int) -> Logs:
        """Return the log probabilities of 0..largest."""
        steps = np.arange(largest + 1, dtype=np.float64) - self.start
        logs = math.log(self.p) + steps * math.log1p(-self.p)
        logs[steps < 0] = -np.inf
        return logs


@dataclass(frozen=True)
class Uniform:
    """Equal probability for every value from ``low`` to ``high``.

    Parameters
    ----------
    high : int or None, default=None
        Largest value. None means p, and is allowed for sizes only.
    low : int, default=1
        Smallest value.

    Examples
    --------
    >>> from bayesdnf import Uniform
    >>> import numpy as np
    >>> np.exp(Uniform(2).log_table(3))
    array([0. , 0.5, 0.5, 0. ])
    """

    high: int | None = None
    low: int = 1

    def __post_init__(self) -> None:
        whole("low", "Uniform", self.low, 0)
        if self.high is not None:
            whole("high", "Uniform", self.high, self.low)

    @property
    def truncates(self) -> bool:
        """Whether the prior renormalises it as the size of a term."""
        return True

    def log_table(self, largest: int) -> Logs:
        """Return the log probabilities of 0..largest."""
        high = largest if self.high is None else self.high
        logs = np.full(largest + 1, -np.inf)
        # Where `largest` is below `high`, the mass beyond is missing from the table: Prior
        # renormalises sizes, nothing here does.
        logs[self.low : high + 1] = -math.log(max(1, high - self.low + 1))
        return logs


@dataclass(frozen=True)
class Tabulated:
    """Any distribution, given by its weights of 0, 1, 2, …; other values have weight 0.

    Parameters
    ----------
    weights : sequence of float
        Non-negative weights of 0, 1, 2, …; they are divided by their sum.

    Examples
    --------
    No single-literal marker, two or three literals alike:

    >>> from bayesdnf import Tabulated
    >>> import numpy as np
    >>> np.exp(Tabulated([0, 0, 1, 1]).log_table(4))
    array([0. , 0. , 0.5, 0.5, 0. ])
    """

    weights: Sequence[float]

    def __post_init__(self) -> None:
        must = "numbers, none negative and not all 0"
        try:
            values = np.asarray(self.weights, dtype=np.float64)
        except (TypeError, ValueError):
            raise ParameterError.of("weights", "Tabulated", must, self.weights) from None
        usable = values.ndim == 1 and np.isfinite(values).all() and (values >= 0).all()
        if not usable or not values.sum() > 0:
            raise ParameterError.of("weights", "Tabulated", must, self.weights)
        object.__setattr__(self, "weights", tuple(values.tolist()))

    @property
    def truncates(self) -> bool:
        """Whether the prior renormalises it as the size of a term."""
        return True

    def log_table(self, largest: int) -> Logs:
        """Return the log probabilities of 0..largest."""
        # The sum is over all weights, those beyond `largest` included.
        values = np.zeros(max(largest + 1, len(self.weights)))
        values[: len(self.weights)] = self.weights
        with np.errstate(divide="ignore"):
            logs = np.log(values / values.sum())
        return np.asarray(logs[: largest + 1], dtype=np.float64)


@dataclass(frozen=True)
class Flat:
    """The same weight, 1, for every value from 1 on: non-informative, not a probability.

    Examples
    --------
    >>> from bayesdnf import Flat
    >>> Flat().log_table(2)
    array([-inf,   0.,   0.])
    """

    @property
    def truncates(self) -> bool:
        """Whether the prior renormalises it as the size of a term."""
        return False

    def log_table(self, largest: int) -> Logs:
        """Return the log weights of 0..largest."""
        logs = np.zeros(largest + 1)
        logs[0] = -np.inf
        return logs
