"""Open genotype files of any supported format."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ...errors import FileFormatError
from ..genotypes import Genotypes
from .pgen import PgenFiles
from .plink import PlinkFiles
from .request import ReadProgress, ReadRequest
from .selection import Names, Places
from .vcf import VcfFile

if TYPE_CHECKING:
    import pandas as pd

_VCF = (".vcf", ".vcf.gz", ".vcf.bgz", ".bcf")
_LOOKED_FOR = (".bed", ".pgen", *_VCF)


class GenotypeFiles(Protocol):
    """What a kind of files offers: its samples at once, its calls when asked."""

    @property
    def samples(self) -> pd.DataFrame:
        """FID, IID and SEX of every sample."""
        ...

    @property
    def files(self) -> tuple[Path, ...]:
        """All files that the genotypes are read from."""
        ...

    @property
    def outcomes(self) -> Path | None:
        """The file that may hold outcomes beside the genotypes."""
        ...

    def read(self, request: ReadRequest) -> Genotypes:
        """Read the samples and variants of a request."""
        ...


def open_genotypes(path: str | os.PathLike[str]) -> GenotypeFiles:
    """Find out which kind of files a path stands for."""
    text = os.fspath(path)
    lower = text.lower()
    if lower.endswith((".bed", ".bim", ".fam")):
        return PlinkFiles.of(text)
    if lower.endswith((".pgen", ".pvar", ".psam")):
        return PgenFiles.of(text)
    if lower.endswith(_VCF):
        return VcfFile(Path(text))
    there = next((ending for ending in _LOOKED_FOR if Path(text + ending).is_file()), None)
    if there == ".bed":
        return PlinkFiles.of(text + there)
    if there == ".pgen":
        return PgenFiles.of(text + there)
    if there is not None:
        return VcfFile(Path(text + there))
    names = [f"{Path(text).name}{ending}" for ending in _LOOKED_FOR]
    raise FileFormatError.at(text, None, f"none of {', '.join(names)} is there")


def read_genotypes(
    path: str | os.PathLike[str],
    *,
    allele: str = "minor",
    samples: Names | None = None,
    variants: Names | None = None,
    regions: Places | None = None,
    n_jobs: int = 1,
    progress: ReadProgress | None = None,
) -> Genotypes:
    """Read genotypes from PLINK 1, PLINK 2, VCF or BCF files, by the files found.

    Parameters
    ----------
    path : path
        A file, or what the names of several have in common: of ``study.bed``, ``study.pgen``,
        ``study.vcf``, ``study.vcf.gz`` and ``study.bcf`` the first that is there.
    allele : {"minor", "first", "second"}
        Which allele is counted: the rarer one in the samples read, A1 or ALT ("first"), A2 or
        REF ("second").
    samples : path or collection of str, optional
        IIDs to read, or a file of them (``IID`` or ``FID IID`` on each line, or under a header);
        by default all.
    variants : path or collection of str, optional
        Identifiers to read, or a file of them, one on each line; by default all.
    regions : str, path or sequence of them, optional
        Where variants must lie, such as ``"6"`` or ``"6:25000000-35000000"``, ends included, or a
        BED file.
    n_jobs : int, default=1
        Threads.
    progress : callable, optional
        Called as ``progress(done, all)`` with numbers of variants.

    Returns
    -------
    Genotypes
        Its ``history`` says what was read, left out and counted. What is particular to a kind of
        files stands at :func:`read_plink`, :func:`read_pgen` and :func:`read_vcf`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from bayesdnf.genomics import Genotypes, read_genotypes, write_plink
    >>> study = pathlib.Path(tempfile.mkdtemp()) / "study"
    >>> write_plink(Genotypes.from_copies([[0, 1, 2, -1], [2, 2, 1, 1]]), study)
    >>> read_genotypes(study, variants=["v2"])
    <Genotypes: 4 samples x 1 variants>
    """
    asked = ReadRequest.of("read_genotypes", allele, samples, variants, regions, n_jobs, progress)
    return open_genotypes(path).read(asked)
