"""Strategies of restarts: where they start, and what they anneal.

With both rates integrated out, the log likelihood is convex in the numbers of marked positives and
marked negatives, so it is the upper envelope of straight lines, each the log likelihood at two
known rates. Every such line has its own basin: a search that follows the envelope ends in the basin
in which it starts, in all restarts. So restarts first anneal at known rates, each at different
ones, from rates that allow few false positives to rates that allow few false negatives, and
integrate the rates out at the end. Which rates lead to good results depends on the table, so later
restarts also anneal near the rates with the best results. Lists of layers start with functions
found in this way, for either class. Other restarts begin with a beam search among half of the
attributes: the terms that a search takes first exclude others, and without them it ends elsewhere.
Later restarts also start from earlier results: a good function without some of its terms, or the
best combination of the terms of good functions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Term = tuple[int, ...]
Terms = tuple[tuple[int, Term], ...]
"""Terms of a function or list, as pairs of layer and term."""

ROUND = 8
"""Restarts in a round; restarts of one round do not use each other's results."""

INDEPENDENT = frozenset({"beam", "free", "precise", "broad", "long", "sparse"})
"""Strategies that do not use earlier results. The others tend to return to the functions from which
or near whose rates they start, so their agreement is weaker evidence."""

TILTED = frozenset({"precise", "broad", "long", "tuned"})
"""Strategies that start from the null function and anneal at known rates."""

Rates = tuple[float, float]
"""π0 and π1."""

# Distances of the known rates from the share of positives, in logits; and the generators of a
# low-discrepancy sequence in the square (the R2 sequence of Roberts 2018: 1 / g and 1 / g² with the
# plastic number g, the root of g³ = g + 1).
_NEAREST, _FURTHEST = 0.4, 12.0
_MOST = 14.0  # maximum distance of rates near promising ones
_EVENLY = np.array([0.7548776662466927, 0.5698402909980532])
# Distances (down, up) of the first round. Rates with costly false positives come first, because a
# search at free rates seldom reaches the same functions.
_FIRST = {3: (1.5, 4.5), 4: (2.5, 5.0), 6: (5.0, 2.5), 7: (1.0, 2.5)}
_TUNED = 2  # rounds before "tuned" restarts
_SPREAD = 0.3  # standard deviation of the log distance of "tuned" rates around promising ones
_EARLY = 3  # first rounds have one more sparse restart: these are cheap and most different
_FOREMOST = 6  # number of best functions from which later restarts start
_DROPPED = 0.4  # share of the terms of a good function that "varied" removes
_POOLED, _FEW_POOLED = 0.6, 0.3  # shares of the pool that most "joined" restarts use
_TAKEN = 0.6  # share of the terms of each of two functions that "joined" combines


class Way(NamedTuple):
    """Strategy of a restart: its start, and the rates at which it anneals."""

    kind: str
    """"beam", "free", "precise", "broad", "long" (the prior is tempered too: functions are
    long at first), "tuned" (near the best rates so far), "sparse", "varied" or "joined";
    docs/trust.md explains them."""
    start: Terms = ()
    """Terms to start from; empty: the null function."""
    rates: Rates = (math.nan, math.nan)
    """Rates while annealing; NaN: integrated out."""
    cold: bool = False
    """Whether to start at a low temperature, close to the start."""
    pool: float = 1.0
    """Share of the pool of terms to use."""


class Ways:
    """Assigns a strategy to the number of a restart.

    Parameters
    ----------
    share : float
        Share of positives among the rows.
    shift : ndarray of two floats
        Offset of the sequence of rates in the unit square; depends on the seed.
    both_classes : bool
        Whether every other restart reverses the rates, so that functions mark the negatives.
    """

    def __init__(
        self, share: float, shift: NDArray[np.float64], both_classes: bool = False
    ) -> None:
        self._logit = math.log(share / (1 - share))
        self._shift = shift
        self._both_classes = both_classes

    def way(
        self,
        number: int,
        elites: Sequence[Terms],
        rng: np.random.Generator,
        promising: Sequence[Rates] = (),
    ) -> Way:
        """Return the strategy of a restart.

        Parameters
        ----------
        number : int
            Number of the restart; the first is a beam search.
        elites : sequence of terms
            The best distinct functions known, best first.
        rng : Generator
            The generator of this restart.
        promising : sequence of rates
            Rates at which earlier restarts had the best results.
        """
        turn, place = divmod(number, ROUND)
        known = turn > 0 and bool(elites) and bool(elites[0])
        if number == 0:
            return Way("beam")
        if known and (place == 7 or (place == 1 and turn % 2 == 1)):
            # Several "joined" restarts may be in one batch and must differ: only one of them uses
            # the whole pool.
            share = _FEW_POOLED if place == 1 else 1.0 if turn % 4 == 0 else _POOLED
            return Way("joined", _together(elites, rng), pool=share)
        if place == 5 and (turn < _EARLY or turn % 2 == 1):
            return Way("sparse")
        if place == 2 and turn < _EARLY:
            return Way("sparse")
        if known and place >= 5:
            tilted = place == 6 and not self._both_classes
            rates = self._rates(number) if tilted else (math.nan, math.nan)
            elite = elites[int(rng.integers(min(_FOREMOST, len(elites))))]
            return Way("varied", _some(elite, 1 - _DROPPED, rng), rates, cold=True)
        if place == 1:
            return Way("free")
        if turn >= _TUNED and promising and (place in (2, 4) or (place == 3 and turn % 2 == 1)):
            return Way("tuned", rates=self._near(promising, rng))
        pi0, pi1 = self._rates(number)
        # Distances are in logits from the base rate: if π1 is further up than π0 is down, a false
        # positive costs more than a false negative.
        precise = self._logit - _logit(pi0) < _logit(pi1) - self._logit
        # Rates of lists are unordered, so half of the restarts search for functions that mark the
        # negatives; either kind can be the first layer of a list.
        reverse = self._both_classes and (turn + place) % 2 == 0
        rates = (pi1, pi0) if reverse else (pi0, pi1)
        if place == 3:
            return Way("long", rates=rates)
        return Way("precise" if precise else "broad", rates=rates)

    def _near(self, promising: Sequence[Rates], rng: np.random.Generator) -> Rates:
        chosen = promising[int(rng.integers(len(promising)))]
        distances = [
            float(np.clip((_logit(rate) - self._logit) * factor, -_MOST, _MOST))
            for rate, factor in zip(chosen, np.exp(_SPREAD * rng.standard_normal(2)), strict=True)
        ]
        return _share(self._logit + distances[0]), _share(self._logit + distances[1])

    def _rates(self, number: int) -> Rates:
        if number < ROUND:
            down, up = _FIRST[number]
        else:
            # An additive recurrence is a low-discrepancy sequence of any length, so the number of
            # restarts need not be known. Distances are uniform on the log scale: rules with hardly
            # any error are found only at the largest distances.
            place = (self._shift + number * _EVENLY) % 1
            down, up = _NEAREST * (_FURTHEST / _NEAREST) ** place
        return _share(self._logit - down), _share(self._logit + up)


def _logit(share: float) -> float:
    return math.log(share / (1 - share))


def _share(logit: float) -> float:
    return 1 / (1 + math.exp(-logit))


def _some(terms: Terms, share: float, rng: np.random.Generator) -> Terms:
    kept = rng.random(len(terms)) < share
    return tuple(term for term, keep in zip(terms, kept, strict=True) if keep)


def _together(elites: Sequence[Terms], rng: np.random.Generator) -> Terms:
    # The best functions are often similar. The second may be any of the elites, to add new terms.
    first, second = (int(rng.integers(n)) for n in (min(_FOREMOST, len(elites)), len(elites)))
    taken = (*_some(elites[first], _TAKEN, rng), *_some(elites[second], _TAKEN, rng))
    once = {term: layer for layer, term in taken}  # a common term gets its layer from the second
    # Terms of the first function come first: if two terms exclude each other, the search keeps the
    # first one.
    return tuple((layer, term) for term, layer in once.items())
