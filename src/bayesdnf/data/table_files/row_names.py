"""Names of rows in errors: lines of a text file, or labels of an index."""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import itertools
import os
import zlib
from collections.abc import Generator
from dataclasses import dataclass
from typing import IO, Any

import narwhals.stable.v2 as nw

from ...files.checked_stream import open_text


@dataclass(frozen=True)
class Records:
    """Name of the index of a table that was read from a text file: 1 is the row below the header.

    Records differ from lines if cells contain line breaks or lines are empty. The line of a record
    is found by reading the file again, when an error needs it.

    Parameters
    ----------
    path : path
        The file.
    sep : str
        What separates its cells.
    """

    path: str | os.PathLike[str]
    sep: str

    def __str__(self) -> str:
        return "record"

    def name_of(self, record: int) -> str:
        """Return the line that a record begins on, or its number if the file cannot tell now."""
        try:
            with (
                open_text(self.path, None, "") as stream,
                contextlib.closing(records_of(stream, self.sep)) as records,
            ):
                # The header is record 0, the row below it 1, as in the index.
                for line, _ in itertools.islice(records, record, None):
                    return f"line {line}"
        except (OSError, EOFError, zlib.error, gzip.BadGzipFile, ValueError, csv.Error):
            pass
        return f"record {record}"


def records_of(stream: IO[bytes], sep: str) -> Generator[tuple[int, list[str]], None, None]:
    r"""Yield the records of a text, the header first: the line each begins on, and its cells.

    Lines that are empty or blank are no records, as for pandas.

    Examples
    --------
    >>> import io
    >>> from bayesdnf.data.table_files.row_names import records_of
    >>> list(records_of(io.BytesIO(b'a,b\n\n"x\ny",2\n3,4\n'), ","))
    [(1, ['a', 'b']), (3, ['x\ny', '2']), (5, ['3', '4'])]
    """
    text = io.TextIOWrapper(stream, "utf-8-sig", newline="")
    reader = csv.reader(text, delimiter=sep)
    try:
        line = 1
        for cells in reader:
            # A quoted empty cell alone on its line is a record.
            if cells and not (len(cells) == 1 and cells[0] and not cells[0].strip(" \t")):
                yield line, cells
            line = reader.line_num + 1
    finally:
        text.detach()  # or the stream would be closed with it


def index_of(values: Any) -> Any:
    """Return the index of a DataFrame or Series of pandas; None for what has no names of rows."""
    native = values.to_native() if isinstance(values, nw.Series) else values
    pandas = nw.dependencies.get_pandas()  # None before somebody has imported it
    is_pandas = pandas is not None and isinstance(native, (pandas.DataFrame, pandas.Series))
    return native.index if is_pandas else None


def row_name(index: Any, row: int) -> str:
    """Return what an error calls a row, given its position and what :func:`index_of` returned.

    Examples
    --------
    >>> import pandas as pd
    >>> from bayesdnf.data.table_files.row_names import index_of, row_name
    >>> row_name(index_of(["f", "n"]), 1)
    'row 1'
    >>> row_name(index_of(pd.Series(["f", "n"], index=["Ann", "Bob"])), 1)
    "row 'Bob'"
    """
    if index is None:
        return f"row {row}"
    label = index[row]
    if isinstance(index.name, Records):
        return index.name.name_of(int(label))
    return f"row {_shown(label)}"


def _shown(label: Any) -> str:
    if isinstance(label, str):
        return repr(str(label))  # of a text of numpy, which shows its type
    if isinstance(label, tuple):  # one label for each level of the index
        return f"({', '.join(map(_shown, label))})"
    return str(label)
