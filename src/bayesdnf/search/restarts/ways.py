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
"""Terms of a function or list, each behind the number of its layer."""

ROUND = 8
"""Restarts in a round; those of one round do not know of each other."""

INDEPENDENT = frozenset({"beam", "free", "precise", "broad", "long", "sparse"})
"""Kinds that know nothing of earlier restarts. The others start from what those came to, and are
apt to come back to it: where they end says less. So do those at rates that did well before."""

TILTED = frozenset({"precise", "broad", "long", "tuned"})
"""Kinds that start from nothing and anneal at known rates."""

Rates = tuple[float, float]
"""π0 and π1."""

# Distances of the known rates from the share of positives, in logits, and two numbers whose
# multiples fill the square evenly (Roberts 2018, the plastic number's powers).
_NEAREST, _FURTHEST = 0.4, 12.0
_MOST = 14.0  # of rates near others
_EVENLY = np.array([0.7548776662466927, 0.5698402909980532])
# Distances (down, up) of the first round: rates that let few false alarms pass come first, since a
# search at free rates seldom ends where they do.
_FIRST = {3: (1.5, 4.5), 4: (2.5, 5.0), 6: (5.0, 2.5), 7: (1.0, 2.5)}
_TUNED = 2  # rounds before restarts keep near to rates that did well
_SPREAD = 0.3  # standard deviation of the logarithm of a distance beside one that did well
_EARLY = 3  # rounds with one more sparse restart: they are cheap, and differ most
_FOREMOST = 6  # of the elites: what later restarts start from
_DROPPED = 0.4  # share of a good function's terms that are taken out
_POOLED, _FEW_POOLED = 0.6, 0.3  # shares of the terms at hand that most joining restarts take
_TAKEN = 0.6  # share of the terms of each of two functions that are put together


class Way(NamedTuple):
    """How a restart begins and anneals."""

    kind: str
    """"beam", "free", "precise", "broad", "long" (the prior is as hot as the likelihood, so that
    functions are long for a while), "tuned" (at rates that did well before), "sparse", "varied" or
    "joined"."""
    start: Terms = ()
    """Terms to start from; none: the beginning."""
    rates: Rates = (math.nan, math.nan)
    """While annealing; NaN: integrated out."""
    cold: bool = False
    """Whether to keep close to the start."""
    pool: float = 1.0
    """Share of the terms at hand that are put together."""


class Ways:
    """Numbers of restarts to ways.

    Parameters
    ----------
    share : float
        Share of positives among the rows.
    shift : ndarray of two floats
        Where in the square of rates to begin; another seed, other rates.
    both_classes : bool
        Whether rates are reversed every other time, so that functions mark the negatives.
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
        """Return the way of a restart.

        Parameters
        ----------
        number : int
            Which restart; the first is a beam search.
        elites : sequence of terms
            The best distinct functions known, best first.
        rng : Generator
            Of this restart alone.
        promising : sequence of rates
            At which earlier restarts came to the best ends.
        """
        turn, place = divmod(number, ROUND)
        known = turn > 0 and bool(elites) and bool(elites[0])
        if number == 0:
            return Way("beam")
        if known and (place == 7 or (place == 1 and turn % 2 == 1)):
            # Several of a kind may be judged together: all but one must do without some terms.
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
        # In logits from the base rate: if π1 is further up than π0 is down, a marked negative
        # costs more than a missed positive.
        precise = self._logit - _logit(pi0) < _logit(pi1) - self._logit
        # Lists have no order between rates, so half of the restarts look for functions that mark
        # the negatives; a layer of either kind is a start.
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
            # An additive recurrence covers the square of rates evenly for any number of restarts,
            # so that no restart has to know how many will follow. Distances are spread evenly by
            # their logarithms: where rules make hardly an error, only the furthest lead to them.
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
    # The foremost are often all alike: the other one may be worse, so that it brings other terms.
    first, second = (int(rng.integers(n)) for n in (min(_FOREMOST, len(elites)), len(elites)))
    taken = (*_some(elites[first], _TAKEN, rng), *_some(elites[second], _TAKEN, rng))
    once = {term: layer for layer, term in taken}  # in the layer that the second has it in
    # Those of the first come first: of terms that exclude each other, the search keeps the first.
    return tuple((layer, term) for term, layer in once.items())
