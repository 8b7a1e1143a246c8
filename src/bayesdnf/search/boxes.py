"""Boxes of functions with bounds: branch and bound over all functions.

Functions are assigned to boxes by the number of their terms and of the positives and negatives that
they mark. Prices of rows (see ``priced``) bound every function of a box. The box with the highest
bound gets better prices, or is split, until no box has a bound above the best known score or the
time is up. The remaining difference is the gap.
"""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Sequence
from itertools import count
from typing import NamedTuple

import numpy as np

from .. import _native
from ..boolean import BooleanFunction
from ..model.posterior import Posterior
from ..model.rule import Rule
from .box import DIGITS, Box, Range, RowPrices, Term
from .exact import best_term, better_sets
from .master import Solved, TermPool, planes, solve_linear
from .priced import TermSpace

# Of the numbers below, only this one has a say in what is proved (docs/trust.md, end of "The
# argument"); all others decide where time goes.
_SAME = 1e-6  # nats; scores and bounds closer than this are the same
_FINE, _FINE_BELOW = 28, 0.1  # digits of prices where the gap is below so many nats
_SMOOTH = 0.5  # share of the best prices so far in the prices asked about
_FLOORS = 8  # above what is looked for, each half as far, where that takes too long
_AT_ONCE = 20  # most terms that one look at prices brings in
_NODES = 200_000  # of a search for terms, at first
_LOOK_SHARE, _LOOK_SECONDS = 0.03, 0.5  # of all time, or seconds, for one look at prices
_AGAIN_SHARE = 0.25  # of the time left, for a look that is repeated
_STEPS = 60  # most looks at prices of one box
_NEAR = 0.1  # a bound is near the linear program's when within this share of what is left, or nat
_MOST_BEGUN = 500  # terms by which a box is parted
_MOST_LAST = 5_000  # terms that may complete a function
_MOST_LISTED = 30_000  # terms whose sets are gone through
_SETTLE_SHARE, _IN_VAIN = 0.25, 0.5  # of the time left for the sets of a box; of all, in vain
_SETTLE_SECONDS = 10.0  # for the sets of the first box, without a limit
_LAST_DIGITS = 20  # digits of prices where one term is to be found
_NO_FLOOR = 2**50  # units; below the worth of any term
_MOST_ROWS = 3 * 10**8  # bytes, one a row, of all boxes that are open
# Share of what is left that planes may be above the likelihood, to part by terms.
_BEGIN_BELOW = 0.25
_TIGHT = 0.02  # nats; where planes are so near to the likelihood, cutting a box helps no more
_TERM_SHARE = 0.2  # of the time, for the best single term
LEAST_SECONDS = 1e-3  # that a limit may be


class _Open(NamedTuple):
    """A box that is not done; the highest bound first, then the oldest."""

    order: float
    number: int
    box: Box


class Boxes:
    """All functions, in boxes; those that may hold a better one than the best known are open."""

    def __init__(self, posterior: Posterior, time_limit: float | None) -> None:
        self.posterior = posterior
        self.space = TermSpace(posterior)
        self.pool = TermPool(self.space)
        self.function: Rule = BooleanFunction()
        self.score = -math.inf
        self.open: list[_Open] = []
        self.closed = -math.inf  # highest bound of boxes that can be cut no more
        self.done = 0
        self._numbers = count()
        self.total = math.inf if time_limit is None else time_limit
        self.start = time.monotonic()
        self.end = self.start + self.total
        self.unsettled = 0.0  # seconds spent on sets of terms without coming to an end

    @property
    def left(self) -> float:
        """Seconds left."""
        return self.end - time.monotonic()

    @property
    def over(self) -> bool:
        """Whether the time is up."""
        return self.left <= 0

    @property
    def gap(self) -> float:
        """How much more than the best known some function may score."""
        # Every function is in a box that is open or closed, or in one whose bound was no better
        # than the best score: the largest bound left holds for all.
        top = max(self.closed, -self.open[0].order if self.open else -math.inf)
        above = top - self.score
        return 0.0 if above <= _SAME or top == -math.inf else above

    def offer(self, function: Rule) -> None:
        """Keep a function if it is better than the best known."""
        score = self.posterior.log_score(function)
        if score > self.score:
            self.function, self.score = function, score
        if score > -math.inf:
            self.pool.add(self.posterior.support.ids(function))

    def _offer_terms(self, terms: Sequence[Term]) -> None:
        table = self.posterior.bits.table
        if terms:
            self.offer(BooleanFunction([[table[i] for i in term] for term in terms]))

    def _hopeless(self, value: float) -> bool:
        return value <= self.score + _SAME

    def begin(self) -> None:
        """Settle functions of at most one term; put all others into one box."""
        space, posterior = self.space, self.posterior
        self.offer(BooleanFunction())
        whole = space.whole(space.most_terms)
        if space.most_terms == 0 or space.best_term == -math.inf:
            return
        # Boxes before anything that takes time, so that there is a gap whenever it ends.
        self._push_terms(whole)
        if self.over:
            return
        share = None if self.total == math.inf else max(LEAST_SECONDS, _TERM_SHARE * self.left)
        found = best_term(posterior, time_limit=share)
        if found.log_posterior > -math.inf:
            self.offer(found.function)
        boxes = [entry.box for entry in self.open]
        # They were opened before the best single term was known, and may be hopeless now or have
        # fewer terms left.
        self.open = []
        for box in boxes:
            # With the best single term proved, functions of one term are settled and leave the
            # boxes.
            low = box.terms.low + (1 if found.proved and box.terms.low == 1 else 0)
            if low <= box.terms.high:
                self._push(box.part(terms=Range(low, box.terms.high)))
        if found.stopped == "interrupted":
            raise KeyboardInterrupt

    def _push_terms(self, box: Box) -> None:
        """Open a box with as many terms as could pay."""
        space = self.space
        m = np.arange(box.terms.low, box.terms.high + 1)
        most = max((v for *_, v in space.corners(box)), default=-math.inf)
        # The corners bound the likelihood, convex in both counts, over the whole box: numbers of
        # terms whose prior is too low beside it are left out.
        values = space.terms_prior(box.terms) + most
        hopeful = np.flatnonzero(values > self.score + _SAME)
        if len(hopeful):
            terms = Range(int(m[hopeful[0]]), int(m[hopeful[-1]]))
            self._push(box.part(terms=terms))

    def _push(self, box: Box) -> None:
        space = self.space
        # The prior gives no function so many terms: there is none in the box.
        if not np.isfinite(space.count[box.terms.low : box.terms.high + 1]).any():
            return
        box.bound = min(box.bound, space.without_prices(box))
        if box.prices is not None:
            box.bound = min(box.bound, space.value(box, box.prices))
        if self._hopeless(box.bound):
            self.done += 1
        else:
            heapq.heappush(self.open, _Open(-box.bound, next(self._numbers), box))

    def step(self) -> bool:
        """Deal with the box that has the highest bound; False when nothing more can be done."""
        while self.open and self._hopeless(-self.open[0].order):
            heapq.heappop(self.open)
            self.done += 1
        # If a box that can be cut no more has the highest bound, cutting others does not lower the
        # gap.
        if not self.open or -self.open[0].order <= self.closed:
            return False
        box = self.open[0].box  # stays there until it is done, so that the gap is true throughout
        last = box.rest == (1, 1) and self._last_term(box)
        solved = None if last else self._price(box)
        last = last or (not self._hopeless(box.bound) and self._settle(box))
        heapq.heappop(self.open)
        if last or self._hopeless(box.bound):
            self.done += 1
            return True
        if self.over:
            self._keep(box)
            return True
        for part in self._parts(box, solved):
            self._push(part)
        return True

    def _keep(self, box: Box) -> None:
        heapq.heappush(self.open, _Open(-box.bound, next(self._numbers), box))

    def _stop(self, times: int = 1) -> _native.StopFlag:
        """Let one look for terms take a share of the time; what it has not seen is bounded, too.

        A look that is repeated because it was cut short gets so many ``times`` that, up to a
        share of what is left.
        """
        stop = _native.StopFlag()
        if self.left < math.inf:
            once = max(_LOOK_SECONDS, _LOOK_SHARE * self.total)
            seconds = max(once, min(times * once, _AGAIN_SHARE * self.left))
            stop.set_deadline(min(max(0.0, self.left), seconds))
        return stop

    def _price(self, box: Box) -> Solved | None:
        """Look for prices that bound the box well; the linear program's last solution."""
        best = box.prices
        value = math.inf if best is None else self.space.value(box, best)
        solved: Solved | None = None
        nodes = _NODES
        for _ in range(_STEPS):
            if self.over:
                break
            digits = _FINE if box.bound - self.score < _FINE_BELOW else DIGITS
            new = solve_linear(self.space, box, self.pool, digits, self.left)
            if new is None or new.prices is None:
                if solved is None and self._start():
                    continue
                break
            solved = new
            self._round(solved)
            # Dual values of a linear program over few terms jump from one solution to the next.
            # Asking halfway to the best prices so far (Wentges 1997) damps that and needs fewer
            # terms.
            asked = new.prices if best is None else new.prices.mixed(best, _SMOOTH, digits)
            added, asked, complete = self._look(box, asked, nodes)
            # Smoothed prices may attract no new term although the program's own would (a
            # mis-price). Only if both find none is the bound final.
            if not added and best is not None:
                added, other, complete = self._look(box, new.prices, nodes)
                if self.space.value(box, other) < self.space.value(box, asked):
                    asked = other
            reached = self.space.value(box, asked)
            if reached < value:
                value, best = reached, asked
            # The bound may come from the box that this one was part of, and be lower.
            box.bound, box.prices = min(box.bound, value), best
            if self._hopeless(box.bound):
                break
            if not added:
                if digits < _FINE and box.bound - self.score < _FINE_BELOW:
                    continue  # with finer prices
                if complete or nodes >= 64 * _NODES:
                    break
                nodes *= 8
            hoped = solved.value - self.score
            # No prices bound better than the program's value. Near it more pricing is wasted: cut
            # the box instead.
            if hoped > _SAME and value - solved.value < max(_NEAR * hoped, _SAME):
                break
        return solved

    def _start(self) -> bool:
        """Take in every single literal, where there is nothing to begin with."""
        return self.pool.add([(literal,) for literal in self.space.literals]) > 0

    def _look(self, box: Box, prices: RowPrices, nodes: int) -> tuple[int, RowPrices, bool]:
        """Look for terms that gain more than those at hand; how many are new."""
        pool, space = self.pool, self.space
        at = pool.within(box)
        known = space.units(box, prices, pool.worth[at], pool.marked[at]).max(initial=-(2**60))
        floor = int(known) + 1
        times = max(1, nodes // _NODES)
        found = space.find(box, prices, floor, _AT_ONCE, False, nodes, self._stop(times))
        ceiling, complete = found.ceiling, found.complete
        if not complete and not found.terms:
            # Cut short, the bound is that of the first literals. A high floor is soon proved to be
            # one that no term reaches; lower ones follow until one is cut short, too.
            distance = ceiling - floor
            for _ in range(_FLOORS):
                distance //= 2
                if distance <= 0:  # as it was asked first
                    break
                found = space.find(
                    box, prices, floor + distance, _AT_ONCE, False, nodes, self._stop(times)
                )
                ceiling = min(ceiling, found.ceiling)
                if found.terms or not found.complete:
                    break
        # ρ in whole units: the best term at hand, or the bound of everything that the search did
        # not see, if it was cut short.
        ceiling = max(int(known), ceiling)
        return pool.add(found.terms), prices._replace(ceiling=ceiling), complete

    def _round(self, solved: Solved) -> None:
        self._offer_terms([t for t, z in zip(solved.terms, solved.shares, strict=True) if z > 0.5])

    def _listed(self, box: Box, shared_by: int, most: int) -> _native.PricedTerms | None:
        """List the terms that lack at most a share of what the bound is above the best score."""
        prices = box.prices
        if prices is None or self.score == -math.inf:
            return None
        # Step 4 of the argument in docs/trust.md: the m terms of a better function lack less than
        # the slack together, so one of them lacks at most an m-th.
        slack = (self.space.value(box, prices) - self.score) / shared_by
        # Two units to spare: the slack is a difference of floating-point sums.
        floor = prices.ceiling - math.ceil(slack / prices.unit) - 2
        found = self.space.find(box, prices, floor, most, True, 8 * _NODES, self._stop())
        return found if found.complete else None

    def _settle(self, box: Box) -> bool:
        """Settle a box by all sets of terms that may be better; False where that takes too long."""
        began = time.monotonic()
        whole = box.begun is None and box.shut is None and box.terms.low == box.terms.high
        if self.left < math.inf:
            allowed = min(_SETTLE_SHARE * self.left, _IN_VAIN * self.total - self.unsettled)
        else:
            allowed = _SETTLE_SECONDS + began - self.start - self.unsettled
        if not (whole and self.space.monotone and allowed > 0):
            return False
        found = self._listed(box, 1, min(_MOST_LISTED, _MOST_ROWS // self.space.n_rows))
        complete, score = False, -math.inf
        while found is not None and not complete and self.score > score:
            score = self.score
            stop = _native.StopFlag()
            stop.set_deadline(min(allowed - (time.monotonic() - began), self.left))
            # If more sets are better than can be kept, the best of them is the next target, which
            # fewer exceed.
            sets = better_sets(self.space, box, found.terms, score + _SAME / 2, stop)
            for chosen in sets.sets:
                self._offer_terms([tuple(found.terms[i]) for i in chosen])
            complete = sets.complete
        if not complete:
            self.unsettled += time.monotonic() - began
        return complete

    def _last_term(self, box: Box) -> bool:
        """Settle a box whose functions lack one term, by scoring all that might do.

        False where those are too many.

        One term pays for its rows in full. At the slopes of a plane above the likelihood it is
        worth what its function scores there, so that terms worth no more than the best score known
        can be left out.
        """
        space = self.space
        for _, *slopes in planes(space, box):
            prices = space.full_prices((slopes[0], slopes[1]), _LAST_DIGITS)
            # ``full_prices`` have the ceiling 0, so that ``value`` bounds a function without its
            # last term; that term has to be worth what is missing to the best score.
            room = self.score - space.value(box, prices)
            floor = max(-_NO_FLOOR, math.floor(max(room / prices.unit, -_NO_FLOOR)))
            found = space.find(box, prices, floor, _MOST_LAST, True, 8 * _NODES, self._stop())
            if found.complete:
                self._score_last(box, found.terms)
                return True
        return False

    def _score_last(self, box: Box, terms: list[list[int]]) -> None:
        """Offer the functions of a box that are complete with a term, if they are better."""
        if not terms:
            return
        space, begun = self.space, box.begun
        marked = space.marked(terms)
        known: tuple[Term, ...] = ()
        settled, worth = np.zeros(2), 0.0
        if begun is not None:
            # What settled terms mark is in ``settled`` already.
            marked &= begun.open
            known, settled, worth = begun.terms, np.array(begun.rows), begun.worth
        counts = np.rint(settled + marked @ space.split).astype(np.int64)
        scores = space.worth(terms) + [space.log_likelihood(a, b) for a, b in counts.tolist()]
        scores += worth + space.count[len(known) + 1]
        for i in np.flatnonzero(scores > self.score):
            self._offer_terms([*known, tuple(terms[i])])

    def _begin(self, box: Box) -> list[Box] | None:
        """Part a box by the term that lacks least to the best worth; None: there are too many.

        At the box's prices a function scores the bound less what its terms lack. Where the m terms
        of a better function lack less than the slack together, one lacks less than an m-th of it,
        and the others no less than that one.
        """
        space, n = self.space, box.rest.high
        room = _MOST_ROWS // space.n_rows - len(self.open)
        found = self._listed(box, n, min(_MOST_BEGUN, room)) if room > 0 else None
        if found is None or box.prices is None:
            return None
        value, unit = space.value(box, box.prices), box.prices.unit
        parts = []
        for term, worth in zip(found.terms, found.worth, strict=True):
            # This term is the one that lacks least, so each of the n terms lacks at least as much:
            # n times its shortfall comes off the bound.
            bound = value - n * unit * max(0, box.prices.ceiling - worth - 1)
            if self._hopeless(bound):
                continue
            part = space.begin(box, tuple(term))
            if part.positive.low > part.positive.high or part.negative.low > part.negative.high:
                continue
            if n == 1:
                assert part.begun is not None
                self._offer_terms(part.begun.terms)
                continue
            part.bound = min(box.bound, bound)
            parts.append(part)
        return parts

    def _by_row(self, box: Box, solved: Solved | None) -> list[Box] | None:
        """Part a box by the cell whose mark costs most beyond its prices; None: there is none.

        Where a cell is marked that had better not be, the prices of m terms together are what its
        mark costs; one term alone pays an m-th.
        """
        space, n = self.space, box.rest.high
        if solved is None or box.prices is None or len(self.open) > _MOST_ROWS // space.n_rows:
            return None
        used = [t for t, z in zip(solved.terms, solved.shares, strict=True) if z > _SAME]
        holding = solved.shares[solved.shares > _SAME] @ space.marked(used)
        # A mark costs the slope once, here min(1, Σ z) of it, and every term that holds pays an
        # m-th, together Σ z / m: the difference is what the bound gives away.
        costs = np.where(space.is_positive, *box.prices.slopes) * space.row_weights
        if box.shut is not None:
            costs[box.shut] = 0.0
        if box.begun is not None:
            costs[~box.begun.open] = 0.0
        holding = holding[space.cell_row]
        unpaid = -space.by_cell(costs) * (np.minimum(1.0, holding) - holding / n)
        cell = int(unpaid.argmax())
        return None if unpaid[cell] <= _SAME else list(space.by_row(box, space.cell_row[cell]))

    def _gain_of_cut(self, box: Box, solved: Solved) -> float:
        """How far the planes are above the likelihood where the linear program is."""
        _, a, b = solved.counts
        near = [
            self.space.log_likelihood(i, j)
            # A whole number within the solver's tolerance must not have two neighbours.
            for i in {math.floor(a + 1e-6), math.ceil(a - 1e-6)}
            for j in {math.floor(b + 1e-6), math.ceil(b - 1e-6)}
            if box.positive.low <= i <= box.positive.high
            and box.negative.low <= j <= box.negative.high
        ]
        return solved.height - max(near, default=-math.inf)

    def _parts(self, box: Box, solved: Solved | None) -> list[Box]:
        """Cut a box in two: by terms first, then where the planes come down most."""
        if box.rest.low < box.rest.high:
            at = solved.counts[0] if solved is not None else sum(box.terms) / 2
            return self._cut(box, "terms", at)
        above = math.inf if solved is None else self._gain_of_cut(box, solved)
        if above < max(_TIGHT, _BEGIN_BELOW * (box.bound - self.score)):
            parts = self._begin(box)
            if parts is None:
                parts = self._by_row(box, solved)
            if parts is not None:
                return parts
        choices = []
        for name, index in (("positive", 1), ("negative", 2)):
            span = getattr(box, name)
            if span.low == span.high:
                continue
            at = solved.counts[index] if solved is not None else sum(span) / 2
            parts = self._cut(box, name, at)
            choices.append((max(self._height(part, solved) for part in parts), name, parts))
        if not choices:
            begun = self._begin(box)
            if begun is None:
                begun = self._by_row(box, solved)
            if begun is not None:
                return begun
            self.closed = max(self.closed, box.bound)
            return []
        # The gap after a cut is that of its worse half. Names differ, so that boxes are never
        # compared.
        return min(choices)[2]

    def _height(self, box: Box, solved: Solved | None) -> float:
        """Of a box's planes where the linear program is, or at the nearest point of the box."""
        if solved is None:
            return max((v for *_, v in self.space.corners(box)), default=-math.inf)
        a, b = (
            min(max(x, span.low), span.high)
            for x, span in zip(solved.counts[1:], (box.positive, box.negative), strict=True)
        )
        return min(c + s * a + r * b for c, s, r in planes(self.space, box))

    @staticmethod
    def _cut(box: Box, name: str, at: float) -> list[Box]:
        low, high = getattr(box, name)
        # Both halves have a value at least, so that cutting ends.
        middle = min(max(math.floor(at), low), high - 1)
        return [
            box.part(**{name: Range(low, middle)}),
            box.part(**{name: Range(middle + 1, high)}),
        ]
