"""Priors of the two rates: P(positive) if a function holds and if it does not."""

from __future__ import annotations

from typing import Any

from .. import _native
from ..checks import is_finite
from ..errors import ParameterError
from .parameters import Parameters

_LARGEST = 1e9  # of the Beta parameters: larger ones lose the digits of differences of log-gamma


class Effect(Parameters):
    """Priors of the rates π0 (unmarked rows) and π1 (marked rows).

    Parameters
    ----------
    a0, b0 : float, default=1
        π0 ~ Beta(a0, b0).
    a1, b1 : float, default=1
        π1 ~ Beta(a1, b1); in a list of layers, the rate of every part but the lowest.
    a, b : float, default=1
        Beta prior of the null function's single rate.
    ordered : bool or None, default=None
        Whether π0 <= π1 is assumed: marked rows have the higher risk. None means True for
        functions; it means False for lists of layers, with strata and for more than two classes,
        where True raises an error.
    pi0, pi1 : float or None, default=None
        Known rates, given together; the Beta priors of the pair are then not used.
        The null function keeps its own single rate.
    prevalence : float or None, default=None
        Known share of positives in the population. Rates and risks then refer to the population,
        computed from the retrospective likelihood; the ranking of functions does not change.
    sampling : {"random", "case-control"}, default="random"
        How the rows were sampled. "case-control" needs the prevalence.

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
        ordered: bool | None = None,
        prevalence: float | None = None,
        sampling: str = "random",
        pi0: float | None = None,
        pi1: float | None = None,
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
        self.pi0 = pi0
        self.pi1 = pi1
        self._check()

    def _check(self) -> None:
        for name in ("a0", "b0", "a1", "b1", "a", "b"):
            value: Any = getattr(self, name)
            if not is_finite(value) or not value > 0:
                raise ParameterError.of(name, "Effect", "a finite number above 0", value)
            if not 1 / _LARGEST <= value <= _LARGEST:
                must = f"from {1 / _LARGEST:g} to {_LARGEST:g}"
                raise ParameterError.of(name, "Effect", must, value)
        if self.ordered is not None and not isinstance(self.ordered, bool):
            raise ParameterError.of("ordered", "Effect", "True, False or None", self.ordered)
        self._check_known()
        if self.prevalence is not None and not (
            is_finite(self.prevalence) and 0 < self.prevalence < 1
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
                "the share of cases in the table is not that of the population. Got None instead."
            )

    @property
    def known(self) -> bool:
        """Whether both rates are given."""
        return self.pi0 is not None

    def _check_known(self) -> None:
        for name, other in (("pi0", self.pi1), ("pi1", self.pi0)):
            value: Any = getattr(self, name)
            if value is None and other is None:
                continue
            if not is_finite(value) or not 0 < value < 1:
                raise ParameterError.of(
                    name, "Effect", "between 0 and 1, both excluded; give both rates or none "
                    "(for rates of 0 and 1 there is smallest_function)", value,
                )  # fmt: skip
        if self.pi0 is None or self.pi1 is None:
            return
        if self.ordered is not False and self.pi0 > self.pi1:
            raise ParameterError.of("pi1", "Effect", "at least pi0 unless ordered=False", self.pi1)
        if self.prevalence is not None:
            raise ParameterError.of(
                "prevalence", "Effect", "None when rates are known", self.prevalence
            )

    def resolved(self, layers: int = 1, strata: int = 1, classes: int = 2) -> Effect:
        """Replace ``ordered=None`` by True or False for a number of layers, strata and classes.

        Raises
        ------
        ParameterError
            If a setting for two rates is used with more rates.

        Examples
        --------
        >>> from bayesdnf import Effect
        >>> Effect(a1=2).resolved(layers=4)
        Effect(a1=2, ordered=False)
        """
        if layers == 1 and strata == 1 and classes == 2:
            return self
        beyond = "more than one layer" if layers > 1 else "strata"
        if classes > 2:
            beyond = "more than two classes"
            self._refuse_beyond_two_classes()
        # With uniform rates the order factor of a rule that marks next to no row is 2 P(π0 <= π1),
        # about 2 (1 - π0) (docs/model.md, "Order"): above 1 where positives are rare. Every stratum
        # or part would multiply it in once more.
        if self.ordered:
            raise ParameterError(
                f"The 'ordered' parameter of Effect must be None or False with {beyond}: an order "
                f"between more than two rates would favour any rule over none, effect or not. "
                f"Got True instead."
            )
        if self.known:
            raise ParameterError(
                f"The 'pi0' and 'pi1' parameters of Effect must be None with {beyond}: two known "
                f"rates belong to one function. Got {self.pi0} and {self.pi1} instead."
            )
        if strata > 1 and self.sampling == "case-control":
            raise ParameterError(
                "The 'sampling' parameter of Effect must be 'random' with strata: cases and "
                "controls that are matched within strata do not say how common a stratum is. Got "
                "'case-control' instead."
            )
        return Effect(**{**self.get_params(), "ordered": False})

    @property
    def fits_classes(self) -> bool:
        """Whether it can be used with more than two classes."""
        try:
            self.resolved(classes=3)
        except ParameterError:
            return False
        return True

    def _refuse_beyond_two_classes(self) -> None:
        """Refuse settings that more than two classes do not have: other Betas, a prevalence."""
        for name in ("a0", "b0", "a1", "b1", "a", "b"):
            if getattr(self, name) != 1:
                raise ParameterError(
                    f"The '{name}' parameter of Effect must be 1 with more than two classes, whose "
                    f"shares are uniform a priori. Got {getattr(self, name)} instead."
                )
        if self.prevalence is not None:
            raise ParameterError(
                f"The 'prevalence' parameter of Effect must be None with more than two classes: "
                f"name one of them with positive=. Got {self.prevalence} instead."
            )

    def native(self) -> _native.Effect:
        """Return the core's copy of the settings that scores depend on."""
        # None is True here: where the order cannot be used, `resolved` has written False.
        ordered = self.ordered is not False
        return _native.Effect(
            self.a0, self.b0, self.a1, self.b1, self.a, self.b, ordered, self.pi0, self.pi1
        )
