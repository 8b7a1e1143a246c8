"""Family-wise significance by permutation of the maximum statistic (Westfall and Young 1993)."""

from __future__ import annotations

import os
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ... import _native
from ...boolean import BooleanFunction
from ...boolean.literal import CODINGS
from ...checks import whole
from ...errors import ClusterError
from ...files.states import StateFile
from ...model.streams import Streams
from ...remote.clusters import Cluster, active_cluster
from ..genotypes import Genotypes
from ..scanning.scan_parts import Progress, ScanOptions, scan_table
from ..scanning.sharing import SharedCalls
from .scan import identity, strata_hash

if TYPE_CHECKING:
    import pandas as pd

_LARGEST = "largest"  # the array of a checkpoint

Numbered = tuple[int, tuple[float, float]]
"""The number of a permutation, and the largest values in it."""


def family_wise(
    genotypes: Genotypes,
    y: NDArray[np.bool_],
    *,
    strata: NDArray[np.intp] | None = None,
    families: NDArray[np.intp] | None = None,
    permutations: int = 1000,
    random_state: int | np.random.SeedSequence | None = None,
    n_jobs: int = 1,
    progress: Progress | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    **settings: Any,
) -> NDArray[np.float64]:
    """Find the best single variant and the best pair under permutations of the outcome.

    Parameters
    ----------
    genotypes, y
        As for :func:`scan`.
    strata : ndarray of int, optional
        The stratum of each sample: outcomes are permuted and findings are scored within strata.
    families : ndarray of int, optional
        The family of each sample, 0 for none: outcomes are permuted within families.
    permutations : int, default=1000
        Number of permutations; the smallest p value is 1 / (permutations + 1).
    random_state : int or SeedSequence, optional
        Seed.
    n_jobs : int, default=1
        Threads; the result does not depend on their number. Under an active joblib backend of
        Dask or Ray its workers run the permutations instead.
    progress : callable, optional
        Called as ``progress(done, permutations)``.
    checkpoint : path, optional
        File for finished permutations; the same call resumes from it.
    **settings
        ``codings``, ``measure``, ``rank``, ``gap`` and ``effect`` of the scan.

    Returns
    -------
    ndarray of shape (permutations, 2)
        The largest log Bayes factor of one variant, and the largest ranking key of a pair. The
        family-wise p value of a finding is (1 + number of values that reach it) /
        (1 + permutations).

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.genomics import Genotypes, family_wise
    >>> calls = Genotypes.from_copies(np.random.default_rng(0).binomial(2, 0.3, (10, 100)))
    >>> family_wise(calls, np.arange(100) < 50, permutations=5, random_state=0).shape
    (5, 2)
    """
    y = np.asarray(y, dtype=np.bool_)
    permutations = whole("permutations", "family_wise", permutations, 1)
    n_jobs = whole("n_jobs", "family_wise", n_jobs, 1)
    streams = Streams(random_state, "family_wise")
    exchangeable = _exchangeable(len(y), strata, families)
    options = _options(settings)
    file = None
    if checkpoint is not None:
        file = _state_file(checkpoint, genotypes, y, exchangeable, strata, streams, options)
    out = _resumed(file, permutations)
    left = np.flatnonzero(np.isnan(out).any(axis=1)).tolist()
    cluster = active_cluster()
    if cluster is not None:
        ended = _remotely(genotypes, y, exchangeable, strata, left, streams, options, cluster)
    else:
        ended = _on_threads(genotypes, y, exchangeable, strata, left, streams, options, n_jobs)
    before = permutations - len(left)
    with closing(ended):
        try:
            for done, (number, pair) in enumerate(ended, start=before + 1):
                out[number] = pair
                if file is not None and file.due:
                    file.save({}, {_LARGEST: out})
                if progress is not None:
                    progress(done, permutations)
        except (KeyboardInterrupt, ClusterError) as error:
            if file is None or np.isnan(out).all():
                raise
            file.save({}, {_LARGEST: out})
            if isinstance(error, ClusterError):
                raise error.saved_in(file.path) from error
            raise
    if file is not None:
        file.save({}, {_LARGEST: out})
    return out


def _state_file(
    path: str | os.PathLike[str],
    genotypes: Genotypes,
    y: NDArray[np.bool_],
    exchangeable: NDArray[np.intp],
    strata: NDArray[np.intp] | None,
    streams: Streams,
    options: ScanOptions,
) -> StateFile:
    """Return the checkpoint, which does not depend on the total number of permutations."""
    what = {
        **identity(genotypes, y, options.codings, options.gap, options.effect),
        "measure": options.measure,
        "rank": options.rank,
        "strata": strata_hash(strata),
        "families": strata_hash(exchangeable),
        "seed": streams.name,
    }
    return StateFile(path, "permutation test", what)


def _resumed(file: StateFile | None, permutations: int) -> NDArray[np.float64]:
    """Return the values of finished permutations, NaN for the others."""
    out = np.full((permutations, 2), np.nan)
    state = None if file is None else file.load()
    if file is None or state is None:
        return out
    values = state.arrays.get(_LARGEST)
    if (
        values is None
        or values.dtype != np.float64
        or values.shape[1:] != (2,)
        or not (np.isnan(values) | (values >= 0) & np.isfinite(values)).all()
    ):
        raise file.damaged("its contents are not as expected")
    out[: len(values)] = values[:permutations]
    return out


def _on_threads(
    genotypes: Genotypes,
    y: NDArray[np.bool_],
    exchangeable: NDArray[np.intp],
    strata: NDArray[np.intp] | None,
    numbers: list[int],
    streams: Streams,
    options: ScanOptions,
    n_jobs: int,
) -> Generator[Numbered, None, None]:
    # Each permutation has its own random stream and runs on one thread, so that results do not
    # depend on the number of threads.
    stop = _native.StopFlag()

    def largest(number: int) -> tuple[float, float]:
        # Permute within strata and families: only there are outcomes exchangeable under the null.
        shuffled = permuted(y, exchangeable, np.random.default_rng(streams.child(number)))
        return _largest(scan_table(genotypes, shuffled, options, strata), options, stop)

    with ThreadPoolExecutor(n_jobs) as pool:
        try:
            yield from zip(numbers, pool.map(largest, numbers), strict=True)
        except BaseException:  # Ctrl-C included: running scans must end before the pool
            stop.stop()
            pool.shutdown(cancel_futures=True)
            raise


class PermutationTask(NamedTuple):
    """A permutation for a worker."""

    calls: SharedCalls
    options: ScanOptions
    streams: Streams
    number: int


def scan_permuted(task: PermutationTask, stop: _native.StopFlag) -> tuple[float, float]:
    """Run a permutation on a worker."""
    data = task.calls.open()
    exchangeable = data["exchangeable"].astype(np.intp)
    rng = np.random.default_rng(task.streams.child(task.number))
    shuffled = permuted(data["y"], exchangeable, rng)
    strata = data["strata"] if data.has("strata") else None
    options, places = task.options, (data["chromosome"], data["position"])
    return _largest(options.table(task.calls.planes(), shuffled, *places, strata), options, stop)


def _remotely(
    genotypes: Genotypes,
    y: NDArray[np.bool_],
    exchangeable: NDArray[np.intp],
    strata: NDArray[np.intp] | None,
    numbers: list[int],
    streams: Streams,
    options: ScanOptions,
    cluster: Cluster,
) -> Generator[Numbered, None, None]:
    more = {"exchangeable": exchangeable.astype(np.int64)}
    if strata is not None:
        more["strata"] = strata.astype(np.int64)
    with SharedCalls.of(genotypes, y, cluster, **more) as calls:
        tasks = (PermutationTask(calls, options, streams, i) for i in numbers)
        with closing(cluster.run(scan_permuted, tasks)) as ended:
            for task, pair in ended:
                yield task.number, pair


def _options(settings: dict[str, Any]) -> ScanOptions:
    """Return the options of a scan that keeps the best pair."""
    given = {name: value for name, value in settings.items() if value is not None}
    given["codings"] = tuple(given.get("codings", CODINGS))
    return ScanOptions(**{**given, "top": 1})


def _largest(
    table: _native.ScanTable, options: ScanOptions, stop: _native.StopFlag
) -> tuple[float, float]:
    best = _native.Findings(1)
    table.scan(0, table.n_tasks, 1, 1, stop, best)
    _, _, _, factor, gain = best.arrays()
    pair = gain if options.rank == "gain" else factor
    # At least 0, the log Bayes factor of no marker.
    return float(table.singles()[3].max(initial=0)), float(pair.max(initial=0))


def permuted(
    y: NDArray[np.bool_], exchangeable: NDArray[np.intp], rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Permute outcomes among samples with the same number in ``exchangeable``."""
    order = np.argsort(exchangeable, kind="stable")
    keys = rng.random(len(y))
    shuffled = np.lexsort((keys, exchangeable))
    out = np.empty_like(y)
    # Both orders list the groups one after the other, the second in random order within groups, so
    # each sample gets the outcome of a random one of its group.
    out[order] = y[shuffled]
    return out


def _exchangeable(
    n: int, strata: NDArray[np.intp] | None, families: NDArray[np.intp] | None
) -> NDArray[np.intp]:
    """Return a group number for each stratum and family: outcomes are exchangeable in a group."""
    columns = [np.zeros(n, dtype=np.intp) if x is None else x for x in (strata, families)]
    _, number = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)
    return number.ravel().astype(np.intp)


def add_family_wise(
    terms: pd.DataFrame,
    variants: pd.DataFrame,
    function: BooleanFunction,
    largest: NDArray[np.float64],
) -> None:
    """Add family-wise p values of variants, by Bayes factor, and of pairs, by gain.

    Terms of three or more variants have none, because permutations scan pairs only.
    """

    def p_value(value: float, column: int) -> float:
        # The observed outcome is one of the permutations, so p > 0 (Phipson and Smyth 2010).
        return float((1 + (largest[:, column] >= value).sum()) / (1 + len(largest)))

    variants["P_FWE"] = [p_value(value, 0) for value in variants["LOG_BF"]]
    sizes = [len({x.attribute for x in term}) for term in function.literal_terms]
    terms["P_FWE"] = [
        p_value(factor, 0) if k == 1 else p_value(gain, 1) if k == 2 else np.nan
        for k, factor, gain in zip(sizes, terms["LOG_BF"], terms["GAIN"], strict=True)
    ]
