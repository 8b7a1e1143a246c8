"""Regret of the default search on real tables: score below the best one ever seen.

Every shared table, whole and in five training folds, with and without negations, beside
``best_known.json`` (see ``best_known.py``). ``python -m benchmarks.real_regret --look 20`` looks
for better scores; ``--names car votes`` takes only these tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from bayesdnf import LiteralEncoder, Posterior

from .best_known import BestKnown, Problem, compare, regret_arguments
from .folds import GROUPS, Set, breast_cancer, sets

LARGE = 20_000  # rows above which only the whole table is searched


def problems(names: list[str] | None, folds: int) -> Iterator[Problem]:
    """Yield the whole table and its training folds, with negations and without."""
    tables = [table for group in GROUPS for table in sets(group, names)]
    if names is None or "breast_cancer" in names:
        tables.append(breast_cancer())
    for table in tables:
        parts = [("whole", np.arange(len(table.y)))]
        if len(table.y) <= LARGE:
            parts += [(f"fold {i}", rows) for i, (rows, _) in enumerate(table.folds)]
        for part, rows in parts[: 1 + folds]:
            for negations in (True, False):
                yield problem(table, part, rows, negations)


def problem(table: Set, part: str, rows: Any, negations: bool) -> Problem:
    """Encode some rows of a table."""
    bits = LiteralEncoder(negations=negations).fit_encode(table.X.iloc[rows])
    y = table.y[rows]
    name = f"{table.name}, {part}, {'negations' if negations else 'as they are'}"
    return Problem(name, bits, y, Posterior(bits, y))


def main() -> None:
    """Compare, print a table, keep every better score."""
    parser = regret_arguments(__doc__)
    parser.add_argument("--names", nargs="+", help="only these tables")
    parser.add_argument("--folds", type=int, default=5, help="training folds of each table")
    options = parser.parse_args()
    found = problems(options.names, 1 if options.quick else options.folds)
    compare("real_regret", found, BestKnown("best_known"), options)


if __name__ == "__main__":
    main()
