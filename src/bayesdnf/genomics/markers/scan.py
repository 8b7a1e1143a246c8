"""Exhaustive scans: every variant, pair, or triple of a chosen set, by its log Bayes factor.

The Bayes factor compares the best marker on the variants with no marker, with both rates integrated
out: the best AND of one literal of each variant, or the best set of cells of their genotype table.
With strata each stratum has its own rates, and the Bayes factor is the product over strata. The
*gain* is the difference to the best marker on fewer of these variants, so that pairs with one
strong variant do not fill the top ranks.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ... import _native
from ...boolean import Literal
from ...checks import is_whole, whole
from ...errors import InputError, ParameterError
from ...files.packed import require_intact
from ...gpu.device import wants_gpu
from ...model.effect import Effect
from ...remote.clusters import active_cluster
from ..genotypes import Genotypes
from ..quality.linkage import clump_leads
from ..scanning.scan_parts import (
    CODES,
    Progress,
    ScanOptions,
    forecast,
    scan_parts,
    scan_table,
    scored_effect,
)
from ..scanning.scan_result import MEASURES, RANKS, Scan
from .spelling import conjunction, function_of_cells

if TYPE_CHECKING:
    import pandas as pd


def scan(
    genotypes: Genotypes,
    y: NDArray[np.bool_],
    *,
    size: int = 2,
    among: int | Sequence[int] | NDArray[np.integer] | None = None,
    codings: Sequence[str] = ("dominant", "recessive", "heterozygous"),
    measure: str = "and",
    rank: str = "gain",
    top: int = 1000,
    gap: int = 0,
    effect: Effect | None = None,
    strata: NDArray[np.integer] | None = None,
    part: tuple[int, int] | None = None,
    n_jobs: int = 1,
    progress: Progress | None = None,
    announce: Callable[[str], object] | None = None,
    device: str = "auto",
    client: Any = None,
    checkpoint: str | os.PathLike[str] | None = None,
) -> Scan:
    """Score every variant, every pair of variants, or every triple of some.

    Parameters
    ----------
    genotypes : Genotypes
        The calls.
    y : ndarray of bool
        Cases.
    size : {1, 2, 3}, default=2
        Number of variants of a marker.
    among : int or sequence of int, optional
        Numbers of the variants of triples, or how many of the best single variants to use, one per
        linkage block (:func:`clump_leads`); required for ``size=3``.
    codings : sequence of str
        Literals for ANDs; negations such as "not dominant" are allowed.
    measure : {"and", "cells"}, default="and"
        Score the best AND of one literal of each variant, or the best set of cells of their
        genotype table: any Boolean function of the genotypes, XOR-like ones too.
    rank : {"gain", "bayes factor"}, default="gain"
        Ranking key.
    top : int, default=1000
        Number of findings to keep.
    gap : int, default=0
        Minimum distance in base pairs of variants of one chromosome.
    effect : Effect, optional
        The prior of the rates.
    strata : ndarray of int, optional
        The stratum of each sample, numbered from 0: samples are counted and scored within strata.
        Cells of three variants are not.
    part : (int, int), optional
        Scan part k of n of the pairs or triples, k from 1, for job arrays. :func:`merge` joins the
        parts.
    n_jobs : int, default=1
        Threads; what is found does not depend on their number. Under an active joblib backend of
        Dask or Ray its workers scan instead.
    progress : callable, optional
        Called as ``progress(done, total)``.
    announce : callable, optional
        Called before the scan with a sentence on its size and estimated time.
    device : {"auto", "cpu", "cuda"}, default="auto"
        Device for counting pairs and triples: "auto" uses an NVIDIA GPU if there is one and the
        scan is long enough, "cpu" the processor, "cuda" always the GPU. Findings do not depend on
        it. GPUs count triples for ANDs without negated literals, fewer than 2^23 samples and at
        most 40 strata; they need CuPy, the extra ``cuda12`` or ``cuda13``.
    client : distributed.Client, optional
        Scan on the workers of this Dask client.
    checkpoint : path, optional
        File for the state of a scan of pairs or triples; if it has a state of the same scan, the
        scan resumes from it, and a finished scan is not repeated.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.genomics import Genotypes, scan
    >>> rng = np.random.default_rng(0)
    >>> calls = rng.binomial(2, 0.3, (50, 600))
    >>> y = rng.random(600) < np.where((calls[3] >= 1) & (calls[7] >= 1), 0.6, 0.2)
    >>> found = scan(Genotypes.from_copies(calls), y)
    >>> found.findings["marker"][0]
    '(v4_B dominant AND v8_B dominant)'
    """
    y = np.asarray(y, dtype=np.bool_)
    size, top = whole("size", "scan", size, 1, 3), whole("top", "scan", top, 1)
    gap, n_jobs = whole("gap", "scan", gap, 0), whole("n_jobs", "scan", n_jobs, 1)
    _check(genotypes, y, size, among, codings, measure, rank, part)
    wants_gpu(device, "scan", None, worth_it=False)  # else asked after counting, or not at all
    strata = _checked_strata(strata, len(y), size, measure)
    number, parts = (1, 1) if part is None else map(int, part)
    options = ScanOptions(tuple(codings), measure, rank, top, gap, effect or Effect())
    table = scan_table(genotypes, y, options, strata, n_jobs)
    settings = {
        **identity(genotypes, y, codings, gap, effect or Effect(), table.margins().swapaxes(0, 1)),
        "size": size,
        "measure": measure,
        "rank": rank,
        "top": top,
        "strata": strata_hash(strata),
        "part": [number, parts],
    }
    if size == 1:
        found: Any = table.singles()
        order = np.argsort(-found[3], kind="stable")[:top]
        found = [array[order] for array in found]
    else:
        scanned: _native.ScanTable | _native.TripleTable = table
        what = f"{genotypes.n_variants:,} variants"
        chosen = None
        if size == 3:
            if isinstance(among, int | np.integer):
                ranked = np.argsort(-table.singles()[3], kind="stable")
                among = clump_leads(genotypes, ranked, int(among))
                what = f"{len(among):,} blocks of linkage"
            # Sorted, so that the same variants in any order are the same scan.
            chosen = np.unique(np.asarray(among, dtype=np.int32))
            scanned = _native.TripleTable(table, chosen, n_jobs)
            settings["among"] = hashlib.sha256(chosen.tobytes()).hexdigest()[:16]
        cluster = active_cluster(client)
        if announce is not None:
            slots = None if cluster is None else cluster.slots
            announce(forecast(scanned, what, number, parts, n_jobs, top, slots))
        found = scan_parts(
            genotypes, y, scanned, options, chosen, range(number - 1, scanned.n_tasks, parts),
            strata=strata, n_jobs=n_jobs, device=device, cluster=cluster, checkpoint=checkpoint,
            settings=settings, progress=progress,
        )  # fmt: skip
    require_intact(genotypes.planes)
    return Scan(_findings(genotypes, found, size, measure), settings)


def identity(
    genotypes: Genotypes,
    y: NDArray[np.bool_],
    codings: Sequence[str],
    gap: int,
    effect: Effect,
    counts: NDArray[np.int64] | None = None,
) -> dict[str, Any]:
    """Return the settings of a scan: sizes, a hash of the data, and options.

    ``counts`` are the calls of cases and of controls, if they have been counted already.
    """
    # The hash is of names, outcomes, and counts of calls by outcome: hashing all calls would take
    # as long as reading them.
    digest = hashlib.sha256("\n".join(genotypes.names).encode())
    digest.update(np.packbits(y).tobytes())
    if counts is None:
        counts = np.stack([genotypes.counts(y), genotypes.counts(~y)])
    digest.update(counts.tobytes())
    return {
        "variants": genotypes.n_variants,
        "cases": int(y.sum()),
        "controls": int((~y).sum()),
        "data": digest.hexdigest()[:16],
        "codings": list(codings),
        "gap": gap,
        "effect": repr(scored_effect(effect)),
    }


def strata_hash(strata: NDArray[np.integer] | None) -> str | None:
    """Return a hash of strata for the settings of a scan; None if there is only one stratum."""
    if strata is None or strata.max(initial=0) == 0:
        return None
    return hashlib.sha256(np.ascontiguousarray(strata, dtype=np.int64).tobytes()).hexdigest()[:16]


def _checked_strata(
    strata: NDArray[np.integer] | None, n: int, size: int, measure: str
) -> NDArray[np.integer] | None:
    """Return the strata for a scan; None if there is only one stratum."""
    if strata is None:
        return None
    strata = np.asarray(strata)
    if strata.shape != (n,) or strata.dtype.kind not in "iu" or strata.min(initial=0) < 0:
        raise ParameterError.of(
            "strata", "scan", f"whole numbers from 0 on, one for each of {n:,} samples", strata
        )
    if strata.max(initial=0) == 0:
        return None
    if size == 3 and measure == "cells":
        raise ParameterError.of("measure", "scan", "'and' for triples within strata", measure)
    return strata


def _findings(genotypes: Genotypes, found: Any, size: int, measure: str) -> pd.DataFrame:
    import pandas as pd

    variants, what, rows, factor, gain = found
    names = np.array(genotypes.names, dtype=object)
    columns = {f"variant_{i + 1}": names[variants[:, i]] for i in range(size)}
    spell = function_of_cells if measure == "cells" else conjunction
    if size == 1 and measure == "and":  # of every variant; functions would take longer
        markers = [
            f"({Literal(name, CODES[code])})"
            for name, code in zip(columns["variant_1"], what.tolist(), strict=True)
        ]
    else:
        markers = [
            str(spell(genotypes, [int(v) for v in members[:size]], int(code)))
            for members, code in zip(variants, what, strict=True)
        ]
    places = {f"place_{i + 1}": variants[:, i] for i in range(size)}
    return pd.DataFrame(
        {"marker": markers, **columns, "cases": rows[:, 0], "controls": rows[:, 1],
         "log_bayes_factor": factor, "gain": gain, **places}
    )  # fmt: skip


def _check(
    genotypes: Genotypes,
    y: NDArray[np.bool_],
    size: int,
    among: Any,
    codings: Sequence[str],
    measure: str,
    rank: str,
    part: Any,
) -> None:
    if len(y) != genotypes.n_samples:
        raise InputError(f"y has {len(y):,} entries for {genotypes.n_samples:,} samples.")
    if y.all() or not y.any():
        raise InputError("A scan needs cases and controls. Got samples of one kind only.")
    unknown = [coding for coding in codings if coding not in CODES]
    if unknown or not codings:
        raise ParameterError.of("codings", "scan", f"some of {', '.join(CODES)}", codings)
    for name, value, options in (
        ("measure", measure, MEASURES),
        ("rank", rank, RANKS),
    ):
        if value not in options:
            raise ParameterError.of(name, "scan", f"one of {', '.join(options)}", value)
    if size == 3 and among is None:
        raise ParameterError.of("among", "scan", "some variants or a number, for size=3", among)
    if isinstance(among, int | np.integer):
        whole("among", "scan", among, 3)
    if size != 3 and among is not None:
        raise ParameterError.of("among", "scan", "None unless size=3", "some variants")
    if part is None:
        return
    numbers = len(part) == 2 and is_whole(part[1], 1) and is_whole(part[0], 1, part[1])
    if size == 1 or not numbers:
        raise ParameterError.of(
            "part", "scan", "(k, n) with k from 1 to n, for pairs and triples", part
        )
