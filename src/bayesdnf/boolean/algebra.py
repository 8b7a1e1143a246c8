"""Algebra of terms: absorption, products, equivalence, the perfect discriminator.

Here terms are the rows of a bool matrix whose columns are literals, so that
"every literal of A follows from B" is one matrix product over all pairs.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations, groupby, product
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..errors import ContradictionError, ParameterError, SizeLimitError
from .literal import FALSE, ONE_TEXTS, TRUE, Literal, Relation, Value, comparison, satisfies
from .table import Table

Term: TypeAlias = tuple[Literal, ...]
Terms: TypeAlias = tuple[Term, ...]
Bools: TypeAlias = NDArray[np.bool_]

# Pairs of terms are compared in blocks of this many rows, which bounds the memory.
_BLOCK = 1024
_MOST_CATEGORIES = 12  # of one column with >= or <: up to 2^12 splits of them are tried


def canonical(terms: Iterable[Iterable[Literal]]) -> Terms:
    """Sort and deduplicate: literals within a term, then terms, short ones first."""
    sets = {frozenset(term) for term in terms}
    ordered = sorted({literal for term in sets for literal in term}, key=Literal.sort_key)
    rank = {literal: i for i, literal in enumerate(ordered)}
    ranked = sorted((len(term), sorted(rank[literal] for literal in term)) for term in sets)
    return tuple(tuple(ordered[i] for i in term) for _, term in ranked)


def marked_rows(terms: Terms, table: Table, known: dict[Literal, Bools] | None = None) -> Bools:
    """Return the rows on which some term holds; evaluate each literal at most once."""
    truth = {} if known is None else known
    marked = np.zeros(table.n_rows, dtype=np.bool_)
    for term in terms:
        holds = np.ones(table.n_rows, dtype=np.bool_)
        for literal in term:
            if literal not in truth:
                truth[literal] = np.asarray(table.truth(literal), dtype=np.bool_)
            holds &= truth[literal]
        marked |= holds
    return marked


def parts_of_rows(layers: Sequence[Terms], table: Table) -> NDArray[np.intp]:
    """Find the part of each row, the number of the highest layer that marks it; the first is G."""
    truth: dict[Literal, Bools] = {}
    parts = np.zeros(table.n_rows, dtype=np.intp)
    for number, terms in enumerate(reversed(layers), start=1):
        parts[marked_rows(terms, table, truth)] = number
    return parts


def absorb(terms: Terms) -> Terms:
    """Drop terms and literals that change no marked row, by the meaning of the literals alone."""
    columns = _Columns(literal for term in terms for literal in term)
    return columns.terms(columns.antichain(columns.consistent(columns.matrix(terms))))


def complement(terms: Terms, limit: int) -> Terms:
    """Negate a DNF by De Morgan: multiply out the ORs of the negated literals of each term.

    Contradictory terms are kept as factors: if x is missing, `x AND NOT x` is
    unknown and not false, so its negation must be unknown too.
    """
    negated = [tuple(~literal for literal in term) for term in terms]
    columns = _Columns(literal for clause in negated for literal in clause)
    return columns.terms(_product(columns, columns.matrix(negated), limit, "complement"))


def dual(terms: Sequence[Term], limit: int, what: str) -> Terms:
    """Convert between DNF and CNF: return the minimal hitting sets of the given sets."""
    # Literals count as unrelated variables here, so that the duals of a DNF are exactly its minimal
    # clauses, and ``from_cnf`` inverts ``to_cnf``.
    columns = _Columns((literal for term in terms for literal in term), related=False)
    return columns.terms(_product(columns, columns.matrix(terms), limit, what))


class _Columns:
    """Literals as the columns of a matrix of terms, with their implications and exclusions."""

    def __init__(self, literals: Iterable[Literal], related: bool = True) -> None:
        self.literals = tuple(sorted(set(literals), key=Literal.sort_key))
        self._implying: dict[int, list[int]] = defaultdict(list)
        self._stronger: dict[int, list[int]] = defaultdict(list)
        self._excluding: dict[int, list[int]] = defaultdict(list)
        if related:
            self._relate()

    def _relate(self) -> None:
        of_attribute: dict[str, list[int]] = defaultdict(list)
        for i, literal in enumerate(self.literals):
            of_attribute[literal.attribute].append(i)
        for group in of_attribute.values():
            for i, j in combinations(group, 2):
                relation = self.literals[i].relation(self.literals[j])
                if relation in (Relation.IMPLIES, Relation.EQUAL):
                    self._implying[j].append(i)
                    self._stronger[j].append(i)  # of two equal ones keep the first
                if relation in (Relation.IMPLIED_BY, Relation.EQUAL):
                    self._implying[i].append(j)
                if relation == Relation.IMPLIED_BY:
                    self._stronger[i].append(j)
                if relation == Relation.EXCLUDES:
                    self._excluding[i].append(j)

    def matrix(self, terms: Sequence[Term]) -> Bools:
        index = {literal: i for i, literal in enumerate(self.literals)}
        rows = np.zeros((len(terms), len(self.literals)), dtype=np.bool_)
        for row, term in zip(rows, terms, strict=True):
            row[[index[literal] for literal in term]] = True
        return rows

    def terms(self, rows: Bools) -> Terms:
        return canonical([self.literals[i] for i in np.flatnonzero(row)] for row in rows)

    def closed(self, rows: Bools) -> Bools:
        """Add to each term every literal that it implies."""
        result = rows.copy()
        for column, others in self._implying.items():
            result[:, column] |= rows[:, others].any(axis=1)
        return result

    def consistent(self, rows: Bools) -> Bools:
        """Drop the terms with two literals that exclude each other."""
        keep = np.ones(len(rows), dtype=np.bool_)
        for column, others in self._excluding.items():
            keep &= ~(rows[:, column] & rows[:, others].any(axis=1))
        return rows[keep]

    def antichain(self, rows: Bools) -> Bools:
        """Drop literals implied within their term, then terms that imply another."""
        closed = self.closed(rows)
        reduced = rows.copy()
        for column, others in self._stronger.items():
            reduced[:, column] &= ~rows[:, others].any(axis=1)
        # Term s absorbs term t if the literals of s follow from t: if s is a subset of the closure
        # of t. Then the closure of s is a subset too, so sorting by its size puts s first.
        order = np.argsort(closed.sum(axis=1), kind="stable")
        reduced, closed = reduced[order], closed[order]
        kept = reduced[:0]
        for start in range(0, len(reduced), _BLOCK):
            block, follows = reduced[start : start + _BLOCK], closed[start : start + _BLOCK]
            # Only pairs above the diagonal: of equal terms, the first absorbs the others.
            absorbed = np.triu(_contained(block, follows), k=1).any(axis=0)
            for first in range(0, len(kept), _BLOCK):
                absorbed |= _contained(kept[first : first + _BLOCK], follows).any(axis=0)
            kept = np.concatenate([kept, block[~absorbed]])
        return kept


def _contained(small: Bools, large: Bools) -> Bools:
    """Return the matrix (i, j) of whether row i of ``small`` is a subset of row j of ``large``."""
    # A matrix product counts the members of i that are not in j, with fast BLAS. Counts up to 2^24
    # are exact in float32.
    outside = small.astype(np.float32) @ (~large).astype(np.float32).T
    return np.asarray(outside == 0)


def _product(columns: _Columns, clauses: Bools, limit: int, what: str) -> Bools:
    """Multiply out an AND of ORs, absorbing after every step."""
    _check_limit(limit, what)
    terms = np.zeros((1, len(columns.literals)), dtype=np.bool_)
    for clause in clauses[np.argsort(clauses.sum(axis=1), kind="stable")]:
        # Berge's algorithm for minimal hitting sets: a partial product that already meets the
        # clause is kept, the others branch over its literals. Short clauses first and absorption
        # after every literal keep the number of partial products small.
        met = (columns.closed(terms) & clause).any(axis=1)
        grown, rest = terms[met], terms[~met]
        for column in np.flatnonzero(clause) if len(rest) else ():
            extended = rest.copy()
            extended[:, column] = True
            grown = columns.antichain(np.concatenate([grown, columns.consistent(extended)]))
            if len(grown) > limit:
                raise SizeLimitError(
                    f"The {what} grows past the limit of {limit} terms; "
                    f"simplify the function or pass a larger limit."
                )
        terms = grown
    return terms


def _check_limit(limit: int, owner: str) -> None:
    if isinstance(limit, bool) or not isinstance(limit, (int, np.integer)) or limit < 1:
        raise ParameterError.of("limit", owner, "a whole number of at least 1", limit)


class _Grid:
    """All combinations of distinguishable values of some attributes, as a Table."""

    def __init__(self, literals: Iterable[Literal]) -> None:
        self._patterns: dict[Literal, tuple[int, Bools]] = {}
        self.size = 1
        ordered = sorted(set(literals), key=Literal.sort_key)
        for _, members in groupby(ordered, key=lambda literal: literal.attribute):
            group = list(members)
            regions = _regions(group)
            for literal, pattern in zip(group, regions.T, strict=True):
                self._patterns[literal] = (self.size, pattern)
            self.size *= len(regions)
        self._rows = np.arange(0)

    def window(self, start: int, stop: int) -> _Grid:
        self._rows = np.arange(start, min(stop, self.size))
        return self

    @property
    def n_rows(self) -> int:
        return len(self._rows)

    def truth(self, literal: Literal) -> Bools:
        # Mixed radix: an attribute's value changes every ``stride`` rows and repeats.
        stride, pattern = self._patterns[literal]
        return pattern[self._rows // stride % len(pattern)]


def _regions(literals: list[Literal]) -> Bools:
    """Tabulate one attribute's literals (columns) on each distinguishable value (rows).

    Only the order of the numbers in literals matters: the i-th of them is point
    2i+1, and the even points represent the open intervals between them.
    """
    statements = [comparison(literal) for literal in literals]
    numbers = sorted({v for _, v in statements if v is not None and not isinstance(v, str)})
    point = {number: 2 * i + 1 for i, number in enumerate(numbers)}
    texts = sorted({v for _, v in statements if isinstance(v, str)})
    is_flag = np.array([literal.operator in (TRUE, FALSE) for literal in literals])
    # Thresholds v1 < v2 < … split the numbers into points (odd) and open intervals (even); no
    # literal distinguishes two values of one interval.
    values: list[Value] = list(range(2 * len(numbers) + 1))
    if not numbers and any(op in (">=", "<") and isinstance(v, str) for op, v in statements):
        values = []  # the column has ordered categories, and no numbers
    if texts or not any(operator in (">=", "<") for operator, _ in statements):
        if is_flag.any():
            texts = sorted({*texts, *ONE_TEXTS})
        values += [*texts, "".join(texts) + "?"]  # longer than each: any other text
    truth = np.array(
        [
            [
                satisfies(u, op, v if v is None or isinstance(v, str) else point[v])
                for op, v in statements
            ]
            for u in values
        ],
        dtype=np.bool_,
    )
    # ``comparison`` reads x and NOT x as = 1 and != 1. Some texts also mean 1: flip their rows.
    truth[np.ix_(np.array([u in ONE_TEXTS for u in values]), is_flag)] ^= True
    return np.unique(_in_any_order(truth, values, statements), axis=0)


def _in_any_order(
    truth: Bools, values: Sequence[Value], statements: Sequence[tuple[str, Value]]
) -> Bools:
    """Try both sides for every other category in >= and <, because their order is unknown."""
    places = [(j, op, v) for j, (op, v) in enumerate(statements) if op in (">=", "<")]
    places = [(j, op, v) for j, op, v in places if isinstance(v, str)]
    categories = sorted({str(v) for _, _, v in places})
    if len(categories) > _MOST_CATEGORIES:
        raise SizeLimitError(
            f"The comparison of {len(categories)} categories of one column, whose order is not "
            f"known, needs too many combinations; at most {_MOST_CATEGORIES} are possible."
        )
    rows = []
    for row, value in zip(truth, values, strict=True):
        others = [t for t in categories if t != value] if isinstance(value, str) else []
        # Each of the other categories may be above or below this value; duplicates are dropped by
        # the caller.
        for sides in product((False, True), repeat=len(others)):
            reached = {str(value): True, **dict(zip(others, sides, strict=True))}
            rows.append(row.copy())
            for j, op, v in places if isinstance(value, str) else ():
                # ``<`` holds if ``>=`` does not.
                rows[-1][j] = reached[str(v)] == (op == ">=")
    return np.array(rows)


def equivalent(
    one: Sequence[Terms], other: Sequence[Terms], limit: int, renumbered: bool = False
) -> bool:
    """Return whether two lists have the same part on all complete rows; a function is one layer.

    With ``renumbered``, the parts may have different numbers in the two lists.
    """
    _check_limit(limit, "equivalent_to")
    one, other = [absorb(terms) for terms in one], [absorb(terms) for terms in other]
    if one == other:
        return True
    grid = _Grid(literal for terms in (*one, *other) for term in terms for literal in term)
    if grid.size > limit:
        raise SizeLimitError(
            f"The comparison needs {grid.size} combinations of values, "
            f"past the limit of {limit}; pass a larger limit."
        )
    step = 1 << 16
    base = len(other) + 1
    met: set[tuple[int, int]] = set()
    for start in range(0, grid.size, step):
        rows = grid.window(start, start + step)
        # Collect the pairs (part in one, part in the other) that occur. Equivalent lists have only
        # pairs of equal numbers; with ``renumbered`` the relation must be one-to-one.
        codes = parts_of_rows(one, rows) * base + parts_of_rows(other, rows)
        met.update(divmod(code, base) for code in np.flatnonzero(np.bincount(codes)).tolist())
        numbers = ({a for a, _ in met}, {b for _, b in met})
        if renumbered and any(len(side) < len(met) for side in numbers):
            return False
        if not renumbered and any(a != b for a, b in met):
            return False
    return True


def discriminator(table: Table, positive: object, literals: Iterable[Literal]) -> Terms:
    """Return the OR over positive rows of the AND of all literals true there, absorbed."""
    chosen = np.asarray(positive)
    if chosen.dtype != np.bool_ or chosen.shape != (table.n_rows,):
        raise ParameterError.of(
            "positive",
            "BooleanFunction.discriminator",
            f"a boolean array with one entry for each of the {table.n_rows} rows",
            f"{chosen.dtype} array of shape {chosen.shape}",
        )
    columns = _Columns(literals)
    count = len(columns.literals)
    # Eight literals a byte: the table of truths is unpacked block by block only.
    packed = np.zeros((table.n_rows, max(1, math.ceil(count / 8))), dtype=np.uint8)
    for byte, start in enumerate(range(0, count, 8)):
        truth = [table.truth(literal) for literal in columns.literals[start : start + 8]]
        packed[:, byte] = np.packbits(np.stack(truth, axis=1), axis=1)[:, 0]
    positives, positive_rows = _distinct(packed, np.flatnonzero(chosen))
    negatives, negative_rows = _distinct(packed, np.flatnonzero(~chosen))
    for first in range(0, len(positives), _BLOCK):
        inside = _unpack(positives[first : first + _BLOCK], count)
        for start in range(0, len(negatives), _BLOCK):
            contained = _contained(inside, _unpack(negatives[start : start + _BLOCK], count))
            if contained.any():
                i, j = np.argwhere(contained)[0]
                i, j = positive_rows[first + i], negative_rows[start + j]
                raise ContradictionError(
                    f"Row {i} is positive and row {j} is not, yet every literal true in row {i} "
                    f"is also true in row {j}, so no function of these literals tells them apart."
                )
        if not inside.any(axis=1).all():
            row = positive_rows[first + int(np.argmin(inside.any(axis=1)))]
            raise ContradictionError(
                f"Row {row} is positive but satisfies none of the {count} literals, "
                f"so no term can mark it."
            )
    return columns.terms(columns.antichain(_unpack(positives, count)))


def _distinct(
    packed: NDArray[np.uint8], rows: NDArray[np.intp]
) -> tuple[NDArray[np.uint8], NDArray[np.intp]]:
    """Return the distinct rows, in order of appearance, and the first position of each."""
    unique, first = np.unique(packed[rows], axis=0, return_index=True)
    order = np.argsort(first)
    return unique[order], rows[first[order]]


def _unpack(packed: NDArray[np.uint8], count: int) -> Bools:
    return np.unpackbits(packed, axis=1)[:, :count].astype(np.bool_)
