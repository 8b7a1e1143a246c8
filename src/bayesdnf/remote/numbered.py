"""Numbered runs on a cluster, with results in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any, Generic, TypeVar

from .clusters import Cluster
from .on_worker import Work

Run = TypeVar("Run")


class RemoteRuns(Generic[Run]):
    """Runs 0, 1, … on workers; the same for a cluster as ``NumberedRuns`` is for threads.

    Parameters
    ----------
    cluster : Cluster
        The cluster.
    work : callable
        Does the task of a run on a worker.
    task : callable
        Makes the task of a number.
    meanwhile : callable
        Called when a run has ended that is not yet handed out.
    """

    def __init__(
        self,
        cluster: Cluster,
        work: Work[Any, Run],
        task: Callable[[int], Any],
        meanwhile: Callable[[], None],
    ) -> None:
        self._cluster, self._work, self._task = cluster, work, task
        self._meanwhile = meanwhile

    def in_order(self, numbers: range, n_jobs: int) -> Iterator[Run]:
        """Yield results in order of their numbers; the cluster determines how many run at once."""
        ended: dict[int, Run] = {}
        wanted = numbers.start
        tasks = [self._task(number) for number in numbers]
        with closing(self._cluster.run(self._work, tasks)) as results:
            for task, result in results:
                ended[task.number] = result
                # Results are held back until all earlier ones were yielded, so that decisions
                # depend on the numbers and not on the clock.
                while wanted in ended:
                    yield ended.pop(wanted)
                    wanted += 1
                self._meanwhile()

    def unfinished(self) -> Iterator[Run]:
        """Yield nothing: running tasks on workers are cancelled."""
        return iter(())
