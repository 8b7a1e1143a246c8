"""Write docs/comparison.md and its figures: accuracy and length beside what others reach.

From the table of ``benchmarks.peers``; the page about averaging, ``benchmarks.averaging``, is made
from the same one.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence

import numpy as np
from scipy.stats import gmean, rankdata

from bayesdnf import Prior
from bayesdnf.versions import versions

from . import classes
from .comparison_figure import GAINS, NAMES, draw, draw_gains
from .measured import Measured, filled, listed, number, read, seconds, table
from .peers import CPU_SECONDS, MEMORY, MOST_ROWS
from .writing import DOCS, stamp

FIGURES = DOCS / "comparison"
OURS = ("function", "list", "representative, 15", "representative, 5")
AVERAGES = ("averaged functions", "averaged lists")
CLOSE = 0.01  # differences in accuracy up to one percentage point count as ties

ABOUT = """\
---
html_theme.sidebar_secondary.remove: true
---

# Comparison with other learners

bayesdnf is compared with {n_peers} other methods, on the same training and test rows of {n_sets}
real or classical tables. *Function* is `DNFClassifier()`, *list* is `DNFClassifier(layers=4)`,
*averaged* is `PosteriorDNFClassifier` with one layer or four, and *representative* is the rule of
at most 15 or 5 literals that approximates the averaged lists. Measured by `make bench-peers`,
which writes this page. The sets on which other methods do better come first. The page about
[averaging](averaging.md) has log loss, calibration and the dates of measurement.

## At a glance

The figures compare our rule list and the average over lists with each other method, on the sets
that both finished. A grey dot is a set, the mark is the mean over sets, and the bar is its 95 %
confidence interval (Student's t). To the right of the line our method is better, in log loss too.
A number at the edge is a mean outside the plot.

{gains}
"""

PANELS = """\
## Accuracy and length, set by set

Up and to the left is better: more accurate with fewer literals. Each panel has its own accuracy
scale. Lines are methods without rules. A mark on the lower edge with a number is below the plot.
0 literals: no rule was found, and every row gets the base rate.

{panels}
"""

BEHIND = """On {here} of {all} sets at least one interpretable method is more accurate than each of
our rules by more than one percentage point. The table shows accuracy, with literals in brackets:
our best rule, the best interpretable method, the number of other interpretable methods ahead by
more than one point, and the best method without rules (our averages included)."""

AVERAGE = """Means of log loss, AUC, accuracy and its rank. On front (Pareto front): the number of
sets on which no other method is at least as accurate with at most as many literals, and better in
one of them."""

AGAINST = """Our rule list on the sets that both methods finished: the number of sets on which it is
ahead or behind in accuracy by more than one percentage point; its mean difference in log loss
(lower is better), AUC and accuracy, with standard errors over sets; and the literals and seconds of
the other method as multiples of those of the list (geometric means)."""

HOW = """\
## How it was measured

- **Rows.** Five stratified folds, shuffled with seed 0; folds measured so far: {folds}. Numbers
  are means over these folds. {own} have a given split into training and test rows, which is used.
  Training rows are cut to {most:,}, the same for all methods, on {cut}. Every value is a category,
  with `?` for missing values; breast cancer has numbers. ± is a standard error over folds.
- **Settings.** Default settings of each method, seed 0, one thread. Exceptions: EBM has 4 bags of
  at most 1,000 rounds instead of 14 of 50,000, to finish in time; BART draws 500 times instead of
  100; the strength of the L1 penalty and the leaves of "tree sized by CV" (2, 4, …, 128) are
  chosen by five inner folds. FasterRisk gets a limit of 5 or 10 items. It requires scikit-learn
  1.2; here it runs with a newer version, with one removed NumPy call replaced. BOA (imodels) is
  left out: with rules of at most three literals it had not finished votes after four minutes.
- **Columns.** bayesdnf, RIPPER, IREP and EBM read texts. FasterRisk gets the 0/1 columns of
  bayesdnf's encoder without negations. All other methods get one 0/1 column for each level and
  scaled numbers.
- **Risks.** RIPPER and IREP predict classes; the risk of a class is the share of positives among
  the training rows with this prediction. Accuracy is that of a risk above one half. In log loss a
  risk of 0 or 1 counts as one in a million.
- **Literals** are the conditions to be read: those of all rules and layers, the items of a score,
  the non-zero coefficients of a regression (RuleFit's included). A tree is written as an OR of
  ANDs, with the conditions on the paths to the leaves that predict 1. In a sum of trees (FIGS)
  every leaf contributes to the prediction, so the paths to all leaves count. Counting splits
  instead would favour trees; the medians over the sets are {splits}.
- **Seconds** are CPU seconds of `fit`, including the encoding of the columns; those of a
  representative rule include the sampling. Every fit is a new process, whose start takes up to a
  tenth of a second. The machine was shared with other work, so seconds may be a third too long.
- **Limits.** {cpu} CPU seconds and {memory} GiB for a fit and its predictions. A method that
  exceeds a limit on any fold is unfinished on that set. Unfinished methods may finish with higher
  limits.
- **With** {versions}; {machine}. bayesdnf's default prior was: {prior}.
"""


def grid(figures: dict[str, str], columns: str) -> str:
    """Lay out figures by name and description, in so many columns on screens of four sizes."""
    cells = [
        f":::{{grid-item}}\n![{about}](comparison/{name}.svg)\n:::"
        for name, about in figures.items()
    ]
    return "\n".join([f"::::{{grid}} {columns}", ":gutter: 2", "", *cells, "::::"])


def reached(figures: dict[str, float]) -> str:
    """Write accuracy and literals."""
    return f"{figures['accuracy']:.3f} ({figures['literals']:.0f})"


def front(found: Measured, name: str) -> list[str]:
    """Return the methods that no other beats on both accuracy and size, on one set."""
    places = {
        m: (figures["accuracy"], -figures["literals"])
        for m, figures in found.done(name).items()
        if "literals" in figures
    }

    def beaten(place: tuple[float, float]) -> bool:
        return any(o != place and o[0] >= place[0] and o[1] >= place[1] for o in places.values())

    return [m for m, place in places.items() if not beaten(place)]


def sets_where_others_lead(found: Measured) -> list[str]:
    """List the sets on which a method with literals is more accurate than all our rules."""
    rows = []
    for name in found.sets:
        done = found.done(name)
        ours = max((m for m in OURS if m in done), key=lambda m: done[m]["accuracy"])
        least = done[ours]["accuracy"] + CLOSE
        better = [
            m
            for m, figures in done.items()
            if m not in OURS and "literals" in figures and figures["accuracy"] > least
        ]
        better.sort(key=lambda m: -done[m]["accuracy"])
        boxes = {m: f["accuracy"] for m, f in done.items() if "literals" not in f}
        if better:
            first, *others = better
            box = max(boxes, key=boxes.__getitem__)
            rows.append(
                [
                    name,
                    f"{ours} {reached(done[ours])}",
                    f"{first} {reached(done[first])}",
                    str(len(others)),
                    f"{box} {boxes[box]:.3f}",
                ]
            )
    if not rows:
        return ["On no set is an interpretable method more accurate by a point than our rules.", ""]
    return [
        "## Where other methods do better",
        "",
        filled(BEHIND.format(here=len(rows), all=len(found.sets))),
        "",
        *table(["set", "our best rule", "best interpretable", "more", "best without rules"], rows),
    ]


def against_each(found: Measured) -> list[str]:
    """Compare a list with each method on the sets that both finished."""
    rows = []
    for method in found.methods:
        names = [] if method == "list" else found.shared(["list", method])
        if not names:
            continue
        pairs = [(found.done(n)["list"], found.done(n)[method]) for n in names]
        gaps = [ours["accuracy"] - other["accuracy"] for ours, other in pairs]
        sizes = [
            other["literals"] / ours["literals"]
            for ours, other in pairs
            if ours["literals"] and other.get("literals")
        ]
        rows.append(
            [
                method,
                str(len(names)),
                str(sum(gap > CLOSE for gap in gaps)),
                str(sum(abs(gap) <= CLOSE for gap in gaps)),
                str(sum(gap < -CLOSE for gap in gaps)),
                *(
                    str(found.difference("list", method, k))
                    for k in ("log_loss", "auc", "accuracy")
                ),
                f"{gmean(sizes):.1f}" if sizes else "–",
                seconds(gmean([other["seconds"] / ours["seconds"] for ours, other in pairs])),
            ]
        )
    header = "method;sets;list ahead;alike;behind;log loss;AUC;accuracy;its literals;its seconds"
    return ["## Against each method", "", filled(AGAINST), "", *table(header.split(";"), rows)]


def summary(found: Measured, names: Sequence[str], methods: Sequence[str]) -> list[str]:
    """Average the methods over sets that all of them finished."""
    ranks = [
        rankdata([-round(found.done(name)[m]["accuracy"], 6) for m in methods]) for name in names
    ]
    mean_ranks = np.mean(ranks, axis=0)
    fronts = [front(found, name) for name in names]
    rows = []
    for i in np.argsort(mean_ranks):
        m = methods[i]
        sizes = [s for name in names if (s := found.done(name)[m].get("literals")) is not None]
        rows.append(
            [
                f"**{m}**" if m in (*OURS, *AVERAGES) else m,
                *(number(found.mean(m, key, names)) for key in ("log_loss", "auc", "accuracy")),
                f"{mean_ranks[i]:.1f}",
                number(statistics.median(sizes), 0) if sizes else "–",
                seconds(statistics.median(found.done(name)[m]["seconds"] for name in names)),
                str(sum(m in on for on in fronts)) if sizes else "–",
            ]
        )
    header = "method;log loss;AUC;accuracy;mean rank;median literals;median s;on front"
    return table(header.split(";"), rows)


def summaries(found: Measured) -> list[str]:
    """Average over the sets that every method finished, and over all sets."""
    shared = found.shared(found.methods)
    everywhere = found.everywhere(found.methods)
    lines = ["## On average", "", filled(AVERAGE), ""]
    if len(everywhere) < len(found.methods):
        missing = listed([m for m in found.methods if m not in everywhere])
        lines += [
            f"All {len(found.sets)} sets, without {missing}, which some sets lack.",
            "",
            *summary(found, list(found.sets), everywhere),
        ]
    if shared:
        lines += [
            filled(f"The {len(shared)} sets that every method finished: {listed(shared)}."),
            "",
            *summary(found, shared, found.methods),
        ]
    return lines


def each_set(found: Measured) -> list[str]:
    """Lay out one table for each set."""
    lines = ["## Each set", ""]
    for name, of in found.sets.items():
        n_folds = len(found.common[name])
        split = f"{n_folds} of 5 folds" if of["folds"] > 1 else f"{of['test_rows']} rows for test"
        values = "levels" if of["levels"] < of["rows"] else "values"
        lines += [
            f"### {name}",
            "",
            f"{of['rows']:,} rows, {of['positives']:,} positive; {of['columns']} columns with "
            f"{of['levels']:,} {values} in all; {split}.",
            "",
        ]
        rows = []
        for method in found.methods:
            figures = found.get(name, method)
            if figures is None:
                told = found.status.get((name, method), "not measured")
                rows.append([method, told, "", "", "", ""])
                continue
            accuracies = [fold["accuracy"] for fold in found.folds(name, method)]
            error = (
                f" ± {statistics.stdev(accuracies) / len(accuracies) ** 0.5:.3f}"
                if len(accuracies) > 1
                else ""
            )
            rows.append(
                [
                    method,
                    number(figures["log_loss"]),
                    number(figures["auc"]),
                    f"{figures['accuracy']:.3f}{error}",
                    number(figures.get("literals"), 1),
                    seconds(figures["seconds"]),
                ]
            )
        lines += table(["method", "log loss", "AUC", "accuracy", "literals", "s"], rows)
    return lines


def how(found: Measured) -> str:
    """Fill in what was used."""
    packages: dict[str, set[str]] = {}
    for line in found.lines:
        for package, value in line["version"].items():
            packages.setdefault(package, set()).add(value)
    installed, prior = versions(), Prior()
    packages |= {"numpy": {installed["numpy"]}, "Python": {installed["python"]}}
    system = installed["platform"]
    processor = f"{'x86-64' if 'x86_64' in system else 'ARM'} {system.partition('-')[0]}"
    simd = installed["simd"].partition(" ")[0]
    trees = {
        m: [f["splits"] for n in found.sets if (f := found.get(n, m)) and "splits" in f]
        for m in found.methods
    }
    split = [n for n, of in found.sets.items() if of["folds"] > 1]
    text = HOW.format(
        folds=listed([str(k) for k in sorted({len(found.common[n]) for n in split})]),
        own=listed([n for n in found.sets if n not in split]).capitalize(),
        most=MOST_ROWS,
        cut=listed([n for n, of in found.sets.items() if of["train_rows"] == MOST_ROWS]),
        splits=listed([f"{m} {statistics.median(s):.0f}" for m, s in trees.items() if s]),
        cpu=CPU_SECONDS,
        memory=MEMORY >> 30,
        versions=", ".join(f"{p} {' and '.join(sorted(v))}" for p, v in packages.items()),
        machine=f"one thread of a shared {processor} machine, our core with {simd}",
        prior=f"count {prior.count}, size {prior.size}",
    )
    title, *points = text.split("\n- ")
    return "\n".join([title, *(filled(f"- {p}", "  ") for p in points), ""])


def main() -> None:
    """Read the table, write the page and the figure."""
    found = read()
    FIGURES.mkdir(exist_ok=True)
    for old in FIGURES.glob("*.svg"):  # figures of sets that were removed
        old.unlink()
    draw(
        {n: (f"{n} ({of['rows']:,} rows)", found.done(n)) for n, of in found.sets.items()}, FIGURES
    )
    draw_gains(found, ("list", "averaged lists"), FIGURES)
    gains = {f"gains-{key.replace('_', '-')}": f"Mean gains in {NAMES[key]}" for key in GAINS}
    panels = {"legend": "Marks and lines"} | {
        name: f"Accuracy against literals on {name}" for name in found.sets
    }
    n_peers = sum(m not in (*OURS, *AVERAGES) for m in found.methods)
    lines = [
        ABOUT.format(n_sets=len(found.sets), n_peers=n_peers, gains=grid(gains, "1 1 2 3")),
        *sets_where_others_lead(found),
        *summaries(found),
        *against_each(found),
        PANELS.format(panels=grid(panels, "1 2 3 3")),
        how(found),
        *each_set(found),
        *classes.section(),
    ]
    (DOCS / "comparison.md").write_text("\n".join(lines).rstrip("\n") + "\n")
    stamp(DOCS / "comparison.md", "make bench-peers", found.lines)
    print("docs/comparison.md and the figures of docs/comparison are written.")


if __name__ == "__main__":
    main()
