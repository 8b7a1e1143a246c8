"""Read table files: CSV and TSV (plain or gzip) and Parquet."""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import os
import warnings
import zlib
from collections import Counter
from collections.abc import Collection
from typing import IO, TYPE_CHECKING, Any, NoReturn

from ..boolean.literal import Value
from ..errors import BayesDNFError, InputError
from ..files.checked_stream import open_text
from ..files.piped import hold, is_piped, open_bytes
from .memory import available_memory, require_memory, size_text
from .table_files.row_names import Records, records_of
from .table_files.table_output import separator_of

if TYPE_CHECKING:
    import pandas as pd

_SEPARATORS = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars"}
_PARQUET = b"PAR1"
# First bytes of unsupported file types, with advice for each.
_OTHERS = {
    b"PK\x03\x04": "it is an Excel workbook or a zip archive; export the table as CSV",
    b"\xd0\xcf\x11\xe0": "it is an Excel workbook; export the table as CSV",
    b"\xff\xfe": "its text is UTF-16; save it as UTF-8",
    b"\xfe\xff": "its text is UTF-16; save it as UTF-8",
    b"BZh": "it is compressed by bzip2; unpack it, or compress it by gzip",
    b"\xfd7zX": "it is compressed by xz; unpack it, or compress it by gzip",
    b"\x28\xb5\x2f\xfd": "it is compressed by zstd; unpack it, or compress it by gzip",
}
_SHARE = 4  # of the free memory that a table's text may take: as numbers it takes more


def read_file(
    path: str | os.PathLike[str],
    sep: str | None = None,
    *,
    missing: Collection[Value] = (),
    texts: Collection[str] = (),
) -> pd.DataFrame:
    r"""Read a table from a file.

    A column whose every cell is a number holds numbers, any other holds texts as they stand.
    Only empty cells are missing: ``NA`` and ``?`` are values like others.

    Parameters
    ----------
    path : path
        CSV or TSV, also compressed by gzip, or Parquet; the content decides which. A pipe is read
        once, into memory; ``-`` is standard input.
    sep : str, optional
        Separator; by default a tab for names with ``.tsv`` or ``.tab``, else a comma.
    missing : list of texts and numbers, optional
        Cells that are missing too, such as ``["?"]``; numbers among ``?`` are then numbers.
    texts : collection of str, optional
        Columns to read as texts even when every cell is a number.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from bayesdnf.data.reading import read_file
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "table.csv"
    >>> _ = file.write_text("odor,age\nNA,30\n,50\n")
    >>> read_file(file)
           odor  age
    record
    1        NA   30
    2       NaN   50
    """
    start = _start_of(path)
    if start.startswith(_PARQUET):
        table = _read_parquet(path)
    else:
        sep = separator_of(path) if sep is None else sep
        if len(sep) != 1 or not sep.isascii():
            raise InputError(
                f"A separator must be one character, and in ASCII. Got {sep!r} instead."
            )
        if _SEPARATORS.get(sep) is None and (sep.isalnum() or sep in '"\r\n'):
            raise InputError(f"{sep!r} cannot separate columns; use one such as ',' or ';'.")
        table = _read_text(path, sep, missing, texts)
    if len(table) == 0:
        _refuse(path, "it has a header and no rows")
    return table


def _start_of(path: str | os.PathLike[str]) -> bytes:
    try:
        if is_piped(path):
            hold(path, *_most_text())
        with open_bytes(path) as file:
            start = file.read(4)
    except FileNotFoundError:
        _refuse(path, "there is no such file")
    except IsADirectoryError:
        _refuse(path, "it is a folder")
    except OSError as error:
        _refuse(path, error.strerror or str(error))
    if not start:
        _refuse(path, "it is empty")
    for opening, why in _OTHERS.items():
        if start.startswith(opening):
            _refuse(path, why)
    return start


def _read_parquet(path: str | os.PathLike[str]) -> pd.DataFrame:
    try:
        import pyarrow.parquet
    except ImportError:
        raise InputError(
            f'Reading Parquet ({path}) needs pyarrow: pip install "bayesdnf[parquet]".'
        ) from None
    try:
        source = open_bytes(path) if is_piped(path) else path
        with pyarrow.parquet.ParquetFile(source) as file:
            # A few compressed bytes can expand to many rows: check before unpacking.
            n_rows, n_columns = file.metadata.num_rows, file.metadata.num_columns
            if n_rows < 0 or n_columns < 0:
                _refuse(path, "it is damaged (it has fewer rows or columns than none)")
            require_memory(
                8 * n_rows * n_columns,
                f"The table of {n_rows:,} rows by {n_columns:,} columns in {path}",
            )
            held = file.read()
        held.validate(full=True)  # also checks texts, which are otherwise read on use
        table: pd.DataFrame = _with_named_index(held.to_pandas())
    except BayesDNFError:
        raise
    except Exception as error:  # noqa: BLE001  whatever a forged file makes its reader raise
        _refuse(path, f"it is damaged ({_first_line(error)})", error)
    _require_distinct(path, [str(name) for name in table.columns])
    return table


def _with_named_index(table: pd.DataFrame) -> pd.DataFrame:
    """Convert a named index written by pandas to columns."""
    named = [level for level, name in enumerate(table.index.names) if name is not None]
    return table.reset_index(level=named, allow_duplicates=True) if named else table


def _read_text(
    path: str | os.PathLike[str], sep: str, missing: Collection[Value], texts: Collection[str]
) -> pd.DataFrame:
    import pandas as pd

    options: dict[str, Any] = {"sep": sep, "keep_default_na": False, "encoding": "utf-8-sig"}
    try:
        with open_text(path, *_most_text()) as stream:
            names = _header(stream, sep)
            _check_header(path, names, sep)
            stream.seek(0)
            with warnings.catch_warnings():
                # Rows longer than the header would otherwise lose their last cells.
                warnings.simplefilter("error", pd.errors.ParserWarning)
                table: pd.DataFrame = pd.read_csv(
                    stream,
                    index_col=False,
                    low_memory=False,  # one type for a whole column
                    na_values=["", *(str(value) for value in missing)],
                    dtype={name: "str" for name in names if name in texts},
                    **options,
                )
            table.index = pd.RangeIndex(1, len(table) + 1, name=Records(path, sep))
            return table
    except csv.Error as error:
        _refuse(path, f"its header is damaged ({_first_line(error)})", error)
    except pd.errors.EmptyDataError:
        _refuse(path, "it is empty")
    except pd.errors.ParserWarning as error:
        _refuse(path, _too_long(path, sep) or "its rows have more cells than its header", error)
    except pd.errors.ParserError as error:
        said = _first_line(error).removeprefix("Error tokenizing data. C error: ")
        if said.startswith("EOF inside string"):
            said = (
                f"the row that begins in line {_last_line(path, sep)} has a quote without its end"
            )
        else:
            said = _too_long(path, sep) or said
        _refuse(path, said, error)
    except UnicodeDecodeError as error:
        _refuse(
            path,
            f"it is not UTF-8 text (byte {error.object[error.start]:#x}); save it as UTF-8",
            error,
        )
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        _refuse(path, f"its compression is damaged ({_first_line(error)})", error)


def _most_text() -> tuple[int | None, str]:
    """Return the maximum size of a table's text, also as a phrase."""
    free = available_memory()
    most = None if free is None else free // _SHARE
    return most, f"{size_text(most or 0)}, 1/{_SHARE} of the free memory"


def _header(stream: IO[bytes], sep: str) -> list[str]:
    """Return the column names unchanged: pandas would number duplicates.

    Not by pandas, which makes a column of each: that took three times as long as the table.
    """
    with contextlib.closing(records_of(stream, sep)) as records:
        return next(records, (1, []))[1]


def _too_long(path: str | os.PathLike[str], sep: str) -> str | None:
    """Name the first line with more cells than the header: pandas counts other lines, or none."""
    with (
        contextlib.suppress(csv.Error, UnicodeDecodeError),
        open_text(path, None, "") as stream,
        contextlib.closing(records_of(stream, sep)) as records,
    ):
        n_names = len(next(records)[1])
        for line, cells in records:
            if len(cells) > n_names:
                return f"line {line} has more cells than its header, {len(cells)} and not {n_names}"
    return None


def _last_line(path: str | os.PathLike[str], sep: str) -> int:
    """Return the line of the last record: an unclosed quote extends to the end of the file."""
    last = line = 1
    with open_text(path, None, "") as stream:
        text = io.TextIOWrapper(stream, "utf-8-sig", newline="")
        reader = csv.reader(text, delimiter=sep)
        try:
            for _ in reader:
                last, line = line, reader.line_num + 1
        except csv.Error:  # the cell is too long, because it extends to the end
            last = line
        text.detach()  # or the stream would be closed with it
    return last


def _check_header(path: str | os.PathLike[str], names: list[str], sep: str) -> None:
    if len(names) == 1:
        for other, title in _SEPARATORS.items():
            if other != sep and other in names[0]:
                used = _SEPARATORS.get(sep, repr(sep))
                shown = other.replace("\t", "\\t")
                _refuse(
                    path,
                    f"with {used} between cells it has one column, {names[0][:40]!r}; "
                    f"it looks separated by {title} (sep '{shown}')",
                )
    _require_distinct(path, names)


def _require_distinct(path: str | os.PathLike[str], names: list[str]) -> None:
    [(name, count)] = Counter(names).most_common(1) or [("", 0)]
    if count > 1:
        _refuse(path, f"{count} of its columns are called {name!r}; names must differ")


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")


def _refuse(path: str | os.PathLike[str], why: str, cause: BaseException | None = None) -> NoReturn:
    raise InputError(f"Cannot read {path}: {why}.") from cause
