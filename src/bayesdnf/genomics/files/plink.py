"""PLINK 1 files: .bed, .bim and .fam."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ... import _native
from ...data.planes.plane_layout import Words
from ...display.wording import count
from ...errors import FileFormatError
from ..genotypes import CHUNK_BYTES, Genotypes, empty_planes, pack_mask, pick_into
from .duplicates import require_distinct_samples, require_distinct_variants
from .request import ReadProgress, ReadRequest
from .selection import Names, Places
from .text_fields import TextFields, read_fields, unreadable

if TYPE_CHECKING:
    import pandas as pd

BED_MAGIC = b"\x6c\x1b\x01"  # two bytes that every .bed file has, and 01 for "by variant"
FAM_COLUMNS = ("FID", "IID", "father", "mother", "SEX", "PHENO")
_FAM = "a .fam file has 6 (FID, IID, father, mother, sex, phenotype)"
_BIM = "a .bim file has 6 (chromosome, identifier, centimorgans, position, A1, A2)"


def read_plink(
    path: str | os.PathLike[str],
    *,
    allele: str = "minor",
    samples: Names | None = None,
    variants: Names | None = None,
    regions: Places | None = None,
    n_jobs: int = 1,
    progress: ReadProgress | None = None,
) -> Genotypes:
    r"""Read PLINK 1 files: .bed, .bim and .fam.

    The calls go from the .bed file into bits a few thousand variants at a time; a matrix of
    numbers never exists.

    Parameters
    ----------
    path : path
        What the three names have in common, or one of the three.
    allele : {"minor", "first", "second"}
        Which allele is counted, and stands in column ``A1`` of the result: the rarer one in the
        samples read, or the first or second of the .bim file (its columns 5 and 6).
    samples, variants, regions, n_jobs, progress
        As in :func:`read_genotypes`.

    Returns
    -------
    Genotypes
        As from :func:`read_genotypes`. Variants with a negative position are left out, as PLINK
        does.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from bayesdnf.genomics import Genotypes, read_plink, write_plink
    >>> study = pathlib.Path(tempfile.mkdtemp()) / "study"
    >>> write_plink(Genotypes.from_copies([[0, 1, 2, -1], [2, 2, 1, 1]]), study)
    >>> calls = read_plink(study)
    >>> calls.names
    ['v1_B', 'v2_A']
    >>> print(*calls.history, sep="\n")
    Read 2 variants of 4 samples from study.bed.
    The minor allele is counted: the first of the file at 1 variants, the second at 1.
    """
    asked = ReadRequest.of("read_plink", allele, samples, variants, regions, n_jobs, progress)
    return PlinkFiles.of(path).read(asked)


@dataclass(frozen=True)
class PlinkFiles:
    """The three files of a PLINK 1 set.

    Parameters
    ----------
    bed, bim, fam : Path
        Their names.
    """

    bed: Path
    bim: Path
    fam: Path

    @classmethod
    def of(cls, path: str | os.PathLike[str]) -> PlinkFiles:
        """Name the three files from their common beginning, or from one of them."""
        prefix = prefix_of(path, (".bed", ".bim", ".fam"))
        return cls(*(Path(prefix + ending) for ending in (".bed", ".bim", ".fam")))

    @property
    def files(self) -> tuple[Path, ...]:
        """The .bed, .bim and .fam files."""
        return self.bed, self.bim, self.fam

    @property
    def outcomes(self) -> Path:
        """The file that may hold outcomes beside the genotypes."""
        return self.fam

    @cached_property
    def samples(self) -> pd.DataFrame:
        """FID, IID and SEX of every sample."""
        return read_fam(self.fam).drop(columns="PHENO")

    def read(self, request: ReadRequest) -> Genotypes:
        """Read the samples and variants of a request."""
        keep, said = request.choose_samples(self.fam, self.samples)
        samples = self.samples if keep is None else self.samples[keep].reset_index(drop=True)
        variants, rows, more = self._variants(request)
        planes = empty_planes(len(rows), len(samples))
        self.pack(rows, keep, planes, request)
        return request.genotypes(self.bed.name, planes, samples, variants, said + more)

    def _variants(self, request: ReadRequest) -> tuple[pd.DataFrame, NDArray[np.intp], list[str]]:
        """Variants to read, their rows in the .bed file, and sentences about those left out."""
        lines = read_fields(self.bim, {6}, _BIM)
        position = lines.whole_numbers(3, 0, "position")
        variants = lines.cells[[0, 1, 4, 5]].set_axis(["CHR", "ID", "A1", "A2"], axis=1)
        variants.insert(1, "POS", position)
        self._check_bed(len(self.samples), len(variants))
        chosen, said = request.choose_variants(self.bim, variants)
        negative = chosen & (position < 0)
        if negative.any():
            n_left = int(np.count_nonzero(negative))
            said = [*said, f"Left out: {count(n_left, 'variant')} with a negative position."]
        rows = np.flatnonzero(chosen & ~negative)
        if len(rows) < len(variants):
            variants = variants.iloc[rows].reset_index(drop=True)
        require_distinct_variants(
            self.bim, variants, lambda row: f"line {lines.line(int(rows[row]))}"
        )
        return variants, rows, said

    def _check_bed(self, n_samples: int, n_variants: int) -> None:
        try:
            with open(self.bed, "rb") as file:
                start = file.read(3)
                size = file.seek(0, os.SEEK_END)
        except OSError as error:
            raise unreadable(self.bed, error) from None
        if start[:2] != BED_MAGIC[:2]:
            wrong = next((i for i in (0, 1) if start[i : i + 1] != BED_MAGIC[i : i + 1]), 0)
            why = "it is empty" if not start else "it does not begin with 6c 1b as a .bed file does"
            raise FileFormatError.at(self.bed, f"byte {wrong}", why)
        if start[2:] == b"\0":
            why = "its calls are ordered by sample, as before 2008; rewrite it with PLINK 1.9"
            raise FileFormatError.at(self.bed, "byte 2", why)
        if start != BED_MAGIC:
            raise FileFormatError.at(
                self.bed, "byte 2", "it is not 01, which a .bed file has there"
            )
        width = -(-n_samples // 4)
        expected = 3 + n_variants * width
        if size != expected:
            held = f"{(size - 3) // width:,} variants" + (
                " and a part" if (size - 3) % width else ""
            )
            raise FileFormatError.at(
                self.bed,
                f"byte {min(size, expected)}",
                f"with the {n_samples:,} samples of {self.fam.name} it holds {held}, and "
                f"{self.bim.name} lists {n_variants:,} ({size:,} bytes instead of {expected:,})",
            )

    def pack(
        self,
        rows: NDArray[np.intp],
        keep: NDArray[np.bool_] | None,
        planes: Words,
        request: ReadRequest,
    ) -> None:
        """Write the calls of some rows, in rising order, and of the samples to keep into planes."""
        n_samples = len(self.samples)
        width = -(-n_samples // 4)
        step = max(1, CHUNK_BYTES // (8 * width))
        # Four calls share a byte, so that samples can be picked only after unpacking all of them.
        if keep is not None:
            everyone = empty_planes(min(step, len(rows)), n_samples)
            mask = pack_mask(keep, everyone.shape[2])
        for start in range(0, len(rows), step):
            some = rows[start : start + step]
            # A map of its own for each piece, so that pages already read can be let go.
            span = np.memmap(
                self.bed,
                dtype=np.uint8,
                mode="r",
                offset=3 + int(some[0]) * width,
                shape=(int(some[-1] - some[0]) + 1, width),
            )
            calls = np.asarray(span if len(span) == len(some) else span[some - some[0]])
            out = planes[start : start + len(some)]
            if keep is None:
                _native.read_bed(calls, n_samples, out, request.n_jobs)
            else:
                _native.read_bed(calls, n_samples, everyone[: len(some)], request.n_jobs)
                pick_into(out, everyone[: len(some)], mask)
            request.tell(start + len(some), len(rows))


def prefix_of(path: str | os.PathLike[str], endings: tuple[str, ...]) -> str:
    """Drop one of the endings, if there."""
    text = os.fspath(path)
    ending = next((e for e in endings if text.lower().endswith(e)), "")
    return text[: len(text) - len(ending)]


def read_fam(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Read FID, IID, SEX (0 unknown) and PHENO, as text, of a .fam file."""
    lines = read_fields(path, {6}, _FAM)
    return sample_table(lines, list(FAM_COLUMNS), 0)


def sample_table(lines: TextFields, names: list[str], first: int) -> pd.DataFrame:
    """Make FID, IID, SEX and the outcomes of a .fam or .psam file from its rows from ``first``."""
    table = lines.cells.iloc[first:].set_axis(names, axis=1).reset_index(drop=True)
    if "FID" not in table:
        table.insert(0, "FID", table["IID"])
    if "SEX" in table:
        # Whatever else stands there means unknown.
        known = {"1": 1, "2": 2, "M": 1, "F": 2, "m": 1, "f": 2}
        table["SEX"] = table["SEX"].map(known).fillna(0).astype(np.int64)
    else:
        table["SEX"] = np.int64(0)
    require_distinct_samples(lines.path, table, lambda row: f"line {lines.line(first + row)}")
    other = [n for n in table if n not in ("FID", "IID", "SEX", "SID", "father", "mother")]
    return table[["FID", "IID", "SEX", *(n for n in other if n not in ("PAT", "MAT"))]]
