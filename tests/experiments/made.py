"""Reproductions for the tests: the real ones, made once, and a small one by hand."""

import functools

from bayesdnf.experiments import reproduce
from bayesdnf.experiments.output.picture import draw_rows
from bayesdnf.experiments.reproduction import (
    FAITHFUL,
    OURS,
    PAPER,
    Claim,
    Measure,
    Reproduction,
    Row,
)
from bayesdnf.experiments.work import Work


class OneSet(Work):
    """One data set for each cell."""

    sets = 1


@functools.cache
def made(name):
    """Make a table or figure in its quick form, once in a process."""
    return reproduce(name, quick=True)


def by_hand(**changes):
    """Return a table of two cells and two measures, with figures that are easy to follow."""
    given = {
        "name": "table9",
        "title": "Table 9: two cells",
        "label": "table:tbl9",
        "settings": "What was run, in words. " * 6,
        "keys": ("θ", "N"),
        "measures": (Measure("m", "m", 1), Measure("auc", "AUC", 2)),
        "rows": (
            Row((5, 100), PAPER, 10, {"m": 6.9}, {}),
            Row((5, 100), FAITHFUL, 10, {"m": 7.25, "auc": 0.5}, {"m": 0.5, "auc": 0.01}),
            Row((5, 100), FAITHFUL, 200, {"m": 12.25, "auc": 0.875}, {"m": 0.25, "auc": 0.0125}),
            Row((30, 250), PAPER, 10, {"m": 5.8}, {}),
            Row((), OURS, 10, {"m": 2.0, "auc": 1.0}, {"m": 0.0, "auc": 0.0}),
        ),
        "claims": (Claim("few terms", True, "2.0"), Claim("more rows help", False, "no, 0.5")),
        "words": ("We agree.", "Here we do not."),
        "draw": draw_rows,
    }
    return Reproduction(**(given | changes))
