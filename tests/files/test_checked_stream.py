"""Streams of text that are looked at on the way."""

import gzip

import pytest

from bayesdnf.errors import InputError
from bayesdnf.files.checked_stream import open_text


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_content_decides_and_every_byte_comes(tmp_path, pack):
    text = b"a,b\n" * 200_000
    path = tmp_path / "any.name"
    path.write_bytes(pack(text))
    with open_text(path, None, "no limit") as stream:
        assert stream.read(7) == text[:7]
        assert stream.seek(0) == 0
        assert stream.read() == text


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_a_zero_byte_is_found_with_its_place(tmp_path, pack):
    path = tmp_path / "t.csv"
    path.write_bytes(pack(b"x" * 300_000 + b"\0" + b"x" * 10))
    with open_text(path, None, "") as stream, pytest.raises(InputError, match=r"byte 300,000 is 0"):
        stream.read()


def test_a_text_may_be_as_long_as_the_limit(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(gzip.compress(b"x" * 1000))
    with open_text(path, 1000, "it may") as stream:
        assert len(stream.read()) == 1000
    with (
        open_text(path, 999, "it may") as stream,
        pytest.raises(InputError, match=r"t\.csv: its text is longer than it may"),
    ):
        stream.read()


def test_closing_closes_the_file(tmp_path):
    (tmp_path / "t.csv").write_bytes(b"a")
    stream = open_text(tmp_path / "t.csv", None, "")
    source = stream.raw._source
    stream.close()
    assert stream.closed
    assert source.closed
