"""``bayesdnf markers``, ``pack``, ``scan``, ``merge``; ``predict`` with a model of markers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options
from .output import save_result, write_json
from .reporting import command_line, files_of
from .study_options import Files, Reading, reading

if TYPE_CHECKING:
    import pandas as pd

    from ..display.bars import Bar
    from ..genomics.markers.finding import Markers
    from ..genomics.study import Study


_UNITS = {2: "pairs", 3: "triples"}


class Stages:
    """A bar for each stage of a long command, one after the other."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._title: str | None = None
        self._bar: Bar | None = None

    def __enter__(self) -> Stages:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def __call__(self, title: str, done: int, total: int) -> None:
        """Show the progress of a stage; a new title starts the next bar."""
        if title != self._title:
            from ..display.bars import Bar

            self._stack.close()
            self._title, self._bar = title, self._stack.enter_context(Bar(title.capitalize()))
        assert self._bar is not None
        self._bar.show(done, total, f"{done:,} of {total:,}" if done else "")


@reading
def markers(
    study: Files,
    out: Annotated[Path, typer.Option(help="Output folder for tables, plots, model and log.")],
    prevalence: Annotated[
        float | None,
        typer.Option(
            help="Fraction of cases in the population. Default: risks refer to the sample."
        ),
    ] = None,
    negations: Annotated[
        bool, typer.Option("--negations/--no-negations", help="Also offer negated literals.")
    ] = True,
    variants_kept: Annotated[
        int, typer.Option(help="Number of variants kept for the search after the scans.")
    ] = 200,
    layers: Annotated[
        int,
        typer.Option(help="Maximum number of layers; above 1 a rule list is searched for as well."),
    ] = 1,
    permutations: Annotated[
        int, typer.Option(help="Number of permutations for family-wise p-values.")
    ] = 0,
    holdout: Annotated[
        float, typer.Option(help="Fraction of samples to hold out for testing the terms.")
    ] = 0.0,
    draws: Annotated[int, typer.Option(help="Draws per chain.")] = 1000,
    chains: Annotated[int, typer.Option(help="Number of chains.")] = 4,
    time_limit: Annotated[
        float | None,
        typer.Option(help="Time limit in seconds, for the search and again for sampling."),
    ] = None,
    genes: Annotated[
        Path | None, typer.Option(help="BED file of genes: chromosome, start, end, name.")
    ] = None,
    scan: Annotated[
        list[Path] | None, typer.Option(help="Output of an earlier scan of this study; repeatable.")
    ] = None,
    scheduler: options.Scheduler = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            help="Checkpoint folder to resume from. Default with a scheduler: OUT.checkpoint."
        ),
    ] = None,
    seed: options.Seed = 0,
    excel_safe: options.ExcelSafe = False,
    as_json: options.Json = False,
    *,
    reading: Reading,
) -> None:
    """Find combinations of variants (polygenic markers) associated with the outcome."""
    from ..files.packed import is_packed
    from ..genomics import Genes, Scan, find_markers
    from ..genomics.markers.step_files import StepFiles
    from ..genomics.markers.tasks import Clock
    from ..model.effect import Effect
    from ..plots.panels import pyplot
    from ..remote.clusters import connected
    from ..report.marker_folder import ready, save_markers

    sampling = "random" if prevalence is None else "case-control"
    effect = Effect(prevalence=prevalence, sampling=sampling)
    named = None if genes is None else Genes.read(genes)
    scans = [Scan.load(path) for path in scan or ()]
    ready(out)
    pyplot()  # a missing library is told now, not after the work
    clock = Clock()
    if checkpoint is None and scheduler is not None:
        checkpoint = Path(f"{out}.checkpoint")
    steps = StepFiles(checkpoint)
    with _keeping(checkpoint), connected(scheduler), Stages() as stages:
        kept = _prepared(study, reading, stages, clock.note)
        found = find_markers(
            kept, effect=effect, codings=reading.codings_on_offer(), negations=negations,
            keep=variants_kept, gap=reading.gap, components=reading.pcs,
            strata=reading.strata or (), adjust=reading.adjust, build=reading.build,
            layers=layers, permutations=permutations, holdout=holdout, draws=draws, chains=chains,
            time_limit=time_limit, n_jobs=reading.jobs, random_state=seed, pairs=scans or None,
            progress=stages, checkpoint=checkpoint,
        )  # fmt: skip
    if not as_json:
        from ..genomics.markers.summary import summary

        typer.echo(summary(found, named))
    files: list[Path] = []

    def save(folder: Path) -> None:
        files[:] = save_markers(
            found, folder, named, command=command_line(),
            filters=None if is_packed(study) else reading.filters(),
            seconds=clock.seconds, inputs=_hashed(study, reading),
            excel_safe=excel_safe,
        )  # fmt: skip

    saved = save_result(save, out, "the results")
    if as_json:
        write_json({**_result(found, files), "seconds": {**clock.seconds, **found.seconds}})
    elif saved.path is not None:
        typer.echo(f"\n{len(files)} files written to {saved.path}.")
    saved.require()
    if "interrupted" not in (found.search.stopped, found.draws.settings["stopped"]):
        steps.remove()


def _prepared(
    study: str, reading: Reading, stages: Stages, note: Callable[[str], object] = lambda step: None
) -> Study:
    """Read and filter a study: ploidy of sex chromosomes, quality filters, close relatives.

    ``note`` is told when a step has ended.
    """
    from ..files.packed import is_packed
    from ..genomics import Study

    if is_packed(study):
        reading.refuse_choices(study)
        opened = Study.open(study)
        note("reading")
        return opened
    filters = reading.filters()  # a wrong option is told before anything is read
    raw = reading.read(study, lambda done, total: stages("reading", done, total))
    note("reading")
    kept = raw.filtered(filters, reading.build, in_place=True)
    note("filters")
    kept = kept.without_relatives(reading.king_cutoff, reading.jobs)
    note("relatives")
    for warning in kept.warnings:
        typer.echo(f"Warning: {warning}", err=True)
    return kept


def _result(found: Markers, files: list[Path]) -> dict[str, Any]:
    from dataclasses import asdict

    null = found.function.is_null
    strata, within = found.adjustment.strata, found.adjustment.stratified_inflation
    genotypes, y = found.study.genotypes, found.study.y
    return {
        "rule": str(found.plain),
        "cases": int(y.sum()),
        "controls": int((~y).sum()),
        "variants": genotypes.n_variants,
        "null_probability": found.null_probability,
        "terms": found.terms.to_dict("records"),
        "risk_marked": None if null else found.risk._asdict(),
        "risk_unmarked": found.other_risk._asdict(),
        "prevalence": found.posterior.effect.prevalence,
        "rivals": len(found.rivals.functions),
        "inflation": asdict(found.adjustment.inflation),
        "stratified_inflation": None if within is None else asdict(within),
        "strata": [] if strata is None else list(strata.labels),
        "layers": None if found.layered is None else found.layered.table.to_dict("records"),
        "left_out": found.searched.outside,
        "warnings": list(found.study.warnings),
        "pairs": found.pairs.to_dict("records"),
        "history": list(found.history),
        "settings": found.settings,
        "files": [str(file) for file in files],
    }


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

    keep_apart(out, [*_files_of(study), *reading.inputs().values()])
    writable(out)
    with Stages() as stages:
        kept = _prepared(study, reading, stages)
    sha256 = kept.save(out)
    _write_log(out, "\n".join([command_line(), *kept.history, f"sha256 {sha256}"]))
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
    from ..files.atomic import writable
    from ..genomics.association.adjustment import adjust
    from ..genomics.markers.scan import scan as scan_study
    from ..remote.clusters import connected
    from .labelled import keep_apart

    which = _part(part)
    keep_apart(out, [*_files_of(study), *reading.inputs().values()])
    writable(out)
    if checkpoint is None and scheduler is not None:
        checkpoint = Path(f"{out}.checkpoint")
    with _keeping(checkpoint), connected(scheduler), Stages() as stages:
        kept = _prepared(study, reading, stages)
        adjustment = adjust(
            kept.genotypes, kept.y, kept.covariates, components=reading.pcs,
            columns=reading.strata or (), by_risk=reading.adjust, build=reading.build,
        )  # fmt: skip
        found = scan_study(
            kept.genotypes, kept.y, size=size, among=among if size == 3 else None,
            codings=reading.codings_on_offer(), measure=measure, top=top, gap=reading.gap,
            part=which, n_jobs=reading.jobs, strata=adjustment.numbers, checkpoint=checkpoint,
            device=device,
            progress=lambda done, total: stages(_UNITS[size], done, total),
            announce=(lambda work: typer.echo(work, err=True)) if size == 3 else None,
        )  # fmt: skip
    told = [*kept.history, *adjustment.history, adjustment.verdict]
    log = "\n".join([command_line(), *told, *map(str, found.settings.items())])

    def save(path: Path) -> None:
        found.save(path)
        _write_log(path, log)

    saved = save_result(save, out, "the pairs")
    _tell_scan(saved.path, found.findings, found.settings, as_json)
    saved.require()
    if checkpoint is not None:
        checkpoint.unlink(missing_ok=True)


@contextmanager
def _keeping(checkpoint: Path | None) -> Iterator[None]:
    """Name the checkpoint from which an interrupted command can resume."""
    try:
        yield
    except KeyboardInterrupt:
        if checkpoint is not None and checkpoint.exists():
            typer.echo(
                f"Progress is saved in {checkpoint}; run the same command to resume.", err=True
            )
        raise


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
    from ..files.atomic import writable
    from ..genomics import Scan
    from ..genomics import merge as join
    from .labelled import keep_apart

    keep_apart(out, list(scans))
    writable(out)
    whole = join([Scan.load(path) for path in scans])
    whole.save(out)
    _write_log(out, "\n".join([command_line(), *map(str, whole.settings.items())]))
    _tell_scan(out, whole.findings, whole.settings, as_json)


def _tell_scan(
    out: Path | None, findings: pd.DataFrame, settings: dict[str, Any], as_json: bool
) -> None:
    if as_json:
        best = findings.head(10).to_dict("records")
        where = None if out is None else str(out)
        write_json({"out": where, "findings": len(findings), "best": best, **settings})
        return
    k, n = settings["part"]
    which = "" if n == 1 else f" of part {k} of {n}"
    units = _UNITS[settings["size"]]
    typer.echo(f"{out or 'Not saved'}: the best {len(findings):,} {units}{which}.")
    for _, row in findings.head(5).iterrows():
        typer.echo(
            f"  gain {row['gain']:.1f}, log BF {row['log_bayes_factor']:.1f}  {row['marker']}"
        )


def predict_markers(
    model: Path, study: str, out: Path, ambiguous: str, excel_safe: bool, as_json: bool
) -> None:
    """Predict the samples of another study with a marker, and print how its variants matched."""
    from ..files.atomic import atomic_path, writable
    from ..files.spreadsheets import excel_safe as make_safe
    from ..genomics import MarkerModel
    from .labelled import keep_apart

    keep_apart(out, [model, *_files_of(study)])
    writable(out)
    marker = MarkerModel.load(model)
    with Stages() as stages:
        calls = marker.read(study, progress=lambda done, total: stages("reading", done, total))
    if set(_strand_hashes(study)) & set(marker.sources):
        ambiguous = "accept"  # the very file that the model comes from
    matched = marker.match(calls, ambiguous=ambiguous)
    for warning in matched.warnings:
        typer.echo(f"Warning: {warning}.", err=True)
    answers = marker.predict(matched)
    with atomic_path(out) as part:
        shown = make_safe(answers) if excel_safe else answers
        shown.to_csv(part, sep="\t", index=False, na_rep="NA", float_format="%.6g")
    _write_log(out, "\n".join([command_line(), *matched.genotypes.history]))
    counts = {
        "marked": int((answers["MARKED"] == 1).sum()),
        "unmarked": int((answers["MARKED"] == 0).sum()),
        "undecided": int(answers["MARKED"].isna().sum()),
    }
    if as_json:
        matches = matched.table.to_dict("records")
        write_json({"out": str(out), "samples": len(answers), **counts, "variants": matches})
        return
    null = marker.function.is_null
    typer.echo("The model has no marker." if null else f"Marker: {marker.plain}")
    if len(matched.table):
        typer.echo(matched.table.to_string(index=False))
    typer.echo(matched.genotypes.history[-1])
    listed = ", ".join(f"{count:,} {what}" for what, count in counts.items())
    typer.echo(f"{out}: {len(answers):,} samples, {listed}; risks are {marker.scale}.")


def _files_of(study: str) -> Sequence[Path]:
    """Files that a study is read from, which nothing may be written over."""
    from ..files.packed import is_packed
    from ..genomics.files.opening import open_genotypes

    return [Path(study)] if is_packed(study) else open_genotypes(study).files


def _strand_hashes(study: str) -> list[str]:
    """Hash those files of a study that name alleles."""
    from ..files.hashes import file_sha256

    return [file_sha256(path) for path in _files_of(study) if path.suffix not in (".bed", ".pgen")]


def _hashed(study: str, reading: Reading) -> Sequence[Any]:
    """Hash the files that were read."""
    genotypes = {f"genotypes ({path.suffix})": path for path in _files_of(study)}
    return files_of({**genotypes, **reading.inputs()})


def _write_log(out: Path, text: str) -> None:
    """Write the log of a command beside its output."""
    from ..files.atomic import write_text
    from ..versions import versions

    told = "\n".join(f"{name} {value}" for name, value in versions().items())
    write_text(out.with_name(f"{out.name}.log"), f"{text}\n{told}\n")
