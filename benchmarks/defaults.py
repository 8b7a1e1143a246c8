"""Which default prior, and which literals on offer? Cross-validated log loss, AUC and rule size.

The prior is chosen on mushroom (a tenth of its rows for training), votes, tic-tac-toe, compas,
splice, and simulations. What negations change is measured on every shared set. Run with
``python -m benchmarks.defaults``, or with ``--part prior`` or ``--part literals`` for one of the
two; each writes its part of the page. Sets that are not at hand are left out.
"""

from __future__ import annotations

import re
import time
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import StratifiedKFold

from bayesdnf import DNFClassifier, Geometric, Poisson, Prior, datasets, simulate
from benchmarks.folds import GROUPS, Set, breast_cancer, sets
from benchmarks.writing import RESULTS, SHARED, arguments, stamp, write

SIZES = (1, 2, 3, 5)
COUNTS = (0.1, 0.3, 0.5)
MOST_ROWS = 3000  # training rows in the comparison of literals
PAGE = RESULTS.parents[1] / "docs" / "defaults.md"


def tables() -> dict[str, tuple[pd.DataFrame, np.ndarray]]:
    """Read the sets to choose on."""
    X, y = datasets.load_mushroom()
    few = np.random.default_rng(0).permutation(len(X))[:800]
    found = {"mushroom (800 rows)": (X.iloc[few], (y.iloc[few] == "p").to_numpy().astype(int))}
    for name in ("votes", "tic-tac-toe", "compas", "splice_EI_vs_rest"):
        path = SHARED / "categorical" / f"{name}.csv"
        if path.exists():
            frame = pd.read_csv(path, dtype=str, keep_default_na=False)
            found[name] = (frame.drop(columns="y"), frame["y"].astype(int).to_numpy())
    for n in (250, 1000):
        sample = simulate(n, 100, random_state=n)
        found[f"simulated, {n} rows"] = (sample.X, sample.y.astype(int))
    return found


def cross_validate(X: pd.DataFrame, y: np.ndarray, prior: Prior, jobs: int) -> dict[str, float]:
    """Five-fold log loss, AUC, literals and seconds of one prior on one set."""
    risk, literals, seconds = np.zeros(len(y)), [], []
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
        start = time.process_time()
        clf = DNFClassifier(
            prior=prior, negations=False, random_state=0, n_jobs=jobs, time_limit=20
        )
        clf.fit(X.iloc[train], y[train])
        seconds.append(time.process_time() - start)
        literals.append(clf.function_.n_literals)
        risk[test] = clf.predict_proba(X.iloc[test])[:, 1]
    return {
        "log_loss": float(log_loss(y, risk)),
        "auc": float(roc_auc_score(y, risk)),
        "literals": float(np.mean(literals)),
        "seconds": float(np.mean(seconds)),
    }


def literal_sets(quick: bool) -> list[Set]:
    """Read the sets on which the literals on offer are compared."""
    if quick:
        return [*sets(names=("votes", "monks-1"))]
    return [*(found for group in GROUPS for found in sets(group)), breast_cancer()]


def with_literals(table: Set, negations: bool, jobs: int) -> list[dict[str, float]]:
    """Log loss, AUC, literals and seconds on each fold, with and without negations."""
    results = []
    for train, test in table.folds:
        few = np.random.default_rng(0).permutation(train)[:MOST_ROWS]
        start = time.process_time()
        clf = DNFClassifier(negations=negations, random_state=0, n_jobs=jobs, time_limit=20)
        clf.fit(table.X.iloc[few], table.y[few])
        seconds = time.process_time() - start
        risk = clf.predict_proba(table.X.iloc[test])[:, 1]
        results.append(
            {
                "log_loss": float(log_loss(table.y[test], risk, labels=[0, 1])),
                "auc": float(roc_auc_score(table.y[test], risk)),
                "literals": clf.function_.n_literals,
                "offered": len(clf.encoder_.literals_),
                "seconds": seconds,
            }
        )
    return results


def compare_literals(jobs: int, quick: bool) -> list[dict[str, Any]]:
    """Measure every shared set with and without negations."""
    results = []
    for table in literal_sets(quick):
        levels = [table.X[name].nunique() for name in table.X]
        kind = "numbers" if table.name == "breast_cancer" else "texts"
        row: dict[str, Any] = {
            "set": table.name,
            "columns": len(levels),
            "of_three_levels": sum(n > 2 for n in levels) if kind == "texts" else 0,
            "rows": min(MOST_ROWS, len(table.folds[0][0])),
            "folds": len(table.folds),
        }
        for name, negations in (("without", False), ("with", True)):
            row[name] = with_literals(table, negations, jobs)
            log_losses, aucs, n, seconds = (
                np.mean([r[key] for r in row[name]])
                for key in ("log_loss", "auc", "literals", "seconds")
            )
            print(
                f"{table.name:<22}{name:>8}{log_losses:>10.4f}{aucs:>9.4f}{n:>10.1f}{seconds:>7.2f}",
                flush=True,
            )
        results.append(row)
    return results


def prior_part(results: list[dict[str, Any]]) -> str:
    """Write the grid: log loss of each prior on each set, and the rules' sizes."""
    names = list(dict.fromkeys(r["set"] for r in results))
    found = {(r["set"], r["size_mean"], r["count_p"]): r for r in results}
    chosen = (Prior().size.mean, Prior().count.p)
    lines = [
        "## The prior",
        "",
        "`Prior()` is `Prior(count=Geometric(0.5, start=0), size=Poisson(2))`: half of the prior",
        "mass on *no marker*, each further term half as probable as the one before, and about",
        "three literals in a term. It was chosen on the sets below and has not been changed",
        "since; the [comparison](comparison.md) shows it on sets not used for the choice.",
        "",
        "The figures are five-fold cross-validated log losses of `DNFClassifier(negations=False)`",
        "(in brackets the mean number of literals of its rules),",
        "measured by `python -m benchmarks.defaults --part prior`.",
        "Mushroom is cut to 800 rows, so that the prior has an effect. The priors hardly differ:",
        "with uniform P(S | k), each literal costs about ln p under all of them. The default is",
        "the most conservative of the priors with the best performance.",
        "",
        "| mean of k - 1 | Geometric | " + " | ".join(names) + " |",
        "|---|---|" + "---|" * len(names),
    ]
    for theta in SIZES:
        for p in COUNTS:
            cells = [
                f"{found[name, theta, p]['log_loss']:.4f} ({found[name, theta, p]['literals']:.1f})"
                for name in names
            ]
            star = " (default)" if (theta, p) == chosen else ""
            lines.append(f"| {theta} | {p}{star} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def mean(folds: list[dict[str, float]], key: str) -> float:
    """Average a figure over folds."""
    return float(np.mean([fold[key] for fold in folds]))


def difference(rows: list[dict[str, Any]], key: str, digits: int) -> str:
    """Mean over sets of what negations change, and its standard error."""
    changes = [mean(row["with"], key) - mean(row["without"], key) for row in rows]
    error = np.std(changes, ddof=1) / np.sqrt(len(changes)) if len(changes) > 1 else 0.0
    return f"{np.mean(changes):+.{digits}f} ± {error:.{digits}f}"


def tally(rows: list[dict[str, Any]], key: str) -> str:
    """Count the sets on which negations make a figure lower, higher, or leave it."""
    changes = [round(mean(row["with"], key) - mean(row["without"], key), 4) for row in rows]
    lower, higher = sum(c < 0 for c in changes), sum(c > 0 for c in changes)
    return f"lower on {lower}, higher on {higher} and the same on {len(changes) - lower - higher}"


def literals_part(results: list[dict[str, Any]]) -> str:
    """Write what negations change on each set."""
    texts = [row for row in results if row["of_three_levels"]]
    lines = [
        "## The literals on offer",
        "",
        "Both directions are on offer by default: `age < 45` beside `age >= 45`, `NOT x` beside",
        "`x`, `odor != f` beside `odor = f`. `negations=False` (`--no-negations`) offers `>=`,",
        "`=` and `x` only, as in the paper. Numbers and 0/1 columns need both directions: with one",
        "direction there may be a good rule for one class and none for the other. For columns of",
        "three or more levels `!=` is optional, because `=` of the other levels is an equivalent,",
        "but longer, expression.",
        "",
        "The figures are means over the folds (one fold if a set has its own test rows) of",
        "`DNFClassifier(negations=False)` and `DNFClassifier()`, one thread, at most 20 seconds a",
        f"fit, training rows cut to {MOST_ROWS:,},",
        "measured by `python -m benchmarks.defaults --part literals`.",
        "3+: columns of three or more levels.",
        "",
        "| set | columns | 3+ | rows | log loss, without | with | AUC, without | with "
        "| literals, without | with | CPU s, without | with |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in results:
        cells = [
            f"{mean(row[which], key):.{digits}f}"
            for key, digits in (("log_loss", 4), ("auc", 4), ("literals", 1), ("seconds", 1))
            for which in ("without", "with")
        ]
        lines.append(
            f"| {row['set']} | {row['columns']} | {row['of_three_levels']} | {row['rows']:,} | "
            + " | ".join(cells)
            + " |"
        )
    lines += [
        "",
        f"On the {len(texts)} sets with columns of three or more levels `!=` changes the log loss",
        f"by {difference(texts, 'log_loss', 4)} (mean and standard error over sets), the AUC by",
        f"{difference(texts, 'auc', 4)}, the literals of a rule by",
        f"{difference(texts, 'literals', 1)} and the CPU seconds by",
        f"{difference(texts, 'seconds', 1)}.",
        f"The log loss is {tally(texts, 'log_loss')}, the number of literals",
        f"{tally(texts, 'literals')}; a few sets dominate both means. One",
        "seed was used, and some searches reached their time limit. The figures do not clearly",
        "favour either choice, so `!=` is on offer by default, like the other direction of every",
        "column. With few rows and many columns, as in promoters, `negations=False` can predict",
        "better: it halves the number of literals.",
    ]
    return "\n".join(lines) + "\n"


def measure_priors(jobs: int) -> list[dict[str, Any]]:
    """Measure the grid of priors and print a table."""
    results = []
    print(f"{'set':<22}{'size':>6}{'count':>7}{'log loss':>10}{'AUC':>9}{'literals':>10}{'s':>7}")
    for name, (X, y) in tables().items():
        for theta in SIZES:
            for p in COUNTS:
                prior = Prior(count=Geometric(p, start=0), size=Poisson(theta))
                r = cross_validate(X, y, prior, jobs)
                results.append({"set": name, "size_mean": theta, "count_p": p, **r})
                print(
                    f"{name:<22}{theta:>6}{p:>7}{r['log_loss']:>10.4f}{r['auc']:>9.4f}"
                    f"{r['literals']:>10.1f}{r['seconds']:>7.2f}",
                    flush=True,
                )
    return results


def main() -> None:
    """Measure, print tables, write JSON and the parts of the page that were measured."""
    parser = arguments(__doc__, sets=False)
    parser.add_argument("--part", choices=("prior", "literals"), help="measure one part alone")
    options = parser.parse_args()
    parts = {
        "prior": lambda: prior_part(measured("prior", measure_priors(options.jobs))),
        "literals": lambda: literals_part(
            measured("literals", compare_literals(options.jobs, options.quick))
        ),
    }
    for name, part in parts.items():
        if options.part in (None, name):
            replace_part(part())
            stamp(PAGE, f"python -m benchmarks.defaults --part {name}")


def measured(name: str, results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Write results as JSON, and return them."""
    write(f"defaults_{name}", {name: results})
    return results


def replace_part(text: str) -> None:
    """Put a part in the place of the one with the same title."""
    title = text.partition("\n")[0]
    head, *parts = re.split(r"^(?=## )", PAGE.read_text(), flags=re.MULTILINE)
    kept = [text if part.startswith(title) else f"{part.rstrip()}\n" for part in parts]
    PAGE.write_text("\n".join([f"{head.rstrip()}\n", *kept]))


if __name__ == "__main__":
    main()
