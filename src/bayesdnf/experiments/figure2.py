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
        "We agree, with a reservation about the word non-informative. If it means, as the "
        "paper's text suggests, that every size is alike and every set of that size, the chains "
        f"come to the true term: {his.values['chains']:.3f} of them draw it most often.",
        "If it means that every set of literals is alike, which is what the author's code has, "
        f"only {constant.values['chains']:.3f} of the chains do. Nearly all sets of 100 columns "
        "have around 50 literals and hold on one row or none; a chain that starts from a row is "
        "lost among them. That a term may not hold on nobody is needed as well.",
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
