"""Does averaging over functions pay? Log loss, Brier score and calibration on the same folds.

``PosteriorDNFClassifier`` (an average over the posterior) beside ``DNFClassifier`` (the best
function alone), EBM, logistic regression with an L1 penalty chosen by cross-validation, and a
random forest, on the categorical and the HIV sets. Calibration is the expected calibration error:
over ten bins of predicted risk with as many rows each, the mean distance between the mean
prediction and the share of positives. ``make bench-averaging`` sets up the environment that EBM
needs; without it that column is left out. Sets of more than 4000 training rows are cut to 4000 of
them, the same for every method.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from bayesdnf import DNFClassifier, PosteriorDNFClassifier

from .folds import GROUPS, Set, sets
from .writing import RESULTS, arguments, show, write

MOST_ROWS = 4000
SECONDS = 30  # for the sampler and the search, on each fold
DOCS = RESULTS.parents[1] / "docs"
QUICK = ("votes", "monks-1", "lymphography")

Floats = NDArray[np.float64]


def one_hot(estimator: Any) -> Any:
    """Put every level of every column before an estimator as a 0/1 column."""
    return make_pipeline(OneHotEncoder(handle_unknown="ignore"), estimator)


def logistic() -> Any:
    """Logistic regression with an L1 penalty of the best strength."""
    plain = LogisticRegression(l1_ratio=1, solver="liblinear", max_iter=2000)
    return one_hot(GridSearchCV(plain, {"C": np.logspace(-2, 2, 9)}, scoring="neg_log_loss", cv=5))


def ebm() -> Any:
    """Explainable boosting machine; ImportError when interpret is not there."""
    from interpret.glassbox import ExplainableBoostingClassifier

    # Its own defaults, 14 bags of up to 50,000 rounds, take minutes a fold on noiseless sets.
    return ExplainableBoostingClassifier(outer_bags=4, max_rounds=2000, random_state=0, n_jobs=1)


def methods(jobs: int) -> dict[str, Callable[[], Any]]:
    """Name the methods."""
    ours: dict[str, Any] = {
        "negations": False, "random_state": 0, "n_jobs": jobs, "time_limit": SECONDS
    }  # fmt: skip
    found: dict[str, Callable[[], Any]] = {
        "averaged": lambda: PosteriorDNFClassifier(**ours),
        "best function": lambda: DNFClassifier(**ours),
        "EBM": ebm,
        "logistic L1": logistic,
        "random forest": lambda: one_hot(RandomForestClassifier(random_state=0, n_jobs=jobs)),
    }
    try:
        ebm()
    except ImportError:
        del found["EBM"]
    return found


def cross_validate(data: Set, make: Callable[[], Any]) -> tuple[NDArray[np.int64], Floats, float]:
    """Return outcomes and predicted risks of all test rows, and the mean seconds of a fit."""
    outcomes, risks, seconds = [], [], []
    for train, test in data.folds:
        kept = train
        if len(train) > MOST_ROWS:
            kept = np.sort(np.random.default_rng(0).choice(train, MOST_ROWS, replace=False))
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = make().fit(data.X.iloc[kept], data.y[kept])
        seconds.append(time.perf_counter() - start)
        risks.append(model.predict_proba(data.X.iloc[test])[:, 1])
        outcomes.append(data.y[test])
    return np.concatenate(outcomes), np.concatenate(risks), float(np.mean(seconds))


def log_loss(y: NDArray[np.int64], risk: Floats) -> float:
    """Mean log loss; a forest that says never or always pays for 1 in 10^6."""
    given = np.clip(np.where(y == 1, risk, 1 - risk), 1e-6, 1)
    return float(-np.log(given).mean())


def calibration_error(y: NDArray[np.int64], risk: Floats, bins: int = 10) -> float:
    """Mean distance between predicted and observed risk, over bins with as many rows each."""
    order = np.argsort(risk, kind="stable")
    parts = [part for part in np.array_split(order, bins) if len(part)]
    gaps = [abs(risk[part].mean() - y[part].mean()) * len(part) for part in parts]
    return float(sum(gaps) / len(y))


def page(results: Sequence[dict[str, Any]], names: Sequence[str]) -> str:
    """Write the results as a page."""
    measures = {"log_loss": "Log loss", "brier": "Brier score", "calibration": "Calibration error"}
    tables = list(dict.fromkeys(r["set"] for r in results))
    by = {(r["set"], r["method"]): r for r in results}
    better = sum(by[t, "averaged"]["log_loss"] < by[t, "best function"]["log_loss"] for t in tables)
    lowest = [min(names, key=lambda n, t=t: by[t, n]["log_loss"]) for t in tables]
    counted = sorted(set(lowest), key=lambda n: -lowest.count(n))
    winners = ", ".join(f"{n} on {lowest.count(n)}" for n in counted)
    lines = [
        "# Does averaging pay?",
        "",
        "`DNFClassifier` answers with the best function found. `PosteriorDNFClassifier` averages",
        "over functions and rates drawn from the posterior, so that its risks carry the doubt",
        f"about the function too. Both have `negations=False` here and at most {SECONDS} s",
        "for a fit, and else their defaults; the others see every level of every column as a 0/1",
        "column, EBM the texts. EBM has 4 bags of at most 2000 rounds instead of 14 of 50,000, to",
        "end in time; the penalty of the logistic regression is chosen by cross-validation inside",
        "each fold.",
        "Same folds for all, five of them or the set's own split; lower is better everywhere.",
        "`make bench-averaging` measures all of it and writes this page.",
        "",
        f"**Averaging has a lower log loss than the best function alone on {better} of "
        f"{len(tables)} sets.** Of all methods",
        f"the lowest is reached by {winners}: an OR of ANDs with two",
        "risks is a coarser answer than a sum of many small effects, where such a sum is right.",
        "",
        "![Predicted against observed risk](averaging.png)",
        "",
        "Rows of all sets together, ten bins of predicted risk; the bars are 95 % intervals of",
        "the observed share.",
        "",
    ]
    for key, title in measures.items():
        lines += [f"## {title}", "", "| set | " + " | ".join(names) + " |"]
        lines += ["|---|" + "---:|" * len(names)]
        for table in tables:
            row = [by[table, name][key] for name in names]
            best = min(row)
            cells = [f"**{v:.4f}**" if v == best else f"{v:.4f}" for v in row]
            lines.append(f"| {table} | " + " | ".join(cells) + " |")
        means = [np.mean([by[t, name][key] for t in tables]) for name in names]
        lines += ["| *mean* | " + " | ".join(f"{m:.4f}" for m in means) + " |", ""]
    lines += ["## Seconds of a fit", "", "| set | " + " | ".join(names) + " |"]
    lines += ["|---|" + "---:|" * len(names)]
    for table in tables:
        cells = [f"{by[table, name]['seconds']:.2f}" for name in names]
        lines.append(f"| {table} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def draw(risks: dict[str, list[Floats]], outcomes: list[NDArray[np.int64]]) -> None:
    """Draw predicted against observed risk, one curve for each method."""
    import matplotlib as mpl

    mpl.use("Agg")
    from bayesdnf import plots

    y = np.concatenate(outcomes)
    axes = plots.calibration({name: np.concatenate(r) for name, r in risks.items()}, y)
    np.ravel(axes)[0].figure.savefig(DOCS / "averaging.png", dpi=110)


def main() -> None:
    """Measure, print a table, write JSON, the page and the picture."""
    parser = arguments(__doc__, sets=False)
    parser.add_argument("--only", help="names of sets, with commas between")
    options = parser.parse_args()
    chosen = options.only.split(",") if options.only else (QUICK if options.quick else None)
    found = methods(options.jobs)
    results: list[dict[str, Any]] = []
    outcomes: list[NDArray[np.int64]] = []
    risks: dict[str, list[Floats]] = {name: [] for name in found}
    for group in GROUPS:
        for data in sets(group, chosen):
            for name, make in found.items():
                y, risk, seconds = cross_validate(data, make)
                risks[name].append(risk)
                results.append(
                    {
                        "set": data.name,
                        "method": name,
                        "log_loss": log_loss(y, risk),
                        "brier": float(np.mean((risk - y) ** 2)),
                        "calibration": calibration_error(y, risk),
                        "seconds": seconds,
                    }
                )
            outcomes.append(y)
            show(
                {
                    "set": "set",
                    "method": "method",
                    "log_loss": "log loss|.4f",
                    "brier": "Brier|.4f",
                    "calibration": "calibration|.4f",
                    "seconds": "s|.2f",
                },
                results[-len(found) :],
            )
            write("averaging", {"averaging": results})
    if chosen is None:
        (DOCS / "averaging.md").write_text(page(results, list(found)))
        draw(risks, outcomes)


if __name__ == "__main__":
    main()
