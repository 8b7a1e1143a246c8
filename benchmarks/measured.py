"""Results of ``benchmarks.peers`` by data set and method, for the pages of the documentation.

A method is unfinished on a set when it broke a limit on one of its folds. Figures are means over
those folds of a set that all other methods have which were measured on it, ours among them; sets
that ours or most methods were not measured on are left out. Differences between two methods are
taken set by set, and their standard error is that of a mean over sets.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .folds import GROUPS
from .methods import METHODS
from .peers import FILE
from .writing import read_lines

OURS = [a for method in METHODS.values() if method.package == "bayesdnf" for a in method.answers]
ORDER = [answer for method in METHODS.values() for answer in method.answers]
UNITS = ("log_loss", "brier", "auc", "accuracy", "literals", "splits", "seconds")


class Difference(NamedTuple):
    """A mean difference over sets, and its standard error."""

    mean: float
    error: float
    n_sets: int

    def __str__(self) -> str:
        return f"{self.mean:+.3f} ± {self.error:.3f}"


class Measured:
    """The table of (set, fold, method), with means over folds."""

    def __init__(self, lines: Iterable[dict[str, Any]]) -> None:
        self.lines = list(lines)
        self.status: dict[tuple[str, str], str] = {}
        folds: dict[tuple[str, str], dict[int, dict[str, Any]]] = {}
        for line in self.lines:
            key = line["set"], line["method"]
            if line["status"] == "done":
                folds.setdefault(key, {})[line["fold"]] = line
            else:
                self.status[key] = line["status"]
        seen = {method for _, method in [*folds, *self.status]}
        self.methods = [method for method in ORDER if method in seen]
        described = {line["set"]: line["of"] for line in self.lines}
        described = {name: described[name] for name in sorted(described, key=order)}
        self.common = {name: self._common(name, folds) for name in described}
        tried = Counter(name for name, _ in {*folds, *self.status})
        self.sets = {
            name: of
            for name, of in described.items()
            if self.common[name] and 2 * tried[name] >= len(self.methods)
        }
        self.left_out = [name for name in described if name not in self.sets]
        self._folds = {
            (name, method): [folds[name, method][fold] for fold in self.common[name]]
            for name in self.sets
            for method in self.methods
            if (name, method) not in self.status and (name, method) in folds
        }

    def _common(self, name: str, folds: dict[tuple[str, str], dict[int, Any]]) -> list[int]:
        """Return the folds of a set that all methods have which were measured, ours among them."""
        found = [
            set(folds.get((name, method), ()))
            for method in self.methods
            if (name, method) not in self.status and (method in OURS or (name, method) in folds)
        ]
        return sorted(set.intersection(*found)) if found else []

    def folds(self, name: str, method: str) -> list[dict[str, Any]]:
        """Return what a method reached on each fold; nothing when it did not finish."""
        return self._folds.get((name, method), [])

    def get(self, name: str, method: str) -> dict[str, float] | None:
        """Return the means over folds; None when the method did not finish."""
        folds = self.folds(name, method)
        if not folds:
            return None
        return {key: float(np.mean([f[key] for f in folds])) for key in UNITS if key in folds[0]}

    def done(self, name: str) -> dict[str, dict[str, float]]:
        """Return the means of the methods that finished a set."""
        return {m: found for m in self.methods if (found := self.get(name, m)) is not None}

    def shared(self, methods: Iterable[str]) -> list[str]:
        """Return the sets that all of these methods finished."""
        wanted = list(methods)
        return [name for name in self.sets if all(self.folds(name, m) for m in wanted)]

    def everywhere(self, methods: Iterable[str]) -> list[str]:
        """Return those of these methods that finished all sets."""
        return [m for m in methods if m in self.methods and self.shared([m]) == list(self.sets)]

    def mean(self, method: str, key: str, names: Sequence[str]) -> float:
        """Average over sets."""
        return float(np.mean([self._figure(name, method, key) for name in names]))

    def difference(self, one: str, other: str, key: str) -> Difference:
        """Subtract the other's figures on the sets that both finished."""
        gaps = self.gaps(one, other, key)
        return Difference(
            float(np.mean(gaps)), float(np.std(gaps, ddof=1) / len(gaps) ** 0.5), len(gaps)
        )

    def only(self, methods: Iterable[str]) -> Measured:
        """Return the table of some methods on these sets, with all folds that they have."""
        wanted = list(methods)
        return Measured(x for x in self.lines if x["method"] in wanted and x["set"] in self.sets)

    def between(self, one: str, other: str, key: str) -> Difference:
        """Subtract the other's figures on all folds that both have, not only those of all."""
        return self.only([one, other]).difference(one, other, key)

    def gaps(self, one: str, other: str, key: str) -> NDArray[np.float64]:
        """Subtract the other's figures, set by set, where both finished."""
        names = self.shared([one, other])
        return np.array([self._figure(n, one, key) - self._figure(n, other, key) for n in names])

    def _figure(self, name: str, method: str, key: str) -> float:
        found = self.get(name, method)
        if found is None:
            raise KeyError(f"{method} did not finish {name}.")
        return found[key]

    def bins(self, method: str, names: Sequence[str]) -> NDArray[np.float64]:
        """Add up rows, positives and risks in bins of predicted risk."""
        return np.sum([fold["bins"] for name in names for fold in self.folds(name, method)], axis=0)

    def calibration_error(self, name: str, method: str) -> float:
        """Mean distance between predicted and observed risk, over bins of predicted risk."""
        rows, positives, risks = self.bins(method, [name])
        return float(np.abs(positives - risks).sum() / rows.sum())


def order(name: str) -> int:
    """Give a set its place on the pages; those of no group come last."""
    known = [name for group in GROUPS.values() for name in group]
    return known.index(name) if name in known else len(known)


def read() -> Measured:
    """Read the table; the pages need one."""
    lines = read_lines(FILE)
    if not lines:
        raise SystemExit("Nothing to write of: benchmarks.peers has measured nothing yet.")
    return Measured(lines)


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


def listed(names: Sequence[str]) -> str:
    """Write "a, b and c"."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]])) if names else "none"


def filled(text: str, indent: str = "") -> str:
    """Break a paragraph into lines."""
    return textwrap.fill(
        " ".join(text.split()),
        100,
        subsequent_indent=indent,
        break_on_hyphens=False,
        break_long_words=False,
    )
