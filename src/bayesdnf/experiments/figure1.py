"""Figure 1: traces and histograms of the two rates."""

from __future__ import annotations

from typing import Any

from .. import Draws, plots
from .one_term import MEASURES, SETTINGS, compare, converges, picture
from .reproduction import FAITHFUL, OURS, Claim, Reproduction, find
from .work import Work


def run(work: Work) -> Reproduction:
    """Reproduce figure 1."""
    rows = compare(work)
    his, ours = find(rows, FAITHFUL), find(rows, OURS)

    def near(name: str, truth: float) -> str:
        return f"{his.values[name]:.3f} and {ours.values[name]:.3f} for {truth:g}"

    close = all(
        abs(row.values[name] - truth) < room
        for row in (his, ours)
        for name, truth, room in (("pi0", 0.1, 0.02), ("pi1", 0.9, 0.1))
    )
    claims = (
        converges(his),
        Claim(
            "both samplers' posterior means are near the true rates",
            close,
            f"π0 {near('pi0', 0.1)}; π1 {near('pi1', 0.9)}",
        ),
    )
    words = (
        "The paper prints pictures without numbers. Its chains hold the rates beside the term; "
        "ours integrate them out and draw them afterwards, which is the same posterior. The "
        "histograms lie around .1 and .9 for both.",
        "π1 is the rate of the marked rows. The columns' frequencies are drawn between .1 and .9, "
        "so that in some sets few rows are marked at all: there the mean of π1 is drawn towards "
        "a half, as it should be.",
    )

    def plot(draws: Draws, part: Any) -> None:
        plots.rates(draws, axes=part.subplots(2, 2, width_ratios=[3, 1]))

    return Reproduction(
        "figure1",
        "Figure 1: the two rates, one term",
        "fig:fig1",
        SETTINGS,
        (),
        MEASURES,
        rows,
        claims,
        words,
        picture(work, 9.6, plot),
    )
