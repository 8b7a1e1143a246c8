"""BitMatrix: a table of yes/no columns as packed bits, with their literals."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _native
from ..boolean.literal import Literal
from ..checks import is_whole
from ..errors import InputError
from ..files.packed import PackedFile, write_packed
from .literal_table import LiteralTable
from .memory import require_memory
from .planes.chunks import joined
from .planes.plane_layout import Words, allocate_planes, pack_into, segment_offsets


class BitMatrix:
    """Rows as bits: one packed plane per stored column, and a table of the literals on them.

    Made by :meth:`from_table`, :meth:`from_chunks` or ``LiteralEncoder.encode``. A missing value
    satisfies neither a literal nor its negation.

    Parameters
    ----------
    planes : ndarray of uint64, shape (n_planes, n_words)
        Bit i of word w is row 64 w + i of its segment.
    table : LiteralTable
        The literals, each a plane or the complement of one.
    segments : sequence of int
        Stored rows in each segment: one segment as read, then positives and negatives.
    row_order : ndarray of int64, optional
        For each sample its stored row (-1: not stored); None: the same order.
    counts : ndarray of int64, optional
        How many samples each stored row stands for; None: one each.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf import BitMatrix
    >>> bits = BitMatrix.from_table(np.array([[1, 0], [1, 1], [0, 1]]))
    >>> bits.names
    ['x0', 'x1']
    >>> bits.truth(bits.table[0])
    array([ True,  True, False])
    """

    def __init__(
        self,
        planes: Words,
        table: LiteralTable,
        segments: Sequence[int],
        row_order: NDArray[np.int64] | None = None,
        counts: NDArray[np.int64] | None = None,
    ) -> None:
        self.planes = planes
        self.table = table
        self.segments = tuple(int(rows) for rows in segments)
        self.row_order = row_order
        self.counts = counts
        self.offsets = segment_offsets(self.segments)
        self._view: _native.BitView | None = None

    @classmethod
    def from_table(cls, X: Any, names: Sequence[str] | None = None) -> BitMatrix:
        """Pack a table of 0/1 columns.

        Parameters
        ----------
        X : 2-D array, pandas or polars DataFrame, or scipy sparse matrix
            Values 0, 1, False, True or missing. Other columns go through ``LiteralEncoder``.
        names : sequence of str, optional
            Column names; by default those of the DataFrame, or x0, x1, ….
        """
        from .flags import FlagColumns  # with narwhals, which packed bits alone do not need

        source = FlagColumns.of(X, names)
        table = LiteralTable.of_flags(source.names)
        p, partly = len(table), source.missing_columns()
        table.valid[partly] = p + np.arange(len(partly))
        planes = allocate_planes(p + len(partly), segment_offsets([source.n_rows])[-1])
        as_bytes = planes.view(np.uint8)
        for row, column, truth, known in source.blocks():
            # Little-endian bits: row r is bit r % 64 of word r // 64, as in the core. Blocks begin
            # at multiples of 8 rows, so each fills whole bytes.
            packed = np.packbits(truth, axis=1, bitorder="little")
            where = slice(row // 8, row // 8 + packed.shape[1])
            as_bytes[column : column + len(packed), where] = packed
            for j in (j for j in partly if column <= j < column + len(packed)):
                line = np.ones(truth.shape[1], np.bool_) if known is None else known[j - column]
                as_bytes[table.valid[j], where] = np.packbits(line, bitorder="little")
        return cls(planes, table, [source.n_rows])

    @classmethod
    def from_chunks(cls, chunks: Iterable[Any], n_rows: int | None = None) -> BitMatrix:
        """Pack a table that arrives in pieces and never exists unpacked.

        Parameters
        ----------
        chunks : iterable
            Pieces of rows: anything :meth:`from_table` takes, or BitMatrix pieces such as
            ``encoder.encode(part)``. All pieces have the same literals.
        n_rows : int, optional
            Total number of rows. If given, memory is allocated once and the peak is the packed
            size plus one piece; otherwise packed pieces are concatenated at the end. Validity
            planes of missing values are appended at the end.
        """
        # Not a loop over chunks: its variable would keep a chunk alive while the next one is made.
        pieces: Iterator[BitMatrix] = map(cls._piece, chunks)
        if n_rows is None:
            kept = list(pieces)
            n_rows, pieces = sum(piece.n_rows for piece in kept), iter(kept)
        return cls(*joined(pieces, n_rows), [n_rows])

    @classmethod
    def _piece(cls, chunk: Any) -> BitMatrix:
        return chunk if isinstance(chunk, BitMatrix) else cls.from_table(chunk)

    def save(self, path: str | os.PathLike[str]) -> str:
        """Write planes, literals and rows to one file that processes can map; return its hash.

        Parameters
        ----------
        path : path
            The file, which is written whole or not at all.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> from bayesdnf import BitMatrix
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "table.pack"
        >>> sha256 = BitMatrix.from_table([[1, 0], [1, 1], [0, 1]]).save(file)
        >>> BitMatrix.open(file)
        <BitMatrix: 3 rows x 2 literals>
        """
        rows = {"row_order": self.row_order, "counts": self.counts}
        return write_packed(
            path,
            "table",
            {"segments": list(self.segments), "attributes": len(self.table.attributes)},
            {
                **self.table.packed(),
                **{name: array for name, array in rows.items() if array is not None},
                "planes": self.planes,
            },
        )

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, verify: bool = True) -> BitMatrix:
        """Open a file written by :meth:`save`; its planes are memory-mapped.

        Parameters
        ----------
        path : path
            The file.
        verify : bool, default=True
            Read it all once and compare its hash; otherwise only its size and header are checked.
        """
        bits = cls.of_packed(PackedFile(path, "table", verify=verify))
        if verify:
            try:
                bits.view()  # checks that padding bits are 0
            except ValueError as error:
                raise InputError(f"{path} is not a valid packed file: {error}.") from None
        return bits

    @classmethod
    def of_packed(cls, packed: PackedFile) -> BitMatrix:
        """Return the table in a packed file."""
        packed.facts.expect("segments", "attributes")
        table = LiteralTable.unpacked(packed, packed.facts.whole("attributes", 0))
        given = packed.facts.any("segments")
        if not isinstance(given, list) or not all(is_whole(n, 0) for n in given):
            packed.facts.fail("field 'segments'", "a list of whole numbers", given)
        rows = {name: packed[name] for name in ("row_order", "counts") if packed.has(name)}
        planes = packed["planes"]
        n_words = segment_offsets(given)[-1]
        wrong = planes.dtype != np.uint64 or planes.ndim != 2 or planes.shape[1] < n_words
        wrong = wrong or any(a.dtype != np.int64 or a.ndim != 1 for a in rows.values())
        wrong = wrong or len(rows.get("counts", ())) not in (0, sum(given))
        highest = max(int(a.max(initial=-1)) for a in (table.plane, table.valid))
        if wrong or highest >= len(planes) or table.plane.min(initial=0) < 0:
            raise InputError(
                f"{packed.path} is not a valid packed file: its arrays do not fit together."
            )
        return cls(planes, table, given, **rows)

    @property
    def n_rows(self) -> int:
        """Number of samples."""
        return self.n_stored if self.row_order is None else len(self.row_order)

    @property
    def n_stored(self) -> int:
        """Number of stored rows: fewer than samples when equal rows are merged."""
        return sum(self.segments)

    @property
    def n_literals(self) -> int:
        """Number of literals on offer: the p of the priors."""
        return len(self.table)

    @property
    def names(self) -> list[str]:
        """Texts of the literals."""
        return [str(literal) for literal in self.table]

    @property
    def nbytes(self) -> int:
        """Size of the planes in bytes."""
        return self.planes.nbytes

    def __repr__(self) -> str:
        merged = f" ({self.n_stored:,} distinct)" if self.counts is not None else ""
        return f"<BitMatrix: {self.n_rows:,} rows{merged} x {self.n_literals:,} literals>"

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_view": None}

    def view(self, simd: str | None = None) -> _native.BitView:
        """Return the native core's view of this matrix, without copying the planes."""
        if simd is not None:
            return self._make_view(simd)
        if self._view is None:
            self._view = self._make_view(None)
        return self._view

    def _make_view(self, simd: str | None) -> _native.BitView:
        return _native.BitView(
            self.planes,
            list(self.segments),
            self.offsets,
            None if self.counts is None else self._weight_planes(self.counts),
            self.table.plane,
            self.table.complement.view(np.uint8),
            self.table.valid,
            simd,
        )

    def _weight_planes(self, counts: NDArray[np.int64]) -> Words:
        # Counts as binary digits, one plane each: the weighted count of a mask is then the sum of
        # popcount(mask AND digit b) 2^b ("Weights as digits" in native/README.md).
        n_digits = int(counts.max(initial=1)).bit_length()
        weights = np.zeros((n_digits, self.planes.shape[1]), dtype=np.uint64)
        for first_word, rows in zip(
            self.offsets, np.split(counts, np.cumsum(self.segments)[:-1]), strict=False
        ):
            for b in range(n_digits):
                pack_into(weights[b, first_word:], (rows >> b & 1).astype(np.bool_))
        return weights

    def unpack(self, words: Words) -> NDArray[np.bool_]:
        """Convert a mask of stored rows to one truth value per sample, in sample order."""
        stored = [
            np.unpackbits(words[first:].view(np.uint8), count=rows, bitorder="little")
            for first, rows in zip(self.offsets, self.segments, strict=False)
        ]
        flags = np.concatenate(stored).view(np.bool_)
        if self.row_order is None:
            return flags
        return np.append(flags, np.False_)[self.row_order]  # -1 reads the appended False

    def truth(self, literal: Literal) -> NDArray[np.bool_]:
        """Return the truth of a literal on every sample, also of negations not in the table."""
        index, negated = self.table.find(literal), False
        if index is None:
            index, negated = self.table.find(~literal), True
        if index is None:
            index = self.table.index_of(literal)  # raises an error that lists the literals
        view = self.view()
        [holds] = view.term_masks(np.array([0, 1]), np.array([index], dtype=np.int32))
        if not negated:
            return self.unpack(holds)
        valid = self.table.valid[index]
        # Known and not true: the complement alone would be true for missing values.
        known = view.all_rows() if valid < 0 else self.planes[valid, : view.n_words]
        return self.unpack(_native.bits_and_not(known, holds))

    def to_numpy(self) -> NDArray[np.bool_]:
        """Return the truth of every literal (columns) on every sample (rows).

        Examples
        --------
        >>> from bayesdnf import BitMatrix
        >>> BitMatrix.from_table([[1, 0], [0, 1], [1, 1]]).to_numpy().astype(int)
        array([[1, 0],
               [0, 1],
               [1, 1]])
        """
        p = self.n_literals
        require_memory(2 * p * self.n_rows, f"The table of {p:,} literals as bools")
        view = self.view()
        words = view.term_masks(np.arange(p + 1), np.arange(p, dtype=np.int32))
        bits = np.unpackbits(words.view(np.uint8), axis=1, bitorder="little").view(np.bool_)
        stored = [
            bits[:, 64 * first : 64 * first + rows]
            for first, rows in zip(self.offsets, self.segments, strict=False)
        ]
        flags = np.concatenate(stored, axis=1).T
        if self.row_order is None:
            return np.ascontiguousarray(flags)
        nowhere = np.zeros((1, p), dtype=np.bool_)
        return np.concatenate([flags, nowhere])[self.row_order]  # -1 reads the appended False

    def missing_values(self) -> tuple[dict[str, int], int]:
        """Count missing values.

        Samples that are not stored, because their weight is 0, are not counted.

        Returns
        -------
        by_column : dict
            Missing values of each column that has any, in the order of the literals.
        rows : int
            Samples in which any value is missing.

        Examples
        --------
        >>> from bayesdnf import LiteralEncoder
        >>> table = {"odor": ["f", "n", None, None], "age": [1, None, None, 3]}
        >>> LiteralEncoder().fit_encode(table).missing_values()
        ({'odor': 2, 'age': 2}, 3)
        """
        stored = self.unpack(self.view().all_rows())
        any_missing = np.zeros(self.n_rows, dtype=np.bool_)
        by_column: dict[str, int] = {}
        for literal, valid in zip(self.table, self.table.valid, strict=True):
            # All literals of a column share its validity plane.
            if valid >= 0 and literal.attribute not in by_column:
                missing = stored & ~self.unpack(self.planes[valid])
                by_column[literal.attribute] = int(missing.sum())
                any_missing |= missing
        return by_column, int(any_missing.sum())

    def first_equal(self) -> NDArray[np.int32]:
        """Return for each literal the first one whose column is equal on every row."""
        # By 128-bit hashes. Birthday bound: n² / 2^129 is about 10^-21 for 10^9 columns.
        hashes = self.view().hash_literals()
        _, first, group = np.unique(hashes, axis=0, return_index=True, return_inverse=True)
        return first[group.ravel()].astype(np.int32)

    def equal_literals(self) -> list[list[Literal]]:
        """Return classes of two or more literals with equal columns."""
        first = self.first_equal()
        order = np.argsort(first, kind="stable")
        groups = np.split(order, np.flatnonzero(np.diff(first[order])) + 1)
        return [[self.table[int(i)] for i in group] for group in groups if len(group) > 1]
