"""Tables that are read in chunks: planes of all rows from the planes of each chunk."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ... import _native
from ...display.wording import count
from ...errors import InputError
from ..literal_table import LiteralTable
from .plane_layout import Words, allocate_planes, pack_into, segment_offsets

if TYPE_CHECKING:
    from ..bits import BitMatrix


def joined(pieces: Iterable[BitMatrix], n_rows: int) -> tuple[Words, LiteralTable]:
    """Concatenate pieces with ``n_rows`` rows in total to the planes of one segment."""
    n_words = segment_offsets([n_rows])[-1]
    first: BitMatrix | None = None
    row = 0
    for piece in pieces:
        if len(piece.segments) != 1 or piece.row_order is not None:
            raise InputError("A chunk must be a table as read, not one split into segments.")
        # Which columns have missing values is unknown before the last chunk, so validity planes are
        # stored separately and appended at the end.
        if first is None:
            first, n_base = piece, _n_base_planes(piece)
            planes = allocate_planes(n_base, n_words)
            known: dict[int, Words] = {}
        elif piece.names != first.names:
            raise InputError(
                f"The chunk at row {row:,} has other literals than the first chunk: "
                f"{_first_difference(piece.names, first.names)}."
            )
        if row + piece.n_rows > n_rows:
            raise InputError(
                f"The chunks hold more than the {n_rows:,} rows that n_rows announced."
            )
        _native.append_rows(planes, row, piece.planes[:n_base], piece.n_rows)
        _append_known(known, piece, n_base, row, n_words)
        row += piece.n_rows
    if first is None:
        raise InputError("There are no chunks; at least one is needed.")
    if row != n_rows:
        raise InputError(f"The chunks hold {count(row, 'row')}; n_rows announced {n_rows:,}.")
    table = LiteralTable(
        **{**first.table.__dict__, "valid": np.full(len(first.table), -1, dtype=np.int32)}
    )
    for place, attribute in enumerate(sorted(known)):
        table.valid[table.attribute == attribute] = n_base + place
    if known:
        planes = np.concatenate([planes, np.stack([known[a] for a in sorted(known)])])
    return planes, table


def _n_base_planes(piece: BitMatrix) -> int:
    """Return the number of planes of values; validity planes come after them."""
    return int(piece.table.plane.max(initial=-1)) + 1


def _append_known(
    known: dict[int, Words], piece: BitMatrix, n_base: int, row: int, n_words: int
) -> None:
    """Extend the validity planes, one per attribute that is missing anywhere so far."""
    partly = {
        int(a): int(v)
        for a, v in zip(piece.table.attribute, piece.table.valid, strict=True)
        if v >= 0
    }
    for attribute in partly:
        if attribute not in known:  # known on every earlier row
            known[attribute] = np.zeros(n_words, dtype=np.uint64)
            pack_into(known[attribute], np.ones(row, dtype=np.bool_))
    all_rows = piece.view().all_rows()
    for attribute, plane in known.items():
        # A column without a validity plane in this piece is known on all of its rows.
        mask = piece.planes[partly[attribute]] if attribute in partly else all_rows
        _native.append_rows(
            plane.reshape(1, -1), row, np.ascontiguousarray(mask).reshape(1, -1), piece.n_rows
        )


def _first_difference(a: Sequence[str], b: Sequence[str]) -> str:
    for x, y in zip(a, b, strict=False):
        if x != y:
            return f"{x!r} where {y!r} was"
    return f"{len(a):,} where {len(b):,} were"
