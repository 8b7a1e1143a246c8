"""The fewest terms, or literals, that mark every positive row: a cover by integer programming.

The terms on offer are prime implicants. If there are too many to list, they are found as needed
(column generation): the linear program over the current terms puts a price on every positive row,
and a search looks for a term that is worth more than it costs at these prices. If there is none,
the value of the linear program bounds every cover from below. Only terms whose reduced cost is less
than the distance from this bound to the best known cover can be in a better one; if all of them can
be listed, the best cover among them is optimal.

Prices are whole numbers (parts of ``_UNIT``), so every bound is exact.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import _native
from .decisive import Bools, DecisiveRows, Term

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_UNIT = 10**9
_WORTH_WHILE = _UNIT // 10**6  # minimum reduced-cost gain of a term that enters the linear program
_ALL_TERMS = 5_000  # most prime implicants to list
_SIDE_BY_SIDE = 30_000  # most terms in the last program
_FIRST_NODES = 20_000  # of a search for terms, as long as it finds some
_SHARE = 0.25  # of the time left, for a cover that more terms may better
_SMOOTH = 0.5  # share of the prices with the best bound so far in the prices asked about


class Cost(NamedTuple):
    """Cost of a term: a constant and a cost for each literal."""

    term: int
    literal: int

    def of(self, terms: Iterable[Sequence[int]]) -> int:
        """Return the total cost of some terms."""
        return sum(self.term + self.literal * len(term) for term in terms)


TERMS, LITERALS = Cost(1, 0), Cost(0, 1)


class Limits:
    """Limits on time and work.

    Parameters
    ----------
    time_limit : float or None
        Seconds from now.
    bounded : bool
        Whether to limit the work of each step too, so that the search ends within minutes.
    """

    def __init__(self, time_limit: float | None = None, bounded: bool = False) -> None:
        self.total = math.inf if time_limit is None else time_limit
        self.end = time.monotonic() + self.total
        self.search_nodes = 2_000_000 if bounded else 2**63
        self.cover_nodes = 20_000 if bounded else None
        self.steps = 200 if bounded else 1_000_000

    @property
    def left(self) -> float:
        """Seconds left."""
        return self.end - time.monotonic()

    @property
    def over(self) -> bool:
        """Whether the time is up."""
        return self.left <= 0

    def spent(self, share: float) -> bool:
        """Return whether this share of the time is used up."""
        return self.left <= (1 - share) * self.total < math.inf

    def search(self, rows: DecisiveRows, goal: CoverGoal) -> _native.ImplicantsFound:
        """Search for terms; Ctrl-C interrupts the native search."""
        stop = _native.StopFlag()
        if self.left < math.inf:
            stop.set_deadline(max(0.0, self.left))
        nodes = min(goal.nodes, self.search_nodes)
        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(
                rows.implicants.search,
                goal.prices, goal.per_literal, goal.least, goal.best_only, goal.most, nodes, stop,
            )  # fmt: skip
            try:
                while not wait([running], timeout=0.1).done:
                    pass
            except KeyboardInterrupt:
                stop.stop()
                raise
        return running.result()


class CoverGoal(NamedTuple):
    """Goal of a pricing search: terms with row prices less literal costs of at least ``least``."""

    prices: NDArray[np.int64]
    per_literal: int
    least: int
    best_only: bool = False
    most: int = 2**62
    nodes: int = 2**63


@dataclass
class Stage:
    """One objective of a search, with its best cover and bound.

    Parameters
    ----------
    cost : Cost
        The cost to minimise.
    terms : list of terms
        The best known cover.
    side : (Cost, int), optional
        A second cost, and its maximum.
    bound : int
        No cover costs less.
    """

    cost: Cost
    terms: list[Term]
    side: tuple[Cost, int] | None = None
    bound: int = 0

    @property
    def value(self) -> int:
        """Cost of the best known cover."""
        return self.cost.of(self.terms)

    @property
    def proved(self) -> bool:
        """Whether no cover costs less."""
        return self.bound >= self.value

    def offer(self, terms: list[Term]) -> None:
        """Keep a cover if it is better."""
        if self.cost.of(terms) < self.value:
            self.terms = terms

    @property
    def most_terms(self) -> int:
        """Maximum number of terms of any cover that is as good as the best known."""
        return self.cost.of(self.terms) if self.side is None else self.side[1]


@dataclass
class Pool:
    """Distinct terms found so far, with the positive rows that they mark."""

    rows: DecisiveRows
    terms: list[Term] = field(default_factory=list)
    _place: dict[Term, int] = field(default_factory=dict)
    _marked: list[Bools] = field(default_factory=list)

    def add(self, terms: Iterable[Sequence[int]]) -> int:
        """Add terms; return how many are new."""
        new = [t for t in dict.fromkeys(tuple(term) for term in terms) if t not in self._place]
        if new:
            self._marked.append(self.rows.marked(new))
            self._place.update({t: len(self.terms) + i for i, t in enumerate(new)})
            self.terms += new
        return len(new)

    def marked(self) -> Bools:
        """Return the matrix (rows, terms) of where each term holds."""
        self._marked = [np.concatenate(self._marked)]
        return self._marked[0].T


class Prices(NamedTuple):
    """Whole prices of the positive rows and of the side cost."""

    rows: NDArray[np.int64]
    side: int

    def mixed(self, other: Prices, share: float) -> Prices:
        """Interpolate between these prices and others."""
        rows = (share * other.rows + (1 - share) * self.rows).astype(np.int64)
        return Prices(rows, int(share * other.side + (1 - share) * self.side))

    def allowance(self, stage: Stage) -> Cost:
        """Return the price-adjusted cost of a term: its own and its share of the side cost."""
        side = (0, 0) if stage.side is None else stage.side[0]
        return Cost(
            _UNIT * stage.cost.term + self.side * side[0],
            _UNIT * stage.cost.literal + self.side * side[1],
        )

    def total(self, stage: Stage) -> int:
        """Return the value of these prices in the dual program, if they are feasible."""
        return int(self.rows.sum()) - (0 if stage.side is None else self.side * stage.side[1])

    def bound(self, stage: Stage, gain: int) -> int:
        """Bound the cost of any cover, if no term gains more than ``gain`` at these prices."""
        # Weak duality: a term costs at least the prices of its rows less ``gain``, and a cover has
        # at most so many terms. Alternatively divide all prices by 1 + gain; the larger bound
        # counts, rounded up because costs are whole.
        low = self.total(stage) - gain * stage.most_terms
        if stage.side is None:  # or shrink all prices until nothing gains
            low = max(low, self.total(stage) * _UNIT // (_UNIT + gain))
        return -(-low // _UNIT)


def all_primes(rows: DecisiveRows, limits: Limits) -> list[Term] | None:
    """List every prime implicant that marks a positive row; None when there are too many."""
    ones = np.ones(rows.n_positive, dtype=np.int64)
    # At a price of 1 for each row a term is worth the rows it marks: 1 or more asks for every prime
    # implicant that marks any.
    found = limits.search(rows, CoverGoal(ones, 0, 1, most=_ALL_TERMS, nodes=100 * _ALL_TERMS))
    return [tuple(term) for term in found.terms] if found.complete else None


def best_cover(pool: Pool, stage: Stage, limits: Limits, share: float = 1) -> bool:
    """Find the best cover among the terms of the pool; return whether this is proved.

    Parameters
    ----------
    pool : Pool
        Terms found so far.
    stage : Stage
        The objective; a better cover replaces that of the stage.
    limits : Limits
        Limits on time and work.
    share : float, default=1
        Share of the remaining time to use.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    if limits.over:
        return False
    sizes = np.array([stage.cost.of([term]) for term in pool.terms], dtype=np.float64)
    constraints = [LinearConstraint(_sparse(_different(pool.marked())[0]), lb=1)]
    if stage.side is not None:
        cost, most = stage.side
        loads = np.array([[cost.of([term]) for term in pool.terms]], dtype=np.float64)
        constraints.append(LinearConstraint(loads, ub=most))
    # HiGHS would stop at a relative gap of 1e-4, which is no proof.
    options: dict[str, float] = {"mip_rel_gap": 0.0}
    if limits.left < math.inf:
        options["time_limit"] = max(0.01, share * limits.left)
    if limits.cover_nodes is not None:
        options["node_limit"] = limits.cover_nodes
    solved = milp(
        sizes,
        constraints=constraints,
        integrality=np.ones(len(sizes), dtype=np.int64),
        bounds=Bounds(0, 1),
        options=options,  # type: ignore[arg-type]  # a dict like any other
    )
    # The solver's tolerance is not a proof of feasibility: the cover is checked row by row before
    # it is accepted.
    if solved.x is not None:
        chosen = np.flatnonzero(solved.x > 0.5)
        terms = [pool.terms[i] for i in chosen]
        within = stage.side is None or stage.side[0].of(terms) <= stage.side[1]
        if within and pool.marked()[:, chosen].any(axis=1).all():
            stage.offer(terms)
    return bool(solved.status == 0)


def generate(
    pool: Pool, stage: Stage, limits: Limits, tell: Callable[[Stage], None] | None = None
) -> None:
    """Generate terms until the best cover is proved or no term gains.

    Parameters
    ----------
    pool : Pool
        Terms found so far; they cover every row.
    stage : Stage
        The objective; its cover and bound are improved.
    limits : Limits
        Limits on time and work.
    tell : callable, optional
        Called with the stage after every step.
    """
    centre: Prices | None = None
    best = -math.inf
    nodes = _FIRST_NODES
    for step in range(limits.steps):
        if stage.proved or limits.over:
            return
        prices = _linear_program(pool, stage, limits)
        if prices is None:
            return
        # Prices smoothed towards those with the best bound, as in ``bound``: dual solutions of a
        # degenerate covering program oscillate.
        asked = prices if centre is None else prices.mixed(centre, _SMOOTH)
        added, gain, exact = _price(pool, stage, asked, nodes, limits)
        if not added and centre is not None:
            asked = prices
            added, gain, exact = _price(pool, stage, asked, nodes, limits)
        stage.bound = max(stage.bound, asked.bound(stage, gain))
        value = asked.total(stage) - gain * stage.most_terms
        if value > best:
            best, centre = value, asked
        last = not added and (exact or nodes >= limits.search_nodes)
        if last or step % 10 == 9:
            best_cover(pool, stage, limits, _SHARE)
        if tell is not None:
            tell(stage)
        if last:
            break
        if not added:  # the search stopped early: allow more nodes
            nodes *= 8
    if not stage.proved and not limits.over and centre is not None:
        _settle(pool, stage, centre, int(centre.total(stage) - best), limits)


def _price(
    pool: Pool, stage: Stage, prices: Prices, nodes: int, limits: Limits
) -> tuple[int, int, bool]:
    """Add terms that gain; return how many are new, the largest gain, whether it is exact."""
    allowed = prices.allowance(stage)
    least = allowed.term + _WORTH_WHILE
    goal = CoverGoal(prices.rows, allowed.literal, least, best_only=True, nodes=nodes)
    found = limits.search(pool.rows, goal)
    return pool.add(found.terms), max(0, found.ceiling - allowed.term), found.complete


def _settle(pool: Pool, stage: Stage, prices: Prices, slack: int, limits: Limits) -> None:
    """List all terms that a better cover could contain, and find the best cover among them.

    The value of the prices less ``slack`` bounds the cost of every cover from below, and the
    reduced costs of its terms, all 0 or more, are added to it. So a term of a better cover has a
    reduced cost below the distance from this bound to the best known cover.
    """
    # Reduced-cost fixing: a term whose reduced cost exceeds the distance between the bound and one
    # less than the best cover is in no better cover.
    distance = _UNIT * (stage.value - 1) - prices.total(stage) + slack
    allowed = prices.allowance(stage)
    least = allowed.term - distance
    found = limits.search(
        pool.rows, CoverGoal(prices.rows, allowed.literal, least, most=_SIDE_BY_SIDE)
    )
    if not found.complete:
        return
    pool.add(found.terms)
    if best_cover(pool, stage, limits):
        stage.bound = stage.value


def _linear_program(pool: Pool, stage: Stage, limits: Limits) -> Prices | None:
    from scipy.optimize import linprog

    rows, group = _different(pool.marked())
    matrix, limit = -_sparse(rows), -np.ones(len(rows))
    if stage.side is not None:
        from scipy.sparse import csr_array, vstack

        cost, most = stage.side
        loads = [[float(cost.of([term])) for term in pool.terms]]
        matrix = vstack([matrix, csr_array(loads)])
        limit = np.append(limit, most)
    options = {} if limits.left == math.inf else {"time_limit": max(0.01, limits.left)}
    solved = linprog(  # type: ignore[call-overload]  # whose types leave sparse matrices out
        [stage.cost.of([term]) for term in pool.terms],
        A_ub=matrix,
        b_ub=limit,
        method="highs",
        options=options,
    )
    if solved.status != 0:
        return None
    marginals = np.maximum(0.0, -solved.ineqlin.marginals)
    # Rows marked by the same terms of the pool share one dual value. Any split among them is a dual
    # solution; an even split gives better prices for new terms that mark some of them.
    shared = marginals[: len(rows)] / np.bincount(group, minlength=len(rows))
    side = 0 if stage.side is None else round(_UNIT * float(marginals[-1]))
    return Prices((_UNIT * shared[group]).astype(np.int64), side)


def _different(marked: Bools) -> tuple[Bools, NDArray[np.intp]]:
    """Return the distinct rows of the program, and for each row the number of its distinct row."""
    _, first, group = np.unique(
        np.packbits(marked, axis=1), axis=0, return_index=True, return_inverse=True
    )
    return marked[first], group.ravel()


def _sparse(matrix: Bools) -> csr_array[np.float64, tuple[int, int]]:
    from scipy.sparse import csr_array

    return csr_array(matrix.astype(np.float64))
