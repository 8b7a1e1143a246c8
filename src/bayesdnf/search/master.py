"""The linear program over the current terms, whose dual solution gives prices of rows.

It chooses terms z, marks rows u and takes the log likelihood t below the planes through its
corners: maximise Σ π(T) z_T + t + c(m), with the numbers of terms and of marked rows in a box. A
cell of rows is marked at most if a term holds there, and at least by the share of the m₂ terms that
hold there. With ordered rates, cells of negatives alone need only the lower limit and no variable,
and cells of positives alone only the upper limit.

Only its dual solution is used, and any other numbers would be valid prices: no bound depends on the
accuracy of the solution.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .box import Bools, Box, Floats, RowPrices, Term
from .priced import TermSpace

_TOLERANCE = 1e-10  # the least that HiGHS takes
_UPRIGHT = 1e-7  # share of the normal of a face that points up; others are sides
_SHORTFALL = 10.0  # how much dearer than a marked positive one that is missing to enter the box is


@dataclass
class TermPool:
    """Distinct terms found so far: where they hold, and their log priors."""

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
        """Add terms; return how many are new."""
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
        """Return the positives and negatives that each term adds to those of the box."""
        if box.begun is None:
            return self.rows
        return (self.marked & box.begun.open) @ self.space.split

    def within(self, box: Box) -> NDArray[np.intp]:
        """Return the terms that a function of the box may have: none marks too many rows."""
        fits = (self.counts(box) <= box.left()).all(axis=1)
        if box.shut is not None:
            fits &= ~self.marked[:, box.shut].any(axis=1)
        return np.flatnonzero(fits & np.isfinite(self.worth))


class Solved(NamedTuple):
    """A solution: its value, the share of each term, counts, and the prices it gives."""

    value: float
    terms: list[Term]
    shares: Floats
    counts: tuple[float, float, float]
    """Terms, marked positives and marked negatives."""
    height: float
    """Of the planes, where the log likelihood would be."""
    prices: RowPrices | None = None


class _Groups(NamedTuple):
    """Groups of cells that the same terms mark, with the same ratio of the classes."""

    marked: Bools
    counts: Floats
    """Positives and negatives of each group."""
    of_row: NDArray[np.intp]
    """Of each stored row; -1 for those without a variable."""


def _groups(space: TermSpace, box: Box, marked: Bools) -> _Groups:
    used = np.ones(len(space.cell_row), dtype=np.bool_)
    if box.begun is not None:
        used = box.begun.open[space.cell_row]
    counts = space.cells
    if space.monotone:
        used = used & (counts[:, 0] > 0)
    # Cells on which the same terms hold have the same constraints, so the program has one variable
    # for them; but whether a mark pays depends on the ratio of the classes.
    whole = counts[used].astype(np.int64)
    ratio = whole // np.maximum(1, np.gcd.reduce(whole, axis=1, keepdims=True))
    patterns = np.packbits(marked[:, space.cell_row[used]].T, axis=1)
    ratios = ratio.view(np.uint8).reshape(len(ratio), 2 * ratio.itemsize)
    keys = np.concatenate([patterns, ratios], axis=1)
    _, first, group = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    of_cell = np.full(len(used), -1, dtype=np.intp)
    of_cell[used] = group.ravel()
    sums: Floats = np.zeros((len(first), 2))
    np.add.at(sums, group.ravel(), counts[used])
    cells = space.cell_row[used][first]
    return _Groups(marked[:, cells].T, sums, of_cell[space.cell_of])


def planes(space: TermSpace, box: Box) -> list[tuple[float, float, float]]:
    """Compute the lowest planes (constant and two slopes) above the log likelihood.

    The likelihood is convex, so that it lies below the upper hull of the points around all possible
    counts.
    """
    corners = space.corners(box)
    found = _upper_hull(np.array(corners)) if len(corners) > 4 else None
    return _over_box(space, box) if found is None else found


def _upper_hull(points: Floats) -> list[tuple[float, float, float]] | None:
    """Return the planes of the upper faces of a 3-D convex hull; None if it is flat."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        faces = ConvexHull(points).equations
    except QhullError:
        return None
    # Normals point outwards: n·x + d <= 0.
    upper = faces[faces[:, 2] > _UPRIGHT]
    # Qhull cuts a flat face into triangles, each with the same plane but for rounding. Bounds take
    # slopes alone from here and work out the constant again, so that rounding costs no validity.
    found = np.unique(np.round(-upper[:, [3, 0, 1]] / upper[:, 2:3], 9), axis=0)
    return [(c, s, r) for c, s, r in found.tolist()] or None


def _over_box(space: TermSpace, box: Box) -> list[tuple[float, float, float]]:
    """Return the planes of two triangles above a box, split along its higher diagonal."""
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
    """The variables and constraints for one box and the terms of the pool.

    Variables: how much of each term, of each mark of a group of cells, then the marked positives
    and negatives, the log likelihood, and how many positives are missing to enter the box.
    """

    def __init__(self, space: TermSpace, box: Box, pool: TermPool) -> None:
        self.space, self.box = space, box
        self.chosen = pool.within(box)
        self.terms = [pool.terms[i] for i in self.chosen]
        self.worth, self.rows = pool.worth[self.chosen], pool.counts(box)[self.chosen]
        self.settled = (0, 0) if box.begun is None else box.begun.rows
        self.groups = _groups(space, box, pool.marked[self.chosen])
        # Groups whose marks are limited from below; what else terms mark, negatives alone, is added
        # up.
        mixed = self.groups.counts[:, 1] > 0
        self.held = np.flatnonzero(mixed) if space.monotone else np.arange(len(mixed))
        self.planes = planes(space, box)
        self.first = len(self.terms)  # variable of the first group
        after = self.first + len(self.groups.counts)
        self.positive, self.negative, self.height, self.missing = range(after, after + 4)
        self.n_variables = after + 4
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
        # A box may need more marked positives than the terms of the pool mark. A penalised slack
        # keeps the program feasible, and its dual makes such positives dear, so that pricing looks
        # for terms that mark them.
        values[self.missing] = -_SHORTFALL * (steepest + 0.1)
        return values

    def limits(self) -> tuple[Floats, Floats]:
        """Return the lower and upper limits of the variables."""
        low, high = np.zeros(self.n_variables), np.full(self.n_variables, np.inf)
        high[self.first : self.positive] = 1
        low[self.positive], high[self.positive] = self.box.positive
        low[self.negative], high[self.negative] = self.box.negative
        low[self.height] = -np.inf
        return low, high

    def _marks(self, groups: NDArray[np.intp], at_most: bool) -> Any:
        """Limit marks of groups: at most the sum of terms there, or at least that over m₂."""
        rows, terms = np.nonzero(self.groups.marked[groups])
        n, each = len(groups), np.ones(len(rows))
        # u <= Σ z_T from above, m2 u >= Σ z_T from below: a row that any of at most m2 terms marks
        # counts at least 1 / m2 of their sum.
        own = np.full(n, 1.0 if at_most else -float(self.box.rest.high))
        return self._sparse(
            [-each if at_most else each, own],
            [rows, np.arange(n)],
            [terms, self.first + groups],
            n,
        )

    def _sparse(self, values: list[Any], rows: list[Any], columns: list[Any], n: int) -> Any:
        from scipy.sparse import csr_array

        entries = tuple(map(np.concatenate, (values, rows, columns)))
        return csr_array((entries[0], entries[1:]), shape=(n, self.n_variables))

    def _sum(self, counted: int, which: int) -> Floats:
        """Return the matrix row of a count minus the marks of a class."""
        row = np.zeros(self.n_variables)
        row[counted] = 1
        row[self.first : self.positive] = -self.groups.counts[:, which]
        return row

    def constraints(self) -> tuple[list[Any], list[Floats]]:
        """Return matrices and right-hand sides of "<="; the first rows link terms and cells."""
        n_terms, box, groups = len(self.terms), self.box, self.groups
        matrices = [self._marks(np.arange(len(groups.counts)), True), self._marks(self.held, False)]
        more, fewer = self._sum(self.positive, 0), -self._sum(self.negative, 1)
        more[self.missing] = -1
        settled: list[float] = list(self.settled)
        if self.space.monotone:
            # Negatives in cells without positives have no variable. Where any of m terms holds, a
            # row counts at least an m-th of each, so that m b is at least their sum over terms plus
            # m times the marks.
            fewer *= box.rest.high
            fewer[:n_terms] = self.rows[:, 1] - groups.counts[:, 1] @ groups.marked
            settled[1] *= box.rest.high
        counts = [more, fewer] if self.space.monotone else [more, fewer, -more, -fewer]
        limit = [settled[0], -settled[1], -settled[0], settled[1]][: len(counts)]
        number = np.zeros(self.n_variables)
        number[:n_terms] = 1
        sides = [*counts, number, -number]
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
        space, groups, m = self.space, self.groups, self.box.rest.high
        n = len(groups.counts)
        price = dual[:n].copy()
        price[self.held] -= dual[n : n + len(self.held)]
        more, fewer, *less = dual[n + len(self.held) :][: 2 if space.monotone else 4]
        if space.monotone:
            slopes = float(more), -float(fewer) * m
            # A price above the value of a cell is never needed. A cell that no term of the pool
            # marks gets its full value.
            own = groups.counts @ slopes
            full = np.maximum(own, own / m)
            price = np.where(groups.marked.any(axis=1), np.minimum(price, full), full)
            # The core charges each marked negative the same ``fewer`` (``negative_cost``); the
            # positives of the group carry the rest of its price.
            price = np.maximum(0.0, price + fewer * groups.counts[:, 1])
            paying, cost = groups.counts[:, 0], float(fewer)
        else:
            slopes = float(more - less[0]), float(less[1] - fewer)
            paying, cost = groups.counts.sum(axis=1), 0.0
        # A group's price is shared by its rows in proportion to their weights; any split gives
        # valid prices.
        at = groups.of_row >= 0
        if space.monotone:
            at &= space.is_positive
        rows = np.zeros(len(space.row_weights))
        rows[at] = (price / paying)[groups.of_row[at]] * space.row_weights[at]
        return RowPrices.rounded(slopes, rows, cost, digits)

    def solved(self, x: Floats, value: float, prices: RowPrices | None = None) -> Solved:
        """Convert the solver's vector to terms, counts and prices."""
        shares = x[: len(self.terms)]
        n_terms = self.box.n_begun + float(shares.sum())
        counts = (n_terms, float(x[self.positive]), float(x[self.negative]))
        return Solved(
            value + self.constant, self.terms, shares, counts, float(x[self.height]), prices
        )


def solve_linear(
    space: TermSpace, box: Box, pool: TermPool, digits: int, seconds: float
) -> Solved | None:
    """Solve the linear program over the terms of the pool; its dual gives prices."""
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
