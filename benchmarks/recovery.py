"""Whether known functions are recovered exactly from the shared sets.

Default prior and settings; columns of codes are categorical.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from bayesdnf import LiteralEncoder, Posterior, hunt

from .writing import SHARED, arguments, show, write


class Known(NamedTuple):
    """A set whose function is known: files, encoding, and its shape."""

    name: str
    train: str
    test: str | None
    kind: str
    negations: bool
    shape: str  # terms x literals, if the smallest form is known


SETS = [
    Known("tic-tac-toe", "categorical/tic-tac-toe.csv", None, "categorical", False, "8 x 3"),
    *(
        Known(
            f"monks-{i}",
            f"categorical/monks-{i}_train.csv",
            f"categorical/monks-{i}_test.csv",
            "categorical",
            True,
            shape,
        )
        for i, shape in ((1, "1 + 3 x 2"), (2, "15 x 6"), (3, "2 x 2"))
    ),
    Known(
        "logicfs", "genomics/simulated/logicfs_3term.csv", None, "categorical", False, "1 + 2 + 3"
    ),
    Known("mux6", "genomics/simulated/mux6.csv", None, "binary", True, "4 x 3"),
    Known("mux11", "genomics/simulated/mux11.csv", None, "binary", True, "8 x 4"),
]


def read(file: Path) -> tuple[pd.DataFrame, pd.Series[int]]:
    """Read a table whose last column is the outcome."""
    table = pd.read_csv(file)
    return table.iloc[:, :-1], table.iloc[:, -1]


def recover(known: Known, n_jobs: int) -> dict[str, Any]:
    """Search one set and count errors."""
    X, y = read(SHARED / known.train)
    encoder = LiteralEncoder(
        negations=known.negations, kinds=dict.fromkeys(X.columns, known.kind)
    ).fit(X)
    posterior = Posterior(encoder.encode(X), y)
    start = time.perf_counter()
    found = hunt(posterior, n_jobs=n_jobs, random_state=0)
    seconds = time.perf_counter() - start
    result: dict[str, Any] = {
        "name": known.name,
        "p": posterior.bits.n_literals,
        "n": posterior.n,
        "known": known.shape,
        "terms": len(found.function),
        "literals": found.function.n_literals,
        "errors": int((found.function(encoder.as_table(X)) != (y == 1)).sum()),
        "log_posterior": found.log_posterior,
        "function": str(found.function),
        "seconds": seconds,
        "restarts": found.restarts,
        "agreement": found.agreement,
        "stopped": found.stopped,
    }
    if known.test is not None:
        X_test, y_test = read(SHARED / known.test)
        right = found.function(encoder.as_table(X_test)) == (y_test == 1)
        result["test_accuracy"] = float(right.mean())
    return result


def main() -> None:
    """Measure, print a table and the functions, write JSON."""
    options = arguments(__doc__, sets=False).parse_args()
    if not SHARED.is_dir():
        print("The shared sets are not on this machine, so there is nothing to recover.")
        return
    results = [recover(known, options.jobs) for known in SETS]
    show(
        {
            "name": "set",
            "p": "p",
            "n": "n",
            "known": "known",
            "terms": "terms",
            "literals": "literals",
            "errors": "errors",
            "test_accuracy": "test accuracy|.1%",
            "log_posterior": "log posterior|.3f",
            "seconds": "s|.3f",
            "restarts": "restarts",
            "agreement": "agreed",
            "stopped": "stopped by",
        },
        results,
    )
    for result in results:
        print(f"{result['name']}: {result['function']}")
    write("recovery", {"recovery": results})


if __name__ == "__main__":
    main()
