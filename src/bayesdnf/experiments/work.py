"""The amount of work of an experiment: number of sets, seeds, threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Protocol, TypeVar

import numpy as np

Item = TypeVar("Item")
Done = TypeVar("Done")

PAPER_SETS = 10  # data sets behind each figure of the paper
_FRESH_SETS = 200


class WorkProgress(Protocol):
    """Callback with the number of finished data sets and their total."""

    def __call__(self, done: int, total: int) -> None:
        """Report progress: data sets done, and their total."""
        ...


class Work:
    """Settings of one reproduction: size, seed, threads, progress.

    Parameters
    ----------
    quick : bool
        Whether to take fewer data sets.
    seed : int
        Seed of all random numbers.
    jobs : int
        Threads.
    progress : callable, optional
        Called as ``progress(done, total)``.
    """

    def __init__(
        self,
        quick: bool = False,
        seed: int = 0,
        jobs: int = 1,
        progress: WorkProgress | None = None,
    ) -> None:
        self.quick = quick
        self.seed = seed
        self.jobs = jobs
        self._progress = progress

    @property
    def sets(self) -> int:
        """Data sets to simulate for each cell."""
        return PAPER_SETS if self.quick else _FRESH_SETS

    @property
    def sets_in_words(self) -> str:
        """Number of data sets in words, for captions."""
        if self.sets == PAPER_SETS:
            return f"{PAPER_SETS} fresh data sets"
        return f"{self.sets} fresh data sets (the first {PAPER_SETS} on a line of their own)"

    def stream(self, *numbers: int) -> np.random.SeedSequence:
        """Return the seed for these numbers."""
        return stream(self.seed, *numbers)

    def each(self, do: Callable[[Item], Done], items: Sequence[Item]) -> list[Done]:
        """Apply a function to each item on threads; return results in the order of the items."""
        # Threads end at any time: a lock guards the count and the progress bar.
        lock = threading.Lock()
        done = 0

        def counted(item: Item) -> Done:
            nonlocal done
            result = do(item)
            with lock:
                done += 1
                if self._progress is not None:
                    self._progress(done, len(items))
            return result

        pool = ThreadPoolExecutor(self.jobs)
        try:
            running = [pool.submit(counted, item) for item in items]
            while wait(running, timeout=0.1).not_done:
                if any(future.done() and future.exception() for future in running):
                    break  # the error is raised below, without waiting for the rest
            for future in running:
                if future.done():
                    future.result()
            return [future.result() for future in running]
        finally:
            pool.shutdown(cancel_futures=True)


def stream(seed: int, *numbers: int) -> np.random.SeedSequence:
    """Return a different seed for each choice of numbers."""
    return np.random.SeedSequence(seed, spawn_key=numbers)
