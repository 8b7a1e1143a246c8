"""Adjustment of a study for structure, and the inflation that remains in its tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...display.wording import listed
from ...errors import InputError
from ..genotypes import Genotypes
from ..quality.structure import independent_variants, principal_components
from .confounding import RiskStrata, risk_strata
from .single_tests import Inflation, trend_statistics

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]

_INFLATED = 1.05  # lower limit of λ from which tests count as inflated


@dataclass(frozen=True, eq=False)
class Adjustment:
    """Covariates and strata of an analysis, and the genomic inflation of its tests.

    Parameters
    ----------
    covariates : DataFrame or None
        Those of the study and its principal components.
    strata : RiskStrata or None
        None where there is one stratum only.
    statistics : ndarray of float
        χ² of every variant (trend test), nothing adjusted.
    stratified : ndarray of float or None
        The same within strata (Cochran, Mantel and Haenszel).
    inflation : Inflation
        Of the first, on unlinked variants.
    stratified_inflation : Inflation or None
        Of the second.
    history : tuple of str
        What was done, one sentence each.
    """

    covariates: pd.DataFrame | None
    strata: RiskStrata | None
    statistics: Floats
    stratified: Floats | None
    inflation: Inflation
    stratified_inflation: Inflation | None
    history: tuple[str, ...]

    @property
    def numbers(self) -> NDArray[np.intp] | None:
        """The stratum of each sample, or None."""
        return None if self.strata is None else self.strata.number

    @property
    def masks(self) -> list[NDArray[np.bool_]] | None:
        """The samples of each stratum, or None."""
        return None if self.strata is None else self.strata.masks()

    @property
    def inflated(self) -> bool:
        """Whether tests are inflated beyond chance, strata taken into account."""
        return bool((self.stratified_inflation or self.inflation).low > _INFLATED)

    @property
    def verdict(self) -> str:
        """Interpretation of the inflation, in one or two sentences."""
        plain = f"Genomic inflation λ is {self.inflation}"
        if self.stratified_inflation is None or self.strata is None:
            if not self.inflated:
                return f"{plain}; no sign of structure."
            return (
                f"{plain}. Tests are inflated: ancestry, relatives, or many small effects "
                "(polygenicity) may explain the associations below. "
                "Adjust for principal components, covariates or strata, and leave out relatives."
            )
        told = f"{plain}; within {len(self.strata)} strata {self.stratified_inflation}"
        if not self.inflated:
            return f"{told}; no sign of structure is left."
        return (
            f"{told}. Tests are still inflated: structure that the strata do not capture, "
            "relatives (which strata do not correct), or many small effects (polygenicity)."
        )


def adjust(
    genotypes: Genotypes,
    y: NDArray[np.bool_],
    covariates: pd.DataFrame | None = None,
    *,
    components: int = 0,
    columns: Sequence[str] = (),
    by_risk: bool = True,
    build: str | None = None,
) -> Adjustment:
    """Make strata of covariates and principal components, and measure inflation.

    Parameters
    ----------
    genotypes : Genotypes
        The calls.
    y : ndarray of bool
        Cases.
    covariates : DataFrame, optional
        A row for each sample.
    components : int, default=0
        Principal components to add to the covariates.
    columns : sequence of str
        Covariates whose every value is a stratum of its own.
    by_risk : bool, default=True
        Whether the other covariates and the components make strata, by :func:`risk_strata`.
    build : str, optional
        Genome build, for regions of long-range linkage that components leave out.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.genomics import Genotypes
    >>> from bayesdnf.genomics.association.adjustment import adjust
    >>> rng = np.random.default_rng(0)
    >>> calls = Genotypes.from_copies(rng.binomial(2, 0.3, (300, 200)))
    >>> calls.variants["POS"] *= 1_000_000
    >>> print(adjust(calls, rng.random(200) < 0.5).verdict)
    Genomic inflation λ is ...; no sign of structure.
    """
    import pandas as pd

    known = [] if covariates is None else [str(c) for c in covariates]
    absent = [c for c in columns if c not in known]
    if absent:
        what = f"they have {listed(known, 5, show=str)}" if known else "there are none"
        raise InputError(f"The covariates have no column {absent[0]!r} for strata; {what}.")
    history: list[str] = []
    unlinked = independent_variants(genotypes)
    every = covariates
    if components:
        found = principal_components(genotypes, components, among=unlinked, build=build)
        history.append(found.sentence)
        parts = [] if covariates is None else [covariates.reset_index(drop=True)]
        every = pd.concat([*parts, found.scores.reset_index(drop=True)], axis=1)
    strata = None
    others = None if every is None else every.drop(columns=list(columns))
    if every is not None and (columns or (by_risk and others is not None and others.shape[1])):
        made = risk_strata(
            y, others if by_risk else None, every[list(columns)] if columns else None
        )
        history.append(made.sentence)
        strata = made if len(made) > 1 else None
    if every is not None and columns:  # in regressions their values are levels, not numbers
        every = every.assign(**{c: every[c].astype(str) for c in columns})
    counts = int(y.sum()), int((~y).sum())
    statistics = trend_statistics(genotypes, y)
    within = None if strata is None else trend_statistics(genotypes, y, strata.masks())
    made_of = None if within is None else Inflation.of(within[unlinked], *counts)
    # λ is a median over independent tests: linked variants would count one locus many times.
    inflation = Inflation.of(statistics[unlinked], *counts)
    return Adjustment(every, strata, statistics, within, inflation, made_of, tuple(history))
