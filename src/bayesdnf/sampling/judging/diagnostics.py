"""diagnose: convergence diagnostics of a run, in numbers and in words.

On a discrete space a stuck chain can appear to have converged: R-hat of a constant is not a number
and its effective sample size is the number of draws. Therefore constant quantities are reported as
constant, and chains are compared by the functions themselves, lists by their partition of the rows.
"""

from __future__ import annotations

import math
import textwrap
import warnings
from dataclasses import dataclass
from importlib import import_module
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import MissingExtraError
from ..kernel import MOVES
from .agreement import Agreement, Odds, against_scores, compare
from .verdict import Level, acceptance_text, agreement_text, quantities_text, verdict_of

if TYPE_CHECKING:
    import pandas as pd

    from ..drawn.shares import ChainShares
    from ..draws import Draws

Floats = NDArray[np.float64]

_MOST_LITERALS = 50


@dataclass(frozen=True, eq=False, repr=False)
class Diagnosis:
    """Convergence diagnostics of chains, from :func:`diagnose`.

    Chains are counted from 1.

    Parameters
    ----------
    quantities : DataFrame
        By quantity, ``log_posterior``, ``terms``, ``literals``, for lists ``layers``, for functions
        without strata ``pi0`` and ``pi1``, and the inclusion of each literal that matters, under
        its text: ``mean``, ``sd``, rank-normalised ``r_hat``, ``ess_bulk``, ``ess_tail``, ``mcse``
        (of the mean), and ``constant``: whether no chain ever changed it. All but the mean and the
        sd of what is constant are NaN.
    agreement : Agreement or None
        Agreement of the chains; None if there is only one.
    odds : Odds or None
        The function whose share of the draws is not what exact scores say; None when all fit.
    acceptance : DataFrame
        By chain and move: how often it was ``tried``, how often it ``changed`` the function, and
        the ``rate``; with several temperatures also the exchanges between neighbours.
    level : {"fine", "short", "apart"}
        Whether the draws show no problem, there are too few of them to tell, or the chains
        do not agree, with each other or with exact scores.
    verdict : str
        The same in words, and what to do.
    """

    quantities: pd.DataFrame
    agreement: Agreement | None
    odds: Odds | None
    acceptance: pd.DataFrame
    level: Level
    verdict: str

    @property
    def ok(self) -> bool:
        """Whether the diagnostics found no problem."""
        return self.level == Level.FINE

    def __str__(self) -> str:
        parts = [textwrap.fill(self.verdict, 96), quantities_text(self.quantities)]
        if self.agreement is not None:
            parts.append(agreement_text(self.agreement))
        parts.append(acceptance_text(self.acceptance))
        return "\n\n".join(parts)

    __repr__ = __str__


def diagnose(draws: Draws) -> Diagnosis:
    """Compute the convergence diagnostics of a run.

    Parameters
    ----------
    draws : Draws
        The draws of all chains.

    Returns
    -------
    Diagnosis
        Print it to read it.

    Examples
    --------
    >>> from bayesdnf import BitMatrix, Posterior, sample, simulate
    >>> from bayesdnf.sampling.judging.diagnostics import diagnose
    >>> X, y, truth = simulate(300, 10, random_state=0)
    >>> posterior = Posterior(BitMatrix.from_table(X), y)
    >>> drawn = sample(posterior, draws=500, warmup=200, random_state=0)
    >>> diagnosis = diagnose(drawn)
    >>> diagnosis.ok
    True
    >>> print(diagnosis.verdict)
    The 4 chains agree: ...
    """
    _array_stats()
    included = draws.inclusion_by_chain("literal")
    literals = _that_matter(included)
    values = draws.scalars() | _indicators(draws, included, literals)
    quantities = _quantities(values)
    agreement = compare(draws, literals) if draws.n_chains > 1 else None
    odds = against_scores(draws)
    level, verdict = verdict_of(draws, values, quantities, agreement, odds)
    return Diagnosis(quantities, agreement, odds, _acceptance(draws), level, verdict)


# Quantities ---------------------------------------------------------------------------------------


def _that_matter(included: ChainShares) -> NDArray[np.int64]:
    """Return the numbers of the literals to diagnose, most variable first."""
    overall = included.frequency.mean(axis=0)
    differs = np.ptp(included.frequency, axis=0) > 0.01
    # Literals in nearly all or nearly no draws carry no information about mixing, unless chains
    # differ.
    matters = np.flatnonzero(((overall >= 0.01) & (overall <= 0.99)) | differs)
    variance = overall * (1 - overall)
    return matters[np.argsort(-variance[matters], kind="stable")][:_MOST_LITERALS]


def _indicators(
    draws: Draws, included: ChainShares, literals: NDArray[np.int64]
) -> dict[str, Floats]:
    """Return indicators by draw of some literals."""
    scalars = draws.scalars()
    indicators = {}
    for number, holds in zip(literals.tolist(), draws.holding(literals), strict=True):
        name = included.names[number]
        # A 0/1 column may be named pi0: its name is quoted to keep it apart from the rate.
        indicators[f'"{name}"' if name in scalars else name] = holds[draws.index].astype(np.float64)
    return indicators


def _quantities(values: dict[str, Floats]) -> pd.DataFrame:
    import pandas as pd

    rows = {}
    for name, drawn in values.items():
        constant = bool((drawn == drawn[:, :1]).all())
        # Constant chains have no variance within: R-hat would divide by 0 (docs/trust.md, "A
        # chain").
        numbers = (math.nan,) * 4 if constant else _statistics(drawn)
        spread = float(drawn.std(ddof=1)) if drawn.size > 1 else math.nan
        rows[name] = (float(drawn.mean()), spread, *numbers, constant)
    return pd.DataFrame.from_dict(
        rows,
        orient="index",
        columns=["mean", "sd", "r_hat", "ess_bulk", "ess_tail", "mcse", "constant"],
    ).rename_axis("quantity")


def _statistics(drawn: Floats) -> tuple[float, float, float, float]:
    """Return R-hat, bulk and tail effective size, and the standard error of the mean."""
    array_stats = _array_stats()
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # on parts of chains that are constant
        return (
            float(array_stats.rhat(_at_least_two(drawn))),
            float(array_stats.ess(drawn, method="bulk")),
            float(array_stats.ess(drawn, method="tail", prob=0.05)),
            float(array_stats.mcse(drawn, method="mean")),
        )


def _array_stats() -> Any:
    """Import ArviZ's statistics of plain arrays."""
    try:
        base: Any = import_module("arviz_stats.base")
    except ImportError as error:
        raise MissingExtraError.of("Diagnostics need arviz-stats", "posterior") from error
    return base.array_stats


def _at_least_two(drawn: Floats) -> Floats:
    """Split a single chain in halves; split R-hat then compares its quarters."""
    if len(drawn) > 1:
        return drawn
    half = drawn.shape[1] // 2
    return np.stack([drawn[0, :half], drawn[0, drawn.shape[1] - half :]])


# Acceptance ---------------------------------------------------------------------------------------


def _acceptance(draws: Draws) -> pd.DataFrame:
    import pandas as pd

    exchanges = [f"exchange {one:.3g} with {other:.3g}" for one, other in pairwise(draws.betas)]
    tried = np.hstack([draws.tried, draws.exchanges_tried])
    changed = np.hstack([draws.changed, draws.exchanged])
    used = np.flatnonzero(tried.any(axis=0))
    names = [[*MOVES, *exchanges][i] for i in used]
    chains = range(1, draws.n_chains + 1)
    table = pd.DataFrame(
        {"tried": tried[:, used].ravel(), "changed": changed[:, used].ravel()},
        index=pd.MultiIndex.from_product([chains, names], names=["chain", "move"]),
    )
    table["rate"] = table["changed"] / table["tried"].where(table["tried"] > 0)
    return table
