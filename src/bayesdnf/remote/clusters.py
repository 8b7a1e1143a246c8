"""Choice of the cluster: joblib's active backend, or a client that is passed."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from importlib import import_module
from typing import Any, Protocol

from ..errors import InputError, MissingExtraError
from .dask_cluster import DaskCluster
from .on_worker import Result, Task, Work, do_task, inside_a_task, versions

_ANSWER = 10.0  # seconds in which a scheduler must answer


class Cluster(Protocol):
    """Protocol of a cluster that runs tasks on workers."""

    @property
    def slots(self) -> int:
        """Number of parallel tasks."""

    @property
    def on_this_machine(self) -> bool:
        """Whether all workers are known to see the files of this machine."""

    def run(
        self,
        work: Work[Task, Result],
        tasks: Iterable[Task],
        then: Callable[[Task, Result], Task | None] | None = None,
    ) -> Generator[tuple[Task, Result], None, None]:
        """Do tasks; yield each with its result, in the order in which they end.

        ``then`` may return one more task that follows from a result. Closing the generator
        cancels the running tasks.
        """


def active_cluster(client: Any = None) -> Cluster | None:
    """Return the cluster for work started here; None: use threads of this process.

    This is the given Dask client, or joblib's active backend if it is Dask or Ray. A task on a
    worker gets None, because the level above is distributed already.

    Parameters
    ----------
    client : distributed.Client, optional
        A client to use instead of joblib's backend.

    Examples
    --------
    >>> from bayesdnf.remote.clusters import active_cluster
    >>> active_cluster() is None
    True
    """
    if client is not None:
        return DaskCluster(client)
    # If joblib is not loaded, no backend is active; do not import it. A task must not wait for
    # other tasks, because it would occupy a slot that they may need.
    parallel: Any = sys.modules.get("joblib.parallel")
    if parallel is None or inside_a_task():
        return None
    backend, _ = parallel.get_active_backend()
    kind = type(backend).__name__
    if kind == "DaskDistributedBackend":
        return DaskCluster(backend.client)
    return JoblibCluster() if kind == "RayBackend" else None


def threads_for(n_jobs: int | None) -> int:
    """Return how many threads of this process scikit-learn's ``n_jobs`` means.

    Examples
    --------
    >>> from bayesdnf.remote.clusters import threads_for
    >>> threads_for(None), threads_for(3)
    (1, 3)
    """
    joblib: Any = import_module("joblib")
    if active_cluster() is None and not inside_a_task():
        return int(joblib.effective_n_jobs(n_jobs))
    with joblib.parallel_config(backend="threading"):
        return int(joblib.effective_n_jobs(n_jobs))


class JoblibCluster:
    """The workers of joblib's active backend, such as Ray."""

    @property
    def slots(self) -> int:
        """Number of parallel tasks."""
        joblib: Any = import_module("joblib")
        return max(1, int(joblib.effective_n_jobs(-1)))

    @property
    def on_this_machine(self) -> bool:
        """Whether all workers see the files of this machine: joblib does not tell."""
        return False

    def run(
        self,
        work: Work[Task, Result],
        tasks: Iterable[Task],
        then: Callable[[Task, Result], Task | None] | None = None,
    ) -> Generator[tuple[Task, Result], None, None]:
        """Run tasks; those that follow from results wait until all earlier ones have ended."""
        joblib: Any = import_module("joblib")
        asked, now = versions(), list(tasks)
        while now:
            calls = (joblib.delayed(do_task)(work, task, asked) for task in now)
            # Tasks are long: batches would leave slots idle at the end.
            results: list[Result] = joblib.Parallel(n_jobs=-1, batch_size=1)(calls)
            following = []
            for task, result in zip(now, results, strict=True):
                more = None if then is None else then(task, result)
                if more is not None:
                    following.append(more)
                yield task, result
            now = following


@contextlib.contextmanager
def connected(address: str | None) -> Iterator[None]:
    """Run the work of a with block on a Dask scheduler; None: use threads of this process.

    Parameters
    ----------
    address : str or None
        Address of the scheduler, such as ``tcp://node1:8786``.
    """
    if address is None:
        yield
        return
    try:
        distributed: Any = import_module("distributed")
    except ImportError:
        raise MissingExtraError.of("A scheduler needs Dask", "dask") from None
    joblib: Any = import_module("joblib")
    try:
        # Not as default: other work with Dask stays with the caller's own client.
        client = distributed.Client(address, timeout=_ANSWER, set_as_default=False)
    except (OSError, ValueError) as error:
        raise InputError(
            f"No Dask scheduler answers at {address}; give its address as in tcp://node1:8786."
        ) from error
    with client, joblib.parallel_config(backend="dask", client=client):
        yield
