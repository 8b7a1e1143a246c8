"""hunt: our search for the best function or list of layers, and the default.

Restarts are numbered and come in rounds of eight. Each has a strategy (see ``ways``): beam search,
annealing, or recombination of terms of earlier restarts. Its result is rebuilt by beam search and
polished. A search ends when enough restarts, by different strategies, have ended at the best score
and hardly any good function was seen only once: if restarts end at many different functions, the
next one may well end at a better one. Until then restarts anneal longer and use wider beams. Each
has its own random stream and decisions follow their numbers, so the result does not depend on
threads.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from functools import partial
from typing import NamedTuple

import numpy as np

from .. import _native
from ..boolean import BooleanFunction
from ..checks import MOST_64, seconds, whole
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
from .kept_ends import KeptEnds
from .result import SearchProgress, SearchResult
from .tally import End, Tally
from .ways import ROUND, Rates, Term, Terms, Way, Ways

_RESTARTS, _MOST_RESTARTS = 256, 512
_FEWEST_STEPS = 15
_QUICK_STEPS, _QUICK_HOTTEST = 50, 0.02  # of a start for chains
_NARROWEST, _FIRST_WIDTH = 8, 32  # of beams: before all others, and most in the first rounds
_FIRST_ROUNDS = 2
_LOOK = 2e8  # what the last look for a term may cost: its width times the cost of a step
_LONGER_AFTER = 64  # restarts; those that follow anneal for twice as long
_FREE_LONGER = 2  # how much longer restarts anneal that do so at free rates from the beginning on
_ELITES = 6  # functions that later rounds start from
_BEST = 20  # functions that are told, where restarts came to as many
_OFFERED = 0.5  # share of the attributes that a sparse restart begins with
_JOINED = 3  # elites from which terms are exchanged for those of the pool
_HEAT_OF_PRIOR = 0.25  # power of the likelihood's inverse temperature that is the prior's
_COLD = 0.3  # first inverse temperature of a restart that keeps close to its start
# Annealing starts where the whole likelihood is worth about this many nats: hot enough to go
# anywhere, and not so hot that small tables spend their steps there.
_HOT_NATS = 60
_HOTTEST_RANGE = (0.005, 0.3)

Found = tuple[Terms, float]


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
        function, up to 512.
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
        When no function that the prior allows is found.

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
    stop = _native.StopFlag()
    if time_limit is not None:
        stop.set_deadline(time_limit)
    streams = Streams(random_state, "hunt")
    restart = _Restart(posterior, steps, streams, stop)
    tally = Tally(agree, unaided=int(restart.first == steps))

    def most() -> int:
        # A function that was found late may well not be the best one.
        return restarts or min(max(_RESTARTS, 2 * tally.found), _MOST_RESTARTS)

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
                    if tally.know(restart.looked_wider(tally.terms, tally.score)):
                        restart.narrow = True
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
            f"{error} {tally.restarts:,} restarts were counted and not saved, because there was no "
            f"checkpoint; the best function so far: {best_now}"
        ) from error
    kept.save()
    if tally.score == -math.inf and stopped in ("agreement", "restarts"):
        raise InputError(
            "The search found no function that the prior allows on this table; the prior on the "
            "number of terms must not be 0 below the numbers that it allows."
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


def quick_restart(posterior: Posterior, stream: _native.Philox) -> Rule:
    """Return what a short annealing comes to, for chains that start apart."""
    free, never = math.nan, _native.StopFlag()
    (terms, layers, _), _ = _native.restart(
        posterior.native, [], stream, _QUICK_STEPS, _QUICK_HOTTEST, _HEAT_OF_PRIOR,
        free, free, 1, never,
    )  # fmt: skip
    found, _ = _placed(_native.beam_search(posterior.native, terms, 1, never, layers))
    return posterior.spell(as_flat([found]), 0)


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
    restart: _Restart,
    tally: Tally,
    most: Callable[[], int],
    n_jobs: int,
) -> Iterator[End]:
    """Yield restarts round by round: none of a round starts before the last one is judged.

    Those that are judged together grow to four rounds, so that more threads find something to do.
    """
    first = 0
    while first < most():
        # Rounds double up to 32 restarts. What a round may know is fixed when it begins, so that
        # threads cannot change the result.
        last = min(first + min(max(first, ROUND), 4 * ROUND), most())
        restart.know(tally)
        yield from kept.in_order("restarts", runs, range(first, last), n_jobs)
        first = last


def _placed(found: tuple[list[list[int]], list[int], float]) -> Found:
    """Put what the core found, (terms, layers, score), as it is kept here."""
    terms, layers, score = found
    return tuple(zip(layers, map(tuple, terms), strict=True)), score


def _apart(terms: Terms) -> tuple[list[list[int]], list[int]]:
    """Return terms and layers as the core takes them."""
    return [list(term) for _, term in terms], [layer for layer, _ in terms]


class _Restart:
    """Does the restart of a number."""

    def __init__(
        self,
        posterior: Posterior,
        steps: int,
        streams: Streams,
        stop: _native.StopFlag,
    ) -> None:
        self.posterior = posterior
        self.streams = streams
        self.stop = stop
        self.reached = -math.inf  # by restarts that are under way, for those who watch
        self._elites: list[Terms] = []
        self._pool: list[Term] = []
        self._promising: list[Rates] = []
        self._rebuilt: dict[tuple[Terms, int], Future[Found]] = {}
        p = posterior.bits.n_literals
        # What a step costs: a look at each literal, and eight words of its rows for the same price.
        cost = p * (16 + posterior.bits.view().n_words / 8)
        fewest = min(steps, _FEWEST_STEPS)
        self.first = max(fewest, round(steps * min(1, 8_000 / cost)))
        self.width = max(_NARROWEST, round(1.3 * math.sqrt(p)))
        self.widest = max(32, p // 10)
        self.look = min(p, round(_LOOK / cost))
        self.narrow = False  # whether beams of the width so far are known to miss a term
        shift = np.random.default_rng(streams.child(0)).random(2)
        # Where there are more than two rates, functions of two are annealed and lists made of them;
        # of more than two classes each is told from the others in turn.
        self.two_rates = (posterior,) if posterior.simple else posterior.of_classes
        self.ways = [
            Ways(
                min(max(two.n_pos / two.n, 1e-9), 1 - 1e-9),
                shift,
                both_classes=not posterior.simple,
            )
            for two in self.two_rates
        ]

    def know(self, tally: Tally) -> None:
        """Let the restarts that follow start from what earlier ones came to."""
        self._elites, self._pool = tally.best(_ELITES), tally.pool()
        self._promising = tally.promising()
        if self.narrow:
            self.width = self.widest = self.look

    def __call__(self, number: int) -> End:
        rng = np.random.default_rng(self.streams.child(number))
        # Kinds of ways come round after so many restarts: every class has its turn at each.
        target = sum(divmod(number, ROUND)) % len(self.two_rates)
        two_rates = self.two_rates[target]
        # Rates that suit one class say nothing about another.
        promising = self._promising if len(self.two_rates) == 1 else ()
        way = self.ways[target].way(number, self._elites, rng, promising)
        longer = 1 if number < _LONGER_AFTER else 2
        width = min(self.widest, self.width * 2 ** (number // ROUND // 2))
        if number < _FIRST_ROUNDS * ROUND:
            width = min(width, _FIRST_WIDTH)
        if way.kind == "beam":
            return End(*self._rebuild((), width), way.kind)
        if way.kind == "joined":
            return End(*self._joined(way, width, rng), way.kind)
        if way.kind == "sparse":
            begun, score = self._sparse(rng)
            return End(
                *self._rebuild(begun, width), way.kind, score, tuple(term for _, term in begun)
            )
        start, layers = _apart(way.start)
        free = math.isnan(way.rates[0])
        found, met = _native.restart(
            (self.posterior if free else two_rates).native,
            start,
            self.streams[number],
            self.first * longer * (_FREE_LONGER if way.kind == "free" else 1),
            _COLD if way.cold else self._hottest(way.rates, two_rates),
            1.0 if way.kind == "long" else _HEAT_OF_PRIOR,
            *way.rates,
            1 if longer == 1 else 8,
            self.stop,
            layers,
        )
        begun, score = _placed(found)
        if not (free or self.posterior.simple):
            # As it was at those rates: terms that do not pay in a function may do so in a list.
            begun, score = tuple((1, tuple(term)) for term in met), -math.inf
        ended = self._rebuild(begun, width)
        return End(*ended, way.kind, score, tuple(map(tuple, met)), way.rates)

    def _hottest(self, rates: Rates, two_rates: Posterior) -> float:
        """Return the first inverse temperature, by what marking no row, or all, would cost."""
        positive = two_rates.n_pos
        negative = two_rates.n - positive
        if math.isnan(rates[0]):
            nats = -self.posterior.log_likelihood(BooleanFunction())
        else:
            nats = -min(positive * math.log(r) + negative * math.log(1 - r) for r in rates)
        return min(max(_HOT_NATS / max(1e-9, nats), _HOTTEST_RANGE[0]), _HOTTEST_RANGE[1])

    def bettered(self, starts: list[Terms], number: int) -> End:
        """Better the start of a number."""
        return End(*self._rebuild(starts[number], self.width), "given")

    def looked_wider(self, terms: Terms, score: float) -> End:
        """Look for one more term by a wide beam, where those of the first restarts were narrow.

        Of a term with few rows no literal stands out among thousands: all may have missed it.
        """
        if self.look <= _FIRST_WIDTH:
            return End(terms, score, "given")
        start, layers = _apart(terms)
        found = _native.add_terms(self.posterior.native, start, self.look, self.stop, layers)
        return End(*_placed(found), "given")

    def _sparse(self, rng: np.random.Generator) -> Found:
        """Search by beam with the literals of some attributes only."""
        table = self.posterior.bits.table
        offered = rng.random(len(table.attributes))[table.attribute] < _OFFERED
        return _placed(
            _native.beam_search_among(
                self.posterior.native, offered.astype(np.uint8), _NARROWEST, self.stop
            )
        )

    def _joined(self, way: Way, width: int, rng: np.random.Generator) -> Found:
        """Exchange terms of a start and of the elites for terms of all that earlier ends had."""
        if not self.posterior.simple:
            return self._rebuild(way.start, width)
        kept = rng.random(len(self._pool)) < way.pool
        pool = [list(term) for term, keep in zip(self._pool, kept, strict=True) if keep]
        ends = [
            _placed(_native.recombine(self.posterior.native, _apart(terms)[0], pool, self.stop))
            for terms in (way.start, *self._elites[:_JOINED])
        ]
        terms, _ = max(ends, key=lambda end: end[1])
        return self._rebuild(terms, width)

    def _rebuild(self, start: Terms, width: int) -> Found:
        """Rebuild with a narrow and then with a wide beam, and polish.

        Restarts that come to the same function on the way share the rest of the work.
        """
        narrow, score = self._beam_search(start, _NARROWEST)
        self.reached = max(self.reached, score)
        return self._beam_search(narrow, width)

    def _beam_search(self, start: Terms, width: int) -> Found:
        future: Future[Found] = Future()
        known = self._rebuilt.setdefault((start, width), future)
        if known is not future:  # by another restart, which may still be at it
            return known.result()
        try:
            terms, layers = _apart(start)
            found = _native.beam_search(self.posterior.native, terms, width, self.stop, layers)
            if self.stop():  # it may not have come to its end
                del self._rebuilt[start, width]
            future.set_result(_placed(found))
        except BaseException as error:  # noqa: BLE001, every restart that waits raises it
            future.set_exception(error)
        return future.result()


class RestartTask(NamedTuple):
    """A restart, for a worker: its number, and what earlier rounds came to."""

    posterior: SharedPosterior
    steps: int
    streams: Streams
    elites: list[Terms]
    pool: list[Term]
    promising: list[Rates]
    width: int
    number: int
    seconds: float
    start: Terms | None = None
    """A function to better, where no restart is asked for."""


def do_restart(task: RestartTask, stop: _native.StopFlag) -> End:
    """Do a restart, on a worker; restarts of a search share what they have rebuilt there."""
    stop.set_deadline(task.seconds)
    restart = _Restart(task.posterior.open(), task.steps, task.streams, stop)
    restart._elites, restart._pool = task.elites, task.pool
    restart._promising, restart.width = task.promising, task.width
    restart.widest = max(restart.widest, task.width)
    restart._rebuilt = once((task.posterior.table, task.posterior.fingerprint, "rebuilt"), dict)
    return restart(task.number) if task.start is None else restart.bettered([task.start], 0)


def _sender(
    restart: _Restart, steps: int, cluster: Cluster, ends: float
) -> Callable[[int], RestartTask]:
    """Return what makes a task of the number of a restart, to be over at a moment."""
    shared = SharedPosterior.of(restart.posterior, cluster)

    def send(number: int) -> RestartTask:
        return RestartTask(
            shared, steps, restart.streams, restart._elites, restart._pool, restart._promising,
            restart.width, number, max(0.0, ends - time.monotonic()),
        )  # fmt: skip

    return send
