"""diagnose: whether the chains of a run can be trusted, in numbers and in words.

On a discrete space a chain may be stuck and look perfect: R-hat of a constant is not a number and
its effective size is all of its draws. So what is constant is called constant, and the chains are
compared on the functions themselves; lists on how they part the rows.
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

from ..errors import MissingExtraError
from .kernel import MOVES
from .verdict import TOLERATED, acceptance_text, agreement_text, quantities_text, verdict_of

if TYPE_CHECKING:
    import pandas as pd

    from .draws import Draws
    from .shares import ChainShares

Floats = NDArray[np.float64]

_MOST_LITERALS = 50
_MOST_FUNCTIONS = 100
_BATCHES = 20
_REPEATS = 200


@dataclass(frozen=True, eq=False)
class Agreement:
    """How far chains agree on the probabilities of the most frequent functions.

    Lists that part the rows alike count as one here: chains need not agree on their layers.

    Parameters
    ----------
    n_functions : int
        How many functions were compared one by one; all others count as one more.
    variation : DataFrame
        Total variation between every two chains: 0 where their shares of the functions are equal,
        1 where they have no function in common.
    largest : float
        The largest of them.
    effective_size : float
        Independent draws that would give each chain's shares as much variance.
    expected, limit : float
        What the largest would be for chains of that many independent draws: on average, and 99
        times in 100 at most.
    inclusion : float
        Largest difference between two chains in the inclusion of any literal.
    literal : str
        That literal; empty when no function holds any.
    compared : {"functions", "partitions"}
        What was compared: functions, or the partitions that lists make.
    """

    n_functions: int
    variation: pd.DataFrame
    largest: float
    effective_size: float
    expected: float
    limit: float
    inclusion: float
    literal: str
    compared: str = "functions"

    @property
    def ok(self) -> bool:
        """Whether the largest variation is small, or not far from what chance explains."""
        return self.largest <= max(TOLERATED, self.limit, 1.5 * self.expected)


@dataclass(frozen=True, eq=False, repr=False)
class Diagnosis:
    """What the chains say of themselves and of each other; made by :func:`diagnose`.

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
        How far the chains agree; None when there is only one.
    acceptance : DataFrame
        By chain and move: how often it was ``tried``, how often it ``changed`` the function, and
        the ``rate``; with several temperatures also the exchanges between neighbours.
    ok : bool
        Whether nothing speaks against the draws.
    verdict : str
        The same in words, and what to do.
    """

    quantities: pd.DataFrame
    agreement: Agreement | None
    acceptance: pd.DataFrame
    ok: bool
    verdict: str

    def __str__(self) -> str:
        parts = [textwrap.fill(self.verdict, 96), quantities_text(self.quantities)]
        if self.agreement is not None:
            parts.append(agreement_text(self.agreement))
        parts.append(acceptance_text(self.acceptance))
        return "\n\n".join(parts)

    __repr__ = __str__


def diagnose(draws: Draws) -> Diagnosis:
    """Judge the chains of a run.

    Parameters
    ----------
    draws : Draws
        What they drew.

    Returns
    -------
    Diagnosis
        Print it to read it.

    Examples
    --------
    >>> from bayesdnf import BitMatrix, Posterior, sample, simulate
    >>> from bayesdnf.sampling.diagnostics import diagnose
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
    values = draws.scalars() | _indicators(draws, included)
    quantities = _quantities(values)
    agreement = _agreement(draws, included) if draws.n_chains > 1 else None
    ok, verdict = verdict_of(draws, values, quantities, agreement)
    return Diagnosis(quantities, agreement, _acceptance(draws), ok, verdict)


# Quantities ---------------------------------------------------------------------------------------


def _indicators(draws: Draws, included: ChainShares) -> dict[str, Floats]:
    """Whether each draw holds a literal, for the literals that matter, most variable first."""
    shares = included.probability
    overall = shares.mean(axis=0)
    differs = np.ptp(shares, axis=0) > 0.01
    matters = np.flatnonzero(((overall >= 0.01) & (overall <= 0.99)) | differs)
    variance = overall * (1 - overall)
    matters = matters[np.argsort(-variance[matters], kind="stable")][:_MOST_LITERALS]
    holders = draws.holding(matters)
    scalars = draws.scalars()
    indicators = {}
    for number, holds in zip(matters.tolist(), holders, strict=True):
        name = included.names[number]
        # A 0/1 column may be called pi0: quoted, its name is still its literal's text.
        indicators[f'"{name}"' if name in scalars else name] = holds[draws.index].astype(np.float64)
    return indicators


def _quantities(values: dict[str, Floats]) -> pd.DataFrame:
    import pandas as pd

    rows = {}
    for name, drawn in values.items():
        constant = bool((drawn == drawn[:, :1]).all())
        numbers = (math.nan,) * 4 if constant else _statistics(drawn)
        spread = float(drawn.std(ddof=1)) if drawn.size > 1 else math.nan
        rows[name] = (float(drawn.mean()), spread, *numbers, constant)
    return pd.DataFrame.from_dict(
        rows,
        orient="index",
        columns=["mean", "sd", "r_hat", "ess_bulk", "ess_tail", "mcse", "constant"],
    ).rename_axis("quantity")


def _statistics(drawn: Floats) -> tuple[float, float, float, float]:
    """R-hat, bulk and tail effective size, and the standard error of the mean."""
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
    """ArviZ's statistics of plain arrays."""
    try:
        base: Any = import_module("arviz_stats.base")
    except ImportError as error:
        raise MissingExtraError.of("Diagnostics need arviz-stats", "posterior") from error
    return base.array_stats


def _at_least_two(drawn: Floats) -> Floats:
    """Of a single chain its halves: R-hat then compares its quarters."""
    if len(drawn) > 1:
        return drawn
    half = drawn.shape[1] // 2
    return np.stack([drawn[0, :half], drawn[0, drawn.shape[1] - half :]])


# Agreement ----------------------------------------------------------------------------------------


def _agreement(draws: Draws, included: ChainShares) -> Agreement:
    import pandas as pd

    answers = draws.answers
    kinds = min(_MOST_FUNCTIONS, len(answers))
    places = np.minimum(answers.of[draws.index], kinds)  # numbered by how frequent they are
    shares = _shares(places[:, None], kinds + 1)[:, 0]
    variation = _variation(shares)
    size = _effective_size(places, kinds + 1)
    by_chance = _variation_by_chance(shares.mean(axis=0), size, draws.n_chains)
    apart = np.ptp(included.probability, axis=0)
    chains = pd.RangeIndex(1, draws.n_chains + 1, name="chain")
    return Agreement(
        n_functions=kinds,
        variation=pd.DataFrame(variation, index=chains, columns=chains),
        largest=float(variation.max()),
        effective_size=size,
        expected=float(by_chance.mean()),
        limit=float(np.quantile(by_chance, 0.99)),
        inclusion=float(apart.max(initial=0.0)),
        literal=included.names[int(apart.argmax())] if len(apart) else "",
        compared="functions" if draws.layers == 1 else "partitions",
    )


def _shares(places: NDArray[np.int64], kinds: int) -> Floats:
    """Shares of each kind along the last axis: (chains, batches, draws) to (…, …, kinds)."""
    n_chains, n_batches, length = places.shape
    row = np.arange(n_chains * n_batches)[:, None] * kinds
    counts = np.bincount(
        (row + places.reshape(-1, length)).ravel(), minlength=n_chains * n_batches * kinds
    )
    return np.asarray(counts.reshape(n_chains, n_batches, kinds) / length)


def _variation(shares: Floats) -> Floats:
    """Total variation between every two rows."""
    return np.stack([np.abs(shares - row).sum(axis=1) / 2 for row in shares])


def _effective_size(places: NDArray[np.int64], kinds: int) -> float:
    """Independent draws of a chain that would give its shares as much variance.

    By batch means about each chain's own: chains that disagree do not look shorter for it, so what
    they differ by cannot explain itself.
    """
    n_draws = places.shape[1]
    n_batches = min(_BATCHES, n_draws // 2)
    if n_batches < 2:
        return float(n_draws)
    length = n_draws // n_batches
    batches = places[:, : n_batches * length].reshape(len(places), n_batches, length)
    shares = _shares(batches, kinds)
    mean = shares.mean(axis=1)
    of_one = (mean * (1 - mean)).sum() * n_draws / (n_draws - 1)
    of_batch = shares.var(axis=1, ddof=1).sum()
    if of_batch == 0:  # no chain ever moved, or all batches are alike
        return float(n_draws)
    return float(n_draws * min(1.0, of_one / (length * of_batch)))


def _variation_by_chance(probabilities: Floats, size: float, n_chains: int) -> Floats:
    """Largest total variation between chains of so many independent draws, several times."""
    rng = np.random.default_rng(0)
    n = max(1, round(size))
    drawn = rng.multinomial(n, probabilities / probabilities.sum(), size=(_REPEATS, n_chains)) / n
    largest = np.zeros(_REPEATS)
    for chain in range(1, n_chains):
        apart = np.abs(drawn[:, :chain] - drawn[:, chain : chain + 1]).sum(axis=2) / 2
        np.maximum(largest, apart.max(axis=1), out=largest)
    return largest


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
