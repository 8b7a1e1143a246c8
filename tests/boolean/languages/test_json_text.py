"""JSON gives the function again, and damaged JSON one sentence."""

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesdnf.boolean import BooleanFunction, Literal
from bayesdnf.errors import InputError, ParameterError, ParseError
from tests.boolean.running import paired_surrogates
from tests.boolean.worlds import any_functions


@given(any_functions())
def test_json_round_trip_keeps_types(f):
    if paired_surrogates(f):
        with pytest.raises(InputError, match="surrogates"):
            f.to_json()
        return
    text = f.to_json()
    text.encode("utf-8")
    back = BooleanFunction.from_json(text)
    assert back == f
    assert [type(x.value) for x in back.literals] == [type(x.value) for x in f.literals]


def test_json_refuses_paired_surrogates():
    with pytest.raises(InputError, match="pair of surrogates"):
        BooleanFunction([[Literal("\ud83d\ude00", "true")]]).to_json()


def test_json_by_hand():
    f = BooleanFunction([["x3"], ["age >= 45", "é = 1.5"]])
    assert json.loads(f.to_json()) == {
        "format": "bayesdnf.boolean-function",
        "version": 1,
        "terms": [
            [{"attribute": "x3", "operator": "true"}],
            [
                {"attribute": "age", "operator": ">=", "value": 45},
                {"attribute": "é", "operator": "=", "value": 1.5},
            ],
        ],
    }
    assert "é" in f.to_json()
    assert BooleanFunction.from_json(BooleanFunction().to_json()).is_null


def document(terms="[]", version="1", form='"bayesdnf.boolean-function"', extra=""):
    return f'{{"format": {form}, "version": {version}, "terms": {terms}{extra}}}'


def one(literal):
    return document(f"[[{literal}]]")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("[]", "must be an object"),
        ("null", "must be an object"),
        ("{}", "exactly the keys format, terms, version"),
        (document(form='"other"'), "'format' must be"),
        (document(version="2"), "'version' must be 1"),
        (document(version="true"), "'version' must be 1"),
        (document(version='"1"'), "'version' must be 1"),
        (document(extra=', "more": 1'), "exactly the keys"),
        (document(extra=', "terms": []'), "repeats a key"),
        (document("3"), "'terms' must be a list"),
        (document("[3]"), "term 0 must be a list"),
        (document('["x"]'), "term 0 must be a list"),
        (document("[[3]]"), "literal 0 of term 0 must be an object"),
        (document('[["x3"]]'), "literal 0 of term 0 must be an object"),
        (document("[[]]"), "at least one literal"),
        (one('{"attribute": "x"}'), "exactly the keys"),
        (one('{"attribute": 1, "operator": "true"}'), "'attribute' parameter"),
        (one('{"attribute": "x", "operator": []}'), "exactly the keys"),
        (one('{"attribute": "x", "operator": [], "value": 1}'), "operator of literal 0"),
        (one('{"attribute": "x", "operator": ">", "value": 1}'), "'operator' parameter"),
        (one('{"attribute": "x", "operator": "true", "value": null}'), "exactly the keys"),
        (one('{"attribute": "x", "operator": "=", "value": null}'), "'value' parameter"),
        (one('{"attribute": "x", "operator": "=", "value": [1]}'), "'value' parameter"),
        (one('{"attribute": "x", "operator": ">=", "value": true}'), "'value' parameter"),
        (one('{"attribute": "x", "operator": "=", "value": NaN}'), "finite"),
        (one('{"attribute": "x", "operator": "=", "value": 1e999}'), "finite"),
        (one('{"attribute": "x", "operator": "=", "value": ' + "9" * 5000 + "}"), "not JSON"),
        ("[" * 200_000, "nested too deeply"),
    ],
)
def test_damaged_json_gets_a_clear_error(text, message):
    with pytest.raises(InputError, match=message) as error:
        BooleanFunction.from_json(text)
    assert len(str(error.value)) < 400


def test_json_must_be_a_text():
    with pytest.raises(ParameterError, match="'text' parameter"):
        BooleanFunction.from_json({"terms": []})


@given(any_functions(), st.data())
def test_json_cut_or_changed_anywhere_never_crashes(f, data):
    if paired_surrogates(f):
        return
    text = f.to_json()
    at = data.draw(st.integers(0, len(text)))
    patch = data.draw(st.sampled_from(["", '"', "[", "]", "{", "}", ",", "null", "1", "\\", "-"]))
    with contextlib.suppress(ParseError, ParameterError):
        BooleanFunction.from_json(text[:at] + patch + text[at + 1 :])
