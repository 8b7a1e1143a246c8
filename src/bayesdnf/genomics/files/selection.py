"""Selection of variants and samples by name or position."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...display.wording import listed
from ...errors import FileFormatError, InputError
from ..chromosomes import canonical_chromosome, canonical_chromosomes
from .text_fields import read_lines

if TYPE_CHECKING:
    import pandas as pd

Names = str | os.PathLike[str] | Collection[str]
"""Names as they are, or a file of them."""

Places = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
"""Regions as texts or BED files, one or several."""

_EVERYWHERE = np.iinfo(np.int64).max  # last position of a region that is a whole chromosome


def read_names(names: Names, column: str) -> list[str]:
    """Names from a collection, or from a file with one a line.

    Parameters
    ----------
    names : path or collection of str
        A text or a path is a file. Its lines that begin with # are passed over.
    column : {"ID", "IID"}
        What the names are, and the column they are in if the first line is a header that has it.
        Samples may otherwise be given as PLINK does, FID and IID on a line.
    """
    if not isinstance(names, str | os.PathLike):
        return [str(name) for name in names]
    lines = read_lines(names)
    header = [word.removeprefix("#") for word in lines[0][1]] if lines else []
    headed = column in header
    lines = [line for line in lines[headed:] if not line[1][0].startswith("#")]
    if headed:
        place = header.index(column)
    else:
        place = min(1, len(lines[0][1]) - 1) if lines and column == "IID" else 0
    for number, words in lines:
        if len(words) <= place:
            n = len(words)
            why = f"it has {n} field{'s' * (n != 1)}, and the {column} is field {place + 1}"
            raise FileFormatError.at(names, f"line {number}", why)
    return [words[place] for _, words in lines]


def find_names(names: Names, present: pd.Series) -> tuple[NDArray[np.bool_], str]:
    """Which rows of a column ``ID`` or ``IID`` are named, and a clause on names not found."""
    wanted = set(read_names(names, str(present.name)))
    here = present.astype(str)
    absent = sorted(wanted.difference(here))
    clause = ""
    if absent:
        counts = f"{len(absent):,} of {len(wanted):,} names"
        clause = f" ({counts} are not in the data: {listed(absent, 3, show=str)})"
    return here.isin(wanted).to_numpy(dtype=np.bool_), clause


class Region(NamedTuple):
    """Canonical chromosome, first and last position."""

    chromosome: str
    first: int
    last: int


def parse_region(text: str) -> Region:
    """Read a region: "7", "chr7", "7:55000000-55300000" or "7:55000000".

    Examples
    --------
    >>> from bayesdnf.genomics.files.selection import parse_region
    >>> parse_region("chrX:1,000-2,000")
    Region(chromosome='X', first=1000, last=2000)
    """
    name, colon, span = text.strip().rpartition(":")
    if not colon:
        name, span = span, f"0-{_EVERYWHERE}"
    first, dash, last = span.replace(",", "").partition("-")
    if not (name.strip() and first.isdecimal() and (last.isdecimal() if dash else True)):
        raise InputError(
            f"Region {text!r} must be a chromosome or chromosome:first-last, such as "
            "7:55000000-55300000."
        )
    start, stop = int(first), int(last if dash else first)
    if start > stop:
        raise InputError(f"Region {text!r} ends before it starts.")
    return _region(name, start, stop)


def _region(name: str, first: int, last: int) -> Region:
    return Region(canonical_chromosome(name), min(first, _EVERYWHERE), min(last, _EVERYWHERE))


def bed_lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, list[str]]]:
    """Lines of a BED file that say something: their numbers and words, the place checked."""
    for number, words in read_lines(path):
        if words[0].startswith("#") or words[0] in ("track", "browser"):
            continue
        if len(words) < 3 or not (words[1].isdecimal() and words[2].isdecimal()):
            why = f"a BED line has a chromosome, a start and an end, and this is {' '.join(words)}"
            raise FileFormatError.at(path, f"line {number}", why)
        if int(words[1]) > int(words[2]):
            why = f"its end {words[2]} comes before its start {words[1]}"
            raise FileFormatError.at(path, f"line {number}", why)
        yield number, words


@dataclass(frozen=True)
class Regions:
    """Places in any of some regions.

    Parameters
    ----------
    listed : tuple of Region
        The regions, which may overlap.
    title : str
        How they were asked for, in a few words.

    Examples
    --------
    >>> from bayesdnf.genomics.files.selection import Regions
    >>> some = Regions.read(["chr6:5-20", "X"])
    >>> some.title, some.include("6", 20), some.include("6", 21), some.include("chrX", 7)
    ('chr6:5-20, X', True, False, True)
    """

    listed: tuple[Region, ...]
    title: str

    @classmethod
    def read(cls, places: Places) -> Regions:
        """Read regions from their texts, or from BED files.

        Parameters
        ----------
        places : path or text, or a sequence of them
            Texts as :func:`parse_region` reads them. A path, or a text that ends in ".bed" or
            ".bed.gz", is a BED file: chromosome, start from 0, end (not included) on a line.
        """
        regions: list[Region] = []
        titles = []
        for place in [places] if isinstance(places, str | os.PathLike) else places:
            file = isinstance(place, os.PathLike) or _is_bed(str(place))
            regions += _read_bed(place) if file else [parse_region(str(place))]
            titles.append(Path(place).name if file else str(place))
        return cls(tuple(regions), listed(titles, 3, show=str))

    @property
    def chromosomes(self) -> set[str]:
        """Canonical names of the chromosomes they lie on."""
        return {region.chromosome for region in self.listed}

    def include(self, chromosome: str, position: int) -> bool:
        """Return whether they hold one place."""
        name = canonical_chromosome(chromosome)
        return name in self._spans and bool(self._inside(name, position))

    def included(self, variants: pd.DataFrame) -> NDArray[np.bool_]:
        """Which variants of a table with columns ``CHR`` and ``POS`` they hold."""
        chromosome = canonical_chromosomes(variants["CHR"])
        position = variants["POS"].to_numpy(dtype=np.int64)
        inside = np.zeros(len(variants), dtype=np.bool_)
        for name in self.chromosomes & set(np.unique(chromosome).tolist()):
            here = np.flatnonzero(chromosome == name)
            inside[here] = self._inside(name, position[here])
        return inside

    def _inside(self, name: str, position: Any) -> Any:
        # Regions may overlap: a place lies in one if any that starts before it reaches so far.
        first, furthest = self._spans[name]
        started = np.searchsorted(first, position, side="right")
        return (started > 0) & (position <= furthest[started - 1])

    @cached_property
    def _spans(self) -> dict[str, tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Of each chromosome the regions' first positions, rising, and how far those so far go."""
        spans: dict[str, list[tuple[int, int]]] = {}
        for name, first, last in sorted(self.listed):
            spans.setdefault(name, []).append((first, last))
        ends = {name: np.array(some, dtype=np.int64).T for name, some in spans.items()}
        return {name: (first, np.maximum.accumulate(last)) for name, (first, last) in ends.items()}


def _is_bed(text: str) -> bool:
    return text.casefold().endswith((".bed", ".bed.gz"))


def _read_bed(path: str | os.PathLike[str]) -> list[Region]:
    found = [_region(words[0], int(words[1]) + 1, int(words[2])) for _, words in bed_lines(path)]
    if not found:
        raise FileFormatError.at(path, "its lines", "none is a region")
    return found
