"""Shares of more than two classes in the parts of a rule, and the tables that show them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..boolean import RuleList
from ..boolean.literal import Value
from ..model.part_rates import POOLED_DRAWS, mean_shares
from ..model.posterior import Posterior
from ..model.rates import Interval, jeffreys
from ..model.rule import Rule, layers_of
from .rules import as_frame, decided_terms

if TYPE_CHECKING:
    import pandas as pd

TERM_COLUMNS = ("rule", "size", "rows", "class", "of_class", "rate", "low", "high", "log_gain")
LIST_TERM_COLUMNS = ("layer", *TERM_COLUMNS)

Cells = NDArray[np.int64]
Shares = tuple[tuple[Interval, ...], ...]
"""By part, from part 0, and class."""


def class_rules_table(posterior: Posterior, rule: Rule, labels: Sequence[Value]) -> pd.DataFrame:
    """One row for each term of a rule for more than two classes.

    Parameters
    ----------
    posterior : Posterior
        The data and the priors.
    rule : BooleanFunction or RuleList
        The rule.
    labels : sequence of labels
        Names of the classes.

    Returns
    -------
    pandas.DataFrame
        As :func:`~bayesdnf.estimators.rules.rules_table` makes it, with ``class``, the most
        frequent class of the rows that the term decides, and ``of_class``, its rows, in place of
        ``positives``.

    Examples
    --------
    >>> from bayesdnf import BitMatrix, Posterior, RuleList
    >>> from bayesdnf.estimators.class_shares import class_rules_table
    >>> table = BitMatrix.from_table([[1, 1], [1, 0], [1, 0], [0, 1], [0, 0]])
    >>> posterior = Posterior(table, list("aabcc"), layers=2)
    >>> shown = class_rules_table(posterior, RuleList(["x0", "x1"]), "abc")
    >>> shown[["layer", "rule", "rows", "class", "of_class"]]
       layer rule  rows class  of_class
    0      2   x0     3     a         2
    1      1   x1     1     c         1
    """
    terms, decided, gains = decided_terms(posterior, rule)
    rows = [
        (layer, " AND ".join(map(str, term)), len(term), int(n.sum()), labels[int(n.argmax())],
         int(n.max()), float(gain))
        for (layer, term), n, gain in zip(terms, decided, gains, strict=True)
    ]  # fmt: skip
    return class_terms(rows, layered=isinstance(rule, RuleList))


def class_terms(
    rows: Sequence[tuple[int, str, int, int, Value, int, float]], layered: bool
) -> pd.DataFrame:
    """Build the table from (layer, rule, size, rows, class, of_class, log_gain) of each term."""
    full = [
        (layer, rule, size, n, label, own, *jeffreys(own, n), gain)
        for layer, rule, size, n, label, own, gain in rows
    ]
    columns = LIST_TERM_COLUMNS if layered else TERM_COLUMNS
    return as_frame([row if layered else row[1:] for row in full], columns)


def share_columns(labels: Sequence[Value]) -> list[str]:
    """Name the columns that hold the share of each class."""
    return [f"P({label!s})" for label in labels]


def class_parts_table(
    rule: Rule, cells: Cells, shares: Shares, labels: Sequence[Value]
) -> pd.DataFrame:
    """One row for each part, the highest layer first and the ``else`` last.

    Parameters
    ----------
    rule : BooleanFunction or RuleList
        The rule.
    cells : ndarray of shape (n_parts, n_classes)
        Rows of each class in each part.
    shares : tuple of tuples of Interval
        Share of each class in each part, those of part 0 first.
    labels : sequence of labels
        Names of the classes.

    Returns
    -------
    pandas.DataFrame
        ``part``, ``rule`` (the layer's function, or ``else``), ``rows``, ``class`` (the most
        probable one), its ``share`` (posterior mean) with ``low`` and ``high`` (95 % interval),
        and a column ``P(label)`` for the share of every class.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf import RuleList
    >>> from bayesdnf.estimators.class_shares import class_parts_table, pooled_shares
    >>> cells = np.array([[[0, 7, 0], [8, 0, 9]]])
    >>> table = class_parts_table(RuleList(["x0"]), cells[0], pooled_shares(cells), "abc")
    >>> table.round(2)
       part  rule  rows class  share   low  high  P(a)  P(b)  P(c)
    0     1  (x0)    17     c    0.5  0.29  0.71  0.45  0.05   0.5
    1     0  else     7     b    0.8  0.52  0.97  0.10  0.80   0.1
    """
    rows = _part_rows(rule, cells, shares, labels)
    return as_frame(rows, _part_columns(labels))


def class_strata_table(
    rule: Rule, cells: Cells, labels: Sequence[Value], strata: Sequence[Value]
) -> pd.DataFrame:
    """Return the parts of every stratum: ``stratum``, then the columns of the parts' table."""
    rows = [
        (stratum, *row)
        for stratum, own in zip(strata, cells, strict=True)
        for row in _part_rows(rule, own, pooled_shares(own[None]), labels)
    ]
    return as_frame(rows, ("stratum", *_part_columns(labels)))


def _part_columns(labels: Sequence[Value]) -> tuple[str, ...]:
    return ("part", "rule", "rows", "class", "share", "low", "high", *share_columns(labels))


def _part_rows(
    rule: Rule, cells: Cells, shares: Shares, labels: Sequence[Value]
) -> list[tuple[object, ...]]:
    texts = ["else", *map(str, layers_of(rule))]
    rows: list[tuple[object, ...]] = []
    for part in range(len(texts) - 1, -1, -1):
        best = most_probable(shares[part])
        means = [share.mean for share in shares[part]]
        rows.append(
            (part, texts[part], int(cells[part].sum()), labels[best], *shares[part][best], *means)
        )
    return rows


def most_probable(shares: Sequence[Interval]) -> int:
    """Return the number of the most probable class; of equal ones the first."""
    return int(np.argmax([share.mean for share in shares]))


def pooled_shares(cells: Cells) -> Shares:
    """Return posterior means and 95 % intervals of class shares of parts, pooled over strata.

    A share is the mean over the strata, each weighed by its rows of the part; exact for one
    stratum, and else the intervals come from 100,000 draws of one fixed stream.

    Parameters
    ----------
    cells : ndarray of shape (n_strata, n_parts, n_classes)
        Rows of each class.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.estimators.class_shares import pooled_shares
    >>> [[first, *others]] = pooled_shares(np.array([[[6, 0, 1]]]))
    >>> round(first.mean, 2), round(first.low, 2), round(first.high, 2)
    (0.7, 0.4, 0.93)
    """
    from scipy.special import betaincinv

    n_classes = cells.shape[2]
    means = pooled_means(cells)
    if len(cells) == 1:
        # Posterior Dirichlet(1 + counts); the marginal of one share is Beta(own, sum of the rest).
        own = 1.0 + cells[0]
        rest = own.sum(axis=1, keepdims=True) - own
        low, high = betaincinv(own, rest, 0.025), betaincinv(own, rest, 0.975)
    else:
        weights = _weights(cells)
        # A weighted sum of independent Dirichlet shares has no closed form.
        rng = np.random.default_rng(0)
        low, high = np.empty_like(means), np.empty_like(means)
        for part in range(cells.shape[1]):
            # Monte Carlo: strata are independent given the rule, so a draw of the sum is the sum of
            # draws.
            drawn = sum(
                weight * rng.dirichlet(1.0 + own, POOLED_DRAWS)
                for weight, own in zip(weights[:, part], cells[:, part], strict=True)
            )
            low[part], high[part] = np.quantile(np.asarray(drawn), (0.025, 0.975), axis=0)
    return tuple(
        tuple(Interval(*map(float, (means[h, c], low[h, c], high[h, c]))) for c in range(n_classes))
        for h in range(cells.shape[1])
    )


def pooled_means(cells: Cells) -> NDArray[np.float64]:
    """Return posterior means of class shares of parts, pooled over strata.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.estimators.class_shares import pooled_means
    >>> pooled_means(np.array([[[6, 0, 1]]]))
    array([[0.7, 0.1, 0.2]])
    """
    weights = _weights(cells)[:, :, None]
    return np.asarray((weights * mean_shares(cells)).sum(axis=0), dtype=np.float64)


def _weights(cells: Cells) -> NDArray[np.float64]:
    rows = cells.sum(axis=2)
    weights = np.where(rows.sum(axis=0) > 0, rows, 1)  # a part without rows: its prior mean
    return np.asarray(weights / weights.sum(axis=0), dtype=np.float64)


def shares_by_label(shares: Shares, labels: Sequence[Any]) -> list[dict[Any, float]]:
    """Return the means of every part by label, part 0 first: what exports of a list take.

    Examples
    --------
    >>> from bayesdnf.estimators.class_shares import shares_by_label
    >>> from bayesdnf.model.rates import Interval
    >>> shares_by_label(((Interval(0.7, 0.5, 0.9), Interval(0.3, 0.1, 0.5)),), ["a", "b"])
    [{'a': 0.7, 'b': 0.3}]
    """
    return [
        {label: share.mean for label, share in zip(labels, part, strict=True)} for part in shares
    ]
