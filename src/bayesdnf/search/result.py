"""Result of a search, and the protocol of its progress callback."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from ..model.rule import Rule


@dataclass(frozen=True)
class SearchResult:
    """The best function found, with the agreement of restarts.

    Attributes
    ----------
    function : BooleanFunction or RuleList
        The best function found, or list where there may be several layers; the null function when
        nothing beats it.
    log_posterior : float
        Its score.
    stopped : str
        Why the search ended: "agreement", "restarts", "time limit", "interrupted" or "proved".
    agreement : int
        How many restarts ended at this score (docs/trust.md).
    restarts : int
        How many restarts were counted.
    proved : bool
        Whether no allowed function scores higher.
    ways : int
        How many different strategies the restarts used that ended at this score.
    near : int
        How many distinct functions the search found with a score within a nat of this one, this
        one included.
    best : tuple of functions or lists
        The best distinct functions that restarts found, best first, 20 at most.
    gap : float or None
        No allowed function scores more than this many nats higher; None where nothing was proved.
    """

    function: Rule
    log_posterior: float
    stopped: str
    agreement: int
    restarts: int
    proved: bool = False
    ways: int = 1
    near: int = 1
    best: tuple[Rule, ...] = ()
    gap: float | None = None


class SearchProgress(Protocol):
    """Callback with the restarts done, their maximum number, and the best score."""

    def __call__(self, done: int, most: int, best: float) -> None:
        """Report progress: restarts done, their maximum number, and the best score."""
        ...
