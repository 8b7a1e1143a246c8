"""bound: how much better than a given function any allowed function could be.

Functions are put into boxes by the number of their terms and of the positives and negatives that
they mark. Prices of rows (see ``priced``) bound every function of a box; the box with the highest
bound is priced better, or cut in two, until no box reaches above the best function known or the
time is up. Whatever is left then is the gap.
"""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from typing import NamedTuple, Protocol

import numpy as np

from .. import _native
from ..boolean import BooleanFunction
from ..checks import seconds
from ..errors import InputError
from ..model.enumerate import LARGEST
from ..model.posterior import Posterior
from ..model.rule import Rule, as_rule
from .exact import best_function, best_term
from .master import Solved, TermPool, planes, solve_linear
from .priced import DIGITS, Box, Range, RowPrices, Term, TermSpace
from .result import SearchResult

_ENUMERATED = 5  # most literals whose functions are scored one by one
_SAME = 1e-6  # nats; scores and bounds closer than this are the same
_FINE, _FINE_BELOW = 28, 0.1  # digits of prices where the gap is below so many nats
_SMOOTH = 0.5  # share of the best prices so far in the prices asked about
_AT_ONCE = 20  # most terms that one look at prices brings in
_NODES = 200_000  # of a search for terms, at first
_LOOK_SHARE, _LOOK_SECONDS = 0.03, 0.5  # of all time, or seconds, for one look at prices
_STEPS = 60  # most looks at prices of one box
_NEAR = 0.1  # a bound is near the linear program's when within this share of what is left, or nat
_MOST_BEGUN = 5_000  # terms by which a box is parted
_MOST_ROWS = 3 * 10**8  # bytes, one a row, of all boxes that are open
_BEGIN_BELOW = (
    0.25  # share of what is left that planes may be above the likelihood, to part by terms
)
_TIGHT = 0.02  # nats; where planes are so near to the likelihood, cutting a box helps no more
_TERM_SHARE = 0.2  # of the time, for the best single term
_LEAST_SECONDS = 1e-3  # that a limit may be


class BoundProgress(Protocol):
    """Called now and then with the boxes done, those that are open, and the gap in nats."""

    def __call__(self, done: int, left: int, gap: float) -> None:
        """Report progress: boxes done, boxes left, and the gap in nats."""
        ...


def bound(
    posterior: Posterior,
    incumbent: Rule | str | None = None,
    *,
    time_limit: float | None = None,
    progress: BoundProgress | None = None,
) -> SearchResult:
    """Bound what any allowed function scores, beside a function that is known.

    Parameters
    ----------
    posterior : Posterior
        The data and the priors, of one layer and one stratum.
    incumbent : BooleanFunction or str, optional
        The best function known, such as what :func:`hunt` found: the better it is, the sooner
        everything else is ruled out. By default the null function.
    time_limit : float, optional
        Seconds after which to return what is proved so far.
    progress : callable, optional
        Called as ``progress(done, left, gap)`` while it goes on, with the boxes of functions dealt
        with, those left, and the gap.

    Returns
    -------
    SearchResult
        ``gap``: no allowed function scores more than this many nats above ``function``, which is
        the incumbent or a better one that turned up (infinite where neither is allowed).
        ``proved`` says that it is 0 (up to rounding, 1e-6 nats), ``stopped`` is "proved", "time
        limit", "interrupted" or "limits": no box can be cut further, and there are too many terms
        to choose among.

    Raises
    ------
    InputError
        When the posterior has several layers or strata.

    Examples
    --------
    >>> from bayesdnf import BitMatrix, Posterior, bound, hunt, simulate
    >>> X, y, truth = simulate(300, 5, random_state=1)
    >>> posterior = Posterior(BitMatrix.from_table(X), y)
    >>> found = bound(posterior, hunt(posterior, random_state=0).function)
    >>> found.gap, found.proved
    (0.0, True)
    """
    seconds("time_limit", "bound", time_limit)
    if not posterior.simple:
        raise InputError(
            "bound takes functions of one layer without strata; the posterior has "
            f"{posterior.layers} layers and {posterior.n_strata} strata."
        )
    if posterior.bits.n_literals <= min(_ENUMERATED, LARGEST[posterior.prior.antichain]):
        return replace(best_function(posterior), gap=0.0)
    return bound_by_boxes(posterior, incumbent, time_limit, progress)


def bound_by_boxes(
    posterior: Posterior,
    incumbent: Rule | str | None,
    time_limit: float | None,
    progress: BoundProgress | None = None,
) -> SearchResult:
    """Do what :func:`bound` does, also where all functions could be scored one by one."""
    search = _Boxes(posterior, time_limit)
    stopped = "proved"
    try:
        search.offer(BooleanFunction() if incumbent is None else as_rule(incumbent))
        search.begin()
        while search.gap > 0:
            if search.over:
                stopped = "time limit"
                break
            if not search.step():
                stopped = "limits"
                break
            if progress is not None:
                progress(search.done, len(search.open), search.gap)
    except KeyboardInterrupt:
        stopped = "interrupted"
    gap = search.gap
    return SearchResult(
        function=search.function,
        log_posterior=search.score,
        stopped="proved" if gap == 0 else stopped,
        agreement=1,
        restarts=1,
        proved=gap == 0,
        gap=gap,
    )


def bounded(
    posterior: Posterior,
    found: SearchResult,
    time_limit: float | None,
    progress: BoundProgress | None = None,
) -> SearchResult:
    """Add to what a search found how much better any function could be.

    Where the proof came to a better function, that one is the answer, which no restart came to.
    """
    limit = None if time_limit is None else max(time_limit, _LEAST_SECONDS)
    reached = bound(posterior, found.function, time_limit=limit, progress=progress)
    stopped = reached.stopped if reached.stopped in ("proved", "interrupted") else found.stopped
    if reached.log_posterior > found.log_posterior:
        found = replace(found, agreement=0, ways=0, near=1, function=reached.function)
    return replace(
        found,
        log_posterior=reached.log_posterior,
        stopped=stopped,
        proved=reached.proved,
        gap=reached.gap,
    )


class _Open(NamedTuple):
    """A box that is not done; the highest bound first, then the oldest."""

    order: float
    number: int
    box: Box


class _Boxes:
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
        self.end = time.monotonic() + self.total

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
        whole = Box(
            Range(1, max(1, space.most_terms)),
            Range(0, posterior.n_pos),
            Range(0, posterior.n - posterior.n_pos),
        )
        if space.most_terms == 0 or space.best_term == -math.inf:
            return
        # Boxes before anything that takes time, so that there is a gap whenever it ends.
        self._push_terms(whole)
        if self.over:
            return
        share = None if self.total == math.inf else max(_LEAST_SECONDS, _TERM_SHARE * self.left)
        found = best_term(posterior, time_limit=share)
        if found.log_posterior > -math.inf:
            self.offer(found.function)
        boxes = [entry.box for entry in self.open]
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
        most = max(v for *_, v in space.corners(box))
        values = space.terms_prior(box.terms) + most
        hopeful = np.flatnonzero(values > self.score + _SAME)
        if len(hopeful):
            terms = Range(int(m[hopeful[0]]), int(m[hopeful[-1]]))
            self._push(box.part(terms=terms))

    def _push(self, box: Box) -> None:
        space = self.space
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
        if not self.open or -self.open[0].order <= self.closed:
            return False
        box = self.open[0].box  # stays there until it is done, so that the gap is true throughout
        solved = self._price(box)
        heapq.heappop(self.open)
        if self._hopeless(box.bound):
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

    def _stop(self) -> _native.StopFlag:
        """Let one look for terms take a share of the time; what it has not seen is bounded, too."""
        stop = _native.StopFlag()
        if self.left < math.inf:
            stop.set_deadline(
                min(max(0.0, self.left), max(_LOOK_SECONDS, _LOOK_SHARE * self.total))
            )
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
            if value < box.bound:
                box.bound, box.prices = value, best
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
        found = space.find(box, prices, floor, _AT_ONCE, False, nodes, self._stop())
        # ρ in whole units: the best term at hand, or the bound of everything that the search did
        # not see, if it was cut short.
        ceiling = max(int(known), found.ceiling)
        return pool.add(found.terms), prices._replace(ceiling=ceiling), found.complete

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
        floor = prices.ceiling - math.ceil(slack / prices.unit) - 2
        found = self.space.find(box, prices, floor, most, True, 8 * _NODES, self._stop())
        return found if found.complete else None

    def _begin(self, box: Box) -> list[Box] | None:
        """Part a box by the term that lacks least to the best worth; None: there are too many.

        At the box's prices a function scores the bound less what its terms lack. Where the m terms
        of a better function lack less than the slack together, one lacks less than an m-th of it,
        and the others no less than that one.
        """
        space, n = self.space, box.rest.high
        room = _MOST_ROWS // len(space.row_weights) - len(self.open)
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
            part.bound, part.prices = min(box.bound, bound), None
            parts.append(part)
        return parts

    def _gain_of_cut(self, box: Box, solved: Solved) -> float:
        """How far the planes are above the likelihood where the linear program is."""
        _, a, b = solved.counts
        near = [
            self.space.log_likelihood(i, j)
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
            if begun is not None:
                return begun
            self.closed = max(self.closed, box.bound)
            return []
        return min(choices)[2]

    def _height(self, box: Box, solved: Solved | None) -> float:
        """Of a box's planes where the linear program is, or at the nearest point of the box."""
        if solved is None:
            return max(v for *_, v in self.space.corners(box))
        a, b = (
            min(max(x, span.low), span.high)
            for x, span in zip(solved.counts[1:], (box.positive, box.negative), strict=True)
        )
        return min(c + s * a + r * b for c, s, r in planes(self.space, box))

    @staticmethod
    def _cut(box: Box, name: str, at: float) -> list[Box]:
        low, high = getattr(box, name)
        middle = min(max(math.floor(at), low), high - 1)
        return [
            box.part(**{name: Range(low, middle)}),
            box.part(**{name: Range(middle + 1, high)}),
        ]
