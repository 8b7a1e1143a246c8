"""LiteralEncoder as plain data, and back."""

import json
import re

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bayesdnf import LiteralEncoder
from bayesdnf.errors import InputError
from tests.data.raw_tables import columns_of, fitted_or_none


@given(columns=columns_of(), negations=st.booleans())
def test_state_goes_through_json(columns, negations):
    encoder = fitted_or_none(columns, negations=negations, missing_values=["?", np.int64(-3)])
    assume(encoder is not None)
    text = json.dumps(encoder.to_dict(), allow_nan=False)
    again = LiteralEncoder.from_dict(json.loads(text))
    assert again.to_dict() == encoder.to_dict()
    for name in ("columns_", "kinds_", "dropped_", "literals_"):
        assert getattr(again, name) == getattr(encoder, name)
    types = [[type(x.value) for x in e.literals_] for e in (again, encoder)]
    assert types[0] == types[1]
    np.testing.assert_array_equal(again.encode(columns).planes, encoder.encode(columns).planes)


def test_a_state_of_version_1_offers_what_it_did():
    """Of two levels there were four literals, of bools `= true` and `= false`."""
    literals = {
        "t": ("categorical", "text", [["=", "f"], ["=", "t"]]),
        "b": ("categorical", "bools", [["=", False], ["=", True]]),
        "x": ("binary", "numbers", [["true", None]]),
    }
    state = {
        "format": "bayesdnf.literal-encoder",
        "version": 1,
        "parameters": {
            **{"kinds": None, "negations": True, "thresholds": 8},
            **{"missing_values": [], "drop_first": False},
        },
        "columns": list(literals),
        "attributes": [
            {"name": name, "kind": kind, "type": type_, "literals": pairs}
            for name, (kind, type_, pairs) in literals.items()
        ],
        "dropped": {},
    }
    encoder = LiteralEncoder.from_dict(state)
    assert [str(x) for x in encoder.literals_] == [
        *("t = f", "t != f", "t = t", "t != t"),
        *("b = false", "b != false", "b = true", "b != true"),
        *("x", "NOT x"),
    ]
    again = LiteralEncoder.from_dict(encoder.to_dict())
    assert again.literals_ == encoder.literals_
    bits = again.encode({"t": ["t", None], "b": [False, True], "x": [0, 1]})
    true = [str(x) for x in bits.table if bits.truth(x)[0]]
    assert true == ["t != f", "t = t", "b = false", "b != true", "NOT x"]
    state["parameters"]["negations"] = False
    assert len(LiteralEncoder.from_dict(state).literals_) == 5


def damaged(**changes):
    state = LiteralEncoder().fit({"a": ["u", "v"], "k": [1, 1]}).to_dict()
    state.update(changes)
    return state


ATTRIBUTE = {
    "name": "a",
    "kind": "categorical",
    "type": "text",
    "literals": [["=", "u"]],
    "order": [],
}


@pytest.mark.parametrize(
    ("state", "message"),
    [
        (None, "the state must be a dict. Got None instead."),
        ({}, "the state lacks 'attributes'."),
        (damaged(more=1), "the state has an unknown entry 'more'."),
        (damaged(format="x"), "'format' must be 'bayesdnf.literal-encoder'. Got 'x' instead."),
        (damaged(version=5), "'version' must be from 1 to 4. Got 5 instead."),
        (damaged(version=True), "'version' must be from 1 to 4. Got True instead."),
        (damaged(parameters={}), "'parameters' lacks 'drop_first'."),
        (damaged(columns="a"), "'columns' must be a list. Got 'a' instead."),
        (damaged(columns=[1]), "a name in 'columns' must be a str. Got 1 instead."),
        (damaged(columns=["a"]), "'attributes' and 'dropped' must name each of 'columns' once."),
        (damaged(dropped={"k": 1}), "a reason in 'dropped' must be a str. Got 1 instead."),
        (damaged(attributes=[], columns=["k"]), "'attributes' must hold at least one."),
        (damaged(attributes=["a"]), "an attribute must be a dict. Got 'a' instead."),
        (damaged(attributes=[{"name": "a"}]), "an attribute lacks 'kind'."),
        (
            damaged(attributes=[{**ATTRIBUTE, "kind": "x"}]),
            "the kind of 'a' must be one of categorical, ordinal, numeric, binary. Got 'x'",
        ),
        (
            damaged(attributes=[{**ATTRIBUTE, "type": "x"}]),
            "the type of 'a' must be text, numbers or bools. Got 'x' instead.",
        ),
        (
            damaged(attributes=[{**ATTRIBUTE, "literals": ["u"]}]),
            "a literal of 'a' must be [operator, value]. Got 'u' instead.",
        ),
        (
            damaged(attributes=[{**ATTRIBUTE, "literals": [["=", None]]}]),
            "a literal of 'a' is wrong: The 'value' parameter of Literal must be a string, number",
        ),
        (
            damaged(attributes=[{**ATTRIBUTE, "literals": [["=", 3]]}]),
            "literal 'a = 3' does not suit a column of text.",
        ),
        (
            damaged(attributes=[{**ATTRIBUTE, "literals": []}]),
            "the literals of 'a' must be different, and at least one.",
        ),
        (
            damaged(attributes=[{**ATTRIBUTE, "literals": [["=", "u"], ["=", "u"]]}]),
            "the literals of 'a' must be different, and at least one.",
        ),
    ],
)
def test_damaged_states(state, message):
    with pytest.raises(
        InputError, match=re.escape(f"This is not a state of a LiteralEncoder: {message}")
    ):
        LiteralEncoder.from_dict(state)
