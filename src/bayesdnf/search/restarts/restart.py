"""One restart of a search: it runs its strategy, is rebuilt by beam search, and polished."""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import Future
from typing import NamedTuple

import numpy as np

from ... import _native
from ...boolean import BooleanFunction
from ...model.flat_functions import as_flat
from ...model.posterior import Posterior
from ...model.rule import Rule
from ...model.streams import Streams
from .tally import End, Tally
from .ways import ROUND, Rates, Term, Terms, Way, Ways

_FEWEST_STEPS = 15
_QUICK_STEPS, _QUICK_HOTTEST = 50, 0.02  # of the search for a start of a chain
_NARROWEST, _FIRST_WIDTH = 8, 32  # beam widths: of the first pass, and at most in first rounds
_FIRST_ROUNDS = 2
_LOOK = 2e8  # maximum cost of the final wide beam: its width times the cost of a step
# The final search for several terms of a list: how many terms, how many lists of each length are
# kept, and how many nats they may lose on the way.
_TOGETHER = (4, 8, 6.0)
_LONGER_AFTER = 64  # restarts after these anneal for twice as many steps
_FREE_LONGER = 2  # factor on the steps of restarts of the strategy "free"
_ELITES = 40  # maximum number of functions from which later rounds may start
_OFFERED = 0.5  # share of the attributes that a sparse restart begins with
_JOINED = 3  # elites from which terms are exchanged for those of the pool
_HEAT_OF_PRIOR = 0.25  # the prior is tempered by this power of the likelihood's β
_COLD = 0.3  # first inverse temperature of a restart that stays close to its start
# Annealing starts at the inverse temperature at which the whole likelihood is worth about this many
# nats: hot enough to move freely, but small tables must not spend most steps at high temperatures.
_HOT_NATS = 60
_HOTTEST_RANGE = (0.005, 0.3)

Found = tuple[Terms, float]


class Known(NamedTuple):
    """Results of earlier rounds that restarts use."""

    width: int
    """Width of beams, which later rounds double."""
    elites: Sequence[Terms] = ()
    """The best distinct functions, best first."""
    pool: Sequence[Term] = ()
    """Terms for recombination."""
    promising: Sequence[Rates] = ()
    """Rates at which restarts found the best functions."""


class Restart:
    """Runs numbered restarts of a search."""

    def __init__(
        self,
        posterior: Posterior,
        steps: int,
        streams: Streams,
        stop: _native.StopFlag,
    ) -> None:
        self.posterior = posterior
        self.streams = streams
        self.stop = stop
        self.reached = -math.inf  # best score of running restarts, for progress
        self.rebuilt: dict[tuple[Terms, int], Future[Found]] = {}
        p = posterior.bits.n_literals
        # Cost of a step: a constant for each literal, plus one unit for eight words of its rows.
        cost = p * (16 + posterior.bits.view().n_words / 8)
        fewest = min(steps, _FEWEST_STEPS)
        self.first = max(fewest, round(steps * min(1, 8_000 / cost)))
        self.known = Known(max(_NARROWEST, round(1.3 * math.sqrt(p))))
        self._widest = max(32, p // 10)
        self._look = min(p, round(_LOOK / cost))
        self._narrow = False  # whether beams of the current width are known to miss a term
        # Offset of the low-discrepancy sequence of rates in ``ways``: other seeds try other rates.
        shift = np.random.default_rng(streams.child(0)).random(2)
        # With more than two rates, functions with two rates are annealed and then made into lists;
        # with more than two classes, each class in turn against all others.
        self.two_rates = (posterior,) if posterior.simple else posterior.of_classes
        self.ways = [
            Ways(
                min(max(two.n_pos / two.n, 1e-9), 1 - 1e-9),
                shift,
                both_classes=not posterior.simple,
            )
            for two in self.two_rates
        ]

    def know(self, tally: Tally) -> None:
        """Update the results of earlier restarts that later ones use."""
        width = self._look if self._narrow else self.known.width
        self.known = Known(width, tally.best(_ELITES), tally.pool(), tally.promising())

    def __call__(self, number: int) -> End:
        """Run a numbered restart; its result depends on the number and ``known`` only."""
        rng = np.random.default_rng(self.streams.child(number))
        # Strategies repeat every ROUND restarts; the shift by one lets every class use all of them.
        target = sum(divmod(number, ROUND)) % len(self.two_rates)
        two_rates = self.two_rates[target]
        # Good rates for one class carry no information about another.
        promising = self.known.promising if len(self.two_rates) == 1 else ()
        way = self.ways[target].way(number, self.known.elites, rng, promising)
        longer = 1 if number < _LONGER_AFTER else 2
        wider = self.known.width * 2 ** (number // ROUND // 2)
        width = min(max(self._widest, self.known.width), wider)
        if number < _FIRST_ROUNDS * ROUND:
            width = min(width, _FIRST_WIDTH)
        if way.kind == "beam":
            return End(*self._rebuild((), width), way.kind)
        if way.kind == "joined":
            return End(*self._joined(way, width, rng), way.kind)
        if way.kind == "sparse":
            begun, score = self._sparse(rng)
            return End(
                *self._rebuild(begun, width), way.kind, score, tuple(term for _, term in begun)
            )
        start, layers = _apart(way.start)
        free = math.isnan(way.rates[0])
        found, met = _native.restart(
            (self.posterior if free else two_rates).native,
            start,
            self.streams[number],
            self.first * longer * (_FREE_LONGER if way.kind == "free" else 1),
            _COLD if way.cold else self._hottest(way.rates, two_rates),
            1.0 if way.kind == "long" else _HEAT_OF_PRIOR,
            *way.rates,
            1 if longer == 1 else 8,
            self.stop,
            layers,
        )
        begun, score = _placed(found)
        if not (free or self.posterior.simple):
            # Use the function found at known rates: terms that a function does not need may improve
            # a list.
            begun, score = tuple((1, tuple(term)) for term in met), -math.inf
        ended = self._rebuild(begun, width)
        return End(*ended, way.kind, score, tuple(map(tuple, met)), way.rates)

    def _hottest(self, rates: Rates, two_rates: Posterior) -> float:
        """Return the first inverse temperature, from the likelihood of marking no or all rows."""
        positive = two_rates.n_pos
        negative = two_rates.n - positive
        if math.isnan(rates[0]):
            nats = -self.posterior.log_likelihood(BooleanFunction())
        else:
            nats = -min(positive * math.log(r) + negative * math.log(1 - r) for r in rates)
        return min(max(_HOT_NATS / max(1e-9, nats), _HOTTEST_RANGE[0]), _HOTTEST_RANGE[1])

    def bettered(self, starts: list[Terms], number: int) -> End:
        """Improve a given start by beam search."""
        return End(*self._rebuild(starts[number], self.known.width), "given")

    def looked_further(self, terms: Terms, score: float) -> End:
        """Search for terms that all restarts may have missed; return the better function.

        A wide beam searches for one more term if the beams of the first restarts were narrow:
        among thousands of literals, those of a term with few rows do not rank high. For lists,
        strata and more than two classes, it also searches for several terms that raise the score
        only together: a part of the rows may have the base rate because the rate of one half is
        higher and that of the other half is lower.
        """
        found = terms, score
        start, layers = _apart(terms)
        if self._look > _FIRST_WIDTH:
            found = _placed(
                _native.add_terms(self.posterior.native, start, self._look, self.stop, layers)
            )
            self._narrow |= found[1] > score  # for later rounds
        if not self.posterior.simple and found[1] <= score:
            together = _placed(
                _native.add_terms_together(
                    self.posterior.native, start, _NARROWEST, *_TOGETHER, self.stop, layers
                )
            )
            if together[1] > score:
                found = self._rebuild(together[0], self.known.width)
        return End(*found, "given")

    def _sparse(self, rng: np.random.Generator) -> Found:
        """Run a beam search with the literals of a random half of the attributes."""
        table = self.posterior.bits.table
        offered = rng.random(len(table.attributes))[table.attribute] < _OFFERED
        return _placed(
            _native.beam_search_among(
                self.posterior.native, offered.astype(np.uint8), _NARROWEST, self.stop
            )
        )

    def _joined(self, way: Way, width: int, rng: np.random.Generator) -> Found:
        """Replace terms of a start by terms of any earlier result.

        One restart of a batch uses the whole pool, and also starts from the best functions; the
        others of the batch would only return to the same functions.
        """
        if not self.posterior.simple:
            return self._rebuild(way.start, width)
        starts = [way.start, *(self.known.elites[:_JOINED] if way.pool == 1 else ())]
        kept = rng.random(len(self.known.pool)) < way.pool
        pool = [list(term) for term, keep in zip(self.known.pool, kept, strict=True) if keep]
        ends = [
            _placed(_native.recombine(self.posterior.native, _apart(terms)[0], pool, self.stop))
            for terms in starts
        ]
        terms, _ = max(ends, key=lambda end: end[1])
        return self._rebuild(terms, width)

    def _rebuild(self, start: Terms, width: int) -> Found:
        """Rebuild with a narrow and then with a wide beam, and polish.

        Restarts that reach the same function share the remaining work.
        """
        narrow, score = self._beam_search(start, _NARROWEST)
        self.reached = max(self.reached, score)
        return self._beam_search(narrow, width)

    def _beam_search(self, start: Terms, width: int) -> Found:
        # Many restarts reach the same function. The first one rebuilds it, the others wait.
        future: Future[Found] = Future()
        known = self.rebuilt.setdefault((start, width), future)
        if known is not future:  # another restart has rebuilt it, or is rebuilding it
            return known.result()
        try:
            terms, layers = _apart(start)
            found = _native.beam_search(self.posterior.native, terms, width, self.stop, layers)
            if self.stop():  # it may be incomplete
                del self.rebuilt[start, width]
            future.set_result(_placed(found))
        except BaseException as error:  # noqa: BLE001, every restart that waits raises it
            future.set_exception(error)
        return future.result()


def quick_restart(posterior: Posterior, stream: _native.Philox) -> Rule:
    """Return the result of a short annealing, for different starts of chains."""
    free, never = math.nan, _native.StopFlag()
    (terms, layers, _), _ = _native.restart(
        posterior.native, [], stream, _QUICK_STEPS, _QUICK_HOTTEST, _HEAT_OF_PRIOR,
        free, free, 1, never,
    )  # fmt: skip
    found, _ = _placed(_native.beam_search(posterior.native, terms, 1, never, layers))
    return posterior.spell(as_flat([found]), 0)


def _placed(found: tuple[list[list[int]], list[int], float]) -> Found:
    """Convert (terms, layers, score) of the core to ((layer, term), …) and the score."""
    terms, layers, score = found
    return tuple(zip(layers, map(tuple, terms), strict=True)), score


def _apart(terms: Terms) -> tuple[list[list[int]], list[int]]:
    """Split ((layer, term), …) into terms and layers for the core."""
    return [list(term) for _, term in terms], [layer for layer, _ in terms]
