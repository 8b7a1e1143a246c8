"""What fit and predict take: labels, tables, weights; and what they refuse."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone

from bayesdnf import DNFClassifier, LiteralEncoder, Posterior, simulate
from bayesdnf.errors import BayesDNFWarning, InputError, ParameterError, UnknownColumnError
from tests.estimators.mixed_table import COLUMNS, LABELS


@pytest.mark.parametrize(
    "y",
    [
        LABELS,
        np.array(LABELS),
        pd.Series(LABELS),
        pd.Series(LABELS, dtype="category"),
        pd.Series(LABELS, index=range(500, 620)),
        pl.Series(LABELS),
        np.array([label == "bad" for label in LABELS]),
        np.array([label == "bad" for label in LABELS], dtype=object),
        [int(label == "bad") for label in LABELS],
        [2.5 if label == "bad" else 2.0 for label in LABELS],
    ],
)
@pytest.mark.filterwarnings("error")
def test_labels_of_every_kind(table, y):
    if isinstance(y, list) and 2.5 in y:
        with pytest.raises(ValueError, match="Unknown label type: continuous"):
            DNFClassifier().fit(table, y)
        return
    bad = next(iter(y))
    clf = DNFClassifier(positive=bad, random_state=0).fit(table, y)
    assert str(clf.function_) == "(odor = f)"
    assert clf.predict(table).tolist() == list(y)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, dict])
def test_tables_of_every_library(library):
    columns = {**COLUMNS, "site": list(COLUMNS["site"])}
    clf = DNFClassifier(positive="bad", random_state=0).fit(library(columns), LABELS)
    assert str(clf.function_) == "(odor = f)"
    assert clf.feature_names_in_.tolist() == list(COLUMNS)
    assert clf.predict(library(columns)).tolist() == LABELS


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"a": [], "b": pd.Categorical([], ["x"])}),
        pl.DataFrame({"a": []}),
        {"a": []},
    ],
)
def test_a_table_without_rows_is_refused(X):
    """It ended in an IndexError of the labels, of which there are none either."""
    with pytest.raises(InputError, match="X has no rows"):
        DNFClassifier().fit(X, [])


def test_a_lazy_table_is_refused_with_the_way_out():
    """It was taken for a scalar, and its query plan printed."""
    with pytest.raises(InputError, match=r"^X is a LazyFrame.*pass X\.collect\(\)\.$"):
        DNFClassifier().fit(pl.DataFrame({"a": [0, 1]}).lazy(), [0, 1])


def test_a_list_of_rows_keeps_its_types():
    rows = [["f", 1], ["n", 2], ["n", 1], ["f", 2]] * 10
    clf = DNFClassifier(random_state=0).fit(rows, [1, 0, 0, 1] * 10)
    assert str(clf.function_) == "(x0 = f)"
    assert clf.encoder_.kinds_ == {"x0": "categorical", "x1": "ordinal"}


def test_masked_values_are_missing():
    X = np.ma.array([[1, 0], [0, 1]] * 20, mask=[[False, False], [False, True]] * 20)
    clf = DNFClassifier(random_state=0).fit(X, [1, 0] * 20)
    assert list(clf.encoder_.dropped_) == ["x1"]


def test_columns_are_found_by_name_and_extra_ones_ignored(table, model):
    turned = table[table.columns[::-1]].assign(extra="?")
    assert model.predict(turned).tolist() == LABELS


def test_which_columns_are_needed(table, model):
    own = table[["odor"]]
    with pytest.raises(UnknownColumnError, match=r"no column 'site'.*allow_missing_columns=True"):
        model.predict(own)
    with pytest.raises(UnknownColumnError, match="no column 'odor'") as caught:
        model.predict(table[["site"]])
    assert "allow_missing_columns" not in str(caught.value)
    lenient = clone(model).set_params(allow_missing_columns=True).fit(table, LABELS)
    assert lenient.predict(own).tolist() == LABELS
    with pytest.raises(UnknownColumnError, match="no column 'odor'"):
        lenient.predict(table[["site"]])


def test_a_column_must_keep_its_type(table, model):
    with pytest.raises(InputError, match="Column 'odor' held text in fitting and holds numbers"):
        model.predict(table.assign(odor=1))


def test_a_named_table_after_an_array_is_taken_by_place():
    X, y, _ = simulate(200, 4, terms=(2,), random_state=0)
    clf = DNFClassifier(random_state=0).fit(np.asarray(X), y)
    frame = pd.DataFrame(np.asarray(X), columns=list("abcd"))
    assert issubclass(BayesDNFWarning, UserWarning)  # which scikit-learn's own warning is
    with pytest.warns(BayesDNFWarning, match="was fitted without feature names"):
        assert (clf.marked(frame) == clf.marked(np.asarray(X))).all()
    with pytest.raises(InputError, match="X has 3 features, but DNFClassifier is expecting 4"):
        clf.marked(frame[["a", "b", "c"]])


def test_missing_values_by_name(table):
    renamed = table.assign(odor=table["odor"].fillna("?"))
    clf = DNFClassifier(missing_values=["?"], negations=True, positive="bad", random_state=0)
    clf.fit(renamed, LABELS)
    assert "odor = ?" not in map(str, clf.encoder_.literals_)
    assert "odor != n" in map(str, clf.encoder_.literals_)
    assert not clf.marked({**COLUMNS, "odor": ["?"] * 120}).any()


def test_a_list_is_no_label(table):
    with pytest.raises(ParameterError, match="must be one of the classes of y"):
        DNFClassifier(positive=[]).fit(table, LABELS)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([*LABELS[:-1], None], "y is missing in row 119"),
        ([*np.zeros(118), 1, np.nan], "y is missing in row 119"),
        (LABELS[:-1], "y has 119 entries for 120 rows of X"),
        (["bad"] * 120, "y holds one class only, 'bad'; two classes are needed"),
        (np.linspace(0, 1, 120), "Unknown label type: y holds 120 different numbers"),
        (None, "requires y to be passed, but the target y is None"),
        (list(range(60)) * 2, "Unknown label type: y holds 60 different numbers, from 0 to 59"),
        ([f"c{i}" for i in range(60)] * 2, r"60 different labels \('c0', .*at most 20"),
        ([f"c{i % 24}" for i in range(120)], r"24 different labels .*merge some of them"),
    ],
)
def test_wrong_labels_are_told(table, y, message):
    with pytest.raises(ValueError, match=message):
        DNFClassifier().fit(table, y)


def test_a_list_of_records_is_refused_with_the_way_out():
    with pytest.raises(InputError, match=r"^X is a list of dicts; pass pandas\.DataFrame\(X\)\.$"):
        DNFClassifier().fit([{"a": 1}, {"a": 0}], [0, 1])


def test_sparse_input_is_refused():
    X, y, _ = simulate(50, 4, random_state=0)
    with pytest.raises(InputError, match="Sparse input is not supported by DNFClassifier"):
        DNFClassifier().fit(csr_array(X), y)


@pytest.mark.parametrize(
    "infinite", [np.array([[np.inf]] * 10), pd.DataFrame({"a": [np.inf] * 10})]
)
def test_infinity_is_refused(infinite):
    with pytest.raises(ValueError, match="inf"):
        DNFClassifier().fit(infinite, [0, 1] * 5)


def test_two_classes_one_of_which_means_missing_are_refused():
    X = pd.DataFrame({"a": range(20)})
    for gone in ("NA", "n/a", "NaN", "null", "?", "."):
        y = ["1", gone] * 10
        with pytest.raises(InputError, match=r"mostly means that a label is missing; leave out"):
            DNFClassifier().fit(X, y)
        with pytest.raises(InputError, match=r"mostly means that a label is missing; leave out"):
            Posterior(LiteralEncoder().fit_encode(X), y)
        assert DNFClassifier(positive="1").fit(X, y).positive_ == "1"
    for kind in (object, str):
        with pytest.raises(InputError, match="y is missing in row 1; every row needs a label"):
            DNFClassifier().fit(X, np.array(["1", ""] * 10, dtype=kind))
    assert DNFClassifier().fit(X, ["+", "-"] * 10).labels_.tolist() == ["+", "-"]
