"""docs/power.md and its figure, from the lines that benchmarks/power.py wrote."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from .power import (
    CELLS,
    CHAINS,
    LINES,
    MARKERS,
    N_CASES,
    N_CONTROLS,
    N_VARIANTS,
    NULL,
    P0,
    SETTINGS,
    WEAK,
    Cell,
    compared,
)
from .small_sets import measure as measure_small_sets
from .writing import DOCS, read_lines, stamp

BONFERRONI = 0.05 / math.comb(N_VARIANTS, 2)

Line = dict[str, Any]
Lines = Sequence[Line]
Test = Callable[[Line, int], bool]


def is_set(found: Line | None, size: int) -> bool:
    """Return whether variants are those that act, all of them and no other."""
    return found is not None and found["true"] == size and found["false"] == 0


def is_exact(line: Line, size: int) -> bool:
    """Return whether the best function is one term of exactly the variants that act."""
    return len(line["terms"]) == 1 and is_set(line["terms"][0], size)


def is_wrong(line: Line, least: float) -> bool:
    """Return whether a term as probable as that holds a variant that does not act."""
    return any(t["false"] > 0 and t["probability"] >= least for t in line["terms"])


PAIRS: dict[str, tuple[str, Test]] = {
    "scan": ("scan", lambda line, k: is_set(line["gain"], k)),
    "scan by cells": ("scan", lambda line, k: is_set(line["cells"], k)),
    "find_markers": (MARKERS, is_exact),
    "PLINK boost": ("plink", lambda line, k: is_set(line["boost"], k)),
    "PLINK joint": ("plink", lambda line, k: is_set(line["joint-effects"], k)),
}
TRIPLES: dict[str, tuple[str, Test]] = {
    "scan of triples": (MARKERS, lambda line, k: is_set(line["triple"], k)),
    "scan: a true pair": ("scan", lambda line, k: is_set(line["gain"], 2)),
    "find_markers": (MARKERS, is_exact),
    "PLINK boost: a true pair": ("plink", lambda line, k: is_set(line["boost"], 2)),
    "PLINK joint: a true pair": ("plink", lambda line, k: is_set(line["joint-effects"], 2)),
}
COLOURS = ("#d55e00", "#e69f00", "#009e73", "#0072b2", "#56b4e9")


class Results:
    """Lines by cell and method."""

    def __init__(self, lines: Lines) -> None:
        self._lines: dict[tuple[str, str], list[Line]] = {}
        for line in lines:
            self._lines.setdefault((line["cell"], line["method"]), []).append(line)

    def of(self, cell: Cell, method: str, below: int | None = None) -> list[Line]:
        """Lines of a cell, of all sets or those numbered below something."""
        found = self._lines.get((cell.name, method), [])
        return [line for line in found if below is None or line["set"] < below]

    def count(self, cell: Cell, method: str, test: Test) -> tuple[int, int]:
        """How many sets pass, of how many."""
        found = self.of(cell, method)
        return sum(test(line, cell.size) for line in found), len(found)


def of(count: tuple[int, int]) -> str:
    """Write a share as hits of sets."""
    return f"{count[0]}/{count[1]}" if count[1] else ""


def power_table(results: Results, size: int, columns: dict[str, tuple[str, Test]]) -> list[str]:
    """Describe how often each method puts the variants that act first."""
    lines = [
        f"| h² | MAF | π1 | {' | '.join(columns)} | P(true term) |",
        "|---:|---:|---:|" + "---:|" * (len(columns) + 1),
    ]
    for cell in (c for c in CELLS if c.size == size):
        start = f"| {cell.h2} | {cell.maf} |"
        if cell.risk > 1:
            lines.append(f"{start} out of reach |" + " |" * (len(columns) + 1))
            continue
        cells = [of(results.count(cell, *given)) for given in columns.values()]
        true = [
            max((t["probability"] for t in line["terms"] if is_set(t, size)), default=0.0)
            for line in results.of(cell, MARKERS)
        ]
        mean = f"{np.mean(true):.2f}" if true else ""
        lines.append(f"{start} {cell.risk:.3f} | {' | '.join(cells)} | {mean} |")
    # Separate sums: the weak cells were added after the power in the planned cells was near 1.
    for name, cells in {"planned": [c for c in CELLS if c not in WEAK], "weak": WEAK}.items():
        totals = []
        for given in columns.values():
            counts = np.array([results.count(c, *given) for c in cells if c.size == size])
            totals.append(of(tuple(counts.sum(axis=0).tolist())))
        lines.append(f"| *{name}* | | | {' | '.join(totals)} | |")
    return lines


def false_positives(results: Results) -> list[str]:
    """Describe how often terms of some probability are wrong, on null sets and on the others."""
    lines = ["| sets | number | wrong term of P >= .5 | of P >= .95 |", "|---|---:|---:|---:|"]
    for name, cells in {"null": [NULL], "with a marker": CELLS}.items():
        found = [line for cell in cells for line in results.of(cell, MARKERS)]
        wrong = [sum(is_wrong(line, least) for line in found) for least in (0.5, 0.95)]
        lines.append(f"| {name} | {len(found)} | {wrong[0]} | {wrong[1]} |")
    plink = results.of(NULL, "plink")
    if plink:
        below = [sum(x[t]["p"] < BONFERRONI for x in plink) for t in ("boost", "joint-effects")]
        lines += [
            "",
            f"PLINK's best pair of the null sets is below {BONFERRONI:.1e} (.05 over the number of",
            f"pairs) in {below[0]} of {len(plink)} by BOOST and in {below[1]} by joint effects.",
        ]
    return lines


def settings_table(results: Results) -> list[str]:
    """Compare settings of find_markers on the sets that all of them have seen."""
    lines = [
        "| settings | sets | exact | true term among others | wrong term of P >= .5 | "
        "mean P(true term) | median s |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    cells = [*CELLS, NULL]
    seen = set.intersection(
        *(
            {(c, x["set"]) for c in cells for x in results.of(c, name, compared(c))}
            for name in SETTINGS
        )
    )
    for name in SETTINGS:
        found = [
            (cell, line)
            for cell in cells
            for line in results.of(cell, name, compared(cell))
            if (cell, line["set"]) in seen
        ]
        marked = [(cell, line) for cell, line in found if cell.size]
        if not marked:
            continue
        exact = sum(is_exact(line, cell.size) for cell, line in marked)
        among = sum(any(is_set(t, c.size) for t in x["terms"]) for c, x in marked) - exact
        wrong = sum(is_wrong(line, 0.5) for _, line in found)
        true = [
            max((t["probability"] for t in x["terms"] if is_set(t, c.size)), default=0.0)
            for c, x in marked
        ]
        seconds = np.median([line["seconds"] for _, line in found])
        shown = name if name != MARKERS else f"{name}, Poisson(2), keep=200"
        lines.append(
            f"| {shown} | {len(found)} | {exact}/{len(marked)} | {among} | {wrong} | "
            f"{np.mean(true):.2f} | {seconds:.1f} |"
        )
    return lines


def small_sets() -> list[str]:
    """Describe the results on published small data sets, if available."""
    rows = list(measure_small_sets())
    if not rows:
        return []
    lines = [
        "",
        "## Small published sets",
        "",
        "`find_markers` with its defaults, from a PLINK file; accuracy on the same samples.",
        "",
        "| set | samples | variants | causal | best AND | best cells | PLINK boost | accuracy |",
        "|---|---:|---:|---|---|---|---|---:|",
    ]
    for r in rows:
        lines.append(
            f"| {r['set']} | {r['samples']} | {r['variants']} | {r['truth']} | {r['by_and']} | "
            f"{r['by_cells']} | {r['boost'] or ''} | {r['accuracy']:.3f} |"
        )
    lines += ["", *(f"- {r['set']}: `{r['function']}`" for r in rows)]
    return lines


def page(results: Results) -> str:
    """Write the page."""
    unreachable = [f"{c.name}" for c in CELLS if c.risk > 1]
    reach = f"Impossible: {'; '.join(unreachable)}." if unreachable else "All are possible."
    draws = ", ".join(f"{key} {value}" for key, value in CHAINS.items())
    lines = [
        "# Power to find markers",
        "",
        f"Simulated studies of {N_CASES} cases and {N_CONTROLS} controls with {N_VARIANTS}",
        "independent variants, two or three of them causal. Carriers of all causal alleles have",
        f"risk π1, all others π0 = {P0}. π1 is chosen so that the marker explains a share h² of",
        "the outcome's variance in the population, θ(1 - θ)(π1 - π0)² / (K(1 - K)), where θ is the",
        "share of carriers and K the prevalence. Causal variants have the minor allele frequency",
        "(MAF) of the table, others .05 to .5. A cell is impossible if it needs π1 above 1.",
        f"{reach}",
        "",
        "Power is the share of sets in which exactly the causal variants rank first. In the scan",
        "this is the first of all pairs, ranked by gain over single variants, for the best AND or",
        "the best set of genotype cells. In the scan of triples it is the first triple. In",
        "`find_markers` it is the only term of the best function. P(true term) is the mean",
        "posterior probability of the term, 0 if the term is not in the function.",
        "",
        f"`find_markers` runs with `{MARKERS}` and short chains ({draws}), to",
        "finish hundreds of sets. The default, `negations=True`, is slower and has slightly less",
        "power here (see the table of settings): the simulated models are ANDs of carriers of",
        "mostly the minor allele, which need no negations. Other models need them.",
        "",
        "Cells of h² = .02 and more were planned. Cells of .005 and .01 were added after the first",
        "sets, because power was near 1 in the planned cells; the sums are separate.",
        "",
        "PLINK 1.9 reads the same files: `--fast-epistasis boost`, and its test of joint effects,",
        "which skips pairs with fewer than 5 samples in a cell of genotypes and outcome; at low",
        "frequencies this skips many pairs. PLINK tests pairs only: of three causal variants *any*",
        "two count as found, which is easier.",
        "",
        "Measured by `make power`, which writes this page; `FULL=1` takes 100 sets a cell.",
        "",
        "![Power](power.png)",
        "",
        "## Two variants",
        "",
        *power_table(results, 2, PAIRS),
        "",
        "## Three variants",
        "",
        *power_table(results, 3, TRIPLES),
        "",
        "## False positives",
        "",
        "A term is wrong if it contains a variant that is not causal.",
        "",
        *false_positives(results),
        "",
        "## Settings of find_markers",
        "",
        "All settings have the same sets. *True term among others*: exactly the causal variants in",
        "one term of a function with further terms. Poisson is the prior on the size of a term.",
        "",
        *settings_table(results),
        *small_sets(),
    ]
    return "\n".join(lines) + "\n"


def interval(hits: int, sets: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share."""
    z, share = 1.96, hits / sets
    middle = (share + z**2 / (2 * sets)) / (1 + z**2 / sets)
    half = z / (1 + z**2 / sets) * math.sqrt(share * (1 - share) / sets + z**2 / (4 * sets**2))
    return middle - half, middle + half


def draw(results: Results) -> None:
    """Draw power by cell, with intervals."""
    figure, axes = plt.subplots(2, 1, figsize=(10, 7.4), sharey=True)
    for axis, size, columns in zip(axes, (2, 3), (PAIRS, TRIPLES), strict=True):
        cells = [c for c in CELLS if c.size == size and c.risk <= 1]
        for i, (name, given) in enumerate(columns.items()):
            counts = [results.count(cell, *given) for cell in cells]
            known = [j for j, (_, sets) in enumerate(counts) if sets]
            shares = np.array([counts[j][0] / counts[j][1] for j in known])
            ends = np.array([interval(*counts[j]) for j in known]).reshape(-1, 2)
            errors = np.abs(ends.T - shares)
            places = np.array(known) + (i - (len(columns) - 1) / 2) * 0.15
            axis.errorbar(places, shares, errors, fmt="o", ms=5, c=COLOURS[i], lw=1, label=name)
        axis.set_xticks(range(len(cells)), [f"h² {c.h2}\nMAF {c.maf}" for c in cells], fontsize=9)
        axis.set_ylabel("share of sets")
        axis.set_ylim(-0.03, 1.03)
        axis.grid(axis="y", color="#e6e6e6", lw=0.7)
        axis.spines[["top", "right"]].set_visible(False)
        axis.set_title(f"{size} variants", loc="left", fontsize=10.5)
        axis.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False, fontsize=9)
    figure.tight_layout()
    figure.savefig(DOCS / "power.png", dpi=110)
    plt.close(figure)


def write_page() -> None:
    """Write the page and the figure from what is measured so far."""
    lines = read_lines(LINES)
    results = Results(lines)
    draw(results)
    (DOCS / "power.md").write_text(page(results))
    stamp(DOCS / "power.md", "make power", lines)


if __name__ == "__main__":
    write_page()
