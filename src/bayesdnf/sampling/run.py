"""sample: several chains on threads, from their starting functions to their draws."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _native
from ..boolean import BooleanFunction
from ..checks import seconds, whole
from ..data.memory import require_memory
from ..errors import ClusterError, InputError, ParameterError
from ..gpu.sweeping import on_device
from ..model.flat_functions import FlatFunctions, as_flat
from ..model.part_rates import draw_part_rates
from ..model.posterior import Posterior, Scores
from ..model.rule import Rule, as_rule, one_line
from ..model.streams import Streams
from ..remote.clusters import active_cluster
from ..search.exact import best_term
from ..search.hunt import hunt
from ..search.prior_gaps import require_steps
from ..search.restarts.restart import quick_restart
from .checkpoint import Checkpoint
from .draws import Draws
from .kernel import Kernel, Terms
from .records import ChainRecord, FunctionTable, merge
from .remote_chains import remote_rounds
from .samplers import informed, reversible_jump, single_term
from .tempered import tempered

KERNELS: dict[str, Callable[[Posterior], Kernel]] = {
    "informed": informed,
    "tempered": tempered,
    "reversible_jump": reversible_jump,
    "single_term": single_term,
}
_ROUND_SECONDS = 0.25  # between checks of progress, Ctrl-C and checkpoints
# Numbers of the random streams: chain c has stream c, its rates and its start others.
_RATES, _STARTS, _HUNT = 1 << 20, 2 << 20, 3 << 20
_NOTHING_DRAWN = "Sampling was stopped before the first draw."

Progress = Callable[[Sequence[ChainRecord], int], None]
"""Called as ``progress(records, total)``: what each chain recorded so far, of how many draws."""


def sample(
    posterior: Posterior,
    *,
    draws: int = 2000,
    warmup: int = 1000,
    chains: int = 4,
    thin: int = 100,
    kernel: str | Kernel = "informed",
    starts: Sequence[Rule | str] | None = None,
    time_limit: float | None = None,
    n_jobs: int = 1,
    random_state: int | np.random.SeedSequence | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: float = 60.0,
    progress: Progress | None = None,
    device: str = "auto",
) -> Draws:
    """Draw functions, or lists of layers, and rates from the posterior.

    Parameters
    ----------
    posterior : Posterior
        The posterior to sample.
    draws, warmup : int
        Draws of each chain to keep, and to leave out before them.
    chains : int, default=4
        Number of chains.
    thin : int, default=100
        Steps for each draw; a step is one proposed change.
    kernel : {"informed", "tempered", "reversible_jump", "single_term"} or Kernel
        The sampler, by name or as an object.
    starts : sequence of functions, optional
        Starts of the chains. By default the first starts at the best function that
        :func:`~bayesdnf.hunt` finds, and the others at the results of short separate searches.
    time_limit : float, optional
        Seconds after which to return the draws so far, including the search for starts.
    n_jobs : int, default=1
        Threads; the draws do not depend on their number. Under an active joblib backend of Dask or
        Ray its workers take the chains forward instead.
    random_state : int or SeedSequence, optional
        Seed; each chain has its own stream.
    checkpoint : path, optional
        Path for the state of the run. If it has a state of the same run, the run resumes and
        returns the same draws as an uninterrupted run. Two files are written, PATH.0 and PATH.1.
    checkpoint_every : float, default=60
        Seconds between checkpoints.
    progress : callable, optional
        Called as ``progress(records, total)`` now and then.
    device : {"auto", "cpu", "cuda"}, default="auto"
        What counts rows: the processor or an NVIDIA GPU (extra ``cuda12`` or ``cuda13``), which
        "auto" takes for large tables where there is one. The draws do not depend on it.

    Returns
    -------
    Draws
        Ctrl-C and the time limit end the run early (``settings["stopped"]``). If it was ended
        early, at most half of the draws are discarded as warm-up. Ctrl-C before the first draw
        raises KeyboardInterrupt.

    Examples
    --------
    >>> from bayesdnf import BitMatrix, Posterior, sample, simulate
    >>> X, y, truth = simulate(300, 10, random_state=0)
    >>> posterior = Posterior(BitMatrix.from_table(X), y)
    >>> drawn = sample(posterior, draws=200, warmup=100, random_state=0)
    >>> drawn.function(0) == truth
    True
    >>> drawn.n_chains, drawn.n_draws
    (4, 200)
    """
    _check(draws, warmup, chains, thin, n_jobs, time_limit, checkpoint_every)
    began = time.monotonic()
    stop = _native.StopFlag()
    if time_limit is not None:
        stop.set_deadline(time_limit)
    used = _kernel_of(kernel, posterior)
    if used.name != "single_term":
        require_steps(posterior)
    _require_memory(posterior, used, chains, warmup + draws)
    streams = Streams(random_state, "sample")
    total = warmup + draws
    # Only settings on which draws depend: a run may be resumed with another number of threads, on
    # another device or with another time limit.
    settings = {
        "kernel": used.name,
        "layers": posterior.layers,
        "strata": None if posterior.strata is None else list(posterior.strata.labels),
        "moves": used.moves,
        "draws": draws,
        "warmup": warmup,
        "chains": chains,
        "thin": thin,
        "seed": streams.name,
        "betas": list(used.betas),
        "data": posterior.fingerprint,
    }
    kept = None if checkpoint is None else Checkpoint(checkpoint, settings)
    cluster = active_cluster()
    with on_device(posterior.bits, device if cluster is None else "cpu", "sample"):
        records = None if kept is None else kept.load(posterior)
        if records is None:
            left = (
                None if time_limit is None else max(0.01, time_limit - (time.monotonic() - began))
            )
            functions, known = _starts(
                posterior, used, starts, chains, streams, left, n_jobs, device,
                None if kept is None else kept.search,
            )  # fmt: skip
            records = [
                ChainRecord(used.init(function, streams[number], known))
                for number, function in enumerate(functions)
            ]
        stopped = "done"
        if cluster is None:
            rounds = _rounds(used, records, total * thin, thin, n_jobs, stop)
        else:
            ends = None if time_limit is None else began + time_limit
            rounds = remote_rounds(used, records, total * thin, thin, cluster, ends)
        try:
            for now in rounds:
                records = now
                if kept is not None:
                    kept.save_if_due(records, checkpoint_every)
                if progress is not None:
                    progress(records, total)
            if min(len(record) for record in records) < total:
                stopped = "time limit"
        except _Interrupted as interruption:
            records = interruption.records
            stopped = "interrupted"
        except KeyboardInterrupt:  # between two rounds, or while workers run chains
            stopped = "interrupted"
        except ClusterError as error:
            if kept is None:
                raise
            kept.save(records)
            raise error.saved_in(*kept.files) from error
    if kept is not None:
        kept.save(records)
    return _collect(posterior, used, records, settings | {"stopped": stopped}, streams)


class _Interrupted(Exception):
    """Raised on Ctrl-C, with the records of the chains so far."""

    def __init__(self, records: list[ChainRecord]) -> None:
        super().__init__()
        self.records = records


def _rounds(
    kernel: Kernel,
    records: list[ChainRecord],
    steps: int,
    every: int,
    n_jobs: int,
    stop: _native.StopFlag,
) -> Iterator[list[ChainRecord]]:
    """Advance all chains together, one segment at a time.

    The length of segments depends on the clock; the draws do not depend on it.
    """
    stretch = every
    with ThreadPoolExecutor(n_jobs) as pool:

        def advance(record: ChainRecord) -> ChainRecord:
            left = min(stretch, steps - record.snapshot.step)
            if left <= 0:
                return record
            return record.then(*kernel.advance(record.snapshot, left, every, stop))

        while not stop() and any(r.snapshot.step < steps for r in records):
            began = time.monotonic()
            running = [pool.submit(advance, record) for record in records]
            try:
                while wait(running, timeout=0.1).not_done:
                    pass  # the main thread stays free to hear Ctrl-C
            except KeyboardInterrupt:
                stop.stop()
                raise _Interrupted([future.result() for future in running]) from None
            records = [future.result() for future in running]
            # The division into segments does not affect the draws (see ``kernel``), so their length
            # may be adapted to the clock.
            pace = _ROUND_SECONDS / max(1e-3, time.monotonic() - began)
            stretch = max(every, int(stretch * min(4.0, max(0.25, pace))))
            yield records


def _starts(
    posterior: Posterior,
    kernel: Kernel,
    starts: Sequence[Rule | str] | None,
    chains: int,
    streams: Streams,
    time_limit: float | None,
    n_jobs: int,
    device: str,
    checkpoint: Path | None,
) -> tuple[list[Rule], list[Rule]]:
    """Return the starts of the chains, and the functions between which they may jump."""
    if starts is not None:
        if len(starts) != chains:
            raise ParameterError.of("starts", "sample", f"{chains} functions", f"{len(starts)}")
        given = [as_rule(start) for start in starts]
        return given, _allowed(posterior, given)
    if kernel.name == "single_term":
        return _single_terms(posterior, chains, streams, time_limit), []
    found = hunt(
        posterior,
        # the other half is for the chains
        time_limit=None if time_limit is None else time_limit / 2,
        n_jobs=n_jobs,
        random_state=streams.child(_HUNT),
        device=device,
        checkpoint=checkpoint,
    )
    if found.stopped == "interrupted":
        raise KeyboardInterrupt(_NOTHING_DRAWN)
    functions = [found.function]
    for number in range(1, chains):
        # The other chains start from short independent searches: chains with a common start could
        # agree although none of them moved.
        start = quick_restart(posterior, streams[_STARTS + number])
        allowed = np.isfinite(posterior.log_score(start))
        functions.append(start if allowed else found.function)
    return functions, _allowed(posterior, [*found.best, *functions])


def _allowed(posterior: Posterior, functions: Sequence[Rule]) -> list[Rule]:
    """Return the allowed ones of the null function and some other functions."""
    rules: list[Rule] = [BooleanFunction(), *functions]
    return [
        rule
        for rule in dict.fromkeys(rules)
        if posterior.support.allowed(rule) and np.isfinite(posterior.log_prior(rule))
    ]


def _single_terms(
    posterior: Posterior, chains: int, streams: Streams, time_limit: float | None
) -> list[Rule]:
    """Return starts of one literal: the best, others at random; if none is allowed, a term."""
    table = posterior.bits.table
    starts = np.arange(len(table) + 1)
    literals = np.arange(len(table), dtype=np.int32)
    layers = np.ones(len(table), dtype=np.int32)
    # Functions of one term of one literal: term_starts and literal_starts are equal.
    scores = Scores(*posterior.native.score(starts, starts, literals, layers)).log_score
    allowed = np.flatnonzero(np.isfinite(scores))
    if not len(allowed):
        found = best_term(posterior, time_limit=None if time_limit is None else time_limit / 2)
        if found.function.is_null:
            raise InputError("No function of one term is allowed by the prior.")
        return [found.function] * chains
    chosen = [int(np.argmax(scores))]
    for number in range(1, chains):
        place = int(streams[_STARTS + number].below(len(allowed), 1)[0])
        chosen.append(int(allowed[place]))
    return [BooleanFunction([[table[i]]]) for i in chosen]


def _collect(
    posterior: Posterior,
    kernel: Kernel,
    records: list[ChainRecord],
    settings: dict[str, Any],
    streams: Streams,
) -> Draws:
    """Merge the records of the chains into Draws."""
    # Chains are cut to the shortest: draws are kept in rectangular arrays.
    have = min(len(record) for record in records)
    if have == 0 and settings["stopped"] == "interrupted":
        raise KeyboardInterrupt(_NOTHING_DRAWN)
    if have == 0:
        raise InputError(f"{_NOTHING_DRAWN[:-1]}; set a longer time limit.")
    skip = settings["warmup"]
    if settings["stopped"] != "done":
        # A run that was stopped keeps at least half of its draws, even if all of them were planned
        # as warm-up.
        skip = min(skip, have // 2)
    infos = [record.joined().pieces[0] for record in records]
    first_equal = posterior.bits.first_equal()
    table, numbers = merge(infos, first_equal)  # equal columns are replaced by the first
    index = np.stack([n[info.draws[skip:have]] for n, info in zip(numbers, infos, strict=True)])
    often = np.bincount(index.ravel(), minlength=len(table))
    # The most frequent first. Functions visited only in warm-up have a count of 0 and are cut off;
    # their entries of ``place`` are undefined and never used.
    order = np.lexsort((np.arange(len(table)), -often))[: np.count_nonzero(often)]
    place = np.empty(len(table), dtype=np.int64)
    place[order] = np.arange(len(order))
    index, table = place[index], _renamed(posterior, table.take(order), first_equal)
    undrawn = _undrawn(posterior, records[0].snapshot.known, table.functions, first_equal)
    in_use, literals = np.unique(table.functions.literals, return_inverse=True)
    names = posterior.bits.table
    rates = [
        draw_part_rates(posterior, table.functions, table.cells, row, streams[_RATES + number])
        for number, row in enumerate(index)
    ]
    return Draws(
        literals=tuple(names[int(i)] for i in in_use),
        equal=tuple(
            tuple(names[int(j)] for j in np.flatnonzero(first_equal == i) if j != i) for i in in_use
        ),
        functions=table.functions._replace(literals=literals.astype(np.int32)),
        log_prior=table.log_prior,
        log_likelihood=table.log_likelihood,
        cells=table.cells,
        rows=table.rows,
        index=index,
        rates=np.stack(rates),
        likelihoods=np.stack([info.likelihoods[skip:have] for info in infos]),
        betas=tuple(kernel.betas),
        tried=np.stack([info.tried for info in infos]),
        changed=np.stack([info.changed for info in infos]),
        exchanges_tried=np.stack([info.exchanges_tried for info in infos]),
        exchanged=np.stack([info.exchanged for info in infos]),
        log_copies=posterior.log_copies(table.functions),
        log_null=-math.inf if kernel.name == "single_term" else _log_null(posterior),
        undrawn=undrawn,
        settings=settings | {"draws": have - skip, "warmup": skip},
        strata=() if posterior.strata is None else posterior.strata.labels,
    )


def _renamed(
    posterior: Posterior, table: FunctionTable, first_equal: NDArray[np.int32]
) -> FunctionTable:
    """Recompute the prior of functions whose literals were replaced by those of equal columns."""
    if (first_equal == np.arange(len(first_equal))).all():
        return table
    shown = Scores(*posterior.native.score(*table.functions))
    same = np.isfinite(shown.log_prior)
    return replace(table, log_prior=np.where(same, shown.log_prior, table.log_prior))


def _log_null(posterior: Posterior) -> float:
    null = BooleanFunction()
    return posterior.log_score(null) if posterior.support.allowed(null) else -math.inf


def _undrawn(
    posterior: Posterior,
    known: Sequence[tuple[Terms, tuple[int, ...]]],
    drawn: FlatFunctions,
    first_equal: NDArray[np.int32],
) -> tuple[tuple[str, float], ...]:
    """Return the known functions that no chain drew, without the null function, and log mass."""
    flat = as_flat(list(zip(layers, terms, strict=True)) for terms, layers in known if terms)
    flat = flat._replace(literals=first_equal[flat.literals])
    # The catalogue gives equal functions one number, in the order in which they come: a number from
    # ``n_drawn`` on is that of a function that no chain drew.
    catalogue = _native.Catalogue()
    catalogue.number(*drawn)
    n_drawn = len(catalogue)
    numbers = catalogue.number(*flat)
    _, once = np.unique(numbers, return_index=True)
    missed = flat.take(np.array([i for i in once if numbers[i] >= n_drawn], dtype=np.int64))
    log_mass = Scores(*posterior.native.score(*missed)).log_score + posterior.log_copies(missed)
    return tuple(
        (one_line(posterior.spell(missed, i)), float(mass))
        for i, mass in enumerate(log_mass.tolist())
        if math.isfinite(mass)
    )


def _kernel_of(kernel: str | Kernel, posterior: Posterior) -> Kernel:
    if not isinstance(kernel, str):
        return kernel
    if kernel not in KERNELS:
        names = ", ".join(repr(name) for name in KERNELS)
        raise ParameterError.of("kernel", "sample", f"one of {names}, or a Kernel", kernel)
    return KERNELS[kernel](posterior)


def _require_memory(posterior: Posterior, kernel: Kernel, chains: int, draws: int) -> None:
    """Refuse more draws than fit in memory, as records of chains and merged."""
    # Numbers of 8 bytes for each draw: its function and its likelihood at each temperature, both
    # twice (by chain and merged), and the rates of each part, stratum and class.
    shares = posterior.n_classes if posterior.n_classes > 2 else 1
    numbers = 2 + 2 * len(kernel.betas) + posterior.n_strata * (posterior.layers + 1) * shares
    what = f"To keep {draws:,} draws of each of {chains:,} chains, warm-up included,"
    require_memory(8 * numbers * draws * chains, what, "Draw fewer, with a larger thin")


def _check(
    draws: int,
    warmup: int,
    chains: int,
    thin: int,
    n_jobs: int,
    time_limit: float | None,
    checkpoint_every: float,
) -> None:
    lengths = (("draws", draws, 1), ("warmup", warmup, 0), ("chains", chains, 1), ("thin", thin, 1))
    for name, value, least in (*lengths, ("n_jobs", n_jobs, 1)):
        whole(name, "sample", value, least)
    seconds("time_limit", "sample", time_limit)
    seconds("checkpoint_every", "sample", checkpoint_every, besides="")
