"""Refit: a logistic model of the chosen terms with covariates and principal components."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import InputError
from ..quality.missingness import outcome_of
from .logistic import LogisticFit, firth_interval, firth_test, fit_firth, fit_logistic

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

Row = dict[str, float | str]

_Z = 1.959963984540054  # 0.975 quantile of the normal distribution
_DEPENDENT = 1e-7
"""Share of a standardised column's length below which nothing of it is its own."""
_MOST_LEVELS = 50  # of a category; a text with more levels is probably an identifier


@dataclass(frozen=True, eq=False)
class Refit:
    """Odds ratios of terms, adjusted for covariates.

    Parameters
    ----------
    table : DataFrame
        One row per term: ``term``, ``n`` samples used (those with all covariates on which every
        term of the model is decided), ``cases`` and ``carriers`` among them, ``odds_ratio``,
        ``low`` and ``high`` (95 %), ``p``, and ``method``: "maximum likelihood", "Firth", or "not
        estimable: …" with the reason.
    covariates : tuple of str
        Covariates in the model.
    history : tuple of str
        Covariates and samples left out, one sentence each.

    Examples
    --------
    >>> import pandas as pd
    >>> from bayesdnf.genomics import refit_terms
    >>> y = [1, 1, 1, 0, 1, 0, 0, 0]
    >>> terms = [[1], [1], [1], [0], [0], [0], [0], [0]]
    >>> found = refit_terms(y, terms, pd.DataFrame({"site": [7] * 8}))
    >>> found.table["method"][0], found.history
    ('Firth', ("Covariate 'site' left out: it is constant.",))
    """

    table: pd.DataFrame
    covariates: tuple[str, ...]
    history: tuple[str, ...]


def odds_ratios(y: ArrayLike, terms: Any) -> pd.DataFrame:
    """Return the odds ratio of each term from its 2 x 2 table, with Woolf's 95 % interval.

    If one of the four cells is empty, 0.5 is added to each (Haldane-Anscombe correction), and the
    column ``corrected`` is True. A term that marks nobody or everybody has no odds ratio.

    Parameters
    ----------
    y : array-like of bool or 0/1
        1 for cases, 0 for controls.
    terms : DataFrame or array-like, shape (n_samples, n_terms)
        Whether each term holds for each sample, 1 or 0; NaN if undecided because of a missing call.
        Undecided samples are left out, term by term.

    Returns
    -------
    DataFrame
        One row per term, with ``cases`` and ``controls`` on which it is decided.

    Examples
    --------
    >>> from bayesdnf.genomics import odds_ratios
    >>> y = [1] * 30 + [0] * 30
    >>> term = [[True]] * 20 + [[False]] * 10 + [[True]] * 10 + [[False]] * 20
    >>> odds_ratios(y, term).round(2)
       term  odds_ratio   low  high  corrected  cases  controls
    0     1         4.0  1.37  11.7      False     30        30
    """
    import pandas as pd

    names, holds, decided = _columns(terms)
    outcome = outcome_of(y, len(holds))
    carriers, n = holds.sum(axis=0), decided.sum(axis=0)
    a, n_cases = holds[outcome].sum(axis=0), decided[outcome].sum(axis=0)
    b = carriers - a
    cells = np.stack([a, b, n_cases - a, n - n_cases - b]).astype(float)
    possible = (carriers > 0) & (carriers < n) & (n_cases > 0) & (n_cases < n)
    corrected = possible & (cells == 0).any(axis=0)
    cells += np.where(corrected, 0.5, 0)  # Haldane-Anscombe correction
    with np.errstate(divide="ignore", invalid="ignore"):
        log_ratio = np.log(cells[0] * cells[3] / (cells[1] * cells[2]))
        width = _Z * np.sqrt((1 / cells).sum(axis=0))  # Woolf (1955): log odds ratio
        ends = [np.exp(log_ratio + side * width) for side in (0, -1, 1)]
    ratio, low, high = (np.where(possible, end, np.nan) for end in ends)
    return pd.DataFrame(
        {"term": names, "odds_ratio": ratio, "low": low, "high": high, "corrected": corrected,
         "cases": n_cases, "controls": n - n_cases}
    )  # fmt: skip


def refit_terms(
    y: ArrayLike, terms: Any, covariates: pd.DataFrame | None = None, *, together: bool = True
) -> Refit:
    """Fit the outcome on terms and covariates by logistic regression.

    The fit is by maximum likelihood, with Wald intervals and p-values. Under separation (for
    example if all carriers are cases) it uses Firth's penalty, with intervals and p-values of the
    penalised profile likelihood. A term that marks nobody or everybody, or that is a linear
    combination of other columns, is "not estimable".

    Parameters
    ----------
    y : array-like of bool or 0/1
        1 for cases, 0 for controls.
    terms : DataFrame or array-like, shape (n_samples, n_terms)
        Whether each term holds for each sample, 1 or 0; NaN if undecided because of a missing call.
        A model leaves out samples on which one of its terms is undecided.
    covariates : DataFrame, optional
        One row per sample in the same order: numbers, or texts that are treated as categories; may
        include principal components. Samples with missing covariates are left out.
    together : bool, default=True
        Whether to fit one model with all terms, or one model for each term.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from bayesdnf.genomics import refit_terms
    >>> rng = np.random.default_rng(0)
    >>> age, carrier = rng.normal(60, 10, 500), rng.random(500) < 0.3
    >>> y = rng.random(500) < 1 / (1 + np.exp(4 - 0.05 * age - carrier))
    >>> terms = pd.DataFrame({"rs1_A dominant": carrier})
    >>> found = refit_terms(y, terms, pd.DataFrame({"age": age}))
    >>> found.table[["term", "odds_ratio", "low", "high", "method"]].round(3)
                 term  odds_ratio    low   high              method
    0  rs1_A dominant       2.328  1.561  3.473  maximum likelihood
    """
    import pandas as pd

    names, holds, decided = _columns(terms)
    outcome = outcome_of(y, len(holds))
    history: list[str] = []
    if covariates is None:
        covariates = pd.DataFrame(index=range(len(holds)))
    if len(covariates) != len(holds):
        raise InputError(
            f"covariates must have one row per sample, {len(holds):,}. Got {len(covariates):,}."
        )
    numbers, complete = coded_covariates(covariates, history)
    groups = [list(range(len(names)))] if together else [[j] for j in range(len(names))]
    rows: list[Row] = [{} for _ in names]
    used: list[str] = []
    for group in groups or [[]]:
        known = complete & decided[:, group].all(axis=1)
        if lost := int((complete & ~known).sum()):
            what = "a term" if together else f"term {names[group[0]]}"
            history.append(
                f"{lost:,} of {len(known):,} samples left out of the refit: missing calls leave "
                f"{what} undecided."
            )
        told: list[str] = []
        design, used = independent_columns(numbers[known], told)
        history += [said for said in told if said not in history]
        own = outcome[known]
        common = {"n": len(own), "cases": int(own.sum())}
        for j, row in zip(group, _fitted(design, own, holds[known][:, group]), strict=True):
            rows[j] = {"term": names[j], **common, "carriers": int(holds[known, j].sum()), **row}
    table = pd.DataFrame(
        rows,
        columns=["term", "n", "cases", "carriers", "odds_ratio", "low", "high", "p", "method"],
    )
    return Refit(table, tuple(used), tuple(history))


def _columns(terms: Any) -> tuple[list[str], Flags, Flags]:
    """Return the names of terms, where they are known to hold, and where they are decided."""
    import pandas as pd

    names = getattr(terms, "columns", None)
    holds = np.asarray(terms)
    decided = ~np.asarray(pd.isna(holds))
    if holds.ndim != 2 or not np.isin(holds[decided], [0, 1]).all():
        raise InputError("terms must be samples by terms, each value true or false, or missing.")
    labels = range(1, holds.shape[1] + 1) if names is None else names
    return [str(label) for label in labels], np.where(decided, holds, 0).astype(np.bool_), decided


def coded_covariates(covariates: pd.DataFrame, history: list[str]) -> tuple[pd.DataFrame, Flags]:
    """Return covariates as numbers, with indicators for levels of texts, and complete rows."""
    import pandas as pd

    complete = covariates.notna().all(axis=1).to_numpy()
    texts = [c for c in covariates if not pd.api.types.is_numeric_dtype(covariates[c])]
    for name in texts:
        levels = covariates[name].nunique()
        if levels > _MOST_LEVELS:
            raise InputError(
                f"Covariate {name!r} is text with {levels:,} different values; a category has at "
                f"most {_MOST_LEVELS}."
            )
    coded = pd.get_dummies(covariates, columns=texts, drop_first=True) if texts else covariates
    values = coded.to_numpy(dtype=np.float64, na_value=np.nan)
    complete = complete & np.isfinite(values).all(axis=1)
    if lost := int((~complete).sum()):
        gaps = covariates.isna().sum()
        which = ", ".join(f"{name} {count:,}" for name, count in gaps.items() if count)
        history.append(
            f"{lost:,} of {len(complete):,} samples left out of the refit: a covariate is missing"
            f"{f' ({which})' if which else ''}."
        )
    return pd.DataFrame(values, columns=coded.columns), complete


def independent_columns(numbers: pd.DataFrame, history: list[str]) -> tuple[Floats, list[str]]:
    """Return a design of an intercept and standardised, linearly independent covariates."""
    values = numbers.to_numpy(dtype=np.float64)
    columns, used = [np.ones(len(values))], []
    for name, column in zip(map(str, numbers.columns), values.T, strict=True):
        spread = column.std() if len(column) else 0.0
        # Relative to its size: rounding gives a constant such as 0.1 a nonzero deviation.
        if spread <= 1e-12 * np.abs(column).max(initial=0):
            history.append(f"Covariate {name!r} left out: it is constant.")
            continue
        scaled = (column - column.mean()) / spread
        if _left_over(np.column_stack(columns), scaled) < _DEPENDENT:
            history.append(f"Covariate {name!r} left out: the ones before it determine it.")
            continue
        columns.append(scaled)
        used.append(name)
    return np.column_stack(columns), used


def _left_over(design: Floats, column: Floats) -> float:
    """Return the norm of a column's residual on a design, relative to the column's norm."""
    # Gram-Schmidt with reorthogonalisation: after one pass the rounding error may be as large as
    # the tolerance.
    basis = np.linalg.qr(design).Q
    rest = column - basis @ (basis.T @ column)
    rest = rest - basis @ (basis.T @ rest)  # reorthogonalise
    return float(np.linalg.norm(rest)) / max(float(np.linalg.norm(column)), 1e-300)


def _fitted(design: Floats, outcome: Flags, holds: Flags) -> list[Row]:
    """Fit terms in one model; return a row of the table for each."""
    why = _obstacles(design, outcome, holds)
    good = [j for j, reason in enumerate(why) if not reason]
    X = np.column_stack([design, holds[:, good]]).astype(np.float64)
    rows = [_row(np.nan, np.nan, np.nan, np.nan, f"not estimable: {reason}") for reason in why]
    if not good:
        return rows
    fit = fit_logistic(X, outcome)
    penalised = None if fit is not None else fit_firth(X, outcome)
    for place, j in enumerate(good, start=design.shape[1]):
        if fit is not None:
            rows[j] = _wald(fit, place)
        elif penalised is not None and penalised.converged:
            rows[j] = _profile(X, outcome, penalised, place)
        else:
            rows[j]["method"] = "not estimable: no fit was reached"
    return rows


def _obstacles(design: Floats, outcome: Flags, holds: Flags) -> list[str]:
    """Return why each term cannot be in the model, or an empty text."""
    n, n_cases = len(outcome), int(outcome.sum())
    why = []
    for column in holds.T:
        carriers = int(column.sum())
        if n_cases in (0, n):
            reason = "no cases" if n_cases == 0 else "no controls"
        elif carriers in (0, n):
            reason = "no carriers" if carriers == 0 else "only carriers"
        elif design.shape[1] + 1 >= n:
            reason = f"{n} samples for {design.shape[1] + 1} coefficients"
        elif _left_over(design, column.astype(np.float64)) < _DEPENDENT:
            reason = "covariates and terms before it determine it"
        else:
            reason = ""
            design = np.column_stack([design, column])
        why.append(reason)
    return why


def _wald(fit: LogisticFit, place: int) -> Row:
    from scipy.special import ndtr

    beta, error = fit.beta[place], fit.error[place]
    low, high = beta - _Z * error, beta + _Z * error
    p = 2 * float(ndtr(-abs(beta / error)))
    return _row(beta, low, high, p, "maximum likelihood")


def _profile(X: Floats, outcome: Flags, fit: LogisticFit, place: int) -> Row:
    # Profile likelihood interval: 2 Δ ln L = z², the 95 % quantile of χ² with 1 degree of freedom.
    low, high = firth_interval(X, outcome, fit, place, drop=_Z**2 / 2)
    return _row(fit.beta[place], low, high, firth_test(X, outcome, fit, place), "Firth")


def _row(beta: float, low: float, high: float, p: float, method: str) -> Row:
    ends = {"odds_ratio": beta, "low": low, "high": high}
    row: Row = {name: float(np.exp(end)) for name, end in ends.items()}
    return {**row, "p": p, "method": method}
