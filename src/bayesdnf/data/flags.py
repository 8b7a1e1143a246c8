"""Tables of 0/1 columns from any library, read block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from ..boolean.missing import is_missing
from ..display.wording import count
from ..errors import InputError
from .columns.any_library import unmasked, values_of
from .table_files.row_names import index_of, row_name
from .tables import as_frame

_NUMBER = (bool, int, float, np.number, np.bool_)
_ROWS, _COLUMNS = 1 << 16, 128  # an unpacked block is at most 8 MiB of bytes

Block = tuple[int, int, NDArray[np.bool_], NDArray[np.bool_] | None]


@dataclass(frozen=True)
class FlagColumns:
    """A table of yes/no columns and how to read a block of it."""

    names: list[str]
    n_rows: int
    read: Callable[[slice, slice], NDArray[Any]]
    """(rows, columns) -> values[row, column], NaN or None where missing."""
    index: Any = None
    """That of pandas, which names the rows in errors."""

    @classmethod
    def of(cls, X: Any, names: Sequence[str] | None) -> FlagColumns:
        """Wrap a table of any supported kind without copying it."""
        if type(X).__module__.startswith("scipy.sparse"):
            columns = X.tocsc()
            return cls._checked(
                X.shape, names, lambda r, c: np.asarray(columns[:, c][r, :].toarray())
            )
        frame = as_frame(X)
        if frame is not None:
            return cls._checked(
                frame.shape,
                frame.columns if names is None else names,
                lambda r, c: _frame_block(frame, r, c),
                index_of(X),
            )
        array = unmasked(X) if isinstance(X, np.ma.MaskedArray) else np.asarray(X)
        if array.ndim != 2:
            raise InputError(
                f"X must be a table with two dimensions. Got an array with {array.ndim} instead."
            )
        return cls._checked(array.shape, names, lambda r, c: array[r, c])

    @classmethod
    def _checked(
        cls,
        shape: tuple[int, ...],
        names: Sequence[str] | None,
        read: Callable[[slice, slice], NDArray[Any]],
        index: Any = None,
    ) -> FlagColumns:
        n_rows, n_columns = shape
        if n_columns == 0:
            raise InputError("X has no columns; at least one is needed.")
        if n_rows == 0:
            raise InputError("X has no rows; at least one is needed.")
        if names is None:
            names = [f"x{j}" for j in range(n_columns)]
        if len(names) != n_columns:
            raise InputError(
                f"names has {count(len(names), 'entry', 'entries')} for "
                f"{count(n_columns, 'column')} of X."
            )
        return cls([str(name) for name in names], n_rows, read, index)

    def blocks(self) -> Iterator[Block]:
        """Yield (first row, first column, truth[column, row], known[column, row] or None)."""
        for row, column, values in self._values():
            yield row, column, *self._truth(values, row, column)

    def missing_columns(self) -> list[int]:
        """Find the columns with missing values, so that validity planes are allocated once."""
        found: set[int] = set()
        for row, column, values in self._values():
            if values.dtype.kind not in "biu":
                _, known = self._truth(values, row, column)
                if known is not None:
                    found.update(column + int(j) for j in np.flatnonzero(~known.all(axis=1)))
        return sorted(found)

    def _values(self) -> Iterator[tuple[int, int, NDArray[Any]]]:
        p = len(self.names)
        for column in range(0, p, _COLUMNS):
            for row in range(0, self.n_rows, _ROWS):
                values = self.read(
                    slice(row, min(row + _ROWS, self.n_rows)),
                    slice(column, min(column + _COLUMNS, p)),
                )
                yield row, column, values.T

    def _truth(
        self, values: NDArray[Any], row: int, column: int
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_] | None]:
        if values.dtype == np.bool_:
            return np.ascontiguousarray(values), None
        if values.dtype.kind not in "iuf":
            values = self._numbers(values, row, column)
        truth = np.ascontiguousarray(values == 1)
        # NaN is neither 0 nor 1, so it is among the other values, which are checked below.
        other = ~truth & (values != 0)
        if not other.any():
            return truth, None
        missing = np.isnan(values) if values.dtype.kind == "f" else np.zeros_like(truth)
        if (wrong := other & ~missing).any():
            j, i = (int(v[0]) for v in np.nonzero(wrong))
            self._refuse(values[j, i], row + i, column + j)
        return truth, ~missing

    def _numbers(self, values: NDArray[Any], row: int, column: int) -> NDArray[np.float64]:
        numbers = np.full(values.shape, np.nan)
        for j, line in enumerate(values):
            known = ~is_missing(line)
            # By type: float("1") would accept the text '1' as a number.
            if any(not issubclass(t, _NUMBER) for t in set(map(type, line[known]))):
                i = next(i for i in np.flatnonzero(known) if not isinstance(line[i], _NUMBER))
                self._refuse(line[i], row + int(i), column + j)
            numbers[j, known] = line[known].astype(np.float64)
        return numbers

    def _refuse(self, value: object, row: int, column: int) -> None:
        shown = value.item() if isinstance(value, np.generic) else value
        raise InputError(
            f"Column {self.names[column]!r} holds {shown!r} in {row_name(self.index, row)}; a "
            f"BitMatrix packs 0, 1 and missing values only. Encode other columns with "
            "LiteralEncoder."
        )


def _frame_block(frame: nw.DataFrame[Any], rows: slice, columns: slice) -> NDArray[Any]:
    part = frame[rows, columns]
    series = [values_of(part.get_column(name)) for name in part.columns]
    if all(s.dtype.kind in "biuf" for s in series):
        return np.stack(series, axis=1)
    return np.stack([s.astype(object) for s in series], axis=1)
