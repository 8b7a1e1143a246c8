"""The files of a reproduction."""

import os

import pandas as pd
import pytest

from bayesdnf.errors import InputError
from bayesdnf.experiments.output.folder import ready, write, write_page
from bayesdnf.experiments.output.layout import as_text
from bayesdnf.experiments.output.page import page
from tests.experiments.made import by_hand

pytestmark = pytest.mark.usefixtures("no_trace_left")


def test_three_files_and_the_same_bytes_again(tmp_path):
    first, again = (write(by_hand(), tmp_path / name) for name in ("deep/a", "deep/b"))
    assert [file.name for file in first] == ["table9.csv", "table9.txt", "table9.png"]
    assert [file.read_bytes() for file in first] == [file.read_bytes() for file in again]
    assert first[1].read_text(encoding="utf-8") == as_text(by_hand()) + "\n"
    table = pd.read_csv(first[0])
    assert table["m"].tolist() == [6.9, 7.25, 12.25, 5.8, 2.0]
    assert first[2].read_bytes().startswith(b"\x89PNG")


def test_a_picture_that_cannot_be_drawn_leaves_the_old_files(tmp_path):
    def fails(made):
        raise ValueError("no picture")

    old = write(by_hand(), tmp_path)[0].read_bytes()
    with pytest.raises(ValueError, match="no picture"):
        write(by_hand(draw=fails, rows=by_hand().rows[:1]), tmp_path)
    assert (tmp_path / "table9.csv").read_bytes() == old
    assert sorted(os.listdir(tmp_path)) == ["table9.csv", "table9.png", "table9.txt"]


def test_the_page_is_written_beside_them(tmp_path):
    file = write_page([by_hand()], tmp_path / "new")
    assert file == tmp_path / "new" / "index.md"
    assert file.read_text(encoding="utf-8") == page([by_hand()])


def test_a_file_in_the_way_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", tmp_path / "file" / "deeper"):
        with pytest.raises(InputError, match=r"Cannot write to .*file.*: .*file is not a folder\."):
            ready(folder)
        with pytest.raises(InputError, match="Cannot make the folder"):
            write(by_hand(), folder)
    ready(tmp_path / "new" / "folder")
    assert os.listdir(tmp_path) == ["file"]  # asking makes nothing


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_named(tmp_path):
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(InputError, match="Permission denied"):
            ready(tmp_path / "new")
    finally:
        tmp_path.chmod(0o700)
