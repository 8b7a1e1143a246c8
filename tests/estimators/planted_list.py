"""A table whose outcome follows a list of three layers, with gaps, and one that is confounded."""

import numpy as np
import pandas as pd

from bayesdnf import RuleList

TRUTH = RuleList(["odor = f", "age >= 50 AND flag", "other AND stage = c"])
RISKS = [0.4, 0.02, 0.8, 0.97]


def planted(n=1200, seed=0):
    """Columns of all kinds, and labels by the risk of the row's part in TRUTH."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "odor": rng.choice(["f", "n", "a"], n, p=[0.2, 0.5, 0.3]),
            "age": rng.choice([30, 40, 50, 60], n),
            "flag": rng.integers(0, 2, n),
            "other": rng.integers(0, 2, n),
            "stage": rng.choice(list("abc"), n, p=[0.25, 0.25, 0.5]),
        }
    )
    risk = np.array(RISKS)[TRUTH(table)]
    return table, np.where(rng.random(n) < risk, "ill", "well")


def with_gaps(n=300, seed=1):
    """Rows of the same columns, many values of which are missing or new."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "odor": rng.choice(["f", "n", "a", "new"], n),
            "age": rng.choice([30.0, 49.0, 50.0, 60.0, 99.0], n),
            "flag": rng.choice([0.0, 1.0], n),
            "other": rng.choice([0.0, 1.0], n),
            "stage": rng.choice(list("abc"), n),
        }
    )
    return table.mask(pd.DataFrame(rng.random(table.shape) < 0.2, columns=table.columns))


def confounded(n=800, seed=0):
    """Two sites of different base rates, a column that marks the site, and one that has an effect.

    Returns the table, the labels and the sites.
    """
    rng = np.random.default_rng(seed)
    north = rng.random(n) < 0.5
    table = pd.DataFrame(
        {
            "dialect": np.where(north ^ (rng.random(n) < 0.02), "n", "s"),
            "gene": rng.integers(0, 2, n),
            "noise": rng.integers(0, 2, n),
        }
    )
    risk = np.where(north, 0.55, 0.1) + 0.35 * table["gene"].to_numpy()
    return table, (rng.random(n) < risk).astype(int), np.where(north, "north", "south")
