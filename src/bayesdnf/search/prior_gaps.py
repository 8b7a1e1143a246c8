"""Check of priors with gaps, which searches and samplers cannot cross in single steps."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..display.wording import listed
from ..errors import InputError
from ..model.posterior import Posterior

_MOST_TERMS = 1024  # largest number of terms that is checked


def require_steps(posterior: Posterior) -> None:
    """Refuse a prior with gaps that searches and samplers cannot cross.

    They add, remove or change one term at a time, and one literal of a term at a time. They cannot
    pass a number of terms without mass between two numbers with mass: all restarts or chains would
    stay on one side and agree. A gap in the sizes is crossed by births and deaths of whole terms,
    unless all allowed functions have the same number of terms, or required attributes forbid the
    function without the term.

    Raises
    ------
    InputError
        If there is such a gap.

    Examples
    --------
    >>> from bayesdnf import BitMatrix, Posterior, Prior, Tabulated, simulate
    >>> from bayesdnf.search.prior_gaps import require_steps
    >>> X, y, truth = simulate(100, 3, terms=(2,), random_state=0)
    >>> require_steps(Posterior(BitMatrix.from_table(X), y))
    >>> gap = Prior(count=Tabulated([0.5, 0, 0.5]))
    >>> require_steps(Posterior(BitMatrix.from_table(X), y, gap))
    Traceback (most recent call last):
        ...
    bayesdnf.errors.InputError: The prior on the number of terms allows 0, 2 but not 1, and ...
    """
    prior = posterior.prior
    most = _MOST_TERMS if prior.max_terms is None else min(prior.max_terms, _MOST_TERMS)
    counts = np.flatnonzero(np.isfinite(prior.count.log_table(max(1, most))))
    advice = "give these a small probability, or list all functions with Posterior.enumerate()"
    if len(counts) == 0:
        raise InputError(f"The prior allows no number of terms up to {most:,}.")
    # One term is where searches begin, also where the prior does not allow the null function.
    if missing := _missing(min(1, int(counts[0])), counts):
        raise InputError(
            f"The prior on the number of terms allows {_numbers(counts)} but not "
            f"{_numbers(missing)}, and searches and samplers add one term at a time: {advice}."
        )
    sizes = np.flatnonzero(np.isfinite(prior.size.log_table(posterior.bits.n_literals)))
    sizes = sizes[sizes > 0]
    missing = _missing(int(sizes[0]), sizes)
    if missing and (len(counts) == 1 or prior.required):
        why = "attributes are required" if prior.required else "all functions have as many terms"
        raise InputError(
            f"The prior on the size of terms allows {_numbers(sizes)} literals but not "
            f"{_numbers(missing)}, and where {why} searches and samplers add one literal at a "
            f"time: {advice}."
        )


def _missing(first: int, numbers: NDArray[np.intp]) -> list[int]:
    """Return the whole numbers from the first to the largest of these that are not among them."""
    missing: list[int] = np.setdiff1d(np.arange(first, numbers[-1] + 1), numbers).tolist()
    return missing


def _numbers(numbers: NDArray[np.intp] | list[int]) -> str:
    return listed(numbers, 4, show=str)
