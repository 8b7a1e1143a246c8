"""Draws in a notebook: the most probable functions or lists, and inclusion probabilities."""

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


class Shown(Protocol):
    """The rows shown of draws: functions, or one list for each partition of the rows."""

    @property
    def number(self) -> NDArray[np.int64]: ...  # noqa: D102
    @property
    def probability(self) -> NDArray[np.float64]: ...  # noqa: D102


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
    def doubt(self) -> str: ...  # noqa: D102
    @property
    def noun(self) -> str: ...  # noqa: D102
    @property
    def answers(self) -> Shown: ...  # noqa: D102
    def text(self, number: int) -> str: ...  # noqa: D102
    def inclusion(self, kind: str, least: float = 0.0) -> pd.DataFrame: ...  # noqa: D102


def as_html(draws: Drawn) -> str:
    """Return HTML with the most probable functions and literals of draws."""
    title = (
        f"{draws.n_chains} chain{'s' * (draws.n_chains != 1)} of {draws.n_draws:,} "
        f"draw{'s' * (draws.n_draws != 1)}, {draws.n_functions:,} distinct "
        f"{draws.noun}{'s' * (draws.n_functions != 1)}"
    )
    null = f"Probability of no rule: {draws.null_probability:.4g}"
    doubt = [markup.paragraph([draws.doubt], strong=True)] if draws.doubt else []
    parts = [*doubt, markup.paragraph([title], strong=True), functions_html(draws)]
    if len(included := draws.inclusion("literal", _LEAST).head(_MOST_LITERALS)):
        rows = [(f"{row.probability:.3f}", str(row.what)) for row in included.itertuples()]
        parts.append(markup.table(("probability", "literal in the rule"), rows, wide=1))
    return markup.block(*parts, markup.paragraph([null]))


def functions_html(draws: Drawn) -> str:
    """Return the table of the most probable functions or lists, and a line on the rest.

    Lists that partition the rows in the same way are one row.
    """
    answers = draws.answers
    probability = answers.probability
    shown = answers.number[:_MOST_FUNCTIONS].tolist()
    rows = [(f"{probability[i]:.3f}", draws.text(number)) for i, number in enumerate(shown)]
    table = markup.table(("probability", draws.noun), rows, wide=1)
    rest = probability[len(shown) :]
    if not len(rest):
        return table
    return table + markup.paragraph([f"… and {len(rest):,} more, together {rest.sum():.3f}"])
