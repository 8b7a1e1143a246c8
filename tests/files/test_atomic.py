"""Files are written whole or not at all."""

import os
import stat
import subprocess
import sys

import pytest

from bayesdnf.errors import InputError
from bayesdnf.files.atomic import atomic_path, writable, write_bytes
from tests.files.limits import largest_file

posix = pytest.mark.skipif(os.name != "posix", reason="POSIX")


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_the_file_appears_when_the_block_ends(tmp_path):
    target = tmp_path / "rule.txt"
    with atomic_path(target) as part:
        part.write_text("odor = f")
        assert not target.exists()
        assert part.parent == tmp_path  # the same file system, or renaming would copy
    assert target.read_text() == "odor = f"
    assert names(tmp_path) == ["rule.txt"]


def test_a_text_path_will_do(tmp_path):
    with atomic_path(str(tmp_path / "rule.txt")) as part:
        part.write_text("x3")
    assert (tmp_path / "rule.txt").read_text() == "x3"


def test_an_old_file_is_there_until_the_new_one_is_whole(tmp_path):
    target = tmp_path / "rule.txt"
    target.write_text("old")
    with atomic_path(target) as part:
        part.write_text("new")
        assert target.read_text() == "old"
    assert target.read_text() == "new"


@pytest.mark.parametrize("error", [ValueError("no"), KeyboardInterrupt(), SystemExit(1)])
@pytest.mark.parametrize("old", ["old", None])
def test_failure_leaves_everything_as_it_was(tmp_path, error, old):
    target = tmp_path / "rule.txt"
    if old is not None:
        target.write_text(old)
    before = names(tmp_path)

    def write():
        with atomic_path(target) as part:
            part.write_text("half a ru")
            raise error

    with pytest.raises(type(error)) as caught:
        write()
    assert caught.value is error
    assert names(tmp_path) == before
    assert old is None or target.read_text() == old


def test_the_temporary_name_keeps_the_suffixes(tmp_path):
    # pandas and gzip choose the format by the name they are given.
    with atomic_path(tmp_path / "table.csv.gz") as part:
        assert part.name.endswith(".csv.gz")
        assert part.name != "table.csv.gz"


def test_two_writers_do_not_share_a_temporary_file(tmp_path):
    target = tmp_path / "rule.txt"
    with atomic_path(target) as first, atomic_path(target) as second:
        assert first != second
        first.write_text("first")
        second.write_text("second")
    assert target.read_text() == "first"  # the outer block ends last
    assert names(tmp_path) == ["rule.txt"]


@posix
@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_permissions_are_those_of_any_new_file(tmp_path, mask):
    before = os.umask(mask)
    try:
        with atomic_path(tmp_path / "rule.txt") as part:
            part.write_text("x3")
        assert os.umask(mask) == mask  # looking at the mask did not change it
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "rule.txt").stat().st_mode) == 0o666 & ~mask


def test_a_missing_folder_is_named(tmp_path):
    target = tmp_path / "nowhere" / "rule.txt"
    with pytest.raises(InputError) as caught, atomic_path(target):
        pytest.fail("the block must not run")
    folder = target.parent
    assert str(caught.value) == f"Cannot write {target}: the folder {folder} does not exist."


def test_a_folder_is_not_a_file(tmp_path):
    with pytest.raises(InputError) as caught, atomic_path(tmp_path):
        pytest.fail("the block must not run")
    assert str(caught.value) == f"Cannot write {tmp_path}: it is a folder; name a file in it."


@posix
def test_what_the_system_refuses_is_an_input_error(tmp_path):
    target = tmp_path / ("x" * 300)
    with pytest.raises(InputError, match=r"^Cannot write .*: .+\.$"), atomic_path(target):
        pytest.fail("the block must not run")
    assert names(tmp_path) == []


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_to(tmp_path):
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(InputError, match="Permission denied"), atomic_path(tmp_path / "rule"):
            pytest.fail("the block must not run")
    finally:
        tmp_path.chmod(0o700)


@posix
def test_a_device_is_not_replaced():
    with pytest.raises(InputError) as caught, atomic_path(os.devnull):
        pytest.fail("the block must not run")
    assert str(caught.value).startswith(f"Cannot write {os.devnull}: it is a device")


@posix
def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    link, real = tmp_path / "link.txt", tmp_path / "real" / "rule.txt"
    real.write_text("old")
    link.symlink_to(real)
    with atomic_path(link) as part:
        assert part.parent == real.parent
        part.write_text("new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert names(real.parent) == ["rule.txt"]


@posix
@pytest.mark.parametrize("old", [b"old", None])
def test_a_file_that_does_not_fit_is_named_and_leaves_nothing(tmp_path, old):
    target = tmp_path / "rule.txt"
    if old is not None:
        target.write_bytes(old)
    with largest_file(1000), pytest.raises(InputError) as caught:
        write_bytes(target, b"x" * 5000)
    assert str(caught.value) == f"Cannot write {target}: File too large."
    assert names(tmp_path) == (["rule.txt"] if old else [])
    assert old is None or target.read_bytes() == old


def test_a_write_that_fails_is_an_input_error_that_names_the_file(tmp_path):
    target = tmp_path / "rule.txt"

    def write():
        with atomic_path(target):
            raise OSError(28, "No space left on device")

    with pytest.raises(InputError, match=r"rule\.txt: No space left on device\.$"):
        write()
    assert names(tmp_path) == []


def test_an_impossible_name_is_told():
    with pytest.raises(InputError, match=r"^Cannot write 'a\\x00b': a name can hold no null"):
        writable("a\0b")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everything")
def test_a_read_only_file_is_not_replaced(tmp_path):
    target = tmp_path / "rule.txt"
    target.write_text("old")
    target.chmod(0o444)
    with pytest.raises(InputError, match="the file is read-only"):
        writable(target)


_KILLED = """
import os, signal, sys
from bayesdnf.files.atomic import atomic_path
with atomic_path(sys.argv[1]) as part:
    part.write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


@posix
def test_what_a_killed_writer_left_is_removed_and_what_a_living_one_has_is_not(tmp_path):
    target = tmp_path / "rule[1].txt"  # a name that means something to glob
    subprocess.run([sys.executable, "-c", _KILLED, target], check=False)
    [left] = names(tmp_path)
    with atomic_path(target) as mine:
        assert names(tmp_path) == [mine.name]
        assert left != mine.name
        write_bytes(target, b"other")
        assert names(tmp_path) == sorted([mine.name, target.name])
        mine.write_text("mine")
    assert target.read_text() == "mine"
    assert names(tmp_path) == [target.name]
