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
        "The paper shows plots without numbers. The state of its chains includes the rates; our "
        "chains integrate them out and draw them afterwards, from the same posterior. Both "
        "histograms are around .1 and .9.",
        "π1 is the rate of the marked rows. Column frequencies are drawn between .1 and .9, so few "
        "rows are marked in some sets. The mean of π1 is then close to the prior mean, one half.",
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
