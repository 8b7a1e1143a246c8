"""The results of a search's restarts, and the stopping rule."""

from __future__ import annotations

import math
from collections import Counter
from typing import NamedTuple

from .ways import INDEPENDENT, TILTED, Rates, Term, Terms

# Scores closer than this are the same function, or one with equal columns in it.
_SAME = 1e-9
# A search may stop at the end of a round, by what the independent restarts came to (see ``ways``):
_FEWEST_WAYS = 2  # different ones that have come to the best score;
_NEARLY_ALL = 0.9  # with this share of those restarts, half as many need to agree.
# All are rebuilt alike at the end, which may take them to the same wrong function, so many of them
# must have come to the best score before that, from a share on:
_UNAIDED = ((0.25, 4), (0.1, 8))
# Restarts that are done if they do not agree: at least, at most, and at most on a small table.
_RESTARTS, _MOST, _MOST_OF_SMALL = 256, 512, 1024
_FEW = 3  # fewer independent restarts at the best score than these may have come there by chance
# Of all restarts, hardly any may have ended near the best score, in nats, where no other did.
_NEAR = 10.0
_SINGLES = 0.025
_PROMISING = 4  # rates that later restarts keep near to
_POOL = 400  # terms of earlier ends that are put together


class End(NamedTuple):
    """The result of a restart, its strategy, and what it came to before it was rebuilt."""

    terms: Terms
    score: float
    kind: str
    begun: float = -math.inf
    """Score of the function that was rebuilt, where it is known."""
    met: tuple[Term, ...] = ()
    """Terms that may be of use to others."""
    rates: Rates = (math.nan, math.nan)
    """At which it was annealed, where they were known."""


class Tally:
    """The best of the restarts so far, how many ended there, and by which ways.

    Parameters
    ----------
    agree : int
        How many must have ended at the best score.
    small : bool
        Whether restarts are as long as they should be. On large tables annealing is cut short, and
        cannot be expected to come to the best score unaided.
    """

    def __init__(self, agree: int, small: bool = True) -> None:
        self._agree = agree
        self._small = small
        self._needed = ((_NEARLY_ALL, int(small)), *_UNAIDED)
        self.terms: Terms = ()
        self.score = -math.inf
        self.found = 0  # restarts that were needed to come to the best score
        self.kinds: Counter[str] = Counter()  # of the restarts that ended at the best score
        self._unaided = 0  # of them, independent ones that were there before they were rebuilt
        self._all_kinds: Counter[str] = Counter()
        self._judged: Counter[str] = Counter()  # since a function became known that none came to
        self._ends: dict[Terms, float] = {}
        self._met: dict[Term, None] = {}  # in the order in which they were last met
        self._times: Counter[float] = Counter()
        self._rates: dict[Rates, float] = {}  # at which restarts annealed, to their scores

    @property
    def restarts(self) -> int:
        """Number of restarts of all kinds."""
        return self._all_kinds.total()

    @property
    def agreement(self) -> int:
        """How many ended at the best score."""
        return self.kinds.total()

    @property
    def independent(self) -> int:
        """How many independent restarts ended at the best score."""
        return sum(self.kinds[kind] for kind in INDEPENDENT)

    def most(self) -> int:
        """Return how many restarts to do at most, by what they came to so far."""
        # What was put together from other ends, and hardly found without, may well be bettered by
        # the next ones, and so may a function that was found late.
        if self._small and self.restarts >= _RESTARTS and self.independent < _FEW:
            return _MOST_OF_SMALL
        return min(max(_RESTARTS, 2 * self.found), _MOST)

    def know(self, end: End) -> bool:
        """Record a function that did not come from a restart; return whether it is the best one."""
        self._ends[end.terms] = end.score
        better = end.score > self.score + _SAME
        if better:
            self._better(end.terms, end.score)
            # None of the restarts came to it: what they came to says nothing about those to follow,
            # whose beams are wider and which know of it.
            self._judged = Counter()
        return better

    def _better(self, terms: Terms, score: float) -> None:
        self.terms, self.score = terms, score
        self.found = self.restarts + 1
        self.kinds = Counter()
        self._unaided = 0

    def add(self, end: End) -> None:
        """Count a restart's end, and keep the terms it met for later restarts."""
        terms, score, kind, begun, met, rates = end
        self._ends[terms] = score
        for term in met:
            self._met.pop(term, None)
            self._met[term] = None
        # Equal scores count as one end: rules with equal columns or the same rows are one function
        # here.
        self._times[round(score, 6)] += 1
        if score > self.score + _SAME or (self.restarts == 0 and not self.score > -math.inf):
            self._better(terms, score)
        if score >= self.score - _SAME:
            self.kinds[kind] += 1
            self._unaided += kind in INDEPENDENT and begun >= score - _SAME
        self._all_kinds[kind] += 1
        self._judged[kind] += 1
        if kind in TILTED and score > -math.inf:
            self._rates[rates] = score

    def agrees(self) -> bool:
        """Whether the search may stop."""
        tried = sum(self._judged[kind] for kind in INDEPENDENT)
        ways = sum(self.kinds[kind] > 0 for kind in INDEPENDENT)
        share = self.independent / max(1, tried)
        # Good's idea (1953): the share of ends seen only once estimates the probability that the
        # next restart ends at one not seen yet.
        singles = sum(
            times == 1 and score >= self.score - _NEAR for score, times in self._times.items()
        )
        # The conditions of docs/trust.md, "A search", where it is told how their numbers were
        # chosen.
        nearly_all = share >= _NEARLY_ALL
        unaided = any(share >= least and self._unaided >= many for least, many in self._needed)
        return (
            self.agreement >= self._agree / (2 if nearly_all else 1)
            and ways >= _FEWEST_WAYS
            and unaided
            and singles <= _SINGLES * self.restarts
        )

    def best(self, most: int) -> list[Terms]:
        """Return the best distinct functions so far, best first."""
        allowed = [(-score, terms) for terms, score in self._ends.items() if score > -math.inf]
        return [terms for _, terms in sorted(allowed)[:most]]

    def promising(self) -> list[Rates]:
        """Return the rates at which restarts came to the best ends, best first."""
        return sorted(self._rates, key=lambda rates: (-self._rates[rates], rates))[:_PROMISING]

    def pool(self) -> list[Term]:
        """Return terms worth putting together: of the best functions first, then the latest met."""
        allowed = [(-score, terms) for terms, score in self._ends.items() if score > -math.inf]
        of_ends = (term for _, terms in sorted(allowed) for _, term in terms)
        return list(dict.fromkeys([*of_ends, *reversed(self._met)]))[:_POOL]

    def near(self) -> int:
        """Count distinct functions that share the best score or come within a nat."""
        return sum(score >= self.score - 1 for score in self._ends.values())
