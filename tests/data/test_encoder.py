"""LiteralEncoder: which literals a table offers, and their bits."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bayesdnf import BitMatrix, Literal, LiteralEncoder
from bayesdnf.data import tables
from bayesdnf.data.columns import read_column
from bayesdnf.data.tables import read_table
from bayesdnf.datasets import load_mushroom
from bayesdnf.errors import InputError
from data.raw_tables import FORMS, TEXTS, columns_of, expected, fitted_or_none, kind_of, offered

# Bits


@pytest.mark.slow
@settings(deadline=None, max_examples=80)
@given(
    columns=columns_of(),
    form=st.sampled_from(sorted(FORMS)),
    negations=st.booleans(),
    drop_first=st.booleans(),
)
def test_bits_agree_with_the_raw_table_and_with_each_value(columns, form, negations, drop_first):
    if form == "pandas":  # which makes floats of these, and loses their last digit
        columns = {c: v for c, v in columns.items() if kind_of(c) != "huge" or None not in v}
        assume(columns)
    X = FORMS[form](columns)
    encoder = fitted_or_none(X, negations=negations, drop_first=drop_first)
    assume(encoder is not None)
    bits = encoder.encode(X)
    table = read_table(X)
    assert tuple(bits.table) == encoder.literals_
    for literal in encoder.literals_:
        slow = expected(literal, columns)
        np.testing.assert_array_equal(table.truth(literal), slow, str(literal))
        np.testing.assert_array_equal(bits.truth(literal), slow, str(literal))
        slow_negation = expected(~literal, columns)
        np.testing.assert_array_equal(bits.truth(~literal), slow_negation, str(~literal))


@settings(deadline=None, max_examples=40)
@given(columns=columns_of(), form=st.sampled_from(sorted(FORMS)), negations=st.booleans())
def test_fit_encode_is_fit_and_then_encode(columns, form, negations):
    X = FORMS[form](columns)
    encoder = fitted_or_none(X, negations=negations)
    assume(encoder is not None)
    together = LiteralEncoder(negations=negations)
    for bits in (together.fit_encode(X), encoder.encode(encoder.as_table(X))):
        apart = encoder.encode(X)
        assert together.to_dict() == encoder.to_dict()
        np.testing.assert_array_equal(bits.planes, apart.planes)
        np.testing.assert_array_equal(bits.table.valid, apart.table.valid)


def test_fit_encode_parses_each_column_once(monkeypatch):
    parsed = []

    def noted(values, title, missing):
        parsed.append(title)
        return read_column(values, title, missing)

    monkeypatch.setattr(tables, "read_column", noted)
    X = pd.DataFrame({"odor": list("fnan"), "age": [1.5, 2, 7, 9], "site": ["A"] * 4})
    LiteralEncoder().fit_encode(X)
    assert parsed == ["Column 'odor'", "Column 'age'", "Column 'site'"]


@settings(deadline=None, max_examples=40)
@given(
    data=st.data(),
    first=columns_of(n_rows=12),
    form=st.sampled_from(sorted(set(FORMS) - {"pandas"})),
)
def test_new_rows_agree_with_each_value(data, first, form):
    encoder = fitted_or_none(FORMS[form](first), negations=True)
    assume(encoder is not None)
    # Rows never seen: other texts, other numbers, other gaps.
    fresh = {
        **dict.fromkeys(
            ("text", "said", "told", "pair"), st.sampled_from([*TEXTS, "new", "True", "", None])
        ),
        "bool": st.sampled_from([True, False, None]),
        "real": st.floats(-200, 200) | st.none(),
        "flag": st.sampled_from([0, 1, 2, None]),
    }
    columns = {
        name: data.draw(
            st.lists(
                fresh.get(kind_of(name), st.integers(-100, 100) | st.none()),
                min_size=5,
                max_size=5,
            )
        )
        for name in reversed(first)
    }
    bits = encoder.encode(FORMS[form](columns))
    for literal in encoder.literals_:
        np.testing.assert_array_equal(bits.truth(literal), expected(literal, columns), str(literal))


def test_layout_of_the_planes():
    X = pd.DataFrame({"a": ["u", "v", None, "v"], "b": [0, 1, 0, 0], "c": [1, 3, None, 2]})
    bits = LiteralEncoder(negations=True).fit_encode(X)
    assert bits.names == [
        *("a = u", "a = v"),
        *("b", "NOT b"),
        *("c = 1", "c = 2", "c != 2", "c = 3", "c >= 2", "c < 3"),
    ]
    assert bits.table.plane.tolist() == [0, 1, 2, 2, 3, 4, 4, 5, 6, 7]
    assert np.flatnonzero(bits.table.complement).tolist() == [3, 6, 9]
    assert bits.table.valid.tolist() == [8] * 2 + [-1] * 2 + [9] * 6
    assert bits.planes.shape == (10, 1)
    assert bits.planes[:, 0].tolist() == [
        *(0b0001, 0b1010, 0b0010, 0b0001, 0b1000, 0b0010, 0b1010, 0b0010),
        *(0b1011, 0b1011),
    ]
    assert LiteralEncoder().fit(X).encode(X[:1]).table.valid.tolist() == [-1] * 10


@pytest.mark.parametrize("n_rows", [1, 63, 64, 65, 5000])
def test_many_rows(n_rows):
    rng = np.random.default_rng(n_rows)
    encoder = LiteralEncoder(negations=True).fit({"c": ["a", "b", "c"], "n": [0.5, 1.5, 2.5]})
    X = {"c": rng.choice(["a", "b", "c"], n_rows), "n": rng.normal(1.5, 1, n_rows)}
    X["n"][::3] = np.nan
    bits = encoder.encode(X)
    assert bits.n_rows == n_rows
    for literal in encoder.literals_:
        np.testing.assert_array_equal(bits.truth(literal), expected(literal, X))


def test_a_level_never_seen():
    encoder = LiteralEncoder().fit(
        {"c": ["a", "b", "d"], "t": ["a", "b", "b"], "n": [1, 2, 3], "f": [0, 1, 1]}
    )
    bits = encoder.encode({"c": ["z"], "t": ["z"], "n": [7], "f": [2]})
    true = [name for name, x in zip(bits.names, bits.table, strict=True) if bits.truth(x)[0]]
    assert true == ["c != a", "c != b", "c != d", "n != 2", "n >= 2", "NOT f"]


def test_pieces_join_into_the_whole():
    X = pd.DataFrame({"c": ["a", "b", None, "a"] * 30, "n": np.arange(120) / 7})
    encoder = LiteralEncoder(negations=True).fit(X)
    whole = encoder.encode(X)
    parts = [encoder.encode(X[:50]), encoder.encode(X[50:51]), encoder.encode(X[51:])]
    joined = BitMatrix.from_chunks(parts)
    for literal in encoder.literals_:
        np.testing.assert_array_equal(joined.truth(literal), whole.truth(literal))


# Kinds


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
@settings(deadline=None, max_examples=80)
@given(
    columns=columns_of(),
    form=st.sampled_from(sorted(FORMS)),
    negations=st.booleans(),
    drop_first=st.booleans(),
)
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


# Looking columns up


def test_columns_are_found_by_name():
    X = pd.DataFrame({"a": ["u", "v", "u"], "b": [1.5, 2.5, 3.5], "k": [1, 1, 1]})
    encoder = LiteralEncoder().fit(X)
    bits = encoder.encode(X)
    others = [
        X[["b", "a"]].assign(extra=[object()] * 3),
        pl.DataFrame({"b": X["b"].to_list(), "z": [1, 2, 3], "a": X["a"].to_list()}),
        {"b": X["b"], "a": list(X["a"])},
    ]
    for other in others:
        np.testing.assert_array_equal(encoder.encode(other).planes, bits.planes)
    # An array has no names: its columns stand in the order of fitting.
    np.testing.assert_array_equal(encoder.encode(X.to_numpy()).planes, bits.planes)


FLAGS = {
    "numbers": [1, 0, 1, None],
    "floats": [1.0, 0.0, 1.0, np.nan],
    "bools": [True, False, True, None],
    "category": pd.Series([1, 0, 1, None]).astype("category"),
    "text": ["1", "0", "1", None],
    "text of floats": ["1.0", "0.0", "1.0", ""],
    "text of bools": ["True", "False", "True", None],
    "text of polars": ["true", "false", "true", None],
    "text of R": ["TRUE", "FALSE", "TRUE", None],
}


@pytest.mark.parametrize("fitted", FLAGS)
@pytest.mark.parametrize("asked", FLAGS)
def test_copies_of_a_flag_stand_for_each_other(fitted, asked):
    encoder = LiteralEncoder().fit({"f": FLAGS[fitted]})
    assert encoder.kinds_ == {"f": "binary"}
    assert [str(x) for x in encoder.literals_] == ["f", "NOT f"]
    bits = encoder.encode({"f": FLAGS[asked]})
    assert bits.truth(Literal("f", "true")).tolist() == [True, False, True, False]
    assert bits.truth(Literal("f", "false")).tolist() == [False, True, False, False]
    raw = read_table({"f": FLAGS[asked]})
    assert raw.truth(Literal("f", "false")).tolist() == [False, True, False, False]


def test_texts_that_are_no_flags_are_refused_for_numbers():
    encoder = LiteralEncoder().fit({"f": [0, 1]})
    message = "held numbers in fitting and holds text now, such as 'yes' in row 1; give it"
    with pytest.raises(InputError, match=message):
        encoder.encode({"f": ["1", "yes"]})
    # A level never seen, where texts were seen, is not 1.
    said = LiteralEncoder().fit({"f": ["0", "1"]})
    for unseen in (["1", "yes"], [1, 2]):
        assert said.encode({"f": unseen}).truth(Literal("f", "false")).tolist() == [False, True]


def test_numbers_and_bools_may_stand_for_each_other():
    encoder = LiteralEncoder(kinds={"b": "categorical"}, negations=False)
    encoder.fit({"f": [0, 1], "b": [True, False]})
    bits = encoder.encode({"f": [True, False], "b": [0, 1]})
    assert [bits.truth(x).tolist() for x in bits.table] == [
        [True, False],
        [True, False],
        [False, True],
    ]


def test_a_column_may_be_all_missing_in_new_rows():
    encoder = LiteralEncoder(negations=True).fit({"t": ["a", "b"], "n": [0.5, 1.5]})
    bits = encoder.encode(pd.DataFrame({"t": [np.nan], "n": pd.Series([None], dtype=object)}))
    assert not any(bits.truth(literal)[0] for literal in bits.table)


def test_repr_shows_what_was_given():
    assert repr(LiteralEncoder()) == "LiteralEncoder()"
    assert repr(LiteralEncoder(negations=False, kinds={"a": "binary"})) == (
        "LiteralEncoder(kinds={'a': 'binary'}, negations=False)"
    )
