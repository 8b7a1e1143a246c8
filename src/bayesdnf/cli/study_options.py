"""Options of the commands that read a study."""

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
        help="Path prefix of .bed/.bim/.fam or .pgen/.pvar/.psam files, "
        "or a VCF/BCF file, or a packed file.",
    ),
]

_ASKED_LATER = ("codings", "gap", "jobs")  # options that are not about what is read


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What to read of a study, and what samples and variants must meet."""

    pheno: Annotated[
        Path | None,
        typer.Option(
            help="Phenotype file with columns FID IID NAME. Default: phenotypes of .fam or .psam."
        ),
    ] = None
    pheno_name: Annotated[
        str | None, typer.Option(help="Phenotype to use, if there are several.")
    ] = None
    covar: Annotated[
        Path | None,
        typer.Option(help="Covariate file with columns FID IID NAME…, numeric or categorical."),
    ] = None
    covar_name: Annotated[
        list[str] | None, typer.Option(help="Covariate to use; repeatable. Default: all.")
    ] = None
    null_risk: Annotated[
        Path | None,
        typer.Option(
            help="REGENIE's .loco file; its predictions are added to the covariates, as NULL_RISK."
        ),
    ] = None
    allele: Annotated[
        str, typer.Option(help="Counted allele: minor, or the first or second in the file.")
    ] = "minor"
    maf: Annotated[float, typer.Option(help="Minimum minor allele frequency.")] = 0.01
    call_rate: Annotated[float, typer.Option(help="Minimum call rate of a variant.")] = 0.95
    sample_call_rate: Annotated[float, typer.Option(help="Minimum call rate of a sample.")] = 0.9
    hwe: Annotated[float, typer.Option(help="Minimum Hardy-Weinberg p-value in controls.")] = 1e-6
    region: Annotated[
        list[str] | None,
        typer.Option(help="Region to read: 6, 6:25000000-35000000, or a BED file; repeatable."),
    ] = None
    keep: Annotated[Path | None, typer.Option(help="File of samples to keep.")] = None
    remove: Annotated[Path | None, typer.Option(help="File of samples to remove.")] = None
    extract: Annotated[Path | None, typer.Option(help="File of variants to keep.")] = None
    exclude: Annotated[Path | None, typer.Option(help="File of variants to exclude.")] = None
    ld_r2: Annotated[
        float | None,
        typer.Option("--ld-r2", help="Prune variants with r² above this. Default: no pruning."),
    ] = None
    missing: Annotated[
        str,
        typer.Option(
            help="Missing calls: keep, drop (the variant) or mode (impute the most frequent call)."
        ),
    ] = "keep"
    build: Annotated[
        str | None,
        typer.Option(
            help="Genome build, GRCh37 or GRCh38, for pseudo-autosomal and long-range LD regions."
        ),
    ] = None
    codings: Annotated[str, typer.Option(help="Genotype codings to offer, comma-separated.")] = (
        "dominant,recessive,heterozygous"
    )
    gap: Annotated[
        int, typer.Option(help="Minimum distance in base pairs between two variants of a term.")
    ] = 0
    pcs: Annotated[
        int, typer.Option(help="Number of principal components, for strata and for the refit.")
    ] = 0
    strata: Annotated[
        list[str] | None,
        typer.Option(help="Categorical covariate to stratify by; repeatable."),
    ] = None
    adjust: Annotated[
        bool,
        typer.Option(
            "--adjust/--no-adjust",
            help="Stratify by the risk predicted from covariates and components; --no-adjust "
            "uses them in the refit only.",
        ),
    ] = True
    king_cutoff: Annotated[
        float | None,
        typer.Option(help="Remove samples until no pair has a kinship above this, such as 0.0884."),
    ] = None
    jobs: options.Jobs = 1

    def filters(self) -> Filters:
        """Return the requested filters, without those that a reader applies."""
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
        """Read the study without filtering."""
        from ..genomics import read_study

        return read_study(
            path, self.pheno, self.pheno_name, self.covar, self.covar_name,
            null_risk=self.null_risk, allele=self.allele, samples=self.keep,
            variants=self.extract, regions=self.region or None, n_jobs=self.jobs,
            progress=progress,
        )  # fmt: skip

    def refuse_choices(self, path: str) -> None:
        """Refuse options on what to read of a packed study, which has been read."""
        for field in fields(self):
            if field.name not in _ASKED_LATER and getattr(self, field.name) != field.default:
                option = field.name.replace("_", "-")
                raise typer.BadParameter(
                    f"--{option} has no effect on {path}, which is packed already; give --{option} "
                    f"to pack."
                )

    def inputs(self) -> dict[str, Path | None]:
        """Return the other input files (phenotypes, covariates, …) by their kind."""
        return {
            "outcomes": self.pheno, "covariates": self.covar, "null risk": self.null_risk,
            "samples kept": self.keep, "samples left out": self.remove,
            "variants kept": self.extract, "variants left out": self.exclude,
        }  # fmt: skip


reading = options.sharing(Reading, "reading")
