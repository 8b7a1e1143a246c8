"""What is known of the two rates: P(positive) where the function holds and where it does not."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

from .. import _native
from ..errors import ParameterError
from .parameters import Parameters


class Effect(Parameters):
    """Priors of the rates π0 (unmarked rows) and π1 (marked rows).

    Parameters
    ----------
    a0, b0 : float, default=1
        π0 ~ Beta(a0, b0).
    a1, b1 : float, default=1
        π1 ~ Beta(a1, b1).
    a, b : float, default=1
        Beta prior of the null function's single rate.
    ordered : bool, default=True
        Whether π0 <= π1 is known: the function marks those at higher risk.
    prevalence : float or None, default=None
        Share of positives in the population, when known. Rates and risks are then given for the
        population, by the retrospective form; functions are ranked as before.
    sampling : {"random", "case-control"}, default="random"
        How rows came into the table. Case-control rows need the prevalence.

    Examples
    --------
    >>> from bayesdnf import Effect
    >>> Effect(prevalence=0.01, sampling="case-control")
    Effect(prevalence=0.01, sampling='case-control')
    """

    def __init__(
        self,
        a0: float = 1,
        b0: float = 1,
        a1: float = 1,
        b1: float = 1,
        a: float = 1,
        b: float = 1,
        ordered: bool = True,
        prevalence: float | None = None,
        sampling: str = "random",
    ) -> None:
        self.a0 = a0
        self.b0 = b0
        self.a1 = a1
        self.b1 = b1
        self.a = a
        self.b = b
        self.ordered = ordered
        self.prevalence = prevalence
        self.sampling = sampling
        self._check()

    def _check(self) -> None:
        for name in ("a0", "b0", "a1", "b1", "a", "b"):
            value: Any = getattr(self, name)
            if not isinstance(value, Real) or not 0 < float(value) < math.inf:
                raise ParameterError.of(name, "Effect", "a finite number above 0", value)
        if not isinstance(self.ordered, bool):
            raise ParameterError.of("ordered", "Effect", "True or False", self.ordered)
        if self.prevalence is not None and not (
            isinstance(self.prevalence, Real) and 0 < float(self.prevalence) < 1
        ):
            raise ParameterError.of(
                "prevalence", "Effect", "between 0 and 1, both excluded, or None", self.prevalence
            )
        if self.sampling not in ("random", "case-control"):
            raise ParameterError.of(
                "sampling", "Effect", "'random' or 'case-control'", self.sampling
            )
        if self.sampling == "case-control" and self.prevalence is None:
            raise ParameterError(
                "The 'prevalence' parameter of Effect must be given when sampling='case-control': "
                "the share of cases in the table says nothing of the population. Got None instead."
            )

    def native(self) -> _native.Effect:
        """Return the core's copy of the settings that scores depend on."""
        return _native.Effect(self.a0, self.b0, self.a1, self.b1, self.a, self.b, self.ordered)
