"""Tasks on the workers of a Dask scheduler, with handling of failures.

Dask repeats the tasks of a dead worker elsewhere. This module adds: a task of a slow or stopped
worker is also given to an idle one, the loss of the scheduler is an error of one sentence, and an
interrupted caller cancels its tasks.
"""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from importlib import import_module
from typing import Any, Generic
from uuid import uuid4

from ..errors import ClusterError
from .on_worker import Result, Task, Work, do_task, versions

_LOOK = 0.1  # seconds between checks, also for Ctrl-C
_NO_WORKER = 60  # seconds to wait for the first worker
_PATIENCE = 10.0  # seconds without any result before idle workers get copies of tasks
_SLOW = 3  # and this many times the mean time of a task


class DaskCluster:
    """The workers of a Dask scheduler.

    Parameters
    ----------
    client : distributed.Client
        Connected to the scheduler.
    """

    def __init__(self, client: Any) -> None:
        self.client = client
        self.address = str(client.scheduler.address)

    @property
    def slots(self) -> int:
        """Number of parallel tasks: threads of all workers."""
        threads = self.client.nthreads()
        if not threads:
            with contextlib.suppress(TimeoutError):
                self.client.wait_for_workers(1, timeout=_NO_WORKER)
            threads = self.client.nthreads()
        if not threads:
            raise ClusterError(
                f"The scheduler at {self.address} has no worker after {_NO_WORKER} seconds."
            )
        return int(sum(threads.values()))

    @property
    def on_this_machine(self) -> bool:
        """Whether all workers listen on addresses that only this machine reaches."""
        comm: Any = import_module("distributed.comm")
        hosts = [
            "127.0.0.1" if address.startswith("inproc://") else comm.get_address_host(address)
            for address in self.client.nthreads()
        ]
        return all(host.startswith("127.") or host in ("::1", "localhost") for host in hosts)

    def run(
        self,
        work: Work[Task, Result],
        tasks: Iterable[Task],
        then: Callable[[Task, Result], Task | None] | None = None,
    ) -> Generator[tuple[Task, Result], None, None]:
        """Do tasks; yield each with its result, in the order in which they end.

        Parameters
        ----------
        work : callable
            A function of a module, called as ``work(task, stop)`` on a worker.
        tasks : iterable
            Small objects that can be pickled.
        then : callable, optional
            Called as ``then(task, result)``; what it returns is done as well, unless it is None.
        """
        batch = _Batch(self, work)
        try:
            for task in tasks:
                batch.send(task)
            for task, result in batch.results():
                more = None if then is None else then(task, result)
                if more is not None:
                    batch.send(more)
                yield task, result
        finally:
            batch.cancel()


class _Batch(Generic[Task, Result]):
    """Running tasks."""

    def __init__(self, cluster: DaskCluster, work: Work[Task, Result]) -> None:
        self._cluster, self._client = cluster, cluster.client
        self._slots = cluster.slots
        self._work = work
        self._asked = versions()
        self._numbers: dict[Any, int] = {}  # of futures that are waited for
        self._tasks: dict[int, Task] = {}  # by number, in the order in which they were sent
        self._copied: set[int] = set()
        self._ended: queue.SimpleQueue[tuple[Any, Any, Exception | None]] = queue.SimpleQueue()
        self._sent = self._done = 0
        self._began = self._last = time.monotonic()  # the last result

    def send(self, task: Task) -> None:
        """Submit a task to the scheduler."""
        self._sent += 1
        self._tasks[self._sent] = task
        self._submit(self._sent)

    def _submit(self, number: int, **where: Any) -> None:
        if self._client.status != "running":
            raise self._lost()
        future = self._client.submit(
            do_task, self._work, self._tasks[number], self._asked,
            # a unique key: Dask treats a task with the same key as the same task
            key=f"{self._work.__name__}-{uuid4().hex}", pure=False, **where,
        )  # fmt: skip
        self._numbers[future] = number
        future.add_done_callback(self._fetch)

    def _fetch(self, future: Any) -> None:
        """Fetch a result in a separate thread: a result on a stopped worker may never arrive."""

        def fetch() -> None:
            try:
                self._ended.put((future, future.result(), None))
            except Exception as error:  # noqa: BLE001, raised by ``results``
                self._ended.put((future, None, error))

        # A daemon thread: waiting for a lost result must not keep the process from ending.
        threading.Thread(target=fetch, daemon=True).start()

    def results(self) -> Iterator[tuple[Task, Result]]:
        """Yield tasks as they end."""
        while self._tasks:
            try:
                future, result, error = self._ended.get(timeout=_LOOK)
            except queue.Empty:
                if self._client.status != "running":
                    raise self._lost() from None
                self._copy_slow()
                continue
            number = self._numbers.pop(future, None)
            if number not in self._tasks:
                continue  # another copy of this task has ended before
            assert number is not None
            if error is not None:
                told = self._told(error)
                raise told from (None if told is error else error)
            self._done += 1
            self._last = time.monotonic()
            self._forget([f for f, n in self._numbers.items() if n == number])
            yield self._tasks.pop(number), result

    def _told(self, error: Exception) -> Exception:
        """Convert errors of the cluster to a ClusterError; return other errors unchanged."""
        kind = type(error).__name__
        if kind in ("FutureCancelledError", "CancelledError", "CommClosedError"):
            return self._lost()
        if kind == "KilledWorker":
            return ClusterError(
                f"A task ended every worker that tried it, the last one "
                f"{error.args[1].address}; the workers' logs say why, mostly too little memory."
            )
        if isinstance(error, ImportError) and "bayesdnf" in str(error):
            return ClusterError(
                f"A worker of {self._cluster.address} cannot load bayesdnf ({error}); install "
                f"bayesdnf {self._asked['bayesdnf']} there, as on the client."
            )
        return error

    def _lost(self) -> ClusterError:
        return ClusterError(
            f"The scheduler at {self._cluster.address} was lost after {self._done:,} of "
            f"{self._sent:,} tasks."
        )

    def _copy_slow(self) -> None:
        """Copy tasks that take far longer than others to idle workers; the first result counts.

        Tasks are pure functions, so all copies have the same result.
        """
        if not self._done:
            return
        now = time.monotonic()
        # Total slot time divided by finished tasks: the mean time of a task if all slots were busy,
        # otherwise an upper bound.
        mean = (now - self._began) * self._slots / self._done
        if now - self._last < max(_PATIENCE, _SLOW * mean):
            return
        self._last = now
        waiting = [number for number in self._tasks if number not in self._copied]
        threads = self._client.nthreads()
        idle = [w for w, keys in self._client.processing().items() if not keys]
        for number, worker in zip(
            waiting, [w for w in idle for _ in range(threads.get(w, 1))], strict=False
        ):
            # Once each: a task that is slow everywhere must not fill the cluster.
            self._copied.add(number)
            self._submit(number, workers=[worker], allow_other_workers=True)

    def cancel(self) -> None:
        """Cancel all running tasks."""
        self._forget(list(self._numbers))

    def _forget(self, futures: list[Any]) -> None:
        for future in futures:
            del self._numbers[future]
        if futures and self._client.status == "running":
            with contextlib.suppress(OSError, TimeoutError):
                self._client.cancel(futures, force=True)
