"""Shadow clustering: terms grown from positive rows, then a cover chosen among them.

After Muselli and Quarati (2005). A term starts empty and takes literals of one positive row, each
time the literal that keeps many of the unmarked positive rows and leaves few negative ones, until
no negative row is left; redundant literals are then dropped.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .decisive import Bools, DecisiveRows, Term

# Weights of excluding a negative row relative to keeping a positive one, on the log scale; the
# functions use them in turn, because none is best on all tables.
_EAGERNESS = (1.0, 0.5, 2.0, 0.25)


def grow_function(rows: DecisiveRows, number: int, seed: np.random.SeedSequence) -> list[Term]:
    """Grow a function that fits.

    Parameters
    ----------
    rows : DecisiveRows
        Rows that do not contradict each other.
    number : int
        Order in which positive rows are covered: 0 is their order, others are random.
    seed : SeedSequence
        Seed of the random choices.
    """
    rng = np.random.default_rng(seed) if number else None
    eagerness = _EAGERNESS[number % len(_EAGERNESS)]
    terms: list[Term] = []
    left = np.ones(rows.n_positive, dtype=np.bool_)
    while left.any():
        candidates = np.flatnonzero(left)
        row = int(candidates[0] if rng is None else rng.choice(candidates))
        terms.append(_grow_term(rows, row, left, eagerness, rng))
        left &= ~rows.marked(terms[-1:])[0]
    return _without_spare(rows, terms)


def _grow_term(
    rows: DecisiveRows, row: int, left: Bools, eagerness: float, rng: np.random.Generator | None
) -> Term:
    # Masks of all rows, and of all but the positive rows that are marked already.
    masks = np.stack([rows.view.all_rows(), rows.view.all_rows()])
    packed = np.packbits(left, bitorder="little")
    masks[1, : rows.offsets[1]] = 0
    masks[1].view(np.uint8)[: len(packed)] = packed
    offered = rows.literals_of(row)
    term: list[int] = []
    while not term or rows.view.count(masks[:1])[0, 1]:
        counts = rows.view.literal_counts(masks)[:, :, offered]
        marked, marked_left, negative = counts[0, 0], counts[0, 1], counts[1, 0]
        # Greedy choice, on the log scale: keep many positive rows, leave few negative ones.
        score = (
            # Rows that are marked already have weight 0.01: they decide only ties.
            np.log(marked_left + 0.01 * marked)
            - eagerness * np.log1p(negative)
            # A literal that excludes no negative row makes no progress.
            - 1e9 * (negative == rows.view.count(masks[:1])[0, 1]) * bool(rows.n_negative)
        )
        if rng is not None:
            score += 0.05 * rng.standard_normal(len(score))
        best = int(offered[np.argmax(score)])
        term.append(best)
        masks &= rows.masks([[best]])
        offered = offered[offered != best]
    return _without_idle(rows, term)


def _without_idle(rows: DecisiveRows, term: list[int]) -> Term:
    """Drop literals, the first chosen first, as long as no negative row is marked."""
    for literal in list(term):
        shorter = [x for x in term if x != literal]
        if shorter and not rows.view.count(rows.masks([shorter]))[0, 1]:
            term = shorter
    return tuple(sorted(term))


def _without_spare(rows: DecisiveRows, terms: list[Term]) -> list[Term]:
    """Drop terms whose rows the others mark too, terms with the fewest rows first."""
    marked = rows.marked(terms)
    times = marked.sum(axis=0)
    kept: list[Term] = []
    # Terms with few rows are most likely redundant; dropping one can make others needed.
    order: NDArray[np.intp] = np.argsort(marked.sum(axis=1), kind="stable")
    for i in order:
        if (times[marked[i]] > 1).all():
            times = times - marked[i]
        else:
            kept.append(terms[i])
    return kept
