"""hunt: our search for the best function, and the default.

Restart 0 is a large-neighbourhood search with beams of growing width; each later restart is one
run of informed annealing from an empty function, polished. Restarts are numbered, each has its own
random stream, and stopping is decided in their order: the result does not depend on threads.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

import numpy as np

from .. import _native
from ..boolean import BooleanFunction
from ..errors import ParameterError
from ..model.posterior import Posterior
from .result import Progress, SearchResult

# Scores closer than this are the same function, or one with equal columns in it.
_SAME = 1e-9

Found = tuple[list[list[int]], float]


def hunt(
    posterior: Posterior,
    *,
    restarts: int = 100,
    agree: int = 5,
    steps: int = 4000,
    time_limit: float | None = None,
    n_jobs: int = 1,
    random_state: int | np.random.SeedSequence | None = None,
    progress: Progress | None = None,
) -> SearchResult:
    """Search for the function with the highest posterior.

    Parameters
    ----------
    posterior : Posterior
        The data and the priors.
    restarts : int, default=100
        Most restarts.
    agree : int, default=5
        Stop when this many restarts have ended at the best score.
    steps : int, default=4000
        Steps of informed annealing in a restart.
    time_limit : float, optional
        Seconds after which to return the best so far.
    n_jobs : int, default=1
        Threads; the result does not depend on their number.
    random_state : int or SeedSequence, optional
        Seed of the restarts' random streams.
    progress : callable, optional
        Called as ``progress(done, most, best)`` while the search runs.

    Returns
    -------
    SearchResult
        The best function; ``stopped`` says why the search ended and ``agreement`` how many
        restarts found it. Ctrl-C ends the search too and returns the best so far.

    Examples
    --------
    >>> from bayesdnf import BitMatrix, Posterior, hunt, simulate
    >>> X, y, truth = simulate(500, 20, random_state=1)
    >>> found = hunt(Posterior(BitMatrix.from_table(X), y), random_state=0)
    >>> found.function == truth, found.stopped
    (True, 'agreement')
    """
    for name, value, least in (("restarts", restarts, 1), ("agree", agree, 1), ("steps", steps, 1)):
        if value < least:
            raise ParameterError.of(name, "hunt", f"{least} or more", value)
    if n_jobs < 1:
        raise ParameterError.of("n_jobs", "hunt", "1 or more", n_jobs)
    if time_limit is not None and not time_limit > 0:
        raise ParameterError.of("time_limit", "hunt", "above 0, or None", time_limit)
    tally = _Tally(agree)
    stop = _native.StopFlag()
    if time_limit is not None:
        stop.set_deadline(time_limit)
    runner = _Restarts(posterior, steps, random_state, stop)
    stopped = "restarts"
    try:
        for found in runner.in_order(restarts, n_jobs):
            tally.add(found)
            if progress is not None:
                progress(tally.restarts, restarts, tally.score)
            if stop():
                stopped = "time limit"
                break
            if tally.agreement >= agree:
                stopped = "agreement"
                break
    except KeyboardInterrupt:
        stopped = "interrupted"
        for found in runner.unfinished():
            tally.add(found)
    finally:
        stop.stop()
    return SearchResult(
        function=_as_function(posterior, tally.terms),
        log_posterior=tally.score,
        stopped=stopped,
        agreement=tally.agreement,
        restarts=tally.restarts,
    )


class _Tally:
    """The best of the restarts so far, and how many ended there."""

    def __init__(self, agree: int) -> None:
        self.terms: list[list[int]] = []
        self.score = -np.inf
        self.agreement = 0
        self.restarts = 0

    def add(self, found: Found) -> None:
        terms, score = found
        self.restarts += 1
        if score > self.score + _SAME or self.restarts == 1:
            self.terms, self.score, self.agreement = terms, score, 1
        elif score >= self.score - _SAME:
            self.agreement += 1


class _Restarts:
    """Numbered restarts on threads, handed out in their order."""

    def __init__(
        self,
        posterior: Posterior,
        steps: int,
        random_state: int | np.random.SeedSequence | None,
        stop: _native.StopFlag,
    ) -> None:
        self.posterior = posterior
        self.steps = steps
        self.stop = stop
        seed = random_state
        self.seeds = (
            seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
        )
        self.running: dict[int, Future[Found]] = {}

    def run(self, index: int) -> Found:
        """Run one restart."""
        if index == 0:
            return self._widening_beam()
        child = np.random.SeedSequence(self.seeds.entropy, spawn_key=(*self.seeds.spawn_key, index))
        key = [int(word) for word in child.generate_state(2, np.uint64)]
        rng = _native.Philox(key)
        return _native.restart(self.posterior.native, rng, self.steps, 0.05, 1.0, 32, self.stop)

    def _widening_beam(self) -> Found:
        """Rebuild with wider and wider beams until twice nothing changes."""
        terms: list[list[int]] = []
        score, width, unchanged = -np.inf, 8, 0
        widest = max(32, self.posterior.bits.n_literals // 10)
        while not self.stop():
            terms, now = _native.beam_search(self.posterior.native, terms, width, self.stop)
            unchanged = 0 if now > score + _SAME else unchanged + 1
            score = now
            if width >= widest and unchanged:
                break
            width = min(4 * width, max(widest, width + 1))
        return terms, score

    def in_order(self, most: int, n_jobs: int) -> Iterator[Found]:
        """Yield results by number; a few later restarts run ahead."""
        with ThreadPoolExecutor(n_jobs) as pool:
            try:
                submitted = 0
                for index in range(most):
                    while submitted < min(most, index + n_jobs):
                        self.running[submitted] = pool.submit(self.run, submitted)
                        submitted += 1
                    future = self.running[index]
                    while not wait([future], timeout=0.1, return_when=FIRST_COMPLETED).done:
                        pass  # the main thread stays free to hear Ctrl-C
                    del self.running[index]
                    yield future.result()
            finally:
                self.stop.stop() if self.running else None

    def unfinished(self) -> Iterator[Found]:
        """Yield what interrupted restarts had found when they were stopped."""
        self.stop.stop()
        for index in sorted(self.running):
            yield self.running[index].result()


def _as_function(posterior: Posterior, terms: list[list[int]]) -> BooleanFunction:
    table = posterior.bits.table
    return BooleanFunction([[table[i] for i in term] for term in terms])
