"""Enumeration of all functions of a few literals, and their exact posterior.

A term of p literals is a number below 2^p whose binary digits are its literals; a function is a
number below 2^(2^p) whose digits are its terms. Up to p = 6 this is one 64-bit word, so whole
arrays of functions are computed by word operations.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, ParameterError, SizeLimitError
from .flat_functions import FlatFunctions, as_flat, starts_of

if TYPE_CHECKING:
    import pandas as pd

    from .posterior import Posterior

Words = NDArray[np.uint64]

LARGEST = {True: 6, False: 4}
"""Most literals, by whether only antichains are wanted: 7,828,353 and 32,768 functions."""

MOST_IN_LISTS = 3
"""Most literals of lists of layers."""

_LARGEST_WHOLE_TABLE = 5  # literals; of 6 only the most probable functions are kept

_CHUNK = 1 << 16


def enumerate_functions(p: int, antichains: bool = True) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Yield every function of p literals, the null function first.

    Parameters
    ----------
    p : int
        Number of literals, from 0 to 6 (to 4 when ``antichains`` is False).
    antichains : bool, default=True
        Only functions none of whose terms contains another: one for each monotone function except
        constant true, so Dedekind's number minus one of them. False: every set of terms.

    Yields
    ------
    tuple of tuples of int
        The terms, each the sorted indices of its literals.

    Raises
    ------
    SizeLimitError
        When p is above the limit.

    Examples
    --------
    >>> from bayesdnf.model.enumerate import enumerate_functions
    >>> list(enumerate_functions(2))
    [(), ((0, 1),), ((0,),), ((1,),), ((0,), (1,))]
    >>> sum(1 for _ in enumerate_functions(4))
    167
    """
    # The list below has 2^p terms: leave it empty if p is too large, which function_words refuses.
    literals_of = [_digits(term) for term in range(1 << p)] if p <= LARGEST[antichains] else []
    for words in function_words(p, antichains):
        for word in words.tolist():
            yield tuple(literals_of[term] for term in _digits(word))


def function_words(p: int, antichains: bool = True, chunk: int = _CHUNK) -> Iterator[Words]:
    """Yield the functions of :func:`enumerate_functions` as words, in arrays of about ``chunk``.

    Parameters
    ----------
    p : int
        Number of literals.
    antichains : bool, default=True
        As in :func:`enumerate_functions`.
    chunk : int, default=65536
        Least number of functions in an array, the last one excepted.

    Yields
    ------
    ndarray of uint64
        Digit t of a word says whether the function has the term t; digit l of t, whether the
        term holds the literal l.

    Examples
    --------
    >>> from bayesdnf.model.enumerate import function_words
    >>> [int(word) for words in function_words(2) for word in words]
    [0, 8, 2, 4, 6]
    """
    if p < 0:
        raise ParameterError.of("p", "function_words", "0 or more", p)
    if p > LARGEST[antichains]:
        kind = "antichains" if antichains else "sets of terms"
        raise SizeLimitError(
            f"The {kind} of {p:,} literals are too many to enumerate; "
            f"at most {LARGEST[antichains]} literals are possible."
        )
    if antichains:
        yield from (_minimal(tables, p) for tables in _true_sets(p, chunk))
        return
    n_sets = 1 << ((1 << p) - 1)
    for first in range(0, n_sets, chunk):
        # Bit 0 is the empty term, which no function has.
        yield np.arange(first, min(first + chunk, n_sets), dtype=np.uint64) << np.uint64(1)


def flatten(words: Words, p: int) -> FlatFunctions:
    """Convert functions given as words to flat arrays.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.model.enumerate import flatten
    >>> flatten(np.array([0, 0b1010], dtype=np.uint64), p=2).literals
    array([0, 0, 1], dtype=int32)
    """
    n_terms = 1 << p
    # nonzero goes through rows in order, so terms come function by function, and below literals
    # term by term: the order that FlatFunctions asks for.
    digits = words[:, None] >> np.arange(n_terms, dtype=np.uint64) & np.uint64(1)
    function, term = np.nonzero(digits)
    holds = np.arange(n_terms)[:, None] >> np.arange(p) & 1
    _, literals = np.nonzero(holds[term])
    return FlatFunctions(
        starts_of(np.bincount(function, minlength=len(words))),
        starts_of(holds.sum(axis=1)[term]),
        literals.astype(np.int32),
        np.ones(len(term), dtype=np.int32),
    )


def enumerate_lists(p: int, layers: int) -> FlatFunctions:
    """Enumerate every list of up to ``layers`` layers of distinct terms of p literals.

    This includes lists that no prior allows, such as those with a redundant term.

    Parameters
    ----------
    p : int
        Number of literals, from 0 to 3.
    layers : int
        The most layers of a list.

    Raises
    ------
    SizeLimitError
        When p is above the limit.

    Examples
    --------
    >>> from bayesdnf.model.enumerate import enumerate_lists
    >>> len(enumerate_lists(2, 2).term_starts) - 1
    20
    """
    if p > MOST_IN_LISTS:
        raise SizeLimitError(
            f"The lists of {p:,} literals are too many to enumerate; "
            f"at most {MOST_IN_LISTS} literals are possible."
        )
    terms = [_digits(term) for term in range(1, 1 << p)]
    lists = (
        [(g, term) for g, term in zip(placed, terms, strict=True) if g > 0]
        for placed in product(range(layers + 1), repeat=len(terms))
        # Each term is in no layer (0) or in one; layers are numbered without gaps, so each list
        # occurs once.
        if set(range(1, max(placed, default=0) + 1)) <= set(placed)
    )
    return as_flat(lists)


def exact_posterior(posterior: Posterior, limit: int | None = None) -> pd.DataFrame:
    """Tabulate all allowed functions, most probable first; see :meth:`Posterior.enumerate`.

    Examples
    --------
    >>> from bayesdnf import BitMatrix, Posterior
    >>> from bayesdnf.model.enumerate import exact_posterior
    >>> posterior = Posterior(BitMatrix.from_table([[1], [0]] * 20), [1, 0] * 20)
    >>> [str(function) for function in exact_posterior(posterior)["function"]]
    ['(x0)', 'FALSE']
    """
    p = posterior.bits.n_literals
    if posterior.layers > 1:
        lists = enumerate_lists(p, posterior.layers)
        scored = posterior.scores_of(lists)
        allowed = np.flatnonzero(np.isfinite(scored.log_score))
        log_score, log_prior = scored.log_score[allowed], scored.log_prior[allowed]
        top = np.argsort(-log_score, kind="stable")[:limit]
        return _table(posterior, lists.take(allowed[top]), top, log_score, log_prior)
    # Functions are kept as words: spelled out, those of 6 literals would take gigabytes.
    # Scores of all functions are kept even with a limit: probabilities are shares of their sum.
    pieces, scores, priors = [], [], []
    for words in function_words(p, posterior.prior.antichain):
        if limit is None and p > _LARGEST_WHOLE_TABLE:
            raise SizeLimitError(
                f"The functions of {p} literals are too many to list; "
                f"ask for the most probable ones, for example with limit=1000."
            )
        scored = posterior.scores_of(flatten(words, p))
        kept = np.isfinite(scored.log_score)
        pieces.append(words[kept])
        scores.append(scored.log_score[kept])
        priors.append(scored.log_prior[kept])
    log_score, log_prior = np.concatenate(scores), np.concatenate(priors)
    top = np.argsort(-log_score, kind="stable")[:limit]
    return _table(posterior, flatten(np.concatenate(pieces)[top], p), top, log_score, log_prior)


def _table(
    posterior: Posterior,
    functions: FlatFunctions,
    top: NDArray[np.intp],
    log_score: NDArray[np.float64],
    log_prior: NDArray[np.float64],
) -> pd.DataFrame:
    """Tabulate the top functions, or lists, with their probabilities among all."""
    import pandas as pd

    if len(log_score) == 0:
        raise InputError("The prior allows no function on this table: there is no posterior.")
    log_total = np.logaddexp.reduce(log_score)
    exact = pd.DataFrame(
        {
            "function": [posterior.spell(functions, f) for f in range(len(top))],
            "probability": np.exp(log_score[top] - log_total),
            "log_posterior": log_score[top],
            "terms": functions.n_terms,
            "literals": functions.n_literals,
        }
    )
    if posterior.layers > 1:
        exact["layers"] = functions.n_layers
    # log P(y) = log Σ P(f) P(y | f) - log Σ P(f): what the support excludes has no prior mass left.
    exact.attrs["log_evidence"] = float(log_total - np.logaddexp.reduce(log_prior))
    return exact


def _true_sets(p: int, chunk: int) -> Iterator[Words]:
    """Return the truth tables of all monotone functions but constant true; bit x is the value at x.

    A monotone function of p literals is two of p - 1, one for each value of the last literal,
    the second true wherever the first is.
    """
    one = np.uint64(1)
    smaller = np.array([0, 1], dtype=np.uint64)  # of no literals: the two constants
    for literals in range(1, p):
        smaller = np.concatenate(list(_pairs(smaller, np.uint64(1 << (literals - 1)))))
    if p == 0:
        yield smaller[:1]
        return
    waiting: list[Words] = []
    for tables in _pairs(smaller, np.uint64(1 << (p - 1))):
        waiting.append(tables[tables & one == 0])  # true at all-false: constant true
        if sum(map(len, waiting)) >= chunk:
            yield np.concatenate(waiting)
            waiting = []
    if waiting:
        yield np.concatenate(waiting)


def _pairs(smaller: Words, shift: np.uint64) -> Iterator[Words]:
    for upper in smaller:
        # lower implies upper: when the last literal turns true, a monotone function does not turn
        # false. Python's & binds tighter than ==, unlike C's.
        lower = smaller[smaller & ~upper == 0]
        yield lower | upper << shift


def _minimal(tables: Words, p: int) -> Words:
    """Return the minimal true points of monotone functions, which are their terms."""
    covered = np.zeros_like(tables)
    for literal in range(p):
        # Shifting the digit of a point by 2^literal moves it to the point with that literal added.
        # A true point that some true point reaches so is not minimal.
        lacks = sum(1 << x for x in range(1 << p) if not x >> literal & 1)
        covered |= (tables & np.uint64(lacks)) << np.uint64(1 << literal)
    return tables & ~covered


def _digits(number: int) -> tuple[int, ...]:
    return tuple(i for i in range(number.bit_length()) if number >> i & 1)
