"""Tables whose outcome is a random decision tree: hard for searches that only walk uphill.

Columns are a few latent factors, thresholded, so that they are correlated as those of real tables
are. The function of a tree is the OR of its positive leaves.
"""

import numpy as np

from bayesdnf import BooleanFunction


def tree_table(seed, n=1000, columns=24, depth=5, factors=4, noise=0.0):
    """Columns (0/1), the outcome, and the function of the tree behind it."""
    rng = np.random.default_rng(seed)
    loads = rng.normal(size=(factors, columns)) * (rng.random((factors, columns)) < 0.5)
    latent = rng.normal(size=(n, factors)) @ loads + 0.7 * rng.normal(size=(n, columns))
    X = (latent > rng.normal(scale=0.5, size=columns)).astype(np.uint8)
    leaves = []

    def grow(rows, path):
        free = [c for c in range(columns) if c not in {c for c, _ in path}]
        share = {c: X[rows, c].mean() for c in free}
        usable = [c for c in free if 0.15 < share[c] < 0.85]
        if len(path) == depth or len(rows) < 20 or not usable:
            if rng.random() < 0.5:
                leaves.append(path)
            return
        column = rng.choice(usable)
        for value in (0, 1):
            grow(rows[X[rows, column] == value], [*path, (column, value)])

    grow(np.arange(n), [])
    names = [[f"x{c}" if value else f"NOT x{c}" for c, value in path] for path in leaves]
    y = np.zeros(n, dtype=bool)
    for path in leaves:
        y |= np.all([X[:, c] == value for c, value in path], axis=0)
    return X, y ^ (rng.random(n) < noise), BooleanFunction(names)
