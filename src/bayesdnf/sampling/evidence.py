"""Comparison of priors by evidence: the probability of the outcome under each prior."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..data.bits import BitMatrix
from ..errors import ParameterError
from ..model.effect import Effect
from ..model.posterior import Posterior
from ..model.prior import Prior
from .draws import Draws
from .run import sample
from .tempered import log_evidence

if TYPE_CHECKING:
    import pandas as pd


class Evidence(NamedTuple):
    """Log evidence, estimated by several chains."""

    mean: float
    """Mean over the chains of log P(y)."""
    spread: float
    """Standard deviation between them; NaN for one chain."""


def drawn_evidence(drawn: Draws) -> Evidence | None:
    """Estimate the log evidence by stepping stones; None without inverse temperature 0."""
    if drawn.betas[-1] != 0:
        return None
    # Chain by chain: they are independent, so their spread estimates the error of each.
    logs = np.array([log_evidence(chain, drawn.betas) for chain in drawn.likelihoods])
    spread = float(logs.std(ddof=1)) if len(logs) > 1 else np.nan
    return Evidence(float(logs.mean()), spread)


def compare_priors(
    bits: BitMatrix,
    y: Any,
    priors: Mapping[str, Prior],
    *,
    effect: Effect | None = None,
    positive: Any = None,
    layers: int = 1,
    strata: Any = None,
    draws: int = 1000,
    warmup: int = 500,
    chains: int = 4,
    thin: int = 50,
    n_jobs: int = 1,
    random_state: int | np.random.SeedSequence | None = None,
    progress: Callable[[str], None] | None = None,
) -> pd.DataFrame:
    """Compare priors by their evidence, each sampled with the tempered kernel.

    Every prior is renormalised to the functions that it allows on the table, so that priors with
    different restrictions can be compared too.

    Parameters
    ----------
    bits : BitMatrix
        The table.
    y : array-like
        The outcome.
    priors : mapping of names to Prior
        The priors, by name.
    effect : Effect, optional
        Priors of the rates.
    positive : label, optional
        Which class is positive.
    layers : int, default=1
        The most layers of a list, as in :class:`~bayesdnf.Posterior`.
    strata : array-like, optional
        A label for each row, as in :class:`~bayesdnf.Posterior`.
    draws, warmup, chains, thin, n_jobs, random_state
        As in :func:`~bayesdnf.sample`.
    progress : callable, optional
        Called with the name of each prior before it is sampled.

    Returns
    -------
    DataFrame
        By name, the highest evidence first: ``log_evidence``, ``spread`` (standard deviation
        between chains), ``probability`` of the prior when all of them are equally probable before,
        and ``null_probability``, the probability of no marker under it.

    Examples
    --------
    >>> from bayesdnf import BitMatrix, Poisson, Prior, compare_priors, simulate
    >>> X, y, truth = simulate(150, 10, terms=(2,), random_state=0)
    >>> priors = {"short terms": Prior(size=Poisson(1)), "long terms": Prior(size=Poisson(6))}
    >>> compared = compare_priors(
    ...     BitMatrix.from_table(X), y, priors, draws=100, warmup=50, random_state=0
    ... )
    >>> list(compared.index)
    ['short terms', 'long terms']
    """
    import pandas as pd

    if not isinstance(priors, Mapping) or not priors:
        raise ParameterError.of("priors", "compare_priors", "a mapping of names to priors", priors)
    rows = {}
    for name, prior in priors.items():
        if progress is not None:
            progress(name)
        drawn = sample(
            Posterior(bits, y, prior, effect, positive=positive, layers=layers, strata=strata),
            kernel="tempered",
            draws=draws,
            warmup=warmup,
            chains=chains,
            thin=thin,
            n_jobs=n_jobs,
            random_state=random_state,
        )
        found = drawn_evidence(drawn)
        assert found is not None  # the tempered kernel reaches the prior
        rows[name] = (found.mean, found.spread, drawn.null_probability)
    table = pd.DataFrame.from_dict(
        rows, orient="index", columns=["log_evidence", "spread", "null_probability"]
    )
    # Bayes' theorem with equal prior odds; subtracting the largest avoids overflow.
    weights = np.exp(table["log_evidence"] - table["log_evidence"].max())
    table.insert(2, "probability", weights / weights.sum())
    return table.sort_values("log_evidence", ascending=False, kind="stable")
