"""The protocol by which a Boolean function reads a table: the truth of a literal, row by row."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..table_reader import table_reader
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
        """Return the truth of one literal on every row, in row order."""
        ...


def as_table(source: object) -> Table:
    """Return ``source`` if it is a :class:`Table`, else read it as one."""
    if isinstance(source, Table):
        return source
    read = table_reader()
    if read is None:
        raise InputError(
            f"A Boolean function is called on a table with n_rows and truth(literal). "
            f"Got {type(source).__name__} instead."
        )
    table: Table = read(source)
    return table
