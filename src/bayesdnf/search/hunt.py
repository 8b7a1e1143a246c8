"""hunt: the default search for the best function or list of layers.

Restarts are numbered and run in rounds of eight. Each has a strategy (see ``ways``): beam search,
annealing, or recombination of terms of earlier restarts. Its result is rebuilt by beam search and
polished. A search ends when enough restarts, by different strategies, have ended at the best score
and hardly any good function was seen only once: if restarts end at many different functions, the
next one may end at a better one. Until then restarts anneal longer and use wider beams. Each has
its own random stream and decisions follow their numbers, so the result does not depend on threads.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from .. import _native
from ..checks import MOST_64, seconds, whole
from ..display.wording import count
from ..errors import ClusterError, InputError
from ..gpu.sweeping import on_device
from ..model.flat_functions import as_flat
from ..model.posterior import Posterior
from ..model.rule import Rule, as_rule
from ..model.streams import NumberedRuns, Streams
from ..remote.clusters import Cluster, active_cluster
from ..remote.numbered import RemoteRuns
from ..remote.on_worker import once
from ..remote.posteriors import SharedPosterior
from .prior_gaps import require_steps
from .restarts.kept_ends import KeptEnds
from .restarts.restart import Known, Restart
from .restarts.tally import End, Tally
from .restarts.ways import ROUND, Terms
from .result import SearchProgress, SearchResult

_BEST = 20  # maximum number of functions in SearchResult.best


def hunt(
    posterior: Posterior,
    *,
    restarts: int | None = None,
    agree: int = 32,
    steps: int = 100,
    time_limit: float | None = None,
    n_jobs: int = 1,
    random_state: int | np.random.SeedSequence | None = None,
    progress: SearchProgress | None = None,
    starts: Sequence[Rule | str] = (),
    device: str = "auto",
    checkpoint: str | os.PathLike[str] | None = None,
) -> SearchResult:
    """Search for the function with the highest posterior.

    Parameters
    ----------
    posterior : Posterior
        The data and the priors.
    restarts : int, optional
        Maximum number of restarts. None: 256, or twice as many as it took to find the best
        function, up to 512; 1,024 on a small table while fewer than three independent restarts
        have found the best function.
    agree : int, default=32
        How many restarts must have ended at the best score before the search may stop; half as many
        suffice if nine in ten of the independent ones did. One of these must have found it before
        they were rebuilt, unless the table is large; four if fewer than nine in ten ended there,
        eight if under a quarter did. At least two strategies must have found it, and hardly any
        function near the best score may have been seen only once (docs/trust.md).
    steps : int, default=100
        Steps of annealing in one of the first 64 restarts on a small table; later ones take twice
        as many. On larger tables there are fewer, so that a restart's work stays within bounds.
    time_limit : float, optional
        Seconds after which to return the best so far.
    n_jobs : int, default=1
        Threads; the result does not depend on their number. Under an active joblib backend of
        Dask or Ray its workers do the restarts instead.
    random_state : int or SeedSequence, optional
        Seed of the restarts' random streams.
    progress : callable, optional
        Called as ``progress(done, most, best)`` after each restart, and while one is waited for.
    starts : sequence of functions, optional
        Functions to improve before the restarts begin; they do not count as restarts, nor in the
        agreement.
    device : {"auto", "cpu", "cuda"}, default="auto"
        What counts rows: the processor or an NVIDIA GPU (extra ``cuda12`` or ``cuda13``), which
        "auto" takes for large tables where there is one. The result does not depend on it.
    checkpoint : path, optional
        File in which to keep where restarts ended; if that of this very search is there, its
        restarts are not done again.

    Returns
    -------
    SearchResult
        The best function; ``stopped`` says why the search ended, ``agreement`` how many restarts
        found it and ``ways`` by how many strategies. Ctrl-C ends the search too and returns the
        best so far.

    Raises
    ------
    InputError
        When no function that the prior allows is found, or the prior has gaps that one step does
        not cross.

    Examples
    --------
    >>> from bayesdnf import BitMatrix, Posterior, hunt, simulate
    >>> X, y, truth = simulate(500, 20, random_state=1)
    >>> found = hunt(Posterior(BitMatrix.from_table(X), y), random_state=0)
    >>> found.function == truth, found.stopped
    (True, 'agreement')
    """
    if restarts is not None:
        whole("restarts", "hunt", restarts, 1, besides="or None")
    whole("agree", "hunt", agree, 1)
    whole("n_jobs", "hunt", n_jobs, 1)
    whole("steps", "hunt", steps, 1, MOST_64)
    seconds("time_limit", "hunt", time_limit)
    require_steps(posterior)
    stop = _native.StopFlag()
    if time_limit is not None:
        stop.set_deadline(time_limit)
    streams = Streams(random_state, "hunt")
    restart = Restart(posterior, steps, streams, stop)
    tally = Tally(agree, small=restart.first == steps)

    def most() -> int:
        return restarts or tally.most()

    def tell() -> None:
        if progress is not None:
            progress(tally.restarts, most(), max(tally.score, restart.reached))

    stopped = "restarts"
    given = _starts(posterior, starts)
    kept = KeptEnds(checkpoint, posterior, given, stop, steps=steps, seed=streams.name)
    cluster = active_cluster()
    runs: NumberedRuns[End] | RemoteRuns[End] = NumberedRuns(restart, stop, tell)
    offered: NumberedRuns[End] | RemoteRuns[End] = NumberedRuns(
        partial(restart.bettered, given), stop
    )
    if cluster is not None:
        ends = math.inf if time_limit is None else time.monotonic() + time_limit
        send = _sender(restart, steps, cluster, ends)
        runs = RemoteRuns(cluster, do_restart, send, tell)
        offered = RemoteRuns(cluster, do_restart, lambda i: send(i)._replace(start=given[i]), tell)
    try:
        with on_device(posterior.bits, device if cluster is None else "cpu", "hunt"):
            for end in kept.in_order("starts", offered, range(len(starts)), n_jobs):
                tally.know(end)
            for end in _rounds(kept, runs, restart, tally, most, n_jobs):
                tally.add(end)
                tell()
                if stop():
                    stopped = "time limit"
                    break
                if tally.restarts % ROUND == 0 and tally.agrees():
                    # Where a last, longer look finds a better function, the restarts agreed on a
                    # wrong one.
                    if tally.know(restart.looked_further(tally.terms, tally.score)):
                        continue
                    stopped = "time limit" if stop() else "agreement"
                    break
    except KeyboardInterrupt:
        stopped = "interrupted"
        for end in offered.unfinished():
            tally.know(end)
        for end in runs.unfinished():
            tally.add(end)
    except ClusterError as error:
        if tally.score == -math.inf:
            raise
        if kept.file is not None:
            kept.save()
            raise error.saved_in(kept.file.path) from error
        best_now = posterior.spell(as_flat([tally.terms]), 0)
        raise ClusterError(
            f"{error} {count(tally.restarts, 'restart')} had ended and could not be saved: there "
            f"is no checkpoint. The best function so far: {best_now}"
        ) from error
    kept.save()
    if tally.score == -math.inf and stopped in ("agreement", "restarts"):
        raise InputError(
            "The search found no function that the prior allows on this table. Relax what it "
            "demands, such as min_cover, required attributes or the sizes of terms."
        )
    best = as_flat(tally.best(_BEST))
    return SearchResult(
        function=posterior.spell(as_flat([tally.terms]), 0),
        log_posterior=tally.score,
        stopped=stopped,
        agreement=tally.agreement,
        restarts=tally.restarts,
        ways=len(tally.kinds),
        near=tally.near(),
        best=tuple(posterior.spell(best, i) for i in range(len(best.term_starts) - 1)),
    )


def _starts(posterior: Posterior, starts: Sequence[Rule | str]) -> list[Terms]:
    given = []
    for start in map(as_rule, starts):
        reason = posterior.support.reason(start)
        if reason is not None:
            raise InputError(f"The search cannot start from {start}: {reason}.")
        given.append(tuple((g, tuple(term)) for g, term in posterior.support.layered_ids(start)))
    return given


def _rounds(
    kept: KeptEnds,
    runs: NumberedRuns[End] | RemoteRuns[End],
    restart: Restart,
    tally: Tally,
    most: Callable[[], int],
    n_jobs: int,
) -> Iterator[End]:
    """Yield restarts in batches; a batch starts when the stopping rule has seen the last one.

    Batches grow to four rounds, so that more threads have work.
    """
    first = 0
    while first < most():
        # Batches double up to 32 restarts. What a batch knows of earlier ones is fixed when it
        # starts, so that the order in which threads finish cannot change the result.
        last = min(first + min(max(first, ROUND), 4 * ROUND), most())
        restart.know(tally)
        yield from kept.in_order("restarts", runs, range(first, last), n_jobs)
        first = last


class RestartTask(NamedTuple):
    """Task of a worker: the number of a restart, and the results of earlier rounds."""

    posterior: SharedPosterior
    steps: int
    streams: Streams
    known: Known
    number: int
    seconds: float
    start: Terms | None = None
    """A function to improve instead of a restart."""


def do_restart(task: RestartTask, stop: _native.StopFlag) -> End:
    """Run a restart on a worker; restarts of a search on one worker share rebuilt functions."""
    stop.set_deadline(task.seconds)
    restart = Restart(task.posterior.open(), task.steps, task.streams, stop)
    restart.known = task.known
    restart.rebuilt = once((task.posterior.table, task.posterior.fingerprint, "rebuilt"), dict)
    return restart(task.number) if task.start is None else restart.bettered([task.start], 0)


def _sender(
    restart: Restart, steps: int, cluster: Cluster, ends: float
) -> Callable[[int], RestartTask]:
    """Return a function that makes the task of a restart, with a deadline."""
    shared = SharedPosterior.of(restart.posterior, cluster)

    def send(number: int) -> RestartTask:
        return RestartTask(
            shared, steps, restart.streams, restart.known, number,
            max(0.0, ends - time.monotonic()),
        )  # fmt: skip

    return send
