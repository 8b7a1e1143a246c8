"""Progress of running chains: in numbers, as a bar, and as lines on standard error."""

from __future__ import annotations

import contextlib
import math
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..display.bars import Bar
from .records import ChainRecord


class SoFar(NamedTuple):
    """Progress of running chains."""

    draws: int
    """Of each chain, warm-up included."""
    best: float
    mean: float
    """The highest log posterior, and the mean over the later half of the draws."""
    accepted: float
    """Share of the proposed changes that were made."""
    rhat: float
    """Of the log posterior, over the later half; NaN where it is not known."""


def so_far(records: Sequence[ChainRecord], with_rhat: bool = False) -> SoFar:
    """Summarise the records of running chains.

    Parameters
    ----------
    records : sequence of ChainRecord
        One for each chain.
    with_rhat : bool, default=False
        Whether to compute R-hat, if arviz-stats is installed.
    """
    scores = [
        np.concatenate(
            [np.empty(0), *((p.log_prior + p.log_likelihood)[p.draws] for p in record.pieces)]
        )
        for record in records
    ]
    draws = min(len(of_chain) for of_chain in scores)
    # Records do not mark warm-up; the first half of the draws is left out instead.
    later = np.stack([of_chain[draws // 2 : draws] for of_chain in scores])
    pieces = [piece for record in records for piece in record.pieces]
    tried = sum(int(piece.tried.sum()) for piece in pieces)
    return SoFar(
        draws=draws,
        best=max((float(of_chain.max()) for of_chain in scores if len(of_chain)), default=np.nan),
        mean=float(later.mean()) if later.size else np.nan,
        accepted=sum(int(piece.changed.sum()) for piece in pieces) / tried if tried else np.nan,
        rhat=_rhat(later) if with_rhat else np.nan,
    )


def _rhat(chains: NDArray[np.float64]) -> float:
    if chains.shape[0] < 2 or chains.shape[1] < 4 or np.ptp(chains) == 0:
        return np.nan
    try:
        base: Any = import_module("arviz_stats.base")
    except ImportError:
        return np.nan
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # on chains that are constant so far
        return float(base.array_stats.rhat(chains))


class DrawsBar(Bar):
    """Progress bar of chains: draws, best score, R-hat of the scores, acceptance rate."""

    width = 10  # on 80 columns there is room for no more
    _appeared = False

    def __call__(self, records: Sequence[ChainRecord], total: int) -> None:
        """Update the bar with the draws so far."""
        if not self.is_drawn:
            return
        now = so_far(records, with_rhat=self._appeared)
        if not now.draws:
            return
        rhat = "" if math.isnan(now.rhat) else f" R-hat {now.rhat:.2f}"
        status = f"best {now.best:,.1f}{rhat} accepted {now.accepted:.1%}"
        self.show(now.draws, total, status)

    def _appear(self) -> None:
        # In the timer's thread, parallel to the chains, because loading ArviZ takes a while.
        with contextlib.suppress(ImportError):
            import_module("arviz_stats.base")
        self._appeared = True
        super()._appear()


class DrawTeller:
    """Tells of chains on standard error: after each tenth of the draws, or whenever it can."""

    def __init__(self, verbose: int) -> None:
        self.verbose = verbose
        self.tenths = 0

    def __call__(self, records: Sequence[ChainRecord], total: int) -> None:
        """Print a line with the progress."""
        now = so_far(records)
        if self.verbose > 1 or 10 * now.draws // total > self.tenths:
            sys.stderr.write(
                f"Draw {now.draws:,} of {total:,}: log posterior {now.mean:.4f} on average, "
                f"{now.best:.4f} at best; {now.accepted:.1%} of changes accepted\n"
            )
        self.tenths = 10 * now.draws // total
