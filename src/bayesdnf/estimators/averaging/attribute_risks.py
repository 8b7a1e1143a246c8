"""The effect of single attributes on averaged risks: partial dependence and importance.

An attribute is set to each of its values on every row, with all other values unchanged (partial
dependence, Friedman 2001). Values that no drawn literal distinguishes count as one. On packed bits
only the planes of the attribute's literals change, so the rows are read once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...data.columns.column import TEXT
from ...data.encoder import FittedTable
from ...display.wording import listed
from ...errors import UnknownColumnError, did_you_mean
from ...model.effect import Effect
from ...model.rates import Interval
from ...sampling.draws import Draws
from .drawn_on_rows import DrawnOnRows, mean_values

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]

_MISSING = "missing"
_SHOWN = 3


class Stretch(NamedTuple):
    """Values of an attribute that no drawn rule distinguishes, and their averaged risk."""

    values: str
    first: float
    """The lowest value of a numeric attribute; NaN for texts and missing values."""
    last: float
    rows: int
    risks: tuple[Interval, ...]
    """Mean averaged risk of all rows with the attribute set to these values, and the 95 % interval
    of that mean over draws; with more than two classes, one for each class."""


def _order(stretch: Stretch) -> tuple[bool, float, str]:
    """Return the sort key: numbers ascending, texts by name, missing values last."""
    first = 0.0 if np.isnan(stretch.first) else stretch.first
    return stretch.values == _MISSING, first, stretch.values


class AttributesOnRows:
    """Averaged risks of rows as functions of their attributes.

    Parameters
    ----------
    draws : Draws
        Draws from the posterior.
    table : FittedTable
        The rows.
    effect : Effect
        The prior of the rates.
    """

    def __init__(self, draws: Draws, table: FittedTable, effect: Effect) -> None:
        self._draws = draws
        self._table = table
        self._rows = DrawnOnRows(draws, table, effect)
        values = mean_values(draws, effect, pooled=True)
        self._values = values if draws.n_classes > 2 else values[..., None]
        self.probabilities = np.clip(self._rows.sums(self._values), 0.0, 1.0)
        """Averaged probability of each class (columns) on each row; of the positive class only, if
        there are two."""

    @property
    def names(self) -> list[str]:
        """The attributes that drawn rules use."""
        return list(dict.fromkeys(literal.attribute for literal in self._draws.literals))

    def without(self, attribute: str) -> Floats:
        """Return averaged probabilities without knowledge of an attribute: means over its values.

        Predictions of rules that do not use the attribute do not change. The other rules are
        evaluated once for all values that give the same truth of their own literals.
        """
        own, patterns, place = self._patterns(attribute)
        uses = self._uses(own)
        users = np.flatnonzero(uses.any(axis=1))
        # E_v[risk(x with the attribute set to v)], v from its marginal distribution: the
        # expectation of permutation importance, computed exactly from the share of each value.
        shares = np.bincount(place, minlength=len(patterns)) / self._rows.n_rows
        alike = _keys(uses[users], patterns)
        # Mean over values minus the risk at the row's own value, summed over the functions that
        # use the attribute; for all others the difference is 0.
        change = -self._rows.sums(self._values[users], users)
        for number, pattern in enumerate(patterns):
            same = alike == alike[:, number, None]
            # Functions that distinguish this pattern from all earlier ones; the others are done.
            first = np.flatnonzero(~same[:, :number].any(axis=1))
            if len(first) == 0:
                continue
            # Weighted by the share of rows whose patterns the function cannot distinguish from
            # this one.
            weighed = self._values[users[first]] * (same[first] @ shares)[:, None, None, None]
            change += self._rows.with_literals(own, pattern).sums(weighed, users[first])
        return np.clip(self.probabilities + change, 0.0, 1.0)

    def along(self, attribute: str) -> list[Stretch]:
        """Return the mean risk of all rows at each value of an attribute, lowest values first."""
        own, patterns, place = self._patterns(attribute)
        places = self._table.column(attribute).ranks
        stretches: list[Stretch] = []
        lowest: list[float] = []
        for number, pattern in enumerate(patterns):
            members, changed = place == number, self._rows.with_literals(own, pattern)
            risk = changed.sums(self._values).mean(axis=0)
            ends = np.quantile(changed.mean_by_draw(), [0.025, 0.975], axis=0).reshape(2, -1)
            risks = zip(risk.tolist(), *ends.tolist(), strict=True)
            named = self._named(attribute, members)
            stretches.append(
                Stretch(*named, int(members.sum()), tuple(Interval(*r) for r in risks))
            )
            lowest.append(float(places[members].min()))
        ranked = sorted(zip(lowest, stretches, strict=True), key=lambda x: (x[0], _order(x[1])))
        return [stretch for _, stretch in ranked]

    def _patterns(self, attribute: str) -> tuple[list[int], Bools, NDArray[np.intp]]:
        """Return the attribute's literals, their distinct truth patterns, and each row's pattern.

        A missing value is a pattern of its own.
        """
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
        packed = np.packbits(holds, axis=1)
        _, first, place = np.unique(packed, axis=0, return_index=True, return_inverse=True)
        return own, holds[first, :-1], place.ravel()

    def _uses(self, own: list[int]) -> Bools:
        """Return which functions use which of some literals: shape (n_functions, n_literals)."""
        draws = self._draws
        column = np.full(len(draws.literals), -1)
        column[own] = np.arange(len(own))
        number = np.repeat(np.arange(draws.n_functions), draws.n_literals)
        used = column[draws.functions.literals]
        uses = np.zeros((draws.n_functions, len(own)), dtype=np.bool_)
        uses[number[used >= 0], used[used >= 0]] = True
        return uses

    def _named(self, attribute: str, members: Bools) -> tuple[str, float, float]:
        """Describe the values of some rows; return the lowest and highest number too."""
        column = self._table.column(attribute)
        known = column.values[members & ~column.missing]
        if len(known) == 0:
            return _MISSING, np.nan, np.nan
        if column.type == TEXT:
            texts = list(column.texts)
            named = [texts[code] for code in np.unique(known)]
            if column.order:
                named.sort(key=column.places.__getitem__)
            return listed(named, _SHOWN, str), np.nan, np.nan
        first, last = float(known.min()), float(known.max())
        return f"{first:g}" if first == last else f"{first:g} to {last:g}", first, last


def _keys(uses: Bools, patterns: Bools) -> NDArray[np.uint64]:
    """Return a hash of each pattern restricted to each function's own literals.

    The hash is the sum of random 64-bit numbers, one for each literal that holds, from a fixed
    seed.
    """
    # Two patterns that differ for a function collide with probability 2^-64.
    bits = np.random.default_rng(0).integers(0, 2**64, uses.shape[1], dtype=np.uint64)
    return np.asarray(uses.astype(np.uint64) @ (patterns * bits).T)
