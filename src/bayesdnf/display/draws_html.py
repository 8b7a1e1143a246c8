"""Draws in a notebook: the functions they found, and what these hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from . import markup

if TYPE_CHECKING:
    import pandas as pd

_MOST_FUNCTIONS = 5
_MOST_LITERALS = 8
_LEAST = 0.05


class Drawn(Protocol):
    """What these pages ask of draws, which are defined further up."""

    @property
    def n_chains(self) -> int: ...  # noqa: D102
    @property
    def n_draws(self) -> int: ...  # noqa: D102
    @property
    def n_functions(self) -> int: ...  # noqa: D102
    @property
    def null_probability(self) -> float: ...  # noqa: D102
    @property
    def probability(self) -> NDArray[np.float64]: ...  # noqa: D102
    def function(self, number: int) -> object: ...  # noqa: D102
    def inclusion(self, kind: str, least: float = 0.0) -> pd.DataFrame: ...  # noqa: D102


def as_html(draws: Drawn) -> str:
    """Return what was drawn: how much, the most probable functions, the literals in them."""
    title = (
        f"{draws.n_chains} chain{'s' * (draws.n_chains != 1)} of {draws.n_draws:,} "
        f"draw{'s' * (draws.n_draws != 1)}, {draws.n_functions:,} distinct "
        f"function{'s' * (draws.n_functions != 1)}"
    )
    null = f"Probability that there is no rule at all: {draws.null_probability:.4g}"
    parts = [markup.paragraph([title], strong=True), functions_html(draws)]
    if len(included := draws.inclusion("literal", _LEAST).head(_MOST_LITERALS)):
        rows = [(f"{row.probability:.3f}", str(row.what)) for row in included.itertuples()]
        parts.append(markup.table(("probability", "literal in the rule"), rows, wide=1))
    return markup.block(*parts, markup.paragraph([null]))


def functions_html(draws: Drawn) -> str:
    """Return the table of the most probable functions, and a line on the rest."""
    shown = min(_MOST_FUNCTIONS, draws.n_functions)
    rows = [(f"{draws.probability[i]:.3f}", str(draws.function(i))) for i in range(shown)]
    table = markup.table(("probability", "function"), rows, wide=1)
    rest = draws.probability[shown:]
    if not len(rest):
        return table
    return table + markup.paragraph([f"… and {len(rest):,} more, together {rest.sum():.3f}"])
