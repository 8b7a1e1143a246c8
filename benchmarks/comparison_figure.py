"""The figures of docs/comparison.md: mean gains, and accuracy against literals on each set."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student_t

from .measured import OURS, Measured

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.lines import Line2D

# Colour, marker, filled: one colour for each family. Methods without literals are lines.
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


def draw(panels: dict[str, tuple[str, dict[str, dict[str, Any]]]], folder: Path) -> None:
    """Draw one file for each set: title and results by method, under its name; and a legend."""
    drawn = {method for _, done in panels.values() for method in done}
    for name, (title, done) in panels.items():
        figure, axis = plt.subplots(figsize=(3.6, 3.1), layout="constrained")
        panel(axis, title, done)
        save(figure, folder / f"{name}.svg")
    legend = {m: Line2D([], [], ls="", **marker(m)) for m in LOOKS if m in drawn}
    for method, (colour, style) in LINES.items():
        if method in drawn:
            legend[method] = Line2D([], [], color=colour, ls=style, lw=1.8)
    figure = plt.figure(figsize=(3.6, 3.1))
    figure.legend(legend.values(), legend.keys(), loc="center", ncols=2, frameon=False, fontsize=9)
    save(figure, folder / "legend.svg")


GAINS = {"accuracy": (0.13, 1), "auc": (0.16, 1), "log_loss": (0.4, -1)}  # range, sign
NAMES = {"accuracy": "accuracy", "auc": "AUC", "log_loss": "log loss"}


def draw_gains(found: Measured, ours: Sequence[str], folder: Path) -> None:
    """Draw what ours are ahead by, set by set and in the mean, one file for each measure."""
    others = [m for m in found.methods if m not in OURS]
    for key, (far, better) in GAINS.items():
        figure, axis = plt.subplots(figsize=(4.4, 0.34 * len(others) + 1.3), layout="constrained")
        for place, other in enumerate(others):
            for k, own in enumerate(ours):
                gaps = better * found.gaps(own, other, key)
                y = place + 0.24 * (k - (len(ours) - 1) / 2) * 2
                colour, shape = (("#d55e00", "*"), ("#0072b2", "o"))[k]
                inside = np.abs(gaps) <= far
                axis.plot(
                    gaps[inside], np.full(inside.sum(), y), ".", ms=3, color="#b5b5b5", zorder=1
                )
                gain(axis, gaps, y, far, colour, shape)
        axis.axvline(0, color="#333333", lw=1)
        axis.set_yticks(range(len(others)), others, fontsize=9)
        axis.set_ylim(len(others) - 0.5, -0.5)
        axis.set_xlim(-far, far)
        axis.set_xlabel("behind  ←  mean gain of ours  →  ahead", fontsize=9)
        axis.set_title(NAMES[key], loc="left", fontsize=11)
        axis.tick_params(axis="x", labelsize=8)
        axis.grid(axis="x", color="#e6e6e6", lw=0.7)
        axis.set_axisbelow(True)
        axis.spines[["top", "right", "left"]].set_visible(False)
        axis.tick_params(axis="y", length=0)
        marks = [Line2D([], [], ls="-", color=c, marker=m, ms=9 if m == "*" else 5)
                 for c, m in (("#d55e00", "*"), ("#0072b2", "o"))]  # fmt: skip
        figure.legend(marks, ours, loc="outside lower center", ncols=2, frameon=False, fontsize=9)
        save(figure, folder / f"gains-{key.replace('_', '-')}.svg")


def gain(
    axis: Any, gaps: NDArray[np.float64], y: float, far: float, colour: str, shape: str
) -> None:
    """Draw a mean over sets with its 95 % interval; what lies further out as a number."""
    mean, half = float(gaps.mean()), interval(gaps)
    if abs(mean) > far:
        side = 1 if mean > 0 else -1
        axis.annotate(f"{mean:+.2f}", (side * far, y), (-4 * side, 0), textcoords="offset points",
                      ha="right" if side > 0 else "left", va="center", fontsize=7.5,
                      color=colour)  # fmt: skip
        return
    axis.plot([max(-far, mean - half), min(far, mean + half)], [y, y], color=colour, lw=1.8)
    axis.plot(mean, y, shape, color=colour, ms=9 if shape == "*" else 5, zorder=3)


def interval(gaps: NDArray[np.float64]) -> float:
    """Half the width of the 95 % interval of a mean over sets, by Student's t."""
    spread = float(np.std(gaps, ddof=1)) / len(gaps) ** 0.5
    return float(student_t.ppf(0.975, len(gaps) - 1)) * spread


def save(figure: Any, file: Path) -> None:
    """Write the same bytes for the same figure; texts stay texts."""
    with plt.rc_context({"svg.fonttype": "none", "svg.hashsalt": file.name}):
        figure.savefig(file, metadata={"Date": None})
    plt.close(figure)


def marker(method: str) -> dict[str, Any]:
    """Return how a method's mark looks."""
    colour, shape, filled = LOOKS[method]
    return {
        "marker": shape,
        "ms": (14 if shape == "*" else 7) if filled else (19 if shape == "*" else 10),
        "mfc": colour if filled else "none",  # a ring does not hide marks below it
        "mec": colour,
        "mew": 1.4,
    }


def panel(axis: Any, title: str, done: dict[str, dict[str, Any]]) -> None:
    """Draw one set."""
    bottom, second, *_, top = sorted(result["accuracy"] for result in done.values())
    if second - bottom > (top - second) / 2:  # an outlier would compress the other marks
        bottom = second
    margin = max(0.12 * (top - bottom), 0.004)
    low = bottom - margin
    axis.set_ylim(low, top + margin)
    axis.set_xscale("log")
    axis.set_xlim(0.35, 50_000)
    axis.set_xticks([0.5, 1, 10, 100, 1000, 10_000], ["0", "1", "10", "100", "1k", "10k"])
    axis.set_xlabel("literals (log scale)", fontsize=9)
    axis.set_ylabel("accuracy", fontsize=9)
    axis.tick_params(labelsize=8)
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
