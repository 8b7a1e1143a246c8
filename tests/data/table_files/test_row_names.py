"""What errors call rows: lines of text files, labels of pandas, positions elsewhere."""

import gzip

import numpy as np
import pandas as pd
import polars as pl
import pytest

from bayesdnf import BitMatrix, DNFClassifier, LiteralEncoder
from bayesdnf.data.outcome import read_outcome, read_strata
from bayesdnf.data.reading import read_file
from bayesdnf.data.table_files.row_names import index_of, row_name
from bayesdnf.errors import InputError
from bayesdnf.qca import truth_table

BREAKS = {
    "plain": ("a,b\n1,x\n2,y\n3,z\n", [2, 3, 4]),
    "no end of the last line": ("a,b\n1,x\n2,y", [2, 3]),
    "quoted": ('a,b\n1,"x\ny"\n2,"ye ""s""\n\n"\n3,z\n', [2, 4, 7]),
    "quoted header": ('"a\n1",b\n1,x\n2,y\n', [3, 4]),
    "blank": ("\n\na,b\n\n1,x\n  \n\t\n2,y\n\n", [5, 8]),
    "windows": ('a,b\r\n1,"x\r\ny"\r\n\r\n2,y\r\n', [2, 5]),
    "old mac": ("a,b\r1,x\r\r2,y\r", [2, 4]),
    "empty quotes": ('a\n1\n""\n\n2\n', [2, 3, 5]),
    "byte order mark": ("\ufeffa,b\n\n1,x\n", [3]),
}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("case", BREAKS)
def test_lines_are_those_of_the_file(tmp_path, case, packed):
    text, lines = BREAKS[case]
    file = tmp_path / "table.csv"
    content = text.encode()
    file.write_bytes(gzip.compress(content) if packed else content)
    table = read_file(file)
    assert len(table) == len(lines)  # pandas and the search for lines see the same records
    named = [row_name(table.index, row) for row in range(len(table))]
    assert named == [f"line {line}" for line in lines]
    last = table[np.arange(len(table)) == len(table) - 1]  # as a split of the rows leaves it
    assert row_name(last.index, 0) == f"line {lines[-1]}"


def test_lines_with_other_separators(tmp_path):
    (tmp_path / "a.tsv").write_text('a\tb\n"x,\ny"\t1\n\n2\t3\n')
    table = read_file(tmp_path / "a.tsv")
    assert [row_name(table.index, row) for row in (0, 1)] == ["line 2", "line 5"]
    (tmp_path / "a.csv").write_text('a;b\n"x;\ny";1\n\n2;3\n')
    table = read_file(tmp_path / "a.csv", ";")
    assert [row_name(table.index, row) for row in (0, 1)] == ["line 2", "line 5"]


def test_a_file_that_is_gone_has_records(tmp_path):
    file = tmp_path / "table.csv"
    file.write_text("a,b\n1,x\n2,y\n")
    table = read_file(file)
    file.write_text("a,b\n")
    assert row_name(table.index, 1) == "record 2"
    file.unlink()
    assert row_name(table.index, 1) == "record 2"


def test_rows_of_parquet_are_those_that_pandas_shows(tmp_path):
    pd.DataFrame({"a": [1.0, np.inf]}, index=["Ann", "Bob"]).to_parquet(tmp_path / "t.parquet")
    with pytest.raises(InputError, match="Column 'a' holds inf in row 'Bob'; numbers must"):
        LiteralEncoder().fit(read_file(tmp_path / "t.parquet"))


def test_first_line_with_too_many_cells(tmp_path):
    file = tmp_path / "table.csv"
    for text, line in {
        'a,b\n1,"x\ny"\n\n1,2,3\n4,5,6,7\n': 5,  # pandas says 4
        "a,b\n1,2,3\n4,5,6\n": 2,  # pandas says nothing
    }.items():
        file.write_text(text)
        with pytest.raises(InputError) as caught:
            read_file(file)
        said = f"line {line} has more cells than its header, 3 and not 2"
        assert str(caught.value) == f"Cannot read {file}: {said}."


@pytest.mark.parametrize(
    ("index", "name"),
    [
        (None, "row 1"),
        ([7, 9], "row 9"),
        (["Ann", "Bob"], "row 'Bob'"),
        ([0.5, 1.5], "row 1.5"),
        ([("Ann", 1), ("Bob", 2)], "row ('Bob', 2)"),
        (["same", "same"], "row 'same'"),
        (pd.MultiIndex.from_product([["v"], [1, 2]]), "row ('v', 2)"),
        (
            pd.MultiIndex.from_arrays([[0.5, 1.5], pd.date_range("2020-01-01", periods=2)]),
            "row (1.5, 2020-01-02 00:00:00)",
        ),
        (pd.date_range("2020-01-01", periods=2), "row 2020-01-02 00:00:00"),
        (pd.period_range("2020-01", periods=2, freq="M"), "row 2020-02"),
        (np.array(["Ann", "Bob"]), "row 'Bob'"),
        (pd.Index([np.str_("Ann"), np.str_("Bob")], dtype=object), "row 'Bob'"),
    ],
)
def test_rows_of_pandas_have_their_own_labels(index, name):
    table = pd.DataFrame({"a": [1, np.inf], "b": [0, 2]}, index=index)
    labels = pd.Series(["x", None], index=table.index)
    for fails in (
        lambda: LiteralEncoder().fit(table),
        lambda: LiteralEncoder().fit(dict(table)),
        lambda: DNFClassifier().fit(table[["b"]], labels),
        lambda: read_outcome(labels),
        lambda: read_strata(labels),
        lambda: BitMatrix.from_table(table[["b"]]),
        lambda: truth_table(table.assign(a=[0, 0.5]), outcome="a"),
    ):
        with pytest.raises(InputError) as caught:
            fails()
        assert f" in {name}" in str(caught.value)


def test_other_tables_have_positions():
    assert index_of([1, 2]) is index_of(np.eye(2)) is index_of(pl.DataFrame({"a": [1]})) is None
    assert index_of(pl.Series([1])) is None
    for table in (
        pl.DataFrame({"a": [1.0, np.inf]}),
        {"a": [1, np.inf]},
        np.array([[1], [np.inf]]),
    ):
        with pytest.raises(InputError, match="holds inf in row 1;"):
            LiteralEncoder().fit(table)


def test_texts_among_numbers_are_the_examples():
    table = pd.DataFrame({"age": ["72", "", "old", "4"]}, index=[2, 3, 4, 5])
    with pytest.raises(InputError, match="holds the text 'old' in row 4"):
        LiteralEncoder(kinds={"age": "numeric"}).fit(table)
    encoder = LiteralEncoder().fit({"age": [1, 2, 3]})
    with pytest.raises(InputError, match="such as 'old' in row 4"):
        encoder.encode(table)
