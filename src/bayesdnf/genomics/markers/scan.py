"""Exhaustive scans: every variant, pair, or triple of a chosen set, by its log Bayes factor.

The Bayes factor is that of the best marker on the variants against no marker, both rates integrated
out: the best AND of one literal of each variant, or the best set of cells of their genotype table.
Its *gain* is taken over the best marker on fewer of these variants, so that one strong variant does
not bring thousands of pairs with it.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ... import _native
from ...boolean import BooleanFunction
from ...checks import is_whole, whole
from ...display.wording import duration
from ...errors import InputError, ParameterError
from ...files.atomic import atomic_path
from ...files.packed import require_intact
from ...model.effect import Effect
from ..chromosomes import chromosome_order
from ..genotypes import Genotypes
from ..quality.linkage import clump_leads
from .spelling import CODES, conjunction, function_of_cells

if TYPE_CHECKING:
    import pandas as pd

_ROUND = 0.25  # seconds between looks at progress and Ctrl-C
_FORMAT = "bayesdnf scan 1"

Progress = Callable[[int, int], None]
"""Called as ``progress(done, total)``, in pairs or triples."""


@dataclass(frozen=True, eq=False)
class Scan:
    """What a scan found.

    Parameters
    ----------
    findings : DataFrame
        Best first: ``marker`` (a function in words), ``variant_1``, ``variant_2`` …, ``cases`` and
        ``controls`` that it marks, ``log_bayes_factor`` against no marker, and ``gain`` over the
        best marker on fewer of the variants. Cells are counted on samples whose calls are all
        known.
    settings : dict
        What was scanned and how.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.genomics import Genotypes, scan
    >>> rng = np.random.default_rng(0)
    >>> calls = Genotypes.from_copies(rng.binomial(2, 0.3, (10, 200)))
    >>> found = scan(calls, rng.random(200) < 0.5, top=3)
    >>> found.findings[["variant_1", "variant_2"]].shape
    (3, 2)
    """

    findings: pd.DataFrame
    settings: dict[str, Any]

    @property
    def functions(self) -> list[BooleanFunction]:
        """The findings as functions."""
        return [BooleanFunction.parse(text) for text in self.findings["marker"]]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the findings to a tab-separated file, the settings in its first line."""
        with atomic_path(path) as part, part.open("w", encoding="utf-8") as out:
            out.write(f"# {_FORMAT} {json.dumps(self.settings, sort_keys=True)}\n")
            self.findings.to_csv(out, sep="\t", index=False, float_format="%.17g")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Scan:
        """Read what :meth:`save` wrote."""
        import pandas as pd

        try:
            with Path(path).open(encoding="utf-8") as lines:
                first = lines.readline()
                if not first.startswith(f"# {_FORMAT} "):
                    raise InputError(f"{path}, line 1: not a file of a scan by bayesdnf.")
                settings = json.loads(first.removeprefix(f"# {_FORMAT} "))
                findings = pd.read_csv(
                    lines, sep="\t", dtype={f"variant_{i}": str for i in (1, 2, 3)}
                )
        except OSError as error:
            raise InputError(f"Cannot read {path}: {error.strerror}.") from error
        except (ValueError, UnicodeDecodeError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"{path}: not a file of a scan, or a damaged one.") from error
        return cls(findings, settings)

    def require(self, wanted: dict[str, Any]) -> None:
        """Refuse a scan that was made of other data or in another way, or that is a part only.

        Parameters
        ----------
        wanted : dict
            What its settings must be.
        """
        if self.settings.get("part") != [1, 1]:
            raise InputError(
                f"The scan given is part {self.settings.get('part')} of a scan; merge all parts."
            )
        for name, value in wanted.items():
            if self.settings.get(name) != value:
                raise InputError(
                    f"The scan given is not one of this study: its {name} is "
                    f"{self.settings.get(name)!r}, and here it is {value!r}; make it with the "
                    "same files, filters and options."
                )


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
    part: tuple[int, int] | None = None,
    n_jobs: int = 1,
    progress: Progress | None = None,
    announce: Callable[[str], object] | None = None,
) -> Scan:
    """Score every variant, every pair of variants, or every triple of some.

    Parameters
    ----------
    genotypes : Genotypes
        The calls.
    y : ndarray of bool
        Cases.
    size : {1, 2, 3}, default=2
        Variants of a marker.
    among : int or sequence of int, optional
        Numbers of the variants to take triples of, or how many of the best single variants, one
        for each block of linkage (:func:`clump_leads`); needed for ``size=3``.
    codings : sequence of str
        Literals on offer for ANDs; "not dominant" and the like are allowed.
    measure : {"and", "cells"}, default="and"
        Score the best AND of one literal of each variant, or the best set of cells of their
        genotype table: any Boolean function of the genotypes, XOR-like ones too.
    rank : {"gain", "bayes factor"}, default="gain"
        What to rank by.
    top : int, default=1000
        How many to keep.
    gap : int, default=0
        Leave out variants of one chromosome that are closer than so many base pairs.
    effect : Effect, optional
        What is known of the rates.
    part : (int, int), optional
        Do part k of n of the pairs or triples, k from 1: for job arrays. :func:`merge` joins the
        parts.
    n_jobs : int, default=1
        Threads; what is found does not depend on their number.
    progress : callable, optional
        Called as ``progress(done, total)``.
    announce : callable, optional
        Told in a sentence, before the scan begins, how much there is to do and how long it will
        take.

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
    number, parts = (1, 1) if part is None else map(int, part)
    table = scan_table(
        genotypes, y, codings=codings, measure=measure, rank=rank, top=top, gap=gap,
        effect=effect, n_jobs=n_jobs,
    )  # fmt: skip
    best = _native.Findings(top)
    if size == 1:
        found: Any = table.singles()
        order = np.argsort(-found[3], kind="stable")[:top]
        found = [array[order] for array in found]
    else:
        scanned: _native.ScanTable | _native.TripleTable = table
        what = f"{genotypes.n_variants:,} variants"
        if size == 3:
            if isinstance(among, int | np.integer):
                ranked = np.argsort(-table.singles()[3], kind="stable")
                among = clump_leads(genotypes, ranked, int(among))
                what = f"{len(among):,} blocks of linkage"
            chosen = np.unique(np.asarray(among, dtype=np.int32))
            scanned = _native.TripleTable(table, chosen, n_jobs)
        if announce is not None:
            announce(_forecast(scanned, what, number, parts, n_jobs, top))
        _run(scanned, best, number - 1, parts, n_jobs, progress)
        found = best.arrays()
    require_intact(genotypes.planes)
    settings = {
        **identity(genotypes, y, codings, gap, effect or Effect()),
        "size": size,
        "measure": measure,
        "rank": rank,
        "top": top,
        "part": [number, parts],
    }
    if size == 3:
        settings["among"] = hashlib.sha256(chosen.tobytes()).hexdigest()[:16]
    return Scan(_findings(genotypes, found, size, measure), settings)


def identity(
    genotypes: Genotypes, y: NDArray[np.bool_], codings: Sequence[str], gap: int, effect: Effect
) -> dict[str, Any]:
    """Return what two scans of one study share: sizes, a hash of the data, and options."""
    digest = hashlib.sha256("\n".join(genotypes.names).encode())
    for array in (np.packbits(y), genotypes.counts(y), genotypes.counts(~y)):
        digest.update(array.tobytes())
    # Scores do not depend on the prevalence.
    parameters = {**effect.get_params(), "prevalence": None, "sampling": "random"}
    return {
        "variants": genotypes.n_variants,
        "cases": int(y.sum()),
        "controls": int((~y).sum()),
        "data": digest.hexdigest()[:16],
        "codings": list(codings),
        "gap": gap,
        "effect": repr(Effect(**parameters)),
    }


def merge(scans: Sequence[Scan]) -> Scan:
    """Join the parts of a scan.

    Parameters
    ----------
    scans : sequence of Scan
        Every part, in any order.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.genomics import Genotypes, merge, scan
    >>> rng = np.random.default_rng(0)
    >>> calls = Genotypes.from_copies(rng.binomial(2, 0.3, (50, 200)))
    >>> y = rng.random(200) < 0.5
    >>> parts = [scan(calls, y, part=(k, 3)) for k in (1, 2, 3)]
    >>> merge(parts).findings.equals(scan(calls, y).findings)
    True
    """
    import pandas as pd

    if not scans:
        raise InputError("There are no parts of a scan to merge.")
    plain = [{k: v for k, v in s.settings.items() if k != "part"} for s in scans]
    for other in plain[1:]:
        for key in plain[0]:
            if other.get(key) != plain[0][key]:
                raise InputError(
                    f"The parts are of different scans: {key} is {plain[0][key]!r} in one "
                    f"and {other.get(key)!r} in another."
                )
    have = sorted(tuple(s.settings["part"]) for s in scans)
    parts = have[0][1]
    wanted = [(k, parts) for k in range(1, parts + 1)]
    if have != wanted:
        missing = sorted(set(wanted) - set(have))
        what = f"part {missing[0][0]} of {parts} is missing" if missing else "a part stands twice"
        raise InputError(f"The parts do not make up a whole scan: {what}.")
    key = "gain" if plain[0]["rank"] == "gain" else "log_bayes_factor"
    found = [s.findings for s in scans if len(s.findings)] or [scans[0].findings]
    joined = pd.concat(found, ignore_index=True)
    # Ties are ordered as one scan orders them: by the variants' places.
    places = [joined[f"place_{i}"] for i in range(plain[0]["size"], 0, -1)]
    order = np.lexsort((*places, -joined[key]))
    findings = joined.iloc[order[: plain[0]["top"]]].reset_index(drop=True)
    return Scan(findings, {**plain[0], "part": [1, 1]})


def scan_table(
    genotypes: Genotypes,
    y: NDArray[np.bool_],
    *,
    codings: Sequence[str] = ("dominant", "recessive", "heterozygous"),
    measure: str = "and",
    rank: str = "gain",
    top: int = 1000,
    gap: int = 0,
    effect: Effect | None = None,
    n_jobs: int = 1,
) -> _native.ScanTable:
    """Split the calls into cases and controls, as the native core scans them."""
    return _native.ScanTable(
        genotypes.planes,
        genotypes.mask(y),
        genotypes.mask(~y),
        (effect or Effect()).native(),
        [CODES.index(coding) for coding in codings],
        measure == "cells",
        rank == "gain",
        top,
        gap,
        chromosome_order(genotypes.variants["CHR"]),
        genotypes.variants["POS"].to_numpy(dtype=np.int64),
        n_jobs,
    )


def _run(
    table: _native.ScanTable | _native.TripleTable,
    best: _native.Findings,
    first: int,
    step: int,
    n_jobs: int,
    progress: Progress | None,
) -> None:
    """Scan the tasks first, first + step, … in stretches that take a fraction of a second."""
    total = table.size_of(first, table.n_tasks, step)
    done = 0

    def stretch(start: int, end: int, stop: _native.StopFlag) -> None:
        table.scan(start, end, step, n_jobs, stop, best)

    for start, end in _stretches(range(first, table.n_tasks, step), n_jobs, stretch):
        done += table.size_of(start, end, step)
        if progress is not None:
            progress(done, total)


def _forecast(
    table: _native.ScanTable | _native.TripleTable,
    what: str,
    number: int,
    parts: int,
    n_jobs: int,
    top: int,
) -> str:
    """Say how much a part of a scan is, and how long it will take by a trial of some tasks."""
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
    part = "" if parts == 1 else f" in part {number} of {parts}"
    return f"{total:,} {unit} of {what}{part}: about {duration(seconds)} on {threads}."


def _stretches(
    tasks: range, n_jobs: int, work: Callable[[int, int, _native.StopFlag], None]
) -> Any:
    """Do tasks a stretch at a time, on a thread of their own so that Ctrl-C is heard."""
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
            # Stretches grow or shrink towards _ROUND seconds; their cuts do not change what is
            # found, as Findings keeps the best of all.
            pace = _ROUND / max(1e-4, time.monotonic() - began)
            at += len(piece)
            length = max(n_jobs, int(length * min(8.0, max(0.25, pace))))
            yield start, end


def _findings(genotypes: Genotypes, found: Any, size: int, measure: str) -> pd.DataFrame:
    import pandas as pd

    variants, what, rows, factor, gain = found
    names = np.array(genotypes.names, dtype=object)
    columns = {f"variant_{i + 1}": names[variants[:, i]] for i in range(size)}
    spell = function_of_cells if measure == "cells" else conjunction
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
        ("measure", measure, ("and", "cells")),
        ("rank", rank, ("gain", "bayes factor")),
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
