"""Text files of fields between blanks."""

import gzip

import pytest

from bayesdnf.errors import FileFormatError
from bayesdnf.genomics.files.text_fields import read_fields, read_lines, read_text


@pytest.fixture
def write(tmp_path):
    def write(data):
        (tmp_path / "t.txt").write_bytes(data if isinstance(data, bytes) else data.encode())
        return tmp_path / "t.txt"

    return write


def fields(path):
    return read_fields(path, {2, 3}, "a file has 2 or 3")


@pytest.mark.parametrize(
    "text",
    [
        "a b\nc d\n",
        "a\tb\r\nc \t d\r\n",
        "\ufeffa b\nc d",
        "## one\n## two\na b\n\n  \nc d\n",
    ],
)
def test_blanks_bom_comments_and_empty_lines(write, text):
    found = fields(write(text))
    assert found.cells.to_numpy().tolist() == [["a", "b"], ["c", "d"]]


def test_lines_are_numbered_as_an_editor_does(write):
    found = fields(write("## one\n\na b\n\nc d\n"))
    assert [found.line(0), found.line(1)] == [3, 5]
    with pytest.raises(FileFormatError, match=r"t\.txt, line 5: wrong"):
        found.refuse(1, "wrong")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("a b\nc\n", "line 2: it has 1 field, and a file has 2 or 3"),
        ("a b\nc d e\n", "line 2: it has 3 fields, and the lines before it have 2"),
        ("a b c d\n", "line 1: it has 4 fields"),
        ("a,b,c\n", "separated by commas"),
        ("a,b\n", "separated by commas"),
        ("", "byte 0: it is empty"),
        ("## only comments\n", "line 1: nothing follows its comments"),
        (b"a b\nc \xff\n", "line 2: byte 0xff is not UTF-8"),
        (b"a b\nc \0\n", "byte 6: it is binary"),
        ("a b\n".encode("utf-16"), "UTF-16"),
        (b"\x28\xb5\x2f\xfd....", "zstd"),
        (gzip.compress(b"a b\n" * 100, mtime=0)[:-9], "truncated"),
        (gzip.compress(b"a b\n", mtime=0)[:10] + b"\xff" * 30, "its compression is damaged"),
    ],
)
def test_what_is_no_such_text_is_refused(write, data, said):
    with pytest.raises(FileFormatError, match=said):
        fields(write(data))


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(FileFormatError, match="there is no such file"):
        read_text(tmp_path / "no.txt")
    with pytest.raises(FileFormatError, match="it is a folder"):
        read_text(tmp_path)


def test_whole_numbers_of_a_column(write):
    found = fields(write("name n\na 3\nb -4\nc 1e3\n"))
    assert found.whole_numbers(1, 1, "position").tolist() == [3, -4, 1000]
    for wrong in ("2.5", "x", "1e300", "inf"):
        found = fields(write(f"name n\na 3\nb {wrong}\n"))
        with pytest.raises(FileFormatError, match=f"line 3: position '{wrong}' is not a whole"):
            found.whole_numbers(1, 1, "position")


def test_headers_differ(write):
    assert fields(write("#a b\nc d\n")).header() == ["a", "b"]
    with pytest.raises(FileFormatError, match="two columns are called 'a'"):
        fields(write("#a a\nc d\n")).header()


def test_lines_of_any_length(write):
    assert read_lines(write("a b c\n\nd\n")) == [(1, ["a", "b", "c"]), (3, ["d"])]
    assert read_lines(write("")) == []
