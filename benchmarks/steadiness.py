"""Stability of the representative rule, compared with the best rule.

Between seeds: the same rows, other random numbers. Between halves: rules learned from two halves of
a table, compared on all of its rows. A rule has changed when it parts the rows in another way; how
much that matters say the mean distance between the two risks of a row, and the columns that both
rules use over those that either uses. Risks of the average are shown beside them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from bayesdnf import DNFClassifier, PosteriorDNFClassifier
from bayesdnf.boolean import same_partition
from bayesdnf.model.rule import Rule

from .folds import FOLDERS, Set, read_set
from .writing import DOCS, arguments, between_marks, show, stamp, write

SETS = ("titanic", "votes", "lymphography", "car", "compas", "kr-vs-kp")
LAYERS = (1, 4)
MOST_ROWS = 4000
TIMES = 5  # number of seeds, and of pairs of halves
MARK = "<!-- steadiness -->\n"


class Shown(NamedTuple):
    """A rule on all rows of a table: their parts and risks."""

    rule: Rule
    parts: NDArray[np.intp]
    risks: NDArray[np.float64]


def fitted(
    data: Set, rows: NDArray[np.intp], layers: int, seed: int, jobs: int
) -> dict[str, Shown]:
    """Learn from some rows, and show the rules on all of them."""
    common: dict[str, Any] = {"layers": layers, "random_state": seed, "n_jobs": jobs}
    X, y = data.X.iloc[rows], data.y[rows]
    best = DNFClassifier(**common).fit(X, y)
    drawn = PosteriorDNFClassifier(draws=1000, warmup=500, thin=50, **common).fit(X, y)
    found = {"best": Shown(best.function_, best.parts(data.X), best.predict_proba(data.X)[:, 1])}
    for most in (15, 5):
        rule = drawn.representative(most).rule
        parts = rule(drawn.encoder_.as_table(data.X)).astype(np.intp)
        risks = drawn.representative_proba(data.X, max_literals=most)[:, 1]
        found[f"representative, {most}"] = Shown(rule, parts, risks)
    averaged = drawn.predict_proba(data.X)[:, 1]
    found["average"] = Shown(best.function_, np.zeros(len(data.X), dtype=np.intp), averaged)
    return found


def compared(pairs: list[tuple[dict[str, Shown], dict[str, Shown]]]) -> Iterator[dict[str, Any]]:
    """Describe how often and how far two rules of each kind differ."""
    for kind in pairs[0][0]:
        both = [(one[kind], other[kind]) for one, other in pairs]
        is_rule = kind != "average"
        changed = [not same_partition(one.parts, other.parts) for one, other in both]
        shared = [_shared(one.rule, other.rule) for one, other in both]
        yield {
            "kind": kind,
            "changed": float(np.mean(changed)) if is_rule else None,
            "shared": float(np.mean(shared)) if is_rule else None,
            "apart": float(np.mean([np.abs(a.risks - b.risks).mean() for a, b in both])),
            "literals": float(np.mean([x.rule.n_literals for pair in both for x in pair]))
            if is_rule
            else None,
        }


def _shared(one: Rule, other: Rule) -> float:
    """Columns that both use over those that either uses; 1 for two rules without any."""
    a, b = set(one.attributes), set(other.attributes)
    return len(a & b) / len(a | b) if a | b else 1.0


def halves(y: NDArray[np.int64], number: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Split rows in two halves with as many positives each."""
    rows = np.arange(len(y))
    one, other = train_test_split(rows, test_size=0.5, random_state=number, stratify=y)
    return np.sort(one), np.sort(other)


def measure(data: Set, layers: int, times: int, jobs: int) -> Iterator[dict[str, Any]]:
    """Compare seeds, then halves."""

    def make(rows: NDArray[np.intp], seed: int) -> dict[str, Shown]:
        return fitted(data, rows, layers, seed, jobs)

    every = np.arange(len(data.y))
    by_seed = list(combinations([make(every, seed) for seed in range(times)], 2))
    by_half = []
    for number in range(times):
        one, other = halves(data.y, number)
        by_half.append((make(one, 0), make(other, 0)))
    for between, pairs in (("seeds", by_seed), ("halves", by_half)):
        for row in compared(pairs):
            yield {"set": data.name, "layers": layers, "between": between, **row}


def table(results: list[dict[str, Any]]) -> list[str]:
    """Lines of a table, one for each set and number of layers."""
    by = {(r["set"], r["layers"], r["between"], r["kind"]): r for r in results}
    lines = [
        "| table | layers | changed between seeds | changed between halves | columns in common, "
        "halves | risks apart, halves |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for name, layers in dict.fromkeys((r["set"], r["layers"]) for r in results):

        def cell(between: str, unit: str, form: str, key: tuple[str, int] = (name, layers)) -> str:
            shown = [r for (*k, b, _), r in by.items() if tuple(k) == key and b == between]
            return " / ".join(f"{r[unit]:{form}}" for r in shown if r[unit] is not None)

        cells = (
            cell("seeds", "changed", ".1f"),
            cell("halves", "changed", ".1f"),
            cell("halves", "shared", ".2f"),
            cell("halves", "apart", ".3f"),
        )
        lines.append(f"| {name} | {layers} | " + " | ".join(cells) + " |")
    return lines


def main() -> None:
    """Measure, print a table, write JSON, and docs/layers.md when all was measured."""
    parser = arguments(__doc__, sets=False)
    parser.add_argument("--only", help="names of sets, with commas between")
    parser.add_argument("--layers", type=int, nargs="+", default=LAYERS)
    parser.add_argument("--times", type=int, default=TIMES, help="seeds, and pairs of halves")
    options = parser.parse_args()
    names = options.only.split(",") if options.only else (SETS[:2] if options.quick else SETS)
    times = 2 if options.quick else options.times
    results: list[dict[str, Any]] = []
    for name in names:
        data = read_set(name, FOLDERS["categorical"])
        if data is None:
            continue
        if len(data.y) > MOST_ROWS:
            kept = np.sort(np.random.default_rng(0).choice(len(data.y), MOST_ROWS, replace=False))
            data = Set(name, data.X.iloc[kept], data.y[kept], [])
        for layers in options.layers:
            found = list(measure(data, layers, times, options.jobs))
            results += found
            show(
                {
                    "set": "set",
                    "layers": "layers",
                    "between": "between",
                    "kind": "rule",
                    "changed": "changed|.2f",
                    "shared": "shared|.2f",
                    "apart": "risks apart|.4f",
                    "literals": "literals|.1f",
                },
                found,
            )
            write("steadiness", {"steadiness": results})
    if not (options.quick or options.only):
        page = DOCS / "layers.md"
        between_marks(page, MARK, table(results))
        stamp(page, "python -m benchmarks.steadiness")


if __name__ == "__main__":
    main()
