"""Hashes of files, and the texts that may be one."""

import hashlib

import pytest

from bayesdnf.errors import InputError
from bayesdnf.files.hashes import file_sha256, is_hash


@pytest.mark.parametrize("content", [b"", b"odor = f", bytes(range(256)) * 5000])
def test_the_hash_is_that_of_the_bytes(tmp_path, content):
    (tmp_path / "file").write_bytes(content)
    assert file_sha256(tmp_path / "file") == hashlib.sha256(content).hexdigest()
    assert is_hash(file_sha256(tmp_path / "file"))


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match=r"Cannot read .*absent: No such file"):
        file_sha256(tmp_path / "absent")


@pytest.mark.parametrize("text", ["", "0" * 63, "0" * 65, "g" * 64, "F" * 64, " " + "0" * 63])
def test_texts_that_are_no_hash(text):
    assert not is_hash(text)
