"""Columns that should not be offered: names, ids and dates, and targets that are quantities."""

import html

import numpy as np
import pandas as pd
import pytest

from bayesdnf import DNFClassifier, LiteralEncoder
from bayesdnf.data.outcome import read_outcome
from bayesdnf.display.offer import left_out, similar_texts
from bayesdnf.errors import InputError

ROWS = 500


def fitted(texts, **settings):
    return LiteralEncoder(**settings).fit({"what": texts, "age": range(len(texts))})


@pytest.mark.parametrize(
    ("texts", "reason"),
    [
        ([f"n{i}" for i in range(ROWS)], "texts that repeat rarely: 500 different ones"),
        ([f"b{i % 27}" for i in range(ROWS)], "27 different ones on 500 rows"),
        ([str(d) for d in pd.date_range("2020-01-01", periods=30).date] * 50, "dates as texts"),
        ([f"{d}/3/2020 10:{d + 30}" for d in range(1, 29)] * 30, "dates as texts"),
        (
            [str(i % 30 / 4) for i in range(ROWS)],
            "numbers as texts: 30 different ones on 500 rows, such as '0.0'",
        ),
        (["?", *map(str, range(30)), "NA"] * 9, "32 different ones on 288 rows, with '?' and 'NA'"),
        ([f"{i:,}" for i in range(990, 1020)], "30 different ones on 30 rows, such as '1,000'"),
        (
            [str(i / 8).replace(".", ",") for i in range(30)],
            "numbers as texts with decimal commas: 30 different ones on 30 rows, such as '0,0'). "
            "For 'what', pass numbers with a decimal point (read with decimal=',' in pandas).",
        ),
        (
            ["?", *(str(i / 8).replace(".", ",") for i in range(30))],
            "decimal commas: 31 different ones on 31 rows, with '?'",
        ),
        ([f"{i:,}.5" for i in range(990, 1020)], "numbers as texts: 30 different ones"),
        ([f"{i:03}" for i in range(30)], "texts that repeat rarely"),
        ([f"b{i % 25}" for i in range(ROWS)], None),
        ([f"b{i % 20}" for i in range(60)], None),
        ([f"2020-01-{i % 20 + 1:02}" for i in range(60)], None),
    ],
)
def test_texts_that_are_left_out(texts, reason):
    encoder = fitted(texts)
    assert ("what" in encoder.kinds_) == (reason is None)
    [said] = left_out(encoder) or [""]
    assert (reason or "") in said
    asked = fitted(texts, kinds={"what": "categorical"})
    assert len(asked.literals_) >= len(set(texts))
    assert left_out(asked) == []


def test_advice_can_be_pasted_and_names_the_right_column():
    """A name with spaces must be quoted; levels of what should be numbers are not suggested."""
    table = {
        "dose, mg": [*map(str, range(30)), "?"],
        "patient id": [f"P{i}" for i in range(31)],
        "seen": [f"2020-01-{i:02}" for i in range(1, 32)],
        "age": range(31),
    }
    [said] = left_out(LiteralEncoder().fit(table))
    assert "(--kind 'patient id=categorical'). For 'seen', pass the year" in said
    assert "For 'dose, mg', pass numbers such as 1234.5" in said
    [said] = left_out(fitted(table["dose, mg"]))
    assert "categorical" not in said


@pytest.mark.parametrize(
    ("texts", "advice"),
    [
        ([f"{i:,}" for i in range(990, 1020)], "For 'what', pass numbers such as 1234.5, and say"),
        ([f"{i / 8},5" for i in range(30)], "To offer it anyway: kinds={'what': 'categorical'}"),
        ([f"{i},5" for i in range(30)], "For 'what', pass numbers with a decimal point"),
    ],
)
def test_an_error_about_the_only_column_gives_the_same_advice(texts, advice):
    with pytest.raises(InputError, match=r"^X has no usable column: none of its 1 ") as caught:
        LiteralEncoder().fit({"what": texts})
    assert f"). {advice}" in str(caught.value)
    assert advice in left_out(fitted(texts))[0]


def test_weights_count_as_rows():
    texts = [f"b{i}" for i in range(25)]
    table = {"what": texts, "age": range(25)}
    assert "what" in LiteralEncoder().fit(table, sample_weight=[20] * 25).kinds_
    assert "what" not in LiteralEncoder().fit(table, sample_weight=[19] * 25).kinds_


@pytest.mark.parametrize(
    ("column", "words"),
    [
        (pd.Series(pd.date_range("2020-01-01", periods=3)), ["a date", "row 0", ".dt.year"]),
        ([pd.Timestamp("2020-01-01")] * 3, ["a date", ".dt.year"]),
        (np.array(["2020-01-01"] * 3, dtype="M8[D]"), ["a date", "2020-01-01"]),
        (pd.Series(pd.to_timedelta([1, 2, 3], "D")), ["a duration", ".dt.days"]),
    ],
)
def test_dates_are_refused_with_advice(column, words):
    with pytest.raises(InputError) as caught:
        LiteralEncoder().fit({"when": column})
    assert [word for word in ["Column 'when'", *words] if word not in str(caught.value)] == []


def test_a_quantity_is_no_outcome():
    with pytest.raises(InputError, match="y >= 50, which half of the rows reach"):
        read_outcome(np.arange(101.0))
    assert read_outcome(np.arange(101.0), positive=7).positive.sum() == 1


@pytest.mark.parametrize(
    ("values", "pair"),
    [
        (["Yes", "no", "yes"], "'Yes' and 'yes'"),
        ([" yes", "yes", "no"], "' yes' and 'yes'"),
        (["yes\u00a0", "yes"], "'yes' and 'yes\\xa0'"),
        (["light  green", "light green"], "'light  green' and 'light green'"),
        (["STRASSE", "stra\u00dfe"], "'STRASSE' and 'stra\u00dfe'"),
        (["yes", "no", "y", "ye s"], None),
        ([1, 1.0, True, 2], None),
    ],
)
def test_texts_that_differ_only_in_case_or_spaces(values, pair):
    said = similar_texts({"plain": ["a", "b"], "odd": values})
    assert said == [] if pair is None else f"different: 'odd' has {pair}. If" in said[0]


def test_many_columns_of_similar_texts_are_one_sentence():
    [said] = similar_texts({f"c{i}": ["a", "A"] for i in range(9)})
    assert "'c2' has 'A' and 'a', …. If" in said
    assert "c3" not in said


def test_similar_texts_are_named_with_the_model():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {"smoker": rng.choice(["Yes", "yes", "no"], 200), "age": rng.integers(20, 80, 200)}
    )
    y = np.where(table["smoker"] == "no", "well", rng.choice(["ill", " ill"], 200))
    model = DNFClassifier(positive="well", random_state=0, restarts=2).fit(table, y)
    said = "different: 'smoker' has 'Yes' and 'yes', 'y' has ' ill' and 'ill'. If they mean"
    for shown in (model.summary(), html.unescape(model._repr_html_())):
        assert said in shown.replace("\n", " ")
    clean = DNFClassifier(random_state=0, restarts=2).fit(table, table["smoker"] == "no")
    table["smoker"] = table["smoker"].str.lower()
    assert "case or spaces" in clean.summary()
    assert "case or spaces" not in clean.fit(table, y == "well").summary()
