"""Tables whose outcome is a random decision tree: hard for greedy searches.

Columns are a few latent factors, thresholded, so that they are correlated as those of real tables
are. The function of a tree is the OR of its positive leaves; that of the other class, the OR of the
others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesdnf import BooleanFunction

_FLIPPED = 0.01  # share of rows in which near-equal columns differ


class TreeTable(NamedTuple):
    """Columns (0/1), the outcome, and the function of the tree behind it."""

    X: NDArray[np.uint8]
    y: NDArray[np.bool_]
    function: BooleanFunction


def tree_table(
    seed: int,
    n: int = 1000,
    columns: int = 24,
    depth: int = 5,
    factors: int = 4,
    noise: float = 0.0,
    near_equal: int = 0,
    reverse: bool = False,
) -> TreeTable:
    """Grow a tree on random columns.

    Parameters
    ----------
    seed : int
        Same seed, same table.
    n, columns : int
        Size of the table.
    depth : int
        Most literals of a leaf.
    factors : int
        What the columns have in common; 0: they are independent.
    noise : float
        Share of rows whose outcome is turned round.
    near_equal : int
        How many of the last columns are nearly equal to one of the first.
    reverse : bool
        Whether the other leaves are the positive ones.
    """
    rng = np.random.default_rng(seed)
    loads = rng.normal(size=(factors, columns)) * (rng.random((factors, columns)) < 0.5)
    latent = rng.normal(size=(n, factors)) @ loads + 0.7 * rng.normal(size=(n, columns))
    X = (latent > rng.normal(scale=0.5, size=columns)).astype(np.uint8)
    if near_equal:
        flipped = rng.random((n, near_equal)) < _FLIPPED
        X[:, -near_equal:] = X[:, :near_equal] ^ flipped
    leaves: tuple[list[list[tuple[int, int]]], ...] = [], []

    def grow(rows: NDArray[np.intp], path: list[tuple[int, int]]) -> None:
        free = [c for c in range(columns) if c not in {c for c, _ in path}]
        share = {c: X[rows, c].mean() for c in free}
        usable = [c for c in free if 0.15 < share[c] < 0.85]
        if len(path) == depth or len(rows) < 20 or not usable:
            leaves[rng.random() < 0.5].append(path)
            return
        column = rng.choice(usable)
        for value in (0, 1):
            grow(rows[X[rows, column] == value], [*path, (column, value)])

    grow(np.arange(n), [])
    positive = leaves[not reverse]
    names = [[f"x{c}" if value else f"NOT x{c}" for c, value in path] for path in positive]
    y = np.zeros(n, dtype=bool)
    for path in positive:
        y |= np.all([X[:, c] == value for c, value in path], axis=0)
    return TreeTable(X, y ^ (rng.random(n) < noise), BooleanFunction(names))
