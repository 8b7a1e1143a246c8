"""Provenance of a fitted classifier: hashes of the rows, versions, command and source file."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ... import _native
from ...data.bits import BitMatrix
from ...versions import versions

_SAMPLE = 64  # rows by which a table is known again inside a larger one


class Split(NamedTuple):
    """How rows were held out of a file: see ``stratified_part``."""

    share: float
    seed: int


class Source(NamedTuple):
    """The file that a table was read from."""

    name: str
    sha256: str


class Record(NamedTuple):
    """Provenance of a fitted classifier.

    ``content`` is a hash of the rows and labels it was fitted on, whatever their order, and
    ``sample`` holds the hashes of a few of them, by which they are known again in another table;
    ``posterior`` is the fingerprint of its posterior, which draws carry too. ``deciding`` names the
    columns that alone decide the outcome. The rest is known when
    it was fitted by a command: ``target`` and ``strata`` are names of columns.
    """

    content: str
    sample: tuple[str, ...]
    posterior: str
    versions: dict[str, str]
    command: str | None = None
    source: Source | None = None
    target: str | None = None
    split: Split | None = None
    strata: str | None = None
    deciding: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class RowContent:
    """The rows of a table as hashes of what an encoder's literals and the labels say of them.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf import LiteralEncoder
    >>> from bayesdnf.estimators.saving.record import RowContent
    >>> encoder = LiteralEncoder().fit({"odor": ["f", "n"]})
    >>> def content(odors, ill):
    ...     return RowContent.of(encoder.encode({"odor": odors}), np.array(ill))
    >>> one, other = content(["f", "n"], [True, False]), content(["n", "f"], [False, True])
    >>> one.digest() == other.digest()
    True
    >>> other.share(one.sample())
    1.0
    >>> content(["f"], [False]).share(one.sample())
    0.0
    """

    hashes: NDArray[np.uint64]
    """Of shape (n_rows, 3)."""

    @classmethod
    def of(cls, bits: BitMatrix, outcome: NDArray[np.bool_ | np.intp]) -> RowContent:
        """Hash the rows of a table as read."""
        # Without the planes that say where values are missing: not every table has the same.
        n_base = int(bits.table.plane.max(initial=-1)) + 1
        hashes = _native.hash_rows(bits.planes[:n_base], bits.n_rows)
        return cls(np.column_stack([hashes, outcome.astype(np.uint64)]))

    def part(self, rows: NDArray[np.bool_]) -> RowContent:
        """Return some of the rows."""
        return RowContent(self.hashes[rows])

    @cached_property
    def _sorted(self) -> NDArray[np.uint64]:
        return self.hashes[np.lexsort(self.hashes.T[::-1])]

    def digest(self) -> str:
        """SHA-256 of all rows, in an order of its own."""
        return hashlib.sha256(self._sorted.astype("<u8").tobytes()).hexdigest()

    def sample(self) -> tuple[str, ...]:
        """Return the smallest hashes, a sample that depends on nothing but the rows."""
        rows = self._sorted
        # Of hashes the smallest are as random as any: a sample that every copy of the table gives
        # again, whatever the order of its rows.
        first = np.append(True, (rows[1:] != rows[:-1]).any(axis=1))
        return tuple(_text(row) for row in rows[first][:_SAMPLE])

    def share(self, sample: Collection[str]) -> float:
        """Share of a sample of another table whose rows stand in this one too."""
        starts = np.array([int(text[:16], 16) for text in sample], dtype=np.uint64)
        # By the first 64 bits in one sweep; texts are made of the few rows that are left.
        alike = self.hashes[np.isin(self.hashes[:, 0], starts)]
        own = {_text(row) for row in alike}
        return sum(text in own for text in sample) / max(1, len(sample))


def _text(row: NDArray[np.uint64]) -> str:
    return f"{int(row[0]):016x}{int(row[1]):016x}{int(row[2]):x}"


def record_of(content: RowContent, posterior: str) -> Record:
    """Record hashes of the rows of a fit and the versions of the libraries."""
    return Record(content.digest(), content.sample(), posterior, versions())
