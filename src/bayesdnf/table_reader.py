"""Which function reads tables for ``boolean``, which stands alone and knows no table library.

Without imports of its own, so that ``import bayesdnf`` can name one and load nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_readers: list[Callable[[object], Any]] = []


def set_table_reader(reader: Callable[[object], Any]) -> None:
    """Name the function that turns DataFrames and arrays into a ``Table``.

    ``bayesdnf/__init__.py`` calls this once with the reader of ``bayesdnf.data``.
    """
    _readers[:] = [reader]


def table_reader() -> Callable[[object], Any] | None:
    """Return the function that was named, if one was."""
    return _readers[0] if _readers else None
