"""Exact answers: the best function of one term by branch and bound, of few literals by enumeration.

``better_sets`` is for ``boxes``: sets of listed terms by branch and bound, step 5 of
docs/bound.md.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from .. import _native
from ..boolean import BooleanFunction
from ..checks import seconds, whole
from ..errors import ParameterError, SizeLimitError
from ..model.enumerate import LARGEST, flatten, function_words
from ..model.flat_functions import as_flat
from ..model.posterior import Posterior, Scores
from .box import Bools, Box, Floats, Whole
from .priced import TermSpace, interruptible
from .result import SearchProgress, SearchResult
from .smallest import smallest_function as smallest_function

_BEAM_WIDTH = 32
MOST_SETS = 1_000  # of terms that are better than a target, to keep
_PIECE = 0.1  # seconds of native work between two looks at Ctrl-C, the clock and progress


def best_term(
    posterior: Posterior,
    *,
    max_size: int | None = None,
    time_limit: float | None = None,
    progress: SearchProgress | None = None,
) -> SearchResult:
    """Find the best function of at most one term, and prove it.

    Branch and bound over all terms: a longer term marks fewer rows, and the collapsed likelihood
    is bounded over all the counts of marked rows that a longer term can still have. The null
    function competes where the prior gives it mass.

    Parameters
    ----------
    posterior : Posterior
        The data and the priors.
    max_size : int, optional
        Largest number of literals; the proof is then among terms up to this size.
    time_limit : float, optional
        Seconds after which to return the best so far, unproved.
    progress : callable, optional
        Called as ``progress(done, most, best)`` while the search runs, with the first literals
        dealt with, how many there are, and the best score.

    Returns
    -------
    SearchResult
        ``proved`` says whether no other term scores higher (by more than rounding, 1e-9);
        ``stopped`` is "proved", "time limit" or "interrupted" (Ctrl-C returns the best so far).
        When the prior allows neither the null function nor any term, the null function is
        returned with the score -inf.

    Examples
    --------
    >>> from bayesdnf import LiteralEncoder, Posterior, best_term, datasets
    >>> X, y = datasets.load_mushroom()
    >>> posterior = Posterior(LiteralEncoder().fit_encode(X), y, positive="p")
    >>> found = best_term(posterior)
    >>> print(found.function)
    (odor != a AND odor != l AND odor != n)
    >>> found.proved
    True
    """
    if max_size is not None:
        whole("max_size", "best_term", max_size, 1)
    seconds("time_limit", "best_term", time_limit)
    n_literals = posterior.bits.n_literals
    search = _native.TermSearch(posterior.native, min(max_size or n_literals, n_literals))
    end = math.inf if time_limit is None else time.monotonic() + time_limit
    try:
        search.seed(_BEAM_WIDTH, _stop_at(end))
        stopped = ""
        while not stopped:
            if search.advance(_stop_at(min(end, time.monotonic() + _PIECE))):
                stopped = "proved"
            elif time.monotonic() >= end:
                stopped = "time limit"
            if progress is not None:
                progress(search.branches_done, search.branches, search.score)
    except KeyboardInterrupt:
        stopped = "interrupted"
    return _result(posterior, [search.term] if search.term else [], search.score, stopped)


def best_function(posterior: Posterior, *, max_columns: int = 5) -> SearchResult:
    """Find the best function of a few literals by scoring every one.

    Parameters
    ----------
    posterior : Posterior
        The data and the priors. Where the prior keeps to antichains there are 7,580 functions of
        5 literals and 7,828,353 of 6; all sets of terms are 32,768 for 4 literals.
    max_columns : int, default=5
        Most literals to take on, 6 or less: 6 takes up to a few minutes.

    Returns
    -------
    SearchResult
        The best of all functions (``proved`` is True); of several equally good the first in the
        order of ``enumerate_functions``.

    Raises
    ------
    SizeLimitError
        When the table has more literals.

    Examples
    --------
    >>> from bayesdnf import BitMatrix, Posterior, best_function, simulate
    >>> X, y, truth = simulate(500, 5, random_state=1)
    >>> found = best_function(Posterior(BitMatrix.from_table(X), y))
    >>> found.function == truth, found.proved
    (True, True)
    """
    whole("max_columns", "best_function", max_columns, 1)
    if max_columns > LARGEST[True]:
        raise ParameterError.of("max_columns", "best_function", "6 or less", max_columns)
    p, antichains = posterior.bits.n_literals, posterior.prior.antichain
    most = min(max_columns, LARGEST[antichains])
    if p > most:
        why = "" if antichains else " and a prior with antichain=False"
        raise SizeLimitError(
            f"best_function tries every function and takes at most {most} literals with "
            f"max_columns={max_columns}{why}; the table has {p:,}."
        )
    best, terms = -math.inf, list[list[int]]()
    for words in function_words(p, antichains):
        flat = flatten(words, p)
        scores = Scores(*posterior.native.score(*flat)).log_score
        top = int(np.argmax(scores))
        if scores[top] > best:
            best = float(scores[top])
            bounds = flat.literal_starts[flat.term_starts[top] : flat.term_starts[top + 1] + 1]
            terms = [flat.literals[first:last].tolist() for first, last in pairwise(bounds)]
    return _result(posterior, terms, best, "proved")


def _stop_at(moment: float) -> _native.StopFlag:
    stop = _native.StopFlag()
    if moment < math.inf:
        stop.set_deadline(max(0.0, moment - time.monotonic()))
    return stop


def _result(
    posterior: Posterior, terms: Iterable[Sequence[int]], score: float, stopped: str
) -> SearchResult:
    table = posterior.bits.table
    return SearchResult(
        function=BooleanFunction([[table[i] for i in term] for term in terms]),
        log_posterior=score,
        stopped=stopped,
        agreement=1,
        restarts=1,
        proved=stopped == "proved",
    )


def better_sets(
    space: TermSpace,
    box: Box,
    terms: Sequence[Sequence[int]],
    target: float,
    stop: _native.StopFlag,
) -> _native.TermSets:
    """Find sets of terms of a box that score more than a target.

    Parameters
    ----------
    space : TermSpace
        The terms; the likelihood must rise with marked positives and fall with marked negatives.
    box : Box
        A box with one number of terms and nothing settled.
    terms : sequence of sequences of int
        All terms that a function of the box above the target may have.
    target : float
        The score to exceed.
    stop : StopFlag
        Stops the search.

    Returns
    -------
    TermSets
        ``sets`` of places in ``terms``. If ``complete``, a best function of all is among them,
        where it is in the box and above the target.
    """
    m = box.terms.low
    worth, marked = space.worth(terms), space.marked(terms)
    kept_off, saved = _without_a_literal(space, terms, marked)
    # The core identifies cells with positives by their position.
    order = np.argsort(space.cells[:, 0] == 0, kind="stable")  # cells with positives first
    cells, marked = space.cells[order].astype(np.int64), marked[:, space.cell_row[order]]
    return interruptible(
        stop,
        lambda: _native.better_sets(
            space.posterior.native, worth, marked, kept_off, saved, cells, m,
            float(space.count[m]), float(space.count[m - 1]), box.positive,
            box.negative, target, space.removable, space.replaceable, MOST_SETS, stop,
        ),
    )  # fmt: skip


def _without_a_literal(
    space: TermSpace, terms: Sequence[Sequence[int]], marked: Bools
) -> tuple[Whole, Floats]:
    """Return how many negatives each literal of a term excludes at least, and the prior's cost.

    The literal of a term of one literal is always needed, as if it excluded all rows.
    """
    sizes = np.array([len(t) for t in terms], dtype=np.intp)
    kept_off = np.full(len(terms), space.posterior.n, dtype=np.int64)
    # reduceat below takes the least over each term's literals, which lie side by side; terms of one
    # literal have none and would break the runs.
    several = np.flatnonzero(sizes > 1)
    shorter = [[(1, [i for i in t if i != j])] for t in terms if len(t) > 1 for j in t]
    if space.replaceable and shorter:
        negatives = space.posterior.scores_of(as_flat(shorter)).marked[:, 1]
        starts = np.cumsum(sizes[several]) - sizes[several]
        own = np.rint(marked[several] @ space.split[:, 1]).astype(np.int64)
        kept_off[several] = np.minimum.reduceat(negatives, starts) - own
    # The log prior of an empty term is -inf, so removing the only literal never improves a term.
    with np.errstate(invalid="ignore"):
        saved: Floats = space.size[sizes - 1] - space.size[sizes]
    return kept_off, saved
