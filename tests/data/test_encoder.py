"""LiteralEncoder: which literals a table offers, and their bits."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bayesdnf import BitMatrix, Literal, LiteralEncoder
from bayesdnf.data import tables
from bayesdnf.data.columns.any_library import read_column
from bayesdnf.data.tables import read_table
from bayesdnf.errors import InputError
from tests.data.raw_tables import (
    FORMS,
    TEXTS,
    any_encoding,
    columns_of,
    expected,
    fitted_or_none,
    kind_of,
)

# Bits


@pytest.mark.slow
@any_encoding
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
