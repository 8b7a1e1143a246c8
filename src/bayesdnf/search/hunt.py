"""hunt: our search for the best function, and the default.

Restart 0 is a large-neighbourhood search with beams of growing width. Every later restart is a run
of informed annealing from the empty function whose result is rebuilt by beam and polished.
Restarts come in rounds; while too few agree, the next round anneals four times as long, and counts
anew, since short runs can agree on what longer ones leave behind. Restarts are numbered, each has
its own random stream, and everything is decided in their order, so the result does not depend on
threads.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from numbers import Real

import numpy as np

from .. import _native
from ..boolean import BooleanFunction
from ..checks import whole
from ..errors import InputError, ParameterError
from ..model.posterior import Posterior, as_function
from ..model.streams import NumberedRuns, Streams
from .result import SearchProgress, SearchResult

# Scores closer than this are the same function, or one with equal columns in it.
_SAME = 1e-9
_LONGER = 4  # how much longer each round anneals than the one before
_FEWEST_STEPS = 50
# Annealing starts where the whole likelihood is worth about this many nats: hot enough to go
# anywhere, and not so hot that small tables spend their steps there.
_HOT_NATS = 60
_HOTTEST_RANGE = (0.02, 0.3)

Found = tuple[list[list[int]], float]


def hunt(
    posterior: Posterior,
    *,
    restarts: int = 40,
    agree: int = 5,
    steps: int = 8000,
    time_limit: float | None = None,
    n_jobs: int = 1,
    random_state: int | np.random.SeedSequence | None = None,
    progress: SearchProgress | None = None,
    starts: Sequence[BooleanFunction | str] = (),
) -> SearchResult:
    """Search for the function with the highest posterior.

    Parameters
    ----------
    posterior : Posterior
        The data and the priors.
    restarts : int, default=40
        Most restarts.
    agree : int, default=5
        Stop when this many restarts of one length have ended at the best score. It is also the
        number of restarts in a round.
    steps : int, default=8000
        Steps of annealing in a restart of the first round on a small table; on larger ones
        there are fewer, so that a restart's work stays within bounds.
    time_limit : float, optional
        Seconds after which to return the best so far.
    n_jobs : int, default=1
        Threads; the result does not depend on their number.
    random_state : int or SeedSequence, optional
        Seed of the restarts' random streams.
    progress : callable, optional
        Called as ``progress(done, most, best)`` after each restart, and while one is waited for.
    starts : sequence of functions, optional
        Functions to start from as well, each bettered as far as it goes before the restarts
        begin; they do not count as restarts, nor in the agreement.

    Returns
    -------
    SearchResult
        The best function; ``stopped`` says why the search ended and ``agreement`` how many
        restarts found it. Ctrl-C ends the search too and returns the best so far.

    Raises
    ------
    InputError
        When it comes to no function that the prior allows.

    Examples
    --------
    >>> from bayesdnf import BitMatrix, Posterior, hunt, simulate
    >>> X, y, truth = simulate(500, 20, random_state=1)
    >>> found = hunt(Posterior(BitMatrix.from_table(X), y), random_state=0)
    >>> found.function == truth, found.stopped
    (True, 'agreement')
    """
    for name, value in (
        ("restarts", restarts),
        ("agree", agree),
        ("steps", steps),
        ("n_jobs", n_jobs),
    ):
        whole(name, "hunt", value, 1)
    if time_limit is not None and not (isinstance(time_limit, Real) and time_limit > 0):
        raise ParameterError.of("time_limit", "hunt", "above 0, or None", time_limit)
    stop = _native.StopFlag()
    if time_limit is not None:
        stop.set_deadline(time_limit)
    restart = _Restart(posterior, steps, agree, n_jobs, Streams(random_state, "hunt"), stop)
    tally = _Tally(restart)

    def tell() -> None:
        if progress is not None:
            progress(tally.restarts, restarts, max(tally.score, restart.beam_score))

    runs = NumberedRuns(restart, stop, tell)
    stopped = "restarts"
    offered = NumberedRuns(partial(restart.bettered, _ids(posterior, starts)), stop)
    try:
        for found in offered.in_order(range(len(starts)), n_jobs):
            tally.know(found)
        for found in _rounds(runs, restarts, agree, n_jobs):
            tally.add(found)
            tell()
            if stop():
                stopped = "time limit"
                break
            if tally.agreement_now >= agree:
                stopped = "agreement"
                break
    except KeyboardInterrupt:
        stopped = "interrupted"
        for found in runs.unfinished():
            tally.add(found)
    if tally.score == -math.inf and stopped in ("agreement", "restarts"):
        raise InputError(
            "The search came to no function that the prior allows on this table; it goes from one "
            "number of terms to the next, and each of them up to what is wanted needs some mass."
        )
    table = posterior.bits.table
    return SearchResult(
        function=BooleanFunction([[table[i] for i in term] for term in tally.terms]),
        log_posterior=tally.score,
        stopped=stopped,
        agreement=tally.agreement,
        restarts=tally.restarts,
    )


def _ids(posterior: Posterior, starts: Sequence[BooleanFunction | str]) -> list[list[list[int]]]:
    terms = []
    for start in map(as_function, starts):
        reason = posterior.support.reason(start)
        if reason is not None:
            raise InputError(f"The search cannot start from {start}: {reason}.")
        terms.append(posterior.support.ids(start))
    return terms


def _rounds(runs: NumberedRuns[Found], most: int, agree: int, n_jobs: int) -> Iterator[Found]:
    """Yield restarts round by round: none of a round starts before the last one is judged.

    The first restart has all threads to itself: its widest beams are what a large table waits for.
    """
    yield from runs.in_order(range(1), 1)
    if min(agree, most) > 1:
        yield from runs.in_order(range(1, min(agree, most)), n_jobs)
    for first in range(agree, most, agree):
        yield from runs.in_order(range(first, min(first + agree, most)), n_jobs)


class _Tally:
    """The best of the restarts so far, and how many ended there."""

    def __init__(self, restart: _Restart) -> None:
        self._restart = restart
        self.terms: list[list[int]] = []
        self.score = -math.inf
        self.agreement = 0
        self.agreement_now = 0  # among restarts as long as the last one
        self.restarts = 0

    def know(self, found: Found) -> None:
        """Take note of a function that no restart came to by itself."""
        if found[1] > self.score + _SAME:
            self.terms, self.score = found

    def add(self, found: Found) -> None:
        terms, score = found
        number = self.restarts
        if number > 1 and self._restart.length(number) != self._restart.length(number - 1):
            self.agreement_now = 0
        if score > self.score + _SAME or (number == 0 and not self.score > -math.inf):
            self.terms, self.score, self.agreement, self.agreement_now = terms, score, 1, 1
        elif score >= self.score - _SAME:
            self.agreement += 1
            self.agreement_now += 1
        self.restarts += 1


class _Restart:
    """Does the restart of a number."""

    def __init__(
        self,
        posterior: Posterior,
        steps: int,
        agree: int,
        n_jobs: int,
        streams: Streams,
        stop: _native.StopFlag,
    ) -> None:
        self.posterior = posterior
        self.agree = agree
        self.n_jobs = n_jobs
        self.streams = streams
        self.stop = stop
        self.beam_score = -math.inf  # of the first restart so far
        p = posterior.bits.n_literals
        # What a step costs: a look at each literal, and eight words of its rows for the same price.
        cost = p * (16 + posterior.bits.view().n_words / 8)
        fewest = min(steps, _FEWEST_STEPS)
        self.first = max(fewest, round(steps * min(1, 2000 / cost)))
        self.last = max(self.first, round(4 * steps * min(1, 8000 / cost) ** 2))
        hottest = _HOT_NATS / max(1e-9, -posterior.log_likelihood(BooleanFunction()))
        self.hottest = min(max(hottest, _HOTTEST_RANGE[0]), _HOTTEST_RANGE[1])
        self.width = max(8, round(1.3 * math.sqrt(p)))
        self.widest = max(32, min(p, 1000), p // 10)

    def __call__(self, number: int) -> Found:
        if number == 0:
            return self._widening_beam()
        return _native.restart(
            self.posterior.native,
            self.streams[number],
            self.length(number),
            self.hottest,
            min(self.widest, self.width * 2 ** (number // self.agree)),
            self.stop,
        )

    def bettered(self, starts: list[list[list[int]]], number: int) -> Found:
        """Better the start of a number."""
        return _native.beam_search(self.posterior.native, starts[number], self.width, 1, self.stop)

    def length(self, number: int) -> int:
        """Count the steps of annealing in a restart."""
        return int(min(self.last, self.first * _LONGER ** (number // self.agree)))

    def _widening_beam(self) -> Found:
        """Rebuild with wider and wider beams until the widest changes nothing."""
        terms: list[list[int]] = []
        score, width = -math.inf, 8
        while True:
            terms, now = _native.beam_search(
                self.posterior.native, terms, width, self.n_jobs, self.stop
            )
            self.beam_score = now
            if self.stop() or (width >= self.widest and now <= score + _SAME):
                return terms, now
            score, width = now, min(4 * width, max(self.widest, width))
