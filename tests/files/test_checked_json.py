"""JSON files, field by field."""

import json
import math

import pytest

from bayesdnf.errors import InputError, ParameterError
from bayesdnf.files.checked_json import as_json, parse_json, read_json


def fields(**values):
    return parse_json(json.dumps(values).encode(), "m.json", "model file")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"\xff{}", r"m\.json is not a model file: it is not text \(byte 0\)"),
        (b"{", "not valid JSON"),
        (b'{"a": NaN}', "NaN is not a JSON number"),
        (b'{"a": -Infinity}', "-Infinity is not a JSON number"),
        (b'{"a": 1, "a": 2}', "a name appears twice"),
        (b"[" * 100_000, "nested too deeply"),
        (b"9" * 10_000, "not valid JSON"),
        (b"[1]", "the top must be an object. Got a list of 1 instead"),
    ],
)
def test_what_is_no_object_is_refused(data, said):
    with pytest.raises(InputError, match=said):
        parse_json(data, "m.json", "model file")


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match=r"Cannot read .*no\.json: No such file"):
        read_json(tmp_path / "no.json", "model file")
    (tmp_path / "m.json").write_bytes(as_json({"a": "é"}))
    assert read_json(tmp_path / "m.json", "model file").text("a") == "é"


def test_half_a_surrogate_pair_is_written_and_read_again():
    assert parse_json(as_json({"a": "\ud800"}), "m", "file").text("a") == "\ud800"
    with pytest.raises(ValueError, match="JSON compliant"):
        as_json({"a": math.nan})


@pytest.mark.parametrize(
    ("ask", "value", "said"),
    [
        (lambda f: f.text("a"), 1, "a text. Got 1"),
        (lambda f: f.text("a", ("x", "y")), "z", "one of x, y. Got 'z'"),
        (lambda f: f.flag("a"), 1, "true or false. Got 1"),
        (lambda f: f.whole("a", 0), True, "a whole number, 0 or more. Got True"),
        (lambda f: f.whole("a", 0, 5), 6, "a whole number, from 0 to 5. Got 6"),
        (lambda f: f.number("a"), "1", "a finite number. Got '1'"),
        (lambda f: f.number("a"), None, "a finite number. Got None"),
        (lambda f: f.number("a"), 10**400, "a finite number. Got a huge"),
        (lambda f: f.number("a", 0, 1), 1.5, "a finite number from 0 to 1. Got 1.5"),
        (lambda f: f.part("a"), [1, 2], "an object. Got a list of 2"),
        (lambda f: f.parts("a"), {}, "a list. Got an object"),
    ],
)
def test_fields_of_the_wrong_type_are_named(ask, value, said):
    with pytest.raises(InputError) as caught:
        ask(fields(a=value))
    assert str(caught.value).startswith("m.json is not a usable model file: field 'a' must be ")
    assert said in str(caught.value)


def test_fields_of_the_right_type():
    found = fields(t="x", f=True, w=3, n=2, none=None, parts=[{"a": 1}, {"a": 2}], part={"b": {}})
    assert (found.text("t", ("x", "y")), found.flag("f"), found.whole("w", 3, 3)) == ("x", True, 3)
    assert found.number("n") == 2.0
    assert found.number("none", null=-math.inf) == -math.inf
    assert [part.whole("a", 0) for part in found.parts("parts")] == [1, 2]
    assert found.there("t", "gone", "f") == ("t", "f")


def test_places_are_spelled_from_the_top():
    found = fields(a={"b": [{}, {"c": "x" * 500}]})
    with pytest.raises(InputError, match=r"field 'a\.b\[0\]\.c' is missing"):
        found.part("a").parts("b")[0].any("c")
    with pytest.raises(InputError) as caught:
        found.part("a").parts("b")[1].flag("c")
    assert len(str(caught.value)) < 200


def test_exactly_the_fields_that_are_known():
    fields(a=1, b=2).expect("a", "b")
    with pytest.raises(InputError, match="field 'b' is missing"):
        fields(a=1).expect("a", "b")
    with pytest.raises(InputError, match="field 'c' is not known"):
        fields(a=1, c=2).expect("a")


def test_what_is_built_of_a_field_may_fail():
    def fails():
        raise ParameterError("No such thing.")

    assert fields(a=1).make("a", lambda: 5) == 5
    with pytest.raises(InputError, match=r"field 'a': No such thing\."):
        fields(a=1).make("a", fails)
    with pytest.raises(InputError, match=r"field 'a': RecursionError"):
        fields(a=1).make("a", lambda: (_ for _ in ()).throw(RecursionError()))
