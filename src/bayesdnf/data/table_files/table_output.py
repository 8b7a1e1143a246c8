"""Write table files: CSV and TSV (plain or gzip) and Parquet, by the file's name."""

from __future__ import annotations

import gzip
import importlib.util
import io
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...display.wording import text_list
from ...errors import InputError, MissingExtraError
from ...files.atomic import atomic_path, writable
from ...files.spreadsheets import excel_safe as make_safe

if TYPE_CHECKING:
    import pandas as pd

_PARQUET = ".parquet"
_GZIP = ".gz"
TABS = (".tsv", ".tab", ".txt")
_TABLES = (".csv", *TABS, ".csv.gz", ".tsv.gz", _PARQUET)


def require_table_name(path: str | os.PathLike[str], suffixes: tuple[str, ...] = _TABLES) -> None:
    """Raise an error if a file name has the suffix of an unsupported format.

    Call it before long work. A name without a suffix is accepted.

    Parameters
    ----------
    path : path
        The file to write.
    suffixes : tuple of str
        Those of the formats that the table can have, for errors and to decide.

    Examples
    --------
    >>> from bayesdnf.data.table_files.table_output import require_table_name
    >>> require_table_name("answers.xlsx")
    Traceback (most recent call last):
        ...
    bayesdnf.errors.InputError: Cannot write answers.xlsx: a table is written to .csv, ...
    """
    writable(path)
    suffix, is_gzip = _format_of(path)
    known = {text.removesuffix(_GZIP) for text in suffixes}
    may_be_gzip = any(text.endswith(_GZIP) for text in suffixes)
    wrong_gzip = is_gzip and (suffix == _PARQUET or not may_be_gzip)
    if (suffix and suffix not in known) or wrong_gzip:
        raise InputError(
            f"Cannot write {path}: a table is written to {text_list(suffixes, 'or')}, not to "
            f"{suffix}{_GZIP if is_gzip else ''}."
        )
    if suffix == _PARQUET and importlib.util.find_spec("pyarrow") is None:
        raise MissingExtraError.of(f"Writing Parquet ({path}) needs pyarrow", "parquet")


def write_table(
    table: pd.DataFrame,
    path: str | os.PathLike[str],
    sep: str | None = None,
    *,
    excel_safe: bool = False,
    **as_text: Any,
) -> None:
    r"""Write a table atomically, in the format of the file's suffix.

    The same table has the same bytes.

    Parameters
    ----------
    table : DataFrame
        The rows; its index is not written.
    path : path
        The file.
    sep : str, optional
        Separator for files without a known suffix; by default a comma.
    excel_safe : bool, default=False
        Whether texts that spreadsheets would run as formulas get an apostrophe before them.
    **as_text
        Further parameters of ``DataFrame.to_csv``, for all formats but Parquet.

    Examples
    --------
    >>> import pandas as pd, pathlib, tempfile
    >>> from bayesdnf.data.table_files.table_output import write_table
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "table.tsv"
    >>> write_table(pd.DataFrame({"odor": ["f", "n"], "age": [30, 50]}), file)
    >>> file.read_text()
    'odor\tage\nf\t30\nn\t50\n'
    """
    require_table_name(path)
    suffix, is_gzip = _format_of(path)
    if sep is None or suffix not in ("", ".txt"):
        sep = separator_of(path)
    if excel_safe:
        table = make_safe(table)
    with atomic_path(path) as part:
        if suffix == _PARQUET:
            table.to_parquet(part, index=False)
        elif is_gzip:
            # Without time and file name in the gzip header, so that equal tables give equal bytes.
            with (
                part.open("wb") as file,
                gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed,
                io.TextIOWrapper(packed, "utf-8", newline="") as text,
            ):
                table.to_csv(text, index=False, sep=sep, **as_text)
        else:
            # Not "infer": a name such as table.zip would make an archive.
            table.to_csv(part, index=False, sep=sep, compression=None, **as_text)


def separator_of(path: str | os.PathLike[str]) -> str:
    r"""Return the separator by the file's suffix: a tab for ``.tsv`` and ``.tab``, else a comma.

    Examples
    --------
    >>> from bayesdnf.data.table_files.table_output import separator_of
    >>> separator_of("a.csv"), separator_of("a.tsv.gz")
    (',', '\t')
    """
    suffixes = [suffix.lower() for suffix in Path(path).suffixes[-2:]]
    return "\t" if ".tsv" in suffixes or ".tab" in suffixes else ","


def _format_of(path: str | os.PathLike[str]) -> tuple[str, bool]:
    """Return the suffix that names the format, in small letters, and whether .gz follows it."""
    name = Path(os.fspath(path).lower())
    is_gzip = name.suffix == _GZIP
    return (Path(name.stem) if is_gzip else name).suffix, is_gzip
