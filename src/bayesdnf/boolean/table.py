"""The protocol by which a Boolean function reads a table: the truth of a literal, row by row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from .literal import Literal


@runtime_checkable
class Table(Protocol):
    """Protocol of a table: for each row, whether a literal holds.

    A missing value satisfies neither a literal nor its negation.
    """

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        ...

    def truth(self, literal: Literal) -> NDArray[np.bool_]:
        """Truth of one literal on every row, in row order."""
        ...


_readers: list[Callable[[object], Table]] = []


def set_table_reader(reader: Callable[[object], Table]) -> None:
    """Name the function that turns DataFrames and arrays into a :class:`Table`.

    ``boolean`` stands alone and knows no table library; ``bayesdnf/__init__.py``
    calls this once with the reader of ``bayesdnf.data``.
    """
    _readers[:] = [reader]


def as_table(source: object) -> Table:
    """Return ``source`` when it is a :class:`Table` already, else read it as one."""
    if isinstance(source, Table):
        return source
    if not _readers:
        raise InputError(
            f"A Boolean function is called on a table with n_rows and truth(literal). "
            f"Got {type(source).__name__} instead."
        )
    return _readers[0](source)
