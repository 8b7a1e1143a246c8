"""Seals behind binary files."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesdnf.files.seals import opened, seal

KIND = "bayesdnf.draws"


@given(st.binary(max_size=200), st.integers(0, 999_999))
def test_what_is_sealed_comes_back(content, version):
    found = opened(seal(content, KIND, version), KIND)
    assert bytes(found.content) == content
    assert (found.version, found.intact) == (version, True)


@given(st.binary(min_size=1, max_size=60), st.data())
def test_no_changed_byte_goes_unnoticed(content, data):
    whole = bytearray(seal(content, KIND, 2))
    place = data.draw(st.integers(0, len(whole) - 1))
    whole[place] ^= data.draw(st.integers(1, 255))
    found = opened(bytes(whole), KIND)
    # A changed version in the seal is seen as another version, not as damage of the content.
    assert found is None or not found.intact or found.version != 2


@pytest.mark.parametrize("whole", [b"", b"draws", seal(b"draws", "bayesdnf.state", 2)])
def test_no_seal_of_this_kind(whole):
    assert opened(whole, KIND) is None


def test_a_seal_within_a_seal():
    twice = seal(seal(b"draws", KIND, 1), KIND, 2)
    found = opened(twice, KIND)
    assert (found.version, found.intact) == (2, True)
    assert opened(bytes(found.content), KIND).version == 1
