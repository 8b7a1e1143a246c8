"""Pipes, read once and then as often as anybody likes."""

import contextlib
import hashlib
import os
import threading

import pytest

from bayesdnf.data.reading import read_file
from bayesdnf.errors import InputError
from bayesdnf.files.hashes import file_sha256
from bayesdnf.files.piped import hold, is_piped, open_bytes
from tests.files.limits import posix

pytestmark = posix
TABLE = b"a,b\n1,x\n2,y\n"


@pytest.fixture
def pipe(tmp_path):
    """Make a named pipe that somebody writes to."""

    def made(content):
        path = tmp_path / "pipe"
        os.mkfifo(path)

        def write():
            with contextlib.suppress(BrokenPipeError):
                path.write_bytes(content)

        writer = threading.Thread(target=write)
        writer.start()
        writers.append(writer)
        return path

    writers = []
    yield made
    for writer in writers:
        writer.join()


def test_a_pipe_is_read_once_and_opened_often(pipe):
    path = pipe(TABLE)
    assert is_piped(path)
    for _ in range(2):
        with open_bytes(path) as stream:
            assert stream.read() == TABLE
    assert file_sha256(path) == hashlib.sha256(TABLE).hexdigest()


def test_a_table_comes_through_a_pipe(pipe):
    path = pipe(TABLE)
    table = read_file(path)
    assert table["b"].tolist() == ["x", "y"]
    assert table.index.name.name_of(2) == "line 3"


def test_too_long_a_text_is_refused(pipe):
    with pytest.raises(InputError, match="its text is longer than 4 bytes"):
        hold(pipe(TABLE), 4, "4 bytes")


def test_standard_input_may_be_closed(monkeypatch):
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(InputError, match="Cannot read -: there is no standard input"):
        read_file("-")


def test_files_are_opened_as_they_are(tmp_path):
    (tmp_path / "-").write_bytes(TABLE)
    assert not is_piped(tmp_path / "-")
    assert not is_piped(tmp_path / "nope")
    with open_bytes(tmp_path / "-") as stream:
        assert stream.read() == TABLE
