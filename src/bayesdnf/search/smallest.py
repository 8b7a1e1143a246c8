"""The decisive case: the smallest function that is true on every positive row and no other."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..boolean import BooleanFunction
from ..checks import seconds, whole
from ..data.bits import BitMatrix
from ..data.columns.any_library import read_column
from ..data.encoder import LiteralEncoder
from ..data.outcome import read_outcome
from ..display.wording import entries_for_rows
from ..errors import InputError, ParameterError
from ..model.streams import Streams
from .cover import LITERALS, TERMS, Limits, Pool, Stage, all_primes, best_cover, generate
from .decisive import Bools, DecisiveRows, Term, decisive_rows
from .result import SearchProgress
from .shadow import grow_function

_MINIMIZE = {"terms": (TERMS, LITERALS), "literals": (LITERALS, TERMS)}
_METHODS = ("auto", "shadow", "exact")
_GROWN = 20  # functions grown by shadow clustering
_MOST_AT_FIRST = 800  # terms of theirs in the first program: more make it slow before it is good
_GROWING = 0.2  # share of the time for it, when a proof is wanted


@dataclass(frozen=True)
class SmallestResult:
    """The smallest function found, and the proved lower bound.

    Attributes
    ----------
    function : BooleanFunction
        True on every positive row, false on every negative one.
    n_terms, n_literals : int
        Its size.
    proved : bool
        Whether no function that fits has fewer terms, nor as few with fewer literals (the other
        way round with ``minimize="literals"``).
    bound : int
        No function that fits has fewer terms (or literals) than this.
    gap : float
        Distance from the bound, as a share of what was found: 0 when its first number is proved.
    second_bound : int
        Among functions with as few terms (literals), none has fewer literals (terms) than this.
    stopped : str
        Why the search ended: "proved", "shadow" (nothing more was asked for), "work limit",
        "time limit" or "interrupted".
    """

    function: BooleanFunction
    n_terms: int
    n_literals: int
    proved: bool
    bound: int
    gap: float
    second_bound: int
    stopped: str


def smallest_function(
    bits: Any,
    y: Any,
    *,
    minimize: str = "terms",
    positive: Any = None,
    method: str = "auto",
    time_limit: float | None = None,
    n_jobs: int = 1,
    random_state: int | np.random.SeedSequence | None = None,
    progress: SearchProgress | None = None,
) -> SmallestResult:
    """Find the smallest function that is true on every positive row and false on every other.

    This is the decisive case of the model, where marked rows are always positive and unmarked ones
    never. Shadow clustering gives a good function within moments. To prove one smallest, the
    cover of the positive rows by prime implicants is solved as an integer program, for the number
    of terms and then, with that number fixed, for the number of literals. Where there are too
    many implicants to list, they are generated as the program's prices ask for them.

    Parameters
    ----------
    bits : BitMatrix or table
        The literals on offer and the rows, as read. A DataFrame, array or dict of columns is
        encoded by ``LiteralEncoder()``; pass ``LiteralEncoder(negations=False).fit_encode(X)`` to
        leave negations out.
    y : 1-D array, Series or list
        One label for each row.
    minimize : {"terms", "literals"}, default="terms"
        Quantity to minimise first; then the other one.
    positive : label or list of labels, optional
        Positive label or labels; by default the larger of two labels, and 1 of a single label.
    method : {"auto", "shadow", "exact"}, default="auto"
        "shadow" is the heuristic alone; "exact" continues until the proof is complete; "auto"
        limits the work of each step.
    time_limit : float, optional
        Seconds after which to return the best so far.
    n_jobs : int, default=1
        Threads for shadow clustering; the result does not depend on their number.
    random_state : int or SeedSequence, optional
        Seed of shadow clustering.
    progress : callable, optional
        Called as ``progress(bound, size, size)`` while the search runs, with the size of the best
        function (in terms, or literals) and what is proved of it: done when the two meet.

    Returns
    -------
    SmallestResult
        The function; ``proved``, ``bound`` and ``gap`` say what is known about it. Without
        positive rows it is the null function. Without negative rows it is the smallest function
        that marks every row: terms are never empty, so it still needs literals.

    Raises
    ------
    ContradictionError
        When no function fits, because a negative row holds every literal of a positive one, or
        a positive row holds none; the message names the rows.

    Examples
    --------
    >>> from bayesdnf import LiteralEncoder, datasets, smallest_function
    >>> X, y = datasets.load_mushroom()
    >>> found = smallest_function(X, y, positive="p", minimize="literals", random_state=0)
    >>> found.n_literals, found.proved
    (8, True)
    >>> bits = LiteralEncoder(negations=False).fit_encode(X)
    >>> found = smallest_function(bits, y, positive="p", random_state=0)
    >>> found.n_terms, found.n_literals, found.proved
    (6, 11, True)
    """
    _check(minimize, method, time_limit, n_jobs)
    limits = Limits(time_limit, bounded=method != "exact")
    streams = Streams(random_state, "smallest_function")
    if not isinstance(bits, BitMatrix):
        bits = LiteralEncoder().fit_encode(bits)
    is_positive = _positive_rows(y, positive)
    if len(is_positive) != bits.n_rows:
        raise InputError(entries_for_rows("y", len(is_positive), bits.n_rows))
    if not is_positive.any():
        return SmallestResult(BooleanFunction(), 0, 0, True, 0, 0.0, 0, "proved")
    rows, literals = decisive_rows(bits, is_positive)
    first, second, interrupted = _search(rows, minimize, method, limits, streams, n_jobs, progress)
    proved = first.proved and second.proved
    if proved:
        stopped = "proved"
    elif interrupted:
        stopped = "interrupted"
    elif limits.over:
        stopped = "time limit"
    else:
        stopped = "shadow" if method == "shadow" else "work limit"
    terms = [[bits.table[int(literals[i])] for i in term] for term in second.terms]
    return SmallestResult(
        function=BooleanFunction(terms),
        n_terms=len(terms),
        n_literals=sum(map(len, terms)),
        proved=proved,
        bound=first.bound,
        # The value is 1 at least: there is a positive row, and a function that marks it has a term
        # and a literal.
        gap=1 - first.bound / first.value,
        second_bound=second.bound,
        stopped=stopped,
    )


def _search(
    rows: DecisiveRows,
    minimize: str,
    method: str,
    limits: Limits,
    streams: Streams,
    n_jobs: int,
    progress: SearchProgress | None,
) -> tuple[Stage, Stage, bool]:
    """Minimise both costs, one after the other; return whether Ctrl-C ended the search."""
    aim, other = _MINIMIZE[minimize]

    def tell(stage: Stage) -> None:
        if progress is not None and stage is first:
            progress(stage.bound, stage.value, stage.value)

    def grow(number: int) -> list[Term] | None:
        # The first function is grown even without time left: there is always a result.
        late = number > 0 and limits.spent(1 if method == "shadow" else _GROWING)
        return None if late else grow_function(rows, number, streams.child(number))

    with ThreadPoolExecutor(n_jobs) as threads:
        grown = [terms for terms in threads.map(grow, range(_GROWN)) if terms is not None]
    grown.sort(key=lambda terms: (aim.of(terms), other.of(terms)))
    pool = Pool(rows)
    for terms in grown:
        if len(pool.terms) + len(terms) <= _MOST_AT_FIRST or not pool.terms:
            pool.add(terms)
    first = Stage(aim, grown[0], bound=1)
    second = Stage(other, first.terms, bound=1)
    try:
        best_cover(pool, first, limits, 1 if method == "shadow" else _GROWING)
        tell(first)
        complete = False
        if method != "shadow":
            primes = all_primes(rows, limits)
            complete = primes is not None
            pool.add(primes or ())
            _prove(pool, first, complete, limits)
            tell(first)
            generate(pool, first, limits, tell)
        # Lexicographic: the first aim's value becomes a constraint of the second program. A bound
        # of the second is valid even where the first is not proved, but then only among functions
        # that are as good.
        second = Stage(other, first.terms, side=(aim, first.value), bound=1)
        best_cover(pool, second, limits)
        if method != "shadow":
            _prove(pool, second, complete, limits)
            generate(pool, second, limits, tell)
    except KeyboardInterrupt:
        if aim.of(second.terms) > first.value:
            second = Stage(other, first.terms, bound=1)
        return first, second, True
    return first, second, False


def _prove(pool: Pool, stage: Stage, complete: bool, limits: Limits) -> None:
    """Prove a stage: if all prime implicants are listed, the best cover of them is optimal."""
    if complete and not stage.proved and best_cover(pool, stage, limits):
        stage.bound = stage.value


def _positive_rows(y: Any, positive: Any) -> Bools:
    column = read_column(y, "y")
    labels = column.distinct()[0].tolist()
    if len(labels) != 1 or column.missing.any():
        return read_outcome(y, positive).positive
    if positive is None and labels[0] not in (0, 1):
        return read_outcome(y).positive  # raises: one label alone is ambiguous
    is_list = isinstance(positive, Iterable) and not isinstance(positive, (str, bytes))
    named = [1] if positive is None else list(positive) if is_list else [positive]
    return np.full(len(column.values), labels[0] in named, dtype=np.bool_)


def _check(minimize: Any, method: Any, time_limit: Any, n_jobs: Any) -> None:
    owner = "smallest_function"
    for name, value, known in (("minimize", minimize, _MINIMIZE), ("method", method, _METHODS)):
        if not isinstance(value, str) or value not in known:
            raise ParameterError.of(name, owner, f"one of {', '.join(known)}", value)
    seconds("time_limit", owner, time_limit)
    whole("n_jobs", owner, n_jobs, 1)
