"""Simulated tables whose outcome follows a known Boolean function."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..boolean.function import BooleanFunction
from ..boolean.literal import FALSE, TRUE, Literal
from ..checks import MOST_64, is_whole, whole
from ..errors import InputError, ParameterError
from .memory import require_memory

if TYPE_CHECKING:
    import pandas as pd

Bits: TypeAlias = NDArray[np.uint8]
Terms: TypeAlias = Iterable[int] | Iterable[Iterable[int]] | BooleanFunction
Beta: TypeAlias = float | tuple[float, float] | Sequence[float] | NDArray[np.float64]
RandomState: TypeAlias = int | np.random.SeedSequence | np.random.Generator | None

_BLOCK = 2**20  # uniform numbers per block
_PATIENCE = 1000  # case-control: maximum number of rows drawn per requested row ...
_MIN_DRAWS = 10**6  # ... and minimum number of rows drawn before giving up


class Simulation(NamedTuple):
    """Result of :func:`simulate`; unpacks as ``X, y, function``.

    Examples
    --------
    >>> from bayesdnf import simulate
    >>> sample = simulate(10, 4, random_state=0)
    >>> print(sample.function)
    (x0 AND x1) OR (x2 AND x3)
    """

    X: pd.DataFrame
    y: Bits
    function: BooleanFunction


def simulate(
    n_rows: int = 1000,
    n_columns: int = 100,
    *,
    terms: Terms = (2, 2),
    beta: Beta = (0.4, 0.5),
    pi0: float = 0.1,
    pi1: float = 0.9,
    sampling: str = "random",
    n_cases: int | None = None,
    random_state: RandomState = None,
) -> Simulation:
    """Simulate a 0/1 table whose outcome depends on a Boolean function of its columns.

    Column j is Bernoulli(beta_j), all cells independent; a row is positive with
    probability ``pi1`` where the function holds (a marked row) and ``pi0`` elsewhere.
    The defaults are the two-term data of Hubert (2020).

    Parameters
    ----------
    n_rows, n_columns : int
        Size of the table.
    terms : sequence of int, sequence of sequences of int, or BooleanFunction
        Sizes of the terms, which then use the first columns one after the other
        (``(2, 2)`` is ``x0 AND x1 OR x2 AND x3``); or the column numbers of each term
        (``[[0, 1], [0, 5]]``); or a function of ``x0``, ``x1``, ... and their negations.
        ``BooleanFunction()`` is the null function: no marker.
    beta : (low, high), float or array-like of float
        A tuple is a range from which each beta_j is drawn uniformly; a number is the same
        for all columns; a list or an array gives one probability per column.
    pi0, pi1 : float
        Probability of a positive among unmarked and among marked rows.
    sampling : {"random", "case-control"}
        ``"case-control"`` draws rows from the same population until there are ``n_cases``
        positives and ``n_rows - n_cases`` negatives, in random order.
    n_cases : int, optional
        Number of positives for case-control sampling; half of the rows unless given.
    random_state : int, numpy.random.SeedSequence, numpy.random.Generator or None
        The same seed gives the same table.

    Returns
    -------
    X : pandas.DataFrame
        The table, of type uint8, with columns ``x0``, ``x1``, ...
    y : numpy.ndarray
        The outcome, 1 for positive, of type uint8.
    function : BooleanFunction
        The true function.

    Examples
    --------
    >>> from bayesdnf import simulate
    >>> X, y, function = simulate(500, 20, terms=(2, 3), random_state=0)
    >>> X.shape, y.shape
    ((500, 20), (500,))
    >>> print(function)
    (x0 AND x1) OR (x2 AND x3 AND x4)
    >>> sample = simulate(100, pi0=0.001, pi1=0.1, sampling="case-control", random_state=0)
    >>> int(sample.y.sum())
    50
    """
    n = whole("n_rows", "simulate", n_rows, 1, MOST_64)
    p = whole("n_columns", "simulate", n_columns, 1, MOST_64)
    require_memory(
        n * (p + 10) + p * 128 + 9 * max(p, _BLOCK), f"A table of {n:,} rows by {p:,} columns"
    )
    function = _function(terms, p)
    rates = _probability("pi0", pi0), _probability("pi1", pi1)
    n_positive = _n_positive(sampling, n_cases, n)
    rng = _generator(random_state)
    probabilities = _column_probabilities(rng, beta, p)

    cells = _draw_cells(rng, n, probabilities)
    if n_positive is None:
        y = _draw_outcome(rng, function, _Rows(cells, range(p)), rates)
    else:
        y = _case_control(rng, function, cells, probabilities, rates, n_positive)

    import pandas as pd

    names = [f"x{j}" for j in range(p)]
    return Simulation(pd.DataFrame(cells, columns=names, copy=False), y, function)


class _Rows:
    """The cells of some columns, as the table a function is evaluated on."""

    def __init__(self, cells: Bits, columns: Iterable[int]) -> None:
        self._cells = cells
        self._position = {f"x{j}": i for i, j in enumerate(columns)}

    @property
    def n_rows(self) -> int:
        return len(self._cells)

    def truth(self, literal: Literal) -> NDArray[np.bool_]:
        column = self._cells[:, self._position[literal.attribute]].astype(np.bool_)
        return column if literal.operator == TRUE else ~column


def _block_rows(n_columns: int) -> int:
    return max(1, _BLOCK // max(1, n_columns))


def _draw_cells(rng: np.random.Generator, n: int, probabilities: NDArray[np.float64]) -> Bits:
    cells = np.empty((n, len(probabilities)), dtype=np.uint8)
    step = _block_rows(len(probabilities))
    for start in range(0, n, step):
        block = cells[start : start + step]
        np.less(rng.random(block.shape), probabilities, out=block.view(np.bool_))
    return cells


def _draw_outcome(
    rng: np.random.Generator, function: BooleanFunction, rows: _Rows, rates: tuple[float, float]
) -> Bits:
    marked = function(rows)
    y = np.empty(rows.n_rows, dtype=np.uint8)
    for start in range(0, len(y), _BLOCK):
        block = slice(start, start + _BLOCK)
        rate = np.where(marked[block], rates[1], rates[0])
        y[block] = rng.random(len(rate)) < rate
    return y


def _case_control(
    rng: np.random.Generator,
    function: BooleanFunction,
    cells: Bits,
    probabilities: NDArray[np.float64],
    rates: tuple[float, float],
    n_positive: int,
) -> Bits:
    """Overwrite the function's columns so that the classes have the requested sizes.

    Given the function's columns the outcome is independent of all others, so rejection sampling
    draws only those columns: rare cases are cheap.
    """
    n = len(cells)
    y = np.zeros(n, dtype=np.uint8)
    y[:n_positive] = 1
    # Places of cases are drawn first, then filled with accepted rows of that outcome: rows are
    # sampled given the outcome.
    rng.shuffle(y)
    used = [int(name.removeprefix("x")) for name in function.attributes]
    places = np.flatnonzero(y == 0), np.flatnonzero(y)
    filled, seen, drawn = [0, 0], [0, 0], 0
    limit = max(_MIN_DRAWS, _PATIENCE * n)
    while any(filled[c] < len(places[c]) for c in (0, 1)):
        candidates = _draw_cells(rng, _block_rows(len(used)), probabilities[used])
        outcome = _draw_outcome(rng, function, _Rows(candidates, used), rates)
        drawn += len(outcome)
        for c in (0, 1):
            found = np.flatnonzero(outcome == c)
            seen[c] += len(found)
            room = places[c][filled[c] : filled[c] + len(found)]
            cells[room[:, np.newaxis], used] = candidates[found[: len(room)]]
            filled[c] += len(room)
            # Give up if the acceptance rate so far would not fill the class within the limit.
            hopeless = len(places[c]) * drawn > limit * max(seen[c], 1)
            if filled[c] < len(places[c]) and drawn >= _MIN_DRAWS and hopeless:
                kind = ("negatives", "positives")[c]
                raise InputError(
                    f"Case-control sampling found {seen[c]:,} {kind} in {drawn:,} rows "
                    f"(a rate of {seen[c] / drawn:.2g}), too few to reach the "
                    f"{len(places[c]):,} asked for. Use other pi0, pi1 or beta, or ask for fewer "
                    f"{kind}."
                )
    return y


def _probability(name: str, value: float) -> float:
    # Written so that NaN fails too.
    if not (isinstance(value, (int, float, np.number)) and 0 <= value <= 1):
        raise ParameterError.of(name, "simulate", "a probability between 0 and 1", value)
    return float(value)


def _n_positive(sampling: str, n_cases: int | None, n: int) -> int | None:
    """Return the number of positives asked for; None when it is left to chance."""
    if sampling not in ("random", "case-control"):
        raise ParameterError.of("sampling", "simulate", "'random' or 'case-control'", sampling)
    if sampling == "random":
        if n_cases is not None:
            must = "None unless sampling is 'case-control'"
            raise ParameterError.of("n_cases", "simulate", must, n_cases)
        return None
    if n == 1:
        raise ParameterError.of("n_rows", "simulate", "2 or more for case-control sampling", n)
    if n_cases is None:
        return n // 2
    if not is_whole(n_cases, 1, n - 1):
        must = f"a whole number from 1 to {n - 1:,} (n_rows - 1)"
        raise ParameterError.of("n_cases", "simulate", must, n_cases)
    return int(n_cases)


def _function(terms: Terms, p: int) -> BooleanFunction:
    outside = f"within the {p:,} columns, x0 to x{p - 1}"
    if isinstance(terms, BooleanFunction):
        names = {f"x{j}" for j in range(p)}
        if not all(literal.operator in (TRUE, FALSE) for literal in terms.literals):
            must = "a function of 0/1 columns such as 'x0 AND NOT x1'"
            raise ParameterError.of("terms", "simulate", must, str(terms))
        if not names.issuperset(terms.attributes):
            raise ParameterError.of("terms", "simulate", outside, str(terms))
        return terms
    columns = _term_columns(terms)
    if not all(0 <= j < p for term in columns for j in _ends(term)):
        raise ParameterError.of("terms", "simulate", outside, terms)
    return BooleanFunction([[Literal(f"x{j}", TRUE) for j in term] for term in columns])


def _ends(term: list[int] | range) -> tuple[int, int]:
    # min() and max() of a range walk through all of it.
    return (term[0], term[-1]) if isinstance(term, range) else (min(term), max(term))


def _term_columns(terms: object) -> list[list[int]] | list[range]:
    """Find the column numbers of each term, from sizes or from the numbers themselves."""
    items = list(terms) if isinstance(terms, Iterable) else []
    if items and all(is_whole(size, least=1) for size in items):
        ends = list(itertools.accumulate(int(size) for size in items))
        return [range(start, end) for start, end in itertools.pairwise([0, *ends])]
    lists = [list(item) for item in items if isinstance(item, Iterable)]
    numbers = all(term and all(map(is_whole, term)) for term in lists)
    if not lists or len(lists) < len(items) or not numbers:
        must = (
            "sizes such as (2, 2), lists of column numbers such as [[0, 1], [0, 5]] or a "
            "BooleanFunction, with at least one term and no empty one"
        )
        raise ParameterError.of("terms", "simulate", must, terms)
    return [[int(j) for j in term] for term in lists]


def _column_probabilities(rng: np.random.Generator, beta: Beta, p: int) -> NDArray[np.float64]:
    try:
        values = np.asarray(beta, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.array([np.nan])
    is_range = isinstance(beta, tuple) and values.shape == (2,)
    # Written so that NaN fails too.
    valid = bool(np.all((values >= 0) & (values <= 1)))
    if is_range:
        valid = valid and values[0] <= values[1]
    elif values.shape not in ((), (p,)):
        valid = False
    if not valid:
        must = f"a (low, high) tuple, a number or {p:,} numbers, all between 0 and 1"
        raise ParameterError.of("beta", "simulate", must, beta)
    if is_range:
        return rng.uniform(values[0], values[1], size=p)
    return np.broadcast_to(values, (p,))


def _generator(random_state: RandomState) -> np.random.Generator:
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.SeedSequence):
        return np.random.Generator(np.random.Philox(random_state))
    if random_state is not None and not is_whole(random_state, least=0):
        must = "None, a whole number (0 or more), a SeedSequence or a Generator"
        raise ParameterError.of("random_state", "simulate", must, random_state)
    # numpy does not promise what ``default_rng`` draws from in later versions; Philox is named
    # here, so that a seed keeps its data.
    seed = None if random_state is None else int(random_state)
    return np.random.Generator(np.random.Philox(np.random.SeedSequence(seed)))
