"""The verdict of the diagnostics: problems of the draws of a run, and remedies."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .agreement import TOLERATED

if TYPE_CHECKING:
    import pandas as pd

    from ..draws import Draws
    from .agreement import Agreement, Odds

Floats = NDArray[np.float64]

LARGEST_R_HAT = 1.01
"""Limit of Vehtari et al. (2021, Bayesian Analysis 16); higher with few draws, by chance."""
FEWEST_DRAWS = 100
LEAST_SIZE = 50
"""Effective draws for each chain: fewer cannot show that a chain misses a tenth of the mass."""
_DISAGREEMENT = 1.1  # R-hat above this is not explained by short chains
_LEVEL = 0.005  # significance level of the largest R-hat over all quantities
_LONGEST = 90  # characters of a function in a sentence


class Level(StrEnum):
    """Reliability of draws: fine, short or apart."""

    FINE = "fine"
    """The diagnostics found no problem."""
    SHORT = "short"
    """There are too few draws to decide."""
    APART = "apart"
    """The chains do not agree, or not with exact scores."""


def verdict_of(
    draws: Draws,
    values: dict[str, Floats],
    quantities: pd.DataFrame,
    agreement: Agreement | None,
    odds: Odds | None,
) -> tuple[Level, str]:
    """Return the level of the draws, and the sentences of the verdict.

    Parameters
    ----------
    draws : Draws
        The draws.
    values : dict
        Each quantity by chain and draw.
    quantities : DataFrame
        Their statistics, as in :class:`Diagnosis`.
    agreement : Agreement or None
        Agreement of the chains; None if there is only one.
    odds : Odds or None
        A function whose share of the draws contradicts exact scores.
    """
    if draws.n_draws < FEWEST_DRAWS:
        each = "" if draws.n_chains == 1 else " of each chain"
        return Level.SHORT, (
            f"Too few draws to diagnose: {draws.n_draws}{each}; at least {FEWEST_DRAWS} are "
            "needed. Run longer."
        )
    size = draws.n_draws if agreement is None else agreement.effective_size
    stuck, apart = _never_left(draws, size)
    torn = _torn(values, quantities)
    by_chance = _r_hat_by_chance(size, draws, quantities)
    mixing = _large_r_hat(quantities, by_chance)
    between = [] if agreement is None or agreement.ok else _between(draws, agreement)
    exact = [] if odds is None else [_odds_sentence(odds)]
    short, factor = _small_size(quantities, LEAST_SIZE * draws.n_chains)
    # An R-hat between the two limits may be due to short chains alone: draw more, but do not
    # report disagreement.
    far = (quantities["r_hat"] > max(_DISAGREEMENT, by_chance)).any()
    if apart or torn or between or exact or far:
        found = [*apart, *torn, *mixing, *short, *between, *exact]
        return Level.APART, " ".join([_FAILED[draws.n_chains > 1], *found, _advice(draws)])
    if stuck and draws.n_chains == 1:
        doubt = "With one chain, convergence cannot be distinguished from being stuck: run several."
        return Level.SHORT, " ".join([*stuck, doubt])
    # Exchanges between temperatures are no evidence of mixing: equal states are always exchanged.
    if stuck and not draws.changed.any():
        doubt = "No chain moved, not even in warm-up: all started there."
        return Level.SHORT, " ".join([*stuck, doubt, _advice(draws)])
    if mixing or short:
        # A few times more draws are feasible; for many times more, recommend a better kernel.
        more = f"Draw about {factor} times as many{_better_kernel(draws) if factor > 4 else ''}."
        return Level.SHORT, " ".join([_SHORT[draws.n_chains > 1], *mixing, *short, more])
    return Level.FINE, " ".join([*stuck, *_fine(draws, quantities, agreement)])


_FAILED = {
    True: "The chains do not agree: do not use these draws yet.",
    False: "The chain has not converged: do not use these draws yet.",
}
_SHORT = {
    True: "The chains are too short to say whether they agree.",
    False: "The chain is too short to say whether it has converged.",
}


def _never_left(draws: Draws, size: float) -> tuple[list[str], list[str]]:
    """Describe constant chains: sentences if all chains are constant, and for those that differ.

    A constant chain is accepted if the other chains have this function so often that a chain of
    this effective size would sometimes draw nothing else. Lists are compared by their partition of
    the rows.
    """
    answers = draws.answers
    index = answers.of[draws.index]

    def text(answer: int) -> str:
        number = int(answers.number[answer])
        null_list = draws.layers > 1 and draws.n_terms[number] == 0
        return "the null list" if null_list else _short(draws.text(number))

    constant = np.flatnonzero((index == index[:, :1]).all(axis=1))
    if len(constant) == draws.n_chains and (index == index[0, 0]).all():
        every = "every chain" if draws.n_chains > 1 else "the chain"
        only = text(int(index[0, 0]))
        if draws.layers == 1:
            return [f"The function is constant: every draw of {every} is {only}."], []
        return [
            f"The partition is constant: every draw of {every} partitions the rows as {only} does."
        ], []
    differs: dict[int, list[int]] = {}
    for chain in constant.tolist():
        answer = int(index[chain, 0])
        share = np.delete(answers.counts[:, answer], chain).mean() / draws.n_draws
        # ``share**size``: the probability that a chain of so many effective draws never leaves a
        # function of this share, as the other chains estimate it.
        if 1 - share > TOLERATED and share**size < _LEVEL:
            differs.setdefault(answer, []).append(chain + 1)
    the = "" if draws.layers == 1 else "the partition of "
    return [], [
        f"{_chains(chains)} never left {the}{text(answer)}." for answer, chains in differs.items()
    ]


def _torn(values: dict[str, Floats], quantities: pd.DataFrame) -> list[str]:
    """Describe quantities that are constant in every chain, at different values."""
    constant = quantities.index[quantities["constant"]]
    torn = [name for name in constant if np.ptp(values[name][:, 0]) > 0]
    if not torn:
        return []
    verb = "is" if len(torn) == 1 else "are"
    return [f"{_several(torn)} {verb} constant in every chain, at different values."]


def _r_hat_by_chance(size: float, draws: Draws, quantities: pd.DataFrame) -> float:
    """Return a quantile of the largest R-hat over all quantities, if the chains agree.

    n times the variance between the means of half-chains, over the variance within them, is nearly
    chi-squared divided by its degrees of freedom.
    """
    from scipy import stats

    # R-hat is computed on half-chains: twice as many means as chains, less one for their average.
    free = 2 * max(2, draws.n_chains) - 1
    level = _LEVEL / (2 * len(quantities))  # R-hat is the larger of two
    ratio = float(stats.chi2.isf(level, free)) / free
    # R-hat² = 1 + (B / W - 1) / n for halves of n draws, here effective ones. B / W, the variance
    # between their means over that which independent draws would have, is χ² / ``free`` if the
    # chains agree.
    return math.sqrt(1 + max(0.0, ratio - 1) / max(1.0, size / 2))


def _large_r_hat(quantities: pd.DataFrame, by_chance: float) -> list[str]:
    limit = max(LARGEST_R_HAT, by_chance)
    large = quantities["r_hat"][quantities["r_hat"] > limit].sort_values(ascending=False)
    if large.empty:
        return []
    names = [f"{name} ({value:.2f})" for name, value in large.items()]
    return [f"R-hat is above {limit:.2f} for {_several(names)}."]


def _small_size(quantities: pd.DataFrame, least: int) -> tuple[list[str], int]:
    """Return the sentence on effective sizes, and how many times more draws are needed."""
    smaller = quantities[["ess_bulk", "ess_tail"]].min(axis=1)
    small = smaller[smaller < least].sort_values()
    if small.empty:
        return [], 2
    names = [f"{name} ({value:,.0f})" for name, value in small.items()]
    # Effective sizes grow in proportion to the draws.
    factor = max(2, math.ceil(least / max(1.0, float(small.iloc[0]))))
    return [f"The effective sample size is below {least:,} for {_several(names)}."], factor


def _between(draws: Draws, agreement: Agreement) -> list[str]:
    """Describe how chains differ."""
    told = []
    if agreement.far:
        pairs = agreement.variation.to_numpy()
        one, other = np.unravel_index(int(pairs.argmax()), pairs.shape)
        told.append(
            f"Chains {one + 1} and {other + 1} differ most in their {agreement.compared}: total "
            f"variation {agreement.largest:.2f}, where draws assigned to chains at random would "
            f"give {agreement.expected:.2f}."
        )
    if not agreement.alike:
        told.append(
            f"Chain {agreement.chain} differs most in {_short(agreement.what)}: "
            f"{agreement.share:.2f} of its draws, {agreement.others:.2f} of the others'."
        )
    return told


def _odds_sentence(odds: Odds) -> str:
    by = "" if odds.chain is None else f" by chain {odds.chain}"
    return (
        f"Among the most probable, {_short(odds.function)} was drawn {odds.drawn:.1%} of the time"
        f"{by}, where exact scores give {odds.exact:.1%}."
    )


def _advice(draws: Draws) -> str:
    return f"Run longer{_better_kernel(draws)}."


def _better_kernel(draws: Draws) -> str:
    better = {
        "informed": " or use kernel='tempered'",
        "reversible_jump": ", or use kernel='informed' or kernel='tempered'",
    }
    return better.get(str(draws.settings.get("kernel")), "")


def _fine(draws: Draws, quantities: pd.DataFrame, agreement: Agreement | None) -> list[str]:
    r_hat = float(quantities["r_hat"].max())
    size = float(quantities[["ess_bulk", "ess_tail"]].min().min())
    numbers = (
        f"every R-hat is at most {r_hat:.3f}, every effective sample size at least {size:,.0f}."
    )
    if np.isnan(r_hat):
        numbers = "nothing in them ever changed."
    if agreement is None:
        return [f"Within the chain, {numbers}", "Run several chains to compare them."]
    return [
        f"The {draws.n_chains} chains agree: {numbers}",
        f"Total variation between their {agreement.compared} is at most {agreement.largest:.2f}; "
        f"draws assigned to chains at random would give {agreement.expected:.2f}.",
    ]


def _chains(numbers: Sequence[int]) -> str:
    if len(numbers) == 1:
        return f"Chain {numbers[0]}"
    return f"Chains {', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"


def _several(names: Sequence[str]) -> str:
    """List at most three names and the number of the others."""
    shown, rest = list(names[:3]), len(names) - 3
    if rest > 0:
        shown.append(f"{rest} more")
    if len(shown) == 1:
        return shown[0]
    return f"{', '.join(shown[:-1])} and {shown[-1]}"


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


# As text ------------------------------------------------------------------------------------------


def quantities_text(quantities: pd.DataFrame) -> str:
    """Format the table of quantities, with "constant" in place of R-hat where it is undefined."""
    shown = quantities.drop(columns="constant").rename(
        columns={"r_hat": "R-hat", "ess_bulk": "bulk ESS", "ess_tail": "tail ESS", "mcse": "MCSE"}
    )
    shown = shown.rename_axis(None).rename(index=_short)
    formats = {
        **dict.fromkeys(["mean", "sd", "MCSE"], "{:.4f}".format),
        **dict.fromkeys(["bulk ESS", "tail ESS"], "{:,.0f}".format),
        "R-hat": "{:.3f}".format,
    }
    texts = shown.apply(lambda column: column.map(formats[str(column.name)]))
    texts.loc[quantities["constant"].to_numpy(), "R-hat"] = "constant"
    return str(texts.replace("nan", "").to_string())


def agreement_text(agreement: Agreement) -> str:
    """Format the agreement of the chains, a line for each number."""
    lines = [
        f"Between chains, on the {agreement.n_functions:,} {agreement.compared} drawn",
        f"  largest total variation            {agreement.largest:.3f}",
        f"  expected, draws assigned at random {agreement.expected:.3f}, "
        f"99 times in 100 at most {agreement.limit:.3f}",
        f"  effective size of each             {agreement.effective_size:,.0f}",
    ]
    if agreement.literal:
        lines.append(
            f"  largest difference in inclusion    {agreement.inclusion:.3f}, of "
            f"{_short(agreement.literal)}"
        )
    return "\n".join(lines)


def acceptance_text(acceptance: pd.DataFrame) -> str:
    """Format how often moves were tried and changed the function, all chains together."""
    moves = acceptance[["tried", "changed"]].groupby(level="move", sort=False).sum()
    texts = moves.map("{:,}".format).rename_axis(None)
    texts["rate"] = (moves["changed"] / moves["tried"]).map("{:.4f}".format)
    return str(texts.to_string())
