"""The code that runs on a worker: checks of versions, and files opened once per process."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from functools import cache
from importlib.metadata import version
from typing import Any, NamedTuple, TypeVar

from .. import _native
from ..errors import ClusterError, InputError
from ..files.packed import PackedFile

Task = TypeVar("Task")
Result = TypeVar("Result")
Work = Callable[[Task, _native.StopFlag], Result]
"""Does a task on a worker: a function of a module, which checks a stop flag."""

_LOOK = 0.5  # seconds between checks for cancellation
_KEPT = 8  # tables, posteriors and the like that a process keeps open

_opened: OrderedDict[Hashable, Any] = OrderedDict()
# Held while something is made, so that it is made once; re-entrant, as posteriors need tables.
_lock = threading.RLock()


class PackedReference(NamedTuple):
    """Reference to a packed file in a task: path, kind and hash."""

    path: str
    kind: str
    sha256: str


@cache
def versions() -> dict[str, str]:
    """Return versions that must be equal on client and workers for equal results."""
    return {name: version(name) for name in ("bayesdnf", "numpy")}


def do_task(work: Work[Task, Result], task: Task, asked: dict[str, str]) -> Result:
    """Run a task on a worker, after a check that its versions are those of the client.

    Parameters
    ----------
    work : callable
        The function to run.
    task : object
        Its argument.
    asked : dict
        :func:`versions` on the client.
    """
    here = versions()
    for name, wanted in asked.items():
        if here[name] != wanted:
            raise ClusterError(
                f"The worker {worker_name()} has {name} {here[name]} and the client has {wanted}; "
                "install the same version on both, or results would not be the same."
            )
    with _stopped_when_cancelled() as stop:
        return work(task, stop)


def worker_name() -> str:
    """Name the worker that this runs on."""
    worker = _dask_worker()
    return "of this process" if worker is None else str(worker.address)


def threads_here() -> int:
    """Return how many tasks this process does at once: those that wait while a table is made."""
    worker = _dask_worker()
    return 1 if worker is None else int(worker.state.nthreads)


def worker_of(task: object, stop: _native.StopFlag) -> str:
    """Return the worker's name and do nothing else, to measure the cost of a task."""
    return worker_name()


def inside_a_task() -> bool:
    """Return whether this code runs in a task on a worker."""
    if _dask_worker() is not None:
        return True
    ray: Any = sys.modules.get("ray")
    if ray is None or not ray.is_initialized():
        return False
    return bool(ray.get_runtime_context().worker.mode == ray.WORKER_MODE)


def _dask_worker() -> Any:
    distributed: Any = sys.modules.get("distributed")
    if distributed is None:
        return None
    try:
        worker = distributed.get_worker()
        worker.get_current_task()  # in the process of a worker, but in no task: an error
    except (ValueError, AttributeError):
        return None
    return worker


@contextlib.contextmanager
def _stopped_when_cancelled() -> Iterator[_native.StopFlag]:
    """Provide a stop flag that is set when the client cancels the task.

    Dask drops a cancelled task but does not stop its thread, which may run for hours.
    """
    stop, over = _native.StopFlag(), threading.Event()
    worker = _dask_worker()
    if worker is None:
        yield stop
        return
    key = worker.get_current_task()

    def watch() -> None:
        while not over.wait(_LOOK):
            state = worker.state.tasks.get(key)
            if state is None or state.state == "cancelled":
                stop.stop()
                return

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield stop
    finally:
        over.set()


def once(key: Hashable, make: Callable[[], Result]) -> Result:
    """Return the cached object of a key in this process, or make it.

    Parameters
    ----------
    key : hashable
        The key.
    make : callable
        Makes it; called by one thread at a time.
    """
    with _lock:
        if key not in _opened:
            _opened[key] = make()
            # Evict the least recently used object. Running tasks hold references to their objects.
            while len(_opened) > _KEPT:
                _opened.popitem(last=False)
        _opened.move_to_end(key)
        found: Result = _opened[key]
        return found


def open_packed(reference: PackedReference) -> PackedFile:
    """Map a packed file into memory, and check its hash against that of the task.

    Parameters
    ----------
    reference : PackedReference
        Path, kind and hash of the file.
    """

    def opened() -> PackedFile:
        path, kind, sha256 = reference
        try:
            packed = PackedFile(path, kind)
        except InputError as error:
            raise ClusterError(
                f"The worker {worker_name()} refuses a task: {str(error).rstrip('.')}; files of "
                "tasks must lie where all workers see them (BAYESDNF_SPILL names such a folder "
                "for tables in memory)."
            ) from error
        if packed.hash != sha256:
            raise ClusterError(
                f"The worker {worker_name()} refuses a task: {path} has the hash "
                f"{packed.hash[:16]}… there and {sha256[:16]}… on the client, so the two see "
                "different files."
            )
        return packed

    return once(reference, opened)
