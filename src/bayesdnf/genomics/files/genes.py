"""Gene names by position, from a BED file."""

from __future__ import annotations

import os
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from ...errors import FileFormatError
from ..chromosomes import canonical_chromosome, canonical_chromosomes
from .selection import bed_lines

if TYPE_CHECKING:
    import pandas as pd

NEAR = 50_000
"""Base pairs up to which a gene beside a variant lends it its name."""


@dataclass(frozen=True, eq=False)
class Genes:
    r"""Positions of genes.

    Parameters
    ----------
    table : DataFrame
        One row per gene, by place: ``CHR`` (canonical), ``START`` and ``END`` (first and last
        base, from 1) and ``NAME``.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from bayesdnf.genomics import Genes
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "genes.bed"
    >>> _ = file.write_text("chr19 44905781 44909393 APOE\nchr19 44914246 44919349 APOC1\n")
    >>> genes = Genes.read(file)
    >>> genes.at("19", 44_908_684), genes.at(19, 44_912_000), genes.at("1", 5)
    ('APOE', 'near APOC1', '')
    """

    table: pd.DataFrame

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Genes:
        """Read a BED file: chromosome, start from 0, end (not included) and name on a line."""
        import pandas as pd

        rows = []
        for number, words in bed_lines(path):
            if len(words) < 4:
                why = f"a gene has a chromosome, a start, an end and a name, not {' '.join(words)}"
                raise FileFormatError.at(path, f"line {number}", why)
            rows.append(
                # BED counts from 0 and leaves the end out, positions here count from 1 and hold it.
                (canonical_chromosome(words[0]), int(words[1]) + 1, int(words[2]), words[3])
            )
        if not rows:
            raise FileFormatError.at(path, "its lines", "none names a gene")
        table = pd.DataFrame(rows, columns=["CHR", "START", "END", "NAME"])
        # Transcripts of one gene stand under one name: where they touch they are one.
        table = table.drop_duplicates().sort_values(["CHR", "START", "END", "NAME"])
        return cls(_joined(table.reset_index(drop=True)))

    def at(self, chromosome: object, position: int) -> str:
        """Name the genes that a place lies in, or the nearest one up to 50,000 base pairs away."""
        genes = self._by_chromosome.get(canonical_chromosome(chromosome))
        return "" if genes is None else genes.at(position)

    def within(self, chromosome: object, start: int, end: int) -> pd.DataFrame:
        """Genes that reach into a stretch, by place."""
        table = self.table
        inside = table["CHR"] == canonical_chromosome(chromosome)
        return table[inside & (table["START"] <= end) & (table["END"] >= start)]

    def of(self, variants: pd.DataFrame) -> list[str]:
        """Name the genes at each variant of a table with columns ``CHR`` and ``BP``."""
        chromosomes = canonical_chromosomes(variants["CHR"]).tolist()
        positions = variants["BP"].tolist()
        return [
            "" if (genes := self._by_chromosome.get(chromosome)) is None else genes.at(position)
            for chromosome, position in zip(chromosomes, positions, strict=True)
        ]

    @cached_property
    def _by_chromosome(self) -> dict[str, _Row]:
        return {
            str(name): _Row(
                some["START"].tolist(),
                some["END"].tolist(),
                some["END"].cummax().tolist(),
                some["NAME"].tolist(),
            )
            for name, some in self.table.groupby("CHR")
        }


class _Row(NamedTuple):
    """Genes of a chromosome by their starts."""

    start: list[int]
    end: list[int]
    furthest: list[int]  # end of any gene so far
    name: list[str]

    def at(self, position: int) -> str:
        # ``furthest`` (cumulative maximum of ends) is sorted although ends are not: genes before
        # ``first`` end too early, and genes from ``stop`` on begin too late.
        first = bisect_left(self.furthest, position - NEAR)
        stop = bisect_right(self.start, position + NEAR)
        near = [
            (max(self.start[i] - position, position - self.end[i]), self.name[i])
            for i in range(first, stop)
        ]
        inside = [name for away, name in near if away <= 0]
        if inside:
            return ";".join(inside)
        away, name = min(near, default=(NEAR + 1, ""), key=lambda gene: gene[0])
        return f"near {name}" if away <= NEAR else ""


def _joined(table: pd.DataFrame) -> pd.DataFrame:
    """Join rows of one name that overlap."""
    import pandas as pd

    open_at: dict[tuple[str, str], int] = {}
    rows: list[list[object]] = []
    for chromosome, start, end, name in table.itertuples(index=False):
        place = open_at.get((chromosome, name))
        if place is not None and start <= int(str(rows[place][2])):
            rows[place][2] = max(end, int(str(rows[place][2])))
        else:
            open_at[chromosome, name] = len(rows)
            rows.append([chromosome, start, end, name])
    return pd.DataFrame(rows, columns=table.columns)
