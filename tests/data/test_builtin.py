"""The built-in mushroom data are UCI's, letter by letter."""

from __future__ import annotations

import csv
import hashlib

import pytest

from bayesdnf.datasets import load_mushroom
from tests.beside import DATA, adds

SHARED = DATA / "categorical/mushroom.csv"

# Number of levels in the data, from UCI's description (not all described letters occur).
LEVELS = {
    "cap-shape": 6,
    "cap-surface": 4,
    "cap-color": 10,
    "bruises": 2,
    "odor": 9,
    "gill-attachment": 2,
    "gill-spacing": 2,
    "gill-size": 2,
    "gill-color": 12,
    "stalk-shape": 2,
    "stalk-root": 5,
    "stalk-surface-above-ring": 4,
    "stalk-surface-below-ring": 4,
    "stalk-color-above-ring": 9,
    "stalk-color-below-ring": 9,
    "veil-type": 1,
    "veil-color": 4,
    "ring-number": 3,
    "ring-type": 5,
    "spore-print-color": 9,
    "population": 6,
    "habitat": 7,
}


@pytest.fixture(scope="module")
def mushroom():
    return load_mushroom()


def test_shape_and_classes(mushroom):
    X, y = mushroom
    assert X.shape == (8124, 22)
    assert y.name == "class"
    assert y.value_counts().to_dict() == {"e": 4208, "p": 3916}
    assert y.index.equals(X.index)


def test_columns_and_their_levels(mushroom):
    X, _ = mushroom
    assert list(X.columns) == list(LEVELS)
    assert X.nunique().to_dict() == LEVELS
    assert sum(LEVELS.values()) - 1 == 116  # the paper's dummies, veil-type dropped


def test_every_cell_is_one_letter(mushroom):
    X, y = mushroom
    cells = {cell for name in X for cell in X[name].unique()} | set(y.unique())
    assert all(isinstance(cell, str) and len(cell) == 1 for cell in cells)


def test_question_marks_are_letters_and_only_in_stalk_root(mushroom):
    X, _ = mushroom
    counts = (X == "?").sum()
    assert counts["stalk-root"] == counts.sum() == 2480
    assert not X.isna().any(axis=None)


def test_content_hash(mushroom):
    X, y = mushroom
    lines = (",".join(row) for row in zip(y, *(X[name] for name in X), strict=True))
    digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()
    assert digest == "5f337a91aba07bec5caaad73decfce48dcc34b265e8fe864652699ef39a5178e"


def test_each_call_returns_its_own_copy():
    X, _ = load_mushroom()
    X.loc[0, "odor"] = "changed"
    assert load_mushroom()[0].loc[0, "odor"] == "p"


@adds("independent copy of the built-in table")
def test_equals_an_independent_copy(mushroom):
    X, y = mushroom
    with SHARED.open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == [*X.columns, "y"]
    ours = [list(row) for row in zip(*(X[name] for name in X), strict=True)]
    assert ours == [row[:-1] for row in rows[1:]]
    assert ["1" if label == "p" else "0" for label in y] == [row[-1] for row in rows[1:]]
