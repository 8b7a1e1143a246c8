"""A rule that few rows satisfy."""

import numpy as np


def noisy(n=300, seed=0):
    """A rule that holds rarely and raises the risk to a third only."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, size=(n, 6))
    marked = (X[:, 0] & X[:, 1]) == 1
    return X, (rng.random(n) < np.where(marked, 0.35, 0.02)).astype(int)
