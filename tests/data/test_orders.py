"""Texts whose order is given: the literals, the bits, the model, and every wrong order."""

import contextlib
import json
import re
import sqlite3

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone

from bayesdnf import BitMatrix, BooleanFunction, DNFClassifier, LiteralEncoder
from bayesdnf import PosteriorDNFClassifier as Posteriors
from bayesdnf.errors import InputError
from bayesdnf.report.try_case import case_form

SIZES = ["small", "medium", "large", "huge"]
KINDS = {"size": SIZES}
MUST = (
    "The 'kinds' parameter of LiteralEncoder must be a list of two or more different texts, the "
    "categories of column 'size' in order."
)


def table(n=400, seed=0):
    """Rows at risk where a size is large or more and b is 1."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"size": rng.choice(SIZES, n), "b": rng.integers(0, 2, n)})
    X.loc[::50, "size"] = None
    at_risk = X["size"].isin(["large", "huge"]) & (X["b"] == 1)
    return X, (rng.random(n) < np.where(at_risk, 0.9, 0.1)).astype(int)


def coded(X):
    """The same rows, with numbers for the sizes."""
    return X.assign(size=X["size"].map(SIZES.index, na_action="ignore"))


def renamed(literal):
    """A literal on numbers, on the texts for which they stand."""
    text = str(literal)
    for number, size in enumerate(SIZES):
        text = text.replace(f"size >= {number}", f"size >= {size}")
        text = text.replace(f"size < {number}", f"size < {size}")
        text = text.replace(f"= {number}", f"= {size}")
    return text


SETTINGS = [
    {},
    {"negations": False},
    {"monotonic_cst": {"size": 1}},
    {"monotonic_cst": {"size": -1}, "negations": False},
]


@pytest.mark.parametrize(
    "values",
    [
        pd.Series(pd.cut([0.5, 1.5, 2.5, np.nan, 4.5, 9.5], [0, 1, 2, 5, 10])),
        pd.Series(pd.period_range("2020-01", periods=6, freq="M")).astype(
            pd.CategoricalDtype(pd.period_range("2020-01", periods=6, freq="M"), ordered=True)
        ),
    ],
    ids=["intervals", "periods"],
)
def test_ordered_categories_of_intervals_and_periods_are_read_by_their_texts(values):
    encoder = LiteralEncoder()
    bits = encoder.fit_encode(pd.DataFrame({"c": values}))
    order = [str(v) for v in values.cat.categories]
    texts = [None if v is np.nan else str(v) for v in values.astype(object)]
    same = LiteralEncoder(kinds={"c": order}).fit_encode({"c": texts})
    assert list(bits.table) == list(same.table)
    assert (bits.planes == same.planes).all()
    assert encoder.orders_ == {"c": tuple(order)}
    assert (encoder.encode({"c": texts}).planes == bits.planes).all()
    gone = LiteralEncoder(missing_values=[order[1]]).fit(pd.DataFrame({"c": values}))
    assert gone.orders_ == {"c": (order[0], *order[2:])}


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, dict])
def test_literals_and_bits_are_those_of_numbers(settings, library):
    X, _ = table()
    texts, numbers = {**X}, {**coded(X)}
    texts["size"] = [v if isinstance(v, str) else None for v in X["size"]]
    encoder = LiteralEncoder(kinds=KINDS, **settings)
    other = LiteralEncoder(kinds={"size": "ordinal"}, **settings)
    source = library({"size": texts["size"], "b": X["b"].to_numpy()})
    bits, same = encoder.fit_encode(source), other.fit_encode(numbers)
    assert encoder.kinds_["size"] == "ordinal"
    assert encoder.orders_ == {"size": tuple(SIZES)}
    assert [str(x) for x in encoder.literals_] == [renamed(x) for x in other.literals_]
    for i in range(len(bits.table)):
        assert (bits.truth(bits.table[i]) == same.truth(same.table[i])).all()
    # Ranks are what the core compares: implications among the literals are the same.
    assert (bits.table.rank == same.table.rank).all()


def test_categories_that_no_row_has_get_no_literals_and_keep_their_place():
    encoder = LiteralEncoder(kinds=KINDS).fit({"size": ["huge", "small", "large", "small"]})
    own = [str(x) for x in encoder.literals_]
    assert "size >= large" in own
    assert not any("medium" in text for text in own)
    rule = BooleanFunction("size >= large")
    assert rule(encoder.as_table({"size": ["medium", "huge", None]})).tolist() == [0, 1, 0]
    assert BooleanFunction("size < huge")(encoder.as_table({"size": [None, "medium"]}))[1]
    assert not rule(encoder.as_table({"size": [None, None]})).any()


@pytest.mark.parametrize(
    ("kinds", "X", "said"),
    [
        (
            {"size": ["small", "large"]},
            {"size": ["small", "medium", "large"]},
            "Column 'size' holds 'medium' in row 1, which is not in its order 'small' < 'large'.",
        ),
        (
            {"size": ["a", "b", "a"]},
            {"size": ["a", "b"]},
            f"{MUST} 'a' appears twice.",
        ),
        (
            {"size": []},
            {"size": ["a", "b"]},
            f"{MUST} Got [] instead.",
        ),
        ({"size": ["a"]}, {"size": ["a", "b"]}, "Got ['a'] instead."),
        ({"size": ["a", None]}, {"size": ["a", "b"]}, "Got ['a', None] instead."),
        ({"size": ["a", ""]}, {"size": ["a", "b"]}, "Got ['a', ''] instead."),
        ({"size": [1, 2]}, {"size": [1, 2]}, "Got [1, 2] instead."),
        ({"size": {"a": 1}}, {"size": ["a", "b"]}, "for column 'size'. Got {'a': 1} instead."),
        ({"size": np.array(["a"])}, {"size": ["a"]}, "Got array(['a'], dtype='<U1') instead."),
        (
            {"sise": ["a", "b"]},
            {"size": ["a", "b"]},
            "The 'kinds' parameter of LiteralEncoder names column 'sise', which X does not have. "
            "Did you mean 'size'?",
        ),
        (
            {"size": ["1", "2"]},
            {"size": [2, 1]},
            "Column 'size' cannot have the order '1' < '2', which is for texts: it holds 2 in "
            "row 0.",
        ),
    ],
)
def test_wrong_orders(kinds, X, said):
    with pytest.raises(InputError) as caught:
        LiteralEncoder(kinds=kinds).fit(X)
    assert str(caught.value).endswith(said)


def test_texts_that_are_not_listed_are_refused_when_rows_are_predicted():
    encoder = LiteralEncoder(kinds=KINDS).fit(table()[0])
    said = "Column 'size' holds 'tiny' in row 1, which is not in its order 'small' < 'medium' < "
    for use in (encoder.encode, lambda X: BooleanFunction("size = small")(encoder.as_table(X))):
        with pytest.raises(InputError, match=said):
            use({"size": ["small", "tiny"], "b": [0, 1]})
        with pytest.raises(InputError, match="held text in fitting and holds numbers now"):
            use({"size": [1, 2], "b": [0, 1]})


def test_a_threshold_needs_the_order():
    rule = BooleanFunction("size >= medium")
    for own in ({"size": ["small", "medium"]}, {"size": pd.Categorical(SIZES, SIZES)}):
        with pytest.raises(InputError, match="'size >= medium' needs an order of categories that"):
            rule(own)
    encoder = LiteralEncoder(kinds=KINDS).fit(table()[0])
    with pytest.raises(InputError, match="names 'tiny'; Column 'size' has 'small' < 'medium' < 'l"):
        BooleanFunction("size >= tiny")(encoder.as_table(table()[0]))


def test_states_and_packed_tables_keep_the_order(tmp_path):
    X, _ = table()
    encoder = LiteralEncoder(kinds={"size": tuple(SIZES)}, monotonic_cst={"b": 1}).fit(X)
    again = LiteralEncoder.from_dict(json.loads(json.dumps(encoder.to_dict())))
    assert (again.literals_, again.orders_) == (encoder.literals_, encoder.orders_)
    bits = encoder.encode(X)
    bits.save(tmp_path / "b.pack")
    for other in (again.encode(X), BitMatrix.open(tmp_path / "b.pack")):
        assert [*other.table] == [*bits.table]
        assert (other.table.rank == bits.table.rank).all()
        assert (other.planes == bits.planes).all()


UNKNOWN = ["unknown", "small", "medium", "large"]


@pytest.mark.parametrize("listed", [False, True])
@pytest.mark.parametrize("place", range(4))
def test_texts_that_count_as_missing_have_no_place_in_the_order(tmp_path, listed, place):
    """Nor in exports, in explanations and in reports, which would else take them for values."""
    rng = np.random.default_rng(1)
    order = SIZES[:3]
    order.insert(place, "unknown")
    held = rng.choice(order, 400)
    y = (np.isin(held, ["small", "medium"]) ^ (rng.random(400) < 0.03)).astype(int)
    sizes = held if listed else pd.Categorical(held, categories=order, ordered=True)
    X = pd.DataFrame({"size": sizes, "c": rng.choice(list("xyz"), 400)})
    kinds = {"size": order} if listed else None
    model = DNFClassifier(kinds=kinds, missing_values=["unknown"], random_state=0).fit(X, y)
    assert str(model.function_) in ("(size < large)", "(size != large)")
    model.save(tmp_path / "m.json")
    orders = model.encoder_.orders_
    assert orders == DNFClassifier.load(tmp_path / "m.json").encoder_.orders_
    assert orders == {"size": tuple(SIZES[:3])}
    rows = [{"size": size} for size in order]
    expected = (model.predict(pd.DataFrame(rows).assign(c="x")) == 1).tolist()
    assert expected == [size in ("small", "medium") for size in order]
    for rule in (model.function_, BooleanFunction.parse(model.function_.to_text())):
        assert rule(model.encoder_.as_table({"size": order, "c": ["x"] * 4})).tolist() == expected
    namespace = {}
    exec(model.function_.to_python(orders=orders), namespace)
    assert [namespace["rule"](row) for row in rows] == expected
    assert json.loads(model.function_.to_json(orders))["orders"] == {"size": SIZES[:3]}
    with contextlib.closing(sqlite3.connect(":memory:")) as base:
        base.execute("CREATE TABLE t (size TEXT)")
        base.executemany("INSERT INTO t VALUES (?)", [(size,) for size in order])
        where = model.function_.to_sql(orders)
        chosen = [size for (size,) in base.execute(f"SELECT size FROM t WHERE {where}")]
    assert sorted(chosen) == ["medium", "small"]
    form = case_form(
        model.function_, model.encoder_, model.encoder_.as_table(X), np.ones(400, dtype=np.bool_)
    )
    [attribute] = form["attributes"]
    assert "unknown" not in attribute["options"]
    encoder = model.encoder_.to_dict()
    encoder["attributes"][0]["order"] = order  # as they were written before
    assert LiteralEncoder.from_dict(encoder).orders_ == orders


def test_an_order_that_is_all_missing_is_told_as_it_was_given():
    with pytest.raises(InputError, match="row 0, which is not in its order 'na' < '-'"):
        LiteralEncoder(kinds={"a": ["na", "-"]}, missing_values=["na", "-"]).fit({"a": ["b", "c"]})


def test_long_orders_are_cut_as_numbers_are():
    rng = np.random.default_rng(2)
    names = [f"step {i:02}" for i in range(30)]
    codes = rng.integers(0, 30, 300)  # ten rows each: too few for texts without an order
    X = pd.DataFrame({"a": pd.Categorical.from_codes(codes, names[::-1], ordered=True)})
    numbers = LiteralEncoder().fit({"a": codes})
    for settings in ({}, {"negations": False}, {"thresholds": 3}, {"monotonic_cst": {"a": -1}}):
        encoder = LiteralEncoder(**settings).fit(X)
        assert encoder.kinds_ == {"a": "ordinal"}
        assert encoder.orders_ == {"a": tuple(names[::-1])}
        numbers = LiteralEncoder(kinds={"a": "numeric"}, **settings).fit({"a": codes})
        bits, same = encoder.encode(X), numbers.encode({"a": codes})
        assert [x.operator for x in bits.table] == [x.operator for x in same.table]
        assert (bits.planes == same.planes).all()
        again = LiteralEncoder.from_dict(encoder.to_dict())
        assert again.literals_ == encoder.literals_
    for kinds in ({"a": "ordinal"}, {"a": names}):  # as asked
        assert len(LiteralEncoder(kinds=kinds).fit(X).literals_) == 30 + 28 + 28 + 28
    few = pd.DataFrame({"a": pd.Categorical(names[:20] * 9, names, ordered=True)})
    assert len(LiteralEncoder().fit(few).literals_) == 20 + 18 + 18 + 18


def test_errors_name_few_of_many_categories():
    order = [str(i) for i in range(500)]
    encoder = LiteralEncoder(kinds={"a": order}).fit({"a": order * 2})
    said = "which is not in its order '0' < '1' < '2' < '3' < '4' < '5' < '6' < '7' < …."
    with pytest.raises(InputError, match=re.escape(said)):
        encoder.encode({"a": ["501"]})


@pytest.mark.parametrize(
    ("order", "literals", "said"),
    [
        ([], [[">=", "b"]], "literal 'a >= b' names a category that is not in an order of 'a'"),
        (["a", "c"], [["<", "b"]], "literal 'a < b' names a category that is not in an order"),
        (["a", "c"], [["=", "b"]], "literal 'a = b' names a category that is not in an order"),
        (["a", "a"], [["=", "a"]], "different texts, none of them empty. Got ['a', 'a'] instead"),
        (["", "a"], [["=", "a"]], "different texts, none of them empty. Got ['', 'a'] instead"),
        ([["a"], "b"], [["=", "b"]], "none of them empty. Got [['a'], 'b'] instead"),
    ],
)
def test_forged_states(order, literals, said):
    state = LiteralEncoder(kinds={"a": ["a", "b"]}).fit({"a": ["a", "b"]}).to_dict()
    state["parameters"]["kinds"] = None
    state["attributes"][0] |= {"order": order, "literals": literals}
    with pytest.raises(InputError, match="not a state of a LiteralEncoder") as caught:
        LiteralEncoder.from_dict(state)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("place", "changes", "said"),
    [
        (0, {"kind": "categorical"}, "kind ordinal and the type text. Got categorical and text"),
        (0, {"order": ["b", "a"]}, "that of 'kinds', ['a', 'b']. Got ['b', 'a'] instead"),
        (0, {"order": []}, "must be that of 'kinds', ['a', 'b']. Got [] instead"),
        (1, {"order": ["x", "y"]}, "of 'n' needs the kind ordinal and the type text. Got numeric"),
        (1, {"kind": "ordinal", "order": ["x"]}, "the type text. Got ordinal and numbers instead"),
    ],
)
def test_forged_orders(place, changes, said):
    X = {"a": ["a", "b"] * 10, "n": np.arange(20)}
    state = LiteralEncoder(kinds={"a": ["a", "b"]}).fit(X).to_dict()
    state["attributes"][place] |= changes
    with pytest.raises(InputError, match="not a state of a LiteralEncoder: the order of") as caught:
        LiteralEncoder.from_dict(state)
    assert said in str(caught.value)


def test_an_ordered_categorical_brings_its_order(tmp_path):
    sizes = ["small", "medium", "large", "huge"]
    texts = ["medium", "small", None, "large", "medium", "small"]
    X = pd.DataFrame({"size": pd.Categorical(texts, categories=sizes, ordered=True)})
    encoder = LiteralEncoder().fit(X)
    listed = LiteralEncoder(kinds={"size": sizes}).fit(X.astype(object))
    assert encoder.literals_ == listed.literals_
    assert encoder.orders_ == {"size": tuple(sizes)}
    again = LiteralEncoder.from_dict(json.loads(json.dumps(encoder.to_dict())))
    assert again.orders_ == encoder.orders_
    # Rows to encode may come as texts, or with the categories the other way round.
    for rows in (X.astype(object), X.assign(size=X["size"].cat.reorder_categories(sizes[::-1]))):
        assert (again.encode(rows).planes == encoder.encode(X).planes).all()
    unordered = LiteralEncoder(kinds={"size": "categorical"}).fit(X)
    assert (unordered.kinds_, unordered.orders_) == ({"size": "categorical"}, {})
    with pytest.raises(InputError, match="cannot be numeric, which needs numbers: it holds the te"):
        LiteralEncoder(kinds={"size": "numeric"}).fit(X)


def test_ordered_categories_of_numbers_are_numbers():
    stage = pd.Series([1, 2, 4, 2, 1], dtype="int64")
    for categories, kind in (([1, 2, 4], "ordinal"), ([4, 2, 1], "categorical")):
        X = pd.DataFrame({"stage": pd.Categorical(stage, categories=categories, ordered=True)})
        assert LiteralEncoder().fit(X).kinds_ == {"stage": kind}


def test_classifiers_find_what_they_find_on_numbers(tmp_path):
    X, y = table()
    model = DNFClassifier(kinds=KINDS, random_state=0).fit(X, y)
    other = DNFClassifier(kinds={"size": "ordinal"}, random_state=0).fit(coded(X), y)
    assert str(model.function_) == "(b AND size >= large)"
    assert model.log_posterior_ == other.log_posterior_
    assert (model.predict_proba(X) == other.predict_proba(coded(X))).all()
    assert clone(model).fit(X, y).function_ == model.function_
    model.save(tmp_path / "m.json")
    again = DNFClassifier.load(tmp_path / "m.json")
    assert again.kinds == KINDS
    assert again.function_ == model.function_
    assert (again.predict_proba(X) == model.predict_proba(X)).all()
    assert again.summary() == model.summary()
    namespace = {}
    exec(model.function_.to_python(orders=model.encoder_.orders_), namespace)
    rows = X.astype(object).where(X.notna(), None).to_dict("records")
    assert [namespace["rule"](row) for row in rows] == (model.predict(X) == 1).tolist()


def test_explanations_and_reports(tmp_path):
    X, y = table()
    for direction in ({}, {"size": 1, "b": 1}):
        model = DNFClassifier(kinds=KINDS, monotonic_cst=direction, random_state=0).fit(X, y)
        told = str(model.explain({"size": "small", "b": 1}))
        assert "size >= large" in told
        page = tmp_path / "r.html"
        model.report(X, y, page)
        text = page.read_text()
        assert "size is large or more" in text
        place = [text.find(f'"{size}"') for size in SIZES]  # what one can pick, in order
        assert -1 < place[0] < place[1] < place[2] < place[3]


@pytest.mark.slow
def test_posteriors(tmp_path):
    X, y = table()
    model = Posteriors(kinds=KINDS, random_state=0, draws=200, warmup=100, chains=2, layers=1).fit(
        X, y
    )
    assert str(model.map_) == "(b AND size >= large)"
    model.save(tmp_path / "d.nc")
    again = Posteriors.load(tmp_path / "d.nc")
    assert again.map_ == model.map_
    assert (again.predict_proba(X) == model.predict_proba(X)).all()
    values = model.risk_along(X, "size")["values"].tolist()
    firsts = [value.split(", ")[0] for value in values if value != "missing"]
    assert [SIZES.index(first) for first in firsts] == sorted(map(SIZES.index, firsts))
