"""Protection of tables against formula injection in spreadsheets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def excel_safe(table: pd.DataFrame) -> pd.DataFrame:
    """Put an apostrophe before texts that begin as formulas do, in cells and in names of columns.

    Examples
    --------
    >>> import pandas as pd
    >>> from bayesdnf.files.spreadsheets import excel_safe
    >>> excel_safe(pd.DataFrame({"=A1": ["=1+1", "f"], "gain": [-1.5, 2]}))
        '=A1  gain
    0  '=1+1  -1.5
    1      f   2.0
    """
    texts = table.select_dtypes(exclude=["number", "bool"])
    safe = table.assign(**{str(name): texts[name].map(_safe) for name in texts.columns})
    return safe.rename(columns=_safe)


def _safe(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
