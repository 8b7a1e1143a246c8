"""Chains on a cluster: each runs independently, one segment at a time."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import NamedTuple

from .. import _native
from ..errors import ParameterError
from ..remote.clusters import Cluster
from ..remote.on_worker import once
from ..remote.posteriors import SharedPosterior
from .kernel import Info, Kernel, MoveKernel, Snapshot
from .records import ChainRecord

_STRETCH_SECONDS = 5.0  # of a task; at most this is lost if a worker dies


class SharedKernel(NamedTuple):
    """Kernel as tasks carry it: a worker builds it from these fields."""

    posterior: SharedPosterior
    name: str
    moves: str
    mix: tuple[tuple[str, float], ...]
    betas: tuple[float, ...]
    exchange_every: int
    empty_base: float
    whole_base: float
    growth: tuple[float, ...]
    listed: tuple[tuple[tuple[int, ...], float], ...]

    @classmethod
    def of(cls, kernel: Kernel, cluster: Cluster) -> SharedKernel:
        """Convert a kernel of this package; user-defined kernels cannot be sent."""
        if not isinstance(kernel, MoveKernel):
            must = "a MoveKernel under a backend of Dask or Ray, which can be sent to workers"
            raise ParameterError.of("kernel", "sample", must, kernel)
        return cls(
            SharedPosterior.of(kernel.posterior, cluster), kernel.name, kernel.moves,
            tuple(kernel.mix.items()), kernel.betas, kernel.exchange_every, kernel.empty_base,
            kernel.whole_base, kernel.growth, tuple(kernel.listed.items()),
        )  # fmt: skip

    def open(self) -> MoveKernel:
        """Return the kernel, on a worker."""
        posterior = self.posterior
        key = posterior.table, posterior.fingerprint, self.name, self.moves, self.betas
        return once(key, self._made)

    def _made(self) -> MoveKernel:
        return MoveKernel(
            self.name, self.posterior.open(), dict(self.mix), betas=self.betas,
            exchange_every=self.exchange_every, empty_base=self.empty_base,
            whole_base=self.whole_base, growth=self.growth, listed=dict(self.listed),
        )  # fmt: skip


class ChainTask(NamedTuple):
    """Task of a worker: a segment of a chain."""

    kernel: SharedKernel
    chain: int
    snapshot: Snapshot
    steps: int
    """Where the chain ends."""
    every: int
    seconds: float


def advance_chain(task: ChainTask, stop: _native.StopFlag) -> tuple[Snapshot, Info]:
    """Advance a chain for some seconds on a worker; the draws do not depend on where it stops."""
    kernel, left, seconds = task.kernel.open(), task.steps - task.snapshot.step, task.seconds
    while True:
        stop.set_deadline(seconds)
        then, info = kernel.advance(task.snapshot, left, task.every, stop)
        seconds *= 2  # on a busy machine the first step may come after the deadline
        stop.set_deadline(seconds)
        # The deadline is in the future again, so ``stop()`` is true only if the task was cancelled.
        if then.step > task.snapshot.step or stop():
            return then, info


def remote_rounds(
    kernel: Kernel,
    records: Sequence[ChainRecord],
    steps: int,
    every: int,
    cluster: Cluster,
    ends: float | None,
) -> Iterator[list[ChainRecord]]:
    """Advance chains on workers, independently of each other.

    Parameters
    ----------
    kernel : Kernel
        The sampler.
    records : sequence of ChainRecord
        The records of the chains.
    steps, every : int
        Steps of each chain, and steps for each draw.
    cluster : Cluster
        The cluster.
    ends : float or None
        Time to stop, by ``time.monotonic``.
    """
    shared = SharedKernel.of(kernel, cluster)
    now = list(records)

    def following(chain: int) -> ChainTask | None:
        seconds = _STRETCH_SECONDS
        if ends is not None:
            # The clocks of workers may differ: what is sent is how long, not until when.
            seconds = min(seconds, ends - time.monotonic())
        at = now[chain].snapshot
        if seconds <= 0 or at.step >= steps:
            return None
        return ChainTask(shared, chain, at, steps, every, seconds)

    def then(task: ChainTask, result: tuple[Snapshot, Info]) -> ChainTask | None:
        now[task.chain] = now[task.chain].then(*result)
        return following(task.chain)

    tasks = [task for chain in range(len(now)) if (task := following(chain)) is not None]
    with closing(cluster.run(advance_chain, tasks, then)) as ended:
        for _ in ended:
            yield list(now)
