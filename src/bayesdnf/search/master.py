"""The linear program over terms at hand, whose prices bound all functions.

It chooses terms z, marks rows u and takes the log likelihood t below the planes through its
corners: maximise Σ π(T) z_T + t + c(m), with the numbers of terms and of marked rows in a box. A
positive row is marked where a term holds at most, a negative row by the share of the m₂ terms that
hold there at least, so that no variable for it is needed. Rates without an order need both limits
for all rows.

Only its dual solution is used, and any numbers in its place would be valid prices: no bound depends
on how exactly it is solved.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .priced import Bools, Box, Floats, RowPrices, Term, TermSpace

_TOLERANCE = 1e-10  # the least that HiGHS takes
_SHORTFALL = 10.0  # how much dearer than a marked positive one that is missing to enter the box is


@dataclass
class TermPool:
    """Terms at hand, each once: where they hold, and their log priors."""

    space: TermSpace
    terms: list[Term] = field(default_factory=list)
    marked: Bools = field(init=False)
    worth: Floats = field(init=False)
    rows: NDArray[np.float64] = field(init=False)  # positives and negatives of each
    _known: set[Term] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.marked = np.zeros((0, len(self.space.row_weights)), dtype=np.bool_)
        self.worth = np.zeros(0)
        self.rows = np.zeros((0, 2))

    def add(self, terms: Iterable[Sequence[int]]) -> int:
        """Take terms in; return how many are new."""
        new = [t for t in dict.fromkeys(tuple(term) for term in terms) if t not in self._known]
        if new:
            space = self.space
            marked = space.marked(new)
            self._known.update(new)
            self.terms += new
            self.marked = np.concatenate([self.marked, marked])
            self.worth = np.concatenate([self.worth, space.worth(new)])
            self.rows = np.concatenate([self.rows, marked @ space.split])
        return len(new)

    def counts(self, box: Box) -> Floats:
        """Positives and negatives that each term adds to those of the box."""
        if box.begun is None:
            return self.rows
        return (self.marked & box.begun.open) @ self.space.split

    def within(self, box: Box) -> NDArray[np.intp]:
        """Terms that a function of the box may have: none marks more rows than the function."""
        fits = (self.counts(box) <= box.left()).all(axis=1)
        if box.shut is not None:
            fits &= ~self.marked[:, box.shut].any(axis=1)
        return np.flatnonzero(fits & np.isfinite(self.worth))


class Solved(NamedTuple):
    """A solution: its value, the terms and how much of each, counts, and what prices it gives."""

    value: float
    terms: list[Term]
    shares: Floats
    counts: tuple[float, float, float]
    """Terms, marked positives and marked negatives."""
    height: float
    """Of the planes, where the log likelihood would be."""
    prices: RowPrices | None = None


class _Groups(NamedTuple):
    """Rows that the terms at hand cannot tell apart, of one class."""

    marked: Bools
    weight: Floats
    of_row: NDArray[np.intp]
    rows: Bools


def _groups(space: TermSpace, box: Box, marked: Bools, positive: bool) -> _Groups:
    rows = space.is_positive == positive
    if box.begun is not None:
        rows = rows & box.begun.open
    # Rows on which the same terms hold have the same constraints, so the program has one variable
    # for the group, weighted by its rows.
    _, first, group = np.unique(
        np.packbits(marked[:, rows].T, axis=1), axis=0, return_index=True, return_inverse=True
    )
    group = group.ravel()
    weight: Floats = np.zeros(len(first))
    np.add.at(weight, group, space.row_weights[rows])
    return _Groups(marked[:, rows][:, first].T, weight, group, rows)


def planes(space: TermSpace, box: Box) -> list[tuple[float, float, float]]:
    """Planes (constant and two slopes) above the log likelihood, as low as they can be.

    The likelihood is convex, so that over a box it lies below the upper hull of its four corners:
    two triangles, cut along the diagonal that is higher in the middle.
    """
    (a1, a2), (b1, b2) = box.positive, box.negative
    v = {
        (i, j): space.log_likelihood(a, b)
        for i, a in enumerate((a1, a2))
        for j, b in enumerate((b1, b2))
    }
    wide, high = max(a2 - a1, 1), max(b2 - b1, 1)
    by_a = [(v[1, j] - v[0, j]) / wide for j in (0, 1)]
    by_b = [(v[i, 1] - v[i, 0]) / high for i in (0, 1)]
    # The higher of the two diagonals belongs to the upper hull of the corners, below which a
    # convex function lies.
    if v[0, 0] + v[1, 1] >= v[1, 0] + v[0, 1]:  # triangles (00, 10, 11) and (00, 01, 11)
        slopes = [(by_a[0], by_b[1]), (by_a[1], by_b[0])]
        return [(v[0, 0] - s * a1 - r * b1, s, r) for s, r in slopes]
    slopes = [(by_a[0], by_b[0]), (by_a[1], by_b[1])]  # triangles at 00 and at 11
    return [
        (v[0, 0] - slopes[0][0] * a1 - slopes[0][1] * b1, *slopes[0]),
        (v[1, 1] - slopes[1][0] * a2 - slopes[1][1] * b2, *slopes[1]),
    ]


class Program:
    """The variables and constraints for one box and the terms at hand.

    Variables: how much of each term, of each mark of a group of rows (positive ones, and negative
    ones where they are needed), then the marked positives and negatives, the log likelihood, and
    how many positives are missing to enter the box.
    """

    def __init__(self, space: TermSpace, box: Box, pool: TermPool) -> None:
        self.space, self.box = space, box
        self.chosen = pool.within(box)
        self.terms = [pool.terms[i] for i in self.chosen]
        self.worth, self.rows = pool.worth[self.chosen], pool.counts(box)[self.chosen]
        self.settled = (0, 0) if box.begun is None else box.begun.rows
        classes = (True,) if space.monotone else (True, False)
        self.groups = [_groups(space, box, pool.marked[self.chosen], c) for c in classes]
        self.planes = planes(space, box)
        self.starts = np.cumsum([0, len(self.terms), *(len(g.weight) for g in self.groups)])
        self.positive, self.negative, self.height, self.missing = self.starts[-1] + np.arange(4)
        self.n_variables = int(self.missing) + 1
        prior = space.count[box.terms.low : box.terms.high + 1]
        m = np.arange(box.rest.low, box.rest.high + 1)
        first, last = np.flatnonzero(np.isfinite(prior))[[0, -1]]
        # c(m) enters as the chord over the box's m plus the largest distance above it: an upper
        # bound that is linear in the number of terms, exact where m is fixed.
        self.slope = 0.0 if first == last else (prior[last] - prior[first]) / (last - first)
        self.constant = float(np.max(prior - self.slope * m))
        if box.begun is not None:
            self.constant += box.begun.worth

    def objective(self) -> Floats:
        """Return what is maximised, without the constant."""
        steepest = max(abs(s) for _, *slopes in self.planes for s in slopes)
        values = np.zeros(self.n_variables)
        values[: len(self.terms)] = self.worth + self.slope
        values[self.height] = 1
        # A box may demand more marked positives than the terms at hand can mark. A penalised slack
        # keeps the program feasible, and its dual makes such positives dear, so that pricing looks
        # for terms that mark them.
        values[self.missing] = -_SHORTFALL * (steepest + 0.1)
        return values

    def limits(self) -> tuple[Floats, Floats]:
        """Lower and upper limits of the variables."""
        low, high = np.zeros(self.n_variables), np.full(self.n_variables, np.inf)
        high[self.starts[1] : self.starts[-1]] = 1
        low[self.positive], high[self.positive] = self.box.positive
        low[self.negative], high[self.negative] = self.box.negative
        low[self.height] = -np.inf
        return low, high

    def _marks(self, which: int, at_most: bool) -> Any:
        """Limit marks of a class: at most the sum of terms there, or at least that over m₂."""
        group, first = self.groups[which], int(self.starts[1 + which])
        rows, terms = np.nonzero(group.marked)
        n, each = len(group.weight), np.ones(len(rows))
        # u <= Σ z_T from above, m2 u >= Σ z_T from below: a row that any of at most m2 terms marks
        # counts at least 1 / m2 of their sum.
        own = np.full(n, 1.0 if at_most else -float(self.box.rest.high))
        return self._sparse(
            [-each if at_most else each, own],
            [rows, np.arange(n)],
            [terms, first + np.arange(n)],
            n,
        )

    def _sparse(self, values: list[Any], rows: list[Any], columns: list[Any], n: int) -> Any:
        from scipy.sparse import csr_array

        entries = tuple(map(np.concatenate, (values, rows, columns)))
        return csr_array((entries[0], entries[1:]), shape=(n, self.n_variables))

    def _sum(self, which: int, counted: int) -> Floats:
        """Row of a matrix: a count less the marks of a class."""
        row = np.zeros(self.n_variables)
        row[counted] = 1
        row[self.starts[1 + which] : self.starts[2 + which]] = -self.groups[which].weight
        return row

    def constraints(self) -> tuple[list[Any], list[Floats]]:
        """Matrices and right-hand sides of "at most"; the first ones are the links to rows."""
        n_terms, box = len(self.terms), self.box
        matrices = [self._marks(0, at_most=True)]
        if not self.space.monotone:
            matrices += [self._marks(0, False), self._marks(1, True), self._marks(1, False)]
        more = self._sum(0, self.positive)
        more[self.missing] = -1
        if len(self.groups) > 1:
            fewer = -self._sum(1, self.negative)
        else:
            fewer = np.zeros(self.n_variables)
            fewer[:n_terms] = self.rows[:, 1]
            fewer[self.negative] = -box.rest.high
        few = self.settled[1] * fewer[self.negative]
        counts = [more, fewer] if self.space.monotone else [more, fewer, -more, -fewer]
        number = np.zeros(self.n_variables)
        number[:n_terms] = 1
        sides = [*counts, number, -number]
        limit = [self.settled[0], few, -self.settled[0], -few][: len(counts)]
        limit += [box.rest.high, -box.rest.low]
        for constant, s, r in self.planes:
            side = np.zeros(self.n_variables)
            side[[self.height, self.positive, self.negative]] = 1, -s, -r
            sides.append(side)
            limit.append(constant)
        return [*matrices, np.array(sides)], [
            *(np.zeros(m.shape[0]) for m in matrices),
            np.array(limit),
        ]

    def prices(self, dual: Floats, digits: int) -> RowPrices:
        """Read prices of rows, and slopes of the counts, off a dual solution."""
        space, first = self.space, len(self.groups[0].weight)
        rows = np.zeros(len(space.row_weights))

        def add(which: int, values: Floats) -> None:
            own = self.groups[which].rows
            # A group's dual is shared by its rows in proportion to their weights; any split gives
            # valid prices.
            each = values / self.groups[which].weight
            rows[own] += each[self.groups[which].of_row] * space.row_weights[own]

        add(0, dual[:first])
        if space.monotone:
            more, fewer = dual[first : first + 2]
            slopes = (float(more), -float(fewer) * self.box.rest.high)
            # More than a positive row is worth is never needed; what no term marks is worth all.
            own = slopes[0] * space.row_weights
            marked = np.any(self.groups[0].marked, axis=1)[self.groups[0].of_row]
            at = self.groups[0].rows
            rows[at] = np.where(marked, np.minimum(rows[at], own[at]), own[at])
            return RowPrices.rounded(slopes, rows, float(fewer), digits)
        second = len(self.groups[1].weight)
        add(0, -dual[first : 2 * first])
        add(1, dual[2 * first : 2 * first + second])
        add(1, -dual[2 * first + second : 2 * (first + second)])
        more, fewer, less, less_fewer = dual[2 * (first + second) :][:4]
        slopes = float(more - less), float(less_fewer - fewer)
        return RowPrices.rounded(slopes, rows, digits=digits)

    def solved(self, x: Floats, value: float, prices: RowPrices | None = None) -> Solved:
        """Turn the solver's vector into terms, counts and prices."""
        shares = x[: len(self.terms)]
        n_terms = self.box.n_begun + float(shares.sum())
        counts = (n_terms, float(x[self.positive]), float(x[self.negative]))
        return Solved(
            value + self.constant, self.terms, shares, counts, float(x[self.height]), prices
        )


def solve_linear(
    space: TermSpace, box: Box, pool: TermPool, digits: int, seconds: float
) -> Solved | None:
    """Solve the linear program over the terms at hand; its dual gives prices."""
    from scipy.optimize import linprog
    from scipy.sparse import vstack

    program = Program(space, box, pool)
    if not program.terms or seconds <= 0:
        return None
    matrices, limits = program.constraints()
    options = {f"{side}_feasibility_tolerance": _TOLERANCE for side in ("primal", "dual")}
    if seconds < math.inf:
        options["time_limit"] = max(0.01, seconds)
    solved = linprog(  # type: ignore[call-overload]  # whose types leave sparse matrices out
        -program.objective(), A_ub=vstack(matrices, format="csr"), b_ub=np.concatenate(limits),
        bounds=np.stack(program.limits(), axis=1), method="highs", options=options,
    )  # fmt: skip
    if solved.status != 0:
        return None
    # Marginals of a minimisation are at most 0 for "<="; numerical noise of the other sign is cut
    # off.
    prices = program.prices(np.maximum(0.0, -solved.ineqlin.marginals), digits)
    return program.solved(solved.x, -float(solved.fun), prices)
