"""Write docs/comparison.md and its figure from what ``benchmarks.peers`` measured."""

from __future__ import annotations

import json
import statistics
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import gmean, rankdata

from .comparison_figure import draw
from .writing import RESULTS

DOCS = Path(__file__).parents[1] / "docs"
OURS = ("bayesdnf", "bayesdnf with negations")
CLOSE = 0.01  # one point of accuracy, below which two methods count as alike

ABOUT = """\
# Comparison with other learners

bayesdnf beside ten other methods, on the same training and test rows of {n_sets} real or classical
tables of categories. `make bench-peers` measures and writes this page, numbers and all; the sets on
which others do better come first.

![Accuracy against size, one panel for each set](comparison.png)

Up and to the left is better: more accurate, with less to read. Each panel has its own scale of
accuracy. Lines are methods that have no rules. A mark on the lower edge with a number beside it
lies further down. With 0 literals no rule was worth its length, and every row gets the base rate.
"""

BEHIND = """On {here} of {all} sets at least one method that can be read is more accurate than
bayesdnf's default by more than a point. Accuracy, and literals in brackets; the last column shows
what is reached without rules."""

SAME_CLASS = """There was a rule, but its risk lay on the same side of one half as that of the other
rows, so `predict` gave every row the same class: {}. The rule still ranks the rows, as the AUC
shows; on such tables set a threshold on `predict_proba`."""

AVERAGE = """Means of accuracy, of its rank and of AUC. On front: the number of sets on which no
other method is at least as accurate with at most as many literals, and better in one of them."""

AGAINST = """bayesdnf's default on the sets that both finished: on how many it is ahead or behind in
accuracy by more than a point; its mean lead in points of accuracy and of AUC; and the other's
literals and seconds as multiples of bayesdnf's (geometric means)."""

HOW = """\
## How it was measured

- **Rows.** Five stratified folds, shuffled with seed 0; numbers are means over them. Monks and
  spect come with a training and a test part, which are used as given. Every value is a category,
  `?` for missing among them. On tables of one or two hundred rows a few points of accuracy
  are noise: ± is the standard error over the folds.
- **Settings.** Everyone's defaults, seed 0, one thread. Exceptions: BOA takes rules of at most
  three literals, as its default of ten cannot be enumerated; "tree sized by CV" chooses 2, 4, …,
  128 leaves by five inner folds. bayesdnf is run twice: with `negations=False`, and with
  negations, which is its default. BOA's answers change a little from run to run, whatever the seed.
- **Columns.** bayesdnf, RIPPER, IREP and EBM read texts. The others get one 0/1 column for each
  level; a split on such a column can say "is not", which RIPPER, IREP and bayesdnf without
  negations cannot.
- **AUC** comes from `predict_proba`. RIPPER, IREP and BOA answer with classes here (theirs takes
  seconds or does not exist). bayesdnf knows two risks, one where the rule holds and one where not,
  so methods that rank rows more finely have an advantage in AUC.
- **Literals** are the conditions to be read: those of all rules, and RuleFit's linear terms. A
  tree is written as an OR of ANDs, with the conditions on the paths to the leaves that predict 1.
  In a sum of trees (FIGS) every leaf adds to the answer, so the paths to all leaves count. Counting
  splits instead would favour trees; the medians over the sets are {splits}.
- **Seconds** are CPU seconds of `fit`, the coding of the columns included. Every fit is a new
  process, whose start costs everyone up to a tenth of a second.
- **Limits.** {cpu} CPU seconds and {memory} GiB for a fit and its predictions. A method that breaks
  one on any fold is unfinished on that set. The limits are ours: unfinished does not mean unable.
- **With** {versions}; {machine}. {prior}{runs}
"""


class Results:
    """What was measured, by set and method."""

    def __init__(self, found: dict[str, Any]) -> None:
        self.found = found
        self.sets: list[dict[str, Any]] = found["sets"]
        self.names: list[str] = [one["name"] for one in self.sets]
        self.by_key = {(r["set"], r["method"]): r for r in found["results"]}
        self.methods = list(dict.fromkeys(method for _, method in self.by_key))

    def get(self, name: str, method: str) -> dict[str, Any] | None:
        """Return what a method reached on a set; None when it did not finish."""
        result = self.by_key.get((name, method))
        return result if result is not None and result["status"] == "done" else None

    def done(self, name: str, methods: Iterable[str] | None = None) -> dict[str, dict[str, Any]]:
        """Return the results of the methods that finished a set."""
        wanted = self.methods if methods is None else methods
        return {m: r for m in wanted if (r := self.get(name, m)) is not None}

    def front(self, name: str) -> list[str]:
        """Return the methods that no other beats on both accuracy and size, on one set."""
        sized = {m: r for m, r in self.done(name).items() if "literals" in r}

        def beaten(one: dict[str, Any]) -> bool:
            place = one["accuracy"], -one["literals"]
            others = ((other["accuracy"], -other["literals"]) for other in sized.values())
            return any(o != place and o[0] >= place[0] and o[1] >= place[1] for o in others)

        return [m for m, r in sized.items() if not beaten(r)]


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Lay out a Markdown table, texts on the left and numbers on the right."""
    return [
        f"| {' | '.join(header)} |",
        f"|---|{'---:|' * (len(header) - 1)}",
        *(f"| {' | '.join(row)} |" for row in rows),
        "",
    ]


def number(value: float | None, digits: int = 3) -> str:
    """Write a number; a dash for none."""
    return "–" if value is None else f"{value:.{digits}f}"


def seconds(value: float) -> str:
    """Write seconds, or a multiple of them, with two digits that matter."""
    return f"{value:.2f}" if value < 1 else f"{value:.1f}" if value < 10 else f"{value:.0f}"


def filled(text: str, indent: str = "") -> str:
    """Break a paragraph into lines."""
    return textwrap.fill(
        " ".join(text.split()),
        100,
        subsequent_indent=indent,
        break_on_hyphens=False,
        break_long_words=False,
    )


def reached(result: dict[str, Any]) -> str:
    """Write accuracy and literals."""
    return f"{result['accuracy']:.3f} ({result['literals']:.0f})"


def listed(names: Sequence[str]) -> str:
    """Write "a, b and c"."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]])) if names else "none"


def sets_where_others_lead(results: Results) -> list[str]:
    """List the sets on which a method with literals is more accurate than ours."""
    rows = []
    for name in results.names:
        done = results.done(name)
        if OURS[0] not in done:
            continue
        ours = done[OURS[0]]["accuracy"]
        better = [
            m
            for m, r in done.items()
            if m not in OURS and "literals" in r and r["accuracy"] > ours + CLOSE
        ]
        better.sort(key=lambda m: -done[m]["accuracy"])
        boxes = [f"{m} {r['accuracy']:.3f}" for m, r in done.items() if "literals" not in r]
        if better:
            rows.append(
                [
                    name,
                    *(reached(done[m]) if m in done else "unfinished" for m in OURS),
                    "; ".join(f"{m} {reached(done[m])}" for m in better),
                    "; ".join(boxes),
                ]
            )
    if not rows:
        return ["On no set is a method with literals more accurate by a point than bayesdnf.", ""]
    return [
        "## Where others do better",
        "",
        filled(BEHIND.format(here=len(rows), all=len(results.names))),
        "",
        *table(["set", *OURS, "more accurate by over a point", "without rules"], rows),
    ]


def one_class(results: Results) -> list[str]:
    """Tell of sets on which our classifier gave every row the same class, and why."""
    null, same = [], []
    for name in results.names:
        for method, result in results.done(name, OURS).items():
            folds = [fold for fold in result["folds"] if fold["predicted_positive"] in (0, 1)]
            without = sum(fold["literals"] == 0 for fold in folds)
            for count, where in ((without, null), (len(folds) - without, same)):
                if count:
                    of = f", {count} of {len(result['folds'])} folds" * (len(result["folds"]) > 1)
                    where.append(
                        f"{name} ({'negations' if method == OURS[1] else 'no negations'}{of})"
                    )
    text = ""
    if null:
        text += f"No rule was worth its length, and all rows got the base rate: {listed(null)}. "
    if same:
        text += SAME_CLASS.format(listed(same))
    return [filled(text), ""] if text else []


def against_each(results: Results) -> list[str]:
    """Compare ours with each method on the sets that both finished."""
    rows = []
    for method in results.methods:
        both = [
            (results.by_key[name, OURS[0]], results.by_key[name, method])
            for name in results.names
            if {OURS[0], method} <= results.done(name).keys()
        ]
        if method in OURS or not both:
            continue
        gaps = [ours["accuracy"] - other["accuracy"] for ours, other in both]
        sizes = [
            other["literals"] / ours["literals"]
            for ours, other in both
            if ours["literals"] and other.get("literals")
        ]
        rows.append(
            [
                method,
                str(len(both)),
                str(sum(gap > CLOSE for gap in gaps)),
                str(sum(abs(gap) <= CLOSE for gap in gaps)),
                str(sum(gap < -CLOSE for gap in gaps)),
                f"{100 * statistics.mean(gaps):+.1f}",
                f"{100 * statistics.mean(o['auc'] - other['auc'] for o, other in both):+.1f}",
                f"{gmean(sizes):.1f}" if sizes else "–",
                seconds(gmean([other["seconds"] / ours["seconds"] for ours, other in both])),
            ]
        )
    header = "method;sets;bayesdnf ahead;alike;behind;accuracy;AUC;its literals;its seconds"
    return [
        "## Against each of them",
        "",
        filled(AGAINST),
        "",
        *table(header.split(";"), rows),
    ]


def summary(results: Results, names: Sequence[str], methods: Sequence[str]) -> list[str]:
    """Average the methods over sets that all of them finished."""
    ranks = [
        rankdata([-round(results.by_key[name, m]["accuracy"], 6) for m in methods])
        for name in names
    ]
    mean_ranks = np.mean(ranks, axis=0)

    def over(method: str, key: str, how: Callable[[list[float]], float]) -> float | None:
        values = [results.by_key[name, method].get(key) for name in names]
        return None if None in values else float(how([v for v in values if v is not None]))

    rows = []
    for i in np.argsort(mean_ranks):
        m = methods[i]
        fronts = sum(m in results.front(name) for name in names)
        rows.append(
            [
                m,
                number(over(m, "accuracy", statistics.mean)),
                f"{mean_ranks[i]:.1f}",
                number(over(m, "auc", statistics.mean)),
                number(over(m, "literals", statistics.median), 0),
                seconds(over(m, "seconds", statistics.median) or 0.0),
                "–" if over(m, "literals", statistics.median) is None else str(fronts),
            ]
        )
    header = ("method", "accuracy", "mean rank", "AUC", "median literals", "median s", "on front")
    return table(header, rows)


def summaries(results: Results) -> list[str]:
    """Average over the sets that every method finished, and over all sets."""
    shared = [name for name in results.names if len(results.done(name)) == len(results.methods)]
    everywhere = [m for m in results.methods if all(results.get(n, m) for n in results.names)]
    lines = [
        "## On average",
        "",
        filled(AVERAGE),
        "",
    ]
    if len(everywhere) < len(results.methods):
        missing = [m for m in results.methods if m not in everywhere]
        lines += [
            f"All {len(results.names)} sets, without {listed(missing)}, which did not finish all.",
            "",
            *summary(results, results.names, everywhere),
        ]
    if shared:
        lines += [
            filled(f"The {len(shared)} sets that every method finished: {listed(shared)}."),
            "",
            *summary(results, shared, results.methods),
        ]
    return lines


def each_set(results: Results) -> list[str]:
    """Lay out one table for each set."""
    lines = ["## Each set", ""]
    for one in results.sets:
        split = f"{one['folds']} folds" if one["folds"] > 1 else f"{one['test_rows']} rows for test"
        lines += [
            f"### {one['name']}",
            "",
            f"{one['rows']:,} rows, {one['positives']:,} positive; {one['columns']} columns with "
            f"{one['levels']} levels in all; {split}.",
            "",
        ]
        rows = []
        for method in results.methods:
            result = results.by_key.get((one["name"], method))
            if result is None:
                continue
            if result["status"] != "done":
                rows.append([method, result["status"], "", "", ""])
                continue
            accuracies = [fold["accuracy"] for fold in result["folds"]]
            error = (
                f" ± {statistics.stdev(accuracies) / len(accuracies) ** 0.5:.3f}"
                if len(accuracies) > 1
                else ""
            )
            rows.append(
                [
                    method,
                    f"{result['accuracy']:.3f}{error}",
                    number(result["auc"]),
                    number(result.get("literals"), 1),
                    seconds(result["seconds"]),
                ]
            )
        lines += table(["method", "accuracy", "AUC", "literals", "s"], rows)
    return lines


def how(results: Results) -> str:
    """Fill in what was used."""
    found = results.found
    packages: dict[str, set[str]] = {"Python": {found["versions"]["python"]}}
    priors, runs = set(), {result["run"] for result in found["results"]}
    for result in found["results"]:
        for package, value in result["versions"].items():
            if package == "prior":
                priors.add(value)
            else:
                packages.setdefault(package, set()).add(value)
    packages["numpy"] = {found["versions"]["numpy"]}
    system = found["versions"]["platform"]
    machine = f"{'x86-64' if 'x86_64' in system else 'ARM'} {system.partition('-')[0]}"
    installed = found["versions"]  # results of 0.1 say "kernel" where later ones say "simd"
    simd = installed.get("simd", installed.get("kernel", "")).partition(" ")[0]
    trees = {
        m: [r["splits"] for name in results.names if (r := results.get(name, m)) and "splits" in r]
        for m in results.methods
    }
    counted = [f"{m} {statistics.median(s):.0f}" for m, s in trees.items() if s]
    later = Counter(r["method"] for r in found["results"] if r["run"] > min(runs))
    again = [f"{method} on {n} set{'s' * (n > 1)}" for method, n in later.items()]
    text = HOW.format(
        splits=listed(counted),
        cpu=found["limits"]["cpu_seconds"],
        memory=found["limits"]["bytes"] >> 30,
        versions=", ".join(f"{p} {' and '.join(sorted(v))}" for p, v in packages.items()),
        machine=f"one thread of a shared {machine} machine, our core with {simd}",
        prior=f"bayesdnf's default prior was: {'; '.join(sorted(priors))}.",
        runs=f" Measured again after the first run: {listed(again)}." if again else "",
    )
    title, *points = text.split("\n- ")
    return "\n".join([title, *(filled(f"- {p}", "  ") for p in points), ""])


def main() -> None:
    """Read the results, write the page and the figure."""
    if not (RESULTS / "peers.json").exists():
        print("Nothing to write of: benchmarks.peers has not been run in full.")
        return
    results = Results(json.loads((RESULTS / "peers.json").read_text()))
    DOCS.mkdir(exist_ok=True)
    panels = {f"{s['name']} ({s['rows']:,} rows)": results.done(s["name"]) for s in results.sets}
    draw(panels, DOCS / "comparison.png")
    lines = [
        ABOUT.format(n_sets=len(results.sets)),
        *sets_where_others_lead(results),
        *one_class(results),
        *summaries(results),
        *against_each(results),
        how(results),
        *each_set(results),
    ]
    (DOCS / "comparison.md").write_text("\n".join(lines).rstrip("\n") + "\n")
    print("docs/comparison.md and docs/comparison.png are written.")


if __name__ == "__main__":
    main()
