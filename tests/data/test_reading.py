"""Tables in files that are damaged, forged, or larger than they look: one sentence each."""

import bz2
import datetime
import gzip
import io
import lzma
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bayesdnf import DNFClassifier, LiteralEncoder
from bayesdnf.data.reading import read_file
from bayesdnf.data.tables import read_table
from bayesdnf.errors import InputError, OutOfMemoryError
from bayesdnf.files.checked_stream import CheckedStream

HEAD = "odor,age,y\n"
ROWS = "".join(f"{'fn'[i % 2]},{i},{i % 2}\n" for i in range(40))


def refusal(path):
    with pytest.raises(InputError) as caught:
        read_file(path)
    text = str(caught.value)
    assert text.startswith(f"Cannot read {path}: ")
    assert "\n" not in text
    return text


@pytest.mark.parametrize("packed", [False, True])
def test_zero_bytes_are_found_wherever_they_are(tmp_path, packed):
    content = (HEAD + ROWS + "f,1,0\n" * 200_000 + "f,\0,1\n").encode()
    file = tmp_path / "table.csv"
    file.write_bytes(gzip.compress(content, 1) if packed else content)
    assert f"binary, not text (byte {content.index(0):,} is 0)" in refusal(file)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"PK\x03\x04 and what zip writes", "it is an Excel workbook or a zip archive; export"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "it is an Excel workbook; export the table as CSV"),
        ((HEAD + ROWS).encode("utf-16"), "its text is UTF-16; save it as UTF-8"),
        (bz2.compress((HEAD + ROWS).encode()), "it is compressed by bzip2; unpack it"),
        (lzma.compress((HEAD + ROWS).encode()), "it is compressed by xz; unpack it"),
        ((HEAD + "\u00e9,1,0\n").encode("latin-1"), "(byte 0xe9); save it as UTF-8"),
    ],
)
def test_other_files_are_named_with_the_way_out(tmp_path, content, why):
    file = tmp_path / "table.csv"
    file.write_bytes(content)
    assert why in refusal(file)


def test_a_text_that_unpacks_to_more_than_the_limit_is_refused(tmp_path, monkeypatch):
    file = tmp_path / "bomb.csv.gz"
    file.write_bytes(gzip.compress(HEAD.encode() + b"f,1,0\n" * 500_000))
    monkeypatch.setattr("bayesdnf.data.reading.available_memory", lambda: 2**22)
    assert "its text is longer than 1.0 MiB, 1/4 of the free memory" in refusal(file)
    monkeypatch.undo()
    assert len(read_file(file)) == 500_000


def test_a_checked_stream_gives_every_byte_again():
    content = bytes(range(1, 256)) * 1000
    stream = io.BufferedReader(
        CheckedStream(io.BytesIO(content), "x", len(content), "so much"), 1000
    )
    assert stream.read() == content
    stream.seek(0)
    assert stream.read(10) == content[:10]


def test_a_parquet_file_of_more_rows_than_memory_holds_is_refused(tmp_path, monkeypatch):
    file = tmp_path / "bomb.parquet"
    pq.write_table(pa.table({"a": np.zeros(10**6, int), "y": np.zeros(10**6, int)}), file)
    assert file.stat().st_size < 10**5
    monkeypatch.setattr("bayesdnf.data.memory.available_memory", lambda: 2**20)
    with pytest.raises(OutOfMemoryError, match=r"1,000,000 rows by 2 columns in .*bomb.parquet"):
        read_file(file)


def parquet(tmp_path, y, metadata=None, **others):
    table = pa.table({"odor": ["f", "n"] * 20, "age": list(range(40)), "y": y, **others})
    if metadata is not None:
        table = table.replace_schema_metadata({"pandas": metadata})
    pq.write_table(table, tmp_path / "table.parquet")
    return tmp_path / "table.parquet"


@pytest.mark.parametrize(
    "metadata",
    [
        "{", "[]", '{"index_columns": 3}', '{"index_columns": ["nope"], "columns": []}',
        '{"index_columns": ["y"], "columns": [], "column_indexes": []}',
        '{"index_columns": [], "columns": [{"name": "y", "field_name": "y", "metadata": null,'
        ' "pandas_type": "datetime", "numpy_type": "x[y]"}], "column_indexes": [{"name": null,'
        ' "field_name": null, "pandas_type": "x", "numpy_type": "y", "metadata": null}]}',
    ],
)  # fmt: skip
def test_forged_metadata_of_pandas_is_refused(tmp_path, metadata):
    assert "it is damaged" in refusal(parquet(tmp_path, [0, 1] * 20, metadata))


@pytest.mark.parametrize(
    ("index", "columns"),
    [
        (None, ["a", "b"]),
        (pd.Index(["p", "q", "r"]), ["a", "b"]),
        (pd.Index([7, 3, 7], name="id"), ["id", "a", "b"]),
        (pd.RangeIndex(3, 6, name="id"), ["id", "a", "b"]),
        (pd.MultiIndex.from_arrays([[1, 2, 3], list("uvw")], names=["k", "l"]), list("klab")),
        (pd.MultiIndex.from_arrays([[1, 2, 3], list("uvw")], names=["k", None]), list("kab")),
    ],
)
def test_a_named_index_of_parquet_gives_columns(tmp_path, index, columns):
    file = tmp_path / "table.parquet"
    table = pd.DataFrame({"a": [1, 2, 3], "b": ["x", "y", "z"]})
    (table if index is None else table.set_index(index)).to_parquet(file)
    read = read_file(file)
    assert list(read.columns) == columns
    if columns[0] == "id":
        assert read["id"].tolist() == index.tolist()


def test_an_index_named_as_a_column_is_refused(tmp_path):
    file = tmp_path / "table.parquet"
    pd.DataFrame({"a": [1, 2]}, index=pd.RangeIndex(2, name="a")).to_parquet(file)
    assert "2 of its columns are called 'a'" in refusal(file)


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ('a,b\n1,2\n3,4\n"5,6\n7,8\n', 4),
        ('a,b\n"1\n\n",2\n\n3,4\n5,"6\n7,8\n', 7),
        ('a,b\n1,2\n"x' + "y,1\n" * 100_000, 3),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_a_quote_without_its_end_is_named_by_its_line(tmp_path, content, line, packed):
    file = tmp_path / "table.csv"
    file.write_bytes(gzip.compress(content.encode(), 1) if packed else content.encode())
    assert f"the row that begins in line {line} has a quote without its end." in refusal(file)


def test_texts_that_are_not_utf_8_are_refused_when_the_file_is_read(tmp_path):
    places = pa.py_buffer(np.arange(41, dtype=np.int32).tobytes())
    wrong = pa.Array.from_buffers(pa.string(), 40, [None, places, pa.py_buffer(b"\xffa" * 20)])
    assert "Invalid UTF8" in refusal(parquet(tmp_path, [0, 1] * 20, other=wrong))


def test_changed_bytes_of_parquet_end_in_one_sentence_or_a_table(tmp_path):
    file = parquet(tmp_path, [0, 1] * 20)
    content, rng = file.read_bytes(), np.random.default_rng(3)
    for _ in range(150):
        changed = bytearray(content)
        for place in rng.integers(4, len(content), size=3):
            changed[place] = rng.integers(256)
        file.write_bytes(changed)
        try:
            table = read_file(file)
        except (InputError, OutOfMemoryError) as error:
            assert "\n" not in str(error)  # noqa: PT017
        else:
            assert isinstance(table, pd.DataFrame)


@pytest.mark.parametrize("sep", ["€", "", "ab", "a", '"', "\n"])
def test_separators_that_cannot_be(tmp_path, sep):
    (tmp_path / "table.csv").write_text(HEAD + ROWS)
    with pytest.raises(InputError, match=r"separat"):
        read_file(tmp_path / "table.csv", sep)


# Work in proportion to the table ------------------------------------------------------------------


@pytest.mark.parametrize("library", [pd, pl])
def test_columns_of_a_wide_frame_are_listed_once(monkeypatch, library):
    import narwhals.stable.v2 as nw

    frame = library.DataFrame({f"c{j}": [0, j] for j in range(300)})
    listed = []
    names = nw.DataFrame.columns
    monkeypatch.setattr(
        nw.DataFrame, "columns", property(lambda self: (listed.append(1), names.fget(self))[1])
    )
    table = read_table(frame)
    for j, name in enumerate(table.names):
        assert table.column(name).values[1] == j
    assert len(listed) < 10


# Headers ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "names"),
    [
        ("a,b\n", ["a", "b"]),
        ("\ufeffa,b\n", ["a", "b"]),
        ("\n  \n\r\na,b\r\n", ["a", "b"]),
        ('"a\nx","b"\n', ["a\nx", "b"]),
        ('"a""x",b\n', ['a"x', "b"]),
        ('a"x,b\n', ['a"x', "b"]),
        (" a , b\n", [" a ", " b"]),
        ("é,😀\r", ["é", "😀"]),
        (f"{'a' * 100_000},b\n", ["a" * 100_000, "b"]),
    ],
)
def test_a_header_is_read_as_the_table_is(tmp_path, header, names):
    file = tmp_path / "table.csv"
    file.write_bytes((header + "1,2\n").encode())
    table = read_file(file)
    assert list(table.columns) == names
    assert table.to_numpy().tolist() == [[1, 2]]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"a,b,a\n1,2,3\n", "2 of its columns are called 'a'"),
        (b",\n1,2\n", "2 of its columns are called ''"),
        (b"a;b\n1;2\n", "looks separated by semicolons"),
        (b"\n \n", "it is empty"),
        (b"a,\xff\n1,2\n", "it is not UTF-8 text (byte 0xff)"),
        (b'a,"b\n1,2\n' + b"3,4\n" * 50_000, "its header is damaged (field larger than"),
    ],
)
def test_headers_that_cannot_be(tmp_path, content, why):
    file = tmp_path / "table.csv"
    file.write_bytes(content)
    assert why in refusal(file)


# Targets of every type ----------------------------------------------------------------------------

DECIMALS = [Decimal("0.00"), Decimal("1.00")] * 20
TARGETS = {
    "date": [datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)] * 20,
    "time": [datetime.time(1), datetime.time(2)] * 20,
    "datetime": pd.to_datetime(["2020-01-01", "2021-01-01"] * 20),
    "duration": pd.to_timedelta([1, 2] * 20),
    "bytes": [b"a", b"b"] * 20,
    "dict": [{"a": 1}, {"a": 2}] * 20,
    "infinite": [0.0, np.inf] * 20,
    "beyond floats": [0, 10**400] * 20,
    "objects": [object(), object()] * 20,
    "fractions": [0.5, 1.5] * 20,
    "a number": 3,
    "nothing": [None, 1] * 20,
}
TABLE = pd.DataFrame({"odor": ["f", "n"] * 20, "age": range(40)})


@pytest.mark.parametrize("name", TARGETS)
def test_labels_that_are_none_are_refused_by_the_library_itself(name):
    with pytest.raises(InputError) as caught:
        DNFClassifier(random_state=0).fit(TABLE, TARGETS[name])
    text = str(caught.value)
    assert "y" in text
    assert text.count(". ") == 0
    assert text.endswith(".")


def test_decimals_are_labels():
    found = DNFClassifier(random_state=0).fit(TABLE, DECIMALS)
    assert found.classes_.tolist() == [0, 1]
    assert found.predict(TABLE).tolist() == [0, 1] * 20


@pytest.mark.parametrize("weights", [["a"] * 40, {"a": 1}, [1j] * 40, [10**400] * 40, [1e15] * 40])
def test_weights_that_are_none_are_refused(weights):
    with pytest.raises(InputError, match=r"^sample_weight "):
        DNFClassifier(random_state=0).fit(TABLE, [0, 1] * 20, sample_weight=weights)


def test_thresholds_beyond_64_bits():
    with pytest.raises(InputError, match=r"from 1 to 2,147,483,647\. Got 1180591620717411303424"):
        LiteralEncoder(thresholds=2**70).fit(TABLE)
