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
_QUICK_STEPS, _QUICK_HOTTEST = 50, 0.02  # of a start for chains
_NARROWEST, _FIRST_WIDTH = 8, 32  # of beams: before all others, and most in the first rounds
_FIRST_ROUNDS = 2
_LOOK = 2e8  # what the last look for a term may cost: its width times the cost of a step
# The last look for several terms of a list: how many, how many lists of each length go on, and how
# many nats they may lose on the way.
_TOGETHER = (4, 8, 6.0)
_LONGER_AFTER = 64  # restarts; those that follow anneal for twice as long
_FREE_LONGER = 2  # how much longer restarts anneal that do so at free rates from the beginning on
_ELITES = 40  # functions that later rounds may start from
_OFFERED = 0.5  # share of the attributes that a sparse restart begins with
_JOINED = 3  # elites from which terms are exchanged for those of the pool
_HEAT_OF_PRIOR = 0.25  # power of the likelihood's inverse temperature that is the prior's
_COLD = 0.3  # first inverse temperature of a restart that keeps close to its start
# Annealing starts where the whole likelihood is worth about this many nats: hot enough to go
# anywhere, and not so hot that small tables spend their steps there.
_HOT_NATS = 60
_HOTTEST_RANGE = (0.005, 0.3)

Found = tuple[Terms, float]


class Known(NamedTuple):
    """What restarts know of earlier rounds."""

    width: int
    """Of beams, which later rounds widen."""
    elites: Sequence[Terms] = ()
    """The best distinct functions, best first."""
    pool: Sequence[Term] = ()
    """Terms worth putting together."""
    promising: Sequence[Rates] = ()
    """Rates at which restarts came to the best ends."""


class Restart:
    """Does the restart of a number."""

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
        self.reached = -math.inf  # by restarts that are under way, for those who watch
        self.rebuilt: dict[tuple[Terms, int], Future[Found]] = {}
        p = posterior.bits.n_literals
        # What a step costs: a look at each literal, and eight words of its rows for the same price.
        cost = p * (16 + posterior.bits.view().n_words / 8)
        fewest = min(steps, _FEWEST_STEPS)
        self.first = max(fewest, round(steps * min(1, 8_000 / cost)))
        self.known = Known(max(_NARROWEST, round(1.3 * math.sqrt(p))))
        self._widest = max(32, p // 10)
        self._look = min(p, round(_LOOK / cost))
        self._narrow = False  # whether beams of the width so far are known to miss a term
        # Where the even spread of rates (``ways``) begins: other seeds try other rates.
        shift = np.random.default_rng(streams.child(0)).random(2)
        # Where there are more than two rates, functions of two are annealed and lists made of them;
        # of more than two classes each is told from the others in turn.
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
        """Let the restarts that follow start from what earlier ones came to."""
        width = self._look if self._narrow else self.known.width
        self.known = Known(width, tally.best(_ELITES), tally.pool(), tally.promising())

    def __call__(self, number: int) -> End:
        """Do the restart of a number; it depends on that and on what is known alone."""
        rng = np.random.default_rng(self.streams.child(number))
        # Kinds of ways come round after so many restarts: every class has its turn at each.
        target = sum(divmod(number, ROUND)) % len(self.two_rates)
        two_rates = self.two_rates[target]
        # Rates that suit one class say nothing about another.
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
            # As it was at those rates: terms that do not pay in a function may do so in a list.
            begun, score = tuple((1, tuple(term)) for term in met), -math.inf
        ended = self._rebuild(begun, width)
        return End(*ended, way.kind, score, tuple(map(tuple, met)), way.rates)

    def _hottest(self, rates: Rates, two_rates: Posterior) -> float:
        """Return the first inverse temperature, by what marking no row, or all, would cost."""
        positive = two_rates.n_pos
        negative = two_rates.n - positive
        if math.isnan(rates[0]):
            nats = -self.posterior.log_likelihood(BooleanFunction())
        else:
            nats = -min(positive * math.log(r) + negative * math.log(1 - r) for r in rates)
        return min(max(_HOT_NATS / max(1e-9, nats), _HOTTEST_RANGE[0]), _HOTTEST_RANGE[1])

    def bettered(self, starts: list[Terms], number: int) -> End:
        """Better the start of a number."""
        return End(*self._rebuild(starts[number], self.known.width), "given")

    def looked_further(self, terms: Terms, score: float) -> End:
        """Look for what all restarts may have missed: End("given") of what is found, or of terms.

        One more term is looked for by a wide beam, where those of the first restarts were narrow:
        no literal of a term with few rows stands out among thousands. Save in functions of two
        classes without strata, several terms that pay only together are looked for too: in a list a
        part of the rows may have the base rate just because one half of it is above and the other
        one below.
        """
        found = terms, score
        start, layers = _apart(terms)
        if self._look > _FIRST_WIDTH:
            found = _placed(
                _native.add_terms(self.posterior.native, start, self._look, self.stop, layers)
            )
            self._narrow |= found[1] > score  # for the rounds that follow
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
        """Search by beam with the literals of some attributes only."""
        table = self.posterior.bits.table
        offered = rng.random(len(table.attributes))[table.attribute] < _OFFERED
        return _placed(
            _native.beam_search_among(
                self.posterior.native, offered.astype(np.uint8), _NARROWEST, self.stop
            )
        )

    def _joined(self, way: Way, width: int, rng: np.random.Generator) -> Found:
        """Exchange terms of a start for terms of all that earlier ends had.

        With the whole pool the elites have their turn too: one restart of those that are judged
        together does it, since the others would come back to the same elites.
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

        Restarts that come to the same function on the way share the rest of the work.
        """
        narrow, score = self._beam_search(start, _NARROWEST)
        self.reached = max(self.reached, score)
        return self._beam_search(narrow, width)

    def _beam_search(self, start: Terms, width: int) -> Found:
        # Many restarts come to the same function. The first one rebuilds it, the others wait.
        future: Future[Found] = Future()
        known = self.rebuilt.setdefault((start, width), future)
        if known is not future:  # by another restart, which may still be at it
            return known.result()
        try:
            terms, layers = _apart(start)
            found = _native.beam_search(self.posterior.native, terms, width, self.stop, layers)
            if self.stop():  # it may not have come to its end
                del self.rebuilt[start, width]
            future.set_result(_placed(found))
        except BaseException as error:  # noqa: BLE001, every restart that waits raises it
            future.set_exception(error)
        return future.result()


def quick_restart(posterior: Posterior, stream: _native.Philox) -> Rule:
    """Return what a short annealing comes to, for chains that start apart."""
    free, never = math.nan, _native.StopFlag()
    (terms, layers, _), _ = _native.restart(
        posterior.native, [], stream, _QUICK_STEPS, _QUICK_HOTTEST, _HEAT_OF_PRIOR,
        free, free, 1, never,
    )  # fmt: skip
    found, _ = _placed(_native.beam_search(posterior.native, terms, 1, never, layers))
    return posterior.spell(as_flat([found]), 0)


def _placed(found: tuple[list[list[int]], list[int], float]) -> Found:
    """Put what the core found, (terms, layers, score), as it is kept here."""
    terms, layers, score = found
    return tuple(zip(layers, map(tuple, terms), strict=True)), score


def _apart(terms: Terms) -> tuple[list[list[int]], list[int]]:
    """Return terms and layers as the core takes them."""
    return [list(term) for _, term in terms], [layer for layer, _ in terms]
