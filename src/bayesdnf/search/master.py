"""The linear and the integer program over terms at hand, whose prices bound all functions.

Both choose terms z, mark rows u and take the log likelihood t below the planes through its corners:
maximise Σ π(T) z_T + t + c, where a positive row is marked only where a term holds, a negative one
wherever one does (counted as z / m₂, so that one constraint does for all terms), and the counts of
terms and marked rows lie in a box. The integer program says v_i >= z_T for each term instead.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .priced import Bools, Box, Floats, Prices, Term, TermSpace

_SHORTFALL = 10.0  # how much dearer than a marked positive one that is missing to enter the box is
_MOST_LINKS = 300_000  # pairs of negative row and term in an integer program


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
            positive = space.is_positive * space.row_weights
            split = np.stack([positive, space.row_weights - positive], axis=1)
            self._known.update(new)
            self.terms += new
            self.marked = np.concatenate([self.marked, marked])
            self.worth = np.concatenate([self.worth, space.worth(new)])
            self.rows = np.concatenate([self.rows, marked @ split])
        return len(new)

    def within(self, box: Box) -> NDArray[np.intp]:
        """Terms that a function of the box may have: none marks more rows than the function."""
        fits = (self.rows <= (box.positive.high, box.negative.high)).all(axis=1)
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
    prices: Prices | None = None


class _Groups(NamedTuple):
    """Rows that the terms at hand cannot tell apart, of one class."""

    marked: Bools
    weight: Floats
    of_row: NDArray[np.intp]


def _groups(space: TermSpace, marked: Bools, positive: bool) -> _Groups:
    rows = space.is_positive == positive
    _, first, group = np.unique(
        np.packbits(marked[:, rows].T, axis=1), axis=0, return_index=True, return_inverse=True
    )
    group = group.ravel()
    weight = np.bincount(group, weights=space.row_weights[rows], minlength=len(first))
    return _Groups(marked[:, rows][:, first].T, weight, group)


def _planes(space: TermSpace, box: Box) -> list[tuple[float, float, float]]:
    """Planes (constant and two slopes) above the log likelihood, as low as they can be.

    The likelihood is convex, so that over a box it lies below the upper hull of its four corners:
    two triangles, cut along the diagonal that is higher in the middle.
    """
    (a1, a2), (b1, b2) = box.positive, box.negative
    v = {(i, j): space.log_likelihood(a, b) for i, a in enumerate((a1, a2)) for j, b in enumerate((b1, b2))}
    wide, high = max(a2 - a1, 1), max(b2 - b1, 1)
    by_a = [(v[1, j] - v[0, j]) / wide for j in (0, 1)]
    by_b = [(v[i, 1] - v[i, 0]) / high for i in (0, 1)]
    if v[0, 0] + v[1, 1] >= v[1, 0] + v[0, 1]:  # triangles (00, 10, 11) and (00, 01, 11)
        slopes = [(by_a[0], by_b[1]), (by_a[1], by_b[0])]
        return [(v[0, 0] - s * a1 - r * b1, s, r) for s, r in slopes]
    slopes = [(by_a[0], by_b[0]), (by_a[1], by_b[1])]  # triangles at 00 and at 11
    return [
        (v[0, 0] - slopes[0][0] * a1 - slopes[0][1] * b1, *slopes[0]),
        (v[1, 1] - slopes[1][0] * a2 - slopes[1][1] * b2, *slopes[1]),
    ]


class Program:
    """The constraints for one box and the terms at hand.

    Variables: a share of each term, a mark of each group of rows (positive, then negative), the log
    likelihood, and how many positives are missing to enter the box.
    """

    def __init__(self, space: TermSpace, box: Box, pool: TermPool) -> None:
        self.space, self.box = space, box
        self.chosen = pool.within(box)
        self.terms = [pool.terms[i] for i in self.chosen]
        self.worth = pool.worth[self.chosen]
        marked = pool.marked[self.chosen]
        self.groups = [_groups(space, marked, positive) for positive in (True, False)]
        self.planes = _planes(space, box)
        self.n = [len(self.chosen), *(len(g.weight) for g in self.groups)]
        self.n_variables = sum(self.n) + 2
        prior = space.counts_prior(box.terms)
        m = np.arange(box.terms.low, box.terms.high + 1)
        ends = np.flatnonzero(np.isfinite(prior))
        first, last = ends[0], ends[-1]
        self.slope = 0.0 if first == last else (prior[last] - prior[first]) / (last - first)
        self.constant = float(np.max(prior - self.slope * m))

    def objective(self) -> Floats:
        """What is maximised, without the constant."""
        steepest = max(abs(s) for _, *slopes in self.planes for s in slopes)
        tail = [1.0, -_SHORTFALL * (steepest + 0.1)]
        return np.concatenate([self.worth + self.slope, np.zeros(sum(self.n[1:])), tail])

    def constraints(self, strict: bool = False) -> tuple[Any, Floats, list[slice]]:
        """Matrix and right-hand side of "at most", and which rows link marks to terms.

        With ``strict`` a negative row is marked for each term by itself.
        """
        from scipy.sparse import csr_array, diags_array, hstack, vstack

        box, (n_terms, n_pos, n_neg) = self.box, self.n
        blocks, limits, links = [], [], []
        starts = np.cumsum([0, n_terms, n_pos, n_neg])
        row = 0

        def add(matrix: Any, limit: Floats) -> None:
            nonlocal row
            blocks.append(matrix)
            limits.append(limit)
            row += matrix.shape[0]

        def link(which: int, above: bool) -> None:
            """Marks at most the sum of terms (above), or at least the sum over m₂."""
            group = self.groups[which]
            size = self.n[1 + which]
            holds = csr_array(group.marked.astype(np.float64))
            own = diags_array(np.full(size, 1.0 if above else -float(box.terms.high)))
            parts = [csr_array((size, k)) for k in (n_pos, n_neg)]
            parts[which] = own
            links.append(slice(row, row + size))
            add(hstack([-holds if above else holds, *parts, csr_array((size, 2))]), np.zeros(size))

        link(0, above=True)
        if strict:
            rows, terms = np.nonzero(self.groups[1].marked)
            k = len(rows)
            one = np.ones(k)
            at = np.arange(k)
            matrix = csr_array(
                (np.concatenate([one, -one]), (np.tile(at, 2), np.concatenate([terms, starts[2] + rows]))),
                shape=(k, self.n_variables),
            )
            add(matrix, np.zeros(k))
        else:
            link(1, above=False)
        if not self.space.monotone:
            link(0, above=False)
            link(1, above=True)
        weights = [np.zeros((1, self.n_variables)) for _ in range(2)]
        for which in (0, 1):
            weights[which][0, starts[1 + which] : starts[2 + which]] = self.groups[which].weight
        height = np.zeros((1, self.n_variables))
        height[0, -2] = 1
        number = np.zeros((1, self.n_variables))
        number[0, :n_terms] = 1
        missing = np.zeros((1, self.n_variables))
        missing[0, -1] = 1
        self.first_side = row
        sides = [
            *((height - s * weights[0] - r * weights[1], c) for c, s, r in self.planes),
            (-weights[0] - missing, -box.positive.low),
            (weights[0], box.positive.high),
            (-weights[1], -box.negative.low),
            (weights[1], box.negative.high),
            (number, box.terms.high),
            (-number, -box.terms.low),
        ]
        add(csr_array(np.concatenate([m for m, _ in sides])), np.array([l for _, l in sides], float))
        return vstack(blocks).tocsr(), np.concatenate(limits), links

    def bounds(self) -> tuple[Floats, Floats]:
        """Lower and upper limits of the variables."""
        low = np.zeros(self.n_variables)
        high = np.full(self.n_variables, np.inf)
        high[self.n[0] : sum(self.n)] = 1
        low[-2] = -np.inf
        return low, high

    def solved(self, x: Floats, value: float, prices: Prices | None = None) -> Solved:
        """Read a solution."""
        shares = x[: self.n[0]]
        marks = np.split(x[self.n[0] : sum(self.n)], [self.n[1]])
        a, b = (float(g.weight @ u) for g, u in zip(self.groups, marks, strict=True))
        counts = (float(shares.sum()), a, b)
        return Solved(value + self.constant, self.terms, shares, counts, float(x[-2]), prices)


def solve_linear(space: TermSpace, box: Box, pool: TermPool, seconds: float) -> Solved | None:
    """Solve the linear program over the terms at hand; its dual gives prices."""
    from scipy.optimize import linprog

    program = Program(space, box, pool)
    if not program.terms or seconds <= 0:
        return None
    matrix, limit, links = program.constraints()
    low, high = program.bounds()
    options = {} if seconds == math.inf else {"time_limit": max(0.01, seconds)}
    solved = linprog(  # type: ignore[call-overload]  # whose types leave sparse matrices out
        -program.objective(), A_ub=matrix, b_ub=limit, bounds=np.stack([low, high], axis=1),
        method="highs", options=options,
    )  # fmt: skip
    if solved.status != 0:
        return None
    dual = np.maximum(0.0, -solved.ineqlin.marginals)
    sides = dual[program.first_side :]
    y, (from_low, to_high, from_few, to_many) = sides[:2], sides[2:6]
    slopes = (
        float(y @ [s for _, s, _ in program.planes] + from_low - to_high),
        float(y @ [r for *_, r in program.planes] + from_few - to_many),
    )
    rows = np.zeros(len(space.row_weights))
    signs = [(0, 1.0), (1, -1.0), (0, -1.0), (1, 1.0)]
    for (which, sign), link in zip(signs, links, strict=False):
        group = program.groups[which]
        each = dual[link] / group.weight
        own = space.is_positive == (which == 0)
        rows[own] += sign * each[group.of_row] * space.row_weights[own]
    own_worth = np.where(space.is_positive, *slopes) * space.row_weights
    if space.monotone:  # more than a row is worth, or less than that over m, only costs
        rows = np.clip(rows, np.minimum(own_worth / box.terms.high, 0), np.maximum(own_worth, 0))
        unmarked = ~pool.marked[program.chosen].any(axis=0) & space.is_positive
        rows[unmarked] = np.maximum(own_worth[unmarked], 0)
    return program.solved(solved.x, -float(solved.fun), Prices.rounded(slopes, rows))


def solve_whole(
    space: TermSpace, box: Box, pool: TermPool, seconds: float
) -> tuple[float, Solved | None]:
    """Choose the best whole terms; an upper bound of what they come to, and the choice."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    program = Program(space, box, pool)
    links = int(program.groups[1].marked.sum())
    if not program.terms:
        return -math.inf, None
    if links > _MOST_LINKS or seconds <= 0:
        return math.inf, None
    matrix, limit, _ = program.constraints(strict=True)
    low, high = program.bounds()
    high[: program.n[0]] = box.terms.high
    high[-1] = 0
    whole = np.zeros(program.n_variables)
    whole[: program.n[0]] = 1
    options: dict[str, float] = {"mip_rel_gap": 0.0}
    if seconds < math.inf:
        options["time_limit"] = max(0.01, seconds)
    solved = milp(
        -program.objective(), constraints=LinearConstraint(matrix, ub=limit), integrality=whole,
        bounds=Bounds(low, high), options=options,  # type: ignore[arg-type]
    )  # fmt: skip
    if solved.status == 2:  # infeasible: no function of the box
        return -math.inf, None
    lowest = solved.get("mip_dual_bound")
    bound = math.inf if lowest is None or not math.isfinite(lowest) else -lowest + program.constant
    return bound, None if solved.x is None else program.solved(solved.x, -float(solved.fun))
