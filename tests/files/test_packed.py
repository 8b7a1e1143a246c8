"""Packed files: whole or refused, and never the end of the process."""

import os
import subprocess
import sys

import numpy as np
import pytest

from bayesdnf.errors import InputError
from bayesdnf.files.packed import (
    PackedFile,
    is_packed,
    pack_texts,
    require_intact,
    unpack_texts,
    write_packed,
)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "some.pack"
    write_packed(
        path,
        "thing",
        {"n": 3},
        {
            "numbers": np.arange(6, dtype=np.int64).reshape(2, 3),
            "none": np.empty(0, np.float64),
            "names": pack_texts(["a", "", "ç"], "Name"),
            "words": np.full(100_000, 7, np.uint64),
        },
    )
    return path


def test_what_was_written_is_read(file):
    assert is_packed(file)
    assert not is_packed(file.parent)
    assert not is_packed(__file__)
    packed = PackedFile(file, "thing")
    np.testing.assert_array_equal(packed["numbers"], [[0, 1, 2], [3, 4, 5]])
    assert packed["none"].shape == (0,)
    assert packed.facts.whole("n", 0) == 3
    assert unpack_texts(packed, "names", 3) == ["a", "", "ç"]
    assert packed["words"].ctypes.data % 64 == 0
    assert not packed["words"].flags.writeable
    require_intact(packed["words"][5:])
    require_intact(np.zeros(3))


def test_the_hash_depends_on_the_contents_alone(tmp_path):
    def written(name, value):
        return write_packed(tmp_path / name, "thing", {}, {"x": np.array([value])})

    assert written("a", 1) == written("b", 1) != written("a", 2)


@pytest.mark.parametrize("kept", [0, 10, 20, 200, 5000, -8, -1])
def test_a_truncated_file_is_refused(file, kept):
    data = file.read_bytes()
    file.write_bytes(data[:kept])
    with pytest.raises(InputError, match=r"some\.pack (is truncated or damaged|is not a file)"):
        PackedFile(file, "thing", verify=False)


def test_every_flipped_bit_is_noticed(file):
    data = bytearray(file.read_bytes())
    for at in [*range(0, 700, 7), len(data) // 2, len(data) - 1]:
        data[at] ^= 1
        file.write_bytes(data)
        try:
            PackedFile(file, "thing")
        except InputError:
            pass
        else:  # gaps between arrays, and who wrote it, are no contents
            assert data[at] in (0, 1) or b'"bayesdnf"' in data[at - 30 : at + 1]
        data[at] ^= 1


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (b'"version": 1', b'"version": 9', "has version 9 of packed files"),
        (b'"kind": "thing"', b'"kind": "other"', "holds a packed other, where a thing is asked"),
        (b'"<u8"', b'"<u9"', "must be one of"),
    ],
)
def test_other_files_are_told_apart(file, old, new, sentence):
    file.write_bytes(file.read_bytes().replace(old, new))
    with pytest.raises(InputError, match=sentence):
        PackedFile(file, "thing")


def test_a_change_while_it_is_open_is_told(file):
    packed = PackedFile(file, "thing")
    os.utime(file, ns=(1, 1))
    with pytest.raises(InputError, match="was changed while it was in use"):
        require_intact(packed["words"])


def test_a_file_that_is_replaced_stays_as_it_was(file):
    packed = PackedFile(file, "thing")
    write_packed(file, "thing", {}, {"words": np.zeros(3, np.uint64)})
    assert (packed["words"] == 7).all()
    packed.require_intact()


@pytest.mark.skipif(sys.platform == "win32", reason="mapped files cannot shrink there")
def test_a_file_that_shrinks_does_not_end_the_process(file):
    program = (
        "import os, sys, numpy as np\n"
        "from bayesdnf.errors import InputError\n"
        "from bayesdnf.files.packed import PackedFile, require_intact\n"
        "words = PackedFile(sys.argv[1], 'thing', verify=False)['words']\n"
        "os.truncate(sys.argv[1], 5000)\n"
        "print(int(words[-1]), int((words == 7).sum()) < 100_000)\n"
        "try:\n    require_intact(words)\n"
        "except InputError as error:\n    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(file)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    first, second = done.stdout.splitlines()
    assert first == "0 True"
    assert "was changed while it was in use" in second


def test_texts_with_line_breaks_are_refused():
    with pytest.raises(InputError, match=r"Name 'a\\nb' has a line break"):
        pack_texts(["x", "a\nb"], "Name")
    assert pack_texts([], "Name").size == 0
