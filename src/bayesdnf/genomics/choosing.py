"""Which samples and variants of a file to read."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, ParameterError
from .fields import read_fields
from .genotypes import ALLELES
from .identity import chromosome_key, chromosome_keys, first_few

if TYPE_CHECKING:
    import pandas as pd

Progress = Callable[[int, int], object]
Names = str | os.PathLike[str] | Collection[str]
_REGION = re.compile(r"(?P<chr>[^:]+)(?::(?P<first>[\d,]+)-(?P<last>[\d,]+))?")


@dataclass(frozen=True)
class Wish:
    """What a caller of a reader asks for; see :func:`read_plink` for the meanings.

    Parameters
    ----------
    allele : str
        Which allele is counted.
    samples, variants : path or collection of str, optional
        Names, or a file of them.
    regions : str or sequence of str, optional
        Such as "6" or "6:25000000-35000000".
    n_jobs : int
        Threads.
    progress : callable, optional
        Called as ``progress(done, all)`` with numbers of variants.
    keep : ndarray of bool, optional
        Samples of the file to keep, beside those of ``samples``.
    either : bool
        Whether being named or lying in a region is enough, and none at all will do.
    """

    allele: str = "minor"
    samples: Names | None = None
    variants: Names | None = None
    regions: str | Sequence[str] | None = None
    n_jobs: int = 1
    progress: Progress | None = None
    keep: NDArray[np.bool_] | None = None
    either: bool = False

    def checked(self, owner: str) -> Wish:
        """Refuse parameters outside their meaning before any file is opened."""
        if self.allele not in ALLELES:
            raise ParameterError.of("allele", owner, "'minor', 'first' or 'second'", self.allele)
        if not isinstance(self.n_jobs, int) or self.n_jobs < 1:
            raise ParameterError.of("n_jobs", owner, "a whole number, 1 or more", self.n_jobs)
        if self.regions is not None and not self._regions:
            raise ParameterError.of("regions", owner, "None or at least one region", self.regions)
        return self

    def tell(self, done: int, of: int) -> None:
        """Report progress where it is wanted."""
        if self.progress is not None:
            self.progress(done, of)

    def choose_samples(
        self, path: object, samples: pd.DataFrame
    ) -> tuple[NDArray[np.bool_] | None, list[str]]:
        """Say which samples to keep (None: all), and sentences about those left out."""
        if self.samples is None:
            return self.keep, []
        names = _names(self.samples, "samples")
        chosen = samples["IID"].isin(names).to_numpy(dtype=np.bool_)
        said = [_report("samples", path, names, samples["IID"], chosen)]
        if self.keep is not None:
            chosen &= self.keep
            if not chosen.any():
                raise InputError(f"None of the samples asked for of {path} has an outcome.")
        return chosen, said

    def wants(self, chromosome: str, position: int, identifier: str) -> bool:
        """Whether a single variant is chosen, for files that are read one by one."""
        key = chromosome_key(chromosome)
        inside = any(c == key and a <= position <= b for c, a, b in self._regions)
        named = self._identifiers is not None and identifier in self._identifiers
        if self.either:
            return inside or named
        return (inside or not self._regions) and (named or self._identifiers is None)

    @cached_property
    def _regions(self) -> list[tuple[str, int, int]]:
        return parse_regions(self.regions)

    @cached_property
    def _identifiers(self) -> set[str] | None:
        return None if self.variants is None else _names(self.variants, "variants")

    def choose_variants(
        self, path: object, variants: pd.DataFrame
    ) -> tuple[NDArray[np.bool_], list[str]]:
        """Say which variants to keep, and sentences about those left out."""
        if self.either:
            named = variants["ID"].isin(self._identifiers or ()).to_numpy(dtype=np.bool_)
            return named | in_regions(variants, self._regions), []
        chosen = np.ones(len(variants), dtype=np.bool_)
        said = []
        if self.regions is not None:
            chosen &= in_regions(variants, self._regions)
            n = int(np.count_nonzero(chosen))
            said.append(f"{n:,} of {len(chosen):,} variants lie in {_listed(self.regions)}.")
            if n == 0:
                raise InputError(
                    f"No variant of {path} lies in {_listed(self.regions)}; its chromosomes are "
                    f"{first_few(variants['CHR'].unique())}."
                )
        if self._identifiers is not None:
            listed = variants["ID"].isin(self._identifiers).to_numpy(dtype=np.bool_)
            said.append(_report("variants", path, self._identifiers, variants["ID"], listed))
            chosen &= listed
        if not chosen.any():
            raise InputError(f"No variant of {path} is in both 'regions' and 'variants'.")
        return chosen, said


def parse_regions(regions: str | Sequence[str] | None) -> list[tuple[str, int, int]]:
    """Parse regions such as "6", "chr6" or "6:25,000,000-35,000,000", ends included.

    Examples
    --------
    >>> from bayesdnf.genomics.choosing import parse_regions
    >>> parse_regions("chr6:5-20")
    [('6', 5, 20)]
    """
    found = []
    for text in [regions] if isinstance(regions, str) else regions or []:
        match = _REGION.fullmatch(str(text).strip())
        first = int(match["first"].replace(",", "")) if match and match["first"] else 0
        last = int(match["last"].replace(",", "")) if match and match["last"] else 2**62
        if match is None or first > last:
            must = "such as '6' or '6:25000000-35000000'"
            raise ParameterError.of("regions", "reading", must, text)
        found.append((chromosome_key(match["chr"]), first, last))
    return found


def in_regions(
    variants: pd.DataFrame, regions: Sequence[tuple[str, int, int]]
) -> NDArray[np.bool_]:
    """Whether each variant lies in any of the regions that :func:`parse_regions` gives."""
    chromosome = chromosome_keys(variants["CHR"]).to_numpy()
    position = variants["POS"].to_numpy(dtype=np.int64)
    inside = np.zeros(len(variants), dtype=np.bool_)
    for name, first, last in regions:
        inside |= (chromosome == name) & (position >= first) & (position <= last)
    return inside


def _names(given: Names, what: str) -> set[str]:
    """Names in a collection, or the last of one or two columns (FID and IID) of a file."""
    if isinstance(given, (str, os.PathLike)):
        cells = read_fields(Path(given), {1, 2}, "a list of names has 1 or 2 (FID, IID)").cells
        if str(cells.iloc[0, 0]).lstrip("#") in ("FID", "IID"):
            cells = cells.iloc[1:]
        return set(cells.iloc[:, -1])
    names = {str(name) for name in given}
    if not names:
        raise ParameterError.of(what, "reading", "None or at least one name", given)
    return names


def _report(
    what: str, path: object, names: set[str], there: pd.Series, chosen: NDArray[np.bool_]
) -> str:
    n = int(np.count_nonzero(chosen))
    absent = sorted(names - set(there[chosen]))
    if n == 0:
        raise InputError(
            f"None of the {len(names):,} {what} asked for ({first_few(absent)}) is in {path}, "
            f"which has {first_few(there.iloc[:4].tolist())}."
        )
    lost = f"; {len(absent):,} asked for are not there: {first_few(absent)}" if absent else ""
    return f"{n:,} of {len(there):,} {what} were asked for{lost}."


def _listed(regions: Any) -> str:
    return regions if isinstance(regions, str) else ", ".join(str(r) for r in regions)
