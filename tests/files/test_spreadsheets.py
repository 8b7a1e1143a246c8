"""Tables that are opened in spreadsheets."""

import pandas as pd
import pytest

from bayesdnf.files.spreadsheets import excel_safe


@pytest.mark.parametrize("text", ["=1+1", "+1", "-cmd", "@SUM(A1)", "\t=1", "\r=1"])
def test_no_text_is_a_formula(text):
    table = excel_safe(pd.DataFrame({text: [text, "f"], "plain": ["1=1", ""]}))
    assert list(table.columns) == [f"'{text}", "plain"]
    assert table.iloc[0, 0] == f"'{text}"
    assert table.iloc[1, 0] == "f"
    assert table["plain"].tolist() == ["1=1", ""]


def test_numbers_and_gaps_stay_and_the_table_is_a_new_one():
    given = pd.DataFrame({"n": [-1.5, 2.0], "b": [True, False], "t": ["=x", None]})
    safe = excel_safe(given)
    assert safe["n"].tolist() == [-1.5, 2.0]
    assert safe["b"].tolist() == [True, False]
    assert safe["t"].isna().tolist() == [False, True]
    assert given["t"][0] == "=x"
