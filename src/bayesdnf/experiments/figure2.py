"""Figure 2: the posterior of the function."""

from __future__ import annotations

from typing import Any

from .. import Draws, plots
from .one_term import CONSTANT, MEASURES, SETTINGS, compare, converges, picture
from .reproduction import FAITHFUL, OURS, Claim, Reproduction, find
from .work import Work


def run(work: Work) -> Reproduction:
    """Reproduce figure 2."""
    rows = compare(work)
    his, constant, ours = (find(rows, source) for source in (FAITHFUL, CONSTANT, OURS))
    claims = (
        converges(his),
        Claim(
            "our defaults: the true term is drawn most often in nearly all chains",
            ours.values["chains"] >= 0.8,
            f"{ours.values['chains']:.3f} of chains, mean probability "
            f"{ours.values['true_term']:.3f} ({ours.sets} sets)",
        ),
    )
    words = (
        'Reproduced, depending on the meaning of "non-informative". If it means, as in the '
        "paper's text, a uniform prior on sizes and on the sets of each size, "
        f"{his.values['chains']:.3f} of the chains draw the true term most often.",
        "If it means a uniform prior on all sets of literals, as in the author's code, only "
        f"{constant.values['chains']:.3f} of the chains do. Nearly all sets of 100 columns have "
        "around 50 literals and hold on one row or none, and a chain that starts from a row does "
        "not leave them. Terms that hold on no row must be excluded as well.",
    )

    def plot(draws: Draws, part: Any) -> None:
        plots.function_posterior(draws, 4, ax=part.subplots())

    return Reproduction(
        "figure2",
        "Figure 2: the posterior of the function, one term",
        "fig:fig2",
        SETTINGS,
        (),
        MEASURES,
        rows,
        claims,
        words,
        picture(work, 6, plot),
    )
