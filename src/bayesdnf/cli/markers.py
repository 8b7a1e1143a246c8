"""``bayesdnf markers``, and ``predict`` with a model of markers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..display.wording import count
from . import options
from .output import save_result, write_json
from .reporting import command_line, files_of
from .studies import Stages, keeping, no_empty_folder, prepared, study_files, warn, write_log
from .study_options import Files, Reading, reading

if TYPE_CHECKING:
    from ..genomics.markers.finding import Markers


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
    device: options.Device = "auto",
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
    fresh = not out.exists()
    ready(out)
    pyplot()  # report a missing library before the work
    clock = Clock()
    if checkpoint is None and scheduler is not None:
        checkpoint = Path(f"{out}.checkpoint")
    steps = StepFiles(checkpoint)
    with no_empty_folder(out, fresh), keeping(checkpoint), connected(scheduler), Stages() as stages:
        kept = prepared(study, reading, stages, clock.note, tell=False)
        found = find_markers(
            kept, effect=effect, codings=reading.codings_on_offer(), negations=negations,
            keep=variants_kept, gap=reading.gap, components=reading.pcs,
            strata=reading.strata or (), adjust=reading.adjust, build=reading.build,
            layers=layers, permutations=permutations, holdout=holdout, draws=draws, chains=chains,
            time_limit=time_limit, n_jobs=reading.jobs, device=device, random_state=seed,
            pairs=scans or None, progress=stages, checkpoint=checkpoint,
        )  # fmt: skip
    if as_json:
        warn(found.warnings)
    else:
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
        "warnings": list(found.warnings),
        "pairs": found.pairs.to_dict("records"),
        "history": list(found.history),
        "settings": found.settings,
        "files": [str(file) for file in files],
    }


def _hashed(study: str, reading: Reading) -> Sequence[Any]:
    """Hash the files that were read."""
    genotypes = {f"genotypes ({path.suffix})": path for path in study_files(study)}
    return files_of({**genotypes, **reading.inputs()})


def predict_markers(
    model: Path, study: str, out: Path, ambiguous: str, excel_safe: bool, as_json: bool
) -> None:
    """Predict the samples of another study with a marker, and print how its variants matched."""
    from ..data.table_files.table_output import require_table_name, write_table
    from ..genomics import MarkerModel
    from .labelled import keep_apart

    keep_apart(out, [model, *study_files(study)])
    require_table_name(out)
    marker = MarkerModel.load(model)
    with Stages() as stages:
        calls = marker.read(study, progress=lambda done, total: stages("reading", done, total))
    if set(_strand_hashes(study)) & set(marker.sources):
        ambiguous = "accept"  # the file from which the model was made
    matched = marker.match(calls, ambiguous=ambiguous)
    for warning in matched.warnings:
        typer.echo(f"Warning: {warning}.", err=True)
    answers = marker.predict(matched)
    write_table(answers, out, "\t", excel_safe=excel_safe, na_rep="NA", float_format="%.6g")
    write_log(out, "\n".join([command_line(), *matched.genotypes.history]))
    counts = {
        "marked": int((answers["MARKED"] == 1).sum()),
        "unmarked": int((answers["MARKED"] == 0).sum()),
        "undecided": int(answers["MARKED"].isna().sum()),
    }
    if len(answers) and counts["undecided"] == len(answers):
        typer.echo("Warning: no sample is decided: variants of the marker are not there.", err=True)
    if as_json:
        matches = matched.table.to_dict("records")
        write_json({"out": str(out), "samples": len(answers), **counts, "variants": matches})
        return
    null = marker.function.is_null
    typer.echo("The model has no marker." if null else f"Marker: {marker.plain}")
    if len(matched.table):
        typer.echo(matched.table.to_string(index=False))
    typer.echo(matched.genotypes.history[-1])
    listed = ", ".join(f"{n:,} {what}" for what, n in counts.items())
    typer.echo(f"{out}: {count(len(answers), 'sample')}, {listed}; risks are {marker.scale}.")


def _strand_hashes(study: str) -> list[str]:
    """Hash those files of a study that name alleles."""
    from ..files.hashes import file_sha256

    return [
        file_sha256(path) for path in study_files(study) if path.suffix not in (".bed", ".pgen")
    ]
