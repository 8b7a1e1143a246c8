"""Tables to files: the name decides the format, and one that promises another is refused."""

import gzip
import os

import pandas as pd
import pytest

from bayesdnf.data.reading import read_file
from bayesdnf.data.table_files.table_output import TABS, require_table_name, write_table
from bayesdnf.errors import InputError, MissingExtraError

TABLE = pd.DataFrame({"odor": ["f", "n, or so"], "age": [30, 50]})
ANY = ".csv, .tsv, .tab, .txt, .csv.gz, .tsv.gz or .parquet"


@pytest.mark.parametrize(
    "name",
    ["a.csv", "a.tsv", "a.TAB", "a.csv.gz", "a.tsv.GZ", "a.parquet", "a.txt", "a", "a.gz"],
)
def test_what_is_written_is_read_again(tmp_path, name):
    file = tmp_path / name
    require_table_name(file)
    write_table(TABLE, file)
    assert read_file(file).to_dict("list") == TABLE.to_dict("list")
    start = file.read_bytes()[:4]
    assert start.startswith(b"\x1f\x8b") == name.lower().endswith("gz")
    assert (start == b"PAR1") == name.endswith("parquet")


@pytest.mark.parametrize(
    ("name", "sep", "text"),
    [
        ("a.csv", "\t", "odor,age"),  # the name promises commas
        ("a.tsv", ",", "odor\tage"),
        ("a.txt", "\t", "odor\tage"),
        ("a", "\t", "odor\tage"),
        ("a", None, "odor,age"),
    ],
)
def test_separator_is_that_of_the_name(tmp_path, name, sep, text):
    write_table(TABLE, tmp_path / name, sep)
    assert (tmp_path / name).read_text().splitlines()[0] == text


def test_the_same_table_has_the_same_bytes(tmp_path, monkeypatch):
    written = []
    for name, now in (("a.csv.gz", 1e9), ("b.csv.gz", 2e9)):
        monkeypatch.setattr("time.time", lambda now=now: now)
        write_table(TABLE, tmp_path / name)
        written.append((tmp_path / name).read_bytes())
    assert written[0] == written[1]
    assert gzip.decompress(written[0]).decode().split(os.linesep) == [
        "odor,age", "f,30", '"n, or so",50', ""
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "a.parquet"])
def test_formulas_are_made_texts(tmp_path, name):
    table = pd.DataFrame({"=a": ["=1+1", "f"]})
    write_table(table, tmp_path / name, excel_safe=True)
    assert read_file(tmp_path / name).to_dict("list") == {"'=a": ["'=1+1", "f"]}
    assert [*table] == ["=a"]


def test_parameters_of_texts(tmp_path):
    write_table(pd.DataFrame({"a": [1 / 3, None]}), tmp_path / "a.csv.gz", na_rep="NA")
    assert gzip.decompress((tmp_path / "a.csv.gz").read_bytes()) == b"a\n0.3333333333333333\nNA\n"


@pytest.mark.parametrize(
    "name", ["a.xlsx", "a.json", "a.XLS", "a.zip", "a.csv.bz2", "a.parquet.gz", "a.xlsx.gz", "a.v2"]
)
def test_other_formats_are_refused_before_and_when_writing(tmp_path, name):
    file = tmp_path / name
    suffix = name.removeprefix("a").removeprefix(".csv").lower()
    said = f"Cannot write {file}: a table is written to {ANY}, not to {suffix}."
    for ask in (require_table_name, lambda path: write_table(TABLE, path)):
        with pytest.raises(InputError) as caught:
            ask(file)
        assert str(caught.value) == said
    assert not file.exists()


def test_tables_of_one_format(tmp_path):
    for name in ("a.tsv", "a.txt", "a"):
        require_table_name(tmp_path / name, TABS)
    for name in ("a.csv", "a.tsv.gz", "a.parquet"):
        with pytest.raises(InputError, match=r"written to \.tsv, \.tab or \.txt, not to \."):
            require_table_name(tmp_path / name, TABS)


def test_parquet_without_its_library(tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    require_table_name(tmp_path / "a.csv")
    with pytest.raises(MissingExtraError, match=r"a\.parquet.* needs pyarrow.*bayesdnf\[parquet\]"):
        require_table_name(tmp_path / "a.parquet")
