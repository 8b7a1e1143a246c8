"""Whitespace-separated text files, with errors that name the line."""

from __future__ import annotations

import csv
import gzip
import io
import os
import re
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import numpy as np
from numpy.typing import NDArray

from ...errors import FileFormatError

if TYPE_CHECKING:
    import pandas as pd

_GZIP, _ZSTANDARD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_BOM = b"\xef\xbb\xbf"
_BLANKS = re.compile(rb"[ \t]+")


@dataclass(frozen=True)
class TextFields:
    """The cells of a file as texts, and where each row of them stands in it.

    Parameters
    ----------
    path : Path
        The file.
    cells : DataFrame of str
        One row per line that is neither blank nor among the first ones that begin with ``##``.
    """

    path: Path
    cells: pd.DataFrame

    def line(self, row: int) -> int:
        """Return the number of the line, from 1, that a row of ``cells`` comes from."""
        return line_of(self.path, row)

    def refuse(self, row: int, why: str) -> NoReturn:
        """Raise FileFormatError about a row of ``cells``."""
        raise FileFormatError.at(self.path, f"line {self.line(row)}", why)

    def header(self) -> list[str]:
        """Take the first row as names, which must differ, without the # that may begin them."""
        names = [str(name) for name in self.cells.iloc[0]]
        names[0] = names[0].removeprefix("#")
        repeated = [name for i, name in enumerate(names) if name in names[:i]]
        if repeated:
            self.refuse(0, f"two columns are called {repeated[0]!r}")
        return names

    def whole_numbers(self, column: int, first: int, what: str) -> NDArray[np.int64]:
        """Parse a column of whole numbers, from row ``first`` on."""
        import pandas as pd

        texts = self.cells[column].iloc[first:]
        values = pd.to_numeric(texts, errors="coerce").to_numpy(dtype=np.float64)
        with np.errstate(invalid="ignore"):
            # Written so that NaN is wrong, too; from 2^53 on floats skip whole numbers.
            wrong = ~(np.abs(values) < 2.0**53) | (values != np.floor(values))
        if wrong.any():
            row = int(np.argmax(wrong))
            self.refuse(first + row, f"{what} {texts.iloc[row]!r} is not a whole number")
        return values.astype(np.int64)


def read_fields(path: str | os.PathLike[str], widths: Collection[int], layout: str) -> TextFields:
    """Read a text file of fields between blanks, the same number on each line.

    Parameters
    ----------
    path : path
        The file, compressed by gzip or not.
    widths : collection of int
        Numbers of fields that a line may have.
    layout : str
        What those are, for the error: "a .fam file has 6 (FID, IID, …)".
    """
    import pandas as pd

    data = read_text(path)
    try:
        stream = io.BytesIO(data)
        stream.seek(_first_byte(data))
        cells: pd.DataFrame | None = pd.read_csv(
            stream,
            sep=r"\s+",
            header=None,
            dtype=str,
            na_filter=False,
            quoting=csv.QUOTE_NONE,
            encoding="utf-8",
        )
    except pd.errors.EmptyDataError:
        n = len(data.splitlines())
        raise FileFormatError.at(path, f"line {n}", "nothing follows its comments") from None
    except UnicodeDecodeError:
        for number, line in enumerate(data.splitlines(), 1):
            decoded(path, number, line)
        raise FileFormatError.at(path, None, "it is not UTF-8 text") from None
    except pd.errors.ParserError as error:
        cells, why = None, one_line(error)
    if cells is None:
        _refuse_ragged(path, data, widths, layout)
        raise FileFormatError.at(path, None, why)
    # Shorter lines are filled up with empty texts, which blanks between fields cannot give.
    if cells.shape[1] not in widths or (cells.iloc[:, -1] == "").any():
        _refuse_ragged(path, data, widths, layout)
    return TextFields(Path(path), cells)


def line_of(path: str | os.PathLike[str], row: int) -> int:
    """Return the number of the line, from 1, of a row of cells, from 0; slow, for errors."""
    return _lines(read_text(path))[row][0]


def read_lines(path: str | os.PathLike[str]) -> list[tuple[int, list[str]]]:
    """Read a text file of any number of fields on a line, perhaps none, slowly.

    Returns
    -------
    list of (int, list of str)
        Number, from 1, and fields of each line that is neither blank nor among the first ones
        that begin with ``##``.
    """
    lines = _lines(read_text(path, may_be_empty=True))
    split = ((number, decoded(path, number, line).split()) for number, line in lines)
    return [(number, words) for number, words in split if words]


def read_text(path: str | os.PathLike[str], *, may_be_empty: bool = False) -> bytes:
    """Read the bytes of a text file, uncompressed; refuse what cannot be text."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise unreadable(path, error) from None
    if data.startswith(_GZIP):
        with decompressing(path, len(data)):
            data = gzip.decompress(data)
    if data.startswith(_ZSTANDARD):
        raise FileFormatError.at(path, "byte 0", "it is compressed by zstd; decompress it first")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise FileFormatError.at(path, "byte 0", "it is UTF-16; save it as UTF-8 text")
    zero = data.find(b"\0")
    if zero >= 0:
        raise FileFormatError.at(path, f"byte {zero}", "it is binary, not text")
    if not may_be_empty and not data.removeprefix(_BOM).strip():
        raise FileFormatError.at(path, "byte 0", "it is empty")
    return data


def unreadable(path: str | os.PathLike[str], error: OSError) -> FileFormatError:
    """Word an error of the operating system."""
    if isinstance(error, FileNotFoundError):
        return FileFormatError.at(path, None, "there is no such file")
    if isinstance(error, IsADirectoryError):
        return FileFormatError.at(path, None, "it is a folder")
    return FileFormatError.at(path, None, error.strerror or one_line(error))


@contextmanager
def decompressing(path: str | os.PathLike[str], size: int) -> Iterator[None]:
    """Refuse a file of so many bytes whose gzip compression is damaged or ends early."""
    try:
        yield
    except EOFError:
        why = "its compressed data end early; the file is truncated"
        raise FileFormatError.at(path, f"byte {size}", why) from None
    except (gzip.BadGzipFile, zlib.error) as error:
        why = f"its compression is damaged ({one_line(error)})"
        raise FileFormatError.at(path, f"a byte before {size}", why) from None


def _first_byte(data: bytes) -> int:
    """Where the lines begin that count: after a byte order mark and ## lines."""
    at = len(_BOM) if data.startswith(_BOM) else 0
    while data.startswith(b"##", at):
        end = data.find(b"\n", at)
        at = len(data) if end < 0 else end + 1
    return at


def _lines(data: bytes) -> list[tuple[int, bytes]]:
    """Lines that count with their numbers; slow."""
    start = _first_byte(data)
    skipped = data.count(b"\n", 0, start)
    lines = enumerate(data[start:].splitlines(), skipped + 1)
    return [(number, line) for number, line in lines if line.strip(b" \t")]


def _refuse_ragged(
    path: str | os.PathLike[str], data: bytes, widths: Collection[int], layout: str
) -> None:
    width = 0
    for number, line in _lines(data):
        n = len(_BLANKS.split(line.strip(b" \t")))
        comma = " (it looks separated by commas; blanks or tabs are needed)"
        if n not in widths:
            hint = comma if n <= 2 and line.count(b",") >= n else ""
            why = f"it has {n} field{'s' * (n != 1)}, and {layout}{hint}"
        elif width not in (0, n):
            why = f"it has {n} field{'s' * (n != 1)}, and the lines before it have {width}"
        else:
            width = n
            continue
        raise FileFormatError.at(path, f"line {number}", why)


def decoded(path: str | os.PathLike[str], number: int, line: bytes) -> str:
    """Decode a line, or refuse it by its number."""
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        why = f"byte {line[error.start]:#x} is not UTF-8 text"
        raise FileFormatError.at(path, f"line {number}", why) from None


def one_line(error: BaseException) -> str:
    """Word an error of another library: the first line of what it says, or its name."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
