"""The decisive case, reduced: the rows and literals that determine which functions fit every row.

A function fits if it is true on every positive row and false on every negative one. A row counts
only through the literals true in it. A positive row that has all the literals of another is marked
whenever the other is, and a negative row whose literals are all in another negative row is excluded
whenever the other is; both can be removed. So can a literal if another one holds on all its
positive rows and is false on all the negative rows that it excludes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from .. import _native
from ..data.bits import BitMatrix
from ..data.canonical import canonical
from ..data.memory import require_memory
from ..data.planes.plane_layout import segment_offsets
from ..errors import ContradictionError

Bools = NDArray[np.bool_]
Words = NDArray[np.uint64]
Term = tuple[int, ...]

_BATCH = 1 << 18  # words of row masks made at a time
_MOST_PRODUCTS = 2e10  # in comparing all literals with each other
_MOST_COMPARED = 20_000  # rows compared with each other only to have fewer of them
_SHOWN = 8  # literals of a row in an error


class DecisiveRows:
    """Positive and negative rows, and the literals true in them; a term is a tuple of columns.

    Parameters
    ----------
    positives, negatives : ndarray of bool, shape (rows, literals)
        Truth of each literal.
    """

    def __init__(self, positives: Bools, negatives: Bools) -> None:
        self.n_positive, self.n_literals = positives.shape
        self.n_negative = len(negatives)
        rows = [self.n_positive, self.n_negative]
        self.offsets = segment_offsets(rows)
        planes = np.zeros((self.n_literals, self.offsets[-1]), dtype=np.uint64)
        for first, truth in zip(self.offsets, (positives, negatives), strict=False):
            packed = np.packbits(truth.T, axis=1, bitorder="little")
            planes.view(np.uint8)[:, 8 * first : 8 * first + packed.shape[1]] = packed
        self._planes = planes
        p = self.n_literals
        # Rows are made of truths: nothing is missing, and no literal has a validity plane.
        nowhere = np.full(p, -1, dtype=np.int32)
        self.view = _native.BitView(
            planes,
            rows,
            self.offsets,
            None,
            np.arange(p, dtype=np.int32),
            np.zeros(p, dtype=np.uint8),
            nowhere,
            None,
        )
        positive_words, negative_words = (-(-n // 64) for n in rows)
        behind = self.offsets[1]
        self.implicants = _native.Implicants(
            np.ascontiguousarray(planes[:, :positive_words]),
            self.n_positive,
            np.ascontiguousarray(planes[:, behind : behind + negative_words]),
            self.n_negative,
        )

    def literals_of(self, row: int) -> NDArray[np.intp]:
        """Return the literals true in a positive row."""
        bit = self._planes[:, row // 64] >> np.uint64(row % 64) & np.uint64(1)
        return np.flatnonzero(bit)

    def masks(self, terms: Sequence[Sequence[int]]) -> Words:
        """Pack the rows on which each term holds."""
        starts = np.cumsum([0, *(len(term) for term in terms)], dtype=np.int64)
        literals = np.fromiter((i for term in terms for i in term), np.int32, int(starts[-1]))
        return self.view.term_masks(starts, literals)

    def unpack(self, masks: Words, segment: int) -> Bools:
        """Convert masks to truth values of the positive (0) or the negative (1) rows."""
        rows = (self.n_positive, self.n_negative)[segment]
        as_bytes = np.ascontiguousarray(masks[:, self.offsets[segment] :]).view(np.uint8)
        return np.unpackbits(as_bytes, axis=1, count=rows, bitorder="little").view(np.bool_)

    def marked(self, terms: Sequence[Sequence[int]]) -> Bools:
        """Return the positive rows on which each term holds, shape (terms, rows)."""
        return self.unpack(self.masks(terms), 0)


def decisive_rows(bits: BitMatrix, positive: Bools) -> tuple[DecisiveRows, NDArray[np.intp]]:
    """Reduce the rows and literals to those that determine which functions fit.

    Parameters
    ----------
    bits : BitMatrix
        The table as read.
    positive : ndarray of bool
        Outcome of each sample; at least one is positive.

    Returns
    -------
    rows : DecisiveRows
        The reduced rows and literals.
    literals : ndarray
        For each of its columns the literal's index in ``bits.table``.

    Raises
    ------
    ContradictionError
        When no function of the literals fits; names a row, or two, that show it.
    """
    _refuse_equal_rows(bits, positive)
    stored = canonical(bits, positive)
    literals = _useful(stored)
    p = len(literals)
    require_memory(stored.n_stored * p, "Every row with all its literals")
    masks = stored.view().term_masks(np.arange(p + 1), literals.astype(np.int32))
    truth, first_row = list[Bools](), list[NDArray[np.intp]]()
    for first, n_rows in zip(stored.offsets, stored.segments, strict=False):
        as_bytes = np.ascontiguousarray(masks[:, first:]).view(np.uint8)
        whole = np.unpackbits(as_bytes, axis=1, count=n_rows, bitorder="little").T.view(np.bool_)
        places = _distinct(whole)
        first_row.append(places + sum(stored.segments[: len(truth)]))
        truth.append(whole[places])
    _require_literals(bits, stored, truth[0], first_row[0])
    pair = None if _equal_counts(stored) else _contradicting(*truth)
    if pair is not None:
        rows = (int(first[place]) for first, place in zip(first_row, pair, strict=True))
        _refuse(bits, *(_sample(stored, row) for row in rows))
    size = (-1, -1)
    # Reductions of set covering, for the rows and for the columns: a positive row that holds all
    # literals of another is covered with it, a negative row within another is excluded with it,
    # and a literal that another one dominates is never needed.
    # Python reads the left ``size`` before the walrus assigns the new one: the loop ends after a
    # pass that removes nothing.
    while size != (size := (truth[0].size, truth[1].size)):  # one can enable another
        kept = _not_outdone(*truth)
        literals, truth = literals[kept], [part[:, kept] for part in truth]
        truth = [part[_distinct(part)] for part in truth]
        # Comparing rows takes time in proportion to their number squared and only makes the problem
        # smaller; leaving it out is right, too.
        if max(len(part) for part in truth) <= _MOST_COMPARED:
            truth = [truth[0][~_contains_another(truth[0])], truth[1][~_in_another(truth[1])]]
    return DecisiveRows(*truth), literals


def _refuse_equal_rows(bits: BitMatrix, positive: Bools) -> None:
    """Refuse rows that are equal in every literal and of both kinds."""
    if bits.row_order is not None or len(positive) != bits.n_rows:
        return  # canonical() says what is wrong
    hashes = _native.hash_rows(bits.planes, bits.n_rows)
    _, group = np.unique(hashes, axis=0, return_inverse=True)
    group = group.ravel()
    both = np.bincount(group, positive) * np.bincount(group, ~positive) > 0
    if both.any():
        of_group = both[group] & (group == group[np.argmax(both[group])])
        _refuse(bits, int(np.argmax(of_group & positive)), int(np.argmax(of_group & ~positive)))


def _equal_counts(stored: BitMatrix) -> bool:
    """Return whether all rows have equally many literals, so that none contains another."""
    counts = np.zeros(stored.planes.shape[1] * 64, dtype=np.int32)
    for literal in range(stored.n_literals):
        one = np.array([literal], dtype=np.int32)
        [mask] = stored.view().term_masks(np.array([0, 1]), one)
        counts += np.unpackbits(mask.view(np.uint8), bitorder="little")
    real = np.unpackbits(stored.view().all_rows().view(np.uint8), bitorder="little")
    return bool(np.ptp(counts[real > 0]) == 0)


def _useful(stored: BitMatrix) -> NDArray[np.intp]:
    """Return literals that mark a positive and exclude a negative row, one of equal ones."""
    view = stored.view()
    counts = view.literal_counts(view.all_rows()[np.newaxis])[:, 0]
    n_negative = view.totals[1]
    excludes = (counts[1] < n_negative) | (n_negative == 0)
    first = stored.first_equal() == np.arange(stored.n_literals)
    return np.flatnonzero((counts[0] > 0) & excludes & first)


def _not_outdone(positives: Bools, negatives: Bools) -> Bools:
    """Return the literals that no other literal dominates."""
    n, p = len(positives) + len(negatives), positives.shape[1]
    if not n or p * p * n > _MOST_PRODUCTS:
        return np.ones(p, dtype=np.bool_)
    # One literal dominates another if it is true on all its positive rows and false on all the
    # negative rows that it excludes: "true on a positive" and "false on a negative" are both good.
    good = np.concatenate([positives, ~negatives]).astype(np.float32)
    total = good.sum(axis=0)
    # All pairs at once: |good of i and j| = |good of i| where i is contained in j; the half allows
    # for rounding of float32 sums.
    within = good.T @ good >= total[:, np.newaxis] - 0.5  # [i, j]: j is good wherever i is
    tied = within & within.T
    earlier = np.tri(p, k=-1, dtype=np.bool_)  # of equally good ones the first stays
    return np.asarray(~((within & ~tied) | (tied & earlier)).any(axis=1))


def _distinct(truth: Bools) -> NDArray[np.intp]:
    """Return the first position of each distinct row."""
    _, places = np.unique(np.packbits(truth, axis=1), axis=0, return_index=True)
    return np.sort(places)


def _holders(inner: Bools, outer: Bools) -> Iterator[tuple[int, Bools]]:
    """Yield for batches of inner rows which outer rows have all their literals."""
    rows = DecisiveRows(outer, outer[:0])
    step = max(1, _BATCH // max(1, rows.offsets[-1]))
    for start in range(0, len(inner), step):
        batch = inner[start : start + step]
        yield start, rows.marked([np.flatnonzero(row).tolist() for row in batch])


def _contradicting(positives: Bools, negatives: Bools) -> tuple[int, int] | None:
    """Find a positive row all of whose literals a negative row holds too."""
    for start, held in _holders(positives, negatives):
        if held.any():
            i, j = np.argwhere(held)[0]
            return start + int(i), int(j)
    return None


def _in_another(truth: Bools) -> Bools:
    """Return which rows, all distinct, are contained in another row."""
    parts = [held.sum(axis=1) > 1 for _, held in _holders(truth, truth)]
    return np.concatenate([np.zeros(0, dtype=np.bool_), *parts])


def _contains_another(truth: Bools) -> Bools:
    """Return which rows, all distinct, contain another row."""
    times = np.zeros(len(truth), dtype=np.int64)
    for _, held in _holders(truth, truth):
        times += held.sum(axis=0)
    return times > 1


def _require_literals(
    bits: BitMatrix, stored: BitMatrix, positives: Bools, first_row: NDArray[np.intp]
) -> None:
    """Refuse a positive row without a useful literal: no term separates it from the negatives."""
    bare = ~positives.any(axis=1)
    if not bare.any():
        return
    where = int(first_row[np.argmax(bare)])
    row = _sample(stored, where)
    if not _true_literals(bits, row):
        raise ContradictionError(
            f"Row {row} is positive but satisfies none of the {bits.n_literals:,} literals, so no "
            f"term can mark it."
        )
    _refuse(bits, row, _sample(stored, stored.segments[0]))  # every negative row has them all


def _refuse(bits: BitMatrix, i: int, j: int) -> NoReturn:
    """Raise an error that names a positive and a negative row no function can separate."""
    ours, theirs = _true_literals(bits, i), _true_literals(bits, j)
    values = ", ".join(ours[:_SHOWN]) + (", …" if len(ours) > _SHOWN else "")
    if ours == theirs:
        raise ContradictionError(
            f"Row {i} is positive and row {j} is not, yet both hold the same literals ({values}), "
            f"so no function tells them apart."
        )
    more = [literal for literal in theirs if literal not in ours]
    raise ContradictionError(
        f"Row {i} is positive and row {j} is not, yet every literal true in row {i} ({values}) is "
        f"also true in row {j}, which only adds {more[0]!r}; no function of these literals tells "
        f"them apart{_advice(bits)}."
    )


def _advice(bits: BitMatrix) -> str:
    """Advise to offer negations, if they are not on offer already."""
    return "" if bits.table.both_directions else ". Encode with negations=True to offer more"


def _sample(stored: BitMatrix, row: int) -> int:
    assert stored.row_order is not None
    return int(np.argmax(stored.row_order == row))


def _true_literals(bits: BitMatrix, row: int) -> list[str]:
    view = bits.view()
    mask = np.zeros(view.n_words, dtype=np.uint64)
    mask[row // 64] = np.uint64(1) << np.uint64(row % 64)
    holds = view.literal_counts(mask[np.newaxis]).sum(axis=(0, 1)) > 0
    return [str(bits.table[int(i)]) for i in np.flatnonzero(holds)]
