"""Regret of the default search on simulated decision trees: score below the best one ever seen.

Random trees of depth 6 to 9 over 20, 50 and 100 columns (correlated or independent), 2,500 rows,
with and without 2 % noise; half of the tables have near-equal columns and half are searched for the
other class. The reference is ``best_trees.json`` (see ``best_known.py``), as more than one function
may beat the tree itself. ``python -m benchmarks.tree_regret --look 20`` looks for better scores;
``--tables 3 17`` takes only these.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from bayesdnf import LiteralEncoder, Posterior

from .best_known import BestKnown, Problem, compare, regret_arguments
from .tree_tables import tree_table

ROWS = 2500
FACTORS = 4
KINDS = list(itertools.product((6, 7, 8, 9), (20, 50, 100), (True, False), (0.0, 0.02)))
"""Depth, columns, whether they are correlated, noise: a table each."""
QUICK = range(0, len(KINDS), 7)


def tree_problem(number: int) -> Problem:
    """Make the table of a number; every kind of column comes in both polarities."""
    depth, columns, correlated, noise = KINDS[number]
    near_equal, reverse = (depth + number // 2) % 2 == 0, (depth + number) % 2 == 0
    words = [
        f"tree {number}: depth {depth}",
        f"{columns} columns",
        "correlated" if correlated else "independent",
        *(["near-equal"] if near_equal else []),
        *([f"{noise:.0%} noise"] if noise else []),
        *(["reversed"] if reverse else []),
    ]
    X, y, truth = tree_table(
        number,
        ROWS,
        columns,
        depth,
        factors=FACTORS if correlated else 0,
        noise=noise,
        near_equal=columns // 4 if near_equal else 0,
        reverse=reverse,
    )
    bits = LiteralEncoder(negations=True).fit_encode(X)
    return Problem(", ".join(words), bits, y, Posterior(bits, y), truth)


def problems(numbers: Sequence[int]) -> Iterator[Problem]:
    """Yield the tables of these numbers."""
    return map(tree_problem, numbers)


def main() -> None:
    """Compare, print a table, keep every better score."""
    parser = regret_arguments(__doc__)
    parser.add_argument("--tables", type=int, nargs="+", help="only those with these numbers")
    options = parser.parse_args()
    numbers = options.tables or (QUICK if options.quick else range(len(KINDS)))
    compare("tree_regret", problems(numbers), BestKnown("best_trees"), options)


if __name__ == "__main__":
    main()
