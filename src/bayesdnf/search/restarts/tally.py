"""The results of a search's restarts, and the stopping rule."""

from __future__ import annotations

import math
from collections import Counter
from typing import NamedTuple

from .ways import INDEPENDENT, TILTED, Rates, Term, Terms

# Scores closer than this are the same function, or one with equal columns in it.
_SAME = 1e-9
# Conditions on independent restarts (see ``ways``) for a search to stop at the end of a round:
_FEWEST_WAYS = 2  # strategies that must have reached the best score;
_NEARLY_ALL = 0.9  # if this share of them reached it, half as many restarts need to agree.
# The rebuilding step is the same for all restarts and can lead them to the same wrong function. So
# some must have reached the best score before it; (share of restarts at the best score, how many):
_UNAIDED = ((0.25, 4), (0.1, 8))
# Restarts without agreement: at least, at most, and at most on a small table.
_RESTARTS, _MOST, _MOST_OF_SMALL = 256, 512, 1024
_FEW = 3  # fewer independent restarts than this may have reached the best score by chance
# At most a share _SINGLES of all restarts may have ended within _NEAR nats of the best score at a
# score that no other restart reached.
_NEAR = 10.0
_SINGLES = 0.025
_PROMISING = 4  # number of best rates near which later restarts anneal
_POOL = 400  # maximum number of terms for recombination


class End(NamedTuple):
    """The result of a restart, its strategy, and its score before it was rebuilt."""

    terms: Terms
    score: float
    kind: str
    begun: float = -math.inf
    """Score before rebuilding, if known."""
    met: tuple[Term, ...] = ()
    """Terms that later restarts may recombine."""
    rates: Rates = (math.nan, math.nan)
    """Known rates at which it was annealed; NaN if they were integrated out."""


class Tally:
    """The best result so far, how many restarts ended there, and their strategies.

    Parameters
    ----------
    agree : int
        How many restarts must have ended at the best score.
    small : bool
        Whether restarts have their full number of steps. On large tables annealing is truncated
        and is not expected to reach the best score before rebuilding.
    """

    def __init__(self, agree: int, small: bool = True) -> None:
        self._agree = agree
        self._small = small
        self._needed = ((_NEARLY_ALL, int(small)), *_UNAIDED)
        self.terms: Terms = ()
        self.score = -math.inf
        self.found = 0  # number of restarts needed to reach the best score
        self.kinds: Counter[str] = Counter()  # of the restarts that ended at the best score
        self._unaided = 0  # independent restarts there before they were rebuilt
        self._all_kinds: Counter[str] = Counter()
        self._judged: Counter[str] = Counter()  # since ``know`` found a better function
        self._ends: dict[Terms, float] = {}
        self._met: dict[Term, None] = {}  # in the order in which they were last met
        self._times: Counter[float] = Counter()
        self._rates: dict[Rates, float] = {}  # known rates of restarts, and their scores

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
        """Return the maximum number of restarts, given the results so far."""
        # A best function that was mainly found by recombination, or late, is likely to be improved
        # by more restarts.
        if self._small and self.restarts >= _RESTARTS and self.independent < _FEW:
            return _MOST_OF_SMALL
        return min(max(_RESTARTS, 2 * self.found), _MOST)

    def know(self, end: End) -> bool:
        """Record a function that did not come from a restart; return whether it is the best one."""
        self._ends[end.terms] = end.score
        better = end.score > self.score + _SAME
        if better:
            self._better(end.terms, end.score)
            # No restart found it, so their results do not predict those of later restarts, which
            # have wider beams and know this function.
            self._judged = Counter()
        return better

    def _better(self, terms: Terms, score: float) -> None:
        self.terms, self.score = terms, score
        self.found = self.restarts + 1
        self.kinds = Counter()
        self._unaided = 0

    def add(self, end: End) -> None:
        """Count the result of a restart, and keep its terms for later restarts."""
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
        """Return whether the search may stop (docs/trust.md, "A search")."""
        tried = sum(self._judged[kind] for kind in INDEPENDENT)
        ways = sum(self.kinds[kind] > 0 for kind in INDEPENDENT)
        share = self.independent / max(1, tried)
        # Good (1953): the share of results seen only once estimates the probability that the next
        # restart has a result not seen yet.
        singles = sum(
            times == 1 and score >= self.score - _NEAR for score, times in self._times.items()
        )
        # docs/trust.md, "A search", explains how the thresholds were chosen.
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
        """Return the rates at which restarts had the best results, best first."""
        return sorted(self._rates, key=lambda rates: (-self._rates[rates], rates))[:_PROMISING]

    def pool(self) -> list[Term]:
        """Return terms for recombination: those of the best functions first, then the latest."""
        allowed = [(-score, terms) for terms, score in self._ends.items() if score > -math.inf]
        of_ends = (term for _, terms in sorted(allowed) for _, term in terms)
        return list(dict.fromkeys([*of_ends, *reversed(self._met)]))[:_POOL]

    def near(self) -> int:
        """Count distinct functions with a score within one nat of the best."""
        return sum(score >= self.score - 1 for score in self._ends.values())
