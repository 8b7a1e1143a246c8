"""The result of a search, and its progress reports."""

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
        How many restarts ended at this score: the user's measure of trust.
    restarts : int
        How many restarts were counted.
    proved : bool
        Whether no allowed function scores higher.
    ways : int
        By how many different ways the restarts that ended at this score came there.
    near : int
        How many distinct functions the search came to that share this score or come within a nat
        of it, this one included.
    best : tuple of functions or lists
        The best distinct ones that restarts came to, the best first, 20 at most.
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
    """Called now and then with the restarts done, the most there will be, and the best score."""

    def __call__(self, done: int, most: int, best: float) -> None:
        """Report progress: restarts done, the most there will be, and the best score."""
        ...
