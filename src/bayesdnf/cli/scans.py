"""``bayesdnf pack``, ``scan`` and ``merge``: scans of a study, as a whole or in parts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options
from .output import save_result, write_json
from .reporting import command_line
from .studies import Stages, keeping, prepared, study_files, warn, write_log
from .study_options import Files, Reading, reading

if TYPE_CHECKING:
    import pandas as pd

_UNITS = {2: "pair", 3: "triple"}


@reading
def pack(
    study: Files,
    out: Annotated[Path, typer.Option(help="Packed file to write, such as study.pack.")],
    as_json: options.Json = False,
    *,
    reading: Reading,
) -> None:
    """Read and filter a study once, and write a packed file that scan and markers map."""
    from ..files.atomic import writable
    from .labelled import keep_apart

    keep_apart(out, [*study_files(study), *reading.inputs().values()])
    writable(out)
    with Stages() as stages:
        kept = prepared(study, reading, stages)
    sha256 = kept.save(out)
    write_log(out, "\n".join([command_line(), *kept.history, f"sha256 {sha256}"]))
    size = out.stat().st_size
    if as_json:
        genotypes = kept.genotypes
        write_json(
            {"out": str(out), "sha256": sha256, "bytes": size, "cases": int(kept.y.sum()),
             "controls": int((~kept.y).sum()), "variants": genotypes.n_variants}
        )  # fmt: skip
        return
    typer.echo(f"{out}: {kept!r}, {size:,} bytes, sha256 {sha256[:16]}….")


@reading
def scan(
    study: Files,
    out: Annotated[Path, typer.Option(help="Tab-separated file to write.")],
    size: Annotated[
        int, typer.Option(help="Variants per marker: 2 scans pairs, 3 triples.", min=2, max=3)
    ] = 2,
    among: Annotated[
        int,
        typer.Option(
            help="For triples: number of top variants to combine, one per linkage block.", min=3
        ),
    ] = 300,
    part: Annotated[str | None, typer.Option(help="Scan part k of n only, given as k/n.")] = None,
    measure: Annotated[
        str,
        typer.Option(
            help="Score of a combination: and (best AND of literals) or cells "
            "(best set of genotypes)."
        ),
    ] = "and",
    top: Annotated[int, typer.Option(help="Number of pairs or triples to keep.")] = 1000,
    device: options.Device = "auto",
    scheduler: options.Scheduler = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            help="Checkpoint file to resume from. Default with a scheduler: OUT.checkpoint."
        ),
    ] = None,
    as_json: options.Json = False,
    *,
    reading: Reading,
) -> None:
    """Scan all pairs of variants, or triples of the best ones, for association."""
    from ..data.table_files.table_output import TABS, require_table_name
    from ..genomics.association.adjustment import adjust
    from ..genomics.markers.scan import scan as scan_study
    from ..remote.clusters import connected
    from .labelled import keep_apart

    which = _part(part)
    keep_apart(out, [*study_files(study), *reading.inputs().values()])
    require_table_name(out, TABS)
    if checkpoint is None and scheduler is not None:
        checkpoint = Path(f"{out}.checkpoint")
    with keeping(checkpoint), connected(scheduler), Stages() as stages:
        kept = prepared(study, reading, stages)
        adjustment = adjust(
            kept.genotypes, kept.y, kept.covariates, components=reading.pcs,
            columns=reading.strata or (), by_risk=reading.adjust, build=reading.build,
        )  # fmt: skip
        warn(adjustment.warnings)
        found = scan_study(
            kept.genotypes, kept.y, size=size, among=among if size == 3 else None,
            codings=reading.codings_on_offer(), measure=measure, top=top, gap=reading.gap,
            part=which, n_jobs=reading.jobs, strata=adjustment.numbers, checkpoint=checkpoint,
            device=device,
            progress=lambda done, total: stages(f"{_UNITS[size]}s", done, total),
            announce=(lambda work: typer.echo(work, err=True)) if size == 3 else None,
        )  # fmt: skip
    told = [*kept.history, *adjustment.history, adjustment.verdict]
    log = "\n".join([command_line(), *told, *map(str, found.settings.items())])

    def save(path: Path) -> None:
        found.save(path)
        write_log(path, log)

    saved = save_result(save, out, "the pairs")
    _tell_scan(saved.path, found.findings, found.settings, as_json, kept.genotypes.other_names)
    saved.require()
    if checkpoint is not None:
        checkpoint.unlink(missing_ok=True)


def _part(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    k, slash, n = text.partition("/")
    if not (slash and k.isdecimal() and n.isdecimal() and 1 <= int(k) <= int(n)):
        raise typer.BadParameter(f"--part must be k/n with k from 1 to n, such as 2/8, not {text}.")
    return int(k), int(n)


def merge(
    scans: Annotated[list[Path], typer.Argument(help="Files of all parts of a scan.")],
    out: Annotated[Path, typer.Option(help="Tab-separated file to write.")],
    as_json: options.Json = False,
) -> None:
    """Merge the parts of a scan into one file."""
    from ..data.table_files.table_output import TABS, require_table_name
    from ..genomics import Scan
    from ..genomics import merge as join
    from .labelled import keep_apart

    keep_apart(out, list(scans))
    require_table_name(out, TABS)
    whole = join([Scan.load(path) for path in scans])
    whole.save(out)
    write_log(out, "\n".join([command_line(), *map(str, whole.settings.items())]))
    _tell_scan(out, whole.findings, whole.settings, as_json)


def _tell_scan(
    out: Path | None,
    findings: pd.DataFrame,
    settings: dict[str, Any],
    as_json: bool,
    other_names: Mapping[str, str] | None = None,
) -> None:
    from ..boolean import BooleanFunction
    from ..display.wording import count
    from ..genomics.markers.spelling import plain

    if as_json:
        best = findings.head(10).to_dict("records")
        where = None if out is None else str(out)
        write_json({"out": where, "findings": len(findings), "best": best, **settings})
        return
    k, n = settings["part"]
    which = "" if n == 1 else f" of part {k} of {n}"
    kept = count(len(findings), _UNITS[settings["size"]])
    typer.echo(f"{out or 'Not saved'}: the best {kept}{which}.")
    for _, row in findings.head(5).iterrows():
        marker = plain(BooleanFunction.parse(row["marker"]), other_names or {})
        typer.echo(f"  gain {row['gain']:.1f}, log BF {row['log_bayes_factor']:.1f}  {marker}")
