"""Summary of a prior, in numbers and in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..data.literal_table import LiteralTable
from ..display.wording import count
from .prior_draws import count_and_size

if TYPE_CHECKING:
    from .prior import Prior

Floats = NDArray[np.float64]

_DRAWS = 20_000


@dataclass(frozen=True, eq=False)
class PriorDescription:
    """Summary of the functions that a prior expects of p literals, constraints ignored.

    Parameters
    ----------
    prior : Prior
        The prior.
    p, n : int
        Literals and rows.
    terms : ndarray
        Probability of m terms, for m = 0, 1, ….
    size : ndarray
        Probability that a term has k literals, for k = 0, 1, ….
    literals : ndarray
        Probability of so many literals in all terms together.
    marked : ndarray
        Share of rows that a function marks, in 20,000 draws, where columns are independent and
        each is true on half of the rows.
    """

    prior: Prior
    p: int
    n: int
    terms: Floats
    size: Floats
    literals: Floats
    marked: Floats

    def __str__(self) -> str:
        m, k = np.arange(len(self.terms)), np.arange(len(self.size))
        low, middle, high = np.quantile(self.marked, [0.05, 0.5, 0.95])
        lines = [
            f"{self.prior} on {count(self.p, 'literal')} expects:",
            f"  no marker at all     {_percent(self.terms[0])}",
            f"  terms                {_spread(self.terms)}, {self.terms @ m:.1f} on average",
            f"  literals in a term   {_spread(self.size)}, {self.size @ k:.1f} on average",
            f"  literals in all      {_spread(self.literals)}",
            f"  rows marked          {_percent(middle)} ({_percent(low)} to {_percent(high)}), "
            "if every column is true on half of them",
        ]
        if (self.size @ k) > 6:
            lines.append(
                "Terms of that size mark next to no row: with literals='size-only' there are far "
                "more long terms than short ones."
                if self.prior.literals == "size-only"
                else "Terms of that size mark next to no row; a smaller mean of size may be meant."
            )
        return "\n".join(lines)

    __repr__ = __str__


def describe(prior: Prior, p: int, n: int) -> PriorDescription:
    """Compute the summary of a prior."""
    literals = LiteralTable.of_flags([f"x{i}" for i in range(p)])
    tables = prior.tables(literals, n)
    terms, size = count_and_size(prior, literals, tables)
    rng = np.random.default_rng(0)
    counts = rng.choice(len(terms), size=_DRAWS, p=terms)
    sizes = rng.choice(len(size), size=int(counts.sum()), p=size)
    starts = np.concatenate([[0], np.cumsum(counts)])
    total = np.diff(np.concatenate([[0], np.cumsum(sizes)])[starts])
    # If columns are true on half of the rows, independently, a term of k literals leaves a row
    # unmarked with probability 1 - 2^-k, and a function with the product over its terms: the
    # difference of two running sums of logs.
    unmarked = np.concatenate([[0.0], np.cumsum(np.log1p(-(0.5**sizes)))])
    return PriorDescription(
        prior=prior,
        p=p,
        n=n,
        terms=terms,
        size=size,
        literals=np.bincount(total) / _DRAWS,
        marked=np.abs(np.expm1(np.diff(unmarked[starts]))),  # no -0
    )


def _percent(share: float) -> str:
    return "under 0.1 %" if 0 < share < 0.001 else f"{100 * share:.3g} %"


def _spread(probabilities: Floats) -> str:
    """Return the central 90 % interval of a distribution."""
    below = np.cumsum(probabilities)
    # A cumulative sum that should be exactly q may come out a rounding error below it and must
    # count as having reached it.
    low, high = (int(np.searchsorted(below, q - 1e-12)) for q in (0.05, 0.95))
    return f"{low}" if low == high else f"{low} to {high}"
