"""Requests to a reader: the samples and variants of a file, and how to code them."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...checks import whole
from ...data.planes.plane_layout import Words
from ...display.wording import count, listed, plural
from ...errors import FileFormatError, InputError, ParameterError
from ..genotypes import ALLELES, Genotypes
from .selection import Names, Places, Regions, find_names, read_names

if TYPE_CHECKING:
    import pandas as pd

ReadProgress = Callable[[int, int], object]


@dataclass(frozen=True)
class ReadRequest:
    """Request to a reader; see :func:`read_genotypes` for the fields.

    Parameters
    ----------
    allele : str
        Which allele is counted.
    samples, variants : path or collection of str, optional
        Names, or a file of them.
    regions : str, path or sequence of them, optional
        Such as "6" or "6:25000000-35000000", or a BED file.
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
    regions: Places | None = None
    n_jobs: int = 1
    progress: ReadProgress | None = None
    keep: NDArray[np.bool_] | None = None
    either: bool = False

    @classmethod
    def of(
        cls,
        owner: str,
        allele: str,
        samples: Names | None,
        variants: Names | None,
        regions: Places | None,
        n_jobs: int,
        progress: ReadProgress | None,
    ) -> ReadRequest:
        """Make the request of a reader's caller; refuse values before any genotypes are opened.

        Parameters
        ----------
        owner : str
            The function that was called, for errors.
        allele, samples, variants, regions, n_jobs, progress
            As in :func:`read_genotypes`.
        """
        if allele not in ALLELES:
            raise ParameterError.of("allele", owner, "'minor', 'first' or 'second'", allele)
        n_jobs = whole("n_jobs", owner, n_jobs, 1)
        request = cls(allele, samples, variants, regions, n_jobs, progress)
        if request._regions is not None and not request._regions.listed:
            raise ParameterError.of("regions", owner, "None or at least one region", regions)
        return request

    def tell(self, done: int, of: int) -> None:
        """Report progress where it is wanted."""
        if self.progress is not None:
            self.progress(done, of)

    def choose_samples(
        self, path: object, samples: pd.DataFrame
    ) -> tuple[NDArray[np.bool_] | None, list[str]]:
        """Return which samples to keep (None: all), and sentences about those left out."""
        if self.samples is None:
            return self.keep, []
        names = _some_names(self.samples, "samples", "IID")
        chosen, said = _asked_for(names, "samples", path, samples["IID"])
        if self.keep is not None:  # a study keeps the samples that have an outcome
            chosen &= self.keep
            if not chosen.any():
                raise InputError(f"None of the samples asked for of {path} has an outcome.")
        return chosen, [said]

    def wants(self, chromosome: str, position: int, identifier: str) -> bool:
        """Return whether a single variant is chosen, for files that are read one by one."""
        inside = self._regions is not None and self._regions.include(chromosome, position)
        named = self._identifiers is not None and identifier in self._identifiers
        if self.either:
            return inside or named
        return (inside or self._regions is None) and (named or self._identifiers is None)

    @cached_property
    def _regions(self) -> Regions | None:
        return None if self.regions is None else Regions.read(self.regions)

    @cached_property
    def _identifiers(self) -> frozenset[str] | None:
        return None if self.variants is None else _some_names(self.variants, "variants", "ID")

    def choose_variants(
        self, path: object, variants: pd.DataFrame
    ) -> tuple[NDArray[np.bool_], list[str]]:
        """Return which variants to keep, and sentences about those left out."""
        if self.either:
            named = variants["ID"].isin(self._identifiers or ()).to_numpy(dtype=np.bool_)
            return named if self._regions is None else named | self._regions.included(variants), []
        chosen = np.ones(len(variants), dtype=np.bool_)
        said = []
        if self._regions is not None:
            chosen &= self._regions.included(variants)
            n, where = int(np.count_nonzero(chosen)), self._regions.title
            said.append(
                f"{n:,} of {count(len(chosen), 'variant')} {plural(n, 'lies', 'lie')} in {where}."
            )
            if n == 0:
                raise InputError(
                    f"No variant of {path} lies in {where}; its chromosomes are "
                    f"{listed(variants['CHR'].unique(), 3, show=str)}."
                )
        if self._identifiers is not None:
            named, sentence = _asked_for(self._identifiers, "variants", path, variants["ID"])
            said.append(sentence)
            chosen &= named
        if not chosen.any():
            raise InputError(f"No variant of {path} is in both 'regions' and 'variants'.")
        return chosen, said

    def genotypes(
        self,
        source: str,
        planes: Words,
        samples: pd.DataFrame,
        variants: pd.DataFrame,
        said: list[str],
    ) -> Genotypes:
        """Make the genotypes of what was read, counting the allele asked for."""
        size = f"{count(len(variants), 'variant')} of {count(len(samples), 'sample')}"
        first = f"Read {size} from {source}."
        genotypes = Genotypes(planes, samples, variants, (first, *said))
        return genotypes.counting(self.allele, in_place=True)


def _some_names(given: Names, what: str, column: str) -> frozenset[str]:
    """Return the names of a selection; refuse an empty one."""
    names = frozenset(read_names(given, column))
    if not names and isinstance(given, str | os.PathLike):
        raise FileFormatError.at(given, "its lines", f"none names any {what}")
    if not names:
        raise ParameterError.of(what, "reading", "None or at least one name", given)
    return names


def _asked_for(
    names: frozenset[str], what: str, path: object, present: pd.Series
) -> tuple[NDArray[np.bool_], str]:
    """Return which of those present are named, and how many in a sentence; refuse none."""
    chosen, clause = find_names(names, present)
    if not chosen.any():
        raise InputError(
            f"None of the {what} asked for is in {path}, which has "
            f"{listed(present, 3, show=str)}{clause}."
        )
    n = int(np.count_nonzero(chosen))
    return chosen, f"{n:,} of {len(present):,} {what} were asked for{clause}."
