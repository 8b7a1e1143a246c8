"""Performance and risks of representative rules on held-out rows.

On simulated tables of six kinds and on tables of scikit-learn, of which no other benchmark learns
two classes: a few rows to learn from, the others to judge by. "Crossed" are the rules and risks as
they are; "rows alone" what they would be by the rows of the fit without crossed ones; "own risks"
posterior means given the first rules. ``python -m benchmarks.representatives`` prints the figures
that docs/layers.md gives.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.datasets import load_diabetes, load_digits, load_iris, load_wine
from sklearn.metrics import log_loss, roc_auc_score

from bayesdnf import PosteriorDNFClassifier
from bayesdnf.estimators.averaging.representative import find_representative

from .writing import arguments, show, write

SIMULATED = ("logistic", "tree", "list", "exact list", "copies")
COLUMNS, TESTED = 30, 4000
MOST = (5, 15)
TIMES = 3


class Table(NamedTuple):
    """A table, its outcome, and how many of its first rows to learn from."""

    name: str
    X: pd.DataFrame
    y: NDArray[np.int64]
    n: int


def simulated(kind: str, n: int, rng: np.random.Generator) -> Table:
    """Draw a table whose risks follow a model of some kind."""
    N = n + TESTED
    values = (rng.random((N, COLUMNS)) < rng.uniform(0.2, 0.8, COLUMNS)).astype(int)
    if kind == "logistic":
        logit = (values[:, :8] - values[:, :8].mean(axis=0)) @ rng.normal(0, 1.3, 8)
        risk = 1 / (1 + np.exp(-logit))
    elif kind == "tree":
        risk = np.empty(N)
        grow(risk, values, np.arange(N), 4, rng)
    elif kind in ("list", "exact list"):
        risks = (0.2, 0.9, 0.5, 0.05) if kind == "list" else (0.0, 1.0, 0.0, 1.0)
        risk = np.full(N, risks[0])
        for own in risks[1:]:
            risk[values[:, rng.choice(COLUMNS, 2, replace=False)].all(axis=1)] = own
    else:  # noisy copies of one hidden column
        hidden = rng.integers(0, 2, N)
        wrong = rng.random((N, COLUMNS)) < rng.uniform(0.08, 0.4, COLUMNS)
        values, risk = hidden[:, None] ^ wrong.astype(int), np.where(hidden, 0.97, 0.04)
    y = (rng.random(N) < risk).astype(np.int64)
    return Table(f"{kind}, {n} rows", named(values), y, n)


def grow(
    risk: NDArray[np.float64],
    values: NDArray[np.int64],
    rows: NDArray[np.intp],
    depth: int,
    rng: np.random.Generator,
) -> None:
    """Split rows by random columns, and give every leaf a risk."""
    if depth == 0 or len(rows) < 2:
        risk[rows] = rng.beta(0.5, 0.5)
        return
    held = values[rows, rng.integers(COLUMNS)] == 1
    for own in (rows[held], rows[~held]):
        grow(risk, values, own, depth - 1, rng)


def motif(n: int, rng: np.random.Generator) -> Table:
    """Draw sequences of which positives have some letters more often."""
    N = n + TESTED
    letters = rng.choice(list("acgt"), (N, 57))
    y = rng.integers(0, 2, N)
    for place in rng.choice(57, 12, replace=False):
        held = (y == 1) & (rng.random(N) < rng.uniform(0.2, 0.6))
        letters[held, place] = rng.choice(list("acgt"))
    return Table(f"motif, {n} rows", named(letters), y, n)


def named(values: NDArray[Any]) -> pd.DataFrame:
    """Give columns names."""
    return pd.DataFrame(values, columns=[f"x{j}" for j in range(values.shape[1])])


def real(rng: np.random.Generator) -> Iterator[Table]:
    """Cut scikit-learn's tables at random."""
    wine, iris = load_wine(as_frame=True), load_iris(as_frame=True)
    digits, diabetes = load_digits(as_frame=True), load_diabetes(as_frame=True, scaled=False)
    pairs = {(3, 8): 60, (4, 9): 100, (1, 8): 200, (5, 9): 60, (2, 7): 100}
    found = [
        *((f"wine {k}", wine.data, wine.target == k, 60) for k in range(3)),
        ("iris", iris.data[50:], iris.target[50:] == 2, 50),
        *((f"diabetes, {n} rows", diabetes.data, diabetes.target > 140, n) for n in (60, 150, 250)),
        ("digits, even", digits.data, digits.target % 2 == 0, 200),
        ("digits, 8", digits.data, digits.target == 8, 150),
    ]
    for two, n in pairs.items():
        rows = digits.target.isin(two)
        found.append((f"digits {two}", digits.data[rows], digits.target[rows] == two[1], n))
    for name, X, y, n in found:
        order = rng.permutation(len(X))
        yield Table(name, X.iloc[order].reset_index(drop=True), y.to_numpy(int)[order], n)


def tables(seed: int, quick: bool) -> Iterator[Table]:
    """Make all tables of one seed."""
    rng = np.random.default_rng(seed)
    sizes = (100,) if quick else (60, 100, 200)
    for n in sizes:
        yield from (simulated(kind, n, rng) for kind in SIMULATED)
    yield from (motif(n, rng) for n in sizes[-2:])
    yield from real(rng)


def measure(table: Table) -> Iterator[dict[str, Any]]:
    """Learn from the first rows, and judge on the others."""
    X, y, n = table.X, table.y, table.n
    model = PosteriorDNFClassifier(layers=4, random_state=0).fit(X[:n], y[:n])
    tested = X[n:].reset_index(drop=True)
    rows, posterior = model.encoder_.as_table(tested), model._posterior
    for most in MOST:
        shown = model.representative(most)
        alone = find_representative(model.draws_.averaged, posterior, most, 0)
        own = np.array([risk.mean for risk in shown.risks])
        risks = {
            "rows alone": alone.predicted[0, :, 0][alone.rule(rows).astype(int)],
            "crossed": shown.predicted[0, :, 0][shown.rule(rows).astype(int)],
            "own risks": own[shown.rule(rows).astype(int)],
            "average": model.predict_proba(tested)[:, 1],
        }
        for name, risk in risks.items():
            yield {
                "table": table.name,
                "literals": most,
                "risks": name,
                "log_loss": log_loss(y[n:], np.clip(risk, 1e-6, 1 - 1e-6)),
                "auc": roc_auc_score(y[n:], risk),
            }


def main() -> None:
    """Measure, print means and differences from "rows alone", and write JSON."""
    parser = arguments(__doc__, sets=False)
    parser.add_argument("--times", type=int, default=TIMES, help="seeds")
    options = parser.parse_args()
    rows = [
        row
        for seed in range(options.times)
        for table in tables(seed, options.quick)
        for row in measure(table)
    ]
    write("representatives", {"rows": rows})
    found = pd.DataFrame(rows)
    summary = []
    for most in MOST:
        by_risks = found[found["literals"] == most].groupby("risks", sort=False)
        base = by_risks.get_group("rows alone")
        for name, group in by_risks:
            row = {"literals": most, "risks": name, "tables": len(group)}
            for unit in ("log_loss", "auc"):
                gap = group[unit].to_numpy() - base[unit].to_numpy()
                row[unit] = group[unit].mean()
                row[f"{unit}_gap"] = f"{gap.mean():+.4f} ± {gap.std(ddof=1) / len(gap) ** 0.5:.4f}"
            summary.append(row)
    columns = {
        "literals": "literals|d",
        "risks": "risks",
        "log_loss": "log loss|.4f",
        "log_loss_gap": "less rows alone",
        "auc": "AUC|.4f",
        "auc_gap": "less rows alone",
        "tables": "tables|d",
    }
    show(columns, summary)


if __name__ == "__main__":
    main()
