"""How far to trust the answer of a search, in words."""

from __future__ import annotations

from typing import Protocol

_STOPPED = {
    "agreement": "enough restarts agreed",
    "restarts": "all restarts were used",
    "time limit": "the time limit was reached",
    "interrupted": "it was interrupted",
    "proved": "no function scores higher (proved)",
}


class SearchOutcome(Protocol):
    """What a search says about itself."""

    @property
    def log_posterior(self) -> float:
        """Score of the best function."""
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
        """Whether no function scores higher."""
        ...


def search_trust(search: SearchOutcome) -> str:
    """Say why a search ended and how far its restarts agreed, which is no proof."""
    said = (
        f"Search: {_STOPPED.get(search.stopped, search.stopped)}. {search.agreement} of "
        f"{search.restarts} restart{'s' * (search.restarts != 1)} ended at this log posterior, "
        f"{search.log_posterior:,.4f}"
    )
    if search.proved:
        return f"{said}."
    if search_is_sure(search):
        return f"{said}: they agree, which is not a proof."
    return f"{said}: too few to be sure of; another seed or more restarts may find a better rule."


def search_is_sure(search: SearchOutcome) -> bool:
    """Whether an answer is proved, or most restarts ended at it."""
    return search.proved or 2 * search.agreement >= search.restarts > 1
