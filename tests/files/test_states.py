"""States of long runs: read by the run they are of, refused in one sentence otherwise."""

import io
import json

import numpy as np
import pytest

from bayesdnf.errors import InputError
from bayesdnf.files import states
from bayesdnf.files.seals import seal
from bayesdnf.files.states import StateFile, read_state, write_state

KIND = "bayesdnf.scan-checkpoint"


@pytest.fixture
def file(tmp_path):
    return StateFile(tmp_path / "state", "scan", {"top": 10, "part": (1, 2)})


def test_a_state_comes_back(file):
    assert file.load() is None
    file.save({"done": [1]}, {"gain": np.array([0.1, np.nan])})
    head, arrays = file.load()
    assert head["done"] == [1]
    assert list(arrays) == ["gain"]
    assert np.array_equal(arrays["gain"], [0.1, np.nan], equal_nan=True)


def test_a_state_of_another_run_is_refused(file):
    file.save({})
    other = StateFile(file.path, "scan", {"top": 9, "part": (1, 2)})
    with pytest.raises(InputError, match="is of another scan: its top is 10, here it is 9"):
        other.load()
    with pytest.raises(InputError, match="is not a checkpoint of a search, or a damaged one"):
        StateFile(file.path, "search", {}).load()


def test_no_changed_byte_is_read(file):
    file.save({"done": [1]}, {"gain": np.arange(3)})
    whole = file.path.read_bytes()
    for place in range(0, len(whole), 37):
        file.path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(InputError, match=r"damaged one|has format"):
            file.load()


def test_what_is_sealed_but_no_state_is_refused(tmp_path):
    path = tmp_path / "state"
    path.write_bytes(seal(b"no archive", KIND, 1))
    assert read_state(path, KIND, 1) is None
    write_state(path, KIND, 1, [], {})
    assert read_state(path, KIND, 1) is None
    bomb = io.BytesIO()
    np.savez_compressed(bomb, head=np.array(json.dumps({})), zeros=np.zeros(10**6))
    path.write_bytes(seal(bomb.getvalue(), KIND, 1))
    assert read_state(path, KIND, 1) is None
    write_state(path, KIND, 2, {}, {})
    with pytest.raises(InputError, match="has format 2; this version of bayesdnf reads format 1"):
        read_state(path, KIND, 1)


def test_states_are_written_now_and_then(file, monkeypatch):
    assert not file.due
    monkeypatch.setattr(states, "_SAVE_EVERY", 0.0)
    assert file.due


def test_a_place_where_nothing_can_be_written_is_told_at_once(tmp_path):
    with pytest.raises(InputError, match="no/state: the folder"):
        StateFile(tmp_path / "no" / "state", "scan", {})
