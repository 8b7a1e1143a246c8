"""Selection: variants and samples that are asked for by name or by place."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from .chromosomes import canonical_chromosome, canonical_chromosomes
from .genotypes import Genotypes

Names = str | os.PathLike[str] | Iterable[str]
"""Names as they are, or a file of them."""

Region = tuple[str, int, int]
"""Canonical chromosome, first and last position."""

_EVERYWHERE = np.iinfo(np.int64).max


def read_names(names: Names, column: str) -> list[str]:
    """Names from a list, or from a file with one a line.

    Parameters
    ----------
    names : path or iterable of str
        A text or a path is a file.
    column : {"ID", "IID"}
        What the names are. Samples may be given as PLINK does, FID and IID on a line.
    """
    if not isinstance(names, str | os.PathLike):
        return [str(name) for name in names]
    lines = [line.split() for line in _lines(names) if line.strip()]
    place = min(1, len(lines[0]) - 1) if lines and column == "IID" else 0
    if lines and column in (header := [word.removeprefix("#") for word in lines[0]]):
        place = header.index(column)
        lines = lines[1:]
    short = next((words for words in lines if len(words) <= place), None)
    if short is not None:
        raise InputError(
            f"{os.fspath(names)}: the line {' '.join(short)!r} has no column {place + 1}, where "
            f"the other lines have the {column}."
        )
    return [words[place] for words in lines if not words[0].startswith("#")]


def find_names(
    names: Names, column: str, present: Sequence[str] | NDArray[np.object_]
) -> tuple[NDArray[np.bool_], str]:
    """Which of those present are named, and a clause on names that were not found."""
    import pandas as pd

    wanted = pd.Index(read_names(names, column)).unique()
    here = pd.Index(np.asarray(present, dtype=object).astype(str))
    absent = wanted[~wanted.isin(here)]
    clause = ""
    if len(absent):
        first = ", ".join(absent[:3]) + (", …" if len(absent) > 3 else "")
        clause = f" ({len(absent):,} of {len(wanted):,} names are not in the data: {first})"
    return here.isin(wanted), clause


def parse_region(text: str) -> Region:
    """Read a region: "7", "chr7", "7:55000000-55300000" or "7:55000000".

    Examples
    --------
    >>> from bayesdnf.genomics.selection import parse_region
    >>> parse_region("chrX:1,000-2,000")
    ('X', 1000, 2000)
    """
    name, colon, span = text.strip().rpartition(":")
    if not colon:
        return canonical_chromosome(text), 0, _EVERYWHERE
    first, dash, last = span.replace(",", "").partition("-")
    if not (name and first.isdecimal() and (last.isdecimal() if dash else True)):
        raise InputError(
            f"Region {text!r} must be a chromosome or chromosome:first-last, such as "
            "7:55000000-55300000."
        )
    start, stop = int(first), int(last if dash else first)
    if start > stop:
        raise InputError(f"Region {text!r} ends before it starts.")
    return canonical_chromosome(name), start, stop


def read_regions(regions: str | os.PathLike[str] | Sequence[str]) -> list[Region]:
    """Regions from their texts, or from a BED file.

    Parameters
    ----------
    regions : path or sequence of str
        Texts as :func:`parse_region` reads them. A path, or one text that ends in ".bed", is a
        BED file: chromosome, start from 0, end (not included) on a line.
    """
    if isinstance(regions, os.PathLike) or (
        isinstance(regions, str) and regions.casefold().endswith(".bed")
    ):
        return _read_bed(regions)
    texts = [regions] if isinstance(regions, str) else list(regions)
    return [parse_region(str(text)) for text in texts]


def within(genotypes: Genotypes, regions: Sequence[Region]) -> NDArray[np.bool_]:
    """Which variants lie in any of the regions."""
    chromosome = canonical_chromosomes(genotypes.variants["CHR"])
    position = genotypes.variants["POS"].to_numpy(dtype=np.int64)
    present = set(np.unique(chromosome))
    inside = np.zeros(genotypes.n_variants, dtype=np.bool_)
    for name in {name for name, _, _ in regions} & present:
        spans = np.array(sorted((a, b) for c, a, b in regions if c == name), dtype=np.int64)
        furthest = np.maximum.accumulate(spans[:, 1])
        here = np.flatnonzero(chromosome == name)
        started = np.searchsorted(spans[:, 0], position[here], side="right")
        inside[here] = (started > 0) & (position[here] <= furthest[started - 1])
    return inside


def bed_lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, list[str]]]:
    """Lines of a BED file that say something: their numbers and words, the place checked."""
    for number, line in enumerate(_lines(path), 1):
        words = line.split()
        if not words or words[0].startswith("#") or words[0] in ("track", "browser"):
            continue
        if len(words) < 3 or not (words[1].isdecimal() and words[2].isdecimal()):
            raise InputError(
                f"{os.fspath(path)}, line {number}: a BED line has a chromosome, a start and an "
                f"end. Got {line.strip()!r}."
            )
        yield number, words


def _read_bed(path: str | os.PathLike[str]) -> list[Region]:
    return [
        (canonical_chromosome(words[0]), int(words[1]) + 1, int(words[2]))
        for _, words in bed_lines(path)
    ]


def _lines(path: str | os.PathLike[str]) -> list[str]:
    try:
        return Path(path).read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        raise InputError(f"There is no file {os.fspath(path)!r}.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{os.fspath(path)!r} cannot be read as text: {error}.") from None
