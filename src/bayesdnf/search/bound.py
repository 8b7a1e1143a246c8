"""bound: an upper bound on the score of any other function, relative to a given one.

``boxes`` partitions all functions into boxes and bounds each of them; docs/bound.md has the proof.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from ..boolean import BooleanFunction
from ..checks import seconds
from ..display.wording import count
from ..errors import InputError
from ..model.enumerate import LARGEST
from ..model.posterior import Posterior
from ..model.rule import Rule, as_rule
from .boxes import LEAST_SECONDS, Boxes
from .exact import best_function
from .result import SearchResult

_ENUMERATED = 5  # most literals whose functions are scored one by one


class BoundProgress(Protocol):
    """Callback with the numbers of finished and of open boxes, and the gap in nats."""

    def __call__(self, done: int, left: int, gap: float) -> None:
        """Report progress: boxes done, boxes left, and the gap in nats."""
        ...


def bound(
    posterior: Posterior,
    incumbent: Rule | str | None = None,
    *,
    time_limit: float | None = None,
    progress: BoundProgress | None = None,
) -> SearchResult:
    """Bound the optimality gap: how much higher any function can score than a given one.

    Parameters
    ----------
    posterior : Posterior
        The data and the priors, of one layer, one stratum and two classes.
    incumbent : BooleanFunction or str, optional
        The best known function, such as the result of :func:`hunt`; a better one makes the proof
        faster. By default the null function.
    time_limit : float, optional
        Seconds after which to return what is proved so far.
    progress : callable, optional
        Called as ``progress(done, left, gap)`` from time to time, with the numbers of finished and
        of open boxes, and the gap.

    Returns
    -------
    SearchResult
        ``gap``: no allowed function scores more than this many nats above ``function``, which is
        the incumbent or a better one that the proof found (infinite if neither is allowed).
        ``proved`` says that it is 0 (up to rounding, 1e-6 nats), ``stopped`` is "proved", "time
        limit", "interrupted" or "limits": no box can be split further, because there are too many
        candidate terms.

    Raises
    ------
    InputError
        When the posterior has several layers, several strata or more than two classes.

    Examples
    --------
    >>> from bayesdnf import BitMatrix, Posterior, bound, hunt, simulate
    >>> X, y, truth = simulate(300, 5, random_state=1)
    >>> posterior = Posterior(BitMatrix.from_table(X), y)
    >>> found = bound(posterior, hunt(posterior, random_state=0).function)
    >>> found.gap, found.proved
    (0.0, True)
    """
    seconds("time_limit", "bound", time_limit)
    if not posterior.simple:
        raise InputError(
            "bound takes functions of one layer, one stratum and two classes; the posterior has "
            f"{count(posterior.layers, 'layer')}, "
            f"{count(posterior.n_strata, 'stratum', 'strata')} and {posterior.n_classes} classes."
        )
    if posterior.bits.n_literals <= min(_ENUMERATED, LARGEST[posterior.prior.antichain]):
        return replace(best_function(posterior), gap=0.0)
    return bound_by_boxes(posterior, incumbent, time_limit, progress)


def bound_by_boxes(
    posterior: Posterior,
    incumbent: Rule | str | None,
    time_limit: float | None,
    progress: BoundProgress | None = None,
) -> SearchResult:
    """Bound the gap by boxes, even if all functions could be scored one by one."""
    search = Boxes(posterior, time_limit)
    stopped = "proved"
    try:
        search.offer(BooleanFunction() if incumbent is None else as_rule(incumbent))
        search.begin()
        while search.gap > 0:
            if search.over:
                stopped = "time limit"
                break
            if not search.step():
                stopped = "limits"
                break
            if progress is not None:
                progress(search.done, len(search.open), search.gap)
    except KeyboardInterrupt:
        stopped = "interrupted"
    gap = search.gap
    return SearchResult(
        function=search.function,
        log_posterior=search.score,
        stopped="proved" if gap == 0 else stopped,
        agreement=1,
        restarts=1,
        proved=gap == 0,
        gap=gap,
    )


def bounded(
    posterior: Posterior,
    found: SearchResult,
    time_limit: float | None,
    progress: BoundProgress | None = None,
) -> SearchResult:
    """Add the optimality gap to the result of a search.

    If the proof finds a better function, this function is returned; no restart ended there.
    """
    # ``bound`` takes no limit of 0, and the first box has a bound at once.
    limit = None if time_limit is None else max(time_limit, LEAST_SECONDS)
    reached = bound(posterior, found.function, time_limit=limit, progress=progress)
    stopped = reached.stopped if reached.stopped in ("proved", "interrupted") else found.stopped
    if reached.log_posterior > found.log_posterior:
        found = replace(found, agreement=0, ways=0, near=1, function=reached.function)
    return replace(
        found,
        log_posterior=reached.log_posterior,
        stopped=stopped,
        proved=reached.proved,
        gap=reached.gap,
    )
