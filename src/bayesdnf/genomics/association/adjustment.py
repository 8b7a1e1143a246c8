"""Adjustment of a study for population structure, and genomic inflation of its tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...checks import whole
from ...display.wording import listed, percent, text_list
from ...errors import InputError, ParameterError
from ..chromosomes import canonical_chromosomes
from ..genotypes import Genotypes
from ..quality.missingness import unequal_shares
from ..quality.ploidy import sex_words, sexes
from ..quality.structure import independent_variants, principal_components
from .confounding import RiskStrata, risk_strata
from .single_tests import Inflation, trend_statistics

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]

_INFLATED = 1.05  # tests count as inflated if the lower limit of λ reaches this
_SEX = "SEX"
_SEX_P = 1e-3  # p-value of sex by outcome below which X and Y are analysed within sexes


@dataclass(frozen=True, eq=False)
class Adjustment:
    """Covariates and strata of an analysis, and the genomic inflation of its tests.

    Parameters
    ----------
    covariates : DataFrame or None
        Covariates of the study and its principal components.
    strata : RiskStrata or None
        None if there is only one stratum.
    statistics : ndarray of float
        χ² of every variant (Cochran-Armitage trend test), unadjusted.
    stratified : ndarray of float or None
        The same within strata (Cochran-Mantel-Haenszel).
    inflation : Inflation
        Inflation of ``statistics``, on unlinked variants.
    stratified_inflation : Inflation or None
        Inflation of ``stratified``.
    history : tuple of str
        The steps of the adjustment, one sentence each.
    columns : tuple of str
        Covariates each value of which is a stratum, including SEX if it was added.
    sex_warning : str
        Handling of variants of X and Y if sex differs between cases and controls.
    """

    covariates: pd.DataFrame | None
    strata: RiskStrata | None
    statistics: Floats
    stratified: Floats | None
    inflation: Inflation
    stratified_inflation: Inflation | None
    history: tuple[str, ...]
    columns: tuple[str, ...] = ()
    sex_warning: str = ""

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
        """Whether tests are significantly inflated, within strata if there are any."""
        return bool((self.stratified_inflation or self.inflation).low > _INFLATED)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about the results, most serious first."""
        return (
            *([self.verdict] if self.inflated else []),
            *([self.sex_warning] if self.sex_warning else []),
        )

    @property
    def verdict(self) -> str:
        """Interpretation of the inflation, in one or two sentences."""
        plain = f"Genomic inflation λ is {self.inflation}"
        judged = self.stratified_inflation or self.inflation
        if self.stratified_inflation is None or self.strata is None:
            if not self.inflated:
                return f"{plain}; {_mild(judged) or 'no sign of structure'}."
            return (
                f"{plain}. Tests are inflated: ancestry, relatives, or many small effects "
                "(polygenicity) may explain the associations below. "
                "Adjust for principal components, covariates or strata, and leave out relatives."
            )
        told = f"{plain}; within {len(self.strata)} strata {self.stratified_inflation}"
        if not self.inflated:
            return f"{told}; {_mild(judged) or 'no sign of structure is left'}."
        return (
            f"{told}. Tests are still inflated: structure that the strata do not capture, "
            "relatives (which strata do not correct), or many small effects (polygenicity)."
        )


def _mild(inflation: Inflation) -> str:
    """Interpret λ if it is unknown or slightly above 1; else return an empty text."""
    if not inflation.known:
        return "structure cannot be judged"
    return "tests are mildly inflated" if inflation.low > 1 else ""


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
    """Make strata from covariates and principal components, and estimate genomic inflation.

    Parameters
    ----------
    genotypes : Genotypes
        The calls.
    y : ndarray of bool
        Cases.
    covariates : DataFrame, optional
        A row for each sample.
    components : int, default=0
        Number of principal components to add to the covariates.
    columns : sequence of str
        Covariates each value of which is a stratum. SEX is the sex of the samples if no covariate
        has that name; unknown sex is a level.
    by_risk : bool, default=True
        Whether to make strata from the other covariates and the components, by
        :func:`risk_strata`, and from sex if there are variants of X or Y and sex differs between
        cases and controls.
    build : str, optional
        Genome build, for excluding regions of long-range linkage from the components.

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

    covariates, columns = _with_sex(genotypes, covariates, tuple(columns))
    warning = _sex_bias(genotypes, y, covariates, columns)
    if warning and by_risk and not _settled(sex_words(genotypes), y):
        covariates, name = _sex_column(genotypes, covariates)
        columns = (*columns, name)
        warning += ": markers are judged within each sex."
    elif warning:
        warning += (
            ": a marker of X or Y may tell sex and nothing else. Leave these variants out, or "
            "judge markers within each sex (strata, --strata SEX)."
        )
    components = whole("components", "adjust", components, 0)
    known = [] if covariates is None else [str(c) for c in covariates]
    absent = [c for c in columns if c not in known]
    if absent:
        what = f"they have {listed(known, 5, show=str)}" if known else "there are none"
        raise InputError(f"The covariates have no column {absent[0]!r} for strata; {what}.")
    history: list[str] = []
    unlinked = independent_variants(genotypes)
    every = covariates
    if components:
        _require_components(components, genotypes, unlinked)
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
        if strata is not None and _settled(strata.number, y):
            raise InputError(_no_overlap(every if by_risk else every[list(columns)], y))
    if every is not None and columns:  # in regressions their values are levels, not numbers
        every = every.assign(**{c: every[c].astype(str) for c in columns})
    counts = int(y.sum()), int((~y).sum())
    statistics = trend_statistics(genotypes, y)
    within = None if strata is None else trend_statistics(genotypes, y, strata.masks())
    made_of = None if within is None else Inflation.of(within[unlinked], *counts)
    # λ is a median over independent tests: linked variants would count a locus several times.
    inflation = Inflation.of(statistics[unlinked], *counts)
    return Adjustment(
        every, strata, statistics, within, inflation, made_of, tuple(history), columns, warning
    )


def _require_components(components: int, genotypes: Genotypes, unlinked: NDArray[np.intp]) -> None:
    """Raise an error if unlinked variants or samples are too few for the components."""
    most = min(genotypes.n_samples - 1, len(unlinked))
    if unlinked.size and components > most:
        of = "unlinked common variants" if most == len(unlinked) else "samples less one"
        must = f"at most {most:,}, the number of {of}"
        raise ParameterError.of("components", "adjust", must, components)


def _plus(covariates: pd.DataFrame | None, n: int) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(index=range(n)) if covariates is None else covariates


def _with_sex(
    genotypes: Genotypes, covariates: pd.DataFrame | None, columns: tuple[str, ...]
) -> tuple[pd.DataFrame | None, tuple[str, ...]]:
    """Add the samples' sex as a covariate if strata by SEX are requested and it is missing."""
    if _SEX not in columns or (covariates is not None and _SEX in covariates):
        return covariates, columns
    words = sex_words(genotypes)
    if (words == "unknown").all():
        raise InputError("No sample has a known sex, and the covariates have no column 'SEX'.")
    return _plus(covariates, len(words)).assign(**{_SEX: words}), columns


def _sex_bias(
    genotypes: Genotypes,
    y: NDArray[np.bool_],
    covariates: pd.DataFrame | None,
    columns: tuple[str, ...],
) -> str:
    """Describe how sex differs by outcome, if it confounds X or Y and strata do not separate it."""
    names = canonical_chromosomes(genotypes.variants["CHR"])
    there = [name for name in ("X", "Y") if (names == name).any()]
    male, female = sexes(genotypes)
    known = male | female
    a, n1, b, n0 = (int((s & known).sum()) for s in (male & y, y, male & ~y, ~y))
    if not there or not n1 or not n0:
        return ""
    p = float(unequal_shares(np.array([[a, n1, b, n0]]))[0])
    if p >= _SEX_P:
        return ""
    if columns and covariates is not None and all(c in covariates for c in columns):
        # Strata by another column that encodes sex, such as "gender", contain one sex each.
        groups = covariates.loc[:, list(columns)].astype(str).agg(" ".join, axis=1).to_numpy()
        if _apart(groups, male, female):
            return ""
    return (
        f"Sex differs between cases and controls ({percent(a / n1)} of {n1:,} cases and "
        f"{percent(b / n0)} of {n0:,} controls are male, p = {p:.1g}), and variants of "
        f"{text_list(there, 'and')} take part"
    )


def _sex_column(genotypes: Genotypes, covariates: pd.DataFrame | None) -> tuple[pd.DataFrame, str]:
    """Find a covariate that encodes sex, or add one under an unused name."""
    male, female = sexes(genotypes)
    every = _plus(covariates, genotypes.n_samples)
    for name in every:
        values = every[name]
        few = values.notna().all() and values.nunique() <= 3  # male, female, unknown
        if few and _apart(values.to_numpy(), male, female):
            return every, str(name)
    name = _SEX if _SEX not in every else f"{_SEX} of the genotype files"
    return every.assign(**{name: sex_words(genotypes)}), name


def _apart(groups: NDArray[Any], some: NDArray[np.bool_], others: NDArray[np.bool_]) -> bool:
    """Return whether no group has samples of both."""
    return not set(groups[some].tolist()) & set(groups[others].tolist())


def _settled(groups: NDArray[Any], y: NDArray[np.bool_]) -> bool:
    """Return whether no group has both cases and controls."""
    return _apart(groups, y, ~y)


def _no_overlap(columns: pd.DataFrame, y: NDArray[np.bool_]) -> str:
    """Name the columns that separate cases from controls: those that do so alone, or all."""
    import pandas as pd

    def alone(name: str) -> bool:
        known = columns[name].notna().to_numpy()
        values, case = columns[name].to_numpy()[known], y[known]
        if case.all() or not case.any():
            return False
        if not pd.api.types.is_numeric_dtype(columns[name]):
            return _settled(values, case)
        cases, controls = values[case], values[~case]
        return bool(cases.max() < controls.min() or controls.max() < cases.min())

    names = [str(name) for name in columns]
    named = [name for name in names if alone(name)]
    return (
        f"Cases and controls do not overlap in {listed(named or names, 5, show=str)}: every "
        "stratum made of these holds cases only or controls only, and nothing is left for a "
        "marker to explain. Leave them out of the covariates, components and strata, or use them "
        "in the refit alone (adjust=False, --no-adjust)."
    )
