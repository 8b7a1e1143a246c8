"""Refit: the chosen terms in a logistic model with covariates and principal components."""

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

_Z = 1.959963984540054  # of the normal distribution, for 95 % intervals
_DEPENDENT = 1e-7
"""Share of a standardised column's length below which nothing of it is its own."""
_MOST_LEVELS = 50  # of a category; a text with more is an identifier by mistake


@dataclass(frozen=True, eq=False)
class Refit:
    """Odds ratios of terms, given covariates.

    Parameters
    ----------
    table : DataFrame
        One row per term: ``term``, ``n`` samples used, ``cases`` among them, ``carriers`` among
        them, ``odds_ratio``, ``low`` and ``high`` (95 %), ``p``, and ``method``: "maximum
        likelihood", "Firth", or "not estimable: …" with the reason.
    covariates : tuple of str
        Columns that were in the model.
    history : tuple of str
        What was left out, one sentence each.

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
    """Odds ratio of each term from its two by two table, with Woolf's 95 % interval.

    Where one of the four cells is empty, 0.5 is added to each (Haldane-Anscombe), and the column
    ``corrected`` says so. Where a term marks nobody or everybody there is no odds ratio.

    Parameters
    ----------
    y : array-like of bool or 0/1
        1 for cases, 0 for controls.
    terms : DataFrame or array-like of bool, shape (n_samples, n_terms)
        Whether each term holds for each sample.

    Examples
    --------
    >>> from bayesdnf.genomics import odds_ratios
    >>> y = [1] * 30 + [0] * 30
    >>> term = [[True]] * 20 + [[False]] * 10 + [[True]] * 10 + [[False]] * 20
    >>> odds_ratios(y, term).round(2)
       term  odds_ratio   low  high  corrected
    0     1         4.0  1.37  11.7      False
    """
    import pandas as pd

    names, holds = _columns(terms)
    outcome = outcome_of(y, len(holds))
    carriers = holds.sum(axis=0)
    a, n_cases = holds[outcome].sum(axis=0), int(outcome.sum())
    b = carriers - a
    cells = np.stack([a, b, n_cases - a, len(holds) - n_cases - b]).astype(float)
    possible = (carriers > 0) & (carriers < len(holds)) & (0 < n_cases < len(holds))
    corrected = possible & (cells == 0).any(axis=0)
    cells += np.where(corrected, 0.5, 0)  # Haldane and Anscombe: a ratio with an empty cell
    with np.errstate(divide="ignore", invalid="ignore"):
        log_ratio = np.log(cells[0] * cells[3] / (cells[1] * cells[2]))
        width = _Z * np.sqrt((1 / cells).sum(axis=0))  # Woolf's interval of the log odds ratio
        ends = [np.exp(log_ratio + side * width) for side in (0, -1, 1)]
    ratio, low, high = (np.where(possible, end, np.nan) for end in ends)
    return pd.DataFrame(
        {"term": names, "odds_ratio": ratio, "low": low, "high": high, "corrected": corrected}
    )


def refit_terms(
    y: ArrayLike, terms: Any, covariates: pd.DataFrame | None = None, *, together: bool = True
) -> Refit:
    """Fit the outcome on terms and covariates by logistic regression.

    By maximum likelihood, with Wald's interval and p-value. Where that has no maximum (carriers
    who are all cases, say) with Firth's penalty, with the interval and p-value of the penalised
    profile likelihood. A term that marks nobody or everybody, or that the other columns
    determine, is "not estimable".

    Parameters
    ----------
    y : array-like of bool or 0/1
        1 for cases, 0 for controls.
    terms : DataFrame or array-like of bool, shape (n_samples, n_terms)
        Whether each term holds for each sample.
    covariates : DataFrame, optional
        One row per sample in the same order: numbers, or texts that are taken as categories.
        Principal components are columns like others. Samples with a gap are left out.
    together : bool, default=True
        One model with all terms; otherwise a model for each.

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

    names, holds = _columns(terms)
    outcome = outcome_of(y, len(holds))
    history: list[str] = []
    if covariates is None:
        covariates = pd.DataFrame(index=range(len(holds)))
    if len(covariates) != len(holds):
        raise InputError(
            f"covariates must have one row per sample, {len(holds):,}. Got {len(covariates):,}."
        )
    numbers, complete = coded_covariates(covariates, history)
    outcome, holds = outcome[complete], holds[complete]
    design, used = independent_columns(numbers[complete], history)
    groups = [list(range(len(names)))] if together else [[j] for j in range(len(names))]
    rows: list[Row] = [{} for _ in names]
    for group in groups:
        for j, row in zip(group, _fitted(design, outcome, holds[:, group]), strict=True):
            rows[j] = row
    common = {"n": len(outcome), "cases": int(outcome.sum())}
    table = pd.DataFrame(
        [
            {"term": name, **common, "carriers": int(holds[:, j].sum()), **row}
            for j, (name, row) in enumerate(zip(names, rows, strict=True))
        ],
        columns=["term", *common, "carriers", "odds_ratio", "low", "high", "p", "method"],
    )
    return Refit(table, tuple(used), tuple(history))


def _columns(terms: Any) -> tuple[list[str], Flags]:
    names = getattr(terms, "columns", None)
    holds = np.asarray(terms)
    if holds.ndim != 2 or not np.isin(holds, [0, 1]).all():
        raise InputError("terms must be samples by terms, each value true or false.")
    labels = range(1, holds.shape[1] + 1) if names is None else names
    return [str(label) for label in labels], holds.astype(np.bool_)


def coded_covariates(covariates: pd.DataFrame, history: list[str]) -> tuple[pd.DataFrame, Flags]:
    """Covariates as numbers, texts as indicators of levels, and which rows have no gap."""
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
    """Design of a constant and the standardised covariates that earlier ones do not determine."""
    values = numbers.to_numpy(dtype=np.float64)
    columns, used = [np.ones(len(values))], []
    for name, column in zip(map(str, numbers.columns), values.T, strict=True):
        spread = column.std() if len(column) else 0.0
        # Relative to its size: a constant such as 0.1 has a spread of rounding errors.
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
    """Length of what a column has beyond the span of a design, as a share of its own."""
    # Gram-Schmidt against an orthonormal basis, twice: one pass leaves rounding of the size of the
    # tolerance.
    basis = np.linalg.qr(design).Q
    rest = column - basis @ (basis.T @ column)
    rest = rest - basis @ (basis.T @ rest)  # once more for what rounding leaves
    return float(np.linalg.norm(rest)) / max(float(np.linalg.norm(column)), 1e-300)


def _fitted(design: Floats, outcome: Flags, holds: Flags) -> list[Row]:
    """Fit terms in one model: a row of the table for each."""
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
    """Why each term cannot be in the model, or an empty text."""
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
    # Twice the log likelihood falls by z², the 95 % point of χ² with one degree of freedom.
    low, high = firth_interval(X, outcome, fit, place, drop=_Z**2 / 2)
    return _row(fit.beta[place], low, high, firth_test(X, outcome, fit, place), "Firth")


def _row(beta: float, low: float, high: float, p: float, method: str) -> Row:
    ends = {"odds_ratio": beta, "low": low, "high": high}
    row: Row = {name: float(np.exp(end)) for name, end in ends.items()}
    return {**row, "p": p, "method": method}
