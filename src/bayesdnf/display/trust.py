"""Sentences about the reliability of a search: agreement of restarts, optimality gap."""

from __future__ import annotations

from typing import Protocol

from .wording import count

_ENDED = {
    "time limit": "the time limit was reached",
    "interrupted": "it was interrupted",
}
_ENDED_BY = {"time limit": "stopped by its time limit", "interrupted": "interrupted"}


class SearchOutcome(Protocol):
    """Protocol of a search's outcome."""

    @property
    def log_posterior(self) -> float:
        """Score of the best function or list."""
        ...

    @property
    def stopped(self) -> str:
        """Why the search ended."""
        ...

    @property
    def agreement(self) -> int:
        """Restarts that ended at this score."""
        ...

    @property
    def restarts(self) -> int:
        """Restarts in all."""
        ...

    @property
    def proved(self) -> bool:
        """Whether none scores higher."""
        ...

    @property
    def gap(self) -> float | None:
        """Optimality gap in nats: no function scores more than this above; None without a proof."""
        ...

    @property
    def ways(self) -> int:
        """Number of different strategies of the restarts that ended at this score."""
        ...

    @property
    def near(self) -> int:
        """How many were seen that share this score or come within a nat."""
        ...


def search_trust(search: SearchOutcome, what: str = "function", rule: str = "rule") -> str:
    """Return sentences about the agreement of restarts and the optimality gap.

    Parameters
    ----------
    search : SearchOutcome
        What the search says of itself.
    what : str, default="function"
        What was searched for: "function" or "list".
    rule : str, default="rule"
        What people call it.

    Examples
    --------
    >>> from bayesdnf.boolean import BooleanFunction
    >>> from bayesdnf.display.trust import search_trust
    >>> from bayesdnf.search.result import SearchResult
    >>> found = SearchResult(BooleanFunction(), -65.5, "agreement", 12, 16, ways=5, near=2)
    >>> print(search_trust(found))
    Search: 12 of 16 restarts, by 5 different strategies, ended at this log posterior, -65.5000;
    they agree, which is not a proof. 2 functions score the same or within one nat.
    """
    score = f"{search.log_posterior:,.4f}"
    if search.proved:
        return f"Search: no {what} scores higher than this one, {score} (proved)."
    by = f", by {search.ways} different strategies," if search.ways > 1 else ""
    restarts = count(search.restarts, "restart")
    said = f"{search.agreement} of {restarts}{by} ended at this log posterior, {score}"
    if search_is_sure(search):
        judged = f"{said}; they agree, which is not a proof."
    else:
        few = "too few restarts, or too few strategies, to rely on"
        judged = f"{said}; {few}: more restarts may find a better {rule}."
    ended = f"{_ENDED[search.stopped]}; " if search.stopped in _ENDED else ""
    near = f" {search.near:,} {what}s score the same or within one nat." if search.near > 1 else ""
    gap = (
        "" if search.gap is None else f" No {what} scores more than {search.gap:,.4g} nats higher."
    )
    return f"Search: {ended}{judged}{near}{gap}"


def ended_early(search: SearchOutcome, rule: str = "rule") -> str | None:
    """Say, of a search that found no rule, that it was ended too early to say there is none.

    None when it ended by itself, or proved its answer.

    Examples
    --------
    >>> from bayesdnf.boolean import BooleanFunction
    >>> from bayesdnf.display.trust import ended_early
    >>> from bayesdnf.search.result import SearchResult
    >>> ended_early(SearchResult(BooleanFunction(), -65.5, "time limit", 1, 1))
    'the search was stopped by its time limit before a rule was found'
    """
    if search.proved or search.stopped not in _ENDED_BY:
        return None
    return f"the search was {_ENDED_BY[search.stopped]} before a {rule} was found"


def search_is_sure(search: SearchOutcome) -> bool:
    """Return whether a result is proved, or enough restarts of different strategies agree."""
    return search.proved or search.stopped == "agreement"
