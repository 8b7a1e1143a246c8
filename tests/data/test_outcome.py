"""read_outcome: which rows are positive."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

from bayesdnf.data.outcome import CheckedWeights, find_label, read_outcome, read_weights
from bayesdnf.errors import InputError, ParameterError

Y = {
    "list": ["e", "p", "e"],
    "tuple": ("e", "p", "e"),
    "objects": np.array(["e", "p", "e"], dtype=object),
    "texts": np.array(["e", "p", "e"]),
    "pandas": pd.Series(["e", "p", "e"], index=[7, 8, 9]),
    "polars": pl.Series(["e", "p", "e"]),
    "categories": pd.Series(["e", "p", "e"]).astype(pd.CategoricalDtype(["p", "x", "e"])),
}


@pytest.mark.parametrize("y", Y.values(), ids=Y)
def test_two_labels(y):
    outcome = read_outcome(y)
    assert outcome.positive.dtype == bool
    assert outcome.positive.tolist() == [False, True, False]
    assert outcome.classes == ("e", "p")
    turned = read_outcome(y, positive="e")
    assert turned.positive.tolist() == [True, False, True]
    assert turned.classes == ("p", "e")


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        ([0, 1], (0, 1)),
        (np.array([0, 1], dtype=np.uint8), (0, 1)),
        (np.array([-1.0, 1.0]), (-1.0, 1.0)),
        (np.array([False, True]), (False, True)),
        (pd.Series([1, 2], dtype="Int64"), (1, 2)),
        (pl.Series([False, True]), (False, True)),
        (["10", "9"], ("10", "9")),
    ],
)
def test_the_larger_label_is_positive(y, classes):
    outcome = read_outcome(y)
    assert outcome.positive.tolist() == [False, True]
    assert outcome.classes == classes
    assert [type(label) for label in outcome.classes] == [type(label) for label in classes]


@pytest.mark.parametrize(
    ("positive", "rows", "classes"),
    [
        ("b", [False, True, False, True], ("other", "b")),
        (["b"], [False, True, False, True], ("other", "b")),
        (["b", "a"], [True, True, False, True], ("c", "a or b")),
        (("c", "b", "c"), [False, True, True, True], ("a", "b or c")),
        ({"a"}, [True, False, False, False], ("other", "a")),
        (np.array(["a", "c"]), [True, False, True, False], ("b", "a or c")),
        (pd.Series(["a", "c"]), [True, False, True, False], ("b", "a or c")),
    ],
)
def test_more_than_two_labels(positive, rows, classes):
    outcome = read_outcome(["a", "b", "c", "b"], positive)
    assert outcome.positive.tolist() == rows
    assert outcome.classes == classes


def test_a_label_called_other():
    assert read_outcome(["other", "b", "c"], "other").classes == ("not other", "other")
    assert read_outcome(["other", "b", "c"], "b").classes == ("other", "b")


@pytest.mark.parametrize("positive", [1, 1.0, True, np.int64(1), [np.float32(1)]])
def test_numbers_and_bools_are_the_same_labels(positive):
    for y in ([0, 1], [0.0, 1.0], [False, True]):
        assert read_outcome(y, positive).positive.tolist() == [False, True]


MUST = "The 'positive' parameter of read_outcome must"


@pytest.mark.parametrize(
    ("y", "positive", "error", "message"),
    [
        (
            ["a", None, "b", None],
            None,
            InputError,
            "y is missing in row 1; every row needs a label.",
        ),
        ([0, 1, np.nan], None, InputError, "y is missing in row 2; every row needs a label."),
        (["a", ""], None, InputError, "y is missing in row 1; every row needs a label."),
        ([], None, InputError, "y has no entries; at least one is needed."),
        (["a", "a"], None, InputError, "y holds one label only, 'a'; two classes are needed."),
        ([1, 1], 1, InputError, "y holds one label only, 1; two classes are needed."),
        (
            ["a", "b", "c"],
            None,
            InputError,
            "y holds 3 labels ('a', 'b', 'c') and two classes are needed; "
            "name the positive ones, for example positive='c'.",
        ),
        (
            np.arange(1000) / 2,
            None,
            InputError,
            "y holds 1,000 different numbers, from 0 to 499.5, a quantity and not classes",
        ),
        (
            ["a", "b"],
            "x",
            ParameterError,
            f"{MUST} be among the labels of y, which are 'a', 'b'. Got 'x' instead.",
        ),
        (
            ["a", "b", "c"],
            ["a", "x", "z"],
            ParameterError,
            f"{MUST} be among the labels of y, which are 'a', 'b', 'c'. Got 'x', 'z' instead.",
        ),
        (
            [0, 1],
            "1",
            ParameterError,
            f"{MUST} be among the labels of y, which are 0, 1. Got '1' instead.",
        ),
        (
            ["0", "1"],
            np.int64(1),
            ParameterError,
            f"{MUST} be among the labels of y, which are '0', '1'. Got 1 instead.",
        ),
        (
            [0, 1],
            [pd.NA],
            ParameterError,
            f"{MUST} be among the labels of y, which are 0, 1. Got <NA> instead.",
        ),
        (
            ["a", "b"],
            ["b", "a"],
            ParameterError,
            f"{MUST} leave a label of y as negative. Got all of them, 'a', 'b', instead.",
        ),
        (["a", "b"], [], ParameterError, f"{MUST} be at least one label of y. Got [] instead."),
        (np.zeros((3, 1)), None, InputError, "y must have one dimension. Got 2 instead."),
        (pd.DataFrame({"y": [0, 1]}), None, InputError, "y must have one dimension. Got 2 inst"),
        (pl.DataFrame({"y": [0, 1]}), None, InputError, "y must have one dimension. Got 2 inst"),
        ([[0], [1]], None, InputError, "y must have one dimension. Got 2 instead."),
        (
            None,
            None,
            InputError,
            "y must be a one-dimensional array, Series or list. Got NoneType instead.",
        ),
        (
            "ab",
            None,
            InputError,
            "y must be a one-dimensional array, Series or list. Got str instead.",
        ),
        (
            ["a", 1],
            None,
            InputError,
            "y has mixed types: the text 'a' in row 0 and the number 1 in row 1;",
        ),
        ([0, np.inf], None, InputError, "y holds inf in row 1; numbers must be finite."),
    ],
)
def test_errors(y, positive, error, message):
    with pytest.raises(error, match=re.escape(message)):
        read_outcome(y, positive)


@pytest.mark.parametrize(
    ("labels", "wanted", "place"),
    [
        (["e", "p"], "p", 1),
        (["e", "p"], np.str_("p"), 1),
        ([0, 1], 1.0, 1),
        ([0, 1], np.int8(1), 1),
        ([0, 1], True, 1),
        ([False, True], 1, 1),
        ([False, True], np.True_, 1),
        ([0, 1], "1", None),
        (["0", "1"], 1, None),
        ([0, 1], 2, None),
        ([0, 1], float("nan"), None),
        ([0, 1], None, None),
        ([0, 1], pd.NA, None),
        ([0, 1], [], None),
        ([0, 1], [1], None),
        ([0, 1], np.array([1]), None),
    ],
)
def test_a_label_is_found_by_type_and_value(labels, wanted, place):
    assert find_label(labels, wanted) == place


def test_checked_weights_are_not_checked_again():
    weights = read_weights([1.0, 0, 3], 3)
    assert weights.tolist() == [1, 0, 3]
    assert read_weights(CheckedWeights(weights), 3) is weights
    with pytest.raises(InputError, match="one entry for each of the 4 rows"):
        read_weights(CheckedWeights(weights), 4)
