"""hunt: our search for the best function, and the default.

Restarts are numbered and come in rounds of eight. Restart 0 is a large-neighbourhood search with
beams of growing width; the others anneal, each in its own way (see ``ways``), and are then rebuilt
by beam and polished. A search ends when enough restarts, by different ways, have ended at the best
score and hardly any good end was seen only once: where many restarts end each somewhere else, the
next one may well end somewhere better. Until then rounds anneal longer and rebuild wider. Restarts
have random streams of their own and everything is decided in their order, so the result does not
depend on threads.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from numbers import Real
from typing import NamedTuple

import numpy as np

from .. import _native
from ..boolean import BooleanFunction
from ..checks import whole
from ..errors import InputError, ParameterError
from ..model.posterior import Posterior, as_function
from ..model.streams import NumberedRuns, Streams
from .result import SearchProgress, SearchResult
from .ways import INDEPENDENT, ROUND, Terms, Ways

# Scores closer than this are the same function, or one with equal columns in it.
_SAME = 1e-9
_FEWEST_STEPS = 50
_FEWEST_WAYS = 3  # different ones that must have come to the best score ...
_FEWEST_INDEPENDENT = 2  # ... so many of them without knowing of it
_SINGLES = 0.025  # share of restarts whose end no other came to, at which a search may stop ...
_NEAR = 10.0  # ... counting those that came so near to the best score, in nats
_FEWEST_ROUNDS = 2  # before a search may stop; on wide tables, whose restarts are long, one
_WIDE = 2000  # literals
_FREE_LONGER = 4  # how much longer restarts anneal that do so at free rates from the beginning on
_ELITES = 6  # functions that later rounds start from
_HEAT_OF_PRIOR = 0.25  # power of the likelihood's inverse temperature that is the prior's
_COLD = 0.3  # first inverse temperature of a restart that keeps close to its start
# Annealing starts where the whole likelihood is worth about this many nats: hot enough to go
# anywhere, and not so hot that small tables spend their steps there.
_HOT_NATS = 60
_HOTTEST_RANGE = (0.02, 0.3)

Found = tuple[list[list[int]], float]


class End(NamedTuple):
    """What a restart came to, and by which kind of way."""

    terms: Terms
    score: float
    kind: str


def hunt(
    posterior: Posterior,
    *,
    restarts: int = 96,
    agree: int = 8,
    steps: int = 300,
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
    restarts : int, default=96
        Most restarts.
    agree : int, default=8
        How many restarts, by three different ways at least, two of which start from nothing
        that is known, must have ended at the best score before the search may stop. It does so
        after two rounds of eight at the earliest, with more than 2,000 literals after one.
    steps : int, default=300
        Steps of annealing in a restart of the first two rounds on a small table. On larger ones
        there are fewer, so that a restart's work stays within bounds; every two rounds they double.
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
        The best function; ``stopped`` says why the search ended, ``agreement`` how many restarts
        found it and ``ways`` by how many different ways. Ctrl-C ends the search too and returns the
        best so far.

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
    restart = _Restart(posterior, steps, n_jobs, Streams(random_state, "hunt"), stop)
    rounds = _FEWEST_ROUNDS if posterior.bits.n_literals <= _WIDE else 1
    tally = _Tally(agree, rounds * ROUND)

    def tell() -> None:
        if progress is not None:
            progress(tally.restarts, restarts, max(tally.score, restart.beam_score))

    runs = NumberedRuns(restart, stop, tell)
    stopped = "restarts"
    offered = NumberedRuns(partial(restart.bettered, _ids(posterior, starts)), stop)
    try:
        for end in offered.in_order(range(len(starts)), n_jobs):
            tally.know(end)
        for end in _rounds(runs, restart, tally, restarts, n_jobs):
            tally.add(end)
            tell()
            if stop():
                stopped = "time limit"
                break
            if tally.restarts % ROUND == 0 and tally.agrees():
                stopped = "agreement"
                break
    except KeyboardInterrupt:
        stopped = "interrupted"
        for end in runs.unfinished():
            tally.add(end)
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
        ways=len(tally.ways),
        near=tally.near(),
    )


def quick_restart(posterior: Posterior, stream: _native.Philox) -> Found:
    """Return the terms and the score of a short annealing, for chains that start apart."""
    free = math.nan
    return _native.restart(
        posterior.native, [], stream, _FEWEST_STEPS, _HOTTEST_RANGE[0], _HEAT_OF_PRIOR, 1,
        free, free, 1, _native.StopFlag(),
    )  # fmt: skip


def _ids(posterior: Posterior, starts: Sequence[BooleanFunction | str]) -> list[list[list[int]]]:
    terms = []
    for start in map(as_function, starts):
        reason = posterior.support.reason(start)
        if reason is not None:
            raise InputError(f"The search cannot start from {start}: {reason}.")
        terms.append(posterior.support.ids(start))
    return terms


def _rounds(
    runs: NumberedRuns[End], restart: _Restart, tally: _Tally, most: int, n_jobs: int
) -> Iterator[End]:
    """Yield restarts round by round: none of a round starts before the last one is judged.

    The first restart has all threads to itself: its widest beams are what a large table waits for.
    """
    for first in range(0, most, ROUND):
        restart.elites = tally.elites()
        if first == 0:
            yield from runs.in_order(range(1), 1)
        yield from runs.in_order(range(max(1, first), min(first + ROUND, most)), n_jobs)


class _Tally:
    """The best of the restarts so far, how many ended there, and by which ways."""

    def __init__(self, agree: int, fewest: int) -> None:
        self._agree = agree
        self._fewest = fewest
        self.terms: Terms = ()
        self.score = -math.inf
        self.agreement = 0
        self.ways: set[str] = set()
        self.restarts = 0
        self._ends: dict[Terms, float] = {}
        self._times: Counter[float] = Counter()

    def know(self, end: End) -> None:
        """Take note of a function that no restart came to by itself."""
        self._ends[end.terms] = end.score
        if end.score > self.score + _SAME:
            self.terms, self.score = end.terms, end.score

    def add(self, end: End) -> None:
        """Count a restart."""
        terms, score, kind = end
        self._ends[terms] = score
        self._times[round(score, 6)] += 1
        if score > self.score + _SAME or (self.restarts == 0 and not self.score > -math.inf):
            self.terms, self.score, self.agreement, self.ways = terms, score, 1, {kind}
        elif score >= self.score - _SAME:
            self.agreement += 1
            self.ways.add(kind)
        self.restarts += 1

    def agrees(self) -> bool:
        """Whether the search may stop."""
        singles = sum(
            times == 1 and score >= self.score - _NEAR for score, times in self._times.items()
        )
        return (
            self.restarts >= self._fewest
            and self.agreement >= self._agree
            and len(self.ways) >= _FEWEST_WAYS
            and len(self.ways & INDEPENDENT) >= _FEWEST_INDEPENDENT
            and singles <= _SINGLES * self.restarts
        )

    def elites(self) -> list[Terms]:
        """Return the best distinct functions so far, best first."""
        allowed = [(-score, terms) for terms, score in self._ends.items() if score > -math.inf]
        return [terms for _, terms in sorted(allowed)[:_ELITES]]

    def near(self) -> int:
        """Count distinct functions that share the best score or come within a nat."""
        return sum(score >= self.score - 1 for score in self._ends.values())


def _end(found: Found, kind: str) -> End:
    return End(tuple(tuple(term) for term in found[0]), found[1], kind)


class _Restart:
    """Does the restart of a number."""

    def __init__(
        self,
        posterior: Posterior,
        steps: int,
        n_jobs: int,
        streams: Streams,
        stop: _native.StopFlag,
    ) -> None:
        self.posterior = posterior
        self.n_jobs = n_jobs
        self.streams = streams
        self.stop = stop
        self.elites: list[Terms] = []
        self.beam_score = -math.inf  # of the first restart so far
        p = posterior.bits.n_literals
        # What a step costs: a look at each literal, and eight words of its rows for the same price.
        cost = p * (16 + posterior.bits.view().n_words / 8)
        fewest = min(steps, _FEWEST_STEPS)
        self.first = max(fewest, round(steps * min(1, 20_000 / cost)))
        hottest = _HOT_NATS / max(1e-9, -posterior.log_likelihood(BooleanFunction()))
        self.hottest = min(max(hottest, _HOTTEST_RANGE[0]), _HOTTEST_RANGE[1])
        self.width = max(8, round(1.3 * math.sqrt(p)))
        self.widest = max(32, p // 10)
        share = min(max(posterior.n_pos / posterior.n, 1e-9), 1 - 1e-9)
        shift = np.random.default_rng(streams.child(0)).random(2)
        self.ways = Ways(share, shift)

    def __call__(self, number: int) -> End:
        rng = np.random.default_rng(self.streams.child(number))
        way = self.ways.way(number, self.elites, rng)
        if way.kind == "beam":
            return _end(self._widening_beam(), way.kind)
        turn = number // ROUND
        found = _native.restart(
            self.posterior.native,
            [list(term) for term in way.start],
            self.streams[number],
            self.first * 2 ** (turn // 2) * (_FREE_LONGER if way.kind == "free" else 1),
            _COLD if way.cold else self.hottest,
            1.0 if way.long else _HEAT_OF_PRIOR,
            min(self.widest, self.width * 2 ** (turn // 2)),
            *way.rates,
            1 if turn < 2 else 8,
            self.stop,
        )
        return _end(found, way.kind)

    def bettered(self, starts: list[list[list[int]]], number: int) -> End:
        """Better the start of a number."""
        start = starts[number]
        return _end(
            _native.beam_search(self.posterior.native, start, self.width, 1, self.stop), "given"
        )

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
