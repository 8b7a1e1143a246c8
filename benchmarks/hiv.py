"""Rules of drug resistance of HIV from its mutations, beside a forest and logistic regression.

1246 isolates by 228 mutations of the reverse transcriptase, resistant or not to lamivudine (3TC)
and to abacavir (ABC). Ten stratified folds, the same for every method. Writes docs/hiv.md.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from bayesdnf import DNFClassifier, PosteriorDNFClassifier

from .folds import FOLDERS
from .writing import RESULTS, arguments, show, stamp, write

PAGE = RESULTS.parents[1] / "docs" / "hiv.md"
DRUGS = {"3TC": "lamivudine", "ABC": "abacavir"}
SECONDS = 15  # at most, for a fit of ours
AVERAGED = "averaged"


def read(drug: str) -> tuple[pd.DataFrame, np.ndarray]:
    """Read mutations as 0/1, which makes one literal of each: the mutation is there."""
    table = pd.read_csv(FOLDERS["hiv"] / f"hiv_nrti_{drug}.csv")
    return table.drop(columns="y"), table["y"].to_numpy()


def methods(jobs: int) -> dict[str, Callable[[], Any]]:
    """Name the methods."""
    ours = {"random_state": 0, "n_jobs": jobs, "time_limit": SECONDS}
    plain = LogisticRegression(l1_ratio=1, solver="liblinear", max_iter=2000)
    strengths = {"C": np.logspace(-2, 2, 9)}
    return {
        "best function": lambda: DNFClassifier(negations=False, **ours),
        "best function with negations": lambda: DNFClassifier(negations=True, **ours),
        AVERAGED: lambda: PosteriorDNFClassifier(layers=1, negations=False, **ours),
        "random forest": lambda: RandomForestClassifier(500, random_state=0, n_jobs=jobs),
        "logistic L1": lambda: GridSearchCV(plain, strengths, scoring="neg_log_loss", cv=5),
    }


def cross_validate(X: pd.DataFrame, y: np.ndarray, make: Callable[[], Any], n: int) -> Any:
    """Return AUC and accuracy of each fold, literals of the rules, and seconds of a fit."""
    rows = []
    for train, test in StratifiedKFold(n, shuffle=True, random_state=0).split(X, y):
        start = time.perf_counter()
        model = make().fit(X.iloc[train], y[train])
        seconds = time.perf_counter() - start
        risk = model.predict_proba(X.iloc[test])[:, 1]
        rule = getattr(model, "function_", None)
        rows.append(
            {
                "auc": roc_auc_score(y[test], risk),
                "accuracy": float(((risk > 0.5) == y[test]).mean()),
                "literals": np.nan if rule is None else sum(map(len, rule.literal_terms)),
                "seconds": seconds,
            }
        )
    return pd.DataFrame(rows)


def measure(drug: str, options: Any) -> list[dict[str, Any]]:
    """Cross-validate all methods on one drug."""
    X, y = read(drug)
    results = []
    for name, make in methods(options.jobs).items():
        folds = cross_validate(X, y, make, 3 if options.quick else 10)
        spread = folds[["auc", "accuracy"]].std() / np.sqrt(len(folds))
        found = {"drug": drug, "method": name, "folds": len(folds), **folds.mean().to_dict()}
        results.append({**found, "auc_error": spread["auc"], "accuracy_error": spread["accuracy"]})
        print(f"{drug}, {name}: AUC {found['auc']:.4f}, accuracy {found['accuracy']:.4f}")
    return results


def table(results: Sequence[dict[str, Any]], drug: str) -> list[str]:
    """Write the results of a drug as a table."""
    rows = [r for r in results if r["drug"] == drug]
    lines = ["| method | AUC | accuracy | literals |", "|---|---:|---:|---:|"]
    best = {key: max(r[key] for r in rows) for key in ("auc", "accuracy")}
    for r in rows:
        cells = []
        for key in best:
            text = f"{r[key]:.4f}"
            text = f"**{text}**" if r[key] == best[key] else text
            cells.append(f"{text} ± {r[f'{key}_error']:.4f}")
        literals = "" if np.isnan(r["literals"]) else f"{r['literals']:.1f}"
        lines.append(f"| {r['method']} | {' | '.join(cells)} | {literals} |")
    return lines


def rules(drug: str, jobs: int) -> list[str]:
    """Fit all isolates: the best function, and what is probable beside it."""
    X, y = read(drug)
    found = methods(jobs)
    best, averaged = (found[name]().fit(X, y) for name in ("best function", AVERAGED))
    risks = [f"{r.mean:.3f} ({r.low:.3f} to {r.high:.3f})" for r in best.risks_]
    lines = [
        f"The best function on all isolates: risk {risks[1]} where it holds,",
        f"{risks[0]} elsewhere. *Gain* is the decrease of the log posterior without the term,",
        "*probability* the term's posterior probability over all functions drawn.",
        "",
        "| mutations | isolates | resistant | gain | probability |",
        "|---|---:|---:|---:|---:|",
    ]
    terms = averaged.draws_.inclusion("term").set_index("what")["probability"]
    probability = {frozenset(text.split(" AND ")): p for text, p in terms.items()}
    of_rule = best.rules_.sort_values("log_gain", ascending=False)
    for row in of_rule.itertuples():
        p = probability.get(frozenset(row.rule.split(" AND ")), 0.0)
        mutations = row.rule.replace("RT", "")
        lines.append(
            f"| {mutations} | {row.rows:.0f} | {row.positives:.0f} | {row.log_gain:.1f} | {p:.3f} |"
        )
    known = {frozenset(rule.split(" AND ")) for rule in of_rule["rule"]}
    others = [
        f"{' AND '.join(sorted(t)).replace('RT', '')} ({p:.2f})"
        for t, p in probability.items()
        if p >= 0.1 and t not in known
    ]
    if others:
        lines += ["", f"Other terms of probability .1 or more: {', '.join(others)}."]
    return lines


def verdict(results: Sequence[dict[str, Any]], drug: str) -> list[str]:
    """Describe the distance of our methods from the best method."""
    rows = {r["method"]: r for r in results if r["drug"] == drug}
    best = max(rows.values(), key=lambda r: r["auc"])
    ours = rows[AVERAGED]
    return [
        f"The highest AUC is that of {best['method']}; averaging over functions is",
        f"{best['auc'] - ours['auc']:.4f} below it in AUC and "
        f"{best['accuracy'] - ours['accuracy']:.4f} in accuracy.",
    ]


def page(results: Sequence[dict[str, Any]], jobs: int) -> str:
    """Write the page."""
    folds = results[0]["folds"]
    lines = [
        "# Drug resistance of HIV",
        "",
        "Which mutations of the reverse transcriptase make HIV resistant to a drug? The data have",
        "1246 isolates and 228 mutations (position, then the amino acid found there), each one",
        f"literal. The figures are means over {folds} stratified folds, the same for all methods,",
        "with standard errors. The best function predicts only two risks, so its AUC is that of a",
        "single cut-off; the average over functions predicts many risks. Our fits have default",
        f"settings and at most {SECONDS} s; the forest has 500 trees; the penalty of the logistic",
        "regression is chosen within each fold.",
        "Measured by `python -m benchmarks.hiv`, which writes this page.",
    ]
    for drug, name in DRUGS.items():
        lines += ["", f"## {drug} ({name})", "", *table(results, drug), ""]
        lines += [*verdict(results, drug), "", *rules(drug, jobs)]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure, print a table, write JSON and the page."""
    options = arguments(__doc__, sets=False).parse_args()
    if not FOLDERS["hiv"].is_dir():
        raise SystemExit("The HIV tables are not at hand (../shared/data/genomics/real).")
    results = [result for drug in DRUGS for result in measure(drug, options)]
    show(
        {
            "drug": "drug",
            "method": "method",
            "auc": "AUC|.4f",
            "accuracy": "accuracy|.4f",
            "literals": "literals|.1f",
            "seconds": "s|.2f",
        },
        results,
    )
    write("hiv", {"hiv": results})
    if not options.quick:
        PAGE.write_text(page(results, options.jobs))
        stamp(PAGE, "python -m benchmarks.hiv")


if __name__ == "__main__":
    main()
