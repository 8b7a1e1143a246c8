"""LiteralEncoder: what it refuses, and in which words."""

import re

import numpy as np
import pandas as pd
import pytest

from bayesdnf import LiteralEncoder
from bayesdnf.errors import InputError, ParameterError, UnknownColumnError

ENCODE_ERRORS = [
    (
        {"odour": ["a"], "n": [1]},
        UnknownColumnError,
        "X has no column 'odor', which the encoder was fitted on. Did you mean 'odour'?",
    ),
    (
        {"odor": [None, 3], "n": [1, 2]},
        InputError,
        "Column 'odor' held text in fitting and holds numbers now, such as 3 in row 1; "
        "give it the same type.",
    ),
    (
        {"odor": ["a"], "n": ["1"]},
        InputError,
        "Column 'n' held numbers in fitting and holds text now, such as '1' in row 0; "
        "give it the same type.",
    ),
    (
        {"odor": ["a", "a"], "n": [1, -np.inf]},
        InputError,
        "Column 'n' holds -inf in row 1; numbers must be finite.",
    ),
    (np.zeros((2, 3)), InputError, "X has 3 columns; the encoder was fitted on 2."),
    ({"odor": [], "n": []}, InputError, "X has no rows; at least one is needed."),
    (pd.DataFrame(), InputError, "X has no columns; at least one is needed."),
]


@pytest.mark.parametrize(("X", "error", "message"), ENCODE_ERRORS)
def test_errors_of_encode(X, error, message):
    encoder = LiteralEncoder().fit({"odor": ["a", "b", "a"], "n": [1, 2, 3]})
    with pytest.raises(error, match=re.escape(message)):
        encoder.encode(X)


def test_encode_before_fit():
    for ask in (lambda e: e.encode([[1]]), lambda e: e.to_dict()):
        with pytest.raises(InputError, match="This LiteralEncoder is not fitted yet; call fit"):
            ask(LiteralEncoder())


# Errors of fit


FIT_ERRORS = [
    ({}, np.zeros(3), "X must be a table with two dimensions. Got an array with 1 instead."),
    ({}, np.zeros((2, 2, 2)), "X must be a table with two dimensions. Got an array with 3 inst"),
    ({}, np.zeros((0, 2)), "X has no rows; at least one is needed."),
    ({}, np.zeros((2, 0)), "X has no columns; at least one is needed."),
    ({}, pd.DataFrame([[1, 2]], columns=["a", "a"]), "Column name 'a' appears twice; every col"),
    (
        {},
        {"a": [1, 1], "b": [None, None]},
        "X has no usable column: none of its 2 gives literals "
        "(column 'a': constant: every value that is not missing is 1).",
    ),
    (
        {},
        {"a": ["x", 3, None]},
        "Column 'a' has mixed types: the text 'x' in row 0 and the number 3 in row 1; "
        "make it all text or all numbers.",
    ),
    ({}, {"a": [1, 2, np.inf]}, "Column 'a' holds inf in row 2; numbers must be finite."),
    (
        {"kinds": {"b": "numeric"}},
        {"a": [1, 2]},
        "The 'kinds' parameter of LiteralEncoder names column 'b', which X does not have.",
    ),
    (
        {"kinds": {"ages": "numeric"}},
        {"age": [1, 2]},
        "names column 'ages', which X does not have. Did you mean 'age'?",
    ),
    (
        {"kinds": {"a": "number"}},
        {"a": [1, 2]},
        "The 'kinds' parameter of LiteralEncoder must be one of categorical, ordinal, numeric, "
        "binary for column 'a'. Got 'number' instead.",
    ),
    (
        {"kinds": ["a"]},
        {"a": [1, 2]},
        "The 'kinds' parameter of LiteralEncoder must be a dict from column to kind. "
        "Got ['a'] instead.",
    ),
    (
        {"kinds": {"a": "ordinal"}},
        {"a": [None, "1", "2"]},
        "Column 'a' cannot be ordinal, which needs numbers: it holds the text '1' in row 1; to "
        "order texts, list them: kinds={'a': ['low', 'high']}.",
    ),
    (
        {"kinds": {"a": "numeric"}},
        {"a": ["1", "2"]},
        "Column 'a' cannot be numeric, which needs numbers: it holds the text '1' in row 0.",
    ),
    (
        {"kinds": {"a": "binary"}},
        {"a": [1, 2, 5, 9]},
        "Column 'a' cannot be binary, which needs two different values: "
        "it holds 4, such as 1, 2, 5.",
    ),
    (
        {"thresholds": 0},
        {"a": [1, 2]},
        "The 'thresholds' parameter of LiteralEncoder must be a whole number, 1 or more. Got 0",
    ),
    ({"thresholds": 2.5}, {"a": [1, 2]}, "must be a whole number, 1 or more. Got 2.5 instead."),
    ({"thresholds": True}, {"a": [1, 2]}, "must be a whole number, 1 or more. Got True instead."),
    (
        {"negations": "yes"},
        {"a": [1, 2]},
        "The 'negations' parameter of LiteralEncoder must be True or False. Got 'yes' instead.",
    ),
    (
        {"drop_first": 1},
        {"a": [1, 2]},
        "The 'drop_first' parameter of LiteralEncoder must be True or False. Got 1 instead.",
    ),
    (
        {"missing_values": "NA"},
        {"a": [1, 2]},
        "The 'missing_values' parameter of LiteralEncoder must be a list of texts and finite "
        "numbers, such as ['?', -9]. Got 'NA' instead.",
    ),
]


@pytest.mark.parametrize(("parameters", "X", "message"), FIT_ERRORS)
def test_errors_of_fit(parameters, X, message):
    encoder = LiteralEncoder(**parameters)  # the constructor only stores
    for name, value in parameters.items():
        assert getattr(encoder, name) is value
    with pytest.raises(InputError, match=re.escape(message)):
        encoder.fit(X)
    assert not hasattr(encoder, "literals_")


def test_bad_parameters_are_parameter_errors():
    with pytest.raises(ParameterError):
        LiteralEncoder(thresholds=-1).fit([[1], [2]])


@pytest.mark.parametrize("weights", [[1, 2], [1, -1, 1], [0.5, 1, 1], [0, 0, 0]])
def test_bad_weights(weights):
    with pytest.raises(InputError, match="sample_weight"):
        LiteralEncoder().fit({"a": [1, 2, 3]}, sample_weight=weights)
