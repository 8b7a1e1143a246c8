"""Outcomes and covariates of samples, from text files."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from ...display.wording import count, listed, plural
from ...errors import FileFormatError, UnknownColumnError, did_you_mean
from .duplicates import require_distinct_samples
from .plink import FAM_COLUMNS
from .text_fields import TextFields, line_of, read_fields

if TYPE_CHECKING:
    import pandas as pd

_MISSING = ["NA", "na", "Na", "N/A", "n/a", "NaN", "nan", "NAN", ".", "-9", "-9.0"]
_IDENTIFIERS = ("FID", "IID", "SID", "PAT", "MAT", "father", "mother")
_FEW, _COMMON = 5, 20  # 2s that look stray, and how many 0s for each
_PLINK = "1 control, 2 case, 0, -9 or NA missing"
_REGENIE = "0 control, 1 case, -9 or NA missing"


@dataclass(frozen=True)
class SampleColumns:
    """Columns of numbers, or of texts, that a file has for samples.

    Parameters
    ----------
    path : Path
        The file.
    table : DataFrame
        ``IID``, ``FID`` if the file has it, and the columns, with NaN for missing.
    headed : bool
        Whether a header comes before the first sample.
    history : tuple of str
        How the file was read, one sentence each.
    warnings : tuple of str
        Of these sentences the ones to bear in mind when reading results.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import pandas as pd
    >>> from bayesdnf.genomics import read_covariates
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "covar.txt"
    >>> ages = pd.DataFrame({"IID": ["ann", "bob"], "age": [31, 40]})
    >>> ages.to_csv(file, sep=" ", index=False)
    >>> columns = read_covariates(file)
    >>> columns.path.name, columns.table["IID"].tolist(), columns.first_line
    ('covar.txt', ['ann', 'bob'], 2)
    """

    path: Path
    table: pd.DataFrame
    headed: bool
    history: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def first_line(self) -> int:
        """Number of the line of the first sample."""
        return line_of(self.path, int(self.headed))

    @property
    def names(self) -> list[str]:
        """Names of the columns of values."""
        return [str(name) for name in self.table if name not in ("FID", "IID")]


def read_phenotype(path: str | os.PathLike[str], name: str | None = None) -> SampleColumns:
    r"""Read who is a case and who is a control.

    Columns are separated by blanks or tabs: ``FID IID NAME…`` or ``IID NAME…`` under a header
    (which may begin with #), or PLINK's ``FID IID value`` without one; ``.fam`` and ``.psam``
    files are known by their names. Two codings are told apart by all values of the column: 1 and
    2 (with 0, -9 or NA missing) where a 2 occurs, else 0 and 1 (with -9 or NA missing). ``.fam``
    and ``.psam`` files always have the first. The history says which was read. In other files a
    few 2s among many 0s are refused, and 0, 1 and 2 together are warned about. ``SEX`` is read as
    an outcome only where it is named.

    Parameters
    ----------
    path : path
        The file, compressed by gzip or not.
    name : str, optional
        Column to read, where there are several.

    Returns
    -------
    SampleColumns
        One column of numbers: 1.0 case, 0.0 control, NaN missing.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from bayesdnf.genomics import read_phenotype
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "pheno.txt"
    >>> _ = file.write_text("FID IID asthma\n1 ann 2\n2 bob 1\n3 cas -9\n")
    >>> outcome = read_phenotype(file)
    >>> outcome.table["asthma"].tolist()
    [1.0, 0.0, nan]
    >>> print(*outcome.history)
    asthma of pheno.txt is read as 1 control, 2 case, 0, -9 or NA missing: 1 cases, 1 controls,
    1 missing.
    """
    sheet = _Sheet.of(path, "PHENO")
    names = sheet.value_names(sex=name is not None)
    if name is None and len(names) > 1:
        raise FileFormatError.at(
            path, f"line {sheet.lines.line(0)}", f"it has {len(names)} phenotypes "
            f"({listed(names, 3, show=str)}); name the one to read",
        )  # fmt: skip
    name = names[0] if name is None else sheet.require(name, names)
    numbers, missing = sheet.numbers(name)
    odd = ~missing & ~np.isin(numbers, (0.0, 1.0, 2.0))
    if odd.any():
        sheet.refuse_phenotype(int(np.argmax(odd)), name)
    # A 2 can be nothing but PLINK's case; without one 0 and 1 are controls and cases. The history
    # says how it was read.
    plink = sheet.outcomes_of_plink or bool((numbers == 2).any())
    n_zeros, n_ones, n_twos = (int((numbers == value).sum()) for value in range(3))
    mixed = not sheet.outcomes_of_plink and n_zeros > 0 and n_ones > 0 and n_twos > 0
    if mixed and n_twos <= _FEW and n_zeros >= _COMMON * n_twos:
        sheet.refuse_stray(int(np.argmax(numbers == 2)), name, n_zeros, n_ones, n_twos)
    if plink:
        missing = missing | (numbers == 0)
        values = np.where(missing, np.nan, numbers - 1)
    else:
        values = np.where(missing, np.nan, numbers)
    n_cases, n_controls = int((values == 1).sum()), int((values == 0).sum())
    if n_cases == 0 or n_controls == 0:
        raise FileFormatError.at(
            path, f"lines {sheet.line(0)} to {sheet.line(len(values) - 1)}",
            f"{name} has {count(n_cases, 'case')} and {count(n_controls, 'control')}, read as "
            f"{_PLINK if plink else _REGENIE}; both are needed{sheet.advice(numbers)}",
        )  # fmt: skip
    said = (
        f"{name} of {sheet.path.name} is read as {_PLINK if plink else _REGENIE}: {n_cases:,} "
        f"cases, {n_controls:,} controls, {int(missing.sum()):,} missing."
    )
    if not mixed:
        return sheet.columns({name: values}, (said,))
    warning = (
        f"{name} of {sheet.path.name} holds 0, 1 and 2: 0 is read as missing "
        f"({count(n_zeros, 'sample')}), 1 as control, 2 as case."
    )
    return sheet.columns({name: values}, (said, warning), (warning,))


def read_covariates(
    path: str | os.PathLike[str], names: Sequence[str] | None = None
) -> SampleColumns:
    r"""Read covariates of samples: numbers, or texts, which are levels of a category.

    The layout is that of :func:`read_phenotype`; NA and -9 are missing. A column none of whose
    values is a number is a category; one with numbers and texts is refused. ``SEX`` is a covariate
    like others; in ``.fam`` and ``.psam`` files it is one where it is named, with 0 for missing.

    Parameters
    ----------
    path : path
        The file, compressed by gzip or not.
    names : sequence of str, optional
        Columns to read; by default all.

    Returns
    -------
    SampleColumns
        The columns, NaN where missing.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from bayesdnf.genomics import read_covariates
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "covar.txt"
    >>> _ = file.write_text("IID age PC1\nann 31 0.5\nbob NA -0.1\n")
    >>> read_covariates(file).table["age"].tolist()
    [31.0, nan]
    """
    sheet = _Sheet.of(path, "COVAR")
    there = sheet.value_names(sex=names is not None or not sheet.outcomes_of_plink)
    wanted = there if names is None else [sheet.require(name, there) for name in names]
    values: dict[str, NDArray[Any]] = {}
    n_missing = 0
    for name in wanted:
        numbers, missing = sheet.numbers(name)
        if sheet.outcomes_of_plink and name == "SEX":
            missing = missing | (numbers == 0)
        n_missing += int(missing.sum())
        endless = ~missing & ~np.isfinite(numbers)
        # No value is a number: levels of a category.
        if endless.any() and np.isnan(numbers[~missing]).all():
            values[name] = sheet.texts(name).where(~missing, None).to_numpy(dtype=object)
            continue
        if endless.any():
            sheet.refuse_covariate(int(np.argmax(endless)), name)
        values[name] = np.where(missing, np.nan, numbers)
    some = listed(wanted, 3, show=str)
    said = f"Read {count(len(wanted), 'covariate')} from {sheet.path.name} ({some})"
    said += (
        f"; {count(n_missing, 'value')} {plural(n_missing, 'is', 'are')} missing."
        if n_missing
        else "."
    )
    return sheet.columns(values, (said,))


def values_there(path: str | os.PathLike[str]) -> list[str]:
    """Names of all columns of a file that are not identifiers."""
    return _Sheet.of(path, "COVAR").value_names(sex=True)


@dataclass(frozen=True)
class _Sheet:
    """Rows of a file under the names of its columns."""

    lines: TextFields
    names: list[str]
    first: int
    headed: bool
    outcomes_of_plink: bool

    @classmethod
    def of(cls, path: str | os.PathLike[str], default: str) -> _Sheet:
        suffix = Path(path).suffix.lower()
        if suffix == ".fam":
            lines = read_fields(path, {6}, "a .fam file has 6 (FID, IID, …, phenotype)")
            return cls(lines, list(FAM_COLUMNS), 0, False, True)._checked()
        layout = "2 are the least: IID and a value, or FID, IID and a value"
        lines = read_fields(path, range(2, 1 << 20), layout)
        names = [str(cell) for cell in lines.cells.iloc[0]]
        if names[0].startswith('"'):
            lines.refuse(
                0, "its fields are in quotation marks; write them without (R: quote=FALSE)"
            )
        headed = names[0].removeprefix("#").upper() in ("FID", "IID")
        if headed:
            names = [n.upper() if n.upper() in ("FID", "IID") else n for n in lines.header()]
            if names[0] == "FID" and (len(names) < 2 or names[1] != "IID"):
                lines.refuse(0, f"IID must follow FID in the header, not {names[1]!r}")
            if len(lines.cells) == 1:
                lines.refuse(0, "no sample follows the header")
        elif suffix == ".psam" and len(names) == len(FAM_COLUMNS):
            names = list(FAM_COLUMNS)
        elif len(names) == 2:
            lines.refuse(0, "it has 2 fields and is no header that begins with FID or IID")
        else:
            width = len(names) - 2
            values = [default] if width == 1 else [f"{default}{i + 1}" for i in range(width)]
            names = ["FID", "IID", *values]
        return cls(lines, names, int(headed), headed, suffix == ".psam")._checked()

    def _checked(self) -> _Sheet:
        ids = [name for name in ("FID", "IID") if name in self.names]
        table = self.lines.cells[[self.names.index(name) for name in ids]].iloc[self.first :]
        require_distinct_samples(
            self.path, table.set_axis(ids, axis=1), lambda row: f"line {self.line(row)}"
        )
        return self

    @property
    def path(self) -> Path:
        return self.lines.path

    def line(self, row: int) -> int:
        return self.lines.line(self.first + row)

    def value_names(self, *, sex: bool) -> list[str]:
        """Names of columns that are not identifiers, with or without SEX."""
        names = [name for name in self.names if name not in _IDENTIFIERS]
        if not sex:
            names = [name for name in names if name != "SEX"]
        if not names:
            only = "only identifiers and SEX" if "SEX" in self.names else "only identifiers"
            raise FileFormatError.at(self.path, f"line {self.line(0)}", f"it has {only}")
        return names

    def require(self, name: str, names: list[str]) -> str:
        if name not in names:
            raise UnknownColumnError(
                f"{self.path} has no column {name!r}; it has {listed(names, 3, show=str)}."
                f"{did_you_mean(name, names)}"
            )
        return name

    def texts(self, name: str) -> pd.Series:
        return self.lines.cells[self.names.index(name)].iloc[self.first :]

    def numbers(self, name: str) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Values of a column, NaN where it holds no number, and where it says missing."""
        import pandas as pd

        texts = self.texts(name)
        missing = texts.isin(_MISSING).to_numpy(dtype=np.bool_)
        numbers = pd.to_numeric(texts, errors="coerce").to_numpy(dtype=np.float64)
        return numbers, missing

    def refuse_phenotype(self, row: int, name: str) -> NoReturn:
        must = "0, 1 or NA, or 1, 2 with 0, -9 or NA for missing"
        if self.outcomes_of_plink:
            must = "1, 2, or 0, -9 or NA for missing"
        self.lines.refuse(
            self.first + row,
            f"{name} is {self.texts(name).iloc[row]!r}, and must be {must}; quantitative traits "
            f"are not supported{self._header_hint(row)}",
        )

    def advice(self, numbers: NDArray[np.float64]) -> str:
        """Describe what to do if a PLINK file as coded has no cases or no controls."""
        if not self.outcomes_of_plink:
            return ""
        coded = set(numbers[np.isfinite(numbers) & (numbers != -9)].tolist())
        if coded == {0.0, 1.0}:
            return "; outcomes coded 0 and 1 must be given in a file of their own (pheno, --pheno)"
        return "; give outcomes in a file of their own (pheno, --pheno)"

    def refuse_stray(self, row: int, name: str, zeros: int, ones: int, twos: int) -> NoReturn:
        """Refuse the first of a few 2s that would turn many 0s from controls into missing."""
        self.lines.refuse(
            self.first + row,
            f"{name} is 2 ({count(twos, 'sample')}), which makes 0 missing ({_PLINK}), but 0 "
            f"({count(zeros, 'sample')}) and 1 ({count(ones, 'sample')}) are common, as in the "
            f"other coding ({_REGENIE}); keep to one of the two",
        )

    def refuse_covariate(self, row: int, name: str) -> NoReturn:
        self.lines.refuse(
            self.first + row,
            f"{name} is {self.texts(name).iloc[row]!r}, and must be a number or NA as others of "
            f"this column are; a category has no numbers among its levels{self._header_hint(row)}",
        )

    def _header_hint(self, row: int) -> str:
        if row or self.headed or self.outcomes_of_plink:
            return ""
        return " (a header must begin with FID and IID, or IID)"

    def columns(
        self,
        values: Mapping[str, NDArray[Any]],
        said: tuple[str, ...],
        warnings: tuple[str, ...] = (),
    ) -> SampleColumns:
        import pandas as pd

        columns: dict[str, Any] = {
            name: self.texts(name).to_numpy() for name in ("FID", "IID") if name in self.names
        }
        columns.update(values)
        return SampleColumns(self.path, pd.DataFrame(columns), self.headed, said, warnings)
