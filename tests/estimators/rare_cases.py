"""A table of rare cases: no rule answers that a row is one, if costs are alike."""

import numpy as np
import pandas as pd


def rare_cases():
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.integers(0, 2, (1500, 4)), columns=list("abcd"))
    risk = np.where((X["a"] == 1) & (X["b"] == 1), 0.15, 0.01)
    return X.assign(y=np.where(rng.random(1500) < risk, "yes", "no"))
