"""VCF and BCF files, through cyvcf2."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ... import _native
from ...data.planes.plane_layout import Words
from ...display.wording import count
from ...errors import FileFormatError, MissingExtraError
from ..genotypes import CHUNK_BYTES, Genotypes, empty_planes
from .duplicates import require_distinct_variants
from .request import ReadProgress, ReadRequest
from .selection import Names, Places
from .text_fields import one_line
from .vcf_text import check_first_records, read_to_the_end, record_place, refuse_record, vcf_samples

if TYPE_CHECKING:
    import pandas as pd

_WARNING = 3  # htslib's own default of what it writes to standard error


def read_vcf(
    path: str | os.PathLike[str],
    *,
    allele: str = "minor",
    samples: Names | None = None,
    variants: Names | None = None,
    regions: Places | None = None,
    n_jobs: int = 1,
    progress: ReadProgress | None = None,
) -> Genotypes:
    r"""Read a VCF file, compressed or not, or a BCF file. Needs the extra ``genomics``.

    A line with several ALT alleles becomes one variant for each, with a sample's copies of that
    ALT; the other ALTs count as not that allele. Phase does not matter. A call with any part
    missing (``./1``) is missing. A haploid call counts as two copies or none, as PLINK has it.
    The FILTER column is not looked at.

    Parameters
    ----------
    path : path
        The file.
    allele : {"minor", "first", "second"}
        Which allele is counted: the rarer one, ALT ("first") or REF ("second"). Of a split line
        the second is anything but that ALT, and goes by the name of REF.
    samples, variants, regions, n_jobs
        As in :func:`read_genotypes`; the whole file is gone through.
    progress : callable, optional
        Called as ``progress(done, all)`` with numbers of variants, ``all`` being 0 as a VCF file
        does not say how many it holds.

    Returns
    -------
    Genotypes
        As from :func:`read_genotypes`; every ``SEX`` is unknown.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from bayesdnf.genomics import read_vcf
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "tiny.vcf"
    >>> head = ["#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO", "FORMAT", "a", "b"]
    >>> line = ["1", "5", "rs1", "A", "G,T", ".", ".", ".", "GT", "0|2", "1/2"]
    >>> lines = ["##fileformat=VCFv4.2", "\t".join(head), "\t".join(line)]
    >>> _ = file.write_text("\n".join(lines) + "\n")
    >>> read_vcf(file, allele="first").copies([0, 1])
    array([[0, 1],
           [1, 1]], dtype=int8)
    """
    asked = ReadRequest.of("read_vcf", allele, samples, variants, regions, n_jobs, progress)
    return VcfFile(Path(path)).read(asked)


@dataclass(frozen=True)
class VcfFile:
    """A VCF or BCF file.

    Parameters
    ----------
    path : Path
        Its name.
    """

    path: Path

    @property
    def files(self) -> tuple[Path, ...]:
        """The VCF or BCF file."""
        return (self.path,)

    @property
    def outcomes(self) -> None:
        """There are none in a VCF file."""
        return None

    @cached_property
    def samples(self) -> pd.DataFrame:
        """FID, IID and SEX of every sample."""
        import pandas as pd

        names = vcf_samples(self.path)
        return pd.DataFrame({"FID": names, "IID": names, "SEX": 0})

    def read(self, request: ReadRequest) -> Genotypes:
        """Read the samples and variants of a request."""
        keep, said = request.choose_samples(self.path, self.samples)
        samples = self.samples if keep is None else self.samples[keep].reset_index(drop=True)
        names = None if keep is None else samples["IID"].tolist()
        packed = _Packed(len(samples))
        check_first_records(self.path)
        with self._opened(names, request.n_jobs) as reader:
            for site, record in self._records(reader):
                packed.listed(site)
                if request.wants(site.chromosome, site.position, site.identifier):
                    packed.add(len(site.alts), self._alleles(site, record, len(samples)))
                request.tell(len(packed.rows), 0)
        if not packed.rows:
            raise FileFormatError.at(
                self.path, "its records", "none has an ALT allele" if packed.bare else "it has none"
            )
        listed = packed.table()
        chosen, more = request.choose_variants(self.path, listed)
        listed = listed[chosen].reset_index(drop=True)
        records = packed.records[chosen]
        require_distinct_variants(
            self.path, listed, lambda row: record_place(self.path, int(records[row]))
        )
        said += packed.said() + more
        return request.genotypes(self.path.name, packed.planes(), samples, listed, said)

    @contextmanager
    def _opened(self, names: list[str] | None, n_jobs: int) -> Iterator[Any]:
        """Open by cyvcf2, with htslib's own complaints off: ours name the line."""
        try:
            import cyvcf2
        except ImportError as absent:
            raise MissingExtraError.of("Reading VCF files needs cyvcf2", "genomics") from absent
        cyvcf2.cyvcf2.set_htslib_log_level(0)
        try:
            reader, error = _tried(
                lambda: cyvcf2.VCF(os.fspath(self.path), samples=names, threads=n_jobs)
            )
            if error:
                read_to_the_end(self.path)
                raise FileFormatError.at(self.path, "its header", f"htslib refuses it ({error})")
            try:
                yield reader
            finally:
                reader.close()
        finally:
            cyvcf2.cyvcf2.set_htslib_log_level(_WARNING)

    def _records(self, reader: Any) -> Iterator[tuple[Site, Any]]:
        """Yield records, each with what its first columns say."""
        for number in itertools.count():
            record, error = _tried(lambda: next(reader, None))
            if error:
                refuse_record(self.path, number, f"htslib cannot read it ({error})")
            if record is None:
                return
            # Of some lines (blank, or cut after an unknown chromosome) htslib makes records
            # without alleles, and cyvcf2 crashes when asked for them; those have no FORMAT.
            if "GT" not in record.FORMAT:
                refuse_record(self.path, number, "it has no genotypes (GT)")
            site, error = _tried(partial(Site.of, number, record))
            if error:
                refuse_record(self.path, number, f"its first columns are damaged ({error})")
            if not site.chromosome or site.ref in ("", ".") or "" in site.alts:
                refuse_record(self.path, number, "its chromosome or an allele is empty")
            yield site, record

    def _alleles(self, site: Site, record: Any, n_samples: int) -> NDArray[np.int16]:
        """Alleles by sample, one or two: 0 REF, 1, 2, … ALT, -1 missing, -2 none (haploid)."""
        calls, error = _tried(lambda: record.genotype.array())
        if error:
            refuse_record(self.path, site.number, f"its genotypes are damaged ({error})")
        if len(calls) != n_samples:
            why = f"it has calls of {len(calls)} samples instead of {n_samples}"
            refuse_record(self.path, site.number, why)
        alleles: NDArray[np.int16] = calls[:, :-1]  # the last says whether phased
        if alleles.shape[1] > 2 and (alleles[:, 2:] != -2).any():
            refuse_record(self.path, site.number, "a sample has more than two alleles")
        if alleles.max(initial=-1) > len(site.alts):
            why = f"a sample has allele {alleles.max()}, and there are {len(site.alts)} beside REF"
            refuse_record(self.path, site.number, why)
        return alleles[:, :2]


class Site(NamedTuple):
    """The first columns of a record, and its number from 0."""

    number: int
    chromosome: str
    position: int
    identifier: str
    ref: str
    alts: list[str]

    @classmethod
    def of(cls, number: int, record: Any) -> Site:
        """Read them through cyvcf2, in the one order of accesses that does not crash it."""
        alts = record.ALT
        # Without alleles, asking for REF would crash; the record as text has a dot.
        bare = not alts and str(record).split("\t", 4)[3] == "."
        ref = "." if bare else record.REF
        return cls(number, record.CHROM, record.POS, record.ID or ".", ref, alts)


class _Packed:
    """Variants as they come, packed a few at a time; how many there will be is not known."""

    def __init__(self, n_samples: int) -> None:
        self.rows: list[tuple[str, int, str, str, str]] = []
        self.bare = self.several = self.split = 0
        self._numbers: list[int] = []
        self._n_samples = n_samples
        self._copies = np.empty((max(1, CHUNK_BYTES // n_samples), n_samples), dtype=np.int8)
        self._filled = 0
        self._pieces: list[Words] = []

    def listed(self, site: Site) -> None:
        """Note a record's variants, one for each ALT."""
        alts = site.alts
        self.bare += not alts
        if len(alts) > 1:
            self.several += 1
            self.split += len(alts)
        for alt in alts:
            self.rows.append((site.chromosome, site.position, site.identifier, alt, site.ref))
            self._numbers.append(site.number)

    def add(self, n_alts: int, alleles: NDArray[np.int16]) -> None:
        """Append the calls of a record, one variant for each of its ALT alleles."""
        missing = (alleles == -1).any(axis=1)
        haploid = None
        if alleles.shape[1] == 1:
            haploid = np.ones(len(alleles), dtype=np.bool_)
        elif (alleles[:, 1] == -2).any():
            haploid = alleles[:, 1] == -2
        for alt in range(1, n_alts + 1):
            if self._filled == len(self._copies):
                self._flush()
            copies = self._copies[self._filled]
            np.sum(alleles == alt, axis=1, dtype=np.int8, out=copies)
            if haploid is not None:
                # One copy where there can be no more is stored as two (``quality/ploidy.py``), so
                # that dominant and recessive literals both hold.
                copies[haploid] *= 2
            copies[missing] = -1
            self._filled += 1

    def _flush(self) -> None:
        piece = empty_planes(self._filled, self._n_samples)
        _native.read_copies(self._copies[: self._filled], piece)
        self._pieces.append(piece)
        self._filled = 0

    @property
    def records(self) -> NDArray[np.int64]:
        """Number of the record, from 0, that each variant comes from."""
        return np.array(self._numbers, dtype=np.int64)

    def table(self) -> pd.DataFrame:
        """Every variant noted: A1 is ALT, A2 is REF."""
        import pandas as pd

        return pd.DataFrame(self.rows, columns=["CHR", "POS", "ID", "A1", "A2"])

    def planes(self) -> Words:
        """Join the pieces, letting each go when it is copied; call it once."""
        self._flush()
        planes = empty_planes(sum(map(len, self._pieces)), self._n_samples)
        at = 0
        # The first piece is popped first, and its memory is free before the next one is copied.
        self._pieces.reverse()
        while self._pieces:
            piece = self._pieces.pop()
            planes[at : at + len(piece)] = piece
            at += len(piece)
        return planes

    def said(self) -> list[str]:
        """Describe what became of lines with several ALT alleles, or none."""
        said = []
        if self.several:
            said.append(f"Split {count(self.several, 'multiallelic line')} into {self.split:,}.")
        if self.bare:
            said.append(f"Left out: {count(self.bare, 'line')} without an ALT allele.")
        return said


def _tried(work: Callable[[], Any]) -> tuple[Any, str]:
    """Do what cyvcf2 may refuse: its result and no text, or None and what it says."""
    try:
        return work(), ""
    except Exception as error:  # noqa: BLE001 (cyvcf2 raises no narrower one)
        return None, one_line(error)
