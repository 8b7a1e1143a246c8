"""Numbered runs: a random stream for each, on threads, with results in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Generic, TypeVar

import numpy as np

from .. import _native
from ..errors import ParameterError

Run = TypeVar("Run")


class Streams:
    """Random streams by number: one Philox key each, from the children of one seed.

    Parameters
    ----------
    random_state : int, SeedSequence or None
        The seed; None takes one from the operating system.
    owner : str
        Name of the caller, for errors.
    """

    def __init__(self, random_state: int | np.random.SeedSequence | None, owner: str) -> None:
        if isinstance(random_state, np.random.SeedSequence):
            self._seeds = random_state
            return
        try:
            self._seeds = np.random.SeedSequence(random_state)
        except (TypeError, ValueError):
            raise ParameterError.of(
                "random_state",
                owner,
                "a whole number, 0 or more, a SeedSequence or None",
                random_state,
            ) from None

    @property
    def name(self) -> str:
        """Text of the seed; equal for equal streams."""
        return repr((self._seeds.entropy, self._seeds.spawn_key))

    def child(self, number: int) -> np.random.SeedSequence:
        """Return the seed of a number, for a separate search or run."""
        # By an explicit spawn key, not ``spawn``: that counts calls, and the stream of a number
        # would depend on which streams were asked for before.
        return np.random.SeedSequence(
            self._seeds.entropy, spawn_key=(*self._seeds.spawn_key, number)
        )

    def __getitem__(self, number: int) -> _native.Philox:
        words = self.child(number).generate_state(2, np.uint64)
        return _native.Philox([int(word) for word in words])


class NumberedRuns(Generic[Run]):
    """Runs 0, 1, … on threads, with results in order of their numbers.

    Parameters
    ----------
    run : callable
        Does the run of a number; it releases the GIL and checks ``stop``.
    stop : StopFlag
        Tells all runs to end.
    meanwhile : callable, optional
        Called now and then while a run is waited for.
    """

    def __init__(
        self,
        run: Callable[[int], Run],
        stop: _native.StopFlag,
        meanwhile: Callable[[], None] | None = None,
    ) -> None:
        self._run = run
        self._stop = stop
        self._meanwhile = meanwhile
        self._running: dict[int, Future[Run]] = {}

    def in_order(self, numbers: range, n_jobs: int) -> Iterator[Run]:
        """Yield results in order of their numbers; some later runs start ahead of time."""
        with ThreadPoolExecutor(n_jobs) as pool:
            try:
                submitted = numbers.start
                for number in numbers:
                    # No more than there are threads: ``unfinished`` has to wait for each that was
                    # submitted.
                    while submitted < min(numbers.stop, number + n_jobs):
                        self._running[submitted] = pool.submit(self._run, submitted)
                        submitted += 1
                    future = self._running[number]
                    while not wait([future], timeout=0.1).done:  # free to hear Ctrl-C
                        if self._meanwhile is not None:
                            self._meanwhile()
                    del self._running[number]
                    yield future.result()
            finally:
                # Left early (an error, Ctrl-C, a caller that needs no more): the pool waits for
                # its threads when it closes, and they end only after ``stop`` is set.
                if self._running:
                    self._stop.stop()

    def unfinished(self) -> Iterator[Run]:
        """Stop the runs that are still running, and yield their results so far."""
        self._stop.stop()
        for number in sorted(self._running):
            yield self._running[number].result()
