"""The record of a chain, in segments, and merging of records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .. import _native
from ..model.flat_functions import FlatFunctions
from .kernel import Info, Snapshot

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class ChainRecord:
    """Snapshot of a chain, with everything that it recorded so far."""

    snapshot: Snapshot
    pieces: tuple[Info, ...] = ()

    def __len__(self) -> int:
        """Return the number of draws."""
        return sum(len(piece.draws) for piece in self.pieces)

    def then(self, snapshot: Snapshot, info: Info) -> ChainRecord:
        """Return the record with one more segment, at the next snapshot."""
        return ChainRecord(snapshot, (*self.pieces, info))

    def joined(self) -> ChainRecord:
        """Merge all segments into one."""
        return ChainRecord(self.snapshot, (join(self.pieces),)) if self.pieces else self


@dataclass(frozen=True)
class FunctionTable:
    """Distinct functions with their scores and counts."""

    functions: FlatFunctions
    log_prior: NDArray[np.float64]
    log_likelihood: NDArray[np.float64]
    cells: Ints
    rows: NDArray[np.uint64]

    def __len__(self) -> int:
        return len(self.log_prior)

    def take(self, order: Ints) -> FunctionTable:
        """Keep some functions, in this order."""
        return FunctionTable(
            self.functions.take(order),
            self.log_prior[order],
            self.log_likelihood[order],
            self.cells[order],
            self.rows[order],
        )


def merge(
    infos: Sequence[Info], rename: NDArray[np.int32] | None = None
) -> tuple[FunctionTable, list[Ints]]:
    """Merge the functions of several records, with one numbering.

    Parameters
    ----------
    infos : sequence of Info
        The records.
    rename : ndarray of int32, optional
        For each literal its replacement.

    Returns
    -------
    FunctionTable
        Each distinct function once, in order of appearance; of functions that are equal after
        renaming, the first.
    list of ndarray
        For each record the new numbers of its functions.
    """
    catalogue = _native.Catalogue()
    numbers = []
    for info in infos:
        flat = info.functions
        if rename is not None:
            flat = flat._replace(literals=rename[flat.literals])
        numbers.append(catalogue.number(*flat))
    n = len(catalogue)
    log_prior, log_likelihood = np.empty(n), np.empty(n)
    cells = np.empty((n, *infos[0].cells.shape[1:]), dtype=np.int64)
    rows = np.empty((n, 2), dtype=np.uint64)
    for info, number in reversed(list(zip(infos, numbers, strict=True))):
        # numpy keeps the last of repeated assignments.
        last_first = slice(None, None, -1)  # where a number comes twice, the first one stays
        log_prior[number[last_first]] = info.log_prior[last_first]
        log_likelihood[number[last_first]] = info.log_likelihood[last_first]
        cells[number[last_first]] = info.cells[last_first]
        rows[number[last_first]] = info.rows[last_first]
    functions = FlatFunctions(*catalogue.flat)
    return FunctionTable(functions, log_prior, log_likelihood, cells, rows), numbers


def join(infos: Sequence[Info]) -> Info:
    """Merge the records of successive segments into one."""
    table, numbers = merge(infos)
    return Info(
        functions=table.functions,
        log_prior=table.log_prior,
        log_likelihood=table.log_likelihood,
        cells=table.cells,
        rows=table.rows,
        draws=np.concatenate([n[i.draws] for i, n in zip(infos, numbers, strict=True)]),
        likelihoods=np.concatenate([i.likelihoods for i in infos]),
        tried=np.sum([i.tried for i in infos], axis=0),
        changed=np.sum([i.changed for i in infos], axis=0),
        exchanges_tried=np.sum([i.exchanges_tried for i in infos], axis=0),
        exchanged=np.sum([i.exchanged for i in infos], axis=0),
    )
