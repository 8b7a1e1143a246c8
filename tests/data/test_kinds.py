"""Which literals a column gives: its kind, both directions, none twice."""

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume

from bayesdnf import Literal, LiteralEncoder
from bayesdnf.data.tables import read_table
from bayesdnf.datasets import load_mushroom
from bayesdnf.display.offer import not_offered
from tests.data.raw_tables import (
    FORMS,
    any_encoding,
    fitted_or_none,
    offered,
)

WHOLE = {
    "ints": pd.Series([3, 1, 2, 3]),
    "bytes": pd.Series([3, 1, 2, 3], dtype="uint8"),
    "floats": pd.Series([3.0, 1.0, 2.0, 3.0]),
    "gap": pd.Series([3, 1, 2, 3, None]),
    "nullable": pd.Series([3, 1, 2, None], dtype="Int64"),
    "objects": pd.Series([3, 1, 2.0, None], dtype=object),
    "polars": pl.Series([3, None, 1, 2]),
}


@pytest.mark.parametrize("column", WHOLE.values(), ids=WHOLE)
def test_few_whole_numbers(column):
    encoder = LiteralEncoder().fit({"e": column})
    assert encoder.kinds_ == {"e": "ordinal"}
    assert [str(x) for x in encoder.literals_] == [
        *("e = 1", "e = 2", "e != 2", "e = 3", "e >= 2", "e < 3")
    ]
    assert all(type(literal.value) is int for literal in encoder.literals_)


TEXT_LIKE = {
    "str": (pd.Series(["1", "b", None]), ["c = 1", "c = b"]),
    "object": (pd.Series(["1", "b", None], dtype=object), ["c = 1", "c = b"]),
    "polars": (pl.Series(["1", "b", ""]), ["c = 1", "c = b"]),
    "category": (pd.Series(["b", "1"]).astype("category"), ["c = 1", "c = b"]),
    "enum": (pl.Series(["b", "1"], dtype=pl.Enum(["b", "x", "1"])), ["c = 1", "c = b"]),
}


@pytest.mark.parametrize(("column", "names"), TEXT_LIKE.values(), ids=TEXT_LIKE)
def test_texts_and_categories(column, names):
    encoder = LiteralEncoder().fit({"c": column})
    assert encoder.kinds_ == {"c": "categorical"}
    assert [x.value for x in encoder.literals_] == [name.split()[-1] for name in names]


def test_categories_of_numbers_are_categories():
    column = pd.Series([30, 1, None, 2.5]).astype("category")
    assert offered({"c": column}, negations=False) == ["c = 1", "c = 2.5", "c = 30"]


@pytest.mark.parametrize(
    "column",
    [
        np.array([True, False]),
        pd.Series([True, None, False], dtype="boolean"),
        pd.Series([True, None, False], dtype=object),
        pl.Series([True, None, False]),
        [True, False, np.nan],
    ],
)
def test_bools(column):
    encoder = LiteralEncoder().fit({"c": column})
    assert encoder.kinds_ == {"c": "binary"}
    assert encoder.literals_ == (Literal("c", "true"), Literal("c", "false"))
    assert offered({"c": column}, kinds={"c": "categorical"}) == ["c = false", "c = true"]


@pytest.mark.parametrize("order", [[True, False, 1, 0], [1, True, 0, False], [0, 1, True, False]])
def test_bools_among_numbers_are_numbers_in_any_order(order):
    assert offered({"c": pd.Series(order, dtype=object)}) == ["c", "NOT c"]


@pytest.mark.parametrize(
    "column",
    [[0, 1], [1.0, 0.0, np.nan], np.array([0, 1], np.uint8), pd.Series([0, 1, None], dtype=object)],
)
def test_zeros_and_ones(column):
    encoder = LiteralEncoder().fit({"x3": column})
    assert encoder.kinds_ == {"x3": "binary"}
    assert encoder.literals_ == (Literal("x3", "true"), Literal("x3", "false"))
    assert offered({"x3": column}, negations=False) == ["x3"]


@pytest.mark.parametrize(
    ("n_values", "kind", "n_literals"), [(10, "ordinal", 34), (11, "numeric", 16)]
)
def test_ten_whole_numbers_are_few(n_values, kind, n_literals):
    encoder = LiteralEncoder().fit({"c": np.arange(n_values)})
    assert encoder.kinds_ == {"c": kind}
    assert len(encoder.literals_) == n_literals


KINDS = [
    ([3, 1, 2], "categorical", ["c = 1", "c = 2", "c = 3"]),
    ([0, 1, 1], "categorical", ["c = 0", "c = 1"]),
    ([0, 1, 1], "ordinal", ["c = 0", "c = 1"]),
    ([0, 1, 1], "numeric", ["c >= 1"]),
    ([3, 1, 2], "numeric", ["c >= 2", "c >= 3"]),
    (list(range(12)), "categorical", [f"c = {v}" for v in range(12)]),
    ([0.5, 1.5, 2.5], "ordinal", ["c = 0.5", "c = 1.5", "c = 2.5", "c >= 1.5"]),
    ([0.5, 1.5, 2.5], "categorical", ["c = 0.5", "c = 1.5", "c = 2.5"]),
    ([0, 1], "binary", ["c"]),
    ([True, False], "binary", ["c"]),
    ([True, False], "ordinal", ["c = 0", "c = 1"]),
    ([True, False], "numeric", ["c >= 1"]),
    ([5, 2, None], "binary", ["c = 5"]),
    (["n", "y", ""], "binary", ["c = y"]),
    (["0", "1"], "binary", ["c"]),
    (["0", "1"], "categorical", ['c = "0"', 'c = "1"']),
]


@pytest.mark.parametrize(("column", "kind", "names"), KINDS)
def test_a_kind_that_is_given(column, kind, names):
    X = {"c": column, "other": range(len(column))}
    encoder = LiteralEncoder(kinds={"c": kind}, negations=False).fit(X)
    assert encoder.kinds_["c"] == kind
    assert [str(x) for x in encoder.literals_ if x.attribute == "c"] == names


def test_drop_first_is_for_categories():
    X = {"c": ["b", "a", "c"], "t": ["u", "v", "v"], "e": [1, 2, 3], "f": [0, 1, 1]}
    names = ["c = b", "c = c", "t = v", "e = 1", "e = 2", "e = 3", "e >= 2", "f"]
    assert offered(X, drop_first=True, negations=False) == names
    assert offered(X, drop_first=True)[:6] == [
        *("c = b", "c != b", "c = c", "c != c"),
        *("t = v", "t != v"),
    ]


NEGATED = [
    (["b", "a", "c"], ["c = a", "c != a", "c = b", "c != b", "c = c", "c != c"]),
    (["yes", "no", "no"], ["c = no", "c = yes"]),
    ([1.5, 0.25, 7.5], ["c >= 1", "c < 1", "c >= 7", "c < 7"]),
    ([2, 1, 1], ["c = 1", "c = 2"]),
    ([1, 2, 3], ["c = 1", "c = 2", "c != 2", "c = 3", "c >= 2", "c < 3"]),
    (
        [1, 2, 3, 4],
        [
            *("c = 1", "c = 2", "c != 2", "c = 3", "c != 3", "c = 4"),
            *("c >= 2", "c >= 3", "c < 3", "c < 4"),
        ],
    ),
    ([0, 1, 1], ["c", "NOT c"]),
]


@pytest.mark.parametrize(("column", "names"), NEGATED)
def test_both_directions_are_on_offer(column, names):
    assert offered({"c": column}) == names


@pytest.mark.slow
@any_encoding
def test_no_two_literals_of_a_column_hold_on_the_same_rows(columns, form, negations, drop_first):
    X = FORMS[form](columns)
    encoder = fitted_or_none(X, negations=negations, drop_first=drop_first)
    assume(encoder is not None)
    bits = encoder.encode(X)
    for name in encoder.kinds_:
        own = [literal for literal in encoder.literals_ if literal.attribute == name]
        truths = [bits.truth(literal).tobytes() for literal in own]
        assert len(set(own)) == len({str(literal) for literal in own}) == len(own)
        assert len(set(truths)) == len(own), own
        if negations:  # what can be said can be denied
            known = ~read_table(X).column(name).missing
            denied = [(known & ~bits.truth(literal)).tobytes() for literal in own]
            assert drop_first or set(denied) <= set(truths), own


def test_dropped_columns():
    X = pd.DataFrame(
        {
            "one": ["k", None, "k"],
            "none": [np.nan] * 3,
            "date": pd.to_datetime([None, None, None]),
            "whole": [2.0, 2.0, np.nan],
            "rare": ["a", "a", "b"],
            "seen": [0, 1, 0],
        }
    )
    encoder = LiteralEncoder().fit(X, sample_weight=[2, 1, 0])
    assert encoder.dropped_ == {
        "one": "constant: every value that is not missing is 'k'",
        "none": "every value is missing",
        "date": "every value is missing",
        "whole": "constant: every value that is not missing is 2",
        "rare": "constant: every value that is not missing is 'a'",
    }
    assert encoder.kinds_ == {"seen": "binary"}
    assert encoder.encode(X[["seen"]]).n_literals == 2
    unseen = LiteralEncoder().fit({"a": [None, None, 1], "b": [0, 1, 0]}, [1, 1, 0])
    assert unseen.dropped_ == {"a": "every value is missing on the rows that count"}


def decimals(values):
    return [None if value is None else Decimal(value) for value in values]


@pytest.mark.parametrize(
    "as_column",
    [
        list,
        decimals,
        lambda values: pl.Series(values, dtype=pl.Int128),
        lambda values: pl.Series(decimals(values), dtype=pl.Decimal(38, 0)),
    ],
    ids=["ints", "decimals", "Int128", "Decimal of polars"],
)
def test_numbers_beyond_double_precision_are_not_called_constant(as_column):
    big = [10**30 + k % 4 for k in range(20)] + [None]
    table = {"c": as_column(big), "x": [*range(20), 3]}
    said = "its numbers differ only behind their first 15 digits"
    assert LiteralEncoder().fit(table).dropped_["c"].startswith(said)
    same = {"c": as_column([10**30] * 20 + [None]), "x": [*range(20), 3]}
    assert "constant: " in LiteralEncoder().fit(same).dropped_["c"]
    # Values that count as missing are none that differ.
    few = {"c": as_column([10**30] * 20 + [-9]), "x": [*range(20), 3]}
    assert "constant: " in LiteralEncoder(missing_values=[-9]).fit(few).dropped_["c"]
    assert "c" in LiteralEncoder().fit(few).kinds_


def test_numbers_beyond_double_precision_among_others_give_literals():
    table = {"c": [10**30, 10**30 + 1, 7], "x": [1, 2, 3]}
    assert "c" in LiteralEncoder().fit(table).kinds_


def test_missing_values_are_no_levels():
    X = {"c": ["a", "?", "b", ""], "n": [1, -9, 2, None]}
    names = ["c = ?", "c = a", "c = b", "n = -9", "n = 1", "n = 2", "n >= 1"]
    assert offered(X, negations=False) == names
    named = offered(X, missing_values=["?", -9])
    assert named == ["c = a", "c = b", "n = 1", "n = 2"]
    bits = LiteralEncoder(missing_values=["?", -9], negations=True).fit_encode(X)
    for literal in bits.table:
        assert not bits.truth(literal)[[1, 3]].any()


def test_mushroom():
    X, _ = load_mushroom()
    for table in (X, pl.from_pandas(X), X.to_numpy()):
        encoder = LiteralEncoder(negations=False).fit(table)
        assert len(encoder.literals_) == 116
        assert len(encoder.kinds_) == 21
    assert LiteralEncoder().fit(X).dropped_ == {
        "veil-type": "constant: every value that is not missing is 'p'"
    }
    bits = LiteralEncoder().fit_encode(X)
    assert bits.n_literals == 222  # five columns have two levels
    odor = bits.truth(Literal("odor", "=", "f"))
    np.testing.assert_array_equal(odor, (X["odor"] == "f").to_numpy())


def test_what_was_not_offered_takes_one_pass_over_many_columns():
    class Watched(tuple):
        passes = 0

        def __iter__(self):
            Watched.passes += 1
            return super().__iter__()

    encoder = LiteralEncoder().fit({f"c{i}": [0.5, 1.5, 2.5] for i in range(30)})
    encoder.literals_ = Watched(encoder.literals_)
    assert not_offered(encoder) == []
    assert 0 < Watched.passes <= 2  # once for directions, once for cuts, however many columns
