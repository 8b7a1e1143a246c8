import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from bayesdnf import LiteralEncoder, LiteralTransformer
from bayesdnf.errors import InputError, UnknownColumnError

COLUMNS = {
    "odor": ["f", "n", None, "a", "n", "f"],
    "age": [30.5, float("nan"), 70.25, 41.0, 12.0, 55.5],
    "stage": [1, 2, 3, 1, 2, 3],
    "ill": [True, False, True, True, False, False],
}


@given(
    negations=st.booleans(),
    drop_first=st.booleans(),
    rows=st.lists(st.sampled_from(range(6)), min_size=1, max_size=20),
)
def test_entries_are_the_truths_of_the_literals(negations, drop_first, rows):
    table = pd.DataFrame(COLUMNS)
    transformer = LiteralTransformer(negations=negations, drop_first=drop_first).fit(table)
    shown = table.iloc[rows].reset_index(drop=True)
    flags = transformer.transform(shown)
    bits = transformer.encoder_.encode(shown)
    assert flags.dtype == np.uint8
    for j, literal in enumerate(transformer.encoder_.literals_):
        assert (flags[:, j] == bits.truth(literal)).all()


def test_a_missing_value_satisfies_neither_a_literal_nor_its_negation():
    transformer = LiteralTransformer(drop_first=True).fit({"odor": ["a", "f", "n", None]})
    names = list(transformer.get_feature_names_out())
    assert names == ["odor = f", "odor != f", "odor = n", "odor != n"]
    assert transformer.transform({"odor": [None, "z"]}).tolist() == [[0, 0, 0, 0], [0, 1, 0, 1]]


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, dict])
def test_every_library_gives_the_same_columns(library):
    expected = LiteralTransformer().fit_transform(pd.DataFrame(COLUMNS))
    transformer = LiteralTransformer()
    assert (transformer.fit_transform(library(COLUMNS)) == expected).all()
    assert transformer.feature_names_in_.tolist() == list(COLUMNS)
    assert transformer.n_features_in_ == 4


def test_names_are_the_literal_texts_also_with_set_output():
    transformer = LiteralTransformer().set_output(transform="pandas")
    shown = transformer.fit_transform(pd.DataFrame(COLUMNS))
    assert list(shown.columns) == [str(x) for x in transformer.encoder_.literals_]
    assert shown["odor = f"].tolist() == [1, 0, 0, 0, 0, 1]


def test_input_features_rename_the_columns_of_an_array():
    transformer = LiteralTransformer(negations=False).fit(np.array([[0, 5], [1, 6], [1, 7]]))
    assert transformer.get_feature_names_out(["ill", "stage"])[:2].tolist() == ["ill", "stage = 5"]
    with pytest.raises(InputError, match="length equal to the number of columns of fit, 2"):
        transformer.get_feature_names_out(["ill"])


def test_weights_count_as_repetition():
    table = pd.DataFrame({"x": [0.5, 1.5, 2.5, 3.5, 9.5, 10.25, 11.5, 12.5, 13.5, 14.5, 1.25, 2]})
    weights = np.arange(12)
    repeated = LiteralTransformer(thresholds=3).fit(table.loc[table.index.repeat(weights)])
    weighted = LiteralTransformer(thresholds=3).fit(table, sample_weight=weights)
    assert weighted.encoder_.literals_ == repeated.encoder_.literals_
    assert (
        weighted.encoder_.literals_
        != LiteralTransformer(thresholds=3).fit(table).encoder_.literals_
    )


def test_columns_are_found_by_name():
    table = pd.DataFrame(COLUMNS)
    transformer = LiteralTransformer().fit(table)
    turned = table[table.columns[::-1]].assign(extra=1)
    assert (transformer.transform(turned) == transformer.transform(table)).all()
    with pytest.raises(UnknownColumnError, match="no column 'odor'"):
        transformer.transform(table.drop(columns="odor"))


def test_parameters_reach_the_encoder():
    settings = {"kinds": {"stage": "categorical"}, "thresholds": 2, "missing_values": ["a"]}
    transformer = LiteralTransformer(**settings).fit(pd.DataFrame(COLUMNS))
    encoder = LiteralEncoder(**settings).fit(pd.DataFrame(COLUMNS))
    assert transformer.encoder_.literals_ == encoder.literals_


def test_it_feeds_a_pipeline():
    table = pd.DataFrame(COLUMNS)
    y = [1, 0, 1, 1, 0, 0]
    pipe = make_pipeline(LiteralTransformer(), LogisticRegression()).fit(table, y)
    assert pipe.score(table, y) == 1.0
