"""Shares of draws: of each answer, and of literals, attributes, terms and pairs.

Each function is counted on its own. Lists that partition the rows in the same way, such as lists
with disjoint layers in another order, are counted together: when all parts have the same prior,
their likelihoods are equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ... import _native
from ...boolean import Literal
from ...errors import ParameterError

if TYPE_CHECKING:
    import pandas as pd

    from ..draws import Draws

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Answers:
    """The distinct answers that were drawn, most probable first.

    Parameters
    ----------
    of : ndarray of shape (n_functions,)
        By function or list: the number of its answer.
    number : ndarray of shape (n_answers,)
        By answer: the number of the function, or of the list that represents it, which has the
        highest score.
    counts : ndarray of shape (n_chains, n_answers)
        How often each chain drew each answer.
    probability : ndarray of shape (n_answers,)
        Probability of a function, or total probability of lists with the same partition of rows.

    Examples
    --------
    >>> from bayesdnf import BitMatrix, Posterior, sample, simulate
    >>> X, y, truth = simulate(300, 10, random_state=0)
    >>> posterior = Posterior(BitMatrix.from_table(X), y, layers=2)
    >>> drawn = sample(posterior, draws=200, warmup=100, random_state=0)
    >>> len(drawn.answers) < drawn.n_functions
    True
    >>> print(drawn.function(drawn.answers.number[0]))
    if   (x0 AND x1) OR (x2 AND x3)   then part 1
    else                                   part 0
    """

    of: Ints
    number: Ints
    counts: Ints
    probability: Floats

    def __len__(self) -> int:
        return len(self.number)


def answers_of(draws: Draws, merged: bool) -> Answers:
    """Group draws into answers; ``merged`` groups those with the same partition of the rows."""
    if not merged:
        order = np.lexsort((np.arange(draws.n_functions), -draws.frequency, -draws.probability))
        of = np.empty_like(order)
        of[order] = np.arange(len(order))
        return Answers(of, order, draws.counts[:, order], draws.probability[order])
    group = _by_rows(draws)
    n_groups = int(group.max()) + 1
    # By group, then the highest score first; where scores are not known (NaN), the most frequent.
    within = np.lexsort((np.arange(len(group)), -draws.frequency, -draws.log_mass, group))
    # The first of each group in this order represents it.
    stands_for = within[np.searchsorted(group[within], np.arange(n_groups))]
    together = summed(group, draws.weights)
    order = np.lexsort((stands_for, -together))
    place = np.empty(n_groups, dtype=np.int64)
    place[order] = np.arange(n_groups)
    of = place[group]
    counts = np.stack([np.bincount(of, row, n_groups) for row in draws.counts]).astype(np.int64)
    return Answers(of, stands_for[order], counts, together[order])


def top(draws: Draws, most: int | None, merged: bool) -> pd.DataFrame:
    """Tabulate the most probable answers; see :meth:`Draws.top`."""
    import pandas as pd

    group = _by_rows(draws)
    # The two estimates differ in kind: the total of a group must not be below one of its members.
    together = np.maximum(summed(group, draws.weights)[group], draws.probability)
    shown = answers_of(draws, merged).number[:most]
    same_rows = {"same_rows": together[shown]}
    layers = {"layers": draws.n_layers[shown]} if draws.layers > 1 else {}
    return pd.DataFrame(
        {
            "function": [draws.function(int(i)) for i in shown],
            **(same_rows if merged else {}),
            "probability": draws.probability[shown],
            "at_most": draws.at_most[shown],
            "frequency": draws.frequency[shown],
            "log_posterior": draws.log_score[shown],
            "terms": draws.n_terms[shown],
            "literals": draws.n_literals[shown],
            **layers,
            **(same_rows if not merged else {}),
        }
    )


def summed(number: Ints, shares: Floats, n_sums: int = 0) -> Floats:
    """Sum shares by number; clip rounding errors above 1.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.sampling.drawn.shares import summed
    >>> number, shares = np.zeros(49, dtype=int), np.full(49, 1 / 49)
    >>> summed(number, shares).tolist(), np.bincount(number, weights=shares).tolist()
    ([1.0], [1.0000000000000007])
    """
    return np.minimum(np.bincount(number, weights=shares, minlength=n_sums), 1.0)


def _by_rows(draws: Draws) -> Ints:
    """Return a number for each function, equal for equal partitions of the rows."""
    _, group = np.unique(draws.rows, axis=0, return_inverse=True)
    return group.ravel()


# Literals, attributes, terms, pairs ---------------------------------------------------------------


@dataclass(frozen=True)
class ChainShares:
    """Inclusion probability of each item, and its frequency in each chain."""

    names: Sequence[str]
    equal: Sequence[str]
    probability: Floats
    """By item."""
    frequency: Floats
    """Of shape (n_chains, n_items)."""


def inclusion_by_chain(draws: Draws, kind: str) -> ChainShares:
    """Compute inclusion by chain of literals, attributes, terms or pairs.

    An item counts once for a function, however many of its terms contain it. Layers of a list do
    not distinguish terms.
    """
    function, item, names, equal = _items(draws, kind)
    # One key for each (function, item) pair: np.unique counts an item once for each function.
    pairs = np.unique(function * max(1, len(names)) + item)
    function, item = np.divmod(pairs, max(1, len(names)))
    probability, *by_chain = (
        summed(item, row[function], len(names))
        for row in (draws.weights, *(draws.counts / draws.n_draws))
    )
    return ChainShares(names, equal, probability, np.stack(by_chain))


def _items(draws: Draws, kind: str) -> tuple[Ints, Ints, list[str], list[str]]:
    """List (function, item) pairs, with the names of items and their equal columns."""
    flat = draws.functions
    term_of = np.repeat(np.arange(len(flat.literal_starts) - 1), np.diff(flat.literal_starts))
    function_of_term = np.repeat(np.arange(draws.n_functions), draws.n_terms)
    literal = flat.literals.astype(np.int64)
    texts = [str(x) for x in draws.written]
    if kind == "literal":
        equal = [", ".join(str(draws.write(x)) for x in others) for others in draws.equal]
        return function_of_term[term_of], literal, texts, equal
    if kind == "attribute":
        names = sorted({x.attribute for x in draws.literals})
        number = {name: i for i, name in enumerate(names)}
        attribute = np.array([number[x.attribute] for x in draws.literals], dtype=np.int64)
        return function_of_term[term_of], attribute[literal], names, [""] * len(names)
    if kind == "term":
        # Each term as a function of one term in layer 1: the catalogue numbers equal ones alike.
        catalogue = _native.Catalogue()
        alone = np.arange(len(flat.literal_starts), dtype=np.int64)
        ones = np.ones_like(flat.layers)
        item = catalogue.number(alone, flat.literal_starts, flat.literals, ones)
        _, starts, held, _ = catalogue.flat
        names = [
            term_text([draws.written[i] for i in held[starts[t] : starts[t + 1]]])
            for t in range(len(starts) - 1)
        ]
        return function_of_term, item, names, [""] * len(names)
    if kind == "attribute pair":
        names = sorted({x.attribute for x in draws.literals})
        number = {name: i for i, name in enumerate(names)}
        attribute = np.array([number[x.attribute] for x in draws.literals], dtype=np.int64)
        first, second = pairs_within(flat.literal_starts)
        one, other = attribute[literal[first]], attribute[literal[second]]
        apart = one != other
        # A pair is unordered: one number for both orders.
        keys = np.minimum(one, other) * len(names) + np.maximum(one, other)
        kinds, item = np.unique(keys[apart], return_inverse=True)
        pairs = [f"{names[k // len(names)]} AND {names[k % len(names)]}" for k in kinds]
        return function_of_term[term_of[first[apart]]], item, pairs, [""] * len(pairs)
    if kind == "pair":
        first, second = pairs_within(flat.literal_starts)
        low = np.minimum(literal[first], literal[second])
        high = np.maximum(literal[first], literal[second])
        kinds, item = np.unique(low * len(texts) + high, return_inverse=True)
        p = len(texts)
        names = [term_text([draws.written[k // p], draws.written[k % p]]) for k in kinds]
        return function_of_term[term_of[first]], item, names, [""] * len(names)
    raise ParameterError.of(
        "kind",
        "Draws.inclusion",
        "'literal', 'attribute', 'term', 'pair' or 'attribute pair'",
        kind,
    )


def term_text(literals: Sequence[Literal]) -> str:
    """Format a term as in the text of a function, without parentheses.

    Examples
    --------
    >>> from bayesdnf import BooleanFunction
    >>> from bayesdnf.sampling.drawn.shares import term_text
    >>> term_text(BooleanFunction("x10 AND NOT x2").literals)
    'NOT x2 AND x10'
    """
    return " AND ".join(str(x) for x in sorted(literals, key=Literal.sort_key))


def pairs_within(starts: Ints) -> tuple[Ints, Ints]:
    """Return all pairs of positions i < j in the same run, runs given by their starts."""
    sizes = np.diff(starts)
    ahead = np.repeat(starts[1:], sizes) - np.arange(starts[-1]) - 1  # later places in the run
    # Place i comes before ahead[i] others of its run, so it is repeated that often; ``offset``
    # counts 0, 1, … within each repetition.
    first = np.repeat(np.arange(starts[-1]), ahead)
    offset = np.arange(len(first)) - np.repeat(np.cumsum(ahead) - ahead, ahead)
    return first, first + 1 + offset
