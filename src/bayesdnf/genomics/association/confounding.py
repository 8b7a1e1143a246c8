"""Confounders: strata of samples with similar risk, predicted from covariates and ancestry.

A marker is scored within strata, so that a confounder that changes the risk of a whole group
(ancestry, age, recruitment centre) is not mistaken for an effect of variants common in this group.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...data.outcome import MOST_STRATA
from ...display.wording import listed, text_list
from ...errors import InputError
from ..quality.missingness import outcome_of
from .logistic import fit_firth, fit_logistic
from .refit import coded_covariates, independent_columns

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]

_BINS = 40  # bins of samples sorted by risk; strata are unions of adjacent bins
_MOST = 6  # maximum number of strata by risk; each one costs evidence


@dataclass(frozen=True, eq=False)
class RiskStrata:
    """Strata of samples by predicted risk.

    Parameters
    ----------
    number : ndarray of int
        Stratum of each sample, from 0.
    labels : tuple of str
        Description of each stratum.
    sentence : str
        Description of the strata, for the history.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from bayesdnf.genomics import risk_strata
    >>> rng = np.random.default_rng(0)
    >>> site = np.repeat(["north", "south"], 300)
    >>> y = rng.random(600) < np.where(site == "north", 0.2, 0.6)
    >>> risk_strata(y, pd.DataFrame({"site": site})).labels
    ('risk below 0.4', 'risk from 0.4 on')
    """

    number: NDArray[np.intp]
    labels: tuple[str, ...]
    sentence: str

    def __len__(self) -> int:
        return len(self.labels)

    def masks(self) -> list[NDArray[np.bool_]]:
        """Return the samples of each stratum."""
        return [self.number == s for s in range(len(self.labels))]


def risk_strata(
    y: ArrayLike, covariates: pd.DataFrame | None, columns: pd.DataFrame | None = None
) -> RiskStrata:
    """Group samples into strata of similar risk under a model without variants.

    The outcome is fitted on the covariates by logistic regression and samples are sorted by the
    fitted risk into 40 bins. Adjacent bins are merged into one to six strata, those with the
    highest evidence.

    Parameters
    ----------
    y : array-like of bool or 0/1
        1 for cases, 0 for controls.
    covariates : DataFrame or None
        Numbers, or texts that are treated as categories; may include principal components. Missing
        values are replaced by the mean, with an indicator of missingness.
    columns : DataFrame, optional
        Columns each combination of values of which is a stratum, divided by risk if that increases
        the evidence.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from bayesdnf.genomics import risk_strata
    >>> rng = np.random.default_rng(1)
    >>> age = pd.DataFrame({"age": rng.normal(60, 10, 500)})
    >>> risk_strata(rng.random(500) < 0.4, age).sentence  # the outcome does not depend on age
    'Covariates (age) need no strata: the risk hardly depends on them.'
    """
    n = len(np.asarray(y))
    outcome = outcome_of(y, n)
    risk, used = null_risk(outcome, covariates)
    group, names = _groups(columns, n)
    number = np.zeros(n, dtype=np.intp)
    labels: list[str] = []
    for g, name in enumerate(names):
        here = np.flatnonzero(group == g)
        cuts = _cuts(outcome[here], risk[here]) if used else []
        # Continue the numbers of the strata of earlier groups.
        number[here] = len(labels) + np.searchsorted(cuts, risk[here], side="right")
        labels += [", ".join(filter(None, (name, span))) for span in _spans(cuts)]
    return RiskStrata(number, tuple(labels), _sentence(used, columns, labels))


def null_risk(y: NDArray[np.bool_], covariates: pd.DataFrame | None) -> tuple[Floats, list[str]]:
    """Fit the risk of each sample from covariates; return it with the covariates used."""
    plain = np.full(len(y), y.mean())
    if covariates is None or covariates.shape[1] == 0:
        return plain, []
    numbers, complete = coded_covariates(covariates, [])
    numbers = numbers.where(np.isfinite(numbers))
    numbers = numbers.fillna(numbers.mean()).fillna(0.0)
    if not complete.all():
        numbers["missing"] = (~complete).astype(np.float64)
    design, used = independent_columns(numbers, [])
    # Firth's penalty where covariates separate cases from controls, so that every sample has a
    # finite fitted risk.
    fit = fit_logistic(design, y) or fit_firth(design, y)
    return 1 / (1 + np.exp(-design @ fit.beta)), used


def _groups(columns: pd.DataFrame | None, n: int) -> tuple[NDArray[np.intp], list[str]]:
    """Return the group of each sample by its values in some columns, and the names of groups."""
    import pandas as pd

    if columns is None or columns.shape[1] == 0:
        return np.zeros(n, dtype=np.intp), [""]
    gap = columns.isna().any()
    if gap.any():
        name = str(gap.idxmax())
        raise InputError(
            f"Column {name!r} of strata is missing for {int(columns[name].isna().sum()):,} "
            "samples; every sample needs a stratum."
        )
    rows = zip(*(columns[name] for name in columns), strict=True)
    joined = [
        ", ".join(f"{c} = {_shown(v)}" for c, v in zip(columns, row, strict=True)) for row in rows
    ]
    codes, names = pd.factorize(np.array(joined, dtype=object), sort=True)
    if len(names) > MOST_STRATA:
        raise InputError(
            f"{text_list(list(map(str, columns)), 'and')} would make {len(names):,} strata, one of "
            f"each value, and {MOST_STRATA} are the most; cut numbers into groups first, or leave "
            "it to the risk by covariates to make strata."
        )
    return codes.astype(np.intp), [str(name) for name in names]


def _shown(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _cuts(y: NDArray[np.bool_], risk: Floats) -> list[float]:
    """Choose the boundaries of strata between bins of risk.

    Samples of equal risk are in one bin. With K bins and S strata the log evidence is
    Σ ln B(a + 1, b + 1) - ln C(K - 1, S - 1) - S ln 2, where B is the beta function and a and b are
    the cases and controls of a stratum.
    """
    from scipy.special import betaln, gammaln

    values, place, sizes = np.unique(risk, return_inverse=True, return_counts=True)
    # A value belongs to the bin of its middle rank, so that samples of equal risk stay together.
    middle = np.cumsum(sizes) - sizes / 2
    of_value = np.minimum((_BINS * middle / len(risk)).astype(np.intp), _BINS - 1)
    kept, of_value = np.unique(of_value, return_inverse=True)
    # Empty bins do not count in K.
    bin_of = of_value[place]
    k = len(kept)
    cases = np.concatenate([[0], np.cumsum(np.bincount(bin_of, weights=y, minlength=k))])
    rows = np.concatenate([[0], np.cumsum(np.bincount(bin_of, minlength=k))])
    first, last = np.triu_indices(k + 1, 1)  # a stratum contains bins first, ..., last - 1
    worth = np.full((k + 1, k + 1), -np.inf)
    a = cases[last] - cases[first]
    # Geometric prior on S: each stratum more is half as probable, whence ln 2 for each.
    worth[first, last] = betaln(a + 1, rows[last] - rows[first] - a + 1) - math.log(2)
    best = [np.where(np.arange(k + 1) == 0, 0.0, -np.inf)]
    came: list[NDArray[np.intp]] = []
    for _ in range(min(_MOST, k)):
        # Dynamic programming: the best partition of the first j bins into s + 1 strata extends the
        # best one of the first i < j into s. All partitions are covered in O(S K²).
        options = best[-1][:, None] + worth
        came.append(options.argmax(axis=0))
        best.append(options.max(axis=0))
    numbers = np.arange(1, len(best))
    # ln C(K - 1, S - 1): uniform prior on the places of S - 1 cuts, so that many possible places
    # do not favour cuts.
    price = gammaln(k) - gammaln(numbers) - gammaln(k - numbers + 1)
    chosen = int(np.argmax([b[k] for b in best[1:]] - price)) + 1
    ends, end = [], k
    for s in range(chosen - 1, 0, -1):
        end = int(came[s][end])
        ends.append(end)
    # Report a cut as the midpoint of the last risk below and the first one above.
    first_value = np.searchsorted(of_value, np.arange(k))
    starts = [int(first_value[e]) for e in reversed(ends)]
    return [float(values[i - 1] + values[i]) / 2 for i in starts]


def _spans(cuts: list[float]) -> list[str]:
    """Return the names of the strata between cuts."""
    if not cuts:
        return [""]
    ends = [f"{cut:.2g}" for cut in cuts]
    between = [f"risk {low} to {high}" for low, high in itertools.pairwise(ends)]
    return [f"risk below {ends[0]}", *between, f"risk from {ends[-1]} on"]


def _sentence(used: list[str], columns: pd.DataFrame | None, labels: list[str]) -> str:
    named = [] if columns is None else [str(c) for c in columns]
    parts = [f"covariates ({listed(used, 5, show=str)})"] if used else []
    parts += [f"the values of {listed(named, 5, show=str)}"] if named else []
    if not parts:
        return "The covariates make no strata: each is constant, or missing for all samples."
    what = " and ".join(parts)
    what = what[0].upper() + what[1:]
    if len(labels) == 1:
        return f"{what} need no strata: the risk hardly depends on them."
    return f"{what} make {len(labels)} strata: {'; '.join(labels)}."
