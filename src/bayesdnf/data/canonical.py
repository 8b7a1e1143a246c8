"""Canonical rows: results do not depend on the order, repetition or weighting of rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from .. import _native
from ..display.wording import entries_for_rows
from ..errors import InputError
from ..files.packed import require_intact
from .bits import BitMatrix
from .planes.plane_layout import allocate_planes, pack_into, segment_offsets

Ints = NDArray[np.int64]


def canonical(
    bits: BitMatrix,
    outcome: NDArray[np.bool_ | np.integer],
    weights: NDArray[np.int64] | None = None,
    strata: NDArray[np.intp] | None = None,
) -> BitMatrix:
    """Sort rows by outcome, stratum and content, and merge equal rows if that makes sweeps cheaper.

    Parameters
    ----------
    bits : BitMatrix
        The table as read (one segment).
    outcome : ndarray of bool or int
        Whether each sample is positive; or the number of its class, from 0.
    weights : ndarray of int64, optional
        How often each sample counts; samples of weight 0 are left out.
    strata : ndarray of int, optional
        Stratum of each sample, from 0; by default there is one.

    Returns
    -------
    BitMatrix
        Segments: the positives of each stratum, then the negatives of each, or the first class of
        each, then the next; ``row_order`` maps each sample to its stored row.
    """
    if len(bits.segments) != 1 or bits.row_order is not None:
        raise InputError(
            "A table as read is needed. Got one whose rows are sorted and merged already instead."
        )
    n = bits.n_rows
    if len(outcome) != n:
        raise InputError(entries_for_rows("y", len(outcome), n))
    counted = np.ones(n, dtype=np.int64) if weights is None else weights
    bits = _without_idle_validity(bits, counted > 0)
    n_strata = 1 if strata is None else int(strata.max(initial=0)) + 1
    # Positives are class 0: their segments come first.
    number = (~outcome if outcome.dtype == np.bool_ else outcome).astype(np.int64)
    n_classes = max(2, int(number.max(initial=0)) + 1)
    segment = number * n_strata + (0 if strata is None else strata)
    hashes = _native.hash_rows(bits.planes, n)
    # The order depends on contents only, so the order of input rows cannot influence results, not
    # even random choices of rows.
    order = np.lexsort((hashes[:, 1], hashes[:, 0], segment))
    order = order[counted[order] > 0]
    # Rows count as equal if their 128-bit hashes are. Birthday bound: n² / 2^129 is about 10^-21
    # for 10^9 rows.
    keys = np.column_stack([hashes[order], segment[order].astype(np.uint64)])
    starts = np.flatnonzero(np.append(True, (keys[1:] != keys[:-1]).any(axis=1)))
    # Equal rows are adjacent in this order: each run is one group.
    totals = np.add.reduceat(counted[order], starts)
    group_of = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(order))))
    firsts = order[starts]

    def rows_per_segment(sources: Ints, counts: Ints | None = None) -> list[int]:
        rows = np.zeros(n_classes * n_strata, dtype=np.int64)
        np.add.at(rows, segment[sources], 1 if counts is None else counts)
        return rows.tolist()

    # Weights below 2^d need d planes of binary digits.
    digits = int(totals.max()).bit_length()
    merged_words = segment_offsets(rows_per_segment(firsts))[-1]
    plain_words = segment_offsets(rows_per_segment(firsts, totals))[-1]
    row_order = np.full(n, -1, dtype=np.int64)
    # The cost of a sweep (BitView::sweep) is words times digits of the weights, so merge rows if
    # that product is smaller than the words without merging.
    if merged_words * digits < plain_words:
        sources, counts = firsts, totals if digits > 1 else None
        row_order[order] = group_of
    else:
        sources, counts = np.repeat(firsts, totals), None
        row_order[order] = (np.cumsum(totals) - totals)[group_of]
    segments = rows_per_segment(sources)
    offsets = segment_offsets(segments)
    planes = allocate_planes(len(bits.planes), offsets[-1])
    _native.gather_rows(bits.planes, n, sources, segments, offsets, planes)
    require_intact(bits.planes)  # from here on nothing is read from a packed file
    return BitMatrix(planes, bits.table, segments, row_order, counts)


def _without_idle_validity(bits: BitMatrix, counts: NDArray[np.bool_]) -> BitMatrix:
    """Drop validity planes that are 1 on every row of positive weight.

    A validity plane that is also the plane of a literal is kept.
    """
    table = bits.table
    counted = np.zeros(bits.planes.shape[1], dtype=np.uint64)
    pack_into(counted, counts)
    # Otherwise a missing value in a row of weight 0 would change which planes exist, and thereby
    # the hashes and the order of all rows.
    idle = [
        v
        for v in np.unique(table.valid[table.valid >= 0])
        if _native.popcount(_native.bits_and(bits.planes[v], counted)) == counts.sum()
    ]
    if not idle:
        return bits
    kept = np.delete(np.arange(len(bits.planes)), np.setdiff1d(idle, table.plane))
    place = np.full(len(bits.planes) + 1, -1, dtype=np.int32)  # the last entry is for valid = -1
    place[kept] = np.arange(len(kept))
    valid = np.where(np.isin(table.valid, idle), -1, place[table.valid])
    moved = replace(table, plane=place[table.plane], valid=valid.astype(np.int32))
    return BitMatrix(np.ascontiguousarray(bits.planes[kept]), moved, bits.segments)
