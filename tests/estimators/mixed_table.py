"""A small table with a column of every kind, and labels that follow one of them."""

import pandas as pd

COLUMNS = {
    "odor": ["f", "n", None, "a", "n"] * 24,
    "site": pd.Categorical(["A", "B", "B", "C", "A"] * 24),
    "age": [30.5, float("nan"), 70.25, 41.0, 12.0] * 24,
    "stage": [1, 2, 3, 1] * 30,
    "ill": [True, False, True] * 40,
    "flag": [0, 1] * 60,
}
LABELS = ["bad" if odor == "f" else "fine" for odor in COLUMNS["odor"]]
