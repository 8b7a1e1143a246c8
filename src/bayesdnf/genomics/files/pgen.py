"""PLINK 2 files: .pgen, .pvar and .psam, through Pgenlib."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ... import _native
from ...data.planes.plane_layout import Words
from ...display.wording import count
from ...errors import FileFormatError, MissingExtraError
from ..genotypes import CHUNK_BYTES, Genotypes, empty_planes
from .duplicates import require_distinct_variants
from .plink import FAM_COLUMNS, prefix_of, sample_table
from .request import ReadProgress, ReadRequest
from .selection import Names, Places
from .text_fields import TextFields, read_fields, unreadable

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

_ENDINGS = (".pgen", ".pvar", ".psam")
_PSAM = "a .psam file has at least 1 (IID), or 6 as a .fam file"
_PVAR = "a .pvar file has at least 5 (CHROM, POS, ID, REF, ALT)"
_ANY = range(1, 1 << 20)
_BLOCK = 1 << 16  # variants of one stretch of a .pgen file's index


def read_pgen(
    path: str | os.PathLike[str],
    *,
    allele: str = "minor",
    samples: Names | None = None,
    variants: Names | None = None,
    regions: Places | None = None,
    n_jobs: int = 1,
    progress: ReadProgress | None = None,
) -> Genotypes:
    """Read PLINK 2 files: .pgen, .pvar and .psam. Needs the extra ``pgen``.

    A variant with several ALT alleles becomes one variant for each, with a sample's copies of
    that ALT; dosages are not used.

    Parameters
    ----------
    path : path
        What the three names have in common, or one of the three.
    allele : {"minor", "first", "second"}
        Which allele is counted: the rarer one, ALT ("first") or REF ("second"). Of a split
        variant the second is anything but that ALT, and goes by the name of REF.
    samples, variants, regions, n_jobs, progress
        As in :func:`read_genotypes`.

    Returns
    -------
    Genotypes
        As from :func:`read_genotypes`.

    Examples
    --------
    >>> from bayesdnf.genomics import read_pgen
    >>> read_pgen("no_such_study")
    Traceback (most recent call last):
        ...
    bayesdnf.errors.FileFormatError: Cannot read no_such_study.psam: there is no such file.
    """
    asked = ReadRequest.of("read_pgen", allele, samples, variants, regions, n_jobs, progress)
    return PgenFiles.of(path).read(asked)


@dataclass(frozen=True)
class PgenFiles:
    """The three files of a PLINK 2 set.

    Parameters
    ----------
    pgen, pvar, psam : Path
        Their names.
    """

    pgen: Path
    pvar: Path
    psam: Path

    @classmethod
    def of(cls, path: str | os.PathLike[str]) -> PgenFiles:
        """Name the three files from their common beginning, or from one of them."""
        prefix = prefix_of(path, _ENDINGS)
        return cls(*(Path(prefix + ending) for ending in _ENDINGS))

    @property
    def files(self) -> tuple[Path, ...]:
        """The .pgen, .pvar and .psam files."""
        return self.pgen, self.pvar, self.psam

    @property
    def outcomes(self) -> Path:
        """The file that may hold outcomes beside the genotypes."""
        return self.psam

    @cached_property
    def samples(self) -> pd.DataFrame:
        """FID, IID and SEX of every sample."""
        return read_psam(self.psam)[["FID", "IID", "SEX"]]

    def read(self, request: ReadRequest) -> Genotypes:
        """Read the samples and variants of a request."""
        try:
            import pgenlib
        except ImportError as error:
            raise MissingExtraError.of("Reading .pgen files needs Pgenlib", "pgen") from error
        n_samples = len(self.samples)
        lines, start = _read_pvar(self.pvar)
        listed = _variants(lines, start)
        n_alts: NDArray[np.int64] = 1 + np.asarray(listed["A1"].str.count(","), dtype=np.int64)
        several = self._several(n_samples, n_alts, lambda row: f"line {lines.line(start + row)}")
        keep, said = request.choose_samples(self.psam, self.samples)
        chosen, more = request.choose_variants(self.pvar, listed)
        picked = np.flatnonzero(chosen)
        rows = np.repeat(picked, n_alts[picked])
        variants = listed.iloc[picked].reset_index(drop=True)
        if len(rows) > len(picked):
            more = [*more, _split(n_alts[picked])]
            variants["A1"] = variants["A1"].str.split(",")
            variants = variants.explode("A1", ignore_index=True)
        require_distinct_variants(
            self.pvar, variants, lambda row: f"line {lines.line(start + int(rows[row]))}"
        )
        samples = self.samples if keep is None else self.samples[keep].reset_index(drop=True)
        planes = empty_planes(len(rows), len(samples))
        offsets = None
        if several.any():
            # Pgenlib numbers the alleles of all variants in a row, REF among them.
            offsets = np.concatenate([[0], np.cumsum(n_alts + 1)]).astype(np.uintp)
        subset = None if keep is None else np.flatnonzero(keep).astype(np.uint32)
        try:
            reader = pgenlib.PgenReader(
                os.fsencode(self.pgen),
                raw_sample_ct=n_samples,
                variant_ct=len(listed),
                sample_subset=subset,
                allele_idx_offsets=offsets,
            )
        except RuntimeError as error:
            raise FileFormatError.at(self.pgen, "its first bytes", _plain(error)) from None
        with reader:
            self._pack(reader, rows, several, planes, len(samples), request)
        return request.genotypes(self.pgen.name, planes, samples, variants, said + more)

    def _several(
        self, n_samples: int, n_alts: NDArray[np.int64], place: Callable[[int], str]
    ) -> NDArray[np.bool_]:
        """Return which variants hold calls of several ALTs.

        The .pgen file's own numbers are compared with its neighbours, which Pgenlib trusts so far
        as to crash.
        """
        try:
            with open(self.pgen, "rb") as file:
                head = file.read(12)
        except OSError as error:
            raise unreadable(self.pgen, error) from None
        if head[:2] != b"\x6c\x1b":
            why = "it does not begin with 6c 1b as a .pgen file does" if head else "it is empty"
            raise FileFormatError.at(self.pgen, "byte 0", why)
        if len(head) < 12:
            raise FileFormatError.at(self.pgen, f"byte {len(head)}", "it ends within its header")
        if head[2] == 1:
            why = "it is a .bed file; rename it to .bed"
            raise FileFormatError.at(self.pgen, "byte 2", why)
        for at, there, file_name, what in (
            (3, len(n_alts), self.pvar.name, "variants"),
            (7, n_samples, self.psam.name, "samples"),
        ):
            held = int.from_bytes(head[at : at + 4], "little")
            if held != there:
                why = f"it holds {held:,} {what}, and {file_name} lists {there:,}"
                raise FileFormatError.at(self.pgen, f"byte {at}", why)
        with open(self.pgen, "rb") as file:
            several = _several_alleles(file, head)
        if several is None:
            if (n_alts > 1).any():
                why = f"several ALT alleles need a .pgen file of kind 10, not {head[2]:02x}"
                raise FileFormatError.at(self.pgen, "byte 2", why)
            return np.zeros(len(n_alts), dtype=np.bool_)
        wrong = several & (n_alts == 1)
        if wrong.any():
            why = f"it has one ALT allele, and {self.pgen.name} holds calls of several"
            raise FileFormatError.at(self.pvar, place(int(np.argmax(wrong))), why)
        return several

    def _pack(
        self,
        reader: Any,
        rows: NDArray[np.intp],
        several: NDArray[np.bool_],
        planes: Words,
        n_samples: int,
        request: ReadRequest,
    ) -> None:
        step = max(1, min(CHUNK_BYTES // n_samples, len(rows)))
        copies = np.empty((step, n_samples), dtype=np.int8)
        # Which ALT of its variant each row counts: its place in a run of equal entries.
        alt = np.arange(len(rows)) - np.searchsorted(rows, rows) + 1
        for start in range(0, len(rows), step):
            some = rows[start : start + step]
            out = copies[: len(some)]
            try:
                if not several[some].any():
                    reader.read_list(some.astype(np.uint32), out)
                else:
                    for place, row in enumerate(some):
                        counted = int(alt[start + place]) if several[row] else 1
                        reader.read(int(row), out[place], allele_idx=counted)
            except RuntimeError:
                where = f"variants {some[0] + 1:,} to {some[-1] + 1:,}"
                why = "their calls are damaged or cut off; the file may be truncated"
                raise FileFormatError.at(self.pgen, where, why) from None
            # An ALT that is listed and that no call has: none of those known.
            unseen = (alt[start : start + len(some)] > 1) & ~several[some]
            out[unseen] = np.minimum(out[unseen], 0)
            _native.read_copies(out, planes[start : start + len(some)], request.n_jobs)
            request.tell(start + len(some), len(rows))


def read_psam(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Read FID, IID, SEX (0 unknown) and outcomes, as texts, of a .psam file."""
    lines = read_fields(path, _ANY, _PSAM)
    top = str(lines.cells.iloc[0, 0])
    if not top.startswith("#"):
        if lines.cells.shape[1] not in (5, 6):
            lines.refuse(0, "without a header that begins with #FID or #IID, 5 or 6 fields are due")
        return sample_table(lines, list(FAM_COLUMNS)[: lines.cells.shape[1]], 0)
    names = lines.header()
    if "IID" not in names or names[0] not in ("FID", "IID"):
        lines.refuse(0, "the header must begin with #FID and IID, or #IID")
    if len(lines.cells) == 1:
        lines.refuse(0, "no sample follows the header")
    return sample_table(lines, names, 1)


def _read_pvar(path: Path) -> tuple[TextFields, int]:
    lines = read_fields(path, _ANY, _PVAR)
    top = str(lines.cells.iloc[0, 0])
    if top.startswith("#"):
        if top != "#CHROM":
            lines.refuse(0, f"the header begins with {top!r}, and a .pvar file's with #CHROM")
        if len(lines.cells) == 1:
            lines.refuse(0, "no variant follows the header")
        return lines, 1
    if lines.cells.shape[1] not in (5, 6):
        lines.refuse(0, "without a header that begins with #CHROM, 5 or 6 fields are due")
    return lines, 0


def _variants(lines: TextFields, start: int) -> pd.DataFrame:
    """CHR, POS, ID, A1 = ALT (several with commas between) and A2 = REF of each line."""
    if start:
        names = lines.header()
        absent = [n for n in ("CHROM", "POS", "ID", "REF", "ALT") if n not in names]
        if absent:
            lines.refuse(0, f"the header lacks {absent[0]}")
        order = [names.index(n) for n in ("CHROM", "ID", "ALT", "REF", "POS")]
    else:  # as a .bim file, with centimorgans or without
        width = lines.cells.shape[1]
        order = [0, 1, width - 2, width - 1, width - 3]
    position = lines.whole_numbers(order[4], start, "position")
    table = lines.cells[order[:4]].iloc[start:].set_axis(["CHR", "ID", "A1", "A2"], axis=1)
    table.insert(1, "POS", position)
    return table.reset_index(drop=True)


def _several_alleles(file: Any, head: bytes) -> NDArray[np.bool_] | None:
    """Which variants hold calls of several ALTs; None where that cannot be told.

    The index of a .pgen file of kind 0x10 comes in stretches of 65,536 variants: first the place
    of each stretch's calls, 8 bytes; then for each stretch the kinds of its records (4 or 8 bits
    each, of which the bit 8 says several), their lengths, and what else the twelfth byte announces.
    """
    n = int.from_bytes(head[3:7], "little")
    if head[2:3] in (b"\x02", b"\x03", b"\x04"):  # of one width, two alleles only
        return np.zeros(n, dtype=np.bool_)
    if head[2] != 0x10:
        return None
    layout, allele_bytes, reference = head[11] & 15, head[11] >> 4 & 3, head[11] >> 6
    if layout > 7:
        return None
    length_bytes = layout % 4 + 1
    file.seek(12 + 8 * -(-n // _BLOCK))
    found = []
    for start in range(0, n, _BLOCK):
        size = min(_BLOCK, n - start)
        raw = np.frombuffer(file.read(-(-size // 2) if layout < 4 else size), dtype=np.uint8)
        kinds = np.stack([raw & 15, raw >> 4], axis=1).ravel()[:size] if layout < 4 else raw
        if len(kinds) < size:
            return None  # truncated; Pgenlib says so
        found.append((kinds & 8) != 0)
        file.seek(
            size * (length_bytes + allele_bytes) + (-(-size // 8) if reference == 3 else 0), 1
        )
    return np.concatenate(found) if found else None


def _split(n_alts: NDArray[np.int64]) -> str:
    n = int(np.count_nonzero(n_alts > 1))
    return f"Split {count(n, 'multiallelic variant')} into {int(n_alts[n_alts > 1].sum()):,}."


def _plain(error: RuntimeError) -> str:
    text = error.args[0] if error.args else "Pgenlib refuses it"
    text = text.decode(errors="replace") if isinstance(text, bytes) else str(text)
    return text.strip().rstrip(".").partition("\n")[0]
