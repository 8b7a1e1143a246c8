"""Rule lists for more than two classes beside a random forest and a tree, on scikit-learn's tables.

``python -m benchmarks.classes`` measures, and writes ``benchmarks/results/classes.json``, of which
``benchmarks.comparison`` makes its last section.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.datasets import load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import accuracy_score, log_loss
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from bayesdnf import DNFClassifier

from .writing import RESULTS, write

FILE = "classes"
SETS: dict[str, Callable[..., Any]] = {"iris": load_iris, "wine": load_wine}
METHODS: dict[str, Callable[[], Any]] = {
    "list": lambda: DNFClassifier(random_state=0),
    "random forest": lambda: RandomForestClassifier(random_state=0),
    "tree": lambda: DecisionTreeClassifier(random_state=0),
}
_FOLDS = 5

ABOUT = f"""\
## More than two classes

`DNFClassifier()` (*list*) with at most four layers on tables of more than two classes, compared to
scikit-learn's random forest and tree with default settings. Means over {_FOLDS} stratified folds,
shuffled with seed 0: accuracy, log loss, literals of the list or splits of the tree, seconds of a
fit on one core. `python -m benchmarks.classes` measures them.
"""


def main() -> None:
    """Measure every method on every fold."""
    rows = []
    for name, load in SETS.items():
        X, y = load(return_X_y=True, as_frame=True)
        folds = StratifiedKFold(_FOLDS, shuffle=True, random_state=0)
        for method, make in METHODS.items():
            found = [_measured(make(), X, y.to_numpy(), *fold) for fold in folds.split(X, y)]
            means: dict[str, Any] = {
                key: float(np.mean([own[key] for own in found])) for key in found[0]
            }
            means["size"] = None if np.isnan(means["size"]) else means["size"]
            about = {"set": name, "rows": len(y), "classes": int(y.nunique()), "method": method}
            rows.append(about | means)
            print(rows[-1], flush=True)
    write(FILE, {"rows": rows})


def _measured(model: Any, X: Any, y: Any, train: Any, test: Any) -> dict[str, float]:
    start = time.process_time()
    model.fit(X.iloc[train], y[train])
    seconds = time.process_time() - start
    probabilities = np.clip(model.predict_proba(X.iloc[test]), 1e-15, 1)
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    size = float("nan")
    if isinstance(model, DNFClassifier):
        size = model.function_.n_literals
    elif isinstance(model, DecisionTreeClassifier):
        size = model.get_n_leaves() - 1
    return {
        "accuracy": accuracy_score(y[test], model.predict(X.iloc[test])),
        "log_loss": log_loss(y[test], probabilities, labels=model.classes_),
        "size": size,
        "seconds": seconds,
    }


def section() -> list[str]:
    """Return the section of the page about other learners; empty before anything is measured."""
    file = RESULTS / f"{FILE}.json"
    if not file.exists():
        return []
    rows = json.loads(file.read_text(encoding="utf-8"))["rows"]
    lines = [
        "| set | rows | classes | method | accuracy | log loss | literals or splits | s |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        size = "–" if row["size"] is None else f"{row['size']:.0f}"
        method = f"**{row['method']}**" if row["method"] == "list" else row["method"]
        lines.append(
            f"| {row['set']} | {row['rows']:,} | {row['classes']} | {method} "
            f"| {row['accuracy']:.3f} | {row['log_loss']:.3f} | {size} | {row['seconds']:.2g} |"
        )
    return [ABOUT, "\n".join(lines)]


if __name__ == "__main__":
    main()
