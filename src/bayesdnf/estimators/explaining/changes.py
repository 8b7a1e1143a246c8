"""The nearest change of a row that would give another prediction."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...boolean import BooleanFunction, Literal
from ...boolean.literal import FALSE, TRUE, Value, value_text
from ...data.columns.column import TEXT
from ...data.encoder import FittedTable, LiteralEncoder
from ...model.rule import Rule, layers_of

Term = tuple[Literal, ...]

# The smallest change is looked for among at most this many combinations of values.
_MOST_64 = 100_000


@dataclass(frozen=True)
class Change:
    """One attribute to change.

    Attributes
    ----------
    attribute : str
        The column.
    value : str, int, float, bool or None
        What it holds now; None when it is missing.
    condition : str
        What it would have to satisfy, such as ``age >= 45``.
    """

    attribute: str
    value: Value
    condition: str

    def __str__(self) -> str:
        now = "missing" if self.value is None else value_text(self.value)
        return f"{self.attribute}, now {now}, to {self.condition}"


def nearest_change(
    function: BooleanFunction, encoder: LiteralEncoder, row: FittedTable
) -> tuple[Change, ...] | None:
    """Find the fewest attributes whose change flips whether a function holds.

    Values are those seen in fitting: the levels of a categorical column, any number in a numeric
    one.

    Examples
    --------
    >>> from bayesdnf import BooleanFunction, LiteralEncoder
    >>> from bayesdnf.estimators.explaining.changes import nearest_change
    >>> encoder = LiteralEncoder().fit({"odor": ["f", "n", "a"]})
    >>> row = encoder.as_table({"odor": ["n"]})
    >>> print(*nearest_change(BooleanFunction("odor = f"), encoder, row))
    odor, now n, to odor = f
    """
    if function.is_null:
        return None
    changes = RowChanges(function, encoder, row)
    found = changes.nearest([1 - changes.part])
    return None if found is None else found[1]


class RowChanges:
    """Search for the fewest attributes of a row whose change moves it to another part.

    Parameters
    ----------
    rule : BooleanFunction or RuleList
        The rule; the part of a function is 1 where it holds.
    encoder : LiteralEncoder
        Which values there are.
    row : FittedTable
        A table of one row.

    Examples
    --------
    >>> from bayesdnf import LiteralEncoder, RuleList
    >>> from bayesdnf.estimators.explaining.changes import RowChanges
    >>> encoder = LiteralEncoder().fit({"odor": ["f", "n", "a"], "ill": [0, 1, 1]})
    >>> row = encoder.as_table({"odor": ["n"], "ill": [1]})
    >>> changes = RowChanges(RuleList(["odor = f", "ill"]), encoder, row)
    >>> changes.part
    1
    >>> part, [change] = changes.nearest([2, 0])
    >>> print(part, change)
    2 odor, now n, to odor = f
    """

    def __init__(self, rule: Rule, encoder: LiteralEncoder, row: FittedTable) -> None:
        self._row = row
        self._layers = [function.literal_terms for function in layers_of(rule)]
        self._now = {literal: bool(row.truth(literal)[0]) for literal in rule.literals}
        self._options = {a: _Options(a, rule.literals, encoder) for a in rule.attributes}
        self._steps_left = 0
        self.part = self._part({})

    def nearest(self, parts: Sequence[int]) -> tuple[int, tuple[Change, ...]] | None:
        """Find a smallest change to one of some parts; ties go to the part named first."""
        self._steps_left = _MOST_64
        # Iterative deepening (Korf 1985): all changes of one attribute, then of two, …; the first
        # solution is a smallest one.
        for size in range(1, len(self._options) + 1):
            for part in parts:
                if (chosen := self._search({}, size, part)) is not None:
                    return part, tuple(
                        Change(attribute, _value(self._row, attribute), _text(wanted))
                        for attribute, wanted in self._loosened(chosen, part).items()
                    )
        return None

    def _search(self, chosen: dict[str, int], size: int, part: int) -> dict[str, int] | None:
        """Search depth first; each node branches on changes one of which is necessary."""
        self._steps_left -= 1
        truth = self._truth(chosen)
        if self._part(chosen, truth) == part:
            return chosen
        if size == 0 or self._steps_left < 0:
            return None
        for attribute, pattern in self._needed(chosen, truth, size, part):
            found = self._search({**chosen, attribute: pattern}, size - 1, part)
            if found is not None:
                return found
        return None

    def _needed(
        self, chosen: Mapping[str, int], truth: Mapping[Literal, bool], size: int, part: int
    ) -> Iterator[tuple[str, int]]:
        """Yield changes of one attribute, one of which is necessary for reaching the part."""
        # A term of a higher layer that holds keeps the row out of this part: one of its literals
        # must become false, whatever else changes. Branching on that term alone loses no solution.
        above = itertools.chain.from_iterable(self._layers[part:])
        if (held := next((t for t in above if _holds(t, truth)), None)) is not None:
            for attribute in dict.fromkeys(literal.attribute for literal in held):
                if attribute not in chosen:
                    yield from ((attribute, i) for i in range(len(self._options[attribute])))
            return
        # No higher layer holds, so some term of this layer must become true. Its attributes can be
        # changed in any order; changing the first missing one first avoids permutations.
        for term in self._layers[part - 1]:
            lacking = list(dict.fromkeys(x.attribute for x in term if not truth[x]))
            # Prune terms that need more changes than are left, or another value of an attribute
            # that was changed already.
            if len(lacking) > size or any(attribute in chosen for attribute in lacking):
                continue
            own = [(x, True) for x in term if x.attribute == lacking[0]]
            yield from ((lacking[0], i) for i in self._options[lacking[0]].satisfying(own))

    def _truth(self, chosen: Mapping[str, int]) -> dict[Literal, bool]:
        truth = dict(self._now)
        for attribute, pattern in chosen.items():
            truth.update(self._options[attribute].truth(pattern))
        return truth

    def _part(self, chosen: Mapping[str, int], truth: Mapping[Literal, bool] | None = None) -> int:
        truth = self._truth(chosen) if truth is None else truth
        for number in range(len(self._layers), 0, -1):
            if any(_holds(term, truth) for term in self._layers[number - 1]):
                return number
        return 0

    def _loosened(self, chosen: dict[str, int], part: int) -> dict[str, list[Literal]]:
        """Convert the patterns found to conditions, and drop redundant ones."""
        wanted = {a: dict(self._options[a].truth(pattern)) for a, pattern in chosen.items()}
        for attribute in chosen:
            for literal in list(wanted[attribute]):
                if len(wanted[attribute]) == 1:
                    break  # keep at least one condition on each changed attribute
                # Greedy: drop a condition if all values without it give the same part.
                value = wanted[attribute].pop(literal)
                if not self._leads(wanted, part):
                    wanted[attribute][literal] = value
        return {
            attribute: [literal if value else ~literal for literal, value in kept.items()]
            for attribute, kept in wanted.items()
        }

    def _leads(self, wanted: Mapping[str, Mapping[Literal, bool]], part: int) -> bool:
        """Return whether all values of the changed attributes, within conditions, give the part."""
        left = [self._options[a].satisfying(kept.items()) for a, kept in wanted.items()]
        if math.prod(map(len, left)) > _MOST_64:
            return False
        return all(
            self._part(dict(zip(wanted, patterns, strict=True))) == part
            for patterns in itertools.product(*left)
        )


def _holds(term: Term, truth: Mapping[Literal, bool]) -> bool:
    return all(truth[literal] for literal in term)


class _Options:
    """Patterns of an attribute: all combinations of truth values that its literals can have."""

    def __init__(
        self, attribute: str, literals: Iterable[Literal], encoder: LiteralEncoder
    ) -> None:
        self.literals = [literal for literal in literals if literal.attribute == attribute]
        values = possible_values(attribute, self.literals, encoder)
        column = encoder.read_values(attribute, values)
        truth = np.stack([column.truth(literal) for literal in self.literals], axis=1)
        # Values that no literal of the rule distinguishes are equivalent, so a few patterns cover
        # all numbers and all levels of a column.
        _, first = np.unique(truth, axis=0, return_index=True)
        self.patterns: NDArray[np.bool_] = truth[np.sort(first)]

    def __len__(self) -> int:
        return len(self.patterns)

    def truth(self, pattern: int) -> dict[Literal, bool]:
        return dict(zip(self.literals, map(bool, self.patterns[pattern]), strict=True))

    def satisfying(self, conditions: Iterable[tuple[Literal, bool]]) -> list[int]:
        kept = np.ones(len(self.patterns), dtype=np.bool_)
        for literal, wanted in conditions:
            kept &= self.patterns[:, self.literals.index(literal)] == wanted
        return np.flatnonzero(kept).tolist()


def possible_values(attribute: str, literals: list[Literal], encoder: LiteralEncoder) -> list[Any]:
    """Return values that cover all truth patterns of an attribute's literals: levels or cuts."""
    offered = [x for x in encoder.literals_ if x.attribute == attribute]
    if any(x.operator in (TRUE, FALSE) for x in offered):
        return [0, 1]
    if attribute in encoder.orders_:
        return list(encoder.orders_[attribute])
    levels = list(dict.fromkeys(x.value for x in offered if x.operator in ("=", "!=")))
    if encoder.kinds_[attribute] == "binary":  # the other of its two values is not kept
        [one] = levels
        return [one, f"not {one}" if isinstance(one, str) else _below(one)]
    if levels:
        return levels
    # Numbers between two cuts are equivalent: use each cut, and one number below the lowest.
    cuts = sorted({x.value for x in literals}, key=lambda v: v)  # type: ignore[arg-type,return-value]
    return [_below(cuts[0]), *cuts]


def _below(value: Any) -> Any:
    return math.nextafter(value, -math.inf) if isinstance(value, float) else int(value) - 1


def _text(conditions: list[Literal]) -> str:
    [texts] = BooleanFunction([conditions]).absorb().terms
    return " AND ".join(texts)


def _value(row: FittedTable, attribute: str) -> Value:
    column = row.column(attribute)
    if column.missing[0]:
        return None
    value: Value = column.values[0].item()
    return next(iter(column.texts)) if column.type == TEXT else value
