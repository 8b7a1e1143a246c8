"""The header of the library's JSON documents."""

import pytest

from bayesdnf.errors import InputError
from bayesdnf.files.checked_json import as_json, parse_json
from bayesdnf.files.documents import expect_fields, header, read_version


def read(document):
    return parse_json(as_json(document), "m.json", "model file")


def version_of(document):
    return read_version(read(document), "m.json", "bayesdnf.kind", 2, "the model file")


def read_whole(document):
    version_of(document)
    expect_fields(read(document))


def test_what_was_written_is_read():
    written = header("bayesdnf.kind", 2, "0.1.0") | {"rule": "x"}
    assert list(written) == ["format", "version", "bayesdnf", "rule"]
    assert version_of(written) == 2
    expect_fields(read(written), "rule")


def test_an_earlier_version_is_read_and_a_later_one_is_not():
    assert version_of(header("bayesdnf.kind", 1, "0.1.0")) == 1
    with pytest.raises(InputError) as caught:
        version_of(header("bayesdnf.kind", 3, "9.0"))
    assert str(caught.value) == (
        "m.json has version 3 of the model file and this bayesdnf reads version 2; "
        "it was written by bayesdnf '9.0'."
    )


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"format": "bayesdnf.other"}, "field 'format' must be one of bayesdnf.kind"),
        ({"version": 0}, "field 'version' must be a whole number, 1 or more"),
        ({"version": True}, "field 'version' must be a whole number, 1 or more"),
        ({"bayesdnf": 1}, "field 'bayesdnf' must be a text"),
        ({"extra": 1}, "field 'extra' is not known to this version"),
    ],
)
def test_a_wrong_header_is_told(change, problem):
    document = header("bayesdnf.kind", 2, "0.1.0") | change
    with pytest.raises(InputError) as caught:
        read_whole(document)
    assert problem in str(caught.value)
