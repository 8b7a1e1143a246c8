"""Write docs/averaging.md and its figure: what averaging over functions and lists is worth.

Log loss, AUC, Brier score and calibration of the averages, of the best function and list, of the
short rules that stand for an average, and of peers; whether the bars are met that the project set
itself; and where the average of lists loses, with the reason. All from ``benchmarks.peers``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from .measured import Difference, Measured, filled, listed, number, read, seconds, table
from .peers import MOST_ROWS
from .writing import DOCS, stamp

AVERAGED, FUNCTIONS, FOREST = "averaged lists", "averaged functions", "random forest"
SHOWN = (
    AVERAGED,
    FUNCTIONS,
    "representative, 15",
    "representative, 5",
    "list",
    "function",
    FOREST,
    "HistGB",
    "EBM",
    "BART",
    "logistic L1",
    "FasterRisk, 10",
    "FasterRisk, 5",
)
OURS = SHOWN[:6]
SCORES = {"representative, 15": "FasterRisk, 10", "representative, 5": "FasterRisk, 5"}
DRAWN = (AVERAGED, FUNCTIONS, FOREST, "EBM", "BART", "logistic L1")
LOST = 0.05  # a larger difference in log loss to the forest needs an explanation
NEAR = 0.003  # tolerance to the best mean AUC
SEEN = 2  # number of folds on which details were chosen

ABOUT = """\
# Does averaging pay?

`DNFClassifier` predicts with the best function found, or with `layers=4` with the best list.
`PosteriorDNFClassifier` averages over functions (`layers=1`) or lists (`layers=4`) and rates
drawn from the posterior, so its risks include the uncertainty about the rule. A *representative*
rule is the list of at most 15, or 5, literals whose risks are nearest to those of the averaged
lists. All methods have default settings and the same training and test rows; the
[comparison](comparison.md#how-it-was-measured) describes exceptions.
Measured by `make bench-averaging`, which writes this page.
"""

# Reasons why averaged lists lose to the forest, from an inspection of each set.
REASONS: dict[str, str] = {
    "promoters": """84 training rows and 456 literals. The best rules for the *negative* class fit
        the training rows better than any for the positive class, and predict worse. Lists allow
        them, functions with ordered risks do not, and averaged functions are ahead of the forest
        here. The training rows cannot decide between the two
        ([layers](layers.md#when-to-use-which)).""",
    "audiology_cochlear": """180 training rows, 69 columns, many of their levels rare. Lists are
        ahead of functions, but the data support only about seven literals; forests and boosting
        use many more, and rank the test rows almost without error.""",
    "lymphography": """113 training rows support rules of about five literals. All chains agree, so
        more draws do not help. The order of the rows is nearly right (the AUC is close to the
        forest's), but their risks are not: small effects of many columns add up, which regressions
        and boosting model better than a rule.""",
}
CHAINS = """On tic-tac-toe some chains stay tens of nats below the others, at lists that are not the
true function. `diagnostics_` reports that the chains disagree, and averages exclude stuck chains in
regions with almost no posterior mass ([which chains count](trust.md#which-chains-count))."""


def verdicts(found: Measured) -> list[str]:
    """Describe which targets are met."""
    peers = [m for m in found.everywhere(SHOWN) if m not in OURS]
    names = list(found.sets)
    rows = []

    def bar(text: str, holds: bool, figures: str, gap: Difference | None = None) -> None:
        close = gap is not None and abs(gap.mean) <= gap.error
        told = ("yes" if holds else "**no**") + ", within one standard error" * close
        rows.append([text, told, figures])

    others = [m for m in SHOWN if m in found.methods and m not in (*OURS, *peers)]
    beside = [f"{m} ({len(found.shared([m]))} sets)" for m in others]
    for key, text, sign, slack in (
        ("log_loss", "at or below the best peer's mean log loss", -1, 0.0),
        ("auc", f"within {NEAR} of the best mean AUC", 1, NEAR),
    ):
        best = max(peers, key=lambda m: sign * found.mean(m, key, names))
        gap = found.between(AVERAGED, best, key)
        rest = [
            f"{n}: {found.between(AVERAGED, m, key)}" for m, n in zip(others, beside, strict=True)
        ]
        figures = "; ".join([f"{best}: {gap}", *rest])
        bar(f"averaged lists {text}", sign * gap.mean >= -slack, figures, gap)
    for rule, score in SCORES.items():
        for key, title, sign in (("log_loss", "log loss", -1), ("auc", "AUC", 1)):
            gap = found.between(rule, score, key)
            text = f"{rule} ahead of {score} in mean {title}"
            bar(text, sign * gap.mean > 0, f"{gap} ({gap.n_sets} sets)", gap)
    adult = {m: found.get("adult", m) for m in ("list", "representative, 15", AVERAGED)}
    texts = [f"{m} {a['auc']:.3f}" for m, a in adult.items() if a is not None]
    bar(
        "adult: AUC of at least .86",
        all(a is not None and a["auc"] >= 0.86 for a in adult.values()),
        "; ".join(texts),
    )
    behind = losses(found)
    unexplained = [name for name in behind if name not in REASONS]
    bar(
        f"no set loses more than {LOST} log loss to the forest without a reason given below",
        not unexplained,
        f"{len(behind)} sets lose more"
        + (f"; no reason for {listed(unexplained)}" * bool(unexplained)),
    )
    outside = f" Not among them: {listed(beside)}." if beside else ""
    return [
        "## Targets",
        "",
        filled(
            f"""The project set these targets before measuring. Differences are our method minus
            the other, means over the sets that both finished and over all folds on which both were
            measured, with the standard error over sets. The best peer is the best of those that
            finished all {len(names)} sets.{outside}"""
        ),
        "",
        *table(["target", "met", "difference"], rows),
        *short_rules(found),
    ]


def short_rules(found: Measured) -> list[str]:
    """Describe where five literals of a rule are worth less than five items of a score, and why."""
    rule, score = list(SCORES.items())[-1]
    both = found.only([rule, score])
    names = both.shared([rule, score])
    gaps = dict(zip(names, both.gaps(rule, score, "log_loss"), strict=True))
    order = sorted(names, key=lambda name: gaps[name])
    first, last = (
        listed([f"{name} ({gaps[name]:+.2f})" for name in some])
        for some in (order[:3], order[:-4:-1])
    )
    text = f"""{rule} compared with {score}: a list of five literals has at most six groups of
        rows, a score of five items up to 32. In log loss the list gains most on {first}, where
        conditions interact, and loses most on {last}: tables on which many columns have small
        effects, or with so few rows that five literals are chosen by chance."""
    return [filled(text), ""]


def losses(found: Measured) -> dict[str, float]:
    """Return the sets on which averaged lists lose to the forest by more than LOST, worst first."""
    gaps = {}
    for name in found.shared([AVERAGED, FOREST]):
        done = found.done(name)
        gaps[name] = done[AVERAGED]["log_loss"] - done[FOREST]["log_loss"]
    return {n: gaps[n] for n in sorted(gaps, key=lambda n: -gaps[n]) if gaps[n] > LOST}


def reasons(found: Measured) -> list[str]:
    """Explain the sets on which the forest is far ahead."""
    behind = losses(found)
    lines = ["## Where the average of lists loses to the random forest", ""]
    if not behind:
        return [*lines, f"On no set by more than {LOST} log loss.", ""]
    lines += [f"By more than {LOST} log loss:", ""]
    for name, gap in behind.items():
        why = REASONS.get(name, "not explained yet.")
        lines.append(filled(f"- **{name}** ({gap:+.3f}): {why}", "  "))
    return [*lines, ""]


def means(found: Measured) -> list[str]:
    """Average every figure over the sets that all finished, and against averaged lists."""
    methods = found.everywhere(SHOWN)
    names = list(found.sets)
    rows = []
    for m in sorted(methods, key=lambda m: found.mean(m, "log_loss", names)):
        sized = "literals" in found.done(names[0])[m]
        rows.append(
            [
                f"**{m}**" if m in OURS else m,
                *(number(found.mean(m, key, names)) for key in ("log_loss", "auc", "accuracy")),
                number(float(np.mean([found.calibration_error(n, m) for n in names]))),
                number(found.mean(m, "literals", names), 1) if sized else "–",
                seconds(found.mean(m, "seconds", names)),
                "" if m == AVERAGED else str(found.difference(AVERAGED, m, "log_loss")),
                "" if m == AVERAGED else str(found.difference(AVERAGED, m, "auc")),
            ]
        )
    for m in (m for m in SHOWN if m in found.methods and m not in methods):
        gaps = [found.difference(AVERAGED, m, key) for key in ("log_loss", "auc")]
        rows.append([f"{m}, {gaps[0].n_sets} sets", *["–"] * 6, *map(str, gaps)])
    header = "method;log loss;AUC;accuracy;calibration;literals;CPU s;averaged lists: log loss;AUC"
    return [
        "## On average",
        "",
        filled(
            f"""Means over {len(names)} sets; our methods in bold. The last two columns are
            averaged lists minus the method of the row on the sets that both finished, with the
            standard error over sets; a negative log loss and a positive AUC mean that averaged
            lists are better."""
        ),
        "",
        *table(header.split(";"), rows),
    ]


def later_folds(found: Measured) -> list[str]:
    """Average the folds that were measured after everything was settled."""
    lines = [line for line in found.lines if line["fold"] >= SEEN]
    methods = [m for m in SHOWN if m in found.methods]
    later = Measured(x for x in lines if x["method"] in methods)
    names = [n for n in later.sets if all(later.folds(n, m) for m in methods)]
    if len(names) < 2:
        return []
    rows = [
        [
            f"**{m}**" if m in OURS else m,
            *(number(later.mean(m, key, names)) for key in ("log_loss", "auc", "accuracy")),
            "" if m == AVERAGED else str(later.difference(AVERAGED, m, "log_loss")),
            "" if m == AVERAGED else str(later.difference(AVERAGED, m, "auc")),
        ]
        for m in sorted(methods, key=lambda m: later.mean(m, "log_loss", names))
    ]
    short = [
        f"{later.difference(rule, score, key)} {title}"
        for rule, score in list(SCORES.items())[-1:]
        for key, title in (("log_loss", "log loss"), ("auc", "AUC"))
    ]
    return [
        "## Folds measured after all choices were made",
        "",
        filled(
            f"""Means over the third to fifth folds of {len(names)} sets. No code was changed after
            a look at them. The first two folds were seen: three details of representatives were
            chosen after a look at some small sets there (that no further rows are added to their
            means, that a layer costs a tenth of a literal, and how long to search). All else was
            chosen on other tables ([layers](layers.md#the-representative-rule)). On these
            folds, representative, 5 less FasterRisk, 5: {listed(short)}."""
        ),
        "",
        *table(["method", "log loss", "AUC", "accuracy", "averaged lists: log loss", "AUC"], rows),
    ]


def functions_or_lists(found: Measured) -> list[str]:
    """Compare one layer with four, set by set."""
    names = found.shared([AVERAGED, FUNCTIONS])
    gaps = {}
    for name in names:
        done = found.done(name)
        gaps[name] = {
            key: done[AVERAGED][key] - done[FUNCTIONS][key]
            for key in ("log_loss", "auc", "accuracy", "seconds")
        }
    rows = [
        [name, *(f"{gap[key]:+.3f}" for key in ("log_loss", "auc", "accuracy"))]
        for name, gap in sorted(gaps.items(), key=lambda item: item[1]["log_loss"])
    ]
    total = [str(found.difference(AVERAGED, FUNCTIONS, k)) for k in ("log_loss", "auc", "accuracy")]
    better = sum(gap["log_loss"] < 0 for gap in gaps.values())
    return [
        "## Functions or lists",
        "",
        filled(
            f"""Averaged lists (`layers=4`) minus averaged functions (`layers=1`). Lists have the
            lower log loss on {better} of {len(names)} sets."""
        ),
        "",
        *table(["set", "log loss", "AUC", "accuracy"], [*rows, ["*mean*", *total]]),
        filled(CHAINS),
        "",
    ]


def by_set(
    found: Measured, title: str, figure: Callable[[str, str], float | None], lowest: bool | None
) -> list[str]:
    """Lay out one figure of every method on every set, the best in bold."""
    methods = [m for m in SHOWN if m in found.methods]
    rows = []
    for name in found.sets:
        values = [figure(name, m) for m in methods]
        known = [v for v in values if v is not None]
        best = None if lowest is None else min(known) if lowest else max(known)
        digits = 2 if lowest is None else 3
        texts = [number(v, digits) for v in values]
        rows.append(
            [name]
            + [
                f"**{text}**" if v is not None and v == best else text
                for v, text in zip(values, texts, strict=True)
            ]
        )
    return [f"## {title}", "", *table(["set", *methods], rows)]


def tables(found: Measured) -> list[str]:
    """Lay out all figures of all sets."""

    def mean(key: str) -> Callable[[str, str], float | None]:
        return lambda name, method: (found.get(name, method) or {}).get(key)

    def calibration(name: str, method: str) -> float | None:
        return found.calibration_error(name, method) if found.folds(name, method) else None

    return [
        *by_set(found, "Log loss", mean("log_loss"), True),
        *by_set(found, "AUC", mean("auc"), False),
        *by_set(found, "Accuracy", mean("accuracy"), False),
        *by_set(found, "Brier score", mean("brier"), True),
        *by_set(found, "Calibration error", calibration, True),
        *by_set(found, "Seconds of a fit", mean("seconds"), None),
    ]


def draw(found: Measured, names: Sequence[str]) -> None:
    """Draw predicted against observed risk, rows of all sets together."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt
    from scipy.stats import beta

    methods = [m for m in DRAWN if m in found.methods]
    figure, axes = plt.subplots(2, 3, figsize=(11, 7.4), sharex=True, sharey=True)
    for axis, method in zip(axes.flat, methods, strict=False):
        rows, positives, risks = found.bins(method, names)
        rows, positives, risks = (part[rows > 0] for part in (rows, positives, risks))
        low, high = beta.ppf([[0.025], [0.975]], positives + 0.5, rows - positives + 0.5)
        colour = "#d55e00" if method in OURS else "#0072b2"
        axis.plot([0, 1], [0, 1], color="#999999", lw=0.8)
        axis.vlines(risks / rows, low, high, color=colour, lw=1)
        axis.plot(risks / rows, positives / rows, "o-", color=colour, ms=4, lw=1)
        axis.set_title(method, fontsize=11, loc="left")
        axis.spines[["top", "right"]].set_visible(False)
    for axis in axes[-1]:
        axis.set_xlabel("predicted risk")
    for axis in axes[:, 0]:
        axis.set_ylabel("share of positives")
    figure.tight_layout()
    figure.savefig(DOCS / "averaging.png", dpi=110)
    plt.close(figure)


def days(found: Measured, *methods: str) -> str:
    """Describe on which days methods were measured."""
    known = {line["measured"][:10] for line in found.lines if line["method"] in methods}
    first, last = min(known), max(known)
    return f"on {first}" if first == last else f"from {first} to {last}"


def rows_used(found: Measured) -> str:
    """Describe the number of folds of the figures."""
    counts = {n: (len(found.common[n]), of["folds"]) for n, of in found.sets.items()}
    own = [n for n, (_, of) in counts.items() if of == 1]
    used = sorted({k for n, (k, _) in counts.items() if n not in own})
    folds = f"{listed([str(k) for k in used])} {'was' if used == [1] else 'were'}"
    cut = [n for n, of in found.sets.items() if of["train_rows"] == MOST_ROWS]
    return filled(
        f"""There are {len(found.sets)} sets: {listed(own)} have given training and test rows, the
        other sets five folds, of which {folds} measured with all methods. Training rows are cut to
        {MOST_ROWS:,} on {listed(cut)}, the same rows for all methods. A fold of a table of one or
        two hundred rows has a large sampling error; means over sets are more reliable. Sets not
        measured in full and left out: {listed(found.left_out)}. {OURS[0].capitalize()}, {FUNCTIONS}
        and representatives were measured {days(found, *OURS[:4])}, all other methods
        {days(found, *SHOWN[4:])}."""
    )


def main() -> None:
    """Read the table, write the page and the figure."""
    found = read()
    draw(found, found.shared([m for m in DRAWN if m in found.methods]))
    lines = [
        ABOUT,
        rows_used(found),
        "",
        *verdicts(found),
        *means(found),
        "![Predicted against observed risk](averaging.png)",
        "",
        "Calibration: rows of the sets that all these methods finished, in twenty bins of",
        "predicted risk, with 95 % intervals.",
        "",
        *later_folds(found),
        *functions_or_lists(found),
        *reasons(found),
        *tables(found),
    ]
    (DOCS / "averaging.md").write_text("\n".join(lines).rstrip("\n") + "\n")
    stamp(DOCS / "averaging.md", "make bench-averaging", found.lines)
    print("docs/averaging.md and docs/averaging.png are written.")


if __name__ == "__main__":
    main()
