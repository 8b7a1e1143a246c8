"""Parts of a scan: run on threads of this process or on a cluster, saved in a checkpoint.

The tasks of the native scan are numbered, and every pair or triple is in exactly one task. A part
is every n-th task. The best findings of all parts are those of the whole scan, for any number of
parts.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack, closing
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ... import _native
from ...boolean.literal import CODINGS
from ...checks import is_whole
from ...display.wording import duration
from ...errors import ClusterError
from ...files.packed import require_intact
from ...files.states import StateFile
from ...model.effect import Effect
from ...remote.clusters import Cluster
from ...remote.on_worker import once, threads_here
from ..chromosomes import chromosome_order
from ..genotypes import Genotypes, pack_mask
from .on_gpu import GpuScan, gpu_scan
from .sharing import SharedCalls

_ROUND = 0.25  # seconds between looks at progress and Ctrl-C
# Parts on a cluster: enough per slot that a slow worker delays little, each long enough that the
# overhead of sending it is small.
_PARTS_PER_SLOT, _LEAST_PAIRS = 16, 20_000_000

# Types of the arrays of findings, and their shapes without the first axis.
_COLUMNS = [("i4", (3,)), ("u4", ()), ("i8", (2,)), ("f8", ()), ("f8", ())]

CODES = [*CODINGS, *(f"not {coding}" for coding in CODINGS)]
"""Codings, as the native core numbers them."""

Progress = Callable[[int, int], None]
"""Called as ``progress(done, total)``, in pairs or triples."""

Table = _native.ScanTable | _native.TripleTable
Arrays = tuple[NDArray[Any], ...]
"""Variants, what, rows, log Bayes factor and gain of findings, as the core gives them."""


def segments_of(
    y: NDArray[np.bool_], strata: NDArray[np.integer] | None
) -> list[NDArray[np.bool_]]:
    """Return the cases of each stratum, then the controls of each, as masks of samples."""
    number = np.zeros(len(y), dtype=np.intp) if strata is None else strata
    return [
        (number == s) & (y == case) for case in (True, False) for s in range(int(number.max()) + 1)
    ]


def scored_effect(effect: Effect) -> Effect:
    """Return the effect without prevalence and sampling, on which scores do not depend.

    Examples
    --------
    >>> from bayesdnf import Effect
    >>> from bayesdnf.genomics.scanning.scan_parts import scored_effect
    >>> scored_effect(Effect(a1=2, prevalence=0.01, sampling="case-control"))
    Effect(a1=2)
    """
    return Effect(**{**effect.get_params(), "prevalence": None, "sampling": "random"})


class ScanOptions(NamedTuple):
    """How pairs and triples are scored and ranked; see :func:`scan`."""

    codings: tuple[str, ...] = tuple(CODINGS)
    measure: str = "and"
    rank: str = "gain"
    top: int = 1000
    gap: int = 0
    effect: Effect = Effect()

    def table(
        self,
        planes: NDArray[np.uint64],
        y: NDArray[np.bool_],
        chromosome: NDArray[np.int32],
        position: NDArray[np.int64],
        strata: NDArray[np.integer] | None = None,
        n_jobs: int = 1,
    ) -> _native.ScanTable:
        """Split calls into cases and controls of each stratum, as the native core scans them."""
        segments = [pack_mask(who, planes.shape[2]) for who in segments_of(y, strata)]
        return _native.ScanTable(
            planes, np.stack(segments),
            scored_effect(self.effect).resolved(strata=len(segments) // 2).native(),
            [CODES.index(coding) for coding in self.codings], self.measure == "cells",
            self.rank == "gain", self.top, self.gap, chromosome, position, n_jobs,
        )  # fmt: skip

    def best(self, pieces: Iterable[Arrays]) -> Arrays:
        """Merge findings and keep the best, in the order of one scan: by key, then by variants."""
        joined = tuple(np.concatenate(columns) for columns in zip(*pieces, strict=True))
        variants, _, _, factor, gain = joined
        key = gain if self.rank == "gain" else factor
        # The last key of lexsort is the primary one. Ties are ordered by variants, so the order in
        # which parts finish does not matter.
        order = np.lexsort((variants[:, 2], variants[:, 1], variants[:, 0], -key))[: self.top]
        return tuple(column[order] for column in joined)


def scan_table(
    genotypes: Genotypes,
    y: NDArray[np.bool_],
    options: ScanOptions,
    strata: NDArray[np.integer] | None = None,
    n_jobs: int = 1,
) -> _native.ScanTable:
    """Return the table to scan, from genotypes in this process."""
    variants = genotypes.variants
    chromosome, position = chromosome_order(variants["CHR"]), variants["POS"].to_numpy(np.int64)
    return options.table(genotypes.planes, y, chromosome, position, strata, n_jobs)


class PartTask(NamedTuple):
    """A part of a scan for a worker: every ``step``-th task from ``first`` on."""

    calls: SharedCalls
    options: ScanOptions
    chosen: bytes | None
    """Numbers of the variants that triples are of."""
    first: int
    step: int

    def table(self) -> Table:
        """Return the table of this scan, made once per process."""
        return once((self.calls, repr(self.options), self.chosen), self._made)

    def _made(self) -> Table:
        data = self.calls.open()
        table = self.options.table(
            self.calls.planes(), data["y"], data["chromosome"], data["position"],
            data["strata"] if data.has("strata") else None, threads_here(),
        )  # fmt: skip
        if self.chosen is None:
            return table
        return _native.TripleTable(table, np.frombuffer(self.chosen, np.int32), threads_here())


def scan_part(task: PartTask, stop: _native.StopFlag) -> Arrays:
    """Scan a part on a worker."""
    table, best = task.table(), _native.Findings(task.options.top)
    table.scan(task.first, table.n_tasks, task.step, 1, stop, best)
    require_intact(task.calls.planes())
    return best.arrays()


def scan_parts(
    genotypes: Genotypes,
    y: NDArray[np.bool_],
    table: Table,
    options: ScanOptions,
    chosen: NDArray[np.int32] | None,
    tasks: range,
    *,
    strata: NDArray[np.integer] | None,
    n_jobs: int,
    device: str,
    cluster: Cluster | None,
    checkpoint: str | os.PathLike[str] | None,
    settings: dict[str, Any],
    progress: Progress | None,
) -> Arrays:
    """Scan some tasks of a table on threads, a GPU or a cluster.

    Parameters
    ----------
    genotypes, y, strata
        The data in ``table``.
    table : ScanTable or TripleTable
        Table of genotypes to scan.
    options : ScanOptions
        Scoring and ranking.
    chosen : ndarray of int32 or None
        Variants of a scan of triples.
    tasks : range
        Numbers of the tasks, every n-th.
    n_jobs, device, cluster, checkpoint, progress
        Number of threads, device, cluster, file of the checkpoint, progress callback.
    settings : dict
        Description of the scan, checked when a checkpoint is resumed.
    """
    gpu = None
    if cluster is None:
        gpu = gpu_scan(genotypes, segments_of(y, strata), table, options, chosen, device)
    if cluster is None and checkpoint is None:
        best = _native.Findings(options.top)
        _run(table, best, tasks, n_jobs, gpu, progress)
        return best.arrays()
    slots = n_jobs if cluster is None else cluster.slots
    total = table.size_of(tasks.start, table.n_tasks, tasks.step)
    kept = _Kept(checkpoint, settings, _cut(len(tasks), total, slots), len(tasks))
    # Every n-th task, not a contiguous range: tasks of triples become smaller, and parts should
    # take about equally long.
    first, step = tasks.start, tasks.step * kept.parts
    left = [tasks.start + part * tasks.step for part in range(kept.parts) if part not in kept.done]

    def size(first: int) -> int:
        return table.size_of(first, table.n_tasks, step)

    done = total - sum(map(size, left))
    with ExitStack() as stack:
        results: Iterator[tuple[int, Arrays]]
        if cluster is None:
            results = ((at, _scan_here(table, options, at, step, n_jobs, gpu)) for at in left)
        else:
            more = {} if strata is None else {"strata": strata.astype(np.int64)}
            calls = stack.enter_context(SharedCalls.of(genotypes, y, cluster, **more))
            numbers = None if chosen is None else chosen.tobytes()
            sent = (PartTask(calls, options, numbers, at, step) for at in left)
            ended = stack.enter_context(closing(cluster.run(scan_part, sent)))
            results = ((task.first, arrays) for task, arrays in ended)
        try:
            for at, arrays in results:
                kept.add((at - first) // tasks.step, arrays, options)
                done += size(at)
                if progress is not None:
                    progress(done, total)
        except KeyboardInterrupt:
            kept.save()
            raise
        except ClusterError as error:
            kept.save()
            if checkpoint is None or not kept.done:
                raise
            raise error.saved_in(checkpoint) from error
    if left:
        kept.save()
    return kept.best(options)


def _cut(n_tasks: int, total: int, slots: int) -> int:
    """Return the number of parts; findings do not depend on it."""
    # At least one part per slot, even if parts are short.
    wanted = max(slots, min(_PARTS_PER_SLOT * slots, total // _LEAST_PAIRS))
    return max(1, min(n_tasks, wanted))


def _scan_here(
    table: Table, options: ScanOptions, first: int, step: int, n_jobs: int, gpu: GpuScan | None
) -> Arrays:
    best = _native.Findings(options.top)
    _run(table, best, range(first, table.n_tasks, step), n_jobs, gpu, None)
    return best.arrays()


def _possible(found: Arrays, settings: dict[str, Any]) -> bool:
    """Return whether findings are possible for a scan with these settings."""
    (variants, what, rows, factor, gain), size = found, settings["size"]
    # 2^(3^size) sets of genotype cells, or one coding of each variant.
    ways = 2**3**size if settings["measure"] == "cells" else len(CODES) ** size
    return bool(
        ((variants[:, :size] >= 0) & (variants[:, :size] < settings["variants"])).all()
        and (rows >= 0).all()
        and np.isfinite(factor).all()
        and np.isfinite(gain).all()
        and (what < ways).all()
    )


class _Kept:
    """The finished parts and their findings, optionally saved to a checkpoint.

    Parameters
    ----------
    path : path or None
        The file.
    settings : dict
        Data and options of the scan: a state of another scan is refused.
    parts : int
        Number of parts of a new scan.
    most : int
        Maximum number of parts.
    """

    def __init__(
        self, path: str | os.PathLike[str] | None, settings: dict[str, Any], parts: int, most: int
    ) -> None:
        self._file = None if path is None else StateFile(path, "scan", settings)
        self.parts = parts
        self.done: set[int] = set()
        self._found: list[Arrays] = []
        state = None if self._file is None else self._file.load()
        if state is None:
            return
        head, arrays = state
        cut: Any = head.get("parts")
        done = head.get("done")
        names = list(map(str, range(len(_COLUMNS))))
        found = tuple(arrays[name] for name in names if name in arrays)
        if not (
            is_whole(cut, 1, max(1, most))
            and isinstance(done, list)
            and all(is_whole(part, 0, cut - 1) for part in done)
            and [(array.dtype.str[1:], array.shape[1:]) for array in found] == _COLUMNS
            and len({len(array) for array in found}) == 1
            and _possible(found, settings)
        ):
            assert self._file is not None
            raise self._file.damaged("its contents are not as expected")
        self.parts, self.done, self._found = cut, set(done), [found]

    def add(self, part: int, arrays: Arrays, options: ScanOptions) -> None:
        """Add the findings of a part, and save them if there is a checkpoint."""
        self.done.add(part)
        self._found = [options.best([*self._found, arrays])]
        if self._file is not None and self._file.due:
            self.save()

    def best(self, options: ScanOptions) -> Arrays:
        """Return the best findings of all parts."""
        return options.best(self._found)

    def save(self) -> None:
        """Write the state, if a part is done."""
        if self._file is None or not self._found:
            return
        columns = {str(i): column for i, column in enumerate(self._found[0])}
        self._file.save({"parts": self.parts, "done": sorted(self.done)}, columns)


def _run(
    table: Table,
    best: _native.Findings,
    tasks: range,
    n_jobs: int,
    gpu: GpuScan | None,
    progress: Progress | None,
) -> None:
    """Scan tasks on threads or a GPU, in batches that take a fraction of a second."""
    step = tasks.step
    total = table.size_of(tasks.start, table.n_tasks, step)
    done = 0

    def count(scanned: int) -> None:
        nonlocal done
        done += scanned
        if progress is not None:
            progress(done, total)

    if gpu is not None:
        gpu.scan(best, tasks, n_jobs, count)
        return

    def stretch(start: int, end: int, stop: _native.StopFlag) -> None:
        table.scan(start, end, step, n_jobs, stop, best)

    for start, end in _stretches(tasks, n_jobs, stretch):
        count(table.size_of(start, end, step))


def forecast(
    table: Table,
    what: str,
    number: int,
    parts: int,
    n_jobs: int,
    top: int,
    slots: int | None = None,
) -> str:
    """Describe the size of a scan, with its time estimated from a trial of some tasks."""
    unit = "triples" if isinstance(table, _native.TripleTable) else "pairs"
    total = table.size_of(number - 1, table.n_tasks, parts)
    stop, trial = _native.StopFlag(), _native.Findings(top)
    began, done = time.monotonic(), 0
    for task in range(table.n_tasks // 2, table.n_tasks, n_jobs):
        end = min(task + n_jobs, table.n_tasks)
        table.scan(task, end, 1, n_jobs, stop, trial)
        done += table.size_of(task, end)
        if time.monotonic() - began > _ROUND:
            break
    seconds = total / max(1, done) * (time.monotonic() - began)
    threads = "1 thread" if n_jobs == 1 else f"{n_jobs} threads"
    if slots is not None:
        seconds *= n_jobs / slots
        threads = f"{slots:,} threads of the cluster"
    part = "" if parts == 1 else f" in part {number} of {parts}"
    return f"{total:,} {unit} of {what}{part}: about {duration(seconds)} on {threads}."


def _stretches(
    tasks: range, n_jobs: int, work: Callable[[int, int, _native.StopFlag], None]
) -> Any:
    """Run tasks in batches, on a separate thread so that Ctrl-C is handled promptly."""
    at, length = 0, n_jobs
    stop = _native.StopFlag()
    with ThreadPoolExecutor(1) as pool:
        while at < len(tasks):
            piece = tasks[at : at + length]
            start, end = piece.start, piece[-1] + 1
            began = time.monotonic()
            running = pool.submit(work, start, end, stop)
            try:
                while wait([running], timeout=0.1).not_done:
                    pass
            except KeyboardInterrupt:
                stop.stop()
                raise
            running.result()
            # Adapt the batch size to _ROUND seconds; batches do not change the findings, because
            # Findings keeps the best of all.
            pace = _ROUND / max(1e-4, time.monotonic() - began)
            at += len(piece)
            length = max(n_jobs, int(length * min(8.0, max(0.25, pace))))
            yield start, end
