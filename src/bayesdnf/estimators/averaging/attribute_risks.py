"""What single attributes do to averaged risks: along their values, and when they are not known.

An attribute is set to each of its values on every row, all else left as it is. Values that no drawn
literal tells apart are one. On packed bits this sets the planes of the attribute's literals, so
that the rows are read once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...data.columns import TEXT
from ...data.encoder import FittedTable
from ...display.wording import listed
from ...errors import UnknownColumnError, did_you_mean
from ...model.effect import Effect
from ...sampling.draws import Draws
from .drawn_on_rows import DrawnOnRows

Floats = NDArray[np.float64]

_MISSING = "missing"
_SHOWN = 3


class Stretch(NamedTuple):
    """Values of an attribute that all drawn rules treat alike, and the risk there."""

    values: str
    first: float
    """The lowest of them, if they are numbers; NaN of texts and of missing values."""
    last: float
    rows: int
    risk: float
    """Mean over all rows of their averaged risk, were the attribute so on all of them."""
    low: float
    high: float
    """Ends of the 95 % interval of that mean, over draws."""


def _order(stretch: Stretch) -> tuple[bool, float, str]:
    """Numbers rising, texts by name, missing values last."""
    first = 0.0 if np.isnan(stretch.first) else stretch.first
    return stretch.values == _MISSING, first, stretch.values


class AttributesOnRows:
    """Averaged risks of rows as functions of their attributes.

    Parameters
    ----------
    draws : Draws
        What was drawn.
    table : FittedTable
        The rows.
    effect : Effect
        What was known of the rates.
    """

    def __init__(self, draws: Draws, table: FittedTable, effect: Effect) -> None:
        self._draws = draws
        self._table = table
        self._rows = DrawnOnRows(draws, table, effect)

    @property
    def names(self) -> list[str]:
        """The attributes that drawn rules use."""
        return list(dict.fromkeys(literal.attribute for literal in self._draws.literals))

    def risk(self) -> Floats:
        """Averaged risk of each row."""
        return self._rows.risk()

    def without(self, attribute: str) -> Floats:
        """Averaged risk of each row were the attribute not known: the mean over all values."""
        mean = np.zeros(self._rows.n_rows)
        for members, changed in self._alternatives(attribute):
            mean += members.sum() / self._rows.n_rows * changed.risk()
        return mean

    def along(self, attribute: str) -> list[Stretch]:
        """Mean risk of all rows at each value of an attribute, lowest numbers first."""
        stretches = []
        for members, changed in self._alternatives(attribute):
            by_draw = changed.mean_by_draw()
            low, high = np.quantile(by_draw, [0.025, 0.975])
            named = self._named(attribute, members)
            risk = float(changed.risk().mean())
            stretches.append(Stretch(*named, int(members.sum()), risk, float(low), float(high)))
        return sorted(stretches, key=_order)

    def _alternatives(self, attribute: str) -> Iterator[tuple[NDArray[np.bool_], DrawnOnRows]]:
        """Yield the rows that have a value, and all rows as if they had it."""
        literals = self._draws.literals
        own = [i for i, literal in enumerate(literals) if literal.attribute == attribute]
        if not own:
            raise UnknownColumnError(
                f"No drawn rule uses column {attribute!r}.{did_you_mean(attribute, self.names)}"
            )
        column = self._table.column(attribute)
        holds = np.column_stack([*(self._table.truth(literals[i]) for i in own), column.missing])
        # Rules see an attribute only through its literals: values with the same pattern of
        # literals are one alternative, so the mean over all values is a short exact sum, not a
        # sample.
        patterns, place = np.unique(holds, axis=0, return_inverse=True)
        for number, pattern in enumerate(patterns):
            yield place.ravel() == number, self._rows.with_literals(own, pattern[:-1])

    def _named(self, attribute: str, members: NDArray[np.bool_]) -> tuple[str, float, float]:
        """Say which values some rows have, and of numbers the lowest and the highest."""
        column = self._table.column(attribute)
        known = column.values[members & ~column.missing]
        if len(known) == 0:
            return _MISSING, np.nan, np.nan
        if column.type == TEXT:
            texts = list(column.texts)
            return listed([texts[code] for code in np.unique(known)], _SHOWN, str), np.nan, np.nan
        first, last = float(known.min()), float(known.max())
        return f"{first:g}" if first == last else f"{first:g} to {last:g}", first, last
