"""The figure of docs/comparison.md: accuracy against literals, one panel for each set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.lines import Line2D

COLUMNS = 4

# Colour, marker, filled: one colour for each family. Lines: methods without literals.
LOOKS: dict[str, tuple[str, str, bool]] = {
    "function": ("#d55e00", "*", False),
    "list": ("#d55e00", "*", True),
    "representative, 15": ("#d55e00", "h", True),
    "representative, 5": ("#d55e00", "h", False),
    "RIPPER": ("#0072b2", "o", True),
    "IREP": ("#0072b2", "o", False),
    "FasterRisk, 10": ("#009e73", "D", True),
    "FasterRisk, 5": ("#009e73", "D", False),
    "SkopeRules": ("#cc79a7", "s", False),
    "RuleFit": ("#cc79a7", "s", True),
    "FIGS": ("#e69f00", "P", True),
    "logistic L1": ("#e69f00", "X", False),
    "tree": ("#333333", "^", False),
    "tree sized by CV": ("#333333", "^", True),
}
LINES = {
    "averaged lists": ("#d55e00", "-"),
    "averaged functions": ("#d55e00", "--"),
    "EBM": ("#56b4e9", "--"),
    "BART": ("#56b4e9", ":"),
    "HistGB": ("#999999", "--"),
    "random forest": ("#999999", ":"),
}


def draw(panels: dict[str, dict[str, dict[str, Any]]], file: Path) -> None:
    """Draw panels by title, each with results by method."""
    n_rows = -(-len(panels) // COLUMNS)
    height = 2.9 * n_rows + 1.3
    figure, axes = plt.subplots(n_rows, COLUMNS, figsize=(13, height), squeeze=False)
    for axis, (title, done) in zip(axes.flat, panels.items(), strict=False):
        panel(axis, title, done)
    for axis in axes.flat[len(panels) :]:
        axis.set_visible(False)
    for axis in axes[:, 0]:
        axis.set_ylabel("accuracy on test rows")
    for axis in axes[-1]:
        axis.set_xlabel("literals (log scale)")
    drawn = {method for done in panels.values() for method in done}
    legend = {m: Line2D([], [], ls="", **marker(m)) for m in LOOKS if m in drawn}
    for method, (colour, style) in LINES.items():
        if method in drawn:
            legend[f"{method} (no literals)"] = Line2D([], [], color=colour, ls=style, lw=1.8)
    figure.legend(
        legend.values(), legend.keys(), loc="lower center", ncols=5, frameon=False, fontsize=10
    )
    figure.tight_layout(rect=(0, 1.1 / height, 1, 1), h_pad=1.2)
    figure.savefig(file, dpi=110)
    plt.close(figure)


def marker(method: str) -> dict[str, Any]:
    """Return how a method's mark looks."""
    colour, shape, filled = LOOKS[method]
    return {
        "marker": shape,
        "ms": (14 if shape == "*" else 7) if filled else (19 if shape == "*" else 10),
        "mfc": colour if filled else "none",  # a ring, so that what lies under it is seen
        "mec": colour,
        "mew": 1.4,
    }


def panel(axis: Any, title: str, done: dict[str, dict[str, Any]]) -> None:
    """Draw one set."""
    bottom, second, *_, top = sorted(result["accuracy"] for result in done.values())
    if second - bottom > (top - second) / 2:  # one far below would press the others together
        bottom = second
    margin = max(0.12 * (top - bottom), 0.004)
    low = bottom - margin
    axis.set_ylim(low, top + margin)
    axis.set_xscale("log")
    axis.set_xlim(0.35, 50_000)
    axis.set_xticks([0.5, 1, 10, 100, 1000, 10_000], ["0", "1", "10", "100", "1k", "10k"])
    axis.minorticks_off()
    axis.grid(color="#e6e6e6", lw=0.7)
    axis.set_axisbelow(True)
    axis.spines[["top", "right"]].set_visible(False)
    axis.set_title(title, fontsize=10.5, loc="left")
    for method, result in done.items():
        if method in LINES:
            colour, style = LINES[method]
            axis.axhline(result["accuracy"], color=colour, ls=style, lw=1.8, zorder=1)
            continue
        x, y = max(result["literals"], 0.5), max(result["accuracy"], low)
        look = marker(method)
        axis.plot(x, y, ls="", clip_on=False, zorder=5 if look["marker"] == "*" else 3, **look)
        if result["accuracy"] < low:
            text = f"{result['accuracy']:.2f}"
            axis.annotate(text, (x, y), (7, 4), textcoords="offset points", fontsize=8)
