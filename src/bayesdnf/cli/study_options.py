"""Options of the commands that read a study, and the study they ask for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import options

if TYPE_CHECKING:
    from ..genomics.quality.filters import Filters
    from ..genomics.study import Study

Files = Annotated[
    str,
    typer.Argument(
        metavar="STUDY", help="What .bed/.bim/.fam or .pgen/… share, a VCF, or a packed file."
    ),
]

_ASKED_LATER = ("codings", "gap", "jobs")  # options that are not about what is read


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What to read of a study, and what samples and variants must meet."""

    pheno: Annotated[
        Path | None, typer.Option(help="Outcomes: FID IID NAME; else those of .fam or .psam.")
    ] = None
    pheno_name: Annotated[str | None, typer.Option(help="Which outcome of several.")] = None
    covar: Annotated[
        Path | None, typer.Option(help="Covariates, numbers or levels: FID IID NAME…")
    ] = None
    covar_name: Annotated[
        list[str] | None, typer.Option(help="Which covariate; else all; repeatable.")
    ] = None
    allele: Annotated[
        str, typer.Option(help="Counted allele: minor, or first or second of the file.")
    ] = "minor"
    maf: Annotated[float, typer.Option(help="Smallest minor allele frequency.")] = 0.01
    call_rate: Annotated[float, typer.Option(help="Smallest call rate of a variant.")] = 0.95
    sample_call_rate: Annotated[float, typer.Option(help="Smallest call rate of a sample.")] = 0.9
    hwe: Annotated[float, typer.Option(help="Smallest Hardy-Weinberg p in controls.")] = 1e-6
    region: Annotated[
        list[str] | None,
        typer.Option(help="6, 6:25000000-35000000, or a .bed file; repeatable."),
    ] = None
    keep: Annotated[Path | None, typer.Option(help="File of samples to keep.")] = None
    remove: Annotated[Path | None, typer.Option(help="File of samples to leave out.")] = None
    extract: Annotated[Path | None, typer.Option(help="File of variants to keep.")] = None
    exclude: Annotated[Path | None, typer.Option(help="File of variants to leave out.")] = None
    ld_r2: Annotated[
        float | None, typer.Option("--ld-r2", help="Largest r² of neighbours; else no pruning.")
    ] = None
    missing: Annotated[
        str, typer.Option(help="Missing calls: keep, drop the variant, or fill in the mode.")
    ] = "keep"
    build: Annotated[
        str | None,
        typer.Option(help="GRCh37 or GRCh38: pseudo-autosomal regions, long-range linkage."),
    ] = None
    codings: Annotated[str, typer.Option(help="Literals on offer, with commas.")] = (
        "dominant,recessive,heterozygous"
    )
    gap: Annotated[
        int, typer.Option(help="Base pairs below which two variants never stand in one term.")
    ] = 0
    pcs: Annotated[
        int, typer.Option(help="Principal components, for strata and for the refit.")
    ] = 0
    strata: Annotated[
        list[str] | None,
        typer.Option(help="Covariate each value of which is a stratum; repeatable."),
    ] = None
    adjust: Annotated[
        bool,
        typer.Option(
            "--adjust/--no-adjust",
            help="Judge markers within strata of the risk by covariates and components, or use "
            "these in the refit only.",
        ),
    ] = True
    king_cutoff: Annotated[
        float | None,
        typer.Option(help="Leave out samples until no kinship is above this, such as 0.0884."),
    ] = None
    jobs: options.Jobs = 1

    def filters(self) -> Filters:
        """Return the filters asked for; what a reader can leave out by itself is not among them."""
        from ..genomics import Filters

        return Filters(
            remove=self.remove, exclude=self.exclude, maf=self.maf, call_rate=self.call_rate,
            sample_call_rate=self.sample_call_rate, hwe=self.hwe, missing=self.missing,
            ld_r2=self.ld_r2,
        )  # fmt: skip

    def codings_on_offer(self) -> list[str]:
        """Return the codings of ``--codings``."""
        return [coding.strip() for coding in self.codings.split(",")]

    def read(self, path: str, progress: Callable[[int, int], object] | None = None) -> Study:
        """Read the study as it is before filters."""
        from ..genomics import read_study

        return read_study(
            path, self.pheno, self.pheno_name, self.covar, self.covar_name, allele=self.allele,
            samples=self.keep, variants=self.extract, regions=self.region or None, n_jobs=self.jobs,
            progress=progress,
        )  # fmt: skip

    def refuse_choices(self, path: str) -> None:
        """Refuse options on what to read of a packed study, which has been read."""
        for field in fields(self):
            if field.name not in _ASKED_LATER and getattr(self, field.name) != field.default:
                option = field.name.replace("_", "-")
                raise typer.BadParameter(
                    f"--{option} has no meaning for {path}, which holds what it was packed with; "
                    f"give --{option} to pack."
                )

    def inputs(self) -> dict[str, Path | None]:
        """Return the files beside the study that are read, by what they hold."""
        return {
            "outcomes": self.pheno, "covariates": self.covar, "samples kept": self.keep,
            "samples left out": self.remove, "variants kept": self.extract,
            "variants left out": self.exclude,
        }  # fmt: skip


reading = options.sharing(Reading, "reading")
