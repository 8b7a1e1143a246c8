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

# Only this tolerance affects what is proved (end of docs/bound.md); all other constants decide how
# the time is spent.
_SAME = 1e-6  # nats; scores and bounds closer than this are equal
_FINE, _FINE_BELOW = 28, 0.1  # binary digits of prices if the gap is below this many nats
_SMOOTH = 0.5  # weight of the best prices so far in the smoothed prices (Wentges 1997)
_FLOORS = 8  # higher floors to try after a pricing search was stopped early, each half as far
_AT_ONCE = 20  # maximum number of terms that one pricing search adds
_NODES = 200_000  # initial limit on the nodes of a pricing search
_LOOK_SHARE, _LOOK_SECONDS = 0.03, 0.5  # share of all time, or seconds, for one pricing search
_AGAIN_SHARE = 0.25  # maximum share of the remaining time for a repeated pricing search
_STEPS = 60  # maximum number of pricing steps of one box
_NEAR = 0.1  # pricing ends if the bound is within this share of the gap of the program's value
_MOST_BEGUN = 500  # maximum number of terms by which a box is partitioned
_MOST_LAST = 5_000  # maximum number of candidates for the last term of a function
_MOST_LISTED = 30_000  # maximum number of terms whose sets are searched
# Maximum share of the remaining time for the sets of one box, and of all time for sets of boxes
# that were not settled.
_SETTLE_SHARE, _IN_VAIN = 0.25, 0.5
_SETTLE_SECONDS = 10.0  # total for sets of terms if there is no time limit
_LAST_DIGITS = 20  # binary digits of prices in the search for a last term
_NO_FLOOR = 2**50  # units; its negative is below the worth of any term
_MOST_ROWS = 3 * 10**8  # bytes of all open boxes, one byte for each row
# Boxes are partitioned by terms if the planes are less than this share of the gap above the
# likelihood.
_BEGIN_BELOW = 0.25
_TIGHT = 0.02  # nats; if planes are this close to the likelihood, splitting counts does not help
_TERM_SHARE = 0.2  # share of the time for the best single term
LEAST_SECONDS = 1e-3  # smallest time limit that is accepted


class _Open(NamedTuple):
    """An open box; boxes with the highest bound come first, then the oldest."""

    order: float
    number: int
    box: Box


class Boxes:
    """Partition of all functions into boxes; a box that may contain a better one is open."""

    def __init__(self, posterior: Posterior, time_limit: float | None) -> None:
        self.posterior = posterior
        self.space = TermSpace(posterior)
        self.pool = TermPool(self.space)
        self.function: Rule = BooleanFunction()
        self.score = -math.inf
        self.open: list[_Open] = []
        self.closed = -math.inf  # highest bound of boxes that cannot be split further
        self.done = 0
        self._numbers = count()
        self.total = math.inf if time_limit is None else time_limit
        self.start = time.monotonic()
        self.end = self.start + self.total
        self.unsettled = 0.0  # seconds spent on sets of terms of boxes that were not settled

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
        """Optimality gap: how much higher than the best known score any function may score."""
        # Every function is in a box that is open or closed, or in one whose bound was no better
        # than the best score: the largest bound left holds for all.
        top = max(self.closed, -self.open[0].order if self.open else -math.inf)
        above = top - self.score
        return 0.0 if above <= _SAME or top == -math.inf else above

    def offer(self, function: Rule) -> None:
        """Score a function, and keep it if it is the best one so far."""
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
        """Settle functions of at most one term, and open a box with all others."""
        space, posterior = self.space, self.posterior
        self.offer(BooleanFunction())
        whole = space.whole(space.most_terms)
        if space.most_terms == 0 or space.best_term == -math.inf:
            return
        # The box is opened before any slow step, so that there is a valid gap at any time.
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
        """Open a box, without numbers of terms that cannot improve the score."""
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
        """Process the box with the highest bound; return False if nothing is left to do."""
        while self.open and self._hopeless(-self.open[0].order):
            heapq.heappop(self.open)
            self.done += 1
        # If a box that cannot be split has the highest bound, splitting others does not lower the
        # gap.
        if not self.open or -self.open[0].order <= self.closed:
            return False
        box = self.open[0].box  # stays in the heap until processed: the gap stays valid
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
        """Return a deadline for one pricing search; a search that stops early still has a bound.

        A repeated search gets ``times`` as much time, up to a share of the remaining time.
        """
        stop = _native.StopFlag()
        if self.left < math.inf:
            once = max(_LOOK_SECONDS, _LOOK_SHARE * self.total)
            seconds = max(once, min(times * once, _AGAIN_SHARE * self.left))
            stop.set_deadline(min(max(0.0, self.left), seconds))
        return stop

    def _price(self, box: Box) -> Solved | None:
        """Improve the prices of a box by column generation; return the last linear program."""
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
        """Add every single literal to the pool, for the first linear program."""
        return self.pool.add([(literal,) for literal in self.space.literals]) > 0

    def _look(self, box: Box, prices: RowPrices, nodes: int) -> tuple[int, RowPrices, bool]:
        """Search for terms worth more than those in the pool; return how many are new."""
        pool, space = self.pool, self.space
        at = pool.within(box)
        known = space.units(box, prices, pool.worth[at], pool.marked[at]).max(initial=-(2**60))
        floor = int(known) + 1
        times = max(1, nodes // _NODES)
        found = space.find(box, prices, floor, _AT_ONCE, False, nodes, self._stop(times))
        ceiling, complete = found.ceiling, found.complete
        if not complete and not found.terms:
            # A search that stops early returns the weak bound of the literals it started with. A
            # search with a high floor ends soon and proves that no term reaches this floor. Lower
            # floors follow until a search is stopped early too (docs/bound.md, after step 3).
            distance = ceiling - floor
            for _ in range(_FLOORS):
                distance //= 2
                if distance <= 0:  # this floor was tried first
                    break
                found = space.find(
                    box, prices, floor + distance, _AT_ONCE, False, nodes, self._stop(times)
                )
                ceiling = min(ceiling, found.ceiling)
                if found.terms or not found.complete:
                    break
        # ρ in whole units: the best term in the pool, or the bound on the terms that the search
        # did not visit if it was stopped early.
        ceiling = max(int(known), ceiling)
        return pool.add(found.terms), prices._replace(ceiling=ceiling), complete

    def _round(self, solved: Solved) -> None:
        self._offer_terms([t for t, z in zip(solved.terms, solved.shares, strict=True) if z > 0.5])

    def _listed(self, box: Box, shared_by: int, most: int) -> _native.PricedTerms | None:
        """List the terms whose distance to ρ is at most the slack divided by ``shared_by``."""
        prices = box.prices
        if prices is None or self.score == -math.inf:
            return None
        # Step 4 of docs/bound.md: the distances to ρ of the m terms of a better function add up to
        # less than the slack, so one of them is at most an m-th of it.
        slack = (self.space.value(box, prices) - self.score) / shared_by
        # Two units to spare: the slack is a difference of floating-point sums.
        floor = prices.ceiling - math.ceil(slack / prices.unit) - 2
        found = self.space.find(box, prices, floor, most, True, 8 * _NODES, self._stop())
        return found if found.complete else None

    def _settle(self, box: Box) -> bool:
        """Settle a box by searching all sets of candidate terms; False if it takes too long."""
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
            # If more sets exceed the target than can be stored, the best of them is the next
            # target, which fewer sets exceed.
            sets = better_sets(self.space, box, found.terms, score + _SAME / 2, stop)
            for chosen in sets.sets:
                self._offer_terms([tuple(found.terms[i]) for i in chosen])
            complete = sets.complete
        if not complete:
            self.unsettled += time.monotonic() - began
        return complete

    def _last_term(self, box: Box) -> bool:
        """Settle a box whose functions lack one term, by scoring all candidates for it.

        Return False if there are too many. A single term pays the full price of its rows: at the
        slopes of a plane above the likelihood, its worth is the score of its function under this
        plane, an upper bound. So terms with a worth below the best known score can be left out.
        """
        space = self.space
        for _, *slopes in planes(space, box):
            prices = space.full_prices((slopes[0], slopes[1]), _LAST_DIGITS)
            # ``full_prices`` have the ceiling 0, so ``value`` bounds a function without its last
            # term. The worth of this term must be at least the difference to the best score.
            room = self.score - space.value(box, prices)
            floor = max(-_NO_FLOOR, math.floor(max(room / prices.unit, -_NO_FLOOR)))
            found = space.find(box, prices, floor, _MOST_LAST, True, 8 * _NODES, self._stop())
            if found.complete:
                self._score_last(box, found.terms)
                return True
        return False

    def _score_last(self, box: Box, terms: list[list[int]]) -> None:
        """Score the functions of a box that one of these terms completes; keep better ones."""
        if not terms:
            return
        space, begun = self.space, box.begun
        marked = space.marked(terms)
        known: tuple[Term, ...] = ()
        settled, worth = np.zeros(2), 0.0
        if begun is not None:
            # Rows that settled terms mark are counted in ``settled`` already.
            marked &= begun.open
            known, settled, worth = begun.terms, np.array(begun.rows), begun.worth
        counts = np.rint(settled + marked @ space.split).astype(np.int64)
        scores = space.worth(terms) + [space.log_likelihood(a, b) for a, b in counts.tolist()]
        scores += worth + space.count[len(known) + 1]
        for i in np.flatnonzero(scores > self.score):
            self._offer_terms([*known, tuple(terms[i])])

    def _begin(self, box: Box) -> list[Box] | None:
        """Partition a box by the term closest to ρ; return None if there are too many terms.

        Step 4 of docs/bound.md: the score of a function is at most the bound less the distances of
        its terms to ρ. If the distances of m terms add up to less than the slack, the smallest is
        less than an m-th of it, and the others are no smaller.
        """
        space, n = self.space, box.rest.high
        room = _MOST_ROWS // space.n_rows - len(self.open)
        found = self._listed(box, n, min(_MOST_BEGUN, room)) if room > 0 else None
        if found is None or box.prices is None:
            return None
        value, unit = space.value(box, box.prices), box.prices.unit
        parts = []
        for term, worth in zip(found.terms, found.worth, strict=True):
            # This term is the closest to ρ, so each of the n terms is at least as far from it: the
            # bound falls by n times its distance.
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
        """Partition a box by the cell whose cost is covered least by its prices; None: no cell.

        If a cell with a negative slope is marked, the prices of m terms together cover its cost; a
        single term covers an m-th of it.
        """
        space, n = self.space, box.rest.high
        if solved is None or box.prices is None or len(self.open) > _MOST_ROWS // space.n_rows:
            return None
        used = [t for t, z in zip(solved.terms, solved.shares, strict=True) if z > _SAME]
        holding = solved.shares[solved.shares > _SAME] @ space.marked(used)
        # Marking a cell costs its slope once, here min(1, Σ z) of it. Every term that holds pays an
        # m-th, together Σ z / m. The bound is loose by the difference.
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
        """Return how far the planes are above the likelihood at the program's solution."""
        _, a, b = solved.counts
        near = [
            self.space.log_likelihood(i, j)
            # A count within the solver's tolerance of a whole number must not be rounded both ways.
            for i in {math.floor(a + 1e-6), math.ceil(a - 1e-6)}
            for j in {math.floor(b + 1e-6), math.ceil(b - 1e-6)}
            if box.positive.low <= i <= box.positive.high
            and box.negative.low <= j <= box.negative.high
        ]
        return solved.height - max(near, default=-math.inf)

    def _parts(self, box: Box, solved: Solved | None) -> list[Box]:
        """Split a box: by numbers of terms first, then where this lowers the planes most."""
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
        # The gap after a split is that of the worse half. Names differ, so boxes are never
        # compared.
        return min(choices)[2]

    def _height(self, box: Box, solved: Solved | None) -> float:
        """Evaluate a box's planes at the program's solution, or at the nearest point of the box."""
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
        # Both halves have at least one value, so splitting terminates.
        middle = min(max(math.floor(at), low), high - 1)
        return [
            box.part(**{name: Range(low, middle)}),
            box.part(**{name: Range(middle + 1, high)}),
        ]
